from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from unveil import RunConfig, run
from unveil.metrics.kid import SAME
from unveil.reporting.html import write_report
from unveil.reporting.picture_quality.columns import Unchanged, columns, quality_frame, unchanged
from unveil.reporting.picture_quality.section import picture_quality
from unveil.reporting.results import Results, subjects
from unveil.reporting.troubles import troubles
from unveil.reporting.writer import Writer
from unveil.store.run import RunStore

DATASET = "sample-faces"


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory, warm_cache: Path) -> RunStore:
    """Quality and FID of a method, and of one that changes nothing."""
    copy = {"use": "pixelation", "name": "copy", "params": {"size": 1, "unit": "pixel"}}
    config = RunConfig.model_validate(
        {
            "name": "pictured",
            "output": str(tmp_path_factory.mktemp("runs")),
            "datasets": [{"use": "sample-faces", "params": {"limit": 8}}],
            "methods": ["pixelation", copy],
            "models": {"image_encoder": "hog"},
            "evaluations": ["quality", "fid"],
            "fairness": {"replicates": 100, "minimum_identities": 2},
            "engine": {"cache": str(warm_cache)},
        }
    )
    made = run(config)
    write_report(made)
    return made


@pytest.fixture(scope="module")
def pictured_results(pictured: RunStore) -> Results:
    return Results.load(pictured)


def changed(results: Results, **fields: Any) -> Results:
    return Results(**{**{name: getattr(results, name) for name in Results.__slots__}, **fields})


def measured(results: Results, method: str, metric: str, value: float, *, higher: bool, n: int) -> dict[str, Any]:
    """A row of the measures table about a landmarker."""
    like = results.select("measures", method=method, metric="ssim", grouping="").iloc[0].to_dict()
    model = {"evaluation": "landmark_error", "component": "mtcnn/mesh", "cell_id": f"marks-{method}", "detail": ""}
    return {**like, **model, "metric": metric, "value": value, "ci_low": math.nan, "ci_high": math.nan, "n": n,
            "higher_is_better": higher}  # fmt: skip


def test_columns_carry_model_direction_and_values(pictured_results: Results) -> None:
    found = {column.title: column for column in columns(pictured_results, DATASET)}
    assert list(found) == ["Passing", "SSIM", "PSNR, dB", "Sharpness", "FID (hog)", "KID (hog)"]
    assert found["SSIM"].higher_is_better and not found["FID (hog)"].higher_is_better
    assert [title for title, column in found.items() if column.starts] == ["Passing", "SSIM", "FID (hog)"]
    for title, metric in {"SSIM": "ssim", "FID (hog)": "fid", "KID (hog)": "kid"}.items():
        rows = pictured_results.select("measures", metric=metric, grouping="").set_index("method")
        for method, number in found[title].numbers.items():
            assert number.value == rows.loc[method, "value"] and number.n == 64 and not number.share
    assert found["Passing"].numbers["pixelation"].share


def test_limits_stand_beside_the_numbers(pictured_results: Results) -> None:
    found = {column.metric: column for column in columns(pictured_results, DATASET)}
    (few,) = [text for text in found["fid"].remarks if SAME not in text]
    assert "fewer pictures (64) than features" in few and found["fid"].remarks[few] == ["pixelation"]
    (sharp,) = found["sharpness"].remarks
    assert "no gain" in sharp and found["sharpness"].remarks[sharp] == ["pixelation"]
    frame = quality_frame(DATASET, list(found.values()))
    assert frame.set_index(["metric", "method"]).loc[("sharpness", "pixelation"), "remark"] == sharp


def test_originals_are_no_merit_and_an_alarm(pictured: RunStore, pictured_results: Results) -> None:
    titles = ["PSNR, dB", "FID (hog)", "KID (hog)"]
    assert unchanged(columns(pictured_results, DATASET)) == {"copy": Unchanged(titles, sure=True)}
    (alarm,) = [t for t in troubles(pictured_results) if t.about.startswith("copy")]
    assert alarm.severity == "serious" and "not computed" not in alarm.text
    page = (pictured.folder / "report" / "index.html").read_text(encoding="utf-8")
    assert alarm.text.startswith("the protected pictures are the originals (PSNR, dB and FID (hog) and KID (hog))")
    assert f"<b>copy</b>: {alarm.text}." in page and "<small>changed nothing</small>" in page


def test_what_an_encoder_does_not_see_may_be_a_change(pictured_results: Results) -> None:
    """Grey pictures have FID 0 by an encoder that sees no colours, and a PSNR that tells them apart."""
    measures = pictured_results.measures.copy()
    measures.loc[(measures["method"] == "copy") & (measures["metric"] == "psnr"), "value"] = 24.0
    grey = changed(pictured_results, measures=measures)
    assert unchanged(columns(grey, DATASET)) == {"copy": Unchanged(["FID (hog)", "KID (hog)"], sure=False)}
    (alarm,) = [t for t in troubles(grey) if t.about.startswith("copy")]
    assert alarm.text.startswith("to the encoder of FID (hog) and KID (hog) the protected pictures are the")
    assert "nobody may be protected" in alarm.text


def test_landmarks_are_never_without_their_failure_rate(pictured_results: Results, tmp_path: Path) -> None:
    rows = [
        measured(pictured_results, method, metric, value, higher=False, n=n)
        for method in ("original", "pixelation")
        for metric, value, n in (("landmark_error", 0.05, 4), ("landmark_failure_rate", 0.9, 64))
    ]
    measures = pd.concat([pictured_results.measures, pd.DataFrame(rows)], ignore_index=True)
    found = columns(changed(pictured_results, measures=measures), DATASET)
    titles = [column.title for column in found]
    lost = titles.index("Landmarks lost (mesh, faces by mtcnn)")
    assert titles[lost + 1] == "NME of faces still found (mesh, faces by mtcnn)"
    assert found[lost].numbers["pixelation"].share and not found[lost + 1].numbers["pixelation"].share
    made = picture_quality(changed(pictured_results, measures=measures), DATASET, "q", Writer(tmp_path))
    assert made is not None and "landmark_error" in made.metrics
    assert not [shown for figures in made.groups.values() for shown in figures if "NME" in shown.title]


def test_groups_and_fid_success(pictured: RunStore, pictured_results: Results, tmp_path: Path) -> None:
    made = picture_quality(pictured_results, DATASET, "q", Writer(tmp_path))
    assert made is not None
    assert list(made.groups) == ["gender", "tone", "gender+tone"]
    assert [shown.title for shown in made.groups["gender"]] == ["SSIM", "FID (hog)"]
    drawn = pd.read_csv(tmp_path / "figures" / "q_gender_fid_hog.csv")
    assert set(drawn["method"]) == {"pixelation", "copy"}, "what originals have is known before"
    assert [success.grouping for success in made.successes] == ["gender", "tone"], "16 photos are not enough"
    finest = made.successes[-1]
    assert list(finest.numbers) == ["pixelation"], "nothing is fair about pictures that are the originals"
    values = {group: number.value for group, number in finest.numbers["pixelation"].items()}
    fids = pictured_results.select("measures", method="pixelation", metric="fid", grouping="tone")
    fids = fids.set_index("group")["value"]
    assert values == pytest.approx({group: 1 - fid / fids.max() for group, fid in fids.items()})
    bias = pd.read_csv(tmp_path / "tables" / "q_fid_bias.csv")
    rows = pictured_results.select("disparities", metric="fid_success")
    for statistic in ("average_bias", "demographic_bias"):
        assert (bias["statistic"] == statistic).sum() == (rows["statistic"] == statistic).sum() > 0
    assert finest.biases[0].verdicts is None


def test_detection_alone_is_no_quality(results: Results, tmp_path: Path) -> None:
    assert columns(results, DATASET) == []
    assert picture_quality(results, DATASET, "q", Writer(tmp_path)) is None


def test_one_method_without_groups(pictured_results: Results, tmp_path: Path) -> None:
    everybody = pictured_results.measures[
        (pictured_results.measures["grouping"] == "") & (pictured_results.measures["method"] == "original")
    ]
    manifest = {**pictured_results.manifest, "datasets": [{"label": DATASET, "groupings": []}]}
    protections = pictured_results.protections[pictured_results.protections["method"] == "original"]
    plain = changed(pictured_results, measures=everybody, manifest=manifest, protections=protections)
    made = picture_quality(plain, DATASET, "q", Writer(tmp_path))
    assert made is not None
    assert (made.methods, made.groups, made.successes, made.unchanged) == (["original"], {}, [], {})


def test_scenes_have_it_too(scene_config: Callable[..., RunConfig]) -> None:
    made = run(scene_config(evaluations=["intelligibility", "quality", "fid"]))
    results = Results.load(made)
    assert subjects(results, "drawn") == (False, True), "quality is about pictures, not about faces"
    page = write_report(made).read_text(encoding="utf-8")
    assert 'id="d1_quality"' in page and "Attacker</a>" not in page
    assert (made.folder / "report" / "tables" / "d1_quality_measures.csv").is_file()

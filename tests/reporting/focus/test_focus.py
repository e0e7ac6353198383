from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image

from unveil import RunConfig, registry, run
from unveil.core.errors import StoreError
from unveil.core.face_regions import REGIONS
from unveil.core.schema import MEASURES
from unveil.core.types import Cell
from unveil.evaluations.focus import Focus as Evaluation
from unveil.evaluations.focus import correlation, ranked
from unveil.metrics.grouping import Crowd
from unveil.pipeline.measure import Measurer, Rows
from unveil.reporting.focus.correlation import correlations
from unveil.reporting.focus.pictures import MOST_OVERLAYS, focus_pictures
from unveil.reporting.focus.section import focus
from unveil.reporting.html import write_report
from unveil.reporting.results import Results
from unveil.reporting.writer import Writer
from unveil.store.run import RunStore

DATASET = "sample-faces"
METHODS = {"original": 0.0, "pixelation": 0.5, "eye_mask": 1.0, "k_same_average": 0.2}
DLIB, SFACE = (f"mtcnn/{name}/face_landmarker" for name in ("dlib", "sface"))
GROUPS = [f"{gender} {tone}" for gender in ("Female", "Male") for tone in ("Dark", "Light")]


def png(seed: int, width: int = 60) -> bytes:
    """Colours that belong to nobody."""
    pixels = np.random.default_rng(seed).integers(0, 255, (60, width, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def observed(method: str, samples: Sequence[str]) -> pd.DataFrame:
    """The rows of the evaluation: the same habits of a recognizer in all, drowned in noise by the method."""
    draw, habits = np.random.default_rng(3), np.linspace(1, 0.2, len(REGIONS)).astype(np.float32)
    rows = []
    for sample in samples:
        original = (habits + draw.normal(0, 0.2, len(REGIONS))).astype(np.float32)
        noise = draw.normal(0, 1, len(REGIONS)).astype(np.float32)
        protected = original + np.float32(METHODS[method]) * noise
        protected[-1] = np.nan  # the chin is never inside the crop
        together = np.nan if method == "original" else correlation(original, protected)
        for place, region in enumerate(REGIONS):
            rows.append(
                {"sample_id": sample, "status": "ok", "reason": "", "unit_id": f"{sample}#{place}",
                 "region": region, "verification": original[place], "obfuscation": protected[place],
                 "changed": METHODS[method] / 2, "rank_verification": ranked(original)[place],
                 "rank_obfuscation": ranked(protected)[place], "correlation": together}
            )  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def focused(store: RunStore, tmp_path_factory: pytest.TempPathFactory) -> RunStore:
    """A real run, and on top of it the measures and pictures of a focus analysis by two recognizers."""
    folder = tmp_path_factory.mktemp("focused") / "run"
    shutil.copytree(store.folder, folder)
    made, rows, groupings = RunStore(folder), Rows(), ("gender", "tone", "gender+tone")
    config = RunConfig.model_validate(made.manifest()["config"])
    samples = made.read("samples").set_index("sample_id")
    people = samples.assign(**{name: [a[name] for a in samples["attributes"]] for name in ("gender", "tone")})
    for method in METHODS:
        frame = observed(method, list(samples.index)).join(people[["identity", "gender", "tone"]], on="sample_id")
        for component in (DLIB, SFACE) if method in list(METHODS)[:2] else (DLIB,):
            cell = Cell(f"{component.split('/')[1]} {method}", DATASET, method, "focus", component, "")
            measurer = Measurer(cell, "", groupings, config.fairness, 7, {}, Crowd.of(frame, groupings))
            for metric in Evaluation.meta.metrics:
                measurer.measure(registry.load(registry.find("metrics", metric)), frame, rows)
        for number, group in enumerate(GROUPS[:3]):  # of the last group there are too few
            made.put_picture(f"dlib {method}", f"average {group}", png(number))
            made.put_picture(f"dlib {method}", f"average {group} original", png(9))
        for number, group in enumerate([*GROUPS, "Other"]):
            made.put_picture(f"dlib {method}", f"overlay {group} 1", png(number, 240))
            made.put_picture(f"dlib {method}", f"overlay {group} 2", png(number, 240))
    made.write(pa.Table.from_pylist(rows.measures, schema=MEASURES), "measures", "focus")
    write_report(made)
    return made


@pytest.fixture(scope="module")
def focused_results(focused: RunStore) -> Results:
    return Results.load(focused)


def changed(results: Results, **fields: Any) -> Results:
    return Results(**{**{name: getattr(results, name) for name in Results.__slots__}, **fields})


def test_regions_by_method_are_those_of_the_measures(focused_results: Results, tmp_path: Path) -> None:
    dlib, sface = focus(focused_results, DATASET, "f", Writer(tmp_path))
    assert (dlib.key, sface.key) == ("f_1", "f_2")
    assert dlib.faces == dict.fromkeys(METHODS, (64, 0))
    assert dlib.models == "dlib, faces by mtcnn, landmarks by face_landmarker"
    strongest, mean, _, change = dlib.heat
    assert strongest.methods == list(METHODS) and change.methods == list(METHODS)[1:]
    assert [row.name for row in strongest.rows] == list(REGIONS)
    assert strongest.rows[-1].cells == {}, "the chin is outside of the crop"
    rows = focused_results.select("measures", component=DLIB, grouping="", method="pixelation", facet="Nose Tip")
    rows = rows.set_index("metric")
    for table, metric in ((strongest, "strongest_region_rate"), (mean, "region_focus")):
        cell = table.rows[list(REGIONS).index("Nose Tip")].cells["pixelation"]
        assert cell.number.value == rows.loc[metric, "value"]
        assert cell.small == cell.number.interval != ""
    assert strongest.rows[0].cells["pixelation"].number.text.endswith("%")
    assert not mean.rows[0].cells["pixelation"].number.text.endswith("%")


def test_correlation_is_read_against_a_floor(focused_results: Results) -> None:
    found = correlations(focused_results, DATASET, DLIB)
    assert list(found.everybody) == list(METHODS)[1:], "originals are compared with nothing"
    assert (found.floor, found.floor_is_mask) == ("eye_mask", False)
    assert found.standing("eye_mask") == "the floor"
    assert found.standing("k_same_average") == "above the floor"
    assert found.names("gender+tone") == GROUPS
    components = [
        {**entry, "target": "unveil.methods.pixel:Mask"} if entry["label"] == "pixelation" else entry
        for entry in focused_results.manifest["components"]
    ]
    manifest = {**focused_results.manifest, "components": components}
    black = correlations(changed(focused_results, manifest=manifest), DATASET, DLIB)
    assert (black.floor, black.floor_is_mask) == ("pixelation", True)
    assert black.standing("eye_mask") == "below the floor"


def test_groups_show_originals_against_protected(focused: RunStore, focused_results: Results) -> None:
    tables = focused.folder / "report" / "tables"
    frame = pd.read_csv(tables / "d1_focus_1_groups.csv")
    assert set(frame["grouping"]) == {"gender", "tone", "gender+tone"}
    drawn = pd.read_csv(focused.folder / "report" / "figures" / "d1_focus_1_1_strongest_region.csv")
    assert set(drawn["method"]) == {"original", "pixelation"} and set(drawn["group"]) == set(GROUPS)
    mine = frame[(frame["metric"] == "strongest_region_rate") & (frame["method"] == "pixelation")]
    top = mine[mine["group"] == "Male Dark"].nlargest(1, "value").iloc[0]
    (dlib, _) = focus(focused_results, DATASET, "f", Writer(focused.folder / "again"))
    assert dlib.groups is not None and dlib.groups.grouping == "gender+tone"
    favourite = dlib.groups.favourites["pixelation"]["Male Dark"]
    assert favourite.number.value == pytest.approx(top["value"])
    assert set(dlib.groups.figures) == set(METHODS) - {"original"}


def test_pictures_are_in_the_page(focused: RunStore, focused_results: Results) -> None:
    cells = {method: f"dlib {method}" for method in METHODS}
    pictures = focus_pictures(focused_results, cells)
    assert pictures.groups == GROUPS[:3] and list(pictures.means) == list(METHODS)
    assert pictures.people == GROUPS[:MOST_OVERLAYS], "only so many people"
    uris = [uri for rows in (pictures.means, pictures.overlays) for row in rows.values() for uri in row.values()]
    page = (focused.folder / "report" / "index.html").read_text(encoding="utf-8")
    assert all(uri.startswith("data:image/jpeg;base64,") and uri in page for uri in uris)
    assert pictures.size == round(sum(map(len, uris)) / 1000) > 0
    assert f"These pictures are {pictures.size:,} kB of this page" in page


def test_a_damaged_picture_is_named(focused_results: Results, tmp_path: Path) -> None:
    path = tmp_path / "average all.png"
    path.write_bytes(b"no picture")
    with pytest.raises(StoreError, match="average all"):
        focus_pictures(changed(focused_results, pictures={"c": {"average all": path}}), {"mask": "c"})


def test_without_pictures_or_groups_the_page_works(focused: RunStore, tmp_path: Path) -> None:
    shutil.copytree(focused.folder, tmp_path / "plain")
    plain = RunStore(tmp_path / "plain")
    plain.prune_pictures(())
    measures = plain.read("measures")
    everybody = measures[measures["grouping"] == ""]
    plain.clear("measures")
    plain.write(pa.Table.from_pandas(everybody, schema=MEASURES, preserve_index=False), "measures", "measures")
    manifest = plain.manifest()
    plain.write_manifest({**manifest, "datasets": [{**manifest["datasets"][0], "groupings": []}]})
    page = write_report(plain).read_text(encoding="utf-8")
    assert page.count("This run kept no pictures of the focus") == 2
    assert "Correlation</summary>" in page and "Correlation, by" not in page
    assert "<h4>Group by group" not in page


def test_originals_alone_have_no_floor(focused_results: Results, tmp_path: Path) -> None:
    measures = focused_results.measures[focused_results.measures["method"] == "original"]
    (dlib, _) = focus(changed(focused_results, measures=measures), DATASET, "f", Writer(tmp_path))
    assert dlib.correlations.floor is None and dlib.correlations.everybody == {}
    assert dlib.heat[0].methods == ["original"] and dlib.groups is not None and dlib.groups.figures == {}


def test_no_focus_no_section(store: RunStore, results: Results, tmp_path: Path) -> None:
    assert focus(results, DATASET, "f", Writer(tmp_path)) == []
    assert "d1-focus" not in (store.folder / "report" / "index.html").read_text(encoding="utf-8")


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1200])
def test_page_fits_and_is_described(browser: Any, focused: RunStore, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get_log("browser")
    browser.get((focused.folder / "report" / "index.html").as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []
    bare = "return [...document.images].filter(i => !i.alt || !i.src.startsWith('data:')).length"
    assert browser.execute_script(bare) == 0
    shown = "return document.getElementById('d1_focus_1_1_strongest_region').querySelectorAll('svg image').length"
    assert browser.execute_script(shown) == 2, "originals and protected pictures"
    twice = """const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
               return ids.filter((id, i) => ids.indexOf(id) !== i);"""
    assert browser.execute_script(twice) == []


def test_a_real_run(shared_weights: Path, tmp_path: Path, warm_cache: Path, monkeypatch: Any) -> None:
    pytest.importorskip("mediapipe")
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    config = RunConfig.model_validate(
        {
            "name": "looked",
            "output": str(tmp_path),
            "datasets": [{"use": "sample-faces", "params": {"limit": 2}}],
            "methods": ["mask"],
            "evaluations": [{"use": "focus", "recognizer": "dlib"}, "landmark_error"],
            "fairness": {"replicates": 100, "minimum_identities": 2},
            "engine": {"cache": str(warm_cache)},
        }
    )
    made = run(config)
    page = write_report(made).read_text(encoding="utf-8")
    assert "Read the numbers against <b>mask</b>, which leaves nothing to see" in page
    assert 'alt="One person, ' in page and "Mean heat on mean faces" not in page, "two people are no mean"
    assert "Landmarks lost (" in page and page.index("Landmarks lost (") < page.index("NME of faces still")

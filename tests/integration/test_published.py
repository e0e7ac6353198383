"""Published protocols from files to numbers: LFW's ten folds, and the modes of the released scripts."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import unveil

FACES = Path(unveil.__file__).parent / "datasets/data/sample_faces"


@pytest.fixture
def lfw(tmp_path: Path) -> Path:
    """Synthetic people in LFW's layout: 10 folds of 3 mated and 3 non-mated pairs."""
    root = tmp_path / "lfw"
    people = sorted(path for path in FACES.glob("*/*") if path.is_dir())[::4]
    for person in people:
        for number, photo in enumerate(sorted(person.glob("*.jpg"))[:3], start=1):
            target = root / person.name / f"{person.name}_{number:04d}.jpg"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(photo.read_bytes())
    names = [person.name for person in people]
    lines = ["10\t3"]
    for fold in range(10):
        mine = [names[(fold + step) % len(names)] for step in range(4)]
        lines += [f"{name}\t1\t{2 + fold % 2}" for name in mine[:3]]
        lines += [f"{a}\t1\t{b}\t2" for a, b in pairwise(mine)]
    (root / "pairs.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def test_ten_folds_of_lfw(small_config, lfw):
    dataset = {"use": "lfw", "params": {"root": str(lfw)}}
    store = unveil.run(small_config(datasets=[dataset], methods=["mask"], evaluations=["verification"]))
    rows = store.sql("select * from observations where method = 'original'")
    assert len(rows) == 60
    assert sorted(rows["fold"].unique()) == list(range(10))
    measures = store.read("measures")
    (accuracy,) = measures.loc[measures["metric"] == "fold_accuracy"].itertuples()
    assert 0.8 < accuracy.value <= 1
    assert accuracy.ci_low <= accuracy.value <= accuracy.ci_high
    assert accuracy.n == 60
    masked = measures.query("method == 'mask' and threat_model == 'other_photo' and operating_point == 'f1'")
    assert masked.set_index("metric").loc["obfuscation_success_rate_overall", "value"] == 1


def test_as_published_reads_recognition_of_originals_as_success(small_config):
    config = {"fairness": {"mode": "as_published", "replicates": 100, "minimum_identities": 2}}
    store = unveil.run(small_config(methods=["pixelation"], **config))
    disparities = store.read("disparities")
    original = set(disparities.loc[disparities["method"] == "original", "metric"])
    assert original == {"recognition_rate", "detection_rate"}
    protected = set(disparities.loc[disparities["method"] == "pixelation", "metric"])
    assert "obfuscation_success_rate_conditional" in protected
    corrected = unveil.run(small_config(methods=["pixelation"], name="corrected"))
    metrics = corrected.read("disparities").query("method == 'original'")["metric"]
    assert "recognition_rate" not in set(metrics)
    assert "obfuscation_success_rate_overall" in set(metrics)


def test_poisoned_identification_probes_originals(small_config):
    evaluation = {"use": "identification", "threat_models": ["group_unknown", "group_unknown_poisoned"]}
    store = unveil.run(small_config(methods=["mask"], evaluations=[evaluation]))
    rows = store.sql("select * from observations where method = 'mask' and side = 'probe'")
    by_threat = rows.groupby("threat_model")["status"].agg(set)
    assert by_threat["group_unknown"] == {"not_acquired"}
    # Cloaked photos without a face teach the attacker nobody.
    assert by_threat["group_unknown_poisoned"] == {"not_acquired"}
    assert set(rows.query("threat_model == 'group_unknown_poisoned'")["reason"]) == {"identity_not_enrolled"}


def test_who_shares_a_picture_with_nine_others_is_found_by_guessing_only(tmp_path, warm_cache):
    config = {
        "name": "ties",
        "output": str(tmp_path),
        "datasets": ["sample-faces"],
        "methods": [{"use": "k_same_pixel", "params": {"k": 12}}],
        "evaluations": [{"use": "identification", "threat_models": ["group_unknown"]}],
        "fairness": {"replicates": 100},
        "engine": {"cache": str(warm_cache)},
    }
    store = unveil.run(unveil.RunConfig.model_validate(config))
    measures = store.read("measures").query("method == 'k_same_pixel' and grouping == ''")
    exposure = measures.query("metric == 'exposure_rate'").set_index("operating_point")
    for point in ("svm", "rank_1"):
        # 1/12 is promised; 96 probes scatter about it.
        assert exposure.loc[point, "value"] < 0.25, point
    assert exposure.loc["rank_5", "value"] == pytest.approx(5 / 12, abs=0.2)

"""A run in which a web service is one of the attackers: what it does not answer costs itself and nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

import unveil
from unveil.config import RunConfig

from ..models.facepp_server import Reply, Service, at_hand, drawn

COLOURS = ((220, 120, 40), (60, 40, 210), (70, 190, 80))


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Service]:
    with at_hand(monkeypatch, tmp_path / "home") as running:
        yield running


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Two photos each of three drawn people."""
    for person, colour in enumerate(COLOURS):
        for photo in range(2):
            path = tmp_path / "photos" / f"p{person}" / f"{photo}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Pillow.fromarray(drawn((50 + 10 * photo, 60, 160, colour))).save(path)
    return tmp_path / "photos"


def run(photos: Path, service: Service, **changes: Any) -> Any:
    facepp = {
        "use": "facepp",
        "params": {"endpoint": service.url, "requests_per_second": 1000.0, "timeout": 5.0, "retries": 0},
    }
    settings = {
        "name": "services",
        "output": str(photos.parent / "runs"),
        "datasets": [{"use": "folder", "params": {"root": str(photos), "pattern": "{identity}/{file}"}}],
        "methods": [{"use": "gaussian_noise"}],
        "models": {"detector": facepp, "recognizer": facepp, "estimator": facepp},
        "evaluations": [{"use": "detection", "detector": [facepp, "opencv"]}, "verification", "attributes"],
        "engine": {"cache": str(photos.parent / "cache")},
        **changes,
    }
    return unveil.run(RunConfig.model_validate(settings))


def states(store: Any) -> dict[tuple[str, str, str], tuple[str, str]]:
    return {
        (cell["evaluation"], cell["component"], cell["method"]): (cell["status"], cell.get("reason", ""))
        for cell in store.manifest()["cells"]
    }


def test_pairs_are_compared_and_attributes_told_by_the_service(photos: Path, service: Service) -> None:
    store = run(photos, service)
    assert {status for status, _ in states(store).values()} == {"finished"}
    measures = store.read("measures")
    auc = measures.query("metric == 'auc' and grouping == '' and method == 'original'")["value"]
    assert auc.tolist() == [1.0], "the drawn people differ in colour, and the server compares pixels"
    preserved = measures.query("metric == 'attribute_preserving_rate' and grouping == ''")
    assert {"gender", "age", "head_pose"} <= set(preserved["facet"])
    asked = service.came
    run(photos, service)
    assert service.came == asked, "everything that was answered is known"


@pytest.mark.parametrize(("status", "text"), [(401, "AUTHENTICATION_ERROR"), (403, "AUTHORIZATION_ERROR:no")])
def test_a_refused_key_costs_the_service_and_not_the_run(
    photos: Path, service: Service, status: int, text: str
) -> None:
    service.script += [Reply(status, text)] * 200
    store = run(photos, service)
    found = states(store)
    for (_, component, _), (state, reason) in found.items():
        assert state == ("failed" if "facepp" in component else "finished"), component
        assert state == "finished" or text.partition(":")[0] in reason
    assert store.read("measures").query("evaluation == 'detection'")["component"].unique().tolist() == ["opencv"]
    service.script.clear()
    assert {state for state, _ in states(run(photos, service)).values()} == {"finished"}, (
        "and is asked again later"
    )


@pytest.mark.parametrize(
    "reply", [Reply(500, "INTERNAL_ERROR"), Reply(200, '{"unlike": 1}'), Reply(413, "too large")]
)
def test_pairs_that_were_not_compared_are_asked_again(photos: Path, service: Service, reply: Reply) -> None:
    first = run(photos, service, evaluations=["attributes"])
    assert {state for state, _ in states(first).values()} == {"finished"}
    service.script += [reply] * 200
    store = run(photos, service)
    failed = {key: reason for key, (state, reason) in states(store).items() if state == "failed"}
    assert {evaluation for evaluation, _, _ in failed} == {"verification"}
    assert all("errors.budget" in reason and "rows broke" in reason for reason in failed.values())
    service.script.clear()
    assert {state for state, _ in states(run(photos, service)).values()} == {"finished"}

"""Small real runs, made once, and a browser to open their reports in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unveil import RunConfig, run
from unveil.datasets.samples import SampleFaces
from unveil.reporting.html import write_report
from unveil.reporting.results import Results
from unveil.store.run import RunStore

from ..models.graphs import random_network

LONG = "a_mask.from_somebody_elses_plugin_with_a_long_label_v2"
SCRIPT = "<script>window.broken = 1</script>"
MARKUP = "<img src=x onerror=window.broken=2>"


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory, warm_cache: Path) -> RunStore:
    """Eight people, three methods, every attack, with its report."""
    config = RunConfig.model_validate(
        {
            "name": "small",
            "output": str(tmp_path_factory.mktemp("runs")),
            "datasets": [{"use": "sample-faces", "params": {"limit": 8}}],
            "methods": ["pixelation", "eye_mask", {"use": "k_same_average", "params": {"k": 4}}],
            "evaluations": [
                "detection",
                "verification",
                {"use": "identification", "threat_models": ["group_unknown"]},
            ],
            "fairness": {"replicates": 100, "minimum_identities": 2, "epsilons": [0.05, 0.1]},
            "engine": {"cache": str(warm_cache)},
        }
    )
    made = run(config)
    write_report(made)
    return made


@pytest.fixture(scope="session")
def results(store: RunStore) -> Results:
    """The same run, read."""
    return Results.load(store)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory, warm_cache: Path) -> RunStore:
    """A run over two datasets, one without groups, whose labels are markup; no attack; one broken file."""
    root = tmp_path_factory.mktemp("photos")
    source = SampleFaces(limit=4)
    rows = ["path,identity,tone"]
    for number, entry in enumerate(list(source.entries())[::4]):
        shutil.copy(source.root / entry.path, root / f"{number}.jpg")
        rows.append(f"{number}.jpg,{entry.identity},{SCRIPT if number % 2 else 'plain'}")
    (root / "broken.jpg").write_bytes(b"not a picture")
    rows.append("broken.jpg,nobody,plain")
    (root / "labels.csv").write_text("\n".join(rows))
    labelled = {"root": str(root), "labels": "labels.csv", "groupings": ["tone"]}
    config = RunConfig.model_validate(
        {
            "name": "hostile",
            "output": str(tmp_path_factory.mktemp("runs")),
            "datasets": [
                {"use": "folder", "name": "labelled", "params": labelled},
                {"use": "folder", "name": "plain", "params": {**labelled, "groupings": []}},
            ],
            "methods": [{"use": "pixelation", "name": MARKUP}],
            "models": {"detector": "opencv"},
            "evaluations": ["detection"],
            "engine": {"cache": str(warm_cache)},
        }
    )
    made = run(config)
    write_report(made)
    return made


@pytest.fixture(scope="session")
def told_store(tmp_path_factory: pytest.TempPathFactory, warm_cache: Path) -> RunStore:
    """Attributes by two estimators that tell the same, and a recognizer chosen from three; a method that fails."""
    graph = random_network(tmp_path_factory.mktemp("graphs") / "random.onnx", 64)
    strict = {"use": "opencv", "params": {"min_neighbors": 25}}  # overlooks some faces
    candidates = [{"use": "onnx", "name": "random", "params": {"path": str(graph)}}, "dlib", "sface"]
    config = RunConfig.model_validate(
        {
            "name": "told",
            "output": str(tmp_path_factory.mktemp("runs")),
            "datasets": [{"use": "sample-faces", "params": {"limit": 8}}],
            "methods": [
                "pixelation",
                {"use": "mask", "name": LONG, "params": {"region": "face"}},
                {"use": "blur.gaussian", "params": {"region": "face"}},
            ],
            "models": {
                "detector": strict,
                "region_detector": strict,
                "estimator": ["age_gender", {"use": "age_gender", "name": "second opinion"}],
                "recognizer": {"use": "best", "params": {"among": candidates}},
            },
            "evaluations": [{"use": "detection", "detector": [strict, "dlib"]}, "verification", "attributes"],
            "fairness": {"replicates": 100, "minimum_identities": 2, "epsilons": [0.05, 0.1]},
            "engine": {"cache": str(warm_cache)},
        }
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNVEIL_WEIGHTS", str(tmp_path_factory.mktemp("no weights")))
        made = run(config)
    write_report(made)
    return made


@pytest.fixture(scope="session")
def told(told_store: RunStore) -> Results:
    """The same run, read."""
    return Results.load(told_store)


@pytest.fixture(scope="session")
def bare_store(tmp_path_factory: pytest.TempPathFactory, warm_cache: Path) -> RunStore:
    """Attributes of faces of which one method leaves nothing, without groups, truth or attack."""
    root = tmp_path_factory.mktemp("photos")
    source = SampleFaces(limit=4)
    for number, entry in enumerate(list(source.entries())[::8]):
        shutil.copy(source.root / entry.path, root / f"{number}.jpg")
    config = RunConfig.model_validate(
        {
            "name": "bare",
            "output": str(tmp_path_factory.mktemp("runs")),
            "datasets": [{"use": "folder", "name": "photos", "params": {"root": str(root), "pattern": "{file}"}}],
            "methods": ["mask"],
            "models": {"detector": "opencv"},
            "evaluations": ["attributes"],
            "engine": {"cache": str(warm_cache)},
        }
    )
    made = run(config)
    write_report(made)
    return made


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Headless Chromium that logs its console and what it would fetch."""
    chromium, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if not (chromium and driver):
        pytest.skip("needs chromium and chromedriver on the path")
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = chromium
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    yield chrome
    chrome.quit()

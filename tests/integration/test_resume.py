"""Kill a run at any moment: the next one finishes it, and the tables equal those of an undisturbed run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from unveil import RunConfig, run

TABLES = ("samples", "protections", "observations", "measures", "disparities")
NOT_COMPARED = ["elapsed_s"]  # the only column that tells how long something took


def settings(folder: Path, name: str) -> RunConfig:
    return RunConfig.model_validate(
        {
            "name": name,
            "output": str(folder / name),
            "datasets": [{"use": "sample-faces", "params": {"limit": 12}}],
            "methods": ["pixelation", "gaussian_noise", {"use": "k_same_average", "params": {"k": 3}}],
            "evaluations": [
                {"use": "detection", "detector": ["mtcnn", "opencv"]},
                "verification",
                {"use": "identification", "threat_models": ["group_unknown"]},
            ],
            "fairness": {"replicates": 100, "minimum_identities": 3},
            "engine": {"shard_size": 16, "cache": str(folder / f"cache-{name}")},
        }
    )


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    from unveil import open_run

    store = open_run(folder)
    found = {}
    for name in TABLES:
        frame = store.read(name).drop(columns=NOT_COMPARED, errors="ignore")
        if "attributes" in frame:
            frame["attributes"] = frame["attributes"].map(lambda value: sorted(dict(value).items()))
            frame["labels"] = frame["labels"].map(tuple)
        keys = [column for column in frame.columns if frame[column].dtype.kind not in "fM"]
        found[name] = frame.sort_values([k for k in keys if k != "attributes"], ignore_index=True)
    return found


@pytest.mark.slow
def test_killed_at_any_moment_a_run_continues_to_the_same_tables(tmp_path):
    undisturbed = settings(tmp_path, "undisturbed")
    run(undisturbed)

    disturbed = settings(tmp_path, "undisturbed").model_copy(
        update={
            "output": str(tmp_path / "disturbed"),
            "engine": undisturbed.engine.model_copy(update={"cache": str(tmp_path / "cache-disturbed")}),
        }
    )
    file = tmp_path / "run.yaml"
    file.write_text(disturbed.to_yaml(), encoding="utf-8")
    command = [sys.executable, "-m", "unveil", "run", str(file), "--no-report"]
    kills, seconds, done = 0, 2.0, -1
    while kills < 12:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )
        try:
            _, stderr = process.communicate(timeout=seconds)
            assert process.returncode == 0, stderr.decode()
            break
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            kills += 1
        # Killed again at another point of the work each time; longer when no shard was finished.
        now = len(list(tmp_path.glob("cache-disturbed/**/*.p*")))
        seconds = seconds * 1.5 if now <= done else seconds + 0.7
        done = now
    else:
        run(disturbed)
    assert kills >= 3, "the run ended before it could be disturbed"

    expected, found = tables(undisturbed.folder), tables(disturbed.folder)
    for name in TABLES:
        pd.testing.assert_frame_equal(expected[name], found[name], obj=name)
    leftovers = list(disturbed.folder.rglob(".part-*"))
    measured_parts = list(disturbed.folder.rglob("*.parquet"))
    assert len(measured_parts) == len(list(undisturbed.folder.rglob("*.parquet")))
    assert len(leftovers) <= kills  # at most the file in work of each kill, and never read


@pytest.mark.slow
def test_work_done_before_a_kill_is_not_done_again(tmp_path):
    config = settings(tmp_path, "once")
    file = tmp_path / "run.yaml"
    file.write_text(config.to_yaml(), encoding="utf-8")
    command = [sys.executable, "-m", "unveil", "run", str(file), "--no-report"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    cache = tmp_path / "cache-once" / "faces"
    deadline = time.monotonic() + 120
    while len(list(cache.rglob("*.parquet"))) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = {path: path.stat().st_mtime_ns for path in cache.rglob("*.parquet")}
    assert len(before) >= 4
    run(config)
    assert {path: path.stat().st_mtime_ns for path in before} == before

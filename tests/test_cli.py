"""How the command line looks to other programs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import unveil


def piped(*arguments: str) -> str:
    command = [sys.executable, "-m", "unveil", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory, warm_cache):
    config = {
        "name": "piped",
        "output": str(tmp_path_factory.mktemp("runs")),
        "datasets": [{"use": "sample-faces", "params": {"limit": 4}}],
        "methods": ["pixelation"],
        "evaluations": ["detection"],
        "fairness": {"replicates": 100, "minimum_identities": 2},
        "engine": {"cache": str(warm_cache)},
    }
    return unveil.run(unveil.RunConfig.model_validate(config)).folder


def test_tables_are_not_squeezed_where_nobody_looks(run_folder):
    long = "a_word_that_is_much_longer_than_any_terminal_is_wide_" * 4
    text = piped("show", run_folder, "--sql", f"select '{long}' as one, '{long}' as two, sample_id from samples")
    lines = text.splitlines()
    samples = unveil.open_run(run_folder).read("samples")
    assert sum(line.count(long) == 2 for line in lines) == len(samples)
    assert len(lines) == len(samples) + 2  # title and head


def test_every_component_has_a_line_of_its_own():
    rows = unveil.list_components("models")
    lines = piped("list", "models").splitlines()
    assert len(lines) == len(rows) + 2
    for row, line in zip(rows, lines[2:], strict=True):
        assert line.startswith(row["name"]) and " ".join(row["summary"].split()) in " ".join(line.split())

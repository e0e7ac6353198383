"""Who imports whom, and what is imported before it is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
HEAVY = (
    "torch", "cv2", "dlib", "onnxruntime", "sklearn", "matplotlib", "duckdb",
    "mediapipe", "deepface", "httpx", "torchmetrics", "transformers",
)  # fmt: skip
BUDGET_S = 1.5


def fresh(code: str) -> dict[str, object]:
    """Run code in a new interpreter; it leaves ``answer``."""
    end = "; import json; print(json.dumps(answer))"
    done = subprocess.run([sys.executable, "-c", code + end], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def test_the_layers_hold() -> None:
    script = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([script, "--no-cache"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "0 broken" in done.stdout and "3 kept" in done.stdout


@pytest.mark.parametrize(
    "code",
    [
        "import unveil",
        "from typer.testing import CliRunner; from unveil.cli import app; "
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0",
    ],
    ids=["import unveil", "unveil --help"],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code: str) -> None:
    measure = "import sys, time; start = time.perf_counter(); {}; elapsed = time.perf_counter() - start; "
    answer = fresh(measure.format(code) + f"answer = [elapsed, [m for m in {HEAVY!r} if m in sys.modules]]")
    elapsed, loaded = answer  # type: ignore[misc]
    assert loaded == []
    assert elapsed < BUDGET_S, f"took {elapsed:.2f} s"


def test_the_public_names_are_these() -> None:
    import unveil

    assert unveil.__all__ == ["RunConfig", "list_components", "open_run", "plan", "report", "run"]
    assert all(hasattr(unveil, name) for name in unveil.__all__)


def test_component_tables_import_no_component() -> None:
    code = (
        "import sys; from unveil import registry; "
        "specs = [s.target.partition(':')[0] for k in registry.KINDS for s in registry.specs(k).values()]; "
        "answer = [sorted({m for m in specs if m in sys.modules}), len(specs)]"
    )
    loaded, known = fresh(code)  # type: ignore[misc]
    assert loaded == [] and known > 40


def test_no_subpackage_takes_the_place_of_a_public_name() -> None:
    code = (
        "import importlib, pkgutil, types, unveil\n"
        "for module in pkgutil.walk_packages(unveil.__path__, 'unveil.'):\n"
        "    if not module.name.endswith('__main__'):\n"
        "        importlib.import_module(module.name)\n"
        "assert not [n for n in unveil.__all__ if isinstance(getattr(unveil, n), types.ModuleType)]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from unveil import registry
from unveil.api import list_components
from unveil.core.errors import ConfigError, Unavailable, UnknownComponent
from unveil.testing import check_component

PACKAGE = Path(__file__).parent / "plugin_package"

Register = Callable[[str, Mapping[str, str]], None]


def write_distribution(site: Path, name: str, version: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """What an installer leaves of a package's metadata: that is all that entry points are read from."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = (
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in points.items()
    )
    (folder / "entry_points.txt").write_text("\n".join(groups))


def install(site: Path) -> None:
    """Put the plug-in package into a folder, without network, build tools or pip."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copytree(
        PACKAGE / "unveil_invert", site / "unveil_invert", ignore=shutil.ignore_patterns("__pycache__")
    )
    write_distribution(site, project["name"], project["version"], project["entry-points"])


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on ``sys.path``; registered names are read anew before and after."""
    monkeypatch.syspath_prepend(tmp_path)
    registry.specs.cache_clear()
    yield tmp_path
    registry.specs.cache_clear()
    for name in ("unveil_invert", "breaks"):
        sys.modules.pop(name, None)


# --- names ---


def test_every_target_of_the_tables_can_be_loaded() -> None:
    for kind in registry.KINDS:
        for spec in registry.specs(kind).values():
            assert registry.load(spec) is not None and spec.owner == "unveil"


@pytest.mark.parametrize(
    ("kind", "name", "hint"),
    [
        ("methods", "pixelaton", r"did you mean pixelation"),
        ("methods", "dp_snwo", r"did you mean dp_snow"),
        ("models", "detector:mtcn", r"did you mean detector:mtcnn"),
        ("evaluations", "verifikation", r"did you mean verification"),
        ("datasets", "zzzz", r"`unveil list datasets` shows all names"),
    ],
)
def test_an_unknown_name_gets_near_ones(kind: str, name: str, hint: str) -> None:
    with pytest.raises(UnknownComponent, match=hint) as caught:
        registry.find(kind, name)
    assert repr(name) in str(caught.value) and kind in str(caught.value)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match="'colours' is not a kind of component"):
        list_components("colours")


# --- parameters ---


def test_parameters_are_complete_and_checked() -> None:
    verification = registry.load(registry.find("evaluations", "verification"))
    full = registry.parameters(verification, {"pairs_per_photo": 5}, name="v")
    assert full["pairs_per_photo"] == 5 and full["strangers_per_photo"] == 3
    with pytest.raises(
        ConfigError, match=r"^v: unknown parameter 'pair_per_photo' = 5; did you mean 'pairs_per_photo'"
    ):
        registry.parameters(verification, {"pair_per_photo": 5}, name="v")
    detection = registry.load(registry.find("evaluations", "detection"))
    with pytest.raises(ConfigError, match=r"unknown parameter 'zzz' = 1; it has: none"):
        registry.parameters(detection, {"zzz": 1}, name="d")
    keyed = registry.load(registry.find("methods", "block_permutation"))
    with pytest.raises(ConfigError, match="parameter 'key' must be given"):
        registry.parameters(keyed, {}, name="k")


def test_a_refused_value_names_component_rule_and_value() -> None:
    with pytest.raises(
        ConfigError, match=r"evaluations 'identification': train_fraction must lie .*, not be 1\.5"
    ):
        registry.build("evaluations", "identification", {"train_fraction": 1.5})
    with pytest.raises(ConfigError, match=r"methods 'dp_snow.face': replace_fraction must be at least 0.*-1"):
        registry.build("methods", "dp_snow.face", {"replace_fraction": -1})


def test_presets_are_defaults_that_can_be_overridden() -> None:
    assert registry.build("methods", "pixelation.8").size == 8
    assert registry.build("methods", "pixelation.8", {"size": 3}).size == 3


# --- plug-ins ---


def test_a_plugin_is_found_built_and_keeps_its_promises(site: Path) -> None:
    install(site)
    spec = registry.find("methods", "invert")
    assert (spec.owner, spec.target) == ("unveil-invert", "unveil_invert:Invert")
    check_component("methods", registry.build("methods", "invert", {"share": 0.25}))
    with pytest.raises(ConfigError, match=r"methods 'invert': share must lie between 0 and 1, not be 2"):
        registry.build("methods", "invert", {"share": 2})


def test_a_plugin_is_found_by_the_command_in_a_new_process(tmp_path: Path) -> None:
    install(tmp_path)
    command = [Path(sys.executable).with_name("unveil"), "list", "methods", "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    (row,) = [row for row in json.loads(done.stdout) if row["name"] == "invert"]
    assert row["status"] == "available" and row["owner"] == "unveil-invert"
    assert row["summary"].startswith("Turns colours into their complement")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import a_library_that_is_not_there\n", "No module named 'a_library_that_is_not_there'"),
        ("def broken(:\n", "SyntaxError"),
        ("raise RuntimeError('no device')\n", "RuntimeError: no device"),
        ("Other = 1\n", "has no attribute 'Method'"),
    ],
)
def test_a_broken_plugin_is_listed_as_unavailable_and_stops_nobody(site: Path, source: str, says: str) -> None:
    (site / "breaks.py").write_text(source)
    write_distribution(site, "unveil-breaks", "1", {"unveil.methods": {"breaks": "breaks:Method"}})
    rows = {row["name"]: row for row in list_components("methods")}
    assert says in rows["breaks"]["status"] and "unveil-breaks" in rows["breaks"]["status"]
    assert rows["pixelation"]["status"] == "available"
    assert registry.build("methods", "original") is not None
    with pytest.raises(Unavailable, match="methods 'breaks'"):
        registry.build("methods", "breaks")


def test_a_name_registered_twice_names_both_owners(site: Path) -> None:
    write_distribution(site, "unveil-copycat", "1", {"unveil.methods": {"mask": "copycat:Mask"}})
    with pytest.raises(ConfigError, match="'mask' is registered twice, by unveil and unveil-copycat"):
        registry.find("methods", "mask")
    write_distribution(site, "one", "1", {"unveil.metrics": {"mine": "a:A"}})
    write_distribution(site, "two", "1", {"unveil.metrics": {"mine": "b:B"}})
    with pytest.raises(
        ConfigError, match=r"metrics name 'mine' is registered twice, by (one and two|two and one)"
    ):
        registry.find("metrics", "mine")

"""The README, followed literally by a newcomer."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml

import unveil
from unveil import cli
from unveil.testing import check_method

REPOSITORY = Path(__file__).resolve().parents[2]
FACES = Path(unveil.__file__).parent / "datasets/data/sample_faces"


def blocks(language: str) -> list[str]:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_cache: Path) -> Path:
    """A newcomer's folder: photos by gender and identity, and protected ones beside them."""
    for gender in ("Female", "Male"):
        for person in sorted(FACES.glob(f"{gender}_*/*"))[::6]:
            for photo in sorted(person.glob("*.jpg"))[:4]:
                for place, source in (("photos", photo), ("protected", next(FACES.rglob("08.jpg")))):
                    target = tmp_path / place / gender / person.name / photo.name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(source.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNVEIL_CACHE", str(warm_cache))
    (tmp_path / "mine.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    return tmp_path


def commands() -> list[list[str]]:
    """The shell lines of "Evaluate your own method", as words."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^unveil (?:check|plan|run) [^#\n]+", text, re.MULTILINE)
    return [shlex.split(line) for line in lines]


def test_own_method_as_a_folder_and_as_a_class(folder, monkeypatch, capsys):
    asked = commands()
    assert [words[1] for words in asked] == ["check", "plan", "run"]
    for words in asked:
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code in (0, None), (words, capsys.readouterr())
    assert capsys.readouterr().out.strip().endswith("runs/mine/report/index.html")

    names: dict[str, object] = {}
    exec(compile(blocks("python")[0], "README.md", "exec"), names)
    check_method(names["Posterize"]())
    store = names["store"]
    assert set(store.read("protections")["method"]) == {"original", "pixelation", "my tool", "posterize"}


def test_the_command_of_the_readme_is_a_method():
    (entry,) = yaml.safe_load(blocks("yaml")[1])
    use = unveil.config.Use.model_validate(entry)
    assert use.use == "external.command"
    assert use.params["command"][-2:] == ["{input}", "{output}"]


def test_every_other_command_of_the_readme_exists():
    known = {command.name or command.callback.__name__ for command in cli.app.registered_commands}
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^unveil (\w+)", text, re.MULTILINE)) <= known

from __future__ import annotations

import os
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil.core.errors import DataError, Unavailable
from unveil.core.types import Failure, Image, Reason
from unveil.images import encode_png
from unveil.methods.external import Command, Folder

from .material import Context, picture, sample


def write(folder: Path, path: str, image: Image | bytes) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(image if isinstance(image, bytes) else encode_png(image))


def take(folder: Path, *ids: str, **params: Any) -> list[Image | Failure]:
    method = Folder(folder=str(folder), **params)
    return method.protect([picture(4, 4)] * len(ids), Context([sample(i) for i in ids]))


def reason(result: Image | Failure) -> Reason:
    assert isinstance(result, Failure)
    return result.reason


class TestFolder:
    def test_takes_the_picture_of_the_same_path_whatever_its_suffix(self, tmp_path: Path) -> None:
        image = picture(7, 9)
        write(tmp_path, "ann/1.png", image)
        write(tmp_path, "böb/2.v2.PNG", image)
        for result in take(tmp_path, "ann/1.jpg", "ann/1.png", "böb/2.v2.jpeg"):
            assert np.array_equal(result, image)

    def test_the_same_suffix_is_taken_first(self, tmp_path: Path) -> None:
        write(tmp_path, "a.png", picture(3, 3, 1))
        write(tmp_path, "a.bmp", picture(3, 3, 2))
        exact, unclear = take(tmp_path, "a.png", "a.jpg")
        assert np.array_equal(exact, picture(3, 3, 1))
        assert unclear == Failure(Reason.MISSING, "a.jpg: ambiguous: a.bmp, a.png")

    def test_suffixes_narrow_the_choice(self, tmp_path: Path) -> None:
        write(tmp_path, "a.png", picture(3, 3, 1))
        write(tmp_path, "a.bmp", picture(3, 3, 2))
        (result,) = take(tmp_path, "a.jpg", suffixes=[".bmp"])
        assert np.array_equal(result, picture(3, 3, 2))

    def test_what_is_not_there_is_missing(self, tmp_path: Path) -> None:
        write(tmp_path, "a.txt", b"no picture")
        assert take(tmp_path, "x/a.jpg", "a.jpg") == [
            Failure(Reason.MISSING, "x/a.jpg: no picture x/a.* in the folder"),
            Failure(Reason.MISSING, "a.jpg: no picture a.* in the folder"),
        ]

    def test_what_cannot_be_decoded_says_so(self, tmp_path: Path) -> None:
        write(tmp_path, "a.png", b"nonsense")
        write(tmp_path, "b.png", encode_png(picture(30, 30))[:-60])
        assert [reason(r) for r in take(tmp_path, "a.png", "b.png")] == [Reason.UNDECODABLE] * 2

    def test_never_leaves_the_folder(self, tmp_path: Path) -> None:
        inside = tmp_path / "inside"
        write(inside, "a.png", picture(3, 3))
        write(tmp_path, "secret.png", picture(3, 3))
        (inside / "link.png").symlink_to(tmp_path / "secret.png")
        (inside / "up").symlink_to(tmp_path)
        outside = ["../secret.png", str(tmp_path / "secret.png"), "link.png", "up/secret.png", "..", ".", "/"]
        assert [reason(r) for r in take(inside, *outside)] == [Reason.MISSING] * len(outside)

    def test_pipes_are_not_pictures(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "a.png")
        assert reason(take(tmp_path, "a.png")[0]) is Reason.MISSING
        Folder(folder=str(tmp_path)).content_fingerprint()

    def test_fingerprint_follows_the_content_and_not_the_place(self, tmp_path: Path) -> None:
        one, two = tmp_path / "one", tmp_path / "two"
        for folder in (one, two):
            write(folder, "a/b.png", picture(3, 3))
        os.utime(two / "a/b.png", (1, 1))
        first = Folder(folder=str(one))
        before = first.content_fingerprint()
        assert before == Folder(folder=str(two)).content_fingerprint()
        write(one, "a/b.png", picture(3, 3, seed=1))
        changed = first.content_fingerprint()
        write(one, "c.png", picture(3, 3))
        assert len({before, changed, first.content_fingerprint()}) == 3
        write(one, "notes.txt", b"does not count")
        assert first.content_fingerprint() == Folder(folder=str(one)).content_fingerprint()

    def test_wrong_parameters(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="there is no folder"):
            Folder(folder=str(tmp_path / "none"))
        with pytest.raises(ValueError, match="must begin with a dot, got 'png'"):
            Folder(folder=str(tmp_path), suffixes=["png"])
        with pytest.raises(ValueError, match="must be a list"):
            Folder(folder=str(tmp_path), suffixes=".png")


@pytest.fixture
def tool(tmp_path: Path) -> Any:
    """Makes a command from the body of a program that knows ``source`` and ``target``."""

    def make(body: str, **params: Any) -> Command:
        program = tmp_path / "tool.py"
        head = "import os, sys, time, subprocess\nfrom pathlib import Path\nfrom PIL import Image\n"
        head += "source, target = Path(sys.argv[1]), Path(sys.argv[2])\n"
        program.write_text(head + textwrap.dedent(body))
        return Command(command=[sys.executable, str(program), "{input}", "{output}"], **params)

    return make


INVERT = """
for file in sorted(source.rglob("*.png")):
    out = target / file.relative_to(source)
    out.parent.mkdir(parents=True, exist_ok=True)
    Image.open(file).point(lambda v: 255 - v).save(out)
"""


def run(command: Command, *ids: str) -> list[Image | Failure]:
    images = [picture(6, 8, seed=n) for n in range(len(ids))]
    return command.protect(images, Context([sample(i) for i in ids]))


class TestCommand:
    def test_gives_folders_and_takes_folders(self, tool: Any) -> None:
        results = run(tool(INVERT), "ann lee/1.jpg", "ann lee/1.png", "ö/2.jpeg")
        for number, result in enumerate(results):
            assert np.array_equal(result, 255 - picture(6, 8, seed=number))

    def test_output_may_have_another_format_and_size(self, tool: Any) -> None:
        (result,) = run(tool("Image.new('RGB', (3, 2)).save(target / 'a.jpg.bmp')"), "a.jpg")
        assert result.shape == (2, 3, 3)

    def test_no_output_is_missing(self, tool: Any) -> None:
        assert run(tool(""), "a.jpg") == [Failure(Reason.MISSING, "a.jpg.png: no picture a.jpg.* in the folder")]

    def test_a_status_other_than_zero_refuses_the_batch(self, tool: Any) -> None:
        # What a crashed program has left may be half written, or copied and not protected yet.
        body = INVERT + "sys.stderr.write(f'first\\nno licence for {source} \\n\\n')\nsys.exit(3)"
        refused = Failure(Reason.REFUSED, "the command returned 3: no licence for {input}")
        assert run(tool(body), "a.jpg", "b.jpg") == [refused, refused]

    def test_undecodable_output_says_so(self, tool: Any) -> None:
        (result,) = run(tool("(target / 'a.jpg.png').write_bytes(b'x')"), "a.jpg")
        assert reason(result) is Reason.UNDECODABLE

    def test_too_long_is_a_timeout_and_the_children_end_too(self, tool: Any, tmp_path: Path) -> None:
        sign = tmp_path / "alive"
        child = f"import time; time.sleep(2); open({str(sign)!r}, 'w')"
        command = tool(f"subprocess.Popen([sys.executable, '-c', {child!r}]).wait()", timeout_s=0.7)
        begin = time.monotonic()
        assert (
            run(command, "a.jpg", "b.jpg")
            == [Failure(Reason.TIMEOUT, "the command took longer than 0.7 s for the batch")] * 2
        )
        assert time.monotonic() - begin < 2
        time.sleep(2)
        assert not sign.exists()

    def test_is_no_shell(self, tmp_path: Path) -> None:
        code = "import sys; sys.exit(sys.argv[3] != '$(touch x); {z} *')"
        command = Command(command=[sys.executable, "-c", code, "{input}", "{output}", "$(touch x); {z} *"])
        assert reason(run(command, "a.jpg")[0]) is Reason.MISSING  # status 0: the argument came as it is

    def test_ids_that_lead_outside_are_not_written(self, tool: Any, tmp_path: Path) -> None:
        outside = tmp_path / "outside.jpg"
        body = INVERT + "import os\nassert sorted(os.listdir(source.parent)) == ['input', 'output']"
        good, *bad = run(tool(body), "a.jpg", "../x.jpg", str(outside))
        assert np.array_equal(good, 255 - picture(6, 8))
        assert [reason(r) for r in bad] == [Reason.MISSING] * 2
        assert not outside.with_name("outside.jpg.png").exists()

    def test_environment_is_added(self, tool: Any) -> None:
        body = "sys.stderr.write(os.environ['COLOR'] + str('PATH' in os.environ))\nsys.exit(1)"
        (result,) = run(tool(body, env={"COLOR": "blue"}), "a.jpg")
        assert isinstance(result, Failure)
        assert result.detail.endswith("blueTrue")

    def test_a_program_that_is_not_there_is_unavailable(self) -> None:
        with pytest.raises(Unavailable, match="no program 'no-such-tool'"):
            Command(command=["no-such-tool", "{input}", "{output}"])

    def test_fingerprint_follows_the_program(self, tool: Any) -> None:
        first = tool(INVERT).content_fingerprint()
        assert tool(INVERT).content_fingerprint() == first
        assert tool(INVERT + "#").content_fingerprint() != first

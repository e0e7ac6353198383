"""Methods that live elsewhere: pictures another tool has made, and a command that makes them.

Nothing here leaves its folder: a sample id that points outside (``../x``, an absolute path, a link) has no
picture. Commands are run without a shell.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from unveil.core.errors import DataError, Unavailable
from unveil.core.fingerprint import digest, file_hash
from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Failure, Image, Reason
from unveil.core.validation import number, text
from unveil.images import SUFFIXES, encode_png, read_image


class PictureFolder:
    """The pictures below a folder, found by path whatever their suffix.

    Args:
        root: the folder; read once, links that lead out of it are left out.
        suffixes: endings that count as pictures, lower case, with the dot.
    """

    def __init__(self, root: Path, suffixes: frozenset[str]) -> None:
        self._root = root.resolve()
        self._by_path: dict[str, list[str]] = {}
        found = (
            PurePosixPath((Path(folder) / name).relative_to(self._root).as_posix())
            for folder, _, names in os.walk(self._root)
            for name in names
        )
        self.paths = sorted(
            path.as_posix() for path in found if path.suffix.lower() in suffixes and self._inside(path)
        )
        for path in self.paths:
            self._by_path.setdefault(_bare(path), []).append(path)

    def _inside(self, path: PurePosixPath) -> bool:
        place = (self._root / path).resolve()
        return place.is_relative_to(self._root) and place.is_file()

    def read(self, path: str) -> Image | Failure:
        """The picture at exactly this path, or at this path with another suffix.

        Failures: ``missing`` where there is none, or several and none with the same suffix; else those of
        :func:`unveil.images.read_image`.
        """
        if (name := self.locate(path)) is not None:
            return read_image(self._root / name)
        found = self._by_path.get(_bare(path), [])
        rule = f"no picture {_bare(path)}.* in the folder" if not found else f"ambiguous: {', '.join(found)}"
        return Failure(Reason.MISSING, f"{path}: {rule}")

    def locate(self, path: str) -> str | None:
        """The path, relative to the folder, of the picture that :meth:`read` gives; None without one."""
        found = self._by_path.get(_bare(path), [])
        if path in found:
            return path
        return found[0] if len(found) == 1 else None


def _bare(path: str) -> str:
    return PurePosixPath(path).with_suffix("").as_posix() if PurePosixPath(path).name else path


class Folder:
    """Protected pictures that any other tool has made, matched by the sample's relative path.

    The suffix may differ from the original's, the size too. What the tool made no picture of is ``missing``.

    Args:
        folder: where the pictures are, laid out like the dataset.
        suffixes: endings that count, such as ``[".png"]``; None for every picture format.

    Raises:
        ValueError: for an empty folder name or a suffix without its dot.
        DataError: when the folder does not exist.
    """

    meta = MethodMeta(
        name="external.folder",
        version=1,
        scope="image",
        deterministic=True,
        source=Source("pictures made outside of unveil; name the tool in the run's notes"),
    )
    not_identity = ("folder",)

    def __init__(self, *, folder: str, suffixes: Sequence[str] | None = None) -> None:
        self.folder = text("folder", folder)
        if isinstance(suffixes, str):
            raise ValueError(f"suffixes must be a list of endings, got {suffixes!r}")
        if wrong := [s for s in suffixes or () if not s.startswith(".")]:
            raise ValueError(f"suffixes must begin with a dot, got {wrong[0]!r}")
        self.suffixes = None if suffixes is None else tuple(suffixes)
        self._endings = SUFFIXES if suffixes is None else frozenset(s.lower() for s in suffixes)
        if not Path(folder).is_dir():
            raise DataError(f"external.folder: there is no folder {folder!r}")
        self._pictures: PictureFolder | None = None

    @property
    def guarantee(self) -> Guarantee | None:
        """None: nothing is known about the tool."""
        return None

    def content_fingerprint(self) -> str:
        """Digest of every picture's path and SHA-256, part of the method's identity.

        Content and not time stamps, so that a copy of the folder on another machine is the same method
        and a changed picture is not. Costs one read of the folder, about a second per gigabyte.
        """
        root = Path(self.folder).resolve()
        # Not the listing that ``protect`` keeps: what is on disk now.
        paths = PictureFolder(root, self._endings).paths
        return digest("external.folder", [[path, file_hash(root / path)] for path in paths])

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """The tool's pictures; ``missing``, ``undecodable`` or ``too_large`` where there is none."""
        if self._pictures is None:
            self._pictures = PictureFolder(Path(self.folder), self._endings)
        return [self._pictures.read(sample.id) for sample in context.samples]


class Command:
    """A program that reads a folder of pictures and writes a folder of protected ones.

    Each batch is written to a new temporary folder as PNG, under the sample's relative path with ``.png``
    added (``a/b.jpg`` becomes ``a/b.jpg.png``, so that no two samples meet). The program leaves its pictures in
    the output folder under the same paths, in any picture format (``a/b.jpg.webp``).

    A picture without output is ``missing``. When the program returns something else than 0, the whole batch is
    ``refused``, with the last line it wrote to standard error: what it left may be half written, or not
    protected yet. When the time is up, the program and what it started are killed, and the whole batch fails
    with ``timeout``.

    Args:
        command: program and arguments; ``{input}`` and ``{output}`` stand for the two folders and must
            both appear. No shell: neither wildcards nor pipes.
        timeout_s: seconds for one batch, above 0.
        env: environment variables set in addition to the present ones.

    Raises:
        ValueError: for a parameter outside its range.
        Unavailable: when the program is not there.
    """

    meta = MethodMeta(
        name="external.command",
        version=1,
        scope="image",
        deterministic=False,  # nobody knows
        source=Source("a program outside of unveil; the command is part of the method's identity"),
    )

    def __init__(
        self, *, command: Sequence[str], timeout_s: float = 600.0, env: Mapping[str, str] | None = None
    ) -> None:
        if isinstance(command, str) or not command or not all(isinstance(c, str) for c in command):
            raise ValueError(f"command must be a list of texts, program first, got {command!r}")
        for placeholder in ("{input}", "{output}"):
            if not any(placeholder in part for part in command):
                raise ValueError(f"command must contain {placeholder}, got {list(command)!r}")
        self.command = tuple(command)
        self.timeout_s = number("timeout_s", timeout_s, above=0)
        self.env = None if env is None else dict(env)
        if not all(isinstance(part, str) for pair in (env or {}).items() for part in pair):
            raise ValueError(f"env must map texts to texts, got {env!r}")
        if shutil.which(command[0], path=self._environment().get("PATH")) is None:
            raise Unavailable(f"external.command: no program {command[0]!r}; install it or give its full path")

    @property
    def guarantee(self) -> Guarantee | None:
        """None: nothing is known about the program."""
        return None

    def content_fingerprint(self) -> str:
        """Digest of the files that the command names, program included, part of the method's identity."""
        program = shutil.which(self.command[0], path=self._environment().get("PATH"))
        named = [program or self.command[0], *self.command[1:]]
        return digest("external.command", [file_hash(Path(n)) if Path(n).is_file() else "" for n in named])

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """The program's pictures of one batch; see the class for the Failures."""
        with tempfile.TemporaryDirectory(prefix="unveil-") as folder:
            source, target = Path(folder, "input").resolve(), Path(folder, "output").resolve()
            source.mkdir()
            target.mkdir()
            for image, sample in zip(images, context.samples, strict=True):
                file = (source / f"{sample.id}.png").resolve()
                if file.is_relative_to(source):  # others get no output, hence a Failure
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(encode_png(image))
            code, complaint = self._run(source, target)
            if code is None:
                late = Failure(Reason.TIMEOUT, f"the command took longer than {self.timeout_s:g} s for the batch")
                return [late] * len(images)
            if code:
                said = complaint.replace(str(source), "{input}").replace(str(target), "{output}")
                return [Failure(Reason.REFUSED, f"the command returned {code}: {said}")] * len(images)
            made = PictureFolder(target, SUFFIXES)
            return [made.read(f"{sample.id}.png") for sample in context.samples]

    def _run(self, source: Path, target: Path) -> tuple[int | None, str]:
        """Exit status, None for a timeout, and the last line of standard error."""
        places = {"{input}": str(source), "{output}": str(target)}
        arguments = [_filled(part, places) for part in self.command]
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=self._environment(),
                start_new_session=True,
            )
            try:
                code = process.wait(self.timeout_s)
            except subprocess.TimeoutExpired:
                return None, ""
            finally:
                if process.poll() is None:  # out of time, or this run is being interrupted
                    _kill(process)
            errors.seek(0)
            lines = errors.read().decode(errors="replace").split("\n")
        return code, next((line.strip() for line in reversed(lines) if line.strip()), "no message")

    def _environment(self) -> dict[str, str]:
        return {**os.environ, **(self.env or {})}


def _filled(part: str, places: Mapping[str, str]) -> str:
    for placeholder, path in places.items():
        part = part.replace(placeholder, path)
    return part


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and everything in its session, and collect it."""
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()

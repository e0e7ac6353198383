"""The folder of a dataset: which pictures lie in it, and that no path leads out of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from unveil.core.errors import DataError
from unveil.images import SUFFIXES


class Tree:
    """A dataset's folder.

    Args:
        root: the folder; may itself be a link.
        name: of the dataset, for messages.

    Raises:
        DataError: when ``root`` is not a folder.
    """

    def __init__(self, root: Path, name: str) -> None:
        if not root.is_dir():
            raise DataError(f"{name}: root {str(root)!r} is not a folder")
        self.root = root
        self.name = name
        self._real = os.path.realpath(root)
        self._inside: dict[Path, bool] = {}  # most pictures share their folder with others

    def locate(self, relative: str, where: str) -> Path:
        """The file that ``relative`` names; it need not exist.

        Args:
            relative: path below the root, with ``/``.
            where: what names it (file and line), for the message.

        Raises:
            DataError: when the path is empty, absolute, not valid Unicode, or leads out of the root, be it by
                ``..`` or by a link.
        """
        pure = PurePosixPath(relative)
        if not pure.parts or "\0" in relative:
            raise DataError(f"{where}: {relative!r} is not the path of a file")
        if not _is_unicode(relative):
            raise DataError(f"{where}: the name {os.fsencode(relative)!r} is not valid UTF-8; rename the file")
        path = self.root / pure
        if pure.is_absolute() or ".." in pure.parts or not self._contains(path):
            raise DataError(f"{where}: path {relative!r} leads out of the dataset's folder {str(self.root)!r}")
        return path

    def _contains(self, path: Path) -> bool:
        folder = path.parent
        if folder not in self._inside:
            self._inside[folder] = self._leads_inside(folder)
        return self._inside[folder] and (not os.path.islink(path) or self._leads_inside(path))

    def _leads_inside(self, path: Path) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self._real)

    def pictures(self, under: str = "") -> Iterator[str]:
        """Paths of all files with the ending of a picture, relative to the root, sorted folder by folder.

        Hidden files (their names begin with a dot) and other endings are passed over.

        Args:
            under: a folder below the root to stay in.

        Raises:
            DataError: when a folder cannot be listed, a name is not valid UTF-8, a link leads out of the root,
                or a folder is a link (it could repeat pictures without end).
        """
        waiting = [(under, True)]
        while waiting:
            path, is_folder = waiting.pop()
            if is_folder:
                waiting += reversed(self._list(path))
            else:
                yield path

    def _list(self, folder: str) -> list[tuple[str, bool]]:
        found = []
        try:
            with os.scandir(self.root / folder) as listing:
                for item in sorted(listing, key=lambda item: item.name):
                    path = f"{folder}/{item.name}" if folder else item.name
                    is_folder = os.path.isdir(item.path)  # a link to nothing is a file that cannot be read
                    wanted = is_folder or os.path.splitext(item.name)[1].lower() in SUFFIXES
                    if item.name.startswith(".") or not wanted:
                        continue
                    if item.is_symlink() and is_folder:
                        raise DataError(
                            f"{self.name}: {path!r} is a link to a folder; put the folder itself there"
                        )
                    if item.is_symlink() or not _is_unicode(item.name):
                        self.locate(path, f"{self.name}: in the folder {folder!r}")
                    found.append((path, is_folder))
        except OSError as error:
            found_here = f"; found there: {self.contents()}" if not (self.root / folder).is_dir() else ""
            raise DataError(
                f"{self.name}: cannot list {folder!r} in {str(self.root)!r}: {error.strerror}{found_here}"
            ) from error
        return found

    def contents(self, most: int = 5) -> str:
        """The first names in the root, for messages about a wrong layout."""
        names = sorted(entry.name + "/" * entry.is_dir() for entry in os.scandir(self.root))
        more = f" and {len(names) - most} more" if len(names) > most else ""
        return ", ".join(names[:most]) + more if names else "nothing"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # bytes that the file system gave and UTF-8 does not know
        return False
    return True

"""What the names of folders and files say: ``{race}_{gender}/{identity}/{file}``."""

from __future__ import annotations

import re
from string import Formatter


class Pattern:
    """A layout of folders, written with placeholders.

    A placeholder stands for at least one character other than ``/``. ``{identity}``, ``{split}`` and ``{file}``
    have their meaning; others are attributes of the picture; one whose name begins with an underscore is
    passed over. A placeholder that comes twice must stand for the same text. Where a name can be cut in
    several places, the last one counts: ``{identity}_{file}`` cuts ``Ana_Maria_01.jpg`` before ``01.jpg``.

    Args:
        text: the layout, relative to the root. ``{file}`` comes once, in the last part.

    Raises:
        ValueError: when the text is no layout; names the rule and the text.

    >>> Pattern("{race}_{gender}/{identity}/{file}").read("asian_males/n000042/7.jpg")
    {'race': 'asian', 'gender': 'males', 'identity': 'n000042', 'file': '7.jpg'}
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._names: list[str] = []
        self.prefix = ""  # the fixed folders in front of the first placeholder
        try:
            pieces = list(Formatter().parse(text))
        except ValueError as error:
            raise ValueError(f"pattern {text!r}: {error}") from error
        expression = "".join(self._translate(*piece) for piece in pieces)
        if self._names.count("file") != 1 or "{file}" not in text.rpartition("/")[2]:
            raise ValueError(f"pattern {text!r}: must have {{file}} once, in the last part")
        if text.startswith("/") or {"", ".", ".."} & set(text.split("/")):
            raise ValueError(f"pattern {text!r}: must be relative to the root, without empty parts and '..'")
        if pieces[0][1] is not None:
            self.prefix = pieces[0][0].rpartition("/")[0]
        self._regex = re.compile(expression)

    def _translate(self, literal: str, name: str | None, form: str | None, conversion: str | None) -> str:
        if name is None:
            return re.escape(literal)
        if form or conversion or not name.isidentifier():
            raise ValueError(f"pattern {self.text!r}: {name!r} must be a plain name in braces")
        if self._names and not literal:
            raise ValueError(f"pattern {self.text!r}: needs text between {self._names[-1]!r} and {name!r}")
        repeated = name in self._names
        self._names.append(name)
        return re.escape(literal) + (f"(?P={name})" if repeated else f"(?P<{name}>[^/]+)")

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the placeholders that are attributes, in order."""
        special = ("identity", "split", "file")
        return tuple(dict.fromkeys(n for n in self._names if n not in special and not n.startswith("_")))

    @property
    def has_identity(self) -> bool:
        """Whether the layout says who is shown."""
        return "identity" in self._names

    def read(self, path: str) -> dict[str, str] | None:
        """Placeholder -> text in this path; None when the path does not fit."""
        match = self._regex.fullmatch(path)
        return {n: t for n, t in match.groupdict().items() if not n.startswith("_")} if match else None

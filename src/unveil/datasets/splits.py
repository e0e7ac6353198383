"""Which of the published splits are read."""

from __future__ import annotations

from collections.abc import Iterable


def choose_splits(split: str, published: Iterable[str]) -> tuple[str, ...]:
    """The splits that the parameter ``split`` chooses.

    Args:
        split: one of those published, or ``all``.
        published: their names.

    Raises:
        ValueError: for any other word.
    """
    names = tuple(published)
    if split == "all":
        return names
    if split not in names:
        raise ValueError(f"split must be {', '.join(names)} or all, not {split!r}")
    return (split,)

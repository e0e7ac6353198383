"""A smaller dataset that still has every group: whole people, taken in turn from each group."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from unveil.core.protocols import Entry


def check_count(name: str, value: int | None, minimum: int = 1) -> None:
    """Check a parameter that counts something; None means no limit.

    Raises:
        ValueError: when it is neither None nor an integer of at least ``minimum``.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < minimum):
        raise ValueError(f"{name} must be an integer of at least {minimum}, not {value!r}")


def first_identities(entries: Sequence[Entry], limit: int | None, groupings: Sequence[str]) -> list[Entry]:
    """All pictures of the first ``limit`` people.

    People come in the order of their first picture, one from each group in turn, so that a small limit keeps
    every group. A picture without identity counts as a person of its own.

    Args:
        entries: the whole dataset.
        limit: how many people; None keeps all.
        groupings: attributes whose combined values are the groups; a person's group is that of the first
            picture.
    """
    if limit is None:
        return list(entries)
    groups: dict[tuple[str, ...], int] = {}
    turn: dict[str, int] = {}  # person -> place in the own group
    for entry in entries:
        person = entry.identity or entry.path
        if person not in turn:
            group = tuple(entry.attributes.get(name, "") for name in groupings)
            turn[person] = groups[group] = groups.get(group, -1) + 1
    chosen = set(sorted(turn, key=turn.__getitem__)[:limit])  # sorting is stable: group after group in a turn
    return [entry for entry in entries if (entry.identity or entry.path) in chosen]


def first_of_each_split(entries: Sequence[Entry], limit: int | None, groupings: Sequence[str]) -> list[Entry]:
    """The first ``limit`` pictures of each split, one from each group in turn, in the order of ``entries``.

    Args:
        entries: the whole dataset.
        limit: how many pictures of a split; None keeps all.
        groupings: attributes whose combined values are the groups.
    """
    if limit is None:
        return list(entries)
    groups: Counter[tuple[str, ...]] = Counter()
    turns: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for entry in entries:
        group = (entry.split, *(entry.attributes.get(name, "") for name in groupings))
        turns[entry.split].append((groups[group], entry.path))
        groups[group] += 1
    chosen = {
        path for split in turns.values() for _, path in sorted(split, key=lambda turn: turn[0])[:limit]
    }  # sorting is stable
    return [entry for entry in entries if entry.path in chosen]

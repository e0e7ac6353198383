"""HR-VISPR out of VISPR's annotations in five steps; pure functions over a table of pictures.

1. visual content only; 2. confusing samples out, partial and complete merged; 3. thirteen labels reused; 4. five
clothing labels added; 5. labels corrected. Which attribute is what: :mod:`unveil.datasets.hr_vispr_mapping`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from unveil.core.errors import DataError
from unveil.core.fingerprint import digest
from unveil.datasets.hr_vispr_mapping import CLOTHING, LEFT_OUT, REUSED
from unveil.datasets.selection import check_count
from unveil.datasets.sheets import Sheet
from unveil.datasets.vispr import SPLITS
from unveil.datasets.vispr_attributes import SAFE

SAFE_PICTURES = 788
"""Safe training pictures of HR-VISPR."""

_VALIDATION, _TEST = 1000, 2000  # pictures of HR-VISPR's splits
_HUMAN = frozenset(attribute for attributes in REUSED.values() for attribute in attributes)


@dataclass(frozen=True, slots=True)
class Row:
    """One picture on its way.

    Attributes:
        id: such as ``2017_10001018``.
        folder: VISPR's split: ``train2017``, ``val2017`` or ``test2017``.
        attributes: VISPR's, by id; after step 3 the labels of HR-VISPR.
        safe: whether it shows nothing private.
        split: ``train``, ``validation`` or ``test``.
        looked_at: whether somebody decided about clothing.
    """

    id: str
    folder: str
    attributes: frozenset[str]
    safe: bool = False
    split: str = ""
    looked_at: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What one step did.

    Attributes:
        number: 0 for what there was, 1 to 5, 6 for the division into splits.
        title: what it does.
        kept: pictures after it, by split.
        dropped: why -> pictures.
        changed: what -> pictures that it changed and kept.
        labels: label (attribute before step 3) -> positive pictures after it.
    """

    number: int
    title: str
    kept: Mapping[str, int]
    dropped: Mapping[str, int]
    changed: Mapping[str, int]
    labels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Derivation:
    """The result.

    Attributes:
        rows: pictures by VISPR's split and id; their ``attributes`` are labels of HR-VISPR.
        steps: what each step kept, dropped and changed.
        safe_candidates: safe pictures of VISPR's train split that were left to choose from.
    """

    rows: tuple[Row, ...]
    steps: tuple[Step, ...]
    safe_candidates: int


def derive(
    annotations: Mapping[tuple[str, str], frozenset[str]],
    sheets: Sequence[Sheet] = (),
    *,
    safe: int | None = SAFE_PICTURES,
    division: Literal["vispr", "hr_vispr"] = "vispr",
) -> Derivation:
    """Derive HR-VISPR.

    Args:
        annotations: (VISPR's split, picture's id) -> VISPR's attributes.
        sheets: clothing labels, corrections and pictures to drop; where two decide about the same, the later
            counts. Without any, the five clothing labels stay without a positive picture.
        safe: so many safe pictures of VISPR's train split are taken into training, drawn by a hash of their ids;
            None takes all.
        division: ``vispr`` leaves every picture in its split, so that models trained on VISPR were not trained
            on test pictures; ``hr_vispr`` draws 1,000 validation and 2,000 test pictures by a hash of their ids.
            Which ones HR-VISPR has is not published; its test split holds pictures of all three splits of VISPR.

    Raises:
        ValueError: for ``safe`` or ``division``. DataError: when a sheet names none of the pictures, or too few
            are left for the division.
    """
    check_count("safe", safe, minimum=0)
    if division not in ("vispr", "hr_vispr"):
        raise ValueError(f"division must be vispr or hr_vispr, not {division!r}")
    rows = [
        Row(name, folder, attributes, split=SPLITS[folder])
        for (folder, name), attributes in sorted(annotations.items())
    ]
    for sheet in sheets:
        if not sheet.decided.keys() & {row.id for row in rows}:
            raise DataError(f"{sheet.name}: names none of the {len(rows)} pictures")
    steps = [_report(0, "annotations of VISPR", rows, [])]
    dropped_by_people = frozenset().union(*(sheet.dropped for sheet in sheets))
    for number, (title, step) in enumerate(
        (
            ("visual content only", _visual_content),
            ("confusing samples out, partial and complete merged", lambda row: _clear(row, dropped_by_people)),
            ("thirteen labels of people reused", _reuse),
            ("five clothing labels added", lambda row: _decide(row, sheets, clothing=True)),
            ("labels corrected", lambda row: _decide(row, sheets, clothing=False)),
        ),
        start=1,
    ):
        rows, told = _apply(rows, step)
        steps.append(_report(number, title, rows, told))
    candidates = sum(row.safe and row.split == "train" for row in rows)
    rows, told = _divide(rows, safe, division)
    steps.append(_report(6, f"safe pictures chosen, division as in {division}", rows, told))
    return Derivation(tuple(sorted(rows, key=lambda row: (row.folder, row.id))), tuple(steps), candidates)


@dataclass(frozen=True, slots=True)
class _Dropped:
    why: str


_Result = tuple[Row, str] | _Dropped  # the row and what was changed, "" for nothing


def _apply(rows: Sequence[Row], step: Callable[[Row], _Result]) -> tuple[list[Row], list[_Dropped | str]]:
    results = [step(row) for row in rows]
    kept = [result[0] for result in results if not isinstance(result, _Dropped)]
    return kept, [result if isinstance(result, _Dropped) else result[1] for result in results]


def _report(number: int, title: str, rows: Sequence[Row], told: Iterable[_Dropped | str]) -> Step:
    told = list(told)
    labels = Counter(attribute for row in rows for attribute in row.attributes)
    return Step(
        number,
        title,
        {split: sum(row.split == split for row in rows) for split in SPLITS.values()},
        dict(Counter(what.why for what in told if isinstance(what, _Dropped)).most_common()),
        dict(Counter(what for what in told if isinstance(what, str) and what).most_common()),
        dict(sorted(labels.items(), key=lambda item: (-item[1], item[0]))),
    )


def _visual_content(row: Row) -> _Result:
    """Step 1: documents and text out."""
    found = next((attribute for attribute in LEFT_OUT if attribute in row.attributes), "")
    return _Dropped(f"{found}: {LEFT_OUT[found]}") if found else (row, "")


def _clear(row: Row, dropped: frozenset[str]) -> _Result:
    """Step 2: what contradicts itself or shows nobody out; partial and complete merged."""
    if row.id in dropped:
        return _Dropped("its content does not show its labels, says a sheet")
    if SAFE in row.attributes:
        if len(row.attributes) > 1:
            return _Dropped("annotated as safe and as private at once")
        return replace(row, safe=True), ""
    if not row.attributes & _HUMAN:
        return _Dropped("no attribute of a person")
    merged = set(row.attributes)
    changed = []
    for label, parts in REUSED.items():
        if len(parts) > 1 and merged & set(parts):
            merged = (merged - set(parts)) | {label}
            changed.append(label)
    return replace(row, attributes=frozenset(merged)), " and ".join(changed)


def _reuse(row: Row) -> _Result:
    """Step 3: only the 13 labels stay, under their new names."""
    names = {attribute: label for label, parts in REUSED.items() for attribute in (label, *parts)}
    return replace(row, attributes=frozenset(names[a] for a in row.attributes if a in names)), ""


def _decide(row: Row, sheets: Sequence[Sheet], *, clothing: bool) -> _Result:
    """Steps 4 and 5: what people decided about clothing, then about the other labels."""
    decided: dict[str, bool] = {}
    for sheet in sheets:
        decided |= {k: v for k, v in sheet.decided.get(row.id, {}).items() if (k in CLOTHING) == clothing}
    added = {label for label, shown in decided.items() if shown and label not in row.attributes}
    removed = {label for label, shown in decided.items() if not shown and label in row.attributes}
    if row.safe and added:
        return _Dropped(f"safe by VISPR, but {min(added)} by a sheet")
    labels = frozenset((row.attributes | added) - removed)
    if not clothing and not row.safe and not labels:
        return _Dropped("no label is left")
    told = [f"+ {label}" for label in sorted(added)] + [f"- {label}" for label in sorted(removed)]
    looked_at = row.looked_at or (clothing and bool(decided))
    return replace(row, attributes=labels, looked_at=looked_at), ", ".join(told)


def _divide(rows: Sequence[Row], safe: int | None, division: str) -> tuple[list[Row], list[_Dropped | str]]:
    """Which safe pictures are taken, and the splits."""
    training = sorted((row.id for row in rows if row.safe and row.split == "train"), key=digest)
    chosen = set(training[:safe])
    people = sorted((row.id for row in rows if not row.safe), key=digest)
    if division == "hr_vispr" and len(people) <= _VALIDATION + _TEST:
        raise DataError(f"{len(people)} pictures of people are too few for {_VALIDATION} + {_TEST} and training")
    drawn = dict.fromkeys(people, "train") | dict.fromkeys(people[: _TEST + _VALIDATION], "validation")
    drawn |= dict.fromkeys(people[:_TEST], "test")
    kept: list[Row] = []
    told: list[_Dropped | str] = []
    for row in rows:
        if row.safe and row.id not in chosen:
            told.append(_Dropped("safe, not among those taken into training"))
        elif row.safe:
            kept.append(replace(row, attributes=frozenset()))
        else:
            kept.append(replace(row, split=drawn[row.id] if division == "hr_vispr" else row.split))
    return kept, told

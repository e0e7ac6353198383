"""The part of a dataset about the quality of its pictures, ready for the page: faces and scenes alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting import bias
from unveil.reporting.compared import Compared
from unveil.reporting.groups import group_figures
from unveil.reporting.number import Number
from unveil.reporting.picture_quality.columns import QualityColumn, Unchanged, columns, quality_frame, unchanged
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.tables import spread
from unveil.reporting.writer import Shown, Writer

_BY_GROUP = ("ssim", "perceptual_difference", "fid", "landmark_failure_rate")


@dataclass(frozen=True, slots=True)
class FidSuccess:
    """FairDeFace's success of each group by one encoder, in one grouping.

    Attributes:
        title: of the FID that it is made of.
        grouping: such as ``gender+race``; ``groups`` in the order of the table.
        numbers: method -> group -> success, NaN where every group has the originals.
        details: method -> against which group.
        biases: rows of the average and demographic bias; there are no verdicts, since it has no interval.
    """

    title: str
    grouping: str
    groups: Sequence[str]
    numbers: Mapping[str, Mapping[str, Number]]
    details: Mapping[str, str]
    biases: Sequence[bias.BiasRow]


@dataclass(frozen=True, slots=True)
class PictureQuality:
    """Everything about the pictures of one dataset; ``key`` starts the names of its figures, tables and anchors.

    Attributes:
        key: see above.
        columns: of the table of methods.
        methods: its rows.
        unchanged: methods whose pictures are the originals, or are to an encoder -> who tells so.
        groups: grouping -> figures.
        successes: of FID by group.
    """

    key: str
    columns: Sequence[QualityColumn]
    methods: Sequence[str]
    unchanged: Mapping[str, Unchanged]
    groups: Mapping[str, Sequence[Shown]]
    successes: Sequence[FidSuccess]

    @property
    def metrics(self) -> set[str]:
        """What was measured."""
        return {column.metric for column in self.columns}


def picture_quality(results: Results, label: str, key: str, writer: Writer) -> PictureQuality | None:
    """Write figures and tables of one dataset and return what its page shows; None when nothing was measured."""
    found = columns(results, label)
    if not found:
        return None
    by_encoder = [_success_measure(column) for column in found if column.metric == "fid"]
    judged = bias.bias_tables(results, label, by_encoder)
    successes = list(_successes(results, label, by_encoder, judged))
    writer.table(f"{key}_measures", quality_frame(label, found))
    if successes:
        writer.table(f"{key}_fid_success", _success_frame(label, successes))
        biased = bias.bias_frame(label, judged).drop(columns=["where", "pairs_beyond_chance", "pairs"])
        writer.table(f"{key}_fid_bias", biased.assign(measure="success by " + biased["measure"]))
    return PictureQuality(
        key=key,
        columns=found,
        methods=[m for m in results.methods(label) if any(m in column.numbers for column in found)],
        unchanged=unchanged(found),
        groups=group_figures(results, label, list(_drawn(found)), key, writer),
        successes=successes,
    )


def _drawn(found: Sequence[QualityColumn]) -> Iterator[Compared]:
    """Likeness, FID and lost landmarks of the protected pictures: those of originals are known before."""
    for metric in _BY_GROUP:
        for column in found:
            if column.metric == metric:
                protected = {method: place for method, place in column.places.items() if method != ORIGINAL}
                share = all(number.share for number in column.numbers.values())
                yield Compared(column.title, "", metric, protected, share=share)


def _success_measure(column: QualityColumn) -> Compared:
    protected = {method: place for method, place in column.places.items() if method != ORIGINAL}
    return Compared(column.title, "", "fid_success", protected)


def _successes(
    results: Results, dataset: str, measures: Sequence[Compared], judged: Sequence[bias.BiasTable]
) -> Iterator[FidSuccess]:
    biases = {(table.title, grouping): rows for table in judged for grouping, rows in table.sections.items()}
    for measure in measures:
        cells = {cell: method for method, (cell, _) in measure.places.items()}
        rows = results.select("measures", dataset=dataset, metric="fid_success")
        rows = rows[rows["cell_id"].isin(cells)]
        for grouping, mine in rows.groupby("grouping", sort=False):
            numbers: dict[str, dict[str, Number]] = {}
            for _, row in mine.iterrows():
                numbers.setdefault(row["method"], {})[row["group"]] = Number.of(row)
            details = mine.drop_duplicates("method").set_index("method")["detail"].to_dict()
            groups = sorted(mine["group"].unique())
            told = biases.get((measure.title, str(grouping)), ())
            yield FidSuccess(measure.title, str(grouping), groups, numbers, details, told)


def _success_frame(dataset: str, successes: Sequence[FidSuccess]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"dataset": dataset, "measure": f"success by {s.title}", "grouping": s.grouping, "method": method,
             "group": group, **spread("value", number), "detail": s.details[method]}
            for s in successes
            for method, groups in s.numbers.items()
            for group, number in groups.items()
        ]
    )  # fmt: skip

"""What was measured of the pictures: one column per quantity and the model that it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.metrics.kid import SAME
from unveil.reporting.compared import Place, places
from unveil.reporting.number import Number
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.tables import spread
from unveil.reporting.wording import models

_FAMILIES: Sequence[Mapping[str, str]] = (
    {"passing_rate": "Passing"},
    {"ssim": "SSIM", "psnr": "PSNR, dB", "sharpness": "Sharpness"},
    {"perceptual_difference": "Perceptual difference ({})"},
    {"fid": "FID ({})", "kid": "KID ({})"},
    {"landmark_failure_rate": "Landmarks lost ({})", "landmark_error": "NME of faces still found ({})"},
    {"detection_rate": "Faces detected ({})"},
)
"""Metrics that belong together, by one evaluation and component, with their titles: NME never stands alone."""

_FAMILY_OF = {metric: family for family in _FAMILIES for metric in family}
_SHARES = frozenset({"landmark_failure_rate", "detection_rate", "passing_rate"})
_ELSEWHERE = frozenset({"detection_rate", "passing_rate"})
_INTERVALS = ("every replicate is the same", "all persons agree")
_TOO_SHARP = "sharper than the originals: borders of pixels and noise count as sharp, so this is no gain"
_UNCHANGED_DB = 100.0
"""PSNR of a picture that is its original; the mean reaches it when all are."""


@dataclass(frozen=True, slots=True)
class QualityColumn:
    """One quantity of every method.

    Attributes:
        metric: registered name; ``title`` names the model, too, since it is part of the number's name.
        starts: it is the first of those that belong together.
        higher_is_better: which direction is good.
        numbers: method -> value; ``places``: method -> where it stands.
        remarks: what the metric says of its own values -> the methods of which it says so.
        unchanged: methods of whose pictures it says that they are the originals, PSNR of what they are, FID
            and KID of what their encoder sees.
    """

    metric: str
    title: str
    starts: bool
    higher_is_better: bool
    numbers: Mapping[str, Number]
    places: Mapping[str, Place]
    remarks: Mapping[str, Sequence[str]]
    unchanged: Sequence[str]


def columns(results: Results, dataset: str) -> list[QualityColumn]:
    """Every quantity of the pictures of a dataset; none when only detection and passing are known."""
    everybody = results.select("measures", dataset=dataset, grouping="")
    found = [column for family in _FAMILIES for column in _of_family(everybody, family)]
    return found if any(column.metric not in _ELSEWHERE for column in found) else []


def _of_family(everybody: pd.DataFrame, family: Mapping[str, str]) -> Iterator[QualityColumn]:
    rows = everybody[everybody["metric"].isin(family)]
    several = rows.drop_duplicates(["evaluation", "component"])["component"].duplicated().any()
    for (evaluation, component), mine in rows.groupby(["evaluation", "component"], sort=False):
        name = ", ".join(filter(None, (models(component), evaluation if several else "")))
        for metric, title in family.items():
            if len(here := mine[mine["metric"] == metric]):
                yield _column(metric, title.format(name), here)


def _column(metric: str, title: str, rows: pd.DataFrame) -> QualityColumn:
    remarks: dict[str, list[str]] = {}
    unchanged = []
    before = rows.loc[rows["method"] == ORIGINAL, "value"].max()
    for row in rows[rows["method"] != ORIGINAL].to_dict("records"):
        said = [text for text in row["detail"].split("; ") if text and not text.startswith(_INTERVALS)]
        if SAME in said or (metric == "psnr" and row["value"] >= _UNCHANGED_DB):
            unchanged.append(row["method"])
        if metric == "sharpness" and row["value"] > before:
            said.append(_TOO_SHARP)
        if said:
            remarks.setdefault("; ".join(said), []).append(row["method"])
    return QualityColumn(
        metric,
        title,
        next(iter(_FAMILY_OF[metric])) == metric,
        bool(rows["higher_is_better"].iloc[0]),
        {row["method"]: Number.of(row, share=metric in _SHARES) for _, row in rows.iterrows()},
        places(rows),
        remarks,
        unchanged,
    )


@dataclass(frozen=True, slots=True)
class Unchanged:
    """What tells that a method changed nothing.

    Attributes:
        titles: of the columns that tell so.
        sure: pixel by pixel; else only to an encoder, and one that sees no colours says so of grey pictures, too.
    """

    titles: Sequence[str]
    sure: bool

    @property
    def text(self) -> str:
        """What is the case, without a full stop."""
        by = " and ".join(self.titles)
        if self.sure:
            return f"the protected pictures are the originals ({by}): nobody is protected by it"
        return (
            f"to the encoder of {by} the protected pictures are the originals: these numbers are no merit, and "
            "nobody may be protected; an encoder does not see every change, such as of colours"
        )


def unchanged(found: Sequence[QualityColumn]) -> dict[str, Unchanged]:
    """Methods of which a column tells that they changed nothing."""
    told: dict[str, list[QualityColumn]] = {}
    for column in found:
        for method in column.unchanged:
            told.setdefault(method, []).append(column)
    return {
        method: Unchanged([column.title for column in by], any(column.metric == "psnr" for column in by))
        for method, by in told.items()
    }


def quality_frame(dataset: str, found: Sequence[QualityColumn]) -> pd.DataFrame:
    """All columns as one flat frame, for CSV."""
    return pd.DataFrame(
        [
            {"dataset": dataset, "method": method, "measure": column.title, "metric": column.metric,
             "higher_is_better": column.higher_is_better, **spread("value", number), "excluded": number.excluded,
             "remark": "; ".join(text for text, methods in column.remarks.items() if method in methods)}
            for column in found
            for method, number in column.numbers.items()
        ]
    )  # fmt: skip

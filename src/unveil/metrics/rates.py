"""Rates: shares of an evaluation's rows, each with its meaning and its direction.

A rate is two masks over the rows. That is all that counting, grouping and resampling need. Rates of an
attack read the column ``outcome`` (:mod:`unveil.metrics.outcomes`).

========================================  =======================================================
rate                                      rows that count / rows that are looked at
========================================  =======================================================
``passing_rate``                          a protected picture exists / all but errors
``detection_rate``                        at least one face / protected pictures
``recognition_rate``                      recognised / compared, mated
``obfuscation_success_rate_conditional``  not recognised / compared, mated (the published form)
``obfuscation_success_rate_overall``      not recognised or no face found / attempted, mated
``exposure_rate``                         recognised or not protected / all photos, mated
``non_acquisition_rate``                  no face found / attempted, mated
``stranger_rejection_rate_conditional``   not recognised / compared, non-mated: the floor
``stranger_rejection_rate_overall``       not recognised or no face found / attempted, non-mated
``comparison_rate``                       both faces found / pairs
========================================  =======================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.types import Outcome
from unveil.metrics.bootstrap import resample_rate
from unveil.metrics.kind import Columns, Mask, Sampled, everyone, no_draws, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import (
    EXPOSURE,
    NON_ACQUISITION,
    OSR_CONDITIONAL,
    OSR_OVERALL,
    RECOGNITION,
    OutcomeShare,
    is_mated,
    numbers,
)

_FAIRDEFACE = Source("FairDeFace (face obfuscation: fairness and adversarial robustness)")
_ACCOUNTING = Source("docs/definitions.md, accounting of outcomes")


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of rows.

    Attributes:
        meta: name, direction, source.
        numerator: rows that count; only those inside ``denominator`` are used.
        denominator: rows that are looked at.
        population: rows that the rate is about at all, such as the mated ones; those of them that are not
            in the denominator are reported as excluded.
    """

    meta: MetricMeta
    numerator: Mask
    denominator: Mask
    population: Mask = everyone

    replicates: ClassVar[int] = 1000
    proportion: ClassVar[bool] = True
    by_row: ClassVar[bool] = False

    def columns(self, frame: pd.DataFrame) -> Columns:
        """Which rows count."""
        return {"counts": self.numerator(frame)}

    def value(self, frame: pd.DataFrame) -> float:
        """The rate in [0, 1]; NaN when no row is looked at."""
        denominator = self.denominator(frame)
        total = np.count_nonzero(denominator)
        return np.count_nonzero(self.numerator(frame) & denominator) / total if total else float("nan")

    def assess(
        self, columns: Columns, person: NDArray[np.int64], rng: np.random.Generator, replicates: int
    ) -> Sampled:
        """Share and bootstrap (:meth:`unveil.metrics.kind.Metric.assess`)."""
        counts = columns["counts"]
        if not len(counts):
            return Sampled(float("nan"), no_draws(replicates))
        return Sampled(float(counts.mean()), resample_rate(counts, person, rng, replicates))


def _meta(
    name: str, title: str, reads: tuple[str, ...], *, higher_is_better: bool, source: Source = _FAIRDEFACE
) -> MetricMeta:
    return MetricMeta(name, 1, title, reads, higher_is_better, "share", source)


def _of_outcomes(meta: MetricMeta, share: OutcomeShare, *, mated: bool = True) -> Rate:
    def population(frame: pd.DataFrame) -> NDArray[np.bool_]:
        return is_mated(frame) if mated else ~is_mated(frame)

    def ended_in(outcomes: frozenset[Outcome]) -> Mask:
        values = [outcome.value for outcome in outcomes]
        return lambda frame: frame["outcome"].isin(values).to_numpy(dtype=np.bool_) & population(frame)

    return Rate(meta, ended_in(share.numerator), ended_in(share.denominator), population)


PASSING_RATE = Rate(
    _meta("passing_rate", "Passing rate", (), higher_is_better=True),
    numerator=with_status("ok", "not_acquired"),
    denominator=with_status("ok", "not_acquired", "not_protected"),
)
"""Pictures for which the method gave a result / pictures attempted. For frames with a row per picture."""

DETECTION_RATE = Rate(
    _meta("detection_rate", "Face detection rate", ("n_faces",), higher_is_better=True),
    numerator=lambda frame: numbers(frame, "n_faces") >= 1,
    denominator=with_status("ok", "not_acquired"),
)
"""Protected pictures with at least one face / protected pictures. Read as image quality: a picture of a
person should still look like one. Hiding from the detector is counted by the rates of the attacks."""

RECOGNITION_RATE = _of_outcomes(
    _meta("recognition_rate", "Recognition rate", ("outcome",), higher_is_better=False), RECOGNITION
)
"""Recognised / compared mated attempts (TPR): 1 - conditional OSR. For originals, the recognizer's success."""

OBFUSCATION_SUCCESS_RATE_CONDITIONAL = _of_outcomes(
    _meta("obfuscation_success_rate_conditional", "OSR (faces found)", ("outcome",), higher_is_better=True),
    OSR_CONDITIONAL,
)
"""Not recognised / compared mated attempts: the published form, blind to pictures without a found face."""

OBFUSCATION_SUCCESS_RATE_OVERALL = _of_outcomes(
    _meta(
        "obfuscation_success_rate_overall",
        "OSR (all attempted)",
        ("outcome",),
        higher_is_better=True,
        source=_ACCOUNTING,
    ),
    OSR_OVERALL,
)
"""Not recognised or not acquired / mated attempts."""

EXPOSURE_RATE = _of_outcomes(
    _meta("exposure_rate", "Exposure", ("outcome",), higher_is_better=False, source=_ACCOUNTING), EXPOSURE
)
"""Recognised or left unprotected / all photos: what a person in the data set really faces."""

NON_ACQUISITION_RATE = _of_outcomes(
    _meta(
        "non_acquisition_rate",
        "No face for the attacker",
        ("outcome",),
        higher_is_better=True,
        source=_ACCOUNTING,
    ),
    NON_ACQUISITION,
)
"""Not acquired / mated attempts: how much of the overall OSR is due to the attacker's detector."""

STRANGER_REJECTION_RATE_CONDITIONAL = _of_outcomes(
    _meta(
        "stranger_rejection_rate_conditional",
        "Strangers told apart (faces found)",
        ("outcome", "mated"),
        higher_is_better=True,
        source=_ACCOUNTING,
    ),
    OSR_CONDITIONAL,
    mated=False,
)
"""The floor of the conditional OSR: the same share for two different people. No method can do better."""

STRANGER_REJECTION_RATE_OVERALL = _of_outcomes(
    _meta(
        "stranger_rejection_rate_overall",
        "Strangers told apart (all attempted)",
        ("outcome", "mated"),
        higher_is_better=True,
        source=_ACCOUNTING,
    ),
    OSR_OVERALL,
    mated=False,
)
"""The floor of the overall OSR."""

COMPARISON_RATE = Rate(
    _meta("comparison_rate", "Pairs compared", (), higher_is_better=False, source=_ACCOUNTING),
    numerator=with_status("ok"),
    denominator=with_status("ok", "not_acquired", "error"),
)
"""Pairs in which both faces were found / pairs: how much of the photos an attacker gets hold of at all."""


def cmc(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Cumulative match characteristic over the attempted probes.

    Args:
        frame: ``status``, ``rank`` (1 = first) and ``gallery_size``.

    Returns:
        float64 (largest gallery,): element k - 1 is the share of attempted probes whose right identity is
        among the first k. A probe without a face (``not_acquired``) is attempted and never found. NaN
        when nothing was attempted. Source: ISO/IEC 19795-1.
    """
    status, rank = frame["status"], numbers(frame, "rank")
    found = (status == "ok").to_numpy(dtype=np.bool_) & ~np.isnan(rank)
    attempted = np.count_nonzero(found) + np.count_nonzero(status == "not_acquired")
    size = int(np.nanmax(numbers(frame, "gallery_size"), initial=0))
    if not attempted:
        return np.full(size, np.nan)
    counts = np.bincount(rank[found].astype(np.int64), minlength=size + 1)
    return np.cumsum(counts[1 : size + 1]) / attempted

"""Decision thresholds with their provenance: a threshold without one is a number that nobody can check.

Policies, as a configuration writes them:

- ``f1``: maximises F1 on original mated and non-mated pairs (FairDeFace; the default);
- ``fmr=0.01``: accepts as many pairs as it can while the false match rate on original non-mated pairs
  stays at or below 0.01;
- ``group_fmr=0.01``: the same inside each demographic group;
- ``fixed=0.35``: a given similarity;
- ``customary``: what the recognizer's authors recommend.

Computed thresholds lie half-way between two observed similarities, so that the last bit of a similarity
never changes a decision.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.metrics.intervals import clopper_pearson
from unveil.metrics.outcomes import is_mated, numbers
from unveil.metrics.ranking import Roc, f1_curve, roc

PolicyKind = Literal["f1", "fmr", "group_fmr", "fixed", "customary"]
_WITH_NUMBER = ("fmr", "group_fmr", "fixed")


@dataclass(frozen=True, slots=True)
class Policy:
    """How a threshold is chosen. ``str()`` gives the text that :func:`parse_policy` reads.

    Attributes:
        kind: see the module.
        number: false match rate in (0, 1) or similarity; None for ``f1`` and ``customary``.

    Raises:
        ValueError: for an unknown kind, or a number that does not fit it.
    """

    kind: PolicyKind
    number: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(PolicyKind):
            forms = "f1, fmr=<rate>, group_fmr=<rate>, fixed=<similarity> or customary"
            raise ValueError(f"threshold policy must be {forms}, got {self.kind!r}")
        if (self.kind in _WITH_NUMBER) != (self.number is not None):
            rule = "needs a number after '='" if self.kind in _WITH_NUMBER else "takes no number"
            raise ValueError(f"threshold policy {self.kind!r} {rule}, got {self.number}")
        if self.number is None:
            return
        if not math.isfinite(self.number):
            raise ValueError(f"threshold policy {self.kind!r} needs a finite number, got {self.number}")
        if self.kind != "fixed" and not 0 < self.number < 1:
            raise ValueError(
                f"threshold policy {self.kind!r}: the rate must be above 0 and below 1, got {self.number}"
            )

    def __str__(self) -> str:
        return self.kind if self.number is None else f"{self.kind}={self.number!r}"


def parse_policy(text: str) -> Policy:
    """Read a policy.

    Raises:
        ValueError: names the rule and the value.

    >>> parse_policy("fmr=0.01")
    Policy(kind='fmr', number=0.01)
    """
    kind, sign, number = (part.strip() for part in text.partition("="))
    try:
        value = float(number) if sign else None
    except ValueError:
        raise ValueError(f"threshold policy {kind!r} needs a number after '=', got {number!r}") from None
    return Policy(cast(PolicyKind, kind), value)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A similarity at or above which two faces are taken for one person, and what is known about it.

    Attributes:
        value: similarity; NaN when the pairs do not suffice to choose one (see ``note``).
        policy: text of the policy.
        dataset: whose original pairs were used.
        n_mated, n_non_mated: compared pairs.
        false_match_rate: share of non-mated pairs at or above ``value``.
        fmr_ci_low, fmr_ci_high: its Clopper-Pearson interval at 95 %. Pairs count as independent; pairs
            that share a person are not, so read it as the narrowest it can be.
        true_match_rate: share of mated pairs at or above ``value``.
        date: ISO date of the calibration.
        group: whose threshold it is, or ``""`` for everybody.
        note: why there is no value.
    """

    value: float
    policy: str
    dataset: str
    n_mated: int
    n_non_mated: int
    false_match_rate: float
    fmr_ci_low: float
    fmr_ci_high: float
    true_match_rate: float
    date: str
    group: str = ""
    note: str = ""

    def to_json(self) -> str:
        """One JSON object with sorted keys; NaN is null."""
        record = {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in asdict(self).items()}
        return json.dumps(record, sort_keys=True)


def calibrate(
    policy: Policy | str,
    frame: pd.DataFrame,
    *,
    dataset: str,
    date: str,
    group: pd.Series[Any] | None = None,
    customary: float | None = None,
) -> dict[str, Threshold]:
    """The threshold of a policy, measured on original pairs.

    Args:
        policy: or its text.
        frame: observations of verification on the *original* pictures: ``status``, ``mated``,
            ``similarity``. Pairs that were not compared are left out.
        dataset: name, for the provenance.
        date: ISO date, for the provenance.
        group: group of each row (None where unknown); needed by ``group_fmr`` only.
        customary: the recognizer's customary *similarity*; needed by ``customary`` only.

    Returns:
        ``{"": threshold}``, or one threshold per group for ``group_fmr``. A threshold whose pairs do not
        suffice has the value NaN and a note that says what is missing; a false match rate f needs at
        least 1 / f non-mated pairs. :func:`unveil.metrics.outcomes.decide_by_threshold` makes every row
        under such a threshold an ``error``, which is excluded and counted: nothing is decided silently.

    Raises:
        ValueError: when ``group`` or ``customary`` is needed and not given.
    """
    policy = parse_policy(policy) if isinstance(policy, str) else policy
    similarity = numbers(frame, "similarity")
    used = (frame["status"] == "ok").to_numpy(dtype=np.bool_) & ~np.isnan(similarity)
    mated = is_mated(frame)
    if policy.kind != "group_fmr":
        chosen, note = _choose(policy, similarity[used], mated[used], customary)
        return {"": _describe(chosen, similarity[used], mated[used], str(policy), dataset, date, note=note)}
    if group is None:
        raise ValueError("threshold policy 'group_fmr' needs the group of every row, got group=None")
    found = {}
    for name in sorted(group.dropna().unique()):
        rows = used & (group == name).to_numpy(dtype=np.bool_)
        chosen, note = _choose(policy, similarity[rows], mated[rows], None)
        found[name] = _describe(
            chosen, similarity[rows], mated[rows], str(policy), dataset, date, group=name, note=note
        )
    return found


def threshold_values(thresholds: Mapping[str, Threshold]) -> float | dict[str, float]:
    """What :func:`unveil.metrics.outcomes.decide_by_threshold` takes, from what :func:`calibrate` gives."""
    if set(thresholds) == {""}:
        return thresholds[""].value
    return {group: threshold.value for group, threshold in thresholds.items()}


def _choose(
    policy: Policy, similarity: NDArray[np.float64], mated: NDArray[np.bool_], customary: float | None
) -> tuple[float, str]:
    """The value, and why there is none."""
    if policy.kind == "customary":
        if customary is None:
            raise ValueError("threshold policy 'customary' needs the recognizer's similarity, got None")
        return customary, ""
    if policy.kind == "fixed":
        assert policy.number is not None
        return policy.number, ""
    n_non_mated = int(np.count_nonzero(~mated))
    if policy.kind == "f1":
        if not n_non_mated or n_non_mated == len(mated):
            return math.nan, f"needs mated and non-mated pairs, has {len(mated) - n_non_mated} and {n_non_mated}"
        curve = roc(similarity, mated)
        return _cut(curve, int(np.argmax(f1_curve(curve)))), ""
    assert policy.number is not None
    if n_non_mated * policy.number < 1 - 1e-9:
        needed = math.ceil(1 / policy.number - 1e-9)
        return math.nan, f"needs at least {needed} non-mated pairs for {policy}, has {n_non_mated}"
    curve = roc(similarity, mated)
    allowed = policy.number * n_non_mated + 1e-9
    return _cut(curve, int(np.flatnonzero(curve.accepted_non_mated <= allowed)[-1])), ""


def _cut(curve: Roc, accepted: int) -> float:
    """A similarity that separates the first ``accepted`` distinct similarities of a curve from the rest."""
    above, below = curve.threshold[accepted], curve.threshold[min(accepted + 1, len(curve.threshold) - 1)]
    if accepted == 0:
        return float(np.nextafter(below, np.inf))
    middle = (above + below) / 2
    return float(middle if middle > below else above)


def _describe(
    value: float,
    similarity: NDArray[np.float64],
    mated: NDArray[np.bool_],
    policy: str,
    dataset: str,
    date: str,
    *,
    group: str = "",
    note: str = "",
) -> Threshold:
    n_mated, n_non_mated = int(np.count_nonzero(mated)), int(np.count_nonzero(~mated))
    unknown = Threshold(
        value, policy, dataset, n_mated, n_non_mated, math.nan, math.nan, math.nan, math.nan, date, group, note
    )
    if math.isnan(value):
        return unknown
    false = int(np.count_nonzero(similarity[~mated] >= value))
    true = int(np.count_nonzero(similarity[mated] >= value))
    low, high = clopper_pearson(false, n_non_mated)
    return replace(
        unknown,
        false_match_rate=false / n_non_mated if n_non_mated else math.nan,
        fmr_ci_low=low,
        fmr_ci_high=high,
        true_match_rate=true / n_mated if n_mated else math.nan,
    )


def similarity_of_distance(distance: float, kind: Literal["cosine", "euclidean"]) -> float:
    """The similarity that a published distance stands for: 1 - cosine distance, or minus the Euclidean."""
    return 1 - distance if kind == "cosine" else -distance


@dataclass(frozen=True, slots=True)
class PublishedThreshold:
    """A threshold that somebody published without pairs or false match rate.

    Attributes:
        recognizer: as the source writes it.
        value: as the source writes it.
        scale: ``cosine distance`` (at or below: same person) or ``confidence`` (at or above).
        source: where it is written.
    """

    recognizer: str
    value: float
    scale: Literal["cosine distance", "confidence"]
    source: str


_SCRIPTS = "FairDeFace, released verification bias script, commit a8672bc3505a"

PUBLISHED: tuple[PublishedThreshold, ...] = (
    PublishedThreshold("ArcFace", 0.765, "cosine distance", _SCRIPTS),
    PublishedThreshold("ArcFace", 0.75, "cosine distance", "FairDeFace, released figure script, same commit"),
    PublishedThreshold("ArcFace", 0.68, "cosine distance", "DeepFace 0.0.100, default"),
    PublishedThreshold("Facenet", 0.674, "cosine distance", _SCRIPTS),
    PublishedThreshold("VGG-Face", 0.297, "cosine distance", _SCRIPTS),
    PublishedThreshold("Dlib", 0.078, "cosine distance", _SCRIPTS),
    PublishedThreshold("OpenFace", 0.227, "cosine distance", _SCRIPTS),
    PublishedThreshold("DeepID", 0.017, "cosine distance", _SCRIPTS),
    PublishedThreshold("DeepFace", 0.189, "cosine distance", _SCRIPTS),
    PublishedThreshold("Face++", 70.0, "confidence", "FairDeFace, text"),
)
"""Thresholds of FairDeFace; the three of ArcFace contradict each other, so each names its place."""

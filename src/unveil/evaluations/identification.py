"""One-to-many: who of the enrolled people is this? Threat models M3 to M6 of FairDeFace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.protocols import EvaluationMeta, FaceContext, Source, Templates
from unveil.core.types import Pair
from unveil.evaluations import pairing
from unveil.evaluations.attack import ATTACK_METRICS

_TIE = 1e-5  # distances that differ by less are those of equal pictures
_CHUNK = 256  # probes compared with the gallery at once: bounds the memory


class Identification:
    """An attacker enrols suspects' photos, protected by the same method, and names the probe.

    Two attacks on the same embeddings: a linear multi-class SVM (one-vs-one, majority vote, as
    published), and retrieval by the most similar enrolled photo, which needs no training.

    ================================  ========  ==========================================  ===============
    threat model                      paper     enrolled                                    probes
    ================================  ========  ==========================================  ===============
    ``group_unknown``                 M3        protected training photos and originals     protected
    ``group_known``                   M5        the same, inside the probe's group          protected
    ``group_unknown_poisoned``        M4        protected training photos only              original
    ``group_known_poisoned``          M6        the same, inside the probe's group          original
    ================================  ========  ==========================================  ===============

    Where the method gave no protected training photo, the attacker has what stands there instead: the
    original. Otherwise a method that fails often would starve the attacker and look strong.

    Args:
        train_fraction: share of each person's photos that is enrolled (text 0.8, scripts 0.7).
        ranks: the ``rank_k`` decisions reported for retrieval.
    """

    meta = EvaluationMeta(
        name="identification",
        version=1,
        dimension="privacy",
        unit="probe",
        roles=("detector", "recognizer"),
        threat_models=(
            "group_unknown",
            "group_known",
            "group_unknown_poisoned",
            "group_known_poisoned",
        ),
        has=frozenset({"identity"}),
        columns={
            "side": pa.string(),
            "true_identity": pa.string(),
            "predicted_identity": pa.string(),
            "rank": pa.float32(),
            "gallery_size": pa.int32(),
        },
        metrics=ATTACK_METRICS,
        source=Source("FairDeFace, threat models M3 to M6 (Table II), Tables III and X"),
    )

    def __init__(self, *, train_fraction: float = 0.8, ranks: Sequence[int] = (1, 5)) -> None:
        if not 0 < train_fraction < 1:
            raise ValueError(f"train_fraction must lie between 0 and 1, not be {train_fraction}")
        whole = [isinstance(rank, int) and not isinstance(rank, bool) and rank >= 1 for rank in ranks]
        if not whole or not all(whole) or len(set(ranks)) < len(ranks):
            raise ValueError(f"ranks must be a list of whole numbers from 1, none twice, not {ranks!r}")
        self.train_fraction = train_fraction
        self.operating_points = ("svm", *(f"rank_{rank}" for rank in ranks))

    def suits(self, threat_model: str, models: Mapping[str, Any]) -> bool:
        """A recognizer that only compares two pictures has no vectors to train on."""
        return hasattr(models["recognizer"], "embed")

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Photos with their ``side`` (``gallery`` or ``probe``), identity and demographic group."""
        split = pairing.split_identities(samples, self.train_fraction, rng)
        chosen = samples.loc[split.index]
        planned = pd.DataFrame(
            {
                "unit_id": split.index,
                "sample_id": split.index,
                "side": split.to_numpy(),
                "true_identity": chosen["identity"].to_numpy(),
                "enclosure": chosen["demographic_group"].to_numpy() if "_known" in threat_model else "",
            }
        ).sort_values("unit_id", ignore_index=True)
        planned.attrs["notes"] = split.attrs.get("notes", [])
        return planned

    def observe(self, units: pd.DataFrame, threat_model: str, context: FaceContext) -> pd.DataFrame:
        """Predicted identity and rank of the right one for each probe.

        The status of a probe is that of the photo attacked, the status of a gallery photo that of its
        protected version.
        """
        poisoned = threat_model.endswith("poisoned")
        protected, original = context.templates("protected"), context.templates("original")
        probes = original if poisoned else protected
        parts, rng = [], context.rng("rank ties", threat_model)
        for _, part in units.groupby("enclosure", sort=True):
            rows = part.drop(columns="enclosure").reset_index(drop=True)
            ids = rows.loc[rows["side"] == "gallery", "sample_id"]
            unprotected = ids[(protected.faces.loc[ids, "status"] == "not_protected").to_numpy()]
            # On unprotected photos "with originals" would enrol the same photo twice.
            also = unprotected if poisoned else ids[:0] if context.method == "original" else ids
            gallery = _enrol(rows, [(protected, ids), (original, also)])
            parts.append(_attack(rows, (probes, protected), gallery, context.distance, rng))
        return pd.concat(parts, ignore_index=True) if parts else _blank(units.drop(columns="enclosure"))


def _blank(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(status="", reason="", predicted_identity="", rank=np.nan, gallery_size=0)


def _enrol(rows: pd.DataFrame, versions: Sequence[tuple[Templates, pd.Series]]) -> tuple[np.ndarray, np.ndarray]:
    """Embeddings (n, dimension) of all photos with a face, and whose they are (n,)."""
    owner = rows.set_index("sample_id")["true_identity"]
    vectors, people = [], []
    for version, ids in versions:
        found = ids[(version.faces.loc[ids, "status"] == "ok").to_numpy()]
        if len(found):  # where no face was found at all, not even the dimension is known
            vectors.append(version.vectors(found))
            people.append(owner.loc[found].to_numpy())
    if not vectors:
        return np.zeros((0, 1), np.float32), owner.iloc[:0].to_numpy()
    return np.concatenate(vectors), np.concatenate(people)


def _attack(
    rows: pd.DataFrame,
    versions: tuple[Templates, Templates],
    gallery: tuple[np.ndarray, np.ndarray],
    distance: str,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Attack the probes of one enclosure; ``versions`` are those of the probes and of the gallery's statuses."""
    probes, enrolled = versions
    vectors, labels = gallery
    observed = _blank(rows)
    probe = observed["side"] == "probe"
    for rows_of, version in ((probe, probes), (~probe, enrolled)):
        faces = version.faces.loc[observed.loc[rows_of, "sample_id"], ["status", "reason"]]
        observed.loc[rows_of, ["status", "reason"]] = faces.to_numpy()
    observed["gallery_size"] = len(set(labels))
    poisoned = probes is not enrolled
    if poisoned:  # the probe is an original: that it shows no face is no merit of the method
        _mark(observed, probe & (observed["status"] == "not_acquired"), "error", "no_face_in_probe")
    hidden = set(observed.loc[~probe & (observed["status"] == "not_acquired"), "true_identity"])
    for person in set(observed.loc[probe, "true_identity"]) - set(labels):
        # Who shows no face in the protected photos gave the attacker nothing to learn; else the attack broke.
        status = "not_acquired" if poisoned and person in hidden else "error"
        theirs = probe & (observed["true_identity"] == person) & (observed["status"] != "error")
        _mark(observed, theirs, status, "identity_not_enrolled")
    if len(set(labels)) < 2:
        _mark(observed, probe & observed["true_identity"].isin(labels), "error", "one_identity_enrolled")
    attacked = np.flatnonzero(probe & (observed["status"] == "ok"))
    if len(attacked):
        seen = probes.vectors(observed["sample_id"].iloc[attacked])
        truth = observed["true_identity"].to_numpy()[attacked]
        observed.loc[attacked, "predicted_identity"] = _classify(vectors, labels, seen)
        observed.loc[attacked, "rank"] = _rank((vectors, labels), seen, truth, distance, rng)
    return observed


def _mark(observed: pd.DataFrame, rows: pd.Series, status: str, reason: str) -> None:
    """Set the status of units whose comparison cannot be made, unless the method left no picture at all."""
    observed.loc[rows & (observed["status"] != "not_protected"), ["status", "reason"]] = [status, reason]


def _classify(gallery: np.ndarray, labels: np.ndarray, probes: np.ndarray) -> np.ndarray:
    """Linear SVM, one classifier per pair of people, majority vote."""
    from sklearn.svm import SVC

    return SVC(kernel="linear").fit(gallery, labels).predict(probes)


def _rank(
    gallery: tuple[np.ndarray, np.ndarray],
    probes: np.ndarray,
    truth: np.ndarray,
    distance: str,
    rng: np.random.Generator,
) -> np.ndarray:
    """Place of the right person when people are sorted by their most similar enrolled photo.

    People who are equally near, as everybody in one group of a k-same method is, stand in random order: the
    attacker can only guess among them.
    """
    from sklearn.metrics import pairwise_distances

    vectors, labels = gallery
    order = np.argsort(labels, kind="stable")
    people, start = np.unique(labels[order], return_index=True)
    right = np.searchsorted(people, truth)
    ranks = np.empty(len(probes), dtype=np.float32)
    for first in range(0, len(probes), _CHUNK):
        part = slice(first, first + _CHUNK)
        apart = pairwise_distances(probes[part], vectors[order], metric=distance)
        nearest = np.minimum.reduceat(apart, start, axis=1)
        own = nearest[np.arange(len(nearest)), right[part]][:, None]
        nearer = (nearest < own - _TIE).sum(axis=1)
        tied = (np.abs(nearest - own) <= _TIE).sum(axis=1)
        ranks[part] = nearer + rng.integers(1, tied + 1)
    return ranks

"""One-to-one comparison of a protected photo with an original: threat models M1 and M2 of FairDeFace."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.protocols import EvaluationMeta, FaceContext, Source
from unveil.core.types import Failure, Pair, Reason
from unveil.evaluations import pairing
from unveil.evaluations.attack import ATTACK_METRICS


class Verification:
    """Similarity of protected photos to originals of the same person and of strangers.

    The decision is not taken here: a threshold is applied later to the stored similarities.

    Args:
        pairs_per_photo: other photos of the person that each photo is compared with (``other_photo``).
        strangers_per_photo: photos of other people of the same group that each photo is compared with;
            they give the false match rate of a threshold and the floor.
        prescribed_pairs: use the dataset's own pair list for ``other_photo`` where it has one.
        thresholds: policies that turn a similarity into a decision, the headline first:
            ``f1``, ``fmr=0.01``, ``group_fmr=0.01``, ``customary``, ``fixed=<similarity>``.
    """

    meta = EvaluationMeta(
        name="verification",
        version=1,
        dimension="privacy",
        unit="pair",
        roles=("detector", "recognizer"),
        threat_models=("same_photo", "other_photo"),
        has=frozenset({"identity"}),
        columns={
            "other_sample_id": pa.string(),
            "mated": pa.bool_(),
            "fold": pa.int32(),
            "similarity": pa.float32(),
        },
        metrics=(
            *ATTACK_METRICS,
            "stranger_rejection_rate_conditional",
            "stranger_rejection_rate_overall",
        ),
        source=Source("FairDeFace, threat models M1 and M2 (Table II), Tables III, V and IX"),
        baseline_metrics=(
            "auc",
            "best_f1",
            "equal_error_rate",
            "tpr_at_fpr.10",
            "tpr_at_fpr.05",
            "tpr_at_fpr.01",
        ),
        calibration="other_photo",
    )

    def __init__(
        self,
        *,
        pairs_per_photo: int = 3,
        strangers_per_photo: int = 3,
        prescribed_pairs: bool = True,
        thresholds: Sequence[str] = ("f1", "group_fmr=0.01"),
    ) -> None:
        for name, value in (
            ("pairs_per_photo", pairs_per_photo),
            ("strangers_per_photo", strangers_per_photo),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number from 1, not {value!r}")
        texts = not isinstance(thresholds, str) and all(isinstance(text, str) for text in thresholds)
        if not texts or not thresholds or len(set(thresholds)) < len(thresholds):
            raise ValueError(
                f"thresholds must be a list of different policies, such as ['f1'], not {thresholds!r}"
            )
        if not isinstance(prescribed_pairs, bool):
            raise ValueError(f"prescribed_pairs must be true or false, not {prescribed_pairs!r}")
        self.pairs_per_photo = pairs_per_photo
        self.strangers_per_photo = strangers_per_photo
        self.prescribed_pairs = prescribed_pairs
        self.operating_points = tuple(thresholds)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Mated and non-mated pairs: ``sample_id`` is the protected photo, ``other_sample_id`` an original."""
        if threat_model == "other_photo" and self.prescribed_pairs and pairs:
            planned = pairing.prescribed(samples, pairs)
            notes = planned.attrs.get("notes", [])
        else:
            if threat_model == "same_photo":
                mated = pairing.same_photo(samples)
            else:
                mated = pairing.other_photo(samples, self.pairs_per_photo, rng)
            groups = samples["demographic_group"]
            non_mated = pairing.strangers(samples, self.strangers_per_photo, groups, rng)
            notes = mated.attrs.get("notes", []) + non_mated.attrs.get("notes", [])
            mated.attrs = non_mated.attrs = {}
            planned = pd.concat([mated, non_mated], ignore_index=True)
        planned.insert(0, "unit_id", planned["sample_id"] + " ~ " + planned["other_sample_id"])
        planned.attrs["notes"] = notes
        return planned

    def observe(self, units: pd.DataFrame, threat_model: str, context: FaceContext) -> pd.DataFrame:
        """``similarity`` (higher is more alike), and the status of each comparison.

        A reference photo without a face is the attacker's trouble and says nothing about the method:
        status ``error``. Only a photo that the method failed on stays ``not_protected`` all the same: it is
        exposed, whatever it is compared with. (In ``same_photo`` both often have the same cause, a face
        that is hard to find, and would otherwise vanish together.)
        """
        probes, references = context.templates("protected"), context.templates("original")
        observed = units.reset_index(drop=True).copy()
        probe_faces = probes.faces.loc[observed["sample_id"]]
        reference_faces = references.faces.loc[observed["other_sample_id"]]
        observed["status"] = probe_faces["status"].to_numpy()
        observed["reason"] = probe_faces["reason"].to_numpy()
        reference = reference_faces["status"].to_numpy()
        lost = (reference != "ok") & (observed["status"] != "not_protected").to_numpy()
        observed.loc[lost, "status"] = "error"
        observed.loc[lost, "reason"] = np.where(
            reference[lost] == "error", "reference_broken", "no_face_in_reference"
        )
        ok = np.flatnonzero(observed["status"] == "ok")
        probed, referred = (observed[name].iloc[ok].tolist() for name in ("sample_id", "other_sample_id"))
        similarity = np.full(len(observed), np.nan, dtype=np.float32)
        for position, found in zip(ok, context.compare(probed, referred), strict=True):
            if isinstance(found, Failure):  # of a service, or of a picture that has gone bad since
                lost = "not_acquired" if found.reason is Reason.NO_FACE else "error"
                observed.loc[position, ["status", "reason"]] = [lost, f"{found.reason}: {found.detail}"]
            else:
                similarity[position] = found
        observed["similarity"] = similarity
        return observed

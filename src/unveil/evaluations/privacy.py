"""Which privacy attributes of the people are still told from the protected picture?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from unveil.core.errors import ConfigError
from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.types import Image, Pair
from unveil.evaluations import training
from unveil.evaluations.pictures import Sight, of_test_split, sights

Array = NDArray[Any]


class AttributePrivacy:
    """A classifier tells privacy attributes, such as age or nudity, from every picture of the test split.

    The attacker has learnt from the originals (as published), from protected pictures (who knows the method
    can do that), or elsewhere. ``score`` is what he says of the picture that is shown: of the protected one,
    or of the original where the method gave none (status ``not_protected``). ``score_original`` is what the
    classifier trained on originals says of the original: the undisturbed attacker, against whom a drop counts.
    One row per picture and attribute that both the dataset and the classifier know.
    """

    meta = EvaluationMeta(
        name="privacy",
        version=1,
        dimension="privacy",
        unit="label",
        roles=("classifier",),
        threat_models=tuple(training.TRAINED_ON),
        has=frozenset({"labels"}),
        columns={
            "label": pa.string(),
            "positive": pa.bool_(),
            "score": pa.float32(),
            "score_original": pa.float32(),
        },
        metrics=(
            "cmap",
            "cmap_above_chance",
            "cmap_exposed",
            "cmap_drop",
            "average_precision",
            "average_precision_above_chance",
            "auroc",
            "relative_drop",
        ),
        source=Source("HR-VISPR, privacy: cMAP and relative drop per attribute (Tables 1 and 2, Figure 4)"),
    )

    operating_points = ("",)

    def suits(self, threat_model: str, models: Mapping[str, Any]) -> bool:
        """A classifier that does not learn in the run is ``pretrained``; one that does is trained."""
        return training.suits(threat_model, models["classifier"])

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture of the test split; each becomes one row per attribute."""
        return of_test_split(samples)

    def observe(self, units: pd.DataFrame, threat_model: str, context: SceneContext) -> pd.DataFrame:
        """Scores in [0, 1], higher is surer; NaN where there is no picture (status ``error``).

        Raises:
            ConfigError: when the classifier knows none of the dataset's attributes.
        """
        attacker = context.model("classifier", training.TRAINED_ON[threat_model])
        undisturbed = context.model("classifier", "original")
        labels = [label for label in context.labels if label in attacker.labels]
        if not labels:
            known = ", ".join(attacker.labels)
            raise ConfigError(f"models.classifier: must know an attribute of the dataset, it knows only: {known}")
        positives = context.samples["labels"]
        parts = []
        for batch in sights(context, units["sample_id"]):
            scores = _scores(attacker, [sight.shown for sight in batch], labels)
            originals = scores
            if context.method != "original":
                originals = _scores(undisturbed, [sight.original for sight in batch], labels)
            truth = np.array([[label in positives.loc[sight.sample_id] for label in labels] for sight in batch])
            parts.append(_rows(batch, labels, truth, scores, originals))
        return pd.concat(parts, ignore_index=True) if parts else _rows([], labels, *[np.zeros(0)] * 3)


def _scores(classifier: Any, images: Sequence[Image | None], labels: Sequence[str]) -> NDArray[np.float32]:
    """Scores (n, labels); NaN where there is no picture."""
    scores = np.full((len(images), len(labels)), np.nan, np.float32)
    seen = [i for i, image in enumerate(images) if image is not None]
    if seen:
        columns = [classifier.labels.index(label) for label in labels]
        scores[seen] = classifier.classify([images[i] for i in seen])[:, columns]
    return scores


def _rows(
    batch: Sequence[Sight], labels: Sequence[str], truth: Array, scores: Array, originals: Array
) -> pd.DataFrame:
    each = [(sight, label) for sight in batch for label in labels]
    return pd.DataFrame(
        {
            "unit_id": [f"{sight.sample_id}#{label}" for sight, label in each],
            "sample_id": [sight.sample_id for sight, _ in each],
            "status": [sight.status for sight, _ in each],
            "reason": [sight.reason for sight, _ in each],
            "label": [label for _, label in each],
            "positive": truth.ravel().astype(np.bool_),
            "score": scores.ravel().astype(np.float32),
            "score_original": originals.ravel().astype(np.float32),
        }
    )

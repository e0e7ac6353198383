"""Whose view of the pictures is wanted: what finds faces, and what describes them."""

from __future__ import annotations

from dataclasses import dataclass

from unveil.pipeline.components import Built

AttackerKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Attacker:
    """A detector, and what turns each face that it finds into something that can be stored.

    Attributes:
        detector: finds faces.
        describer: a recognizer that makes embeddings, or an estimator of attributes; None when faces are only
            detected, or compared pair by pair.
    """

    detector: Built
    describer: Built | None = None

    @property
    def key(self) -> AttackerKey:
        """Label of the detector, role and label of the describer: a service may have one name in two roles."""
        if self.describer is None:
            return self.detector.label, "", ""
        return self.detector.label, self.describer.component.meta.role, self.describer.label

    @property
    def estimates(self) -> bool:
        """Whether the describer tells attributes, and makes no embeddings."""
        return self.describer is not None and hasattr(self.describer.component, "estimate")

"""Names in the tables -> words for a reader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attack:
    """One way to attack: an evaluation by an attacker's models, under a threat model, at a decision rule."""

    evaluation: str
    component: str
    threat_model: str
    operating_point: str

    @property
    def words(self) -> str:
        """Such as ``verification with another photo, best-F1 threshold (dlib, faces by mtcnn)``."""
        return f"{self.short} ({models(self.component)})"

    @property
    def short(self) -> str:
        """Without the models."""
        threat = f", {threat_model(self.threat_model)}" if self.threat_model else ""
        return f"{self.evaluation}{threat}, {operating_point(self.operating_point)}"


_THREATS = {
    "same_photo": "attacker has the very photo",
    "other_photo": "attacker has another photo",
    "group_unknown": "among everybody",
    "group_known": "inside the known group",
    "group_unknown_poisoned": "among everybody, only protected photos enrolled",
    "group_known_poisoned": "inside the known group, only protected photos enrolled",
    "trained_on_originals": "trained on originals",
    "trained_on_protected": "trained on protected pictures",
    "pretrained": "pre-trained elsewhere",
}


def threat_model(name: str) -> str:
    """What the attacker holds or knows, or what a model was trained on."""
    return _THREATS.get(name, name.replace("_", " "))


def operating_point(name: str) -> str:
    """How a similarity becomes a decision."""
    kind, _, value = name.partition("=")
    if kind.startswith("rank_"):
        return f"rank {kind.removeprefix('rank_')}"
    plain = {"f1": "best-F1 threshold", "svm": "SVM", "customary": "customary threshold", "folds": "over folds"}
    if kind in plain:
        return plain[kind]
    forms = {"fmr": "threshold at FMR {:.4g}%", "group_fmr": "threshold at FMR {:.4g}% in each group"}
    if kind in forms:
        return forms[kind].format(100 * float(value))
    if kind == "iou":
        return f"IoU from {value.replace(',ssim=', ', SSIM from ')}"
    return f"threshold {value}" if kind == "fixed" else name


def models(component: str) -> str:
    """Such as ``dlib, faces by mtcnn``, and the landmarker where there is one."""
    detector, *others = component.split("/")
    described = f"{others[0]}, faces by {detector}" if others else detector
    return ", landmarks by ".join([described, *others[1:]])


def shortened(name: str, letters: int) -> str:
    """A label that has so many letters at most, for places that do not grow."""
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def grouping(name: str) -> str:
    """Such as ``gender and race``."""
    return name.replace("_", " ").replace("+", " and ")

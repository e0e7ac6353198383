"""The contract suite: does a component keep the promises that the rest of ``unveil`` relies on?

For authors of plug-ins, in one line of their own tests. Each check raises AssertionError with a sentence that
says what is broken; nothing is returned. Pictures, people and statuses are synthetic and made on the spot.

>>> from unveil.methods.pixel import Pixelation
>>> from unveil.testing import check_method
>>> check_method(Pixelation(size=8))

A method that forgets its parameter is caught:

>>> from unveil.core.protocols import MethodMeta, Source
>>> class Forgetful:
...     '''Inverts, more or less.'''
...     meta = MethodMeta("forgetful", 1, "image", True, Source("nowhere, 2024"))
...     guarantee = None
...     def __init__(self, *, strength: int = 1) -> None:
...         pass
...     def protect(self, images, context):
...         return [255 - image for image in images]
>>> check_method(Forgetful())
Traceback (most recent call last):
    ...
AssertionError: Forgetful: keep parameter 'strength' in an attribute of that name: parameters are the identity
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from unveil.registry import KINDS
from unveil.testing.collection import check_dataset
from unveil.testing.comparing import check_perceptual_metric
from unveil.testing.describing import check_classifier, check_image_encoder
from unveil.testing.landmarks import check_landmarker
from unveil.testing.measuring import check_evaluation, check_metric
from unveil.testing.protection import check_method
from unveil.testing.scene_models import check_object_detector, check_segmenter
from unveil.testing.sight import check_detector, check_estimator, check_recognizer

__all__ = [
    "check_classifier",
    "check_component",
    "check_dataset",
    "check_detector",
    "check_estimator",
    "check_evaluation",
    "check_image_encoder",
    "check_landmarker",
    "check_method",
    "check_metric",
    "check_object_detector",
    "check_perceptual_metric",
    "check_recognizer",
    "check_segmenter",
]

Check = Callable[[Any], None]

_MODELS: Mapping[str, Check] = {
    "detector": check_detector,
    "recognizer": check_recognizer,
    "estimator": check_estimator,
    "landmarker": check_landmarker,
    "classifier": check_classifier,
    "object_detector": check_object_detector,
    "segmenter": check_segmenter,
    "image_encoder": check_image_encoder,
    "perceptual_metric": check_perceptual_metric,
}
_OTHERS: Mapping[str, Check] = {
    "methods": check_method,
    "datasets": check_dataset,
    "evaluations": check_evaluation,
    "metrics": check_metric,
}


def check_component(kind: str, component: Any) -> None:
    """Check a component of any kind.

    Args:
        kind: ``methods``, ``models``, ``datasets``, ``evaluations`` or ``metrics``.
        component: an instance.

    Raises:
        AssertionError: says which promise is broken.
        ValueError: for a kind that does not exist.

    >>> from unveil.evaluations.detection import DetectionRate
    >>> check_component("evaluations", DetectionRate())
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if kind != "models":
        _OTHERS[kind](component)
        return
    role: Any = getattr(getattr(component, "meta", None), "role", None)
    assert role in _MODELS, f"{type(component).__name__}: meta.role must be one of {', '.join(_MODELS)}"
    _MODELS[role](component)

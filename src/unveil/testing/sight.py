"""The promises of models: detectors, recognizers and estimators."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Face, Failure, Image
from unveil.testing.people import AWKWARD, PEOPLE, face_of, portrait
from unveil.testing.rules import (
    check_documented,
    check_failure,
    check_meta,
    check_parameters,
    check_untouched,
    expect,
)

Result = TypeVar("Result")

_TOLERANCE = 1e-3
"""Batches may be computed in another order of additions."""

_KINDS: Mapping[str, type] = {"categorical": str, "numeric": float, "angles": tuple, "confidence": float}


def check_detector(detector: Any, *, photos: Sequence[Image] = ()) -> None:
    """Check a detector on drawn faces and on awkward pictures, such as one of 1 x 1 pixel.

    Args:
        detector: an instance.
        photos: pictures with one clear face each; a face must be found in most of them. Drawn faces fool no
            detector, so without photos nothing has to be found.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_model(detector, "detector")
    images = [*photos, *_pictures()]
    found = _steady(detector, images, lambda chosen: detector.detect([images[i] for i in chosen]), _same_faces)
    for image, faces in zip(images, found, strict=True):
        if isinstance(faces, Failure):  # of a service that did not answer
            check_failure(detector, faces)
        else:
            _check_detections(detector, image, faces)
    hits = sum(not isinstance(faces, Failure) and len(faces) > 0 for faces in found[: len(photos)])
    expect(2 * hits >= len(photos), detector, f"found a face in {hits} of {len(photos)} photos")


def check_recognizer(recognizer: Any, *, faces: Sequence[tuple[Image, Face]] = ()) -> None:
    """Check a recognizer on drawn faces, on a face that reaches over the border, and on one of one pixel.

    Args:
        recognizer: an instance, with ``embed`` or with ``compare`` alone.
        faces: pictures with the place of a real face; most of them must be described.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_model(recognizer, "recognizer")
    seen = [*faces, *_faces()]
    distance, threshold = recognizer.distance, recognizer.customary_threshold
    expect(
        distance in ("cosine", "euclidean"), recognizer, f"distance must be cosine or euclidean, not {distance!r}"
    )
    expect(math.isfinite(threshold) and threshold > 0, recognizer, f"customary_threshold cannot be {threshold!r}")
    if hasattr(recognizer, "embed"):
        _check_embeddings(recognizer, seen, len(faces))
    else:
        expect(hasattr(recognizer, "compare"), recognizer, "needs embed(images, faces) or compare(left, right)")
        _check_similarities(recognizer, seen, len(faces))


def check_estimator(estimator: Any, *, faces: Sequence[tuple[Image, Face]] = ()) -> None:
    """Check an attribute estimator.

    Args:
        estimator: an instance.
        faces: as for :func:`check_recognizer`.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_model(estimator, "estimator")
    kinds = estimator.kinds
    expect(bool(kinds) and set(kinds.values()) <= set(_KINDS), estimator, f"kinds must name {', '.join(_KINDS)}")
    seen = [*faces, *_faces()]

    def estimate(chosen: Sequence[int]) -> Any:
        return estimator.estimate([seen[i][0] for i in chosen], [seen[i][1] for i in chosen])

    found = _steady(estimator, [image for image, _ in seen], estimate, _same_values)
    for values in found:
        if isinstance(values, Failure):
            check_failure(estimator, values)
            continue
        odd = sorted(set(values) - set(kinds))
        expect(not odd, estimator, f"gave {', '.join(odd)}, which kinds does not name")
        for name, value in values.items():
            right = isinstance(value, _KINDS[kinds[name]])
            expect(right, estimator, f"{name} is {kinds[name]}, and cannot be {value!r}")
    _expect_most(estimator, found[: len(faces)])


def check_model(model: Any, role: str) -> None:
    """What every model promises: documentation, parameters, complete metadata of the right role."""
    check_documented(model)
    check_parameters(model)
    meta = check_meta(model, ModelMeta)
    expect(meta.role == role, model, f"meta.role must be {role!r}, not {meta.role!r}")
    for file, value in meta.weights.items():
        right = re.fullmatch("[0-9a-f]{64}", value) is not None
        expect(right, model, f"meta.weights[{file!r}] must be a SHA-256 in small hex digits, not {value!r}")


def _pictures() -> list[Image]:
    flat = np.full((80, 120, 3), 128, np.uint8)
    awkward = [np.full((*size, 3), 200, np.uint8) for size in AWKWARD.values()]
    return [portrait(0, 0), portrait(1, 0), flat, *awkward]


def _faces() -> list[tuple[Image, Face]]:
    drawn = [portrait(person, 0) for person in range(min(4, PEOPLE))]
    image = drawn[0]
    height, width = image.shape[:2]
    over = Face(np.array([-width / 3, -height / 3, width / 2, height / 2], np.float32))
    dot = np.zeros((1, 1, 3), np.uint8)
    whole = Face(np.array([0, 0, 1, 1], np.float32))
    return [*((image, face_of(image)) for image in drawn), (image, over), (dot, whole)]


def _steady(
    model: Any,
    images: Sequence[Image],
    call: Callable[[Sequence[int]], Sequence[Result]],
    same: Callable[[Any, Any], bool],
) -> Sequence[Result]:
    """Results of one batch; the same must come again, and from every picture alone."""
    copies = [image.copy() for image in images]
    everything = list(range(len(images)))
    results = call(everything)
    check_untouched(model, images, copies)
    expect(len(results) == len(images), model, f"gave {len(results)} results for {len(images)} pictures")
    for position, (a, b) in enumerate(zip(results, call(everything), strict=True)):
        expect(same(a, b), model, f"another result for picture {position} when called again")
    for position in everything:
        (alone,) = call([position])
        expect(
            same(results[position], alone), model, f"another result for picture {position} in a batch of its own"
        )
    return results


def _check_detections(detector: Any, image: Image, faces: Any) -> None:
    expect(isinstance(faces, Detections), detector, f"must give Detections, not {type(faces).__name__}")
    boxes, scores, marks = faces.boxes, faces.scores, faces.landmarks
    n = len(scores)
    right = boxes.dtype == scores.dtype == np.float32 and boxes.shape == (n, 4) and scores.shape == (n,)
    expect(right, detector, "boxes must be float32 (n, 4) and scores float32 (n,)")
    expect(
        bool(np.isfinite(boxes).all() and np.isfinite(scores).all()), detector, "boxes and scores must be finite"
    )
    expect(bool((boxes[:, :2] < boxes[:, 2:]).all()), detector, "boxes are left, top, right, bottom")
    height, width = image.shape[:2]
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    inside = bool(((centre >= 0) & (centre <= [width, height])).all())
    expect(inside, detector, "the centre of a box must lie inside the picture: boxes are in pixels")
    if marks is not None:
        right = marks.dtype == np.float32 and marks.ndim == 3 and marks.shape[0] == n and marks.shape[2] == 2
        expect(right, detector, f"landmarks must be float32 (n, k, 2), not {marks.dtype} {marks.shape}")


def _check_embeddings(recognizer: Any, seen: Sequence[tuple[Image, Face]], real: int) -> None:
    def embed(chosen: Sequence[int]) -> Any:
        return recognizer.embed([seen[i][0] for i in chosen], [seen[i][1] for i in chosen])

    found = _steady(recognizer, [image for image, _ in seen], embed, _same_numbers)
    for vector in found:
        if isinstance(vector, Failure):
            check_failure(recognizer, vector)
            continue
        shape, wanted = np.shape(vector), (recognizer.dimension,)
        expect(shape == wanted, recognizer, f"an embedding must have the shape {wanted}, not {shape}")
        expect(vector.dtype == np.float32, recognizer, f"an embedding must be float32, not {vector.dtype}")
        expect(bool(np.isfinite(vector).all()), recognizer, "an embedding must be finite")
    _expect_most(recognizer, found[:real])


def _check_similarities(recognizer: Any, seen: Sequence[tuple[Image, Face]], real: int) -> None:
    """Each face with its neighbour and with itself: no face is more alike to another one than to itself."""
    shifted = [*seen[1:], *seen[:1]]
    pairs = [*zip(seen, shifted, strict=True), *zip(seen, seen, strict=True)]

    def compare(chosen: Sequence[int]) -> Any:
        return recognizer.compare([pairs[i][0] for i in chosen], [pairs[i][1] for i in chosen])

    found = _steady(recognizer, [image for (image, _), _ in pairs], compare, _same_numbers)
    limit = {"cosine": 1.0, "euclidean": 0.0}[recognizer.distance]
    for value in found:
        if isinstance(value, Failure):
            check_failure(recognizer, value)
            continue
        right = isinstance(value, float) and math.isfinite(value) and value <= limit + _TOLERANCE
        rule = f"a similarity must be a finite number of at most {limit:g}"
        expect(right, recognizer, f"{rule}, as distance is {recognizer.distance}, not {value!r}")
    for others, same in zip(found[: len(seen)], found[len(seen) :], strict=True):
        if not isinstance(others, Failure) and not isinstance(same, Failure):
            what = f"a face is more alike to another ({others:g}) than to itself ({same:g})"
            expect(others <= same + _TOLERANCE, recognizer, what)
    _expect_most(recognizer, found[len(seen) : len(seen) + real])


def _expect_most(model: Any, found: Sequence[Any]) -> None:
    described = sum(not isinstance(result, Failure) for result in found)
    expect(2 * described >= len(found), model, f"described {described} of {len(found)} real faces")


def _same_faces(a: Detections | Failure, b: Detections | Failure) -> bool:
    if isinstance(a, Failure) or isinstance(b, Failure):
        return _same_numbers(a, b)
    return a.boxes.shape == b.boxes.shape and np.allclose(a.boxes, b.boxes, atol=0.5)


def _same_numbers(a: Any, b: Any) -> bool:
    if isinstance(a, Failure) or isinstance(b, Failure):
        return isinstance(a, Failure) and isinstance(b, Failure) and a.reason is b.reason
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=_TOLERANCE, atol=_TOLERANCE)


def _same_values(a: Any, b: Any) -> bool:
    if isinstance(a, Failure) or isinstance(b, Failure):
        return _same_numbers(a, b)
    texts = [{k: v for k, v in values.items() if isinstance(v, str)} for values in (a, b)]
    return (
        a.keys() == b.keys()
        and texts[0] == texts[1]
        and all(_same_numbers(a[k], b[k]) for k in a if k not in texts[0])
    )

"""The promises of models that say what is where in a scene: object detectors and person segmenters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unveil.core.roles import TrainingSet
from unveil.core.scenes import CLASSES, KEYPOINTS, PERSON
from unveil.core.types import Detections, Failure, Image
from unveil.testing.learning import check_trainable
from unveil.testing.people import AWKWARD
from unveil.testing.rules import check_failure, check_untouched, expect
from unveil.testing.sight import check_model
from unveil.testing.toy_labels import ToyLabels
from unveil.testing.toy_scenes import scene

_STARTS = ("annotations", "objects", "nothing")
_SCENES = 6


def check_object_detector(detector: Any, *, photos: Sequence[Image] = (), data: TrainingSet | None = None) -> None:
    """Check an object detector; one that learns is trained twice on drawn scenes, and what it became is checked.

    Args:
        detector: an instance; give one that learns few epochs.
        photos: pictures with people; somebody must be found in most of them. Drawn people fool no detector
            that has learnt from photos, so without photos nothing has to be found.
        data: for it to learn from; drawn scenes without.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_model(detector, "object_detector")
    ready = detector
    if hasattr(detector, "train"):
        ready = check_trainable(detector, data or ToyLabels.draw(train=24, validation=12))
    threshold = ready.threshold
    expect(isinstance(threshold, float) and 0 < threshold <= 1, detector, f"threshold cannot be {threshold!r}")
    expect(ready.detect([]) == [], detector, "no picture, no result")
    images = [*photos, *_images()]
    found = _steady(detector, images, ready.detect)
    for image, objects in zip(images, found, strict=True):
        _check_objects(detector, image, objects)
    hits = sum(bool((objects.only(PERSON).scores >= threshold).any()) for objects in found[: len(photos)])
    expect(2 * hits >= len(photos), detector, f"found somebody in {hits} of {len(photos)} photos")


def check_segmenter(segmenter: Any) -> None:
    """Check a person segmenter on drawn scenes whose people are known, and on awkward pictures.

    One that starts from annotations or objects is given the true boxes, half of them with masks when it starts
    from annotations; it must find everybody there, and where it is told of nobody it must find nobody.

    Args:
        segmenter: an instance.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_model(segmenter, "segmenter")
    start = segmenter.starts_from
    expect(start in _STARTS, segmenter, f"starts_from must be one of {', '.join(_STARTS)}, not {start!r}")
    expect(segmenter.segment([], []) == [], segmenter, "no picture, no result")
    images = _images()
    known = [Detections.empty()] * len(images)
    if start != "nothing":
        known[:_SCENES] = [_told(number, masks=start == "annotations") for number in range(_SCENES)]
    found = _steady(segmenter, images, lambda chosen: segmenter.segment(chosen, _matching(chosen, images, known)))
    for image, told, people in zip(images, known, found, strict=True):
        _check_people(segmenter, image, people)
        if start != "nothing" and not isinstance(people, Failure):
            expect(len(people) == len(told), segmenter, f"gave {len(people)} people where {len(told)} are known")
            kept = told.landmarks is None or np.array_equal(people.landmarks, told.landmarks, equal_nan=True)
            expect(kept, segmenter, "keypoints that are known must be kept")


def _images() -> list[Image]:
    scenes = [scene(number)[0] for number in range(_SCENES)]
    return scenes + [np.full((*size, 3), 200, np.uint8) for size in AWKWARD.values()]


def _told(number: int, *, masks: bool) -> Detections:
    """The people of a drawn scene with keypoints, and with masks in every other one when that is wanted."""
    people = scene(number)[1].only(PERSON)
    if not len(people):
        return Detections.empty()
    marks = np.full((len(people), len(KEYPOINTS), 2), np.nan, np.float32)
    marks[:, 0] = (people.boxes[:, :2] + people.boxes[:, 2:]) / 2
    return Detections(
        people.boxes, people.scores, marks, people.labels, people.masks if masks and number % 2 else None
    )


def _matching(
    chosen: Sequence[Image], images: Sequence[Image], known: Sequence[Detections]
) -> Sequence[Detections]:
    """What is known of the chosen pictures, which are some of ``images``."""
    places = {id(image): position for position, image in enumerate(images)}
    return [known[places[id(image)]] for image in chosen]


def _steady(model: Any, images: Sequence[Image], call: Any) -> list[Any]:
    """Results of one batch; the same must come again, and from every picture alone."""
    copies = [image.copy() for image in images]
    found: list[Any] = call(images)
    check_untouched(model, images, copies)
    expect(len(found) == len(images), model, f"gave {len(found)} results for {len(images)} pictures")
    for position, (one, again) in enumerate(zip(found, call(images), strict=True)):
        expect(_same(one, again), model, f"another result for picture {position} when called again")
    for position, image in enumerate(images):
        (alone,) = call([image])
        expect(
            _same(found[position], alone), model, f"another result for picture {position} in a batch of its own"
        )
    return found


def _same(one: Any, two: Any) -> bool:
    if isinstance(one, Failure) or isinstance(two, Failure):
        return one == two
    if one.labels != two.labels or (one.masks is None) != (two.masks is None) or len(one) != len(two):
        return False
    same_masks = one.masks is None or np.mean(one.masks != two.masks) < 0.01
    near = np.allclose(one.boxes, two.boxes, atol=0.5) and np.allclose(one.scores, two.scores, atol=1e-3)
    return bool(near and same_masks)


def _check_objects(model: Any, image: Image, found: Any) -> None:
    expect(isinstance(found, Detections), model, f"must give Detections, not {type(found).__name__}")
    boxes, scores, labels = found.boxes, found.scores, found.labels
    count = len(scores)
    right = boxes.dtype == scores.dtype == np.float32 and boxes.shape == (count, 4) and scores.shape == (count,)
    expect(right, model, "boxes must be float32 (n, 4) and scores float32 (n,)")
    finite = bool(np.isfinite(boxes).all() and np.isfinite(scores).all())
    expect(finite, model, "boxes and scores must be finite")
    expect(bool((boxes[:, :2] < boxes[:, 2:]).all()), model, "boxes are left, top, right, bottom")
    if count:
        expect(labels is not None and len(labels) == count, model, "every object needs a label")
    unknown = sorted(set(labels or ()) - set(CLASSES))
    expect(not unknown, model, f"labels are those of unveil.core.scenes.CLASSES, not {unknown[:1]}")
    expect(bool((np.diff(scores) <= 0).all()), model, "the surest object comes first")
    height, width = image.shape[:2]
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    inside = bool(((centres >= 0) & (centres <= [width, height])).all())
    expect(inside, model, "the centre of a box must lie inside the picture: boxes are in pixels")


def _check_people(model: Any, image: Image, people: Any) -> None:
    if isinstance(people, Failure):
        check_failure(model, people)
        return
    expect(isinstance(people, Detections), model, f"must give Detections, not {type(people).__name__}")
    if not len(people):
        return
    masks = people.masks
    wanted = (len(people), *image.shape[:2])
    right = masks is not None and masks.dtype == np.bool_ and masks.shape == wanted
    expect(right, model, f"masks must be bool {wanted}: people, height and width of the picture")
    expect(bool(masks.any(axis=(1, 2)).all()), model, "nobody has an empty mask")
    expect(people.boxes.shape == (len(people), 4), model, "boxes must be (n, 4)")

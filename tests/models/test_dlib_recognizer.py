"""The dlib recognizer in PyTorch: equal to dlib's own, batched, differentiable."""

from __future__ import annotations

import importlib.util
import itertools
import math
from pathlib import Path

import dlib
import numpy as np
import pytest
import torch

from unveil.core.roles import DifferentiableRecognizer
from unveil.core.types import Face, Failure, Image, Reason
from unveil.models.dlib_recognizer import NETWORK_FILE, DlibRecognizer
from unveil.models.mtcnn import Mtcnn


@pytest.fixture(scope="module")
def recognizer() -> DlibRecognizer:
    return DlibRecognizer()


@pytest.fixture(scope="module")
def faces(generated: list[Image]) -> list[Face]:
    return [found.face(0) for found in Mtcnn().detect(generated)]


def face(*box: float) -> Face:
    return Face(np.array(box, np.float32))


def test_equals_dlib(recognizer: DlibRecognizer, generated: list[Image], faces: list[Face]) -> None:
    spec = importlib.util.find_spec("face_recognition_models")
    assert spec is not None and spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0], "models")
    theirs = dlib.face_recognition_model_v1(str(folder / NETWORK_FILE))
    predictor = dlib.shape_predictor(str(folder / "shape_predictor_5_face_landmarks.dat"))
    images = [np.ascontiguousarray(image) for image in generated]
    for image, one, chip in zip(images, faces, recognizer.chips(generated, faces), strict=True):
        left, top, right, bottom = (round(float(value)) for value in one.box)
        shape = predictor(image, dlib.rectangle(left, top, right - 1, bottom - 1))
        assert np.array_equal(chip, dlib.get_face_chip(image, shape, size=150, padding=0.25))
    expected = np.array(theirs.compute_face_descriptor(list(recognizer.chips(generated, faces))))
    found = np.array(recognizer.embed(generated, faces))
    assert found.shape == (len(faces), recognizer.dimension) and found.dtype == np.float32
    assert np.abs(found - expected).max() < 1e-5


def test_batches_change_nothing(recognizer: DlibRecognizer, generated: list[Image], faces: list[Face]) -> None:
    count = 35  # more than one pass
    cycle = list(itertools.islice(itertools.cycle(zip(generated, faces, strict=True)), count))
    together = recognizer.embed([image for image, _ in cycle], [one for _, one in cycle])
    alone = [recognizer.embed([image], [one])[0] for image, one in cycle[:6]]
    assert np.abs(np.array(together[:6]) - np.array(alone)).max() < 1e-4
    assert np.abs(np.array(together[30:35]) - np.array(alone[:5])).max() < 1e-4
    assert recognizer.embed([], []) == []


def test_faces_that_cannot_be_aligned_are_failures_in_their_place(
    recognizer: DlibRecognizer, generated: list[Image], faces: list[Face]
) -> None:
    image = generated[0]
    odd = [face(10, 10, 10, 60), face(60, 60, 10, 10), face(10, 10, 12, 12), face(0, 0, math.nan, 50)]
    found = recognizer.embed([image] * 6, [faces[0], *odd, faces[0]])
    reasons = [value.reason for value in found if isinstance(value, Failure)]
    assert reasons == [Reason.TOO_SMALL, Reason.TOO_SMALL, Reason.TOO_SMALL, Reason.BAD_OUTPUT]
    assert isinstance(found[0], np.ndarray) and isinstance(found[-1], np.ndarray)
    assert np.allclose(found[0], found[-1], atol=1e-5)
    with pytest.raises(ValueError, match="4 pixels a side"):
        recognizer.chips([image], [odd[2]])


def test_boxes_over_the_border_are_welcome(recognizer: DlibRecognizer, generated: list[Image]) -> None:
    (vector,) = recognizer.embed(generated[:1], [face(-30, -30, 150, 150)])
    assert isinstance(vector, np.ndarray) and np.isfinite(vector).all()


def test_gradients_reach_the_pixels(recognizer: DlibRecognizer, generated: list[Image], faces: list[Face]) -> None:
    assert isinstance(recognizer, DifferentiableRecognizer)
    DlibRecognizer().embed(generated[:1], faces[:1])
    chips = torch.from_numpy(recognizer.chips(generated[:2], faces[:2])).permute(0, 3, 1, 2).double()
    network = recognizer.module()
    pixels = chips.float().requires_grad_()
    network(recognizer.preprocess(pixels)).square().sum().backward()
    gradient = pixels.grad
    assert gradient is not None and torch.isfinite(gradient).all() and gradient.abs().max() > 0
    step = 20 * gradient / gradient.norm()
    with torch.no_grad():
        low, high = (network(recognizer.preprocess(pixels + sign * step)).square().sum() for sign in (-1, 1))
    slope = float(high - low) / 2
    assert slope == pytest.approx(float((gradient * step).sum()), rel=0.1)
    assert not any(parameter.requires_grad for parameter in network.parameters())


def test_a_network_first_used_in_inference_mode_still_gives_gradients(
    generated: list[Image], faces: list[Face]
) -> None:
    fresh = DlibRecognizer()
    with torch.inference_mode():
        fresh.embed(generated[:1], faces[:1])
    pixels = torch.full((1, 3, 150, 150), 90.0, requires_grad=True)
    fresh.module()(fresh.preprocess(pixels)).sum().backward()
    assert pixels.grad is not None


def test_people_are_told_apart(recognizer: DlibRecognizer, shared_data: Path) -> None:
    from unveil.images import read_image

    files = sorted((shared_data / "faces" / "london").glob("*/*.jpg"))[:8]
    images = [image[::2, ::2] for image in map(read_image, files) if not isinstance(image, Failure)]
    found = Mtcnn().detect(images)
    vectors = recognizer.embed(images, [one.face(one.largest()) for one in found])
    for (one, a), (two, b) in itertools.combinations(zip(files, vectors, strict=True), 2):
        distance = float(np.linalg.norm(np.subtract(a, b)))
        assert (distance <= recognizer.customary_threshold) == (one.parent == two.parent), (one.name, two.name)


def test_a_chip_can_show_the_place_that_another_picture_tells(
    recognizer: DlibRecognizer, generated: list[Image], faces: list[Face]
) -> None:
    assert np.array_equal(
        recognizer.chips(generated, faces, aligned_by=generated), recognizer.chips(generated, faces)
    )
    marked = [image.copy() for image in generated]
    for image in marked:
        image[:] = 0
        image[::2, 1::2] = 255  # nothing here tells where the face is
    rows = np.broadcast_to(np.arange(112)[:, None, None], (112, 112, 3)).astype(np.uint8)
    by_face = recognizer.chips([rows] * len(faces), faces, aligned_by=generated)
    by_other = recognizer.chips([rows] * len(faces), faces, aligned_by=marked)
    assert not np.array_equal(by_face, by_other), "the alignment is that of the other picture"
    spec = importlib.util.find_spec("face_recognition_models")
    assert spec is not None and spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0], "models")
    predictor = dlib.shape_predictor(str(folder / "shape_predictor_5_face_landmarks.dat"))
    left, top, right, bottom = (round(float(value)) for value in faces[0].box)
    shape = predictor(np.ascontiguousarray(generated[0]), dlib.rectangle(left, top, right - 1, bottom - 1))
    assert np.array_equal(
        by_face[0], dlib.get_face_chip(np.ascontiguousarray(rows), shape, size=150, padding=0.25)
    )
    with pytest.raises(ValueError, match="aligned_by must have the size of the picture"):
        recognizer.chips(generated[:1], faces[:1], aligned_by=[generated[0][:100]])

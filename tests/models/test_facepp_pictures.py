"""What is sent to Face++: within its limits, and mapped back to the pixels of the picture."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Pillow

from unveil.core.types import Face, Image
from unveil.models.facepp_pictures import LEAST_FACE, LEAST_SIDE, MOST_BYTES, MOST_SIDE, Upload, cut_out, whole

from .facepp_server import drawn


def sent(upload: Upload) -> tuple[Image, str]:
    with Pillow.open(io.BytesIO(upload.data)) as file:
        return np.asarray(file.convert("RGB")), str(file.format)


def noise(height: int, width: int) -> Image:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)


def test_a_picture_within_the_limits_is_sent_as_it_is() -> None:
    image = noise(48, 700)
    upload = whole(image)
    pixels, kind = sent(upload)
    assert kind == "PNG" and np.array_equal(pixels, image)
    assert upload.scale.tolist() == [1, 1] and upload.offset.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("size", "wanted"),
    [
        ((5000, 1000), (4096, 819)),
        ((4096, 4096), (4096, 4096)),
        ((24, 30), (48, 60)),
        ((1, 1), (48, 48)),
        ((4, 8000), (48, 4096)),  # too narrow: continued at its lower border
        ((8000, 4), (4096, 48)),
    ],
)
def test_sides(size: tuple[int, int], wanted: tuple[int, int]) -> None:
    image = np.full((*size, 3), (10, 200, 90), np.uint8)
    pixels, kind = sent(whole(image))
    assert pixels.shape[:2] == wanted and kind == "PNG"
    assert (pixels == (10, 200, 90)).all()


def test_what_is_continued_keeps_its_place() -> None:
    image = np.zeros((4, 4096, 3), np.uint8)
    image[3] = 250
    pixels, _ = sent(whole(image))
    assert np.array_equal(pixels[:4], image) and (pixels[4:] == 250).all()


def test_many_bytes_become_jpeg_and_then_fewer_pixels() -> None:
    flat, busy = noise(800, 1000), noise(1500, 2000)
    pixels, kind = sent(whole(flat))
    assert kind == "JPEG" and pixels.shape == flat.shape
    upload = whole(busy)
    pixels, kind = sent(upload)
    assert kind == "JPEG" and len(upload.data) <= MOST_BYTES
    assert 0.5 < pixels.shape[0] / busy.shape[0] < 1
    assert upload.scale == pytest.approx(np.array(pixels.shape[1::-1]) / busy.shape[1::-1])


def test_two_pictures_fit_in_one_request() -> None:
    face = Face(np.array([0, 0, 1000, 1000], np.float32))
    upload = cut_out(noise(1000, 1000), face)
    assert upload is not None and len(upload.data) <= MOST_BYTES // 2


def test_a_face_is_cut_out_with_half_its_box_around_it() -> None:
    image = noise(900, 1000)
    upload = cut_out(image, Face(np.array([400, 300, 600, 480], np.float32)))
    assert upload is not None
    assert np.array_equal(sent(upload)[0], image[200:580, 300:700])
    corners = np.array([[400, 300], [600, 480]], np.float32)
    assert upload.to_sent(corners).tolist() == [[100, 100], [300, 280]]


def test_a_small_face_is_enlarged_until_the_service_finds_it() -> None:
    image = drawn((60, 80, 30, (200, 40, 90)))
    upload = cut_out(image, Face(np.array([60, 80, 90, 110], np.float32)))
    assert upload is not None
    lively = np.ptp(sent(upload)[0].astype(int), axis=2) > 60
    rows, columns = np.flatnonzero(lively.any(axis=1)), np.flatnonzero(lively.any(axis=0))
    box = np.array([[columns[0], rows[0]], [columns[-1] + 1, rows[-1] + 1]], np.float32)
    assert (box[1] - box[0]).min() >= LEAST_FACE
    assert upload.from_sent(box) == pytest.approx(np.array([[60, 80], [90, 110]]), abs=0.6)


@pytest.mark.parametrize(
    "box", [(-50, 0, -10, 40), (0, 310, 40, 350), (400, 0, 440, 40), (9, 9, 9, 40), (40, 40, 9, 9)]
)
def test_a_box_outside_or_without_area_is_not_cut_out(box: tuple[int, ...]) -> None:
    assert cut_out(drawn(size=(300, 400)), Face(np.array(box, np.float32))) is None


@settings(deadline=None, max_examples=60)
@given(
    height=st.integers(1, 300), width=st.integers(1, 300), left=st.integers(-50, 320), top=st.integers(-50, 320),
    side=st.integers(1, 400),
)  # fmt: skip
def test_whatever_is_cut_out_is_within_the_limits(height: int, width: int, left: int, top: int, side: int) -> None:
    box = np.array([left, top, left + side, top + side], np.float32)
    upload = cut_out(np.full((height, width, 3), 90, np.uint8), Face(box))
    inside = left < width and top < height and left + side > 0 and top + side > 0
    assert (upload is not None) == inside
    if upload is None:
        return
    pixels, _ = sent(upload)
    assert LEAST_SIDE <= min(pixels.shape[:2]) <= max(pixels.shape[:2]) <= MOST_SIDE
    corners = box.reshape(2, 2)
    assert upload.from_sent(upload.to_sent(corners)) == pytest.approx(corners, abs=0.05)

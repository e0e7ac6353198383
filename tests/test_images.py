from __future__ import annotations

import csv
import io
import os
import struct
import threading
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Pillow

from unveil.core.types import Failure, Reason
from unveil.images import (
    MAX_PIXELS,
    decode,
    encode_jpeg,
    encode_png,
    read_bytes,
    read_image,
    read_size,
    valid_image,
)

WHITE = (255, 255, 255)


def encoded(picture: Pillow.Image, form: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, form, **options)
    return buffer.getvalue()


def pixels(data: bytes) -> np.ndarray:
    picture = decode(data)
    assert valid_image(picture), picture
    return picture


def reason(data: bytes) -> tuple[Reason, str]:
    failure = decode(data, "a.jpg")
    assert isinstance(failure, Failure)
    assert failure.detail.startswith("a.jpg: ") and "\n" not in failure.detail
    return failure.reason, failure.detail


def png_header(width: int, height: int, bits: int = 1) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = zlib.compress(bytes((width * bits + 7) // 8 + 1) * 4)
    header = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_every_nasty_file_gives_what_its_description_says(shared_data: Path) -> None:
    with (shared_data / "nasty" / "files.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) > 60
    heif = {row["file"] for row in rows if row["file"].endswith((".heic", ".heif"))}
    for row in rows:
        if row["file"] in heif:
            continue
        got = read_image(shared_data / "nasty" / row["file"])
        if row["pillow"] == "ok":
            assert valid_image(got), (row["file"], got)
            assert sorted(got.shape[:2]) == sorted((int(row["width"]), int(row["height"]))), row["file"]
        else:
            assert isinstance(got, Failure), row["file"]
            expected = Reason.TOO_LARGE if "Bomb" in row["pillow"] else Reason.UNDECODABLE
            assert got.reason == expected and Path(row["file"]).name in got.detail


@pytest.mark.parametrize("orientation", [2, 3, 4, 6, 8])
def test_orientations_agree_with_the_upright_picture(shared_data: Path, orientation: int) -> None:
    folder = shared_data / "nasty" / "pillow"
    upright = read_image(folder / "hopper.jpg").astype(int)
    turned = read_image(folder / f"hopper_orientation_{orientation}.jpg").astype(int)
    wrong = np.rot90(upright, 2)
    assert np.abs(turned - upright).mean() < 8 < np.abs(wrong - upright).mean()


def test_cmyk_agrees_with_its_rgb_twin(shared_data: Path) -> None:
    folder = shared_data / "nasty" / "pillow"
    cmyk = read_image(folder / "pil_sample_cmyk.jpg").astype(int)
    rgb = read_image(folder / "pil_sample_rgb.jpg").astype(int)
    assert np.abs(cmyk - rgb).mean() < 20 < np.abs(cmyk - (255 - rgb)).mean()


def test_sixteen_bit_grey_agrees_with_eight_bit(shared_data: Path) -> None:
    folder = shared_data / "nasty" / "pillow"
    deep = read_image(folder / "hopper_16bit.pgm").astype(int)
    flat = read_image(folder / "hopper_8bit.pgm").astype(int)
    assert np.abs(deep - flat).max() <= 1


def test_sixteen_bit_png_is_scaled_and_its_transparent_value_is_white() -> None:
    grey = np.array([[0, 257, 257 * 200, 65535]], np.uint16)
    data = encoded(Pillow.fromarray(grey), "PNG")
    assert pixels(data)[0, :, 0].tolist() == [0, 1, 200, 255]
    clear = encoded(Pillow.fromarray(grey), "PNG", transparency=257 * 200)
    assert pixels(clear)[0, :, 0].tolist() == [0, 1, 255, 255]


@pytest.mark.parametrize(
    "picture, options",
    [
        (Pillow.new("RGBA", (3, 2), (0, 0, 0, 0)), {}),
        (Pillow.new("LA", (3, 2), (0, 0)), {}),
        (Pillow.new("P", (3, 2), 0), {"transparency": 0}),
        (Pillow.new("L", (3, 2), 7), {"transparency": 7}),
        (Pillow.new("RGB", (3, 2), (1, 2, 3)), {"transparency": (1, 2, 3)}),
        (Pillow.new("1", (3, 2), 0), {"transparency": 0}),
    ],
    ids=lambda value: getattr(value, "mode", ""),
)
def test_what_is_transparent_becomes_white(picture: Pillow.Image, options: dict[str, object]) -> None:
    assert (pixels(encoded(picture, "PNG", **options)) == 255).all()


def test_half_transparent_red_over_white() -> None:
    data = encoded(Pillow.new("RGBA", (1, 1), (255, 0, 0, 128)), "PNG")
    assert np.abs(pixels(data)[0, 0].astype(int) - (255, 127, 127)).max() <= 1


def test_exif_rotation_swaps_the_sides_and_broken_exif_is_forgiven() -> None:
    exif = Pillow.Exif()
    exif[0x0112] = 6
    picture = Pillow.new("RGB", (30, 20), WHITE)
    data = encoded(picture, "JPEG", exif=exif)
    assert pixels(data).shape == (30, 20, 3)
    broken = data.replace(b"Exif\0\0MM", b"Exif\0\0??")
    assert broken != data
    assert pixels(broken).shape == (20, 30, 3)


def test_animations_give_their_first_frame() -> None:
    frames = [Pillow.new("RGB", (5, 4), colour) for colour in ((200, 0, 0), (0, 200, 0))]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert pixels(data)[0, 0].tolist() == [200, 0, 0]


def test_one_pixel_is_a_picture() -> None:
    assert pixels(encoded(Pillow.new("1", (1, 1), 1), "PNG")).tolist() == [[[255, 255, 255]]]


def test_files_that_are_no_pictures() -> None:
    whole = encoded(Pillow.effect_noise((64, 64), 50), "JPEG")
    assert reason(b"") == (Reason.UNDECODABLE, "a.jpg: the file is empty (0 bytes)")
    assert reason(b"a text called .jpg")[1] == "a.jpg: not a picture in a known format"
    assert "truncated" in reason(whole[: len(whole) // 2])[1]
    assert "pillow-heif" in reason(b"\0\0\0\x18ftypheic" + bytes(40))[1]


def test_postscript_is_never_handed_to_an_interpreter() -> None:
    script = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n"
    assert Pillow.open(io.BytesIO(script)).format == "EPS"  # what Pillow alone would take it for
    assert reason(script)[0] == Reason.UNDECODABLE


def test_bombs_are_refused_before_they_are_unpacked() -> None:
    assert MAX_PIXELS < 120_000_000
    assert reason(png_header(12_000, 10_000)) == (
        Reason.TOO_LARGE,
        "a.jpg: 120 megapixels, the limit is 100",
    )
    kind, detail = reason(png_header(20_000, 10_000))
    assert kind == Reason.TOO_LARGE and "200000000 pixels" in detail


def test_paths_that_are_no_readable_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "folder.jpg").mkdir()
    (tmp_path / "loop.jpg").symlink_to("loop.jpg")
    with (tmp_path / "huge.jpg").open("wb") as file:
        file.truncate((1 << 30) + 1)  # takes no space on the disk
    for name, said in {
        "pipe.jpg": "not a regular file",
        "folder.jpg": "not a regular file",
        "gone.jpg": "No such file",
        "loop.jpg": "symbolic links",
    }.items():
        failure = read_image(tmp_path / name)
        assert isinstance(failure, Failure) and failure.reason == Reason.UNDECODABLE
        assert failure.detail.startswith(f"{name}: ") and said in failure.detail
    huge = read_bytes(tmp_path / "huge.jpg")
    assert isinstance(huge, Failure) and huge.reason == Reason.TOO_LARGE and "1024" in huge.detail


SEEDS = [
    encoded(Pillow.effect_noise((24, 16), 80).convert(mode), form)
    for mode, form in [
        ("RGB", "JPEG"),
        ("RGBA", "PNG"),
        ("P", "GIF"),
        ("RGB", "WEBP"),
        ("L", "TIFF"),
        ("RGB", "AVIF"),
    ]
]


@settings(max_examples=300, deadline=None)
@given(
    seed=st.sampled_from(SEEDS),
    changes=st.lists(st.tuples(st.integers(0, 399), st.integers(0, 255)), min_size=1, max_size=8),
    cut=st.one_of(st.none(), st.integers(1, 400)),
)
def test_damaged_bytes_never_raise(seed: bytes, changes: list[tuple[int, int]], cut: int | None) -> None:
    data = bytearray(seed)
    for place, value in changes:
        data[place % len(data)] = value
    got = decode(bytes(data[:cut]), "a.jpg")
    assert valid_image(got) or (isinstance(got, Failure) and got.detail.startswith("a.jpg: "))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_png_is_lossless(height: int, width: int, seed: int) -> None:
    image = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    assert (pixels(encode_png(image)) == image).all()


def test_the_size_is_that_of_the_decoded_picture(tmp_path: Path, shared_data: Path) -> None:
    compared = 0
    for file in sorted((shared_data / "nasty").rglob("*.*")):
        size, image = read_size(file), read_image(file)
        if not isinstance(image, Failure):
            assert size == image.shape[1::-1], file.name
            compared += 1
        assert isinstance(size, tuple) or size.reason in (Reason.UNDECODABLE, Reason.TOO_LARGE)
    assert compared >= 50
    absent = read_size(tmp_path / "absent.jpg")
    assert isinstance(absent, Failure) and absent.detail == "absent.jpg: No such file or directory"


def test_jpeg_is_close() -> None:
    image = np.full((16, 16, 3), (90, 120, 150), np.uint8)
    assert np.abs(pixels(encode_jpeg(image)).astype(int) - image).max() < 4


def test_threads_that_decode_leave_the_warning_filters_alone() -> None:
    odd = encoded(Pillow.new("P", (9, 9), 1), "PNG", transparency=b"\x00\x80")
    before = list(warnings.filters)
    got: list[object] = []
    threads = [threading.Thread(target=lambda: got.extend(decode(odd) for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 200 and all(valid_image(picture) for picture in got)
    assert list(warnings.filters) == before


@pytest.mark.parametrize(
    "value",
    [None, [[1]], np.zeros((2, 2), np.uint8), np.zeros((2, 2, 4), np.uint8), np.zeros((2, 2, 3)),
     np.zeros((0, 2, 3), np.uint8)],
)  # fmt: skip
def test_what_is_not_an_image(value: object) -> None:
    assert not valid_image(value)
    assert valid_image(np.zeros((1, 1, 3), np.uint8))

from __future__ import annotations

import numpy as np
import pytest

from unveil.core.types import Failure, Image, Reason
from unveil.evaluations.fidelity import psnr, sharpness, ssim
from unveil.evaluations.quality import ImageQuality
from unveil.testing.toy_scenes import scene

from .scenes import MISSING, Album, observed

BROKEN = Failure(Reason.UNDECODABLE, "damaged")
COLUMNS = list(ImageQuality.meta.columns)


def look(original: Image | Failure, protected: Image | Failure, method: str = "mine") -> dict[str, object]:
    (row,) = observed(ImageQuality(), Album({"a": original}, {"a": protected}, method=method)).to_dict("records")
    return row


def test_the_four_numbers_of_a_picture() -> None:
    one, two = scene(1)[0], scene(2)[0]
    row = look(one, two)
    wanted = [ssim(one, two), psnr(one, two), sharpness(one), sharpness(two)]
    assert (row["unit_id"], row["sample_id"], row["status"], row["reason"]) == ("a", "a", "ok", "")
    assert [row[name] for name in COLUMNS] == pytest.approx(wanted, rel=1e-6)


def test_an_original_is_like_itself() -> None:
    image = scene(1)[0]
    row = look(image, MISSING, "original")
    assert row["ssim"] == pytest.approx(1) and row["psnr"] == 100
    assert row["sharpness"] == row["sharpness_original"]


def test_a_smaller_picture_is_brought_back_and_has_lost_something() -> None:
    image = scene(1)[0]
    row = look(image, image[::3, ::3].copy())
    assert row["status"] == "ok" and row["ssim"] < 1 and row["sharpness"] < row["sharpness_original"]
    assert look(image, np.zeros((1, 1, 3), np.uint8))["psnr"] < 20


@pytest.mark.parametrize("size", [(10, 40), (40, 10), (1, 1)])
def test_a_picture_below_the_window_says_so(size: tuple[int, int]) -> None:
    tiny = np.zeros((*size, 3), np.uint8)
    row = look(tiny, tiny)
    assert (row["status"], row["reason"]) == ("error", "too_small")
    assert all(np.isnan(row[name]) for name in COLUMNS)
    assert look(tiny, MISSING)["status"] == "not_protected"
    assert look(np.zeros((11, 11, 3), np.uint8), tiny)["status"] == "ok"


def test_what_cannot_be_read_or_was_left_out() -> None:
    image = scene(1)[0]
    row = look(image, MISSING)
    assert row["status"] == "not_protected" and row["sharpness_original"] > 0
    assert all(np.isnan(row[name]) for name in ("ssim", "psnr", "sharpness"))
    for one, two in ((BROKEN, image), (image, BROKEN)):
        row = look(one, two)
        assert (row["status"], row["reason"]) == ("error", "undecodable")
        assert all(np.isnan(row[name]) for name in COLUMNS)

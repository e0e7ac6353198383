"""The promises of models that say how different two pictures look."""

from __future__ import annotations

from typing import Any

import numpy as np

from unveil.core.fingerprint import rng
from unveil.core.types import Image
from unveil.testing.people import AWKWARD
from unveil.testing.rules import check_untouched, expect
from unveil.testing.sight import check_model
from unveil.testing.toy_scenes import scene

_TOLERANCE = 1e-4
_NOISE = (8, 60)
"""Standard deviations of mild and of strong noise, of 255."""


def check_perceptual_metric(metric: Any) -> None:
    """Check a perceptual metric on drawn scenes with noise, and on awkward pictures, such as one of 1 x 1 pixel.

    Args:
        metric: an instance.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_model(metric, "perceptual_metric")
    scenes = [scene(number)[0] for number in range(3)]
    left = scenes + [np.full((*size, 3), 200, np.uint8) for size in AWKWARD.values()]
    right = [_noisy(image, _NOISE[1]) for image in left]
    copies = [image.copy() for image in (*left, *right)]
    found = _differences(metric, left, right)
    check_untouched(metric, [*left, *right], copies)
    _differences(metric, [], [])
    expect(bool((found >= 0).all()), metric, "no difference is below 0")
    same = _differences(metric, left, left)
    expect(
        bool((np.abs(same) < _TOLERANCE).all()), metric, f"equal pictures must have the difference 0, not {same}"
    )
    again = _differences(metric, left, right)
    expect(np.allclose(found, again, atol=_TOLERANCE), metric, "other numbers when called again")
    alone = [_differences(metric, [one], [two])[0] for one, two in zip(left, right, strict=True)]
    expect(np.allclose(found, alone, atol=_TOLERANCE), metric, "other numbers for a pair in a batch of its own")
    mild = _differences(metric, scenes, [_noisy(image, _NOISE[0]) for image in scenes])
    strong = found[: len(scenes)]
    expect(bool((mild < strong).all()), metric, f"strong noise must differ more than mild noise: {strong}, {mild}")


def _noisy(image: Image, deviation: int) -> Image:
    noise = rng("noise", deviation).normal(0, deviation, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def _differences(metric: Any, left: list[Image], right: list[Image]) -> Any:
    found = metric.differences(left, right)
    right_kind = isinstance(found, np.ndarray) and found.dtype == np.float32 and found.shape == (len(left),)
    expect(right_kind, metric, f"must give float32 ({len(left)},) for {len(left)} pairs, not {found!r:.60}")
    expect(bool(np.isfinite(found).all()), metric, "every number must be finite")
    return found

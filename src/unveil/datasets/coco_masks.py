"""Regions of COCO annotations as masks: polygons, and run lengths in plain or compressed form.

Run lengths count pixels down the columns, first of the outside, then of the inside, and so on. Compressed, each
count is the difference to the last but one, in groups of five bits with the lowest first (COCO API,
``common/maskApi.c``). They are read here and not by the C code, which trusts them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.datasets.numbers import finite_numbers

_GROUP, _MORE, _NEGATIVE = 0x1F, 0x20, 0x10
_MOST_GROUPS = 7  # 35 bits: no picture has that many pixels


def to_mask(segmentation: object, height: int, width: int) -> NDArray[np.bool_]:
    """A region as a mask.

    Args:
        segmentation: as the annotation has it.
        height, width: of the picture.

    Returns:
        ``bool`` (height, width).

    Raises:
        ValueError: when it is no region of this picture; names rule and value.
    """
    if isinstance(segmentation, list):
        return _from_polygons(segmentation, height, width)
    if isinstance(segmentation, dict):
        return _from_runs(segmentation, height, width)
    raise ValueError(f"a segmentation is a list of polygons or run lengths, not {segmentation!r:.40}")


def _from_polygons(polygons: Sequence[object], height: int, width: int) -> NDArray[np.bool_]:
    from pycocotools import mask as coco

    points = [finite_numbers(polygon, "a polygon") for polygon in polygons]
    for polygon in points:
        if len(polygon) < 6 or len(polygon) % 2:
            raise ValueError(f"a polygon has three points or more, not {len(polygon)} numbers")
        x, y = np.array(polygon).reshape(-1, 2).T
        if x.min() < -width or y.min() < -height or x.max() > 2 * width or y.max() > 2 * height:
            raise ValueError(f"a polygon reaches far out of the picture of {width}x{height} pixels")
    region = coco.merge(coco.frPyObjects(points, height, width))
    return _from_runs({"size": [height, width], "counts": region["counts"].decode("ascii")}, height, width)


def _from_runs(region: dict[str, object], height: int, width: int) -> NDArray[np.bool_]:
    size, counts = region.get("size"), region.get("counts")
    if size != [height, width]:
        raise ValueError(f"the mask has the size (height, width) {size!r:.40}, the picture [{height}, {width}]")
    runs = _decompress(counts) if isinstance(counts, str) else counts
    if not isinstance(runs, list) or not all(type(run) is int and run >= 0 for run in runs):
        raise ValueError("run lengths are a text or whole numbers from 0")
    if sum(runs) != height * width:
        raise ValueError(f"the run lengths sum to {sum(runs)}, the picture has {height * width} pixels")
    inside = np.arange(len(runs)) % 2 == 1
    return np.ascontiguousarray(np.repeat(inside, runs).reshape(width, height).T)


def _decompress(text: str) -> list[int]:
    runs: list[int] = []
    value = groups = 0
    for position, letter in enumerate(text):
        bits = ord(letter) - 48
        if not 0 <= bits < 64 or groups == _MOST_GROUPS:
            raise ValueError(f"the compressed run lengths are broken at letter {position}: {letter!r}")
        value |= (bits & _GROUP) << (5 * groups)
        groups += 1
        if bits & _MORE:
            continue
        if bits & _NEGATIVE:
            value -= 1 << (5 * groups)
        runs.append(value + runs[-2] if len(runs) > 2 else value)  # the first three stand for themselves
        value = groups = 0
    if groups:
        raise ValueError("the compressed run lengths end in the middle of a number")
    return runs

"""What the ground is made of: colours as functions of the place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sample_scenes.light import noise
from sample_scenes.shapes import Array, Colour

Ground = Callable[[Array, Array], Array]


def speckled(colour: Colour, x: Array, y: Array, grain: float, size: float = 0.25) -> Array:
    """One colour with a grain that fades with distance."""
    fade = 1 / (1 + np.abs(y) / 12)
    return np.asarray(colour) * (1 + grain * fade * noise(x * size, y * size))[:, None]


def asphalt(x: Array, y: Array) -> Array:
    """A road's surface."""
    return speckled((0.16, 0.165, 0.175), x, y, 0.07)


def grass(x: Array, y: Array) -> Array:
    """A lawn."""
    return speckled((0.085, 0.19, 0.035), x, y, 0.22, 0.3)


def sand(x: Array, y: Array) -> Array:
    """A beach or a path."""
    return speckled((0.62, 0.48, 0.29), x, y, 0.09, 0.35)


def concrete(x: Array, y: Array) -> Array:
    """Grey and even."""
    return speckled((0.42, 0.42, 0.4), x, y, 0.06)


def tiles(x: Array, y: Array) -> Array:
    """Paving slabs of a metre."""
    out = speckled((0.45, 0.41, 0.36), x, y, 0.05)
    odd = (np.floor(x) + np.floor(y)) % 2 == 0
    joint = (np.abs(np.mod(x, 1) - 0.5) > 0.47) | (np.abs(np.mod(y, 1) - 0.5) > 0.47)
    return out * np.where(joint & (y < 18), 0.72, np.where(odd, 0.88, 1.0))[:, None]


def planks(x: Array, y: Array) -> Array:
    """Floor boards."""
    board = np.floor(y / 0.18)
    joint = (np.mod(y, 0.18) < 0.014) & (y < 12)
    out = (
        np.array([0.33, 0.19, 0.09])
        * (1 + 0.13 * noise(board * 0.137, board * 0.071) + 0.08 * noise(x * 0.08, y * 1.3))[:, None]
    )
    return out * np.where(joint, 0.55, 1.0)[:, None]


def lino(x: Array, y: Array) -> Array:
    """A hospital's floor."""
    return (
        speckled((0.45, 0.5, 0.5), x, y, 0.03)
        * np.where((np.mod(x, 1.2) < 0.02) | (np.mod(y, 1.2) < 0.02), 0.85, 1)[:, None]
    )


def carpet(x: Array, y: Array) -> Array:
    """Red."""
    return speckled((0.25, 0.09, 0.08), x, y, 0.1, 0.9)


def court(x: Array, y: Array) -> Array:
    """A sports hall's floor with lines."""
    out = (
        speckled((0.5, 0.28, 0.13), x, y, 0.04) * (1 + 0.06 * noise(np.floor(x / 0.12) * 0.13, y * 0.02))[:, None]
    )
    line = (np.abs(np.hypot(x, y - 5) - 2.5) < 0.06) | (np.abs(y - 5) < 0.06) | (np.abs(np.abs(x) - 6) < 0.06)
    return np.where(line[:, None], 0.85, out)


def water(x: Array, y: Array) -> Array:
    """Waves, brighter towards the horizon."""
    wave = noise(x * 0.05 + y * 0.01, y * 0.4) / (1 + y / 60)
    deep = np.clip(y / 120, 0, 1)[:, None]
    return (np.array([0.05, 0.17, 0.24]) * (1 - deep) + np.array([0.14, 0.3, 0.42]) * deep) * (1 + 0.16 * wave)[
        :, None
    ]


def gravel(x: Array, y: Array) -> Array:
    """Coarse and grey."""
    return speckled((0.27, 0.25, 0.23), x, y, 0.2, 1.1)


def bands(*layers: tuple[float, Ground]) -> Ground:
    """Ground that changes with distance: (up to which distance, what)."""

    def ground(x: Array, y: Array) -> Array:
        out, start = np.zeros((len(x), 3)), -1e9
        for end, kind in layers:
            here = (y >= start) & (y < end)
            if here.any():
                out[here] = kind(x[here], y[here])
            start = end
        return out

    return ground


def road(near: float, far: float) -> Ground:
    """A road across the picture between two distances."""

    def ground(x: Array, y: Array) -> Array:
        out, middle = asphalt(x, y), (near + far) / 2
        dash = (np.abs(y - middle) < 0.09) & (np.mod(x, 4) < 2.2)
        edge = (np.abs(y - near - 0.25) < 0.07) | (np.abs(y - far + 0.25) < 0.07)
        out[dash | edge] = (0.75, 0.75, 0.72)
        kerb = np.abs(y - near) < 0.12
        out[kerb] = (0.5, 0.5, 0.48)
        return out

    return ground


def rails(at: float) -> Ground:
    """A track across the picture."""

    def ground(x: Array, y: Array) -> Array:
        out = gravel(x, y)
        out[(np.mod(x, 0.7) < 0.26) & (np.abs(y - at) < 1.25)] *= 0.55
        out[np.abs(np.abs(y - at) - 0.72) < 0.05] = (0.5, 0.48, 0.46)
        return out

    return ground


def apron(x: Array, y: Array) -> Array:
    """Concrete slabs with a yellow line."""
    out = concrete(x, y) * np.where((np.mod(x, 6) < 0.08) | (np.mod(y, 6) < 0.08), 0.85, 1)[:, None]
    out[np.abs(y - 9 - 1.5 * np.sin(x / 9)) < 0.1] = (0.75, 0.55, 0.05)
    return out

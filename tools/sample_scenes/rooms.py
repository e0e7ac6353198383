"""Rooms: a living room, a hospital ward, a sports hall, an office."""

from __future__ import annotations

import numpy as np

from sample_scenes.grounds import Ground, carpet, court, lino, planks
from sample_scenes.road import STEEL, pick
from sample_scenes.shapes import Colour, Material, Mesh, box, ellipsoid, tube
from sample_scenes.weather import GREEN, Place, indoors


def _room(
    name: str,
    rng: np.random.Generator,
    floor: Ground,
    wall: Colour,
    far: float,
    props: list[Mesh],
) -> Place:
    sky, light = indoors(rng)
    wide, high = rng.uniform(3.4, 5.5), 3.1
    shell = [
        box((2 * wide + 2, 0.2, high), (0, far + 0.1, high / 2), wall),
        box((0.2, far + 6, high), (-wide, far / 2 - 2.9, high / 2), np.asarray(wall) * 0.92),
        box((0.2, far + 6, high), (wide, far / 2 - 2.9, high / 2), np.asarray(wall) * 0.92),
        box((2 * wide + 2, far + 6, 0.1), (0, far / 2 - 2.9, high), (0.82, 0.82, 0.8)),
        box((2 * wide + 2, 0.06, 0.12), (0, far - 0.02, 0.06), np.asarray(wall) * 0.6),
    ]
    return Place(name, floor, sky, light, shell + props)


def _framed(rng: np.random.Generator, x: float, y: float, z: float, w: float, h: float) -> list[Mesh]:
    return [
        box((w + 0.1, 0.04, h + 0.1), (x, y - 0.02, z), (0.25, 0.15, 0.07)),
        box((w, 0.05, h * 0.5), (x, y - 0.03, z + h * 0.25), pick(rng)),
        box((w, 0.05, h * 0.5), (x, y - 0.03, z - h * 0.25), pick(rng)),
    ]


def _window(x: float, y: float, z: float, w: float = 1.5, h: float = 1.4) -> list[Mesh]:
    return [
        box((w + 0.16, 0.06, h + 0.16), (x, y - 0.03, z), (0.8, 0.8, 0.78)),
        box((w, 0.07, h), (x, y - 0.03, z), (0.6, 0.75, 0.9), Material.LAMP),
        box((0.05, 0.09, h), (x, y - 0.03, z), (0.8, 0.8, 0.78)),
        box((w, 0.09, 0.05), (x, y - 0.03, z), (0.8, 0.8, 0.78)),
    ]


def living_room(rng: np.random.Generator, main: float, back: float) -> Place:
    """Sofa, lamp, pictures, a window, a plant."""
    far, side = max(main + 1.9, 4.0), rng.choice([-1, 1])
    sofa, x = pick(rng), side * rng.uniform(1.2, 2.0)
    props = [
        box((2.0, 0.8, 0.42), (x, far - 0.55, 0.25), sofa),
        box((2.0, 0.25, 0.85), (x, far - 0.2, 0.45), sofa * 0.9),
        *[box((0.22, 0.8, 0.62), (x + s, far - 0.55, 0.33), sofa * 0.85) for s in (-1.05, 1.05)],
        *[box((0.42, 0.15, 0.38), (x + s, far - 0.5, 0.62), pick(rng)) for s in (-0.6, 0.55)],
        *_framed(rng, x, far, 1.75, rng.uniform(0.7, 1.2), rng.uniform(0.5, 0.8)),
        *_window(-side * rng.uniform(1.3, 2.0), far, 1.6),
        tube([(-side * 2.7, far - 0.4, 0), (-side * 2.7, far - 0.4, 1.5)], 0.025, (0.1, 0.1, 0.1)),
        tube(
            [(-side * 2.7, far - 0.4, 1.45), (-side * 2.7, far - 0.4, 1.8)],
            [0.26, 0.15],
            (1.0, 0.9, 0.62),
            Material.LAMP,
        ),
        tube([(side * 3.0, far - 0.5, 0), (side * 3.0, far - 0.5, 0.4)], [0.16, 0.22], (0.5, 0.25, 0.15)),
        ellipsoid((0.4, 0.4, 0.6), (side * 3.0, far - 0.5, 0.9), GREEN, Material.FOLIAGE),
    ]
    return _room(
        "living room",
        rng,
        rng.choice([planks, carpet]),
        pick(rng, ((0.66, 0.62, 0.5), (0.45, 0.58, 0.58), (0.68, 0.5, 0.42), (0.72, 0.72, 0.68))),
        far,
        props,
    )


def ward(rng: np.random.Generator, main: float, back: float) -> Place:
    """A white room with a bed, a cupboard and a clock."""
    far, side = max(main + 1.9, 4.0), rng.choice([-1, 1])
    x = side * rng.uniform(1.5, 2.2)
    props = [
        box((1.9, 0.9, 0.25), (x, far - 0.7, 0.6), (0.85, 0.87, 0.9)),
        box((0.45, 0.7, 0.14), (x + side * 0.6, far - 0.7, 0.78), (0.9, 0.92, 0.95)),
        *[tube([(x + s, far - 0.35, 0), (x + s, far - 0.35, 0.95)], 0.03, STEEL) for s in (-0.95, 0.95)],
        *[tube([(x + s, far - 1.1, 0), (x + s, far - 1.1, 0.6)], 0.03, STEEL) for s in (-0.95, 0.95)],
        box((0.9, 0.4, 1.9), (-side * 2.4, far - 0.2, 0.95), (0.75, 0.78, 0.78)),
        box((0.02, 0.42, 1.8), (-side * 2.4, far - 0.21, 0.95), (0.4, 0.42, 0.42)),
        *_window(-side * 0.9, far, 1.7, 1.2, 1.2),
        box((9, 0.04, 0.18), (0, far - 0.01, 1.05), (0.25, 0.5, 0.5)),
        tube([(x - side * 1.2, far - 0.5, 0), (x - side * 1.2, far - 0.5, 1.9)], 0.018, STEEL),
        box((0.14, 0.05, 0.24), (x - side * 1.2, far - 0.55, 1.75), (0.75, 0.85, 0.9)),
    ]
    return _room("ward", rng, lino, (0.74, 0.78, 0.77), far, props)


def gym(rng: np.random.Generator, main: float, back: float) -> Place:
    """A sports hall with wall bars and a goal or basket."""
    far, side = max(main + 2.5, 4.6), rng.choice([-1, 1])
    x = side * rng.uniform(1.6, 2.6)
    bars = [box((1.7, 0.05, 0.05), (x, far - 0.1, z), (0.5, 0.32, 0.15)) for z in np.arange(0.3, 2.6, 0.24)]
    props = [
        *bars,
        *[box((0.07, 0.12, 2.6), (x + s, far - 0.06, 1.3), (0.45, 0.28, 0.12)) for s in (-0.85, 0, 0.85)],
        box((1.5, 0.05, 0.95), (-side * 1.6, far - 0.35, 2.35), (0.88, 0.88, 0.88)),
        box((0.5, 0.07, 0.36), (-side * 1.6, far - 0.36, 2.2), (0.75, 0.15, 0.1)),
        box((2.6, 0.5, 0.3), (-side * 2.3, far - 0.4, 0.15), pick(rng)),
    ]
    return _room("gym", rng, court, pick(rng, ((0.6, 0.64, 0.68), (0.7, 0.62, 0.45))), far, props)


def hall(rng: np.random.Generator, main: float, back: float) -> Place:
    """An office or shop: desk, shelves with things, a door."""
    far, side = max(main + 1.9, 4.0), rng.choice([-1, 1])
    x = side * rng.uniform(1.4, 2.2)
    shelf = [box((1.7, 0.35, 0.05), (x, far - 0.2, z), (0.4, 0.27, 0.14)) for z in (0.1, 0.6, 1.1, 1.6, 2.1)]
    books = [
        box((w, 0.22, h), (x + d, far - 0.22, z + h / 2), pick(rng))
        for z in (0.12, 0.62, 1.12, 1.62)
        for d, w, h in zip(
            np.linspace(-0.75, 0.75, 9), rng.uniform(0.05, 0.16, 9), rng.uniform(0.2, 0.4, 9), strict=True
        )
    ]
    door = [
        box((1.0, 0.06, 2.1), (-side * 1.5, far - 0.03, 1.05), (0.42, 0.26, 0.13), Material.WOOD),
        ellipsoid((0.04, 0.04, 0.04), (-side * 1.15, far - 0.1, 1.0), STEEL),
    ]
    return _room(
        "hall",
        rng,
        rng.choice([carpet, lino, planks]),
        pick(rng, ((0.7, 0.68, 0.62), (0.5, 0.55, 0.62))),
        far,
        [*shelf, *books, *door, *_framed(rng, -side * 2.8, far, 1.7, 0.6, 0.8)],
    )

"""Places out of doors, and the table of all places with the objects that belong there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sample_scenes import rooms
from sample_scenes.grounds import (
    Ground,
    apron,
    bands,
    concrete,
    grass,
    planks,
    rails,
    road,
    sand,
    speckled,
    tiles,
    water,
)
from sample_scenes.road import GLASS, STEEL, pick
from sample_scenes.shapes import Array, Material, Mesh, box, ellipsoid, tube
from sample_scenes.weather import GREEN, Place, outdoors

WALLS = (
    (0.62, 0.5, 0.38),
    (0.5, 0.2, 0.14),
    (0.7, 0.66, 0.58),
    (0.42, 0.45, 0.5),
    (0.62, 0.42, 0.25),
    (0.35, 0.4, 0.36),
)


def tree(rng: np.random.Generator, x: float, y: float) -> list[Mesh]:
    """A leafy tree, a fir or a palm."""
    kind, h = rng.choice(["leafy", "leafy", "fir"]), rng.uniform(4.0, 7.5)
    green = np.asarray(GREEN) * rng.uniform(0.8, 1.5) * (1 + 0.3 * rng.random(3))
    if kind == "fir":
        cones = [
            tube(
                [(x, y, h * t), (x, y, h * (t + 0.38))],
                [h * 0.24 * (1.15 - t), 0.02],
                green * (0.8 + 0.3 * t),
                Material.FOLIAGE,
            )
            for t in (0.15, 0.38, 0.6)
        ]
        return [tube([(x, y, 0), (x, y, h * 0.3)], 0.14, (0.14, 0.08, 0.04)), *cones]
    parts = [tube([(x, y, 0), (x + 0.1, y, h * 0.6)], [0.2, 0.1], (0.16, 0.1, 0.06), Material.WOOD)]
    for _ in range(6):
        r = rng.uniform(0.75, 1.2) * h / 5.5
        at = (x + rng.normal(0, 0.75), y + rng.normal(0, 0.5), h * rng.uniform(0.55, 0.85))
        parts.append(ellipsoid((r, r, r * 0.85), at, green * rng.uniform(0.8, 1.2), Material.FOLIAGE))
    return parts


def buildings(rng: np.random.Generator, y: float, *, low: float = 6, high: float = 17) -> list[Mesh]:
    """A row of houses across the picture from distance ``y`` on."""
    parts, x = [], -y * 1.1 - 6
    while x < y * 1.1 + 6:
        width, height = rng.uniform(5.2, 10.4), rng.uniform(low, high)
        wall = pick(rng, WALLS)
        parts.append(box((width, 8, height), (x + width / 2, y + 4, height / 2), wall, Material.FACADE))
        parts.append(box((width + 0.3, 8.4, 0.4), (x + width / 2, y + 4, height), wall * 0.6))
        if rng.random() < 0.5:
            parts.append(box((width * 0.9, 0.5, 0.25), (x + width / 2, y - 0.3, 2.9), pick(rng)))
            parts.append(box((width * 0.8, 0.1, 2.3), (x + width / 2, y - 0.04, 1.3), GLASS, Material.GLASS))
        x += width + (rng.uniform(1, 3) if rng.random() < 0.2 else 0.02)
    return parts


def hills(rng: np.random.Generator, y: float) -> list[Mesh]:
    """Wooded hills at the horizon."""
    return [
        ellipsoid(
            (rng.uniform(35, 80), 20, rng.uniform(6, 16)),
            (rng.uniform(-110, 110), y + rng.uniform(0, 40), -2),
            np.asarray((0.1, 0.17, 0.08)) * rng.uniform(0.7, 1.3),
            Material.FOLIAGE,
        )
        for _ in range(6)
    ]


def furniture(rng: np.random.Generator, near: float, far: float) -> list[Mesh]:
    """What stands in streets: lamp posts, bins, planters, bollards, signs, benches."""
    parts: list[Mesh] = []
    iron, wood = (0.06, 0.07, 0.075), (0.4, 0.25, 0.12)
    for _ in range(rng.integers(2, 5)):
        y = rng.uniform(near, far)
        x = rng.choice([-1, 1]) * rng.uniform(0.2, 0.5) * y
        kind = rng.choice(["lamp", "bin", "planter", "bollards", "sign", "bench"])
        if kind == "lamp":
            parts += [
                tube([(x, y, 0), (x, y, 3.6)], [0.07, 0.045], iron),
                ellipsoid((0.17, 0.17, 0.22), (x, y, 3.75), (1.0, 0.95, 0.8), Material.LAMP),
            ]
        elif kind == "bin":
            parts += [
                tube([(x, y, 0.05), (x, y, 0.8)], [0.2, 0.24], (0.1, 0.25, 0.14)),
                tube([(x, y, 0.8), (x, y, 0.84)], 0.26, iron),
            ]
        elif kind == "planter":
            parts.append(box((1.1, 0.5, 0.5), (x, y, 0.25), (0.5, 0.3, 0.2), Material.BRICK))
            parts += [
                ellipsoid((0.24, 0.24, 0.24), (x + d, y, 0.6), c, Material.FOLIAGE)
                for d, c in ((-0.35, GREEN), (0.0, pick(rng)), (0.35, GREEN))
            ]
        elif kind == "bollards":
            parts += [tube([(x + d, y, 0), (x + d, y, 0.75)], 0.07, iron) for d in (-1.2, 0, 1.2)]
        elif kind == "sign":
            parts += [
                tube([(x, y, 0), (x, y, 2.3)], 0.03, STEEL),
                box((0.5, 0.03, 0.5), (x, y - 0.03, 2.2), pick(rng)),
                box((0.3, 0.04, 0.1), (x, y - 0.035, 2.2), (0.9, 0.9, 0.9)),
            ]
        else:
            parts += [
                box((1.6, 0.45, 0.07), (x, y, 0.45), wood, Material.WOOD),
                box((1.6, 0.07, 0.35), (x, y + 0.22, 0.75), wood, Material.WOOD),
            ]
            parts += [box((0.07, 0.4, 0.45), (x + d, y, 0.22), iron) for d in (-0.65, 0.65)]
    return parts


def _outdoor(name: str, rng: np.random.Generator, ground: Ground, props: list[Mesh]) -> Place:
    sky, light = outdoors(rng)
    return Place(name, ground, sky, light, props)


def street(rng: np.random.Generator, main: float, back: float) -> Place:
    """Pavement, a road across, houses."""
    near = main + rng.uniform(0.9, 1.6)
    props = buildings(rng, back + 3)
    for x in np.arange(-14, 15, 7.0) if rng.random() < 0.5 else ():
        props += tree(rng, x + rng.uniform(-1, 1), back + 1.5)
    props += furniture(rng, main + 0.5, near) + furniture(rng, back + 0.6, back + 2)
    return _outdoor("street", rng, bands((near, tiles), (back, road(near, back)), (999, tiles)), props)


def square(rng: np.random.Generator, main: float, back: float) -> Place:
    """A paved square with houses around."""
    props = buildings(rng, back + 2, low=8)
    props += furniture(rng, main + 1.5, back + 1)
    return _outdoor("square", rng, bands((999, rng.choice([tiles, concrete]))), props)


def park(rng: np.random.Generator, main: float, back: float) -> Place:
    """Grass, a path, trees, hills."""
    path = rng.choice([sand, concrete])
    props = hills(rng, back + 60)
    for _ in range(rng.integers(5, 10)):
        props += tree(rng, rng.uniform(-0.9, 0.9) * back, back + rng.uniform(0, 9))
    props += furniture(rng, main + 1.7, main + 4)
    return _outdoor("park", rng, bands((main - 0.8, grass), (main + 1.6, path), (9999, grass)), props)


def country(rng: np.random.Generator, main: float, back: float) -> Place:
    """A country road."""
    near = main + rng.uniform(0.7, 1.3)
    props = hills(rng, back + 30)
    for _ in range(rng.integers(2, 6)):
        props += tree(rng, rng.uniform(-1, 1) * back, back + rng.uniform(2, 14))
    if rng.random() < 0.5:
        x = rng.uniform(-14, 14)
        props += [
            box((8, 6, 4), (x, back + 12, 2), pick(rng, WALLS), Material.BRICK),
            box((8.6, 6.6, 0.3), (x, back + 12, 4.1), (0.35, 0.1, 0.06)),
        ]
    return _outdoor("country", rng, bands((near, grass), (back, road(near, back)), (9999, grass)), props)


def beach(rng: np.random.Generator, main: float, back: float) -> Place:
    """Sand, sea, sunshades."""
    props: list[Mesh] = []
    for _ in range(rng.integers(1, 4)):
        x, y = rng.uniform(-5, 5), main + rng.uniform(1.5, 3.5)
        if abs(x) > 1.2:
            colour = pick(rng)
            props += [
                tube([(x, y, 0), (x, y, 2.1)], 0.03, (0.8, 0.8, 0.78)),
                tube([(x, y, 1.75), (x, y, 2.2)], [1.15, 0.02], colour, Material.CLOTH),
                box((0.6, 1.6, 0.06), (x + 0.7, y, 0.03), pick(rng), Material.CLOTH),
            ]
    shore = main + 2.4
    return _outdoor(
        "beach",
        rng,
        bands((shore, sand), (shore + 0.35, lambda x, y: speckled((0.75, 0.78, 0.78), x, y, 0.1)), (9999, water)),
        props,
    )


def harbour(rng: np.random.Generator, main: float, back: float) -> Place:
    """A quay, water, houses on the other side."""
    quay = main + rng.uniform(1.0, 1.8)
    props = buildings(rng, max(back, 26) + 14, low=5, high=11) if rng.random() < 0.6 else hills(rng, 90)
    for x in np.arange(-9, 10, 3.0):
        props.append(tube([(x, quay - 0.2, 0), (x, quay - 0.2, 0.45)], 0.13, (0.12, 0.1, 0.1)))
    return _outdoor("harbour", rng, bands((quay, rng.choice([planks, concrete])), (9999, water)), props)


def station(rng: np.random.Generator, main: float, back: float) -> Place:
    """A platform and a track behind it."""
    edge, track = main + 1.3, back
    props = []
    for x in np.arange(-12, 13, 6.0):
        props.append(tube([(x + 1.5, edge - 0.6, 0), (x + 1.5, edge - 0.6, 3.6)], 0.09, (0.12, 0.25, 0.2)))
    props.append(box((60, 2.4, 0.18), (0, edge - 0.6, 3.7), (0.3, 0.34, 0.36)))
    props += buildings(rng, track + 9, low=5, high=12) if rng.random() < 0.6 else hills(rng, track + 50)

    def platform(x: Array, y: Array) -> Array:
        out = concrete(x, y)
        out[np.abs(y - edge + 0.5) < 0.08] = (0.8, 0.65, 0.1)
        return out

    return _outdoor("station", rng, bands((edge, platform), (track + 4, rails(track)), (9999, grass)), props)


def airport(rng: np.random.Generator, main: float, back: float) -> Place:
    """An apron with the terminal or open fields behind."""
    props = hills(rng, back + 70)
    if rng.random() < 0.6:
        x = rng.uniform(-20, 20)
        props += [
            box((40, 10, 7), (x, back + 28, 3.5), (0.5, 0.53, 0.56), Material.FACADE),
            box((4, 4, 17), (x + rng.choice([-24, 24]), back + 28, 8.5), (0.65, 0.65, 0.63)),
        ]
    return _outdoor("airport", rng, bands((back + 14, apron), (9999, grass)), props)


PLACES: dict[str, tuple[Callable[[np.random.Generator, float, float], Place], frozenset[str]]] = {
    "street": (street, frozenset({"bicycle", "car", "motorcycle", "bus", "truck", "traffic light"})),
    "square": (square, frozenset({"bicycle", "car", "motorcycle", "bus", "truck", "traffic light"})),
    "park": (park, frozenset({"bicycle", "motorcycle", "airplane"})),
    "country": (country, frozenset({"bicycle", "car", "motorcycle", "bus", "truck"})),
    "beach": (beach, frozenset({"boat", "bicycle", "airplane"})),
    "harbour": (harbour, frozenset({"boat", "bicycle"})),
    "station": (station, frozenset({"train", "bicycle"})),
    "airport": (airport, frozenset({"airplane", "truck", "bus"})),
    "living room": (rooms.living_room, frozenset()),
    "ward": (rooms.ward, frozenset()),
    "gym": (rooms.gym, frozenset()),
    "hall": (rooms.hall, frozenset()),
}
"""Name -> (builder from a generator, distance of the people and of what is behind; objects it can have)."""

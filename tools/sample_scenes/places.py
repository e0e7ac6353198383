"""Where people are: ground, sky, buildings, trees, rooms, and which objects belong there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sample_scenes.light import Light, noise
from sample_scenes.road import GLASS, STEEL, pane, pick
from sample_scenes.shapes import Array, Colour, Material, Mesh, box, ellipsoid, tube

WALLS = ((0.62, 0.5, 0.38), (0.5, 0.2, 0.14), (0.7, 0.66, 0.58), (0.42, 0.45, 0.5), (0.62, 0.42, 0.25), (0.35, 0.4, 0.36))
GREEN = (0.07, 0.16, 0.035)


@dataclass(frozen=True, slots=True)
class Place:
    """A scenery without people and objects.

    Attributes:
        name: what it is.
        ground: (x, y) -> (n, 3) colours.
        sky: (n, 3) directions -> (n, 3) colours.
        light: of the scene.
        props: meshes.
    """

    name: str
    ground: Callable[[Array, Array], Array]
    sky: Callable[[Array], Array]
    light: Light
    props: list[Mesh]


def _flat(colour: Colour, x: Array, y: Array, grain: float, size: float = 0.25) -> Array:
    fade = 1 / (1 + np.abs(y) / 12)
    return np.asarray(colour) * (1 + grain * fade * noise(x * size, y * size))[:, None]


def asphalt(x: Array, y: Array) -> Array:
    return _flat((0.16, 0.165, 0.175), x, y, 0.07)


def grass(x: Array, y: Array) -> Array:
    return _flat((0.085, 0.19, 0.035), x, y, 0.22, 0.3)


def sand(x: Array, y: Array) -> Array:
    return _flat((0.62, 0.48, 0.29), x, y, 0.09, 0.35)


def concrete(x: Array, y: Array) -> Array:
    return _flat((0.42, 0.42, 0.4), x, y, 0.06)


def tiles(x: Array, y: Array) -> Array:
    out = _flat((0.45, 0.41, 0.36), x, y, 0.05)
    odd = (np.floor(x) + np.floor(y)) % 2 == 0
    joint = (np.abs(np.mod(x, 1) - 0.5) > 0.47) | (np.abs(np.mod(y, 1) - 0.5) > 0.47)
    return out * np.where(joint & (y < 18), 0.72, np.where(odd, 0.88, 1.0))[:, None]


def planks(x: Array, y: Array) -> Array:
    board = np.floor(y / 0.18)
    joint = (np.mod(y, 0.18) < 0.014) & (y < 12)
    out = np.array([0.33, 0.19, 0.09]) * (1 + 0.13 * noise(board * 0.137, board * 0.071) + 0.08 * noise(x * 0.08, y * 1.3))[:, None]
    return out * np.where(joint, 0.55, 1.0)[:, None]


def lino(x: Array, y: Array) -> Array:
    return _flat((0.45, 0.5, 0.5), x, y, 0.03) * np.where((np.mod(x, 1.2) < 0.02) | (np.mod(y, 1.2) < 0.02), 0.85, 1)[:, None]


def carpet(x: Array, y: Array) -> Array:
    return _flat((0.25, 0.09, 0.08), x, y, 0.1, 0.9)


def court(x: Array, y: Array) -> Array:
    out = _flat((0.5, 0.28, 0.13), x, y, 0.04) * (1 + 0.06 * noise(np.floor(x / 0.12) * 0.13, y * 0.02))[:, None]
    line = (np.abs(np.hypot(x, y - 5) - 2.5) < 0.06) | (np.abs(y - 5) < 0.06) | (np.abs(np.abs(x) - 6) < 0.06)
    return np.where(line[:, None], 0.85, out)


def water(x: Array, y: Array) -> Array:
    wave = noise(x * 0.05 + y * 0.01, y * 0.4) / (1 + y / 60)
    deep = np.clip(y / 120, 0, 1)[:, None]
    return (np.array([0.05, 0.17, 0.24]) * (1 - deep) + np.array([0.14, 0.3, 0.42]) * deep) * (1 + 0.16 * wave)[:, None]


def gravel(x: Array, y: Array) -> Array:
    return _flat((0.27, 0.25, 0.23), x, y, 0.2, 1.1)


def bands(*layers: tuple[float, Callable[[Array, Array], Array]]) -> Callable[[Array, Array], Array]:
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


def road(near: float, far: float) -> Callable[[Array, Array], Array]:
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


def rails(at: float) -> Callable[[Array, Array], Array]:
    """A track across the picture."""

    def ground(x: Array, y: Array) -> Array:
        out = gravel(x, y)
        out[(np.mod(x, 0.7) < 0.26) & (np.abs(y - at) < 1.25)] *= 0.55
        out[np.abs(np.abs(y - at) - 0.72) < 0.05] = (0.5, 0.48, 0.46)
        return out

    return ground


def apron(x: Array, y: Array) -> Array:
    out = concrete(x, y) * np.where((np.mod(x, 6) < 0.08) | (np.mod(y, 6) < 0.08), 0.85, 1)[:, None]
    out[np.abs(y - 9 - 1.5 * np.sin(x / 9)) < 0.1] = (0.75, 0.55, 0.05)
    return out


def _sky(rng: np.random.Generator) -> tuple[Callable[[Array], Array], Light]:
    mood = rng.choice(["clear", "clear", "cloudy", "grey", "evening"])
    top, low, cloud, sun, fill, soft = {
        "clear": ((0.1, 0.27, 0.65), (0.55, 0.72, 0.88), 0.5, (1.0, 0.93, 0.8), (0.42, 0.46, 0.52), 0.02),
        "cloudy": ((0.2, 0.36, 0.62), (0.68, 0.75, 0.8), 1.2, (0.75, 0.7, 0.62), (0.5, 0.52, 0.55), 0.05),
        "grey": ((0.48, 0.51, 0.55), (0.7, 0.72, 0.73), 0.5, (0.3, 0.3, 0.3), (0.68, 0.7, 0.73), 0.25),
        "evening": ((0.16, 0.2, 0.42), (0.9, 0.55, 0.3), 0.7, (1.0, 0.62, 0.33), (0.42, 0.4, 0.45), 0.03),
    }[mood]
    shift, side = rng.random(2), rng.uniform(-1.2, 1.2)

    def sky(direction: Array) -> Array:
        up = np.clip(direction[:, 2:], 0.0, 1.0)
        out = np.asarray(low) + (np.asarray(top) - np.asarray(low)) * np.clip(up * 1.7, 0, 1) ** 0.7
        plane = direction[:, :2] / (up + 0.12)
        cover = noise(plane[:, 0] * 0.045 + shift[0], plane[:, 1] * 0.05 + shift[1])
        share = np.clip((cover + cloud - 1.1) * 0.6, 0, 0.75)[:, None] * np.clip(up * 7, 0, 1)
        return out * (1 - share) + np.array([0.9, 0.9, 0.9]) * share

    height = 0.45 if mood == "evening" else rng.uniform(0.7, 1.5)
    return sky, Light((side, rng.uniform(-1.1, -0.5), height), sun, fill, soft)


def _indoors(rng: np.random.Generator) -> tuple[Callable[[Array], Array], Light]:
    warm = np.array([1.0, rng.uniform(0.84, 0.96), rng.uniform(0.68, 0.9)])
    light = Light((rng.uniform(-0.7, 0.7), rng.uniform(-1.0, -0.5), 1.3), tuple(0.6 * warm), tuple(0.56 * np.array([0.95, 0.97, 1.0])), 0.16)
    return (lambda direction: np.broadcast_to(np.array([0.8, 0.8, 0.78]), direction.shape)), light


def tree(rng: np.random.Generator, x: float, y: float) -> list[Mesh]:
    """A leafy tree, a fir or a palm."""
    kind, h = rng.choice(["leafy", "leafy", "fir"]), rng.uniform(4.0, 7.5)
    green = np.asarray(GREEN) * rng.uniform(0.8, 1.5) * (1 + 0.3 * rng.random(3))
    if kind == "fir":
        cones = [tube([(x, y, h * t), (x, y, h * (t + 0.38))], [h * 0.24 * (1.15 - t), 0.02], green * (0.8 + 0.3 * t), Material.FOLIAGE) for t in (0.15, 0.38, 0.6)]
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
        ellipsoid((rng.uniform(35, 80), 20, rng.uniform(6, 16)), (rng.uniform(-110, 110), y + rng.uniform(0, 40), -2),
                  np.asarray((0.1, 0.17, 0.08)) * rng.uniform(0.7, 1.3), Material.FOLIAGE)
        for _ in range(6)
    ]  # fmt: skip


def _outdoor(name: str, rng: np.random.Generator, ground: Callable[[Array, Array], Array], props: list[Mesh]) -> Place:
    sky, light = _sky(rng)
    return Place(name, ground, sky, light, props)


def street(rng: np.random.Generator, main: float, back: float) -> Place:
    """Pavement, a road across, houses."""
    near = main + rng.uniform(0.9, 1.6)
    props = buildings(rng, back + 3)
    for x in np.arange(-14, 15, 7.0) if rng.random() < 0.5 else ():
        props += tree(rng, x + rng.uniform(-1, 1), back + 1.5)
    return _outdoor("street", rng, bands((near, tiles), (back, road(near, back)), (999, tiles)), props)


def square(rng: np.random.Generator, main: float, back: float) -> Place:
    """A paved square with houses around."""
    props = buildings(rng, back + 2, low=8)
    x = rng.choice([-1, 1]) * rng.uniform(3, 6)
    props += [box((1.8, 0.5, 0.08), (x, main + 2.5, 0.45), (0.4, 0.25, 0.12), Material.WOOD), box((1.8, 0.08, 0.4), (x, main + 2.75, 0.75), (0.4, 0.25, 0.12), Material.WOOD)]
    return _outdoor("square", rng, bands((999, rng.choice([tiles, concrete]))), props)


def park(rng: np.random.Generator, main: float, back: float) -> Place:
    """Grass, a path, trees, hills."""
    path = rng.choice([sand, concrete])
    props = hills(rng, back + 60)
    for _ in range(rng.integers(5, 10)):
        props += tree(rng, rng.uniform(-0.9, 0.9) * back, back + rng.uniform(0, 9))
    return _outdoor("park", rng, bands((main - 0.8, grass), (main + 1.6, path), (9999, grass)), props)


def country(rng: np.random.Generator, main: float, back: float) -> Place:
    """A country road."""
    near = main + rng.uniform(0.7, 1.3)
    props = hills(rng, back + 30)
    for _ in range(rng.integers(2, 6)):
        props += tree(rng, rng.uniform(-1, 1) * back, back + rng.uniform(2, 14))
    if rng.random() < 0.5:
        x = rng.uniform(-14, 14)
        props += [box((8, 6, 4), (x, back + 12, 2), pick(rng, WALLS), Material.BRICK), box((8.6, 6.6, 0.3), (x, back + 12, 4.1), (0.35, 0.1, 0.06))]
    return _outdoor("country", rng, bands((near, grass), (back, road(near, back)), (9999, grass)), props)


def beach(rng: np.random.Generator, main: float, back: float) -> Place:
    """Sand, sea, sunshades."""
    props: list[Mesh] = []
    for _ in range(rng.integers(1, 4)):
        x, y = rng.uniform(-5, 5), main + rng.uniform(1.5, 3.5)
        if abs(x) > 1.2:
            colour = pick(rng)
            props += [tube([(x, y, 0), (x, y, 2.1)], 0.03, (0.8, 0.8, 0.78)), tube([(x, y, 1.75), (x, y, 2.2)], [1.15, 0.02], colour, Material.CLOTH), box((0.6, 1.6, 0.06), (x + 0.7, y, 0.03), pick(rng), Material.CLOTH)]
    shore = main + 4.2
    return _outdoor("beach", rng, bands((shore, sand), (shore + 0.35, lambda x, y: _flat((0.75, 0.78, 0.78), x, y, 0.1)), (9999, water)), props)


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
        props += [box((40, 10, 7), (x, back + 28, 3.5), (0.5, 0.53, 0.56), Material.FACADE), box((4, 4, 17), (x + rng.choice([-24, 24]), back + 28, 8.5), (0.65, 0.65, 0.63)), ]
    return _outdoor("airport", rng, bands((back + 14, apron), (9999, grass)), props)


def _room(name: str, rng: np.random.Generator, floor: Callable[[Array, Array], Array], wall: Colour, far: float, props: list[Mesh]) -> Place:
    sky, light = _indoors(rng)
    wide, high = rng.uniform(3.4, 5.5), 3.1
    shell = [
        box((2 * wide + 2, 0.2, high), (0, far + 0.1, high / 2), wall), box((0.2, far + 6, high), (-wide, far / 2 - 2.9, high / 2), np.asarray(wall) * 0.92),
        box((0.2, far + 6, high), (wide, far / 2 - 2.9, high / 2), np.asarray(wall) * 0.92), box((2 * wide + 2, far + 6, 0.1), (0, far / 2 - 2.9, high), (0.82, 0.82, 0.8)),
        box((2 * wide + 2, 0.06, 0.12), (0, far - 0.02, 0.06), np.asarray(wall) * 0.6),
    ]  # fmt: skip
    return Place(name, floor, sky, light, shell + props)


def _framed(rng: np.random.Generator, x: float, y: float, z: float, w: float, h: float) -> list[Mesh]:
    return [
        box((w + 0.1, 0.04, h + 0.1), (x, y - 0.02, z), (0.25, 0.15, 0.07)),
        box((w, 0.05, h * 0.5), (x, y - 0.03, z + h * 0.25), pick(rng)), box((w, 0.05, h * 0.5), (x, y - 0.03, z - h * 0.25), pick(rng)),
    ]  # fmt: skip


def _window(x: float, y: float, z: float, w: float = 1.5, h: float = 1.4) -> list[Mesh]:
    return [
        box((w + 0.16, 0.06, h + 0.16), (x, y - 0.03, z), (0.8, 0.8, 0.78)), box((w, 0.07, h), (x, y - 0.03, z), (0.6, 0.75, 0.9), Material.LAMP),
        box((0.05, 0.09, h), (x, y - 0.03, z), (0.8, 0.8, 0.78)), box((w, 0.09, 0.05), (x, y - 0.03, z), (0.8, 0.8, 0.78)),
    ]  # fmt: skip


def living_room(rng: np.random.Generator, main: float, back: float) -> Place:
    """Sofa, lamp, pictures, a window, a plant."""
    far, side = max(main + 1.9, 4.0), rng.choice([-1, 1])
    sofa, x = pick(rng), side * rng.uniform(1.2, 2.0)
    props = [
        box((2.0, 0.8, 0.42), (x, far - 0.55, 0.25), sofa), box((2.0, 0.25, 0.85), (x, far - 0.2, 0.45), sofa * 0.9),
        *[box((0.22, 0.8, 0.62), (x + s, far - 0.55, 0.33), sofa * 0.85) for s in (-1.05, 1.05)],
        *[box((0.42, 0.15, 0.38), (x + s, far - 0.5, 0.62), pick(rng)) for s in (-0.6, 0.55)],
        *_framed(rng, x, far, 1.75, rng.uniform(0.7, 1.2), rng.uniform(0.5, 0.8)), *_window(-side * rng.uniform(1.3, 2.0), far, 1.6),
        tube([(-side * 2.7, far - 0.4, 0), (-side * 2.7, far - 0.4, 1.5)], 0.025, (0.1, 0.1, 0.1)),
        tube([(-side * 2.7, far - 0.4, 1.45), (-side * 2.7, far - 0.4, 1.8)], [0.26, 0.15], (1.0, 0.9, 0.62), Material.LAMP),
        tube([(side * 3.0, far - 0.5, 0), (side * 3.0, far - 0.5, 0.4)], [0.16, 0.22], (0.5, 0.25, 0.15)),
        ellipsoid((0.4, 0.4, 0.6), (side * 3.0, far - 0.5, 0.9), GREEN, Material.FOLIAGE),
    ]  # fmt: skip
    return _room("living room", rng, rng.choice([planks, carpet]), pick(rng, ((0.66, 0.62, 0.5), (0.45, 0.58, 0.58), (0.68, 0.5, 0.42), (0.72, 0.72, 0.68))), far, props)


def ward(rng: np.random.Generator, main: float, back: float) -> Place:
    """A white room with a bed, a cupboard and a clock."""
    far, side = max(main + 1.9, 4.0), rng.choice([-1, 1])
    x = side * rng.uniform(1.5, 2.2)
    props = [
        box((1.9, 0.9, 0.25), (x, far - 0.7, 0.6), (0.85, 0.87, 0.9)), box((0.45, 0.7, 0.14), (x + side * 0.6, far - 0.7, 0.78), (0.9, 0.92, 0.95)),
        *[tube([(x + s, far - 0.35, 0), (x + s, far - 0.35, 0.95)], 0.03, STEEL) for s in (-0.95, 0.95)],
        *[tube([(x + s, far - 1.1, 0), (x + s, far - 1.1, 0.6)], 0.03, STEEL) for s in (-0.95, 0.95)],
        box((0.9, 0.4, 1.9), (-side * 2.4, far - 0.2, 0.95), (0.75, 0.78, 0.78)), box((0.02, 0.42, 1.8), (-side * 2.4, far - 0.21, 0.95), (0.4, 0.42, 0.42)),
        *_window(-side * 0.9, far, 1.7, 1.2, 1.2), box((9, 0.04, 0.18), (0, far - 0.01, 1.05), (0.25, 0.5, 0.5)),
        tube([(x - side * 1.2, far - 0.5, 0), (x - side * 1.2, far - 0.5, 1.9)], 0.018, STEEL), box((0.14, 0.05, 0.24), (x - side * 1.2, far - 0.55, 1.75), (0.75, 0.85, 0.9)),
    ]  # fmt: skip
    return _room("ward", rng, lino, (0.74, 0.78, 0.77), far, props)


def gym(rng: np.random.Generator, main: float, back: float) -> Place:
    """A sports hall with wall bars and a goal or basket."""
    far, side = max(main + 2.5, 4.6), rng.choice([-1, 1])
    x = side * rng.uniform(1.6, 2.6)
    bars = [box((1.7, 0.05, 0.05), (x, far - 0.1, z), (0.5, 0.32, 0.15)) for z in np.arange(0.3, 2.6, 0.24)]
    props = [*bars, *[box((0.07, 0.12, 2.6), (x + s, far - 0.06, 1.3), (0.45, 0.28, 0.12)) for s in (-0.85, 0, 0.85)],
             box((1.5, 0.05, 0.95), (-side * 1.6, far - 0.35, 2.35), (0.88, 0.88, 0.88)), box((0.5, 0.07, 0.36), (-side * 1.6, far - 0.36, 2.2), (0.75, 0.15, 0.1)),
             box((2.6, 0.5, 0.3), (-side * 2.3, far - 0.4, 0.15), pick(rng))]  # fmt: skip
    return _room("gym", rng, court, pick(rng, ((0.6, 0.64, 0.68), (0.7, 0.62, 0.45))), far, props)


def hall(rng: np.random.Generator, main: float, back: float) -> Place:
    """An office or shop: desk, shelves with things, a door."""
    far, side = max(main + 1.9, 4.0), rng.choice([-1, 1])
    x = side * rng.uniform(1.4, 2.2)
    shelf = [box((1.7, 0.35, 0.05), (x, far - 0.2, z), (0.4, 0.27, 0.14)) for z in (0.1, 0.6, 1.1, 1.6, 2.1)]
    books = [box((w, 0.22, h), (x + d, far - 0.22, z + h / 2), pick(rng)) for z in (0.12, 0.62, 1.12, 1.62)
             for d, w, h in zip(np.linspace(-0.75, 0.75, 9), rng.uniform(0.05, 0.16, 9), rng.uniform(0.2, 0.4, 9), strict=True)]  # fmt: skip
    door = [box((1.0, 0.06, 2.1), (-side * 1.5, far - 0.03, 1.05), (0.42, 0.26, 0.13), Material.WOOD), ellipsoid((0.04, 0.04, 0.04), (-side * 1.15, far - 0.1, 1.0), STEEL)]
    return _room("hall", rng, rng.choice([carpet, lino, planks]), pick(rng, ((0.7, 0.68, 0.62), (0.5, 0.55, 0.62))), far, [*shelf, *books, *door, *_framed(rng, -side * 2.8, far, 1.7, 0.6, 0.8)])


PLACES: dict[str, tuple[Callable[[np.random.Generator, float, float], Place], frozenset[str]]] = {
    "street": (street, frozenset({"bicycle", "car", "motorcycle", "bus", "truck", "traffic light"})),
    "square": (square, frozenset({"bicycle", "car", "motorcycle", "bus", "truck", "traffic light"})),
    "park": (park, frozenset({"bicycle", "motorcycle", "airplane"})),
    "country": (country, frozenset({"bicycle", "car", "motorcycle", "bus", "truck"})),
    "beach": (beach, frozenset({"boat", "bicycle", "airplane"})),
    "harbour": (harbour, frozenset({"boat", "bicycle"})),
    "station": (station, frozenset({"train", "bicycle"})),
    "airport": (airport, frozenset({"airplane", "truck", "bus"})),
    "living room": (living_room, frozenset()), "ward": (ward, frozenset()), "gym": (gym, frozenset()), "hall": (hall, frozenset()),
}  # fmt: skip
"""Name -> (builder by random generator, distance of the main person and of what is behind, objects it can have)."""

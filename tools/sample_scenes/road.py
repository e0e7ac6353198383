"""Road vehicles and traffic lights as simple solids, several kinds and colours of each."""

# ruff: noqa: RUF005 -- arrays are added here, not concatenated
from __future__ import annotations

import numpy as np

from sample_scenes.shapes import (
    Array,
    Colour,
    Material,
    Mesh,
    box,
    ellipsoid,
    extrude,
    hoop,
    merge,
    mesh,
    tube,
    wheel,
)

PAINTS = (
    (0.7, 0.08, 0.08),
    (0.1, 0.22, 0.55),
    (0.85, 0.85, 0.84),
    (0.08, 0.08, 0.09),
    (0.5, 0.52, 0.55),
    (0.85, 0.6, 0.1),
    (0.12, 0.4, 0.22),
    (0.75, 0.32, 0.08),
    (0.3, 0.55, 0.7),
    (0.42, 0.12, 0.3),
)
GLASS = (0.14, 0.19, 0.24)
BLACK = (0.045, 0.045, 0.05)
STEEL = (0.6, 0.62, 0.65)
LAMP = (1.0, 0.97, 0.8)
RED = (0.85, 0.06, 0.05)


def pick(rng: np.random.Generator, options: tuple[Colour, ...] = PAINTS) -> Array:
    """One of the colours, a little lighter or darker."""
    return np.clip(np.asarray(options[rng.integers(len(options))]) * rng.uniform(0.85, 1.15), 0, 1)


def pane(corners: Array, colour: Colour = GLASS, material: Material = Material.GLASS) -> Mesh:
    """A flat polygon (n, 3)."""
    corners = np.asarray(corners, float)
    i = np.arange(1, len(corners) - 1)
    return mesh(corners, np.stack([0 * i, i, i + 1], 1), colour, material)


def side_panes(outline: Array, y: float, lean: float = 0.0) -> list[Mesh]:
    """The same window (n, 2: x and z) on both sides; ``lean`` pulls its upper edge inwards."""
    outline = np.asarray(outline, float)
    height = outline[:, 1] - outline[:, 1].min()
    inward = y - lean * height
    return [pane(np.stack([outline[:, 0], side * inward, outline[:, 1]], 1)) for side in (-1, 1)]


def car(rng: np.random.Generator) -> Mesh:
    """Saloon, hatchback, estate, off-roader or taxi."""
    kind = rng.choice(["saloon", "hatch", "suv", "taxi", "van"])
    paint = np.array([0.9, 0.65, 0.08]) if kind == "taxi" else pick(rng)
    lift = {"suv": 0.16, "van": 0.1}.get(kind, 0.0)
    roof = {"suv": 1.62, "van": 1.85, "hatch": 1.45}.get(kind, 1.4) + lift * 0.3
    half, wide, z0, belt = 2.1, 0.85, 0.24 + lift, 0.86 + lift
    low = [
        (-half, z0),
        (-half - 0.06, 0.55 + lift),
        (-half + 0.02, belt - 0.06),
        (half - 0.55, belt - 0.08),
        (half - 0.02, belt - 0.25),
        (half + 0.05, 0.5 + lift),
        (half - 0.03, z0),
    ]
    back, rear = {"saloon": (-1.75, -1.1), "taxi": (-1.75, -1.1), "hatch": (-2.0, -1.5)}.get(kind, (-2.06, -1.95))
    front, top = {"van": (1.75, 0.95)}.get(kind, (1.15, 0.35))
    cabin = [(back, belt - 0.1), (rear, roof), (top, roof), (front, belt - 0.1)]
    narrow = np.array([1.0, 0.84, 0.84, 1.0])
    parts = [
        extrude(np.array(low), (-wide, wide), paint, Material.GLOSSY),
        extrude(np.array(cabin), (-wide * 0.96, wide * 0.96), paint, Material.GLOSSY, narrow),
        box((0.12, 1.7, 0.16), (half, 0, z0 + 0.12), BLACK),
        box((0.12, 1.7, 0.16), (-half, 0, z0 + 0.12), BLACK),
    ]
    lean = wide * 0.16 / (roof - belt + 0.1)
    y = wide * 0.975 - lean * 0.13
    bar = (rear + top) / 2 + 0.05

    def at(z: float, a: tuple[float, float], b: tuple[float, float]) -> float:
        return float(np.interp(z, [a[1], b[1]], [a[0], b[0]]))

    lower, upper = belt + 0.03, roof - 0.09
    rear_low, rear_high = at(lower, cabin[0], cabin[1]) + 0.14, at(upper, cabin[0], cabin[1]) + 0.12
    front_low, front_high = at(lower, cabin[3], cabin[2]) - 0.16, at(upper, cabin[3], cabin[2]) - 0.1
    parts += side_panes([(rear_low, lower), (rear_high, upper), (bar - 0.05, upper), (bar - 0.05, lower)], y, lean)
    parts += side_panes(
        [(bar + 0.05, lower), (bar + 0.05, upper), (front_high, upper), (front_low, lower)], y, lean
    )
    for (x0, zz0), (x1, zz1), out in ((cabin[3], cabin[2], 0.012), (cabin[0], cabin[1], -0.012)):
        t = np.array([0.18, 0.9])
        x, z = x0 + (x1 - x0) * t + out, zz0 + (zz1 - zz0) * t + 0.008
        w = wide * 0.96 * (1 - 0.16 * t) - 0.09
        parts.append(pane([(x[0], -w[0], z[0]), (x[0], w[0], z[0]), (x[1], w[1], z[1]), (x[1], -w[1], z[1])]))
    for x in (-1.3, 1.3):
        for side in (-1, 1):
            parts.append(wheel(0.33 + lift * 0.4, 0.2, (x, side * (wide - 0.07), 0.33 + lift * 0.4)))
    for side in (-1, 1):
        parts += [
            box((0.12, 0.36, 0.15), (half - 0.02, side * 0.6, belt - 0.3), LAMP, Material.LAMP),
            box((0.1, 0.3, 0.16), (-half + 0.0, side * 0.62, belt - 0.2), RED, Material.LAMP),
            box((0.14, 0.12, 0.1), (front_low + 0.1, side * (wide + 0.06), belt + 0.06), paint),
            box((0.16, 0.01, 0.03), (bar - 0.3, side * (wide + 0.005), belt - 0.14), STEEL),
        ]
        parts.append(
            box((0.012, 0.01, belt - z0 - 0.15), (bar, side * (wide + 0.001), (belt + z0) / 2), paint * 0.5)
        )
    parts += [
        box((0.02, 0.45, 0.12), (half + 0.06, 0, z0 + 0.2), (0.9, 0.9, 0.85)),
        box((0.03, 0.9, 0.1), (half + 0.03, 0, belt - 0.34), BLACK),
    ]
    if kind == "taxi":
        parts.append(box((0.3, 0.6, 0.16), (-0.3, 0, roof + 0.09), (0.95, 0.95, 0.8), Material.LAMP))
    return merge(parts)


def bus(rng: np.random.Generator) -> Mesh:
    """City bus, coach or double-decker."""
    double, paint = rng.random() < 0.35, pick(rng)
    half, wide, roof = 4.6, 1.25, 4.1 if double else 2.95
    second = np.clip(paint * 0.6 + 0.35, 0, 1) if rng.random() < 0.5 else paint * 0.7
    body = [
        (-half, 0.35),
        (-half, roof - 0.15),
        (-half + 0.2, roof),
        (half - 0.25, roof),
        (half, roof - 0.3),
        (half, 0.35),
    ]
    parts = [extrude(np.array(body), (-wide, wide), paint, Material.GLOSSY)]
    for z in (1.35, 2.75) if double else (1.35,):
        for x in np.arange(-half + 0.35, half - 0.9, 1.22):
            parts += side_panes([(x, z), (x, z + 0.95), (x + 1.1, z + 0.95), (x + 1.1, z)], wide + 0.012)
        front = [(half + 0.015, y, zz) for y, zz in ((-1.1, z), (1.1, z), (1.1, z + 1.0), (-1.1, z + 1.0))]
        parts.append(pane(front))
        parts.append(
            pane([(-half - 0.015, y, zz) for y, zz in ((-1.0, z), (1.0, z), (1.0, z + 0.8), (-1.0, z + 0.8))])
        )
    parts += side_panes(
        [(half - 0.85, 0.5), (half - 0.85, 2.3), (half - 0.1, 2.3), (half - 0.1, 0.5)], wide + 0.014
    )
    for side in (-1, 1):
        parts.append(box((2 * half, 0.02, 0.22), (0, side * (wide + 0.004), 1.0), second))
        parts.append(box((0.06, 0.35, 0.2), (half, side * 0.95, 0.75), LAMP, Material.LAMP))
        parts.append(box((0.06, 0.25, 0.3), (-half, side * 1.0, 0.9), RED, Material.LAMP))
        parts.append(box((0.1, 0.12, 0.4), (half + 0.1, side * (wide + 0.15), 2.1), BLACK))
        parts += [wheel(0.48, 0.25, (x, side * (wide - 0.08), 0.48)) for x in (-2.6, 2.7)]
    parts.append(box((0.06, 1.5, 0.3), (half + 0.02, 0, roof - 0.38), (1.0, 0.7, 0.15), Material.LAMP))
    parts.append(box((0.08, 2.3, 0.25), (half, 0, 0.48), BLACK))
    return merge(parts)


def truck(rng: np.random.Generator) -> Mesh:
    """Box lorry, tanker, tipper or pick-up lorry with a load."""
    kind, paint = rng.choice(["box", "tank", "tipper", "flat"]), pick(rng)
    half, wide = 3.6, 1.2
    cab = [(1.75, 0.55), (1.75, 2.65), (3.05, 2.65), (3.45, 1.75), (3.62, 1.4), (3.62, 0.55)]
    parts = [
        extrude(np.array(cab), (-wide * 0.95, wide * 0.95), paint, Material.GLOSSY),
        box((7.0, 1.0, 0.22), (0.0, 0, 0.72), (0.12, 0.12, 0.13)),
        pane([(3.12, -1.0, 2.5), (3.12, 1.0, 2.5), (3.48, 1.0, 1.75), (3.48, -1.0, 1.75)]),
        box((0.08, 2.2, 0.3), (3.62, 0, 0.55), BLACK),
        box((0.06, 1.4, 0.35), (3.62, 0, 1.1), BLACK),
    ]
    parts += side_panes([(2.1, 1.65), (2.1, 2.4), (2.95, 2.4), (3.25, 1.65)], wide * 0.95 + 0.012)
    for side in (-1, 1):
        parts.append(box((0.08, 0.34, 0.22), (3.61, side * 0.85, 0.88), LAMP, Material.LAMP))
        parts.append(box((0.15, 0.14, 0.5), (3.2, side * 1.35, 2.0), BLACK))
        parts.append(box((0.06, 0.25, 0.2), (-half, side * 0.9, 0.85), RED, Material.LAMP))
        parts += [wheel(0.5, 0.3, (x, side * (wide - 0.15), 0.5)) for x in (-2.6, -1.5, 2.6)]
    load = pick(rng)
    if kind == "box":
        parts.append(box((5.1, 2.4, 2.35), (-1.0, 0, 2.05), load, Material.GLOSSY))
        stripe = pick(rng)
        parts += [box((5.0, 0.02, 0.4), (-1.0, s * 1.21, 1.9), stripe) for s in (-1, 1)]
        parts += [box((0.03, 0.03, 2.3), (-3.56, s * 0.05, 2.05), (0.2, 0.2, 0.2)) for s in (-1, 1)]
    elif kind == "tank":
        parts.append(
            tube(
                [(-3.5, 0, 1.85), (-3.4, 0, 1.85), (1.3, 0, 1.85), (1.4, 0, 1.85)],
                [0.9, 1.05, 1.05, 0.9],
                (0.75, 0.77, 0.8),
                Material.GLOSSY,
            )
        )
        parts += [tube([(x, 0, 1.85), (x + 0.12, 0, 1.85)], 1.07, load) for x in (-2.6, -1.0, 0.5)]
    elif kind == "tipper":
        bed = [(-3.6, 1.1), (-3.6, 2.1), (1.5, 2.3), (1.5, 0.95), (-2.8, 0.95)]
        parts.append(extrude(np.array(bed), (-wide, wide), load, Material.MATTE))
        parts += [box((0.1, 2.46, 1.1), (x, 0, 1.6), load * 0.7) for x in (-2.4, -1.2, 0.0, 1.0)]
        parts.append(ellipsoid((2.3, 1.0, 0.6), (-1.0, 0, 2.1), (0.35, 0.27, 0.18), Material.FOLIAGE, upper=True))
    else:
        parts.append(box((5.2, 2.3, 0.15), (-1.0, 0, 1.0), (0.3, 0.2, 0.12), Material.WOOD))
        for i in range(3):
            parts.append(
                box((1.3, 1.9, rng.uniform(0.7, 1.2)), (-2.7 + 1.6 * i, 0, 1.6), pick(rng), Material.WOOD)
            )
        parts.append(box((0.1, 2.3, 1.2), (1.6, 0, 1.6), (0.2, 0.2, 0.2)))
    return merge(parts)


def bicycle(rng: np.random.Generator) -> Mesh:
    """City bike, racing bike or one with a basket."""
    paint, r = pick(rng), 0.34
    back, front, pedal = np.array([-0.53, 0, r]), np.array([0.55, 0, r]), np.array([-0.06, 0, 0.3])
    seat, head = np.array([-0.22, 0, 0.83]), np.array([0.36, 0, 0.85])
    grip = np.array([0.34, 0, 1.02])
    tyre = (0.05, 0.05, 0.05)
    t = 0.021
    parts = [hoop(r - 0.025, 0.024, tuple(c), tyre) for c in (back, front)]
    parts += [hoop(r - 0.055, 0.01, tuple(c), STEEL, Material.GLOSSY) for c in (back, front)]
    for c in (back, front):
        for a in np.arange(7) * 2 * np.pi / 7:
            parts.append(tube([c, c + np.array([np.cos(a), 0, np.sin(a)]) * (r - 0.05)], 0.005, STEEL))
    step = rng.random() < 0.4  # a low frame
    tops = (seat - (0, 0, 0.32), head - (0, 0, 0.22)) if step else (seat - (0, 0, 0.06), head - (0, 0, 0.05))
    pairs = [
        (pedal, seat),
        tops,
        (pedal, head - (0.02, 0, 0.13)),
        (pedal, back),
        (seat - (0, 0, 0.1), back),
        (head, front),
    ]
    parts += [tube([a, b], t, paint, Material.GLOSSY) for a, b in pairs]
    parts += [
        tube([head, grip], 0.017, STEEL),
        tube([seat, seat + (-0.02, 0, 0.1)], 0.016, STEEL),
        ellipsoid((0.14, 0.075, 0.035), tuple(seat + (-0.03, 0, 0.12)), BLACK),
        tube(
            [
                grip + (-0.1, -0.28, 0.0),
                grip + (0.04, -0.15, 0.02),
                grip + (0.04, 0.15, 0.02),
                grip + (-0.1, 0.28, 0.0),
            ],
            0.016,
            BLACK,
        ),
        hoop(0.085, 0.011, tuple(pedal), STEEL),
        tube([pedal, pedal + (0.12, 0.08, -0.12)], 0.012, STEEL),
        tube([pedal, pedal + (-0.12, -0.08, 0.12)], 0.012, STEEL),
        box((0.1, 0.09, 0.025), tuple(pedal + (0.12, 0.11, -0.12)), BLACK),
        box((0.1, 0.09, 0.025), tuple(pedal + (-0.12, -0.11, 0.12)), BLACK),
    ]
    if rng.random() < 0.5:
        for c in (back, front):
            a = np.linspace(0.2, 2.6, 9)
            parts.append(tube(c + np.stack([np.cos(a), 0 * a, np.sin(a)], 1) * (r + 0.03), 0.016, paint * 0.7))
    if rng.random() < 0.4:
        parts.append(box((0.26, 0.34, 0.22), tuple(head + (0.22, 0, 0.08)), (0.45, 0.3, 0.15), Material.WOOD))
    return merge(parts)


def motorcycle(rng: np.random.Generator) -> Mesh:
    """Scooter, sports machine or cruiser."""
    kind, paint = rng.choice(["scooter", "sport", "cruiser"]), pick(rng)
    r = 0.24 if kind == "scooter" else 0.32
    back, front = (-0.65, 0, r), (0.72, 0, r)
    parts = [hoop(r - 0.065, 0.068, c, BLACK) for c in (back, front)]
    parts += [wheel(r * 0.62, 0.08, c) for c in (back, front)]
    head = np.array([0.42, 0, 0.95])
    for side in (-0.07, 0.07):
        parts.append(tube([np.array(front) + (0, side, 0), head + (0, side, 0)], 0.025, STEEL, Material.GLOSSY))
    parts.append(
        tube(
            [head + (-0.16, -0.36, 0.1), head + (0, -0.2, 0.1), head + (0, 0.2, 0.1), head + (-0.16, 0.36, 0.1)],
            0.02,
            BLACK,
        )
    )
    parts += [tube([head + (-0.06, s * 0.25, 0.1), head + (-0.02, s * 0.32, 0.25)], 0.01, BLACK) for s in (-1, 1)]
    parts += [
        ellipsoid((0.02, 0.07, 0.05), tuple(head + (-0.02, s * 0.34, 0.28)), STEEL, Material.GLOSSY)
        for s in (-1, 1)
    ]
    parts.append(ellipsoid((0.08, 0.1, 0.1), tuple(head + (0.12, 0, -0.02)), LAMP, Material.LAMP))
    a = np.linspace(0.3, 2.4, 8)
    parts.append(
        tube(
            np.array(front) + np.stack([np.cos(a), 0 * a, np.sin(a)], 1) * (r + 0.05),
            0.055,
            paint,
            Material.GLOSSY,
        )
    )
    if kind == "scooter":
        shell = [
            (-0.95, 0.45),
            (-0.9, 0.72),
            (-0.2, 0.72),
            (-0.12, 0.32),
            (0.25, 0.28),
            (0.32, 0.9),
            (0.45, 0.95),
            (0.5, 0.4),
            (0.3, 0.16),
            (-0.4, 0.16),
        ]
        rear = [p for p in shell if p[0] < 0]
        parts.append(extrude(np.array([*rear, (-0.1, 0.2)]), (-0.2, 0.2), paint, Material.GLOSSY))
        parts.append(
            extrude(
                np.array([(0.26, 0.25), (0.3, 0.95), (0.44, 0.98), (0.55, 0.35)]),
                (-0.22, 0.22),
                paint,
                Material.GLOSSY,
            )
        )
        parts.append(box((0.7, 0.36, 0.08), (0.1, 0, 0.24), paint * 0.6))
        parts.append(ellipsoid((0.42, 0.15, 0.07), (-0.5, 0, 0.78), BLACK))
    else:
        parts += [
            ellipsoid((0.32, 0.16, 0.15), (0.12, 0, 0.85), paint, Material.GLOSSY),
            box((0.46, 0.3, 0.36), (0.06, 0, 0.46), (0.2, 0.2, 0.22)),
            *[box((0.4, 0.34, 0.03), (0.06, 0, z), STEEL) for z in (0.4, 0.48, 0.56)],
            ellipsoid((0.4, 0.15, 0.08), (-0.42, 0, 0.8 + 0.06 * (kind == "sport")), BLACK),
            tube(
                [(0.1, -0.2, 0.36), (-0.3, -0.21, 0.28), (-0.95, -0.2, 0.36)],
                [0.035, 0.045, 0.06],
                STEEL,
                Material.GLOSSY,
            ),
            tube([(-0.65, 0.12, 0.32), (-0.1, 0.12, 0.42)], 0.03, BLACK),
            tube([(-0.65, -0.12, 0.32), (-0.5, -0.12, 0.78)], 0.03, BLACK),
        ]
        tail = [(-0.95, 0.82), (-0.9, 0.95), (-0.5, 0.84), (-0.5, 0.7)]
        parts.append(extrude(np.array(tail), (-0.12, 0.12), paint, Material.GLOSSY))
    if kind == "sport":
        nose = [(0.3, 0.4), (0.25, 0.95), (0.5, 1.15), (0.72, 0.85), (0.62, 0.5)]
        parts.append(extrude(np.array(nose), (-0.19, 0.19), paint, Material.GLOSSY))
        parts.append(pane([(0.5, -0.13, 1.2), (0.5, 0.13, 1.2), (0.7, 0.13, 0.93), (0.7, -0.13, 0.93)]))
    parts.append(box((0.06, 0.16, 0.07), (-1.0, 0, 0.78), RED, Material.LAMP))
    return merge(parts)


def traffic_light(rng: np.random.Generator) -> tuple[Mesh, Mesh]:
    """The lamps, which face -y, and their post."""
    lit, case = (
        rng.integers(3),
        [(0.05, 0.06, 0.06), (0.12, 0.3, 0.18), (0.8, 0.6, 0.1)][rng.choice(3, p=[0.6, 0.2, 0.2])],
    )
    z, post = 2.55, (0.35, 0.37, 0.38)
    parts = [box((0.42, 0.3, 1.16), (0, 0, z), case)]
    for i, colour in enumerate(((0.95, 0.08, 0.05), (1.0, 0.7, 0.05), (0.1, 0.9, 0.35))):
        at = (0, -0.16, z + 0.36 - 0.36 * i)
        shade = np.asarray(colour) if i == lit else np.asarray(colour) * 0.22 + 0.03
        parts.append(ellipsoid((0.145, 0.05, 0.145), at, shade, Material.LAMP if i == lit else Material.MATTE))
        a = np.linspace(-0.35, np.pi + 0.35, 12)
        hood = np.stack([0.17 * np.cos(a), 0 * a - 0.16, at[2] + 0.17 * np.sin(a)], 1)
        parts.append(sheet_pair(hood, (0, -0.2, 0), np.asarray(case) * 0.8))
    bars = [tube([(0, 0.05, 0), (0, 0.05, z + 0.6)], 0.07, post), box((0.3, 0.3, 0.3), (0, 0.05, 0.15), post)]
    if rng.random() < 0.3:
        bars.append(box((0.5, 0.03, 0.35), (0, 0, z + 0.85), (0.1, 0.25, 0.6)))
    return merge(parts), merge(bars)


def sheet_pair(edge: Array, shift: Colour, colour: Colour) -> Mesh:
    """The surface that an edge sweeps when it is shifted."""
    from sample_scenes.shapes import sheet

    return sheet(np.stack([edge, edge + np.asarray(shift)]), colour)

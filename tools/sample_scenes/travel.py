"""Aeroplanes, trains and boats as simple solids, several kinds and colours of each."""

from __future__ import annotations

import numpy as np

from sample_scenes.road import BLACK, GLASS, LAMP, PAINTS, RED, STEEL, pane, pick, side_panes
from sample_scenes.shapes import Array, Colour, Material, Mesh, box, ellipsoid, extrude, merge, sheet, tube, wheel

HULL = (0.9, 0.9, 0.9)


def slab(corners: Array, thickness: float, colour: Colour) -> Mesh:
    """A thin plate given by its (4, 3) corners: a wing or a fin."""
    corners = np.asarray(corners, float)
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal *= thickness / 2 / np.linalg.norm(normal)
    ring = [corners + normal, corners - normal]
    parts = [pane(side, colour, Material.GLOSSY) for side in ring]
    edge = np.stack([np.concatenate([side, side[:1]]) for side in ring])
    return merge([*parts, sheet(edge, np.asarray(colour) * 0.8)])


def airplane(rng: np.random.Generator) -> Mesh:
    """Airliner with two or four engines, or a small propeller machine."""
    paint = pick(rng)
    if rng.random() < 0.3:
        return _propeller(rng, paint)
    r, z = 1.5, 2.9
    xs = [-11.5, -9.5, -6, 8, 10, 11.2, 11.7]
    radii = [0.25, 0.8, r, r, 1.25, 0.7, 0.1]
    rise = [0.9, 0.5, 0, 0, -0.1, -0.25, -0.35]
    parts = [tube([(x, 0, z + d) for x, d in zip(xs, rise, strict=True)], radii, HULL, Material.GLOSSY)]
    for side in (-1, 1):
        parts.append(
            slab(
                [(3, side * 1.2, 2.3), (-0.6, side * 1.2, 2.3), (-4.4, side * 11, 3.3), (-3.2, side * 11, 3.3)],
                0.22,
                (0.75, 0.77, 0.8),
            )
        )
        parts.append(
            slab(
                [
                    (-8.6, side * 0.6, 3.7),
                    (-10.6, side * 0.6, 3.7),
                    (-11.6, side * 4, 3.9),
                    (-10.8, side * 4, 3.9),
                ],
                0.16,
                (0.75, 0.77, 0.8),
            )
        )
        for reach in (4.0,) if rng.random() < 0.7 else (3.4, 6.6):
            x = 2.4 - reach * 0.35
            parts.append(
                tube(
                    [(x - 2, side * reach, 1.75), (x - 0.8, side * reach, 1.75), (x + 0.6, side * reach, 1.75)],
                    [0.3, 0.68, 0.6],
                    paint,
                    Material.GLOSSY,
                )
            )
            parts.append(tube([(x + 0.55, side * reach, 1.75), (x + 0.63, side * reach, 1.75)], 0.5, BLACK))
            parts.append(box((1.6, 0.15, 0.8), (x - 0.4, side * reach, 2.4), HULL))
        for x in np.arange(-6.5, 8.5, 0.75):
            parts.append(box((0.34, 0.06, 0.42), (x, side * (r - 0.03), z + 0.3), (0.08, 0.12, 0.2)))
        parts.append(box((17, 0.05, 0.28), (0.5, side * (r - 0.06), z - 0.32), paint))
        parts.append(
            pane(
                [
                    (10.3, side * 0.35, z + 0.75),
                    (10.9, side * 0.25, z + 0.3),
                    (10.2, side * 1.0, z + 0.3),
                    (9.7, side * 0.9, z + 0.75),
                ],
                (0.05, 0.07, 0.1),
            )
        )
        parts += [wheel(0.5, 0.5, (-1.2, side * 2.2, 0.5)), box((0.25, 0.25, 2), (-1.2, side * 2.2, 1.4), STEEL)]
    fin = [(-8.2, 0, z + 1.0), (-11.2, 0, z + 1.1), (-12.2, 0, z + 4.6), (-10.8, 0, z + 4.6)]
    parts += [slab(fin, 0.3, paint), wheel(0.4, 0.4, (8.5, 0, 0.4)), box((0.2, 0.2, 1.6), (8.5, 0, 1.0), STEEL)]
    return merge(parts)


def _propeller(rng: np.random.Generator, paint: Array) -> Mesh:
    z, wing = 1.3, 2.15 if rng.random() < 0.6 else 0.95
    parts = [
        tube(
            [(-4.2, 0, z + 0.25), (-1, 0, z), (1.2, 0, z), (2.3, 0, z - 0.05), (2.5, 0, z - 0.05)],
            [0.14, 0.55, 0.6, 0.5, 0.2],
            HULL,
            Material.GLOSSY,
        ),
        tube([(-4.0, 0, z + 0.05), (1.9, 0, z - 0.2)], [0.2, 0.45], paint, Material.GLOSSY),
        ellipsoid((1.1, 0.5, 0.55), (0.4, 0, z + 0.45), GLASS, Material.GLASS),
        slab([(1.0, -5, wing), (-0.4, -5, wing), (-0.4, 5, wing), (1.0, 5, wing)], 0.14, paint),
        slab(
            [(-3.6, -1.6, z + 0.3), (-4.3, -1.6, z + 0.3), (-4.3, 1.6, z + 0.3), (-3.6, 1.6, z + 0.3)], 0.09, paint
        ),
        slab([(-3.3, 0, z + 0.3), (-4.4, 0, z + 0.3), (-4.5, 0, z + 1.5), (-4.0, 0, z + 1.5)], 0.1, paint),
        slab(
            [(2.6, -0.09, z - 1.0), (2.6, 0.09, z - 1.0), (2.6, 0.09, z + 0.9), (2.6, -0.09, z + 0.9)], 0.05, BLACK
        ),
        ellipsoid((0.25, 0.16, 0.16), (2.6, 0, z - 0.05), RED, Material.GLOSSY),
    ]
    for side in (-1, 1):
        parts += [
            wheel(0.26, 0.16, (0.1, side * 0.9, 0.26)),
            tube([(0.1, side * 0.9, 0.3), (0.2, side * 0.4, z - 0.3)], 0.05, STEEL),
        ]
        if wing > 2:
            parts.append(tube([(0.3, side * 0.5, z - 0.2), (0.3, side * 2.4, wing)], 0.05, STEEL))
    parts += [wheel(0.22, 0.14, (1.9, 0, 0.22)), tube([(1.9, 0, 0.25), (1.8, 0, z - 0.4)], 0.05, STEEL)]
    return merge(parts)


def train(rng: np.random.Generator) -> Mesh:
    """High-speed train, regional train or steam engine with coaches; on its track."""
    kind, paint = rng.choice(["fast", "regional", "steam"], p=[0.4, 0.4, 0.2]), pick(rng)
    second = pick(rng, (HULL, (0.2, 0.22, 0.25), (0.85, 0.75, 0.2)))
    length, wide, z0, roof = 16.0, 1.4, 0.55, 3.6
    parts = []
    if kind == "steam":
        return _steam(paint)
    tip = 3.6 if kind == "fast" else 0.7
    front = length / 2
    body = [
        (-front, z0),
        (-front, roof),
        (front - tip, roof),
        (front - tip * 0.35, z0 + 1.9),
        (front, z0 + 0.9),
        (front, z0),
    ]
    narrow = np.array([1, 0.9, 0.9, 0.86, 0.8, 0.86]) if kind == "fast" else np.array([1, 0.92, 0.92, 0.95, 1, 1])
    parts.append(extrude(np.array(body), (-wide, wide), second, Material.GLOSSY, narrow))
    w = wide * narrow[2] * 0.8
    screen = [
        (front - tip * 0.86 + 0.03, -w, roof - 0.25),
        (front - tip * 0.86 + 0.03, w, roof - 0.25),
        (front - tip * 0.4 + 0.05, w, z0 + 2.0),
        (front - tip * 0.4 + 0.05, -w, z0 + 2.0),
    ]
    parts.append(pane(screen))
    for side in (-1, 1):
        y = side * (wide * 0.96 + 0.012)
        parts.append(box((length - tip * 1.1, 0.03, 0.55), (-tip * 0.5, side * wide * 1.0, 1.15), paint))
        for i, x in enumerate(np.arange(-front + 0.5, front - tip - 1.2, 1.5)):
            if i % 4 == 2:
                door = [(x, 0.75), (x, 2.9), (x + 1.2, 2.9), (x + 1.2, 0.75)]
                parts.append(pane([(a, y * 1.01, b) for a, b in door], paint, Material.GLOSSY))
                parts.append(
                    pane(
                        [
                            (a, y * 1.02, b)
                            for a, b in ((x + 0.2, 1.8), (x + 0.2, 2.75), (x + 1.0, 2.75), (x + 1.0, 1.8))
                        ]
                    )
                )
            else:
                parts.append(
                    pane([(a, y, b) for a, b in ((x, 1.85), (x, 2.8), (x + 1.25, 2.8), (x + 1.25, 1.85))])
                )
        parts.append(box((0.25, 0.35, 0.16), (front - tip * 0.04, side * 0.8, z0 + 0.55), LAMP, Material.LAMP))
        parts += [wheel(0.42, 0.2, (x, side * 0.95, 0.45)) for x in (-6.5, -5.2, 3.2, 4.5)]
    parts += [
        box((length - 2, 2.0, 0.4), (-0.6, 0, 0.5), (0.1, 0.1, 0.11)),
        box((3, 1.6, 0.3), (-2, 0, roof + 0.1), (0.4, 0.42, 0.44)),
    ]
    parts.append(box((0.2, 2.76, roof - z0), (-front + 0.1, 0, (roof + z0) / 2), (0.1, 0.1, 0.1)))
    return merge(parts)


def _steam(paint: Array) -> Mesh:
    dark = (0.07, 0.08, 0.08)
    parts = [
        tube([(0.2, 0, 2.1), (5.6, 0, 2.1), (5.9, 0, 2.1)], [0.85, 0.85, 0.7], dark, Material.GLOSSY),
        tube([(5.0, 0, 2.8), (5.0, 0, 3.9)], [0.22, 0.34], dark),
        ellipsoid((0.4, 0.4, 0.4), (3.0, 0, 2.95), (0.8, 0.6, 0.2), Material.GLOSSY),
        box((2.2, 2.5, 2.4), (-0.9, 0, 2.3), paint, Material.GLOSSY),
        box((2.6, 2.8, 0.15), (-0.9, 0, 3.55), dark),
        box((8, 1.8, 0.4), (2.2, 0, 1.0), paint * 0.8),
        box((0.3, 2.4, 0.5), (6.3, 0, 0.9), RED),
        box((3.0, 2.4, 1.6), (-4.0, 0, 1.6), dark),
        ellipsoid((0.12, 0.25, 0.25), (6.0, 0, 2.5), LAMP, Material.LAMP),
    ]
    for side in (-1, 1):
        parts += [wheel(0.78, 0.18, (x, side * 1.0, 0.78), (0.6, 0.1, 0.08)) for x in (0.2, 2.0, 3.8)]
        parts += [wheel(0.42, 0.18, (x, side * 1.0, 0.42), (0.6, 0.1, 0.08)) for x in (5.4, -3.2, -4.8)]
        parts.append(box((4.0, 0.06, 0.12), (2.1, side * 1.14, 0.75), STEEL, Material.GLOSSY))
        parts.append(
            pane(
                [
                    (-1.5, side * 1.26, 2.4),
                    (-1.5, side * 1.26, 3.1),
                    (-0.4, side * 1.26, 3.1),
                    (-0.4, side * 1.26, 2.4),
                ],
                BLACK,
            )
        )
    coach = [
        box((7.5, 2.6, 2.3), (-9.6, 0, 2.0), paint, Material.GLOSSY),
        box((7.7, 2.8, 0.2), (-9.6, 0, 3.25), (0.3, 0.3, 0.32)),
    ]
    for side in (-1, 1):
        coach += [
            pane(
                [
                    (x, side * 1.312, 1.9),
                    (x, side * 1.312, 2.7),
                    (x + 0.85, side * 1.312, 2.7),
                    (x + 0.85, side * 1.312, 1.9),
                ]
            )
            for x in np.arange(-13, -6.6, 1.1)
        ]
        coach += [wheel(0.42, 0.18, (x, side * 1.0, 0.42)) for x in (-12, -11, -8, -7)]
    return merge([*parts, *coach])


def boat(rng: np.random.Generator) -> Mesh:
    """Sailing boat, motor boat, fishing boat or rowing boat; the water line is z = 0."""
    kind, paint = rng.choice(["sail", "motor", "fishing", "rowing"], p=[0.35, 0.3, 0.2, 0.15]), pick(rng)
    half, wide, deck = {"sail": (3.0, 1.0, 0.75), "motor": (3.2, 1.1, 0.95), "fishing": (3.6, 1.3, 1.15)}.get(
        kind, (1.8, 0.65, 0.45)
    )
    hull_colour = pick(rng, (HULL, *PAINTS[:3], (0.9, 0.9, 0.9)))
    x = np.linspace(-half, half, 12)
    share = np.clip((x / half - 0.05), 0, 1) ** 2
    beam = wide * (1 - share) * (0.86 + 0.14 * np.sin((x / half + 1) * np.pi / 2))
    top = deck * (1 + 0.5 * share)
    rows = np.stack(
        [
            np.stack([x * 0.9, 0 * x, 0 * x - 0.3], 1),
            np.stack([x * 0.95, -beam * 0.75, 0 * x + 0.02], 1),
            np.stack([x, -beam, top], 1),
            np.stack([x * 0.97, -beam * 0.9, top], 1),
            np.stack([x * 0.9, -beam * 0.6, top * 0.93], 1),
        ]
    )
    other = rows * (1, -1, 1)
    parts = []
    for side in (rows, other):
        parts += [
            sheet(side[:3], hull_colour, Material.GLOSSY),
            sheet(side[2:4], paint),
            sheet(np.stack([side[3], side[3] * (1, 0, 1)]), (0.6, 0.42, 0.25), Material.WOOD),
        ]
        parts.append(
            sheet(
                np.stack([side[2] - (0, 0, 0.16), side[2] - (0, 0, 0.05)]) * (1, 1.012, 1), paint, Material.GLOSSY
            )
        )
    ends = np.concatenate([rows[:3, 0], other[2:0:-1, 0]])
    parts.append(pane(ends, hull_colour, Material.GLOSSY))
    if kind == "sail":
        height = rng.uniform(6.0, 7.5)
        sail = pick(rng, (HULL, HULL, (0.85, 0.3, 0.2), (0.95, 0.85, 0.6)))
        parts += [
            tube([(0.4, 0, deck), (0.4, 0, deck + height)], 0.06, STEEL),
            tube([(0.4, 0, deck + 0.8), (-2.6, 0.3, deck + 0.75)], 0.05, STEEL),
            pane(
                [(0.32, 0, deck + 0.9), (-2.6, 0.35, deck + 0.85), (0.32, 0, deck + height)], sail, Material.CLOTH
            ),
            pane(
                [(0.5, 0, deck + height * 0.85), (2.8, 0, deck + 0.4), (0.6, -0.35, deck + 0.7)],
                np.asarray(sail) * 0.95,
                Material.CLOTH,
            ),
            box((1.6, 0.9, 0.4), (-0.3, 0, deck + 0.15), HULL),
        ]
    elif kind == "motor":
        cabin = [(-1.2, deck), (-1.0, deck + 0.9), (0.5, deck + 0.9), (1.4, deck + 0.1)]
        parts.append(extrude(np.array(cabin), (-0.8, 0.8), HULL, Material.GLOSSY, np.array([1, 0.85, 0.85, 0.9])))
        parts += side_panes(
            [(-0.95, deck + 0.35), (-0.9, deck + 0.75), (0.4, deck + 0.75), (0.8, deck + 0.35)], 0.76, 0.1
        )
        parts.append(
            pane(
                [
                    (0.55, -0.6, deck + 0.85),
                    (0.55, 0.6, deck + 0.85),
                    (1.1, 0.62, deck + 0.4),
                    (1.1, -0.62, deck + 0.4),
                ]
            )
        )
        parts.append(
            tube([(2.9, -0.2, deck + 0.9), (1.2, -0.9, deck + 0.55), (-2.6, -1.0, deck + 0.5)], 0.025, STEEL)
        )
    elif kind == "fishing":
        parts += [
            box((1.6, 1.5, 1.6), (0.6, 0, deck + 0.85), HULL, Material.GLOSSY),
            box((1.9, 1.8, 0.12), (0.6, 0, deck + 1.7), paint),
            *side_panes([(0.1, deck + 0.9), (0.1, deck + 1.45), (1.1, deck + 1.45), (1.1, deck + 0.9)], 0.765),
            pane(
                [
                    (1.415, -0.6, deck + 0.9),
                    (1.415, 0.6, deck + 0.9),
                    (1.415, 0.6, deck + 1.45),
                    (1.415, -0.6, deck + 1.45),
                ]
            ),
            tube([(-0.8, 0, deck), (-0.8, 0, deck + 3.4)], 0.06, (0.5, 0.35, 0.2)),
            tube([(-0.8, 0, deck + 1.2), (-2.9, 0, deck + 2.6)], 0.05, (0.5, 0.35, 0.2)),
            box((0.9, 0.9, 0.5), (-2.0, 0, deck + 0.2), (0.85, 0.5, 0.15)),
        ]
    else:
        parts += [box((0.22, 1.1, 0.05), (d, 0, deck + 0.02), (0.45, 0.3, 0.15)) for d in (-1.0, 0.0, 0.9)]
        parts += [
            tube([(0.0, 0.4 * s, deck + 0.1), (-0.7, 1.7 * s, 0.0)], 0.03, (0.6, 0.42, 0.25)) for s in (-1, 1)
        ]
    return merge(parts)

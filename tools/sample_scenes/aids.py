"""Wheelchairs, crutches, walking frames, white sticks, artificial legs."""

# ruff: noqa: RUF005 -- arrays are added here, not concatenated
from __future__ import annotations

import numpy as np

from sample_scenes.body import Body, on_head
from sample_scenes.shapes import Array, Material, Mesh, box, ellipsoid, hoop, tube, turn

METAL = (0.62, 0.64, 0.67)


def _frame(body: Body) -> tuple[Array, float, Array]:
    """Middle between the hips, the direction the person faces (angle), and the hips' height."""
    hips = body.keypoints[11:13]
    side = hips[0] - hips[1]
    return hips.mean(0), float(np.arctan2(side[1], side[0])), hips[:, 2]


def _wheelchair(body: Body) -> list[Mesh]:
    hip, yaw, _ = _frame(body)
    black, seat = (0.06, 0.06, 0.07), (0.1, 0.11, 0.16)
    z = hip[2]
    parts = [
        box((0.46, 0.46, 0.05), (0, -0.16, z - 0.12), seat),
        box((0.44, 0.05, 0.5), (0, 0.16, z + 0.14), seat),
    ]
    for side in (-0.27, 0.27):
        big = hoop(0.3, 0.02, (0, 0, 0), black).moved(turn(np.pi / 2), (side * 1.12, 0.02, 0.315))
        rim = hoop(0.26, 0.008, (0, 0, 0), METAL, Material.GLOSSY).moved(
            turn(np.pi / 2), (side * 1.24, 0.02, 0.315)
        )
        spokes = [
            tube(
                [(side * 1.12, 0.02, 0.315), (side * 1.12, 0.02 + 0.3 * np.cos(a), 0.315 + 0.3 * np.sin(a))],
                0.005,
                METAL,
            )
            for a in np.arange(8) * np.pi / 4
        ]
        small = hoop(0.07, 0.02, (0, 0, 0), black).moved(turn(np.pi / 2), (side * 0.8, -0.5, 0.09))
        rods = [
            tube(
                [
                    (side, 0.17, z + 0.42),
                    (side, 0.17, z - 0.15),
                    (side, -0.42, z - 0.13),
                    (side * 0.8, -0.5, 0.09),
                ],
                0.015,
                METAL,
                Material.GLOSSY,
            ),
            tube([(side, 0.15, z + 0.12), (side, -0.25, z + 0.12), (side, -0.3, z - 0.1)], 0.016, black),
            tube([(side, 0.17, z + 0.42), (side, 0.28, z + 0.43)], 0.018, black),
            tube([(side * 0.8, -0.4, z - 0.13), (side * 0.6, -0.62, 0.09)], 0.013, METAL, Material.GLOSSY),
        ]
        parts += [big, rim, *spokes, small, *rods, box((0.16, 0.16, 0.02), (side * 0.5, -0.64, 0.075), black)]
    return [part.moved(turn(yaw), (hip[0], hip[1], 0)) for part in parts]


def _crutches(body: Body) -> list[Mesh]:
    parts = []
    _, yaw, _ = _frame(body)
    for hand, elbow, side in ((body.hands[0], body.keypoints[7], 1), (body.hands[1], body.keypoints[8], -1)):
        outward = turn(yaw) @ np.array([0.1 * side, -0.14, 0.0])
        foot = np.array([hand[0] + outward[0], hand[1] + outward[1], 0.0])
        up = elbow + (elbow - hand) * 0.15
        forward = turn(yaw) @ np.array([0.0, -0.12, 0.0])
        parts += [
            tube(
                [foot, hand, up + (turn(yaw) @ np.array([0.03 * side, 0.07, 0]))],
                0.016,
                (0.75, 0.76, 0.8),
                Material.GLOSSY,
            ),
            tube([hand - forward * 0.3, hand + forward], 0.018, (0.08, 0.08, 0.09)),
            tube([foot, foot + (0, 0, 0.06)], 0.024, (0.08, 0.08, 0.09)),
        ]
    return parts


def _cane(body: Body) -> list[Mesh]:
    _, yaw, _ = _frame(body)
    hand = body.hands[1]
    tip = hand + turn(yaw) @ np.array([-0.1, -0.75, 0.0])
    tip[2] = 0.01
    grip = hand + (hand - tip) * 0.12
    low = hand + (tip - hand) * 0.8
    glasses = [
        ellipsoid((0.027, 0.013, 0.02), (side * 0.031, -0.087, -0.013), (0.02, 0.02, 0.03), Material.GLASS)
        for side in (-1, 1)
    ] + [
        tube(
            [(-0.08, 0.0, -0.008), (-0.06, -0.08, -0.006), (0.06, -0.08, -0.006), (0.08, 0.0, -0.008)],
            0.004,
            (0.02, 0.02, 0.03),
        )
    ]
    return [
        tube([grip, hand], 0.02, (0.08, 0.08, 0.09)),
        tube([hand, low], 0.015, (0.95, 0.95, 0.95)),
        tube([low, tip], 0.016, (0.85, 0.1, 0.1)),
        *[on_head(body, part) for part in glasses],
    ]


def _walker(body: Body) -> list[Mesh]:
    hip, yaw, _ = _frame(body)
    top = float(body.hands[:, 2].mean())
    rods = []
    for side in (-0.3, 0.3):
        rods.append(
            tube(
                [(side, -0.12, 0), (side, -0.2, top), (side, -0.5, top), (side, -0.62, 0)],
                0.018,
                METAL,
                Material.GLOSSY,
            )
        )
        rods.append(tube([(side, -0.2, top), (side, -0.42, top)], 0.024, (0.1, 0.1, 0.1)))
    rods += [
        tube([(-0.3, -0.56, z), (0.3, -0.56, z)], 0.016, METAL, Material.GLOSSY) for z in (top * 0.55, top * 0.85)
    ]
    return [rod.moved(turn(yaw), (hip[0], hip[1], 0)) for rod in rods]


def _blade(body: Body) -> list[Mesh]:
    knee, ankle = body.keypoints[13], body.keypoints[15]
    return [
        tube(
            [knee + (0, 0, -0.05), (knee + ankle) / 2, ankle],
            [0.058, 0.04, 0.036],
            (0.35, 0.36, 0.4),
            Material.GLOSSY,
        )
    ]


GEAR = {"wheelchair": _wheelchair, "crutches": _crutches, "cane": _cane, "walker": _walker, "blade": _blade}

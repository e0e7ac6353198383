"""Sky and light, and what a place is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sample_scenes.grounds import Ground
from sample_scenes.light import Light, noise
from sample_scenes.shapes import Array, Mesh

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
    ground: Ground
    sky: Callable[[Array], Array]
    light: Light
    props: list[Mesh]


def outdoors(rng: np.random.Generator) -> tuple[Callable[[Array], Array], Light]:
    """A sky, and the light under it."""
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


def indoors(rng: np.random.Generator) -> tuple[Callable[[Array], Array], Light]:
    """White light from above, no sky to be seen."""
    warm = np.array([1.0, rng.uniform(0.84, 0.96), rng.uniform(0.68, 0.9)])
    light = Light(
        (rng.uniform(-0.7, 0.7), rng.uniform(-1.0, -0.5), 1.3),
        tuple(0.6 * warm),
        tuple(0.56 * np.array([0.95, 0.97, 1.0])),
        0.16,
    )
    return (lambda direction: np.broadcast_to(np.array([0.8, 0.8, 0.78]), direction.shape)), light

"""Triangle meshes with colours, and the simple solids that everything but the bodies is made of.

World axes: x to the right, y away from the camera, z up, metres. An object's own axes: x along its length (front
at +x), y its width, z up, standing on z = 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Colour = Sequence[float]


class Material(IntEnum):
    """How a surface takes light, and which texture it has."""

    MATTE = 0
    GLOSSY = 1
    GLASS = 2
    FACADE = 3
    FOLIAGE = 4
    LAMP = 5
    BRICK = 6
    WOOD = 7
    HAIR = 8
    CLOTH = 9
    BODY = 10


class Region(IntEnum):
    """What of a person a pixel shows."""

    NONE = 0
    SKIN = 1
    FACE = 2
    HAIR = 3
    CLOTH = 4
    GEAR = 5


@dataclass(frozen=True, slots=True)
class Mesh:
    """A coloured surface.

    Attributes:
        vertices: (n, 3) metres.
        faces: (m, 3) vertex indices.
        colour: (n, 3), linear 0 to 1.
        material: (n,) of `Material`.
        region: (n,) of `Region`.
    """

    vertices: Array
    faces: NDArray[np.int64]
    colour: Array
    material: NDArray[np.int64]
    region: NDArray[np.int64]

    def moved(self, rotation: Array, translation: Colour) -> Mesh:
        """Rotated by a (3, 3) matrix, then shifted."""
        return replace(self, vertices=self.vertices @ np.asarray(rotation).T + np.asarray(translation))

    def placed(self, *, x: float, y: float, z: float = 0.0, yaw: float = 0.0, scale: float = 1.0) -> Mesh:
        """Scaled, turned by ``yaw`` (radians, counter-clockwise from above) and put somewhere."""
        return self.moved(turn(yaw) * scale, (x, y, z))

    def as_region(self, region: Region) -> Mesh:
        """The same surface, counted as another part of a person."""
        return replace(self, region=np.full(len(self.vertices), int(region)))


def turn(yaw: float) -> Array:
    """(3, 3): rotation about the vertical axis."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def tilt(roll: float, pitch: float = 0.0) -> Array:
    """(3, 3): rotation about x by ``roll``, then about y by ``pitch``."""
    c, s, d, t = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return np.array([[d, 0.0, t], [0.0, 1.0, 0.0], [-t, 0.0, d]]) @ about_x


def mesh(vertices: Array, faces: NDArray[np.int64], colour: Colour, material: Material = Material.MATTE) -> Mesh:
    """A surface of one colour; ``colour`` may also be (n, 3)."""
    n = len(vertices)
    colours = np.broadcast_to(np.asarray(colour, float), (n, 3)).copy()
    return Mesh(
        np.asarray(vertices, float), np.asarray(faces), colours, np.full(n, int(material)), np.zeros(n, int)
    )


def merge(parts: Iterable[Mesh]) -> Mesh:
    """Several surfaces as one."""
    parts = list(parts)
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Mesh(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts[:-1], strict=True)]),
        np.concatenate([part.colour for part in parts]),
        np.concatenate([part.material for part in parts]),
        np.concatenate([part.region for part in parts]),
    )


def sheet(points: Array, colour: Colour, material: Material = Material.MATTE, *, closed: bool = False) -> Mesh:
    """A smooth surface through a (rows, columns, 3) net of points; ``closed`` joins last and first column."""
    rows, columns = points.shape[:2]
    index = np.arange(rows * columns).reshape(rows, columns)
    right = np.roll(index, -1, 1) if closed else index[:, 1:]
    left = index if closed else index[:, :-1]
    a, b, c, d = left[:-1].ravel(), right[:-1].ravel(), right[1:].ravel(), left[1:].ravel()
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return mesh(points.reshape(-1, 3), faces, colour, material)


def box(size: Colour, centre: Colour, colour: Colour, material: Material = Material.MATTE) -> Mesh:
    """A box with sharp edges."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    points = (corners * np.asarray(size) + np.asarray(centre))[np.ravel(sides)]
    start = np.arange(6) * 4
    faces = np.concatenate(
        [np.stack([start, start + 1, start + 2], 1), np.stack([start, start + 2, start + 3], 1)]
    )
    return mesh(points, faces, colour, material)


def ellipsoid(
    radii: Colour, centre: Colour, colour: Colour, material: Material = Material.MATTE, *, upper: bool = False
) -> Mesh:
    """An ellipsoid, or its upper half."""
    lat = np.linspace(0.0 if upper else -np.pi / 2, np.pi / 2, 8 if upper else 12)[:, None]
    lon = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    unit = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat) + 0 * lon], -1)
    return sheet(unit * np.asarray(radii) + np.asarray(centre), colour, material, closed=True)


def tube(
    path: Sequence[Colour], radius: float | Sequence[float], colour: Colour, material: Material = Material.MATTE
) -> Mesh:
    """A round rod along a path, with closed ends."""
    points = np.asarray(path, float)
    radii = np.broadcast_to(np.asarray(radius, float), len(points))
    along = np.gradient(points, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True) + 1e-12
    helper = np.where(np.abs(along[:, 2:]) > 0.9, [[1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]])
    side = np.cross(along, helper)
    side /= np.linalg.norm(side, axis=1, keepdims=True) + 1e-12
    top = np.cross(side, along)
    angle = np.linspace(0, 2 * np.pi, 8, endpoint=False)[:, None, None]
    ring = points + radii[:, None] * (np.cos(angle) * side + np.sin(angle) * top)
    ring = np.concatenate([points[:1] + 0 * ring[:, :1], ring, points[-1:] + 0 * ring[:, -1:]], 1)
    return sheet(ring.transpose(1, 0, 2), colour, material, closed=True)


def hoop(
    radius: float, thickness: float, centre: Colour, colour: Colour, material: Material = Material.MATTE
) -> Mesh:
    """A torus that stands in the x-z plane, as a wheel does."""
    a = np.linspace(0, 2 * np.pi, 25)[:, None]
    b = np.linspace(0, 2 * np.pi, 6, endpoint=False)
    reach = radius + thickness * np.cos(b)
    points = np.stack([reach * np.cos(a), thickness * np.sin(b) + 0 * a, reach * np.sin(a)], -1)
    return sheet(points + np.asarray(centre), colour, material, closed=True)


def wheel(radius: float, width: float, centre: Colour, rim: Colour = (0.55, 0.56, 0.58)) -> Mesh:
    """A car's wheel in the x-z plane: tyre and rim, with sharp edges."""
    x, y, z = centre
    angle = np.linspace(0, 2 * np.pi, 21)
    circle = np.stack([np.cos(angle), np.sin(angle)], 1)
    tyre = extrude(circle * radius + (x, z), (y - width / 2, y + width / 2), (0.04, 0.04, 0.045))
    reach = width / 2 + 0.01
    disc = extrude(circle * radius * 0.62 + (x, z), (y - reach, y + reach), rim, Material.GLOSSY)
    hub = extrude(circle * radius * 0.2 + (x, z), (y - reach - 0.01, y + reach + 0.01), (0.15, 0.15, 0.16))
    return merge([tyre, disc, hub])


def extrude(
    outline: Array,
    span: tuple[float, float],
    colour: Colour,
    material: Material = Material.MATTE,
    narrowing: Array | float = 1.0,
) -> Mesh:
    """A solid with the same outline on both sides, star-shaped about its middle.

    Args:
        outline: (n, 2), x and z.
        span: smallest and largest y.
        colour: of all of it.
        material: of all of it.
        narrowing: (n,), how much of the width is left at each point of the outline.
    """
    outline = np.asarray(outline, float)
    middle, half = sum(span) / 2, (span[1] - span[0]) / 2
    width = np.broadcast_to(np.asarray(narrowing, float), len(outline)) * half
    near = np.stack([outline[:, 0], middle - width, outline[:, 1]], 1)
    far = np.stack([outline[:, 0], middle + width, outline[:, 1]], 1)
    n, i = len(outline), np.arange(len(outline))
    j = (i + 1) % n
    caps = []
    for side, first in ((near, i), (far, j)):
        hub = side.mean(0, keepdims=True)
        second = j if first is i else i
        caps.append(mesh(np.concatenate([side, hub]), np.stack([first, second, 0 * i + n], 1), colour, material))
    # the rim has its own vertices, four for every edge, so that edges stay sharp
    rim = np.stack([near[i], near[j], far[j], far[i]], 1).reshape(-1, 3)
    k = i * 4
    faces = np.concatenate([np.stack([k, k + 2, k + 1], 1), np.stack([k, k + 3, k + 2], 1)])
    return merge([*caps, mesh(rim, faces, colour, material)])


def normals(vertices: Array, faces: NDArray[np.int64]) -> Array:
    """(n, 3): unit normals at the vertices, the mean of the faces around each weighted by area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    total = np.stack([np.bincount(faces.ravel(), np.repeat(face[:, k], 3), len(vertices)) for k in range(3)], 1)
    return total / (np.linalg.norm(total, axis=1, keepdims=True) + 1e-12)

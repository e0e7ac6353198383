"""Light, shadow, ground and sky: turns meshes and a place into a picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from sample_scenes.body import Body, clothed, model
from sample_scenes.fabrics import Look, Spots, stiffness, thickness
from sample_scenes.paint import paint
from sample_scenes.shapes import Array, Colour, Material, Mesh, merge, mesh, normals
from unveil.methods.mesh_raster import Camera, View, look

SIZE = (320, 240)
OVER = 2
"""Rays per pixel along each axis."""
SCENERY = -1
TAPS = 9
"""Looks into a depth map per place."""


@dataclass(frozen=True, slots=True)
class Item:
    """A thing in a scene: ``owner`` is its number, or `SCENERY`; a person has a look and a body, too."""

    mesh: Mesh
    owner: int
    look: Look | None = None
    vertices: int = 0  # how many of the mesh's vertices, from the first on, are the body


@dataclass(frozen=True, slots=True)
class Light:
    """Direction to the light, its colour, the colour of the sky's light, and how soft shadows are (metres)."""

    towards: Colour
    sun: Colour
    sky: Colour
    soft: float


@dataclass(frozen=True, slots=True)
class Picture:
    """A rendered scene.

    Attributes:
        rgb: (H, W, 3) uint8.
        owner: (H, W, 4) int, owner of each pixel's four rays, `SCENERY` for the rest.
        region: (H, W, 4) of `Region`, of the same rays.
        depth: (H, W) metres, of one ray of each pixel.
    """

    rgb: NDArray[np.uint8]
    owner: NDArray[np.int64]
    region: NDArray[np.int64]
    depth: Array


def person_item(body: Body, worn: list[Mesh], look_: Look, owner: int) -> Item:
    """A body with clothes, hair and things as one item."""
    skin = model()[2]
    spots = Spots(skin.place, skin.arm, skin.share, np.zeros(len(skin.arm)))
    surface = clothed(body, thickness(look_, spots), stiffness(look_, spots))
    flesh = mesh(surface, skin.faces, look_.skin, Material.BODY)
    return Item(merge([flesh, *worn]), owner, look_, len(surface))


@cache
def noise_tile() -> NDArray[np.float32]:
    """(512, 512) float32: smooth random texture with mean 0 and deviation 1 that repeats without a seam."""
    rng = np.random.default_rng(7)
    total = np.zeros((512, 512), np.float32)
    for octave in range(3, 8):
        n = 2**octave
        small = rng.normal(size=(n, n)).astype(np.float32)
        tiled = cv2.resize(
            np.pad(small, 2, mode="wrap"), None, fx=512 / n, fy=512 / n, interpolation=cv2.INTER_CUBIC
        )
        edge = 2 * 512 // n
        total += tiled[edge : edge + 512, edge : edge + 512] * 0.75 ** (octave - 3)
    return (total - total.mean()) / total.std()


def noise(u: Array, v: Array) -> Array:
    """The texture at (u, v); it repeats with period 1."""
    tile = noise_tile()
    return tile[np.floor(v * 512).astype(int) % 512, np.floor(u * 512).astype(int) % 512]


def render(items: list[Item], camera: Camera, light: Light, ground: object, sky: object, focus: Array) -> Picture:
    """Cast the rays, find colours, light them.

    Args:
        items: all things.
        camera: for a picture of `SIZE`.
        light: of the whole scene.
        ground: (x, y) -> colours (n, 3) of the ground at z = 0.
        sky: (direction (n, 3)) -> colours (n, 3).
        focus: (3,), where shadows are to be finest.
    """
    width, height = SIZE[0] * OVER, SIZE[1] * OVER
    fine = Camera(camera.rotation, camera.translation, camera.focal * OVER, tuple(c * OVER for c in camera.centre))
    vertices, faces, owner_of_face, starts = _joined(items)
    view = look(vertices=vertices, faces=faces, camera=fine, size=(width, height))
    hit = view.mask
    eye = -camera.rotation.T @ camera.translation
    ys, xs = np.mgrid[0.5:height, 0.5:width]
    rays = np.stack([(xs - fine.centre[0]) / fine.focal, (ys - fine.centre[1]) / fine.focal, np.ones_like(xs)], -1)
    rays = rays @ camera.rotation
    colour = np.zeros((height, width, 3))
    normal = np.zeros((height, width, 3))
    position = np.zeros((height, width, 3))
    owner = np.full((height, width), SCENERY)
    region = np.zeros((height, width), int)
    gloss = np.zeros((height, width))
    glow = np.zeros((height, width))

    position[hit] = eye + rays[hit] * view.depth[hit][:, None]
    owner[hit] = owner_of_face[view.face[hit]]
    _surfaces(items, view, faces, vertices, starts, position, colour, normal, region, gloss, glow)
    facing = np.sum(normal * rays, -1) > 0
    normal[facing] *= -1

    down = ~hit & (rays[..., 2] < -1e-4)
    reach = -eye[2] / np.where(down, rays[..., 2], -1.0)
    down &= reach < 600
    position[down] = eye + rays[down] * reach[down][:, None]
    colour[down] = ground(position[down][:, 0], position[down][:, 1])
    normal[down] = (0, 0, 1)

    solid = hit | down
    # one ray of each pixel decides about its shadow: light changes less than surfaces do
    coarse = solid[::OVER, ::OVER]
    shadow = np.ones(coarse.shape)
    shadow[coarse] = _shadow(items, light, position[::OVER, ::OVER][coarse], normal[::OVER, ::OVER][coarse], focus)
    shadow = cv2.blur(shadow, (3, 3))
    lit = shadow.repeat(OVER, 0).repeat(OVER, 1)
    out = _lighted(colour, normal, rays, lit, light, gloss)
    out = np.where(glow[..., None] > 0, colour * 1.1, out)
    haze = np.clip((np.where(hit, view.depth, np.where(down, reach, 0)) - 25) / 400, 0, 0.55)[..., None]
    horizon = np.asarray(sky(np.array([[0.0, 1.0, 0.02]])))[0]
    out = out * (1 - haze) + horizon * haze
    above = ~solid
    out[above] = sky(rays[above] / np.linalg.norm(rays[above], axis=1, keepdims=True))

    small = out.reshape(SIZE[1], OVER, SIZE[0], OVER, 3).mean((1, 3))
    rgb = np.clip(np.clip(small, 0, 1) ** (1 / 2.2) * 255 + 0.5, 0, 255).astype(np.uint8)
    four = owner.reshape(SIZE[1], OVER, SIZE[0], OVER).transpose(0, 2, 1, 3).reshape(SIZE[1], SIZE[0], OVER * OVER)
    parts = region.reshape(SIZE[1], OVER, SIZE[0], OVER).transpose(0, 2, 1, 3).reshape(four.shape)
    return Picture(rgb, four, parts, view.depth[::OVER, ::OVER])


def _joined(items: list[Item]) -> tuple[Array, NDArray[np.int64], NDArray[np.int64], list[int]]:
    starts = [0, *np.cumsum([len(item.mesh.vertices) for item in items]).tolist()]
    vertices = np.concatenate([item.mesh.vertices for item in items])
    faces = np.concatenate([item.mesh.faces + start for item, start in zip(items, starts, strict=False)])
    owner = np.concatenate([np.full(len(item.mesh.faces), item.owner) for item in items])
    return vertices, faces, owner, starts


def _surfaces(
    items: list[Item],
    view: View,
    faces: NDArray[np.int64],
    vertices: Array,
    starts: list[int],
    position: Array,
    colour: Array,
    normal: Array,
    region: NDArray[np.int64],
    gloss: Array,
    glow: Array,
) -> None:
    hit = view.mask
    corners, bary = faces[view.face[hit]], view.barycentric[hit].astype(float)
    all_normals = normals(vertices, faces)

    def spread(values: Array) -> Array:
        return np.einsum("nk,nkc->nc", bary, values[corners])

    base = spread(np.concatenate([item.mesh.colour for item in items]))
    material = np.concatenate([item.mesh.material for item in items])[corners[:, 0]]
    part = np.concatenate([item.mesh.region for item in items])[corners[:, 0]]
    smooth = spread(all_normals)
    smooth /= np.linalg.norm(smooth, axis=1, keepdims=True) + 1e-9
    where = position[hit]
    _texture(base, material, where, smooth)
    skin = model()[2]
    table = np.concatenate([skin.place, skin.arm[:, None], skin.share], 1)
    for item, start in zip(items, starts, strict=False):
        if item.look is None:
            continue
        mine = (material == Material.BODY) & (corners[:, 0] >= start) & (corners[:, 0] < start + item.vertices)
        values = np.einsum("nk,nkc->nc", bary[mine], table[corners[mine] - start])
        spots = Spots(
            values[:, :3],
            values[:, 3],
            values[:, 4:],
            noise(values[:, 0] * 0.7 + values[:, 1] * 0.3, values[:, 2] * 0.7),
        )
        base[mine], part[mine] = paint(item.look, spots)
    colour[hit], normal[hit], region[hit] = base, smooth, part
    gloss[hit] = np.select(
        [material == Material.GLOSSY, material == Material.GLASS, material == Material.HAIR],
        [0.35, 0.7, 0.12],
        0.0,
    )
    glow[hit] = material == Material.LAMP


def _texture(base: Array, material: NDArray[np.int64], where: Array, normal: Array) -> None:
    x, y, z = where.T
    across = x + y
    leaf = material == Material.FOLIAGE
    base[leaf] *= np.clip(1 + 0.3 * noise(across[leaf] * 0.12, z[leaf] * 0.12), 0.45, 1.7)[:, None]
    wood = material == Material.WOOD
    base[wood] *= (1 + 0.14 * noise(across[wood] * 0.05, z[wood] * 0.9))[:, None]
    brick = material == Material.BRICK
    row = np.floor(z[brick] / 0.3)
    joint = (np.mod(z[brick], 0.3) < 0.05) | (np.mod(across[brick] + row * 0.35, 0.7) < 0.06)
    base[brick] *= np.where(
        joint, 1.25, 1 + 0.1 * noise(np.floor((across[brick] + row * 0.35) / 0.7) * 0.137, row * 0.211)
    )[:, None]
    front = (material == Material.FACADE) & (np.abs(normal[:, 2]) < 0.5)
    u, v = np.mod(across[front], 2.6), np.mod(z[front], 3.2)
    window = (u > 0.7) & (u < 1.9) & (v > 1.0) & (v < 2.6)
    frame = (u > 0.6) & (u < 2.0) & (v > 0.9) & (v < 2.7) & ~(window & (np.abs(u - 1.3) > 0.04))
    flat = noise(np.floor(across[front] / 2.6) * 0.173, np.floor(z[front] / 3.2) * 0.317)
    glass = np.array([0.12, 0.17, 0.22]) * (1 + 0.5 * np.clip(flat, -1, 1))[:, None]
    base[front] = np.where(frame[:, None], base[front] * 1.25, np.where(window[:, None], glass, base[front]))
    cloth = material == Material.CLOTH
    base[cloth] *= (1 + 0.05 * noise(across[cloth] * 0.2, z[cloth] * 0.2))[:, None]
    hair = material == Material.HAIR
    base[hair] *= np.clip(1 + 0.3 * noise(x[hair] * 2.5 + y[hair] * 2.5, z[hair] * 0.35), 0.4, 1.8)[:, None]


def _shadow(items: list[Item], light: Light, position: Array, normal: Array, focus: Array) -> Array:
    """(n,): how much of the sun reaches places, by depth maps from it: coarse for all, finer towards the focus."""
    casters = [item for item in items if item.owner != SCENERY]
    lit = np.ones(len(position))
    if not casters:
        return lit
    points, faces, _, _ = _joined(casters)
    eye = focus + np.asarray(light.towards) / np.linalg.norm(light.towards) * 120
    distance = np.linalg.norm(position[:, :2] - focus[:2], axis=1)
    far = float(np.percentile(np.linalg.norm(points - focus, axis=1), 99.5)) + 2
    for radius, size in ((far, 320), (6.5, 384), (2.2, 384)):
        if radius > far:
            continue
        near = distance < (radius - 0.3 if radius < far else np.inf)
        texel = 2 * radius / size
        camera = Camera.looking(
            eye=tuple(eye),
            target=tuple(focus),
            focal=120 / texel,
            centre=(size / 2, size / 2),
            up=(0.0, 1.0, 0.01),
        )
        depth = look(vertices=points, faces=faces, camera=camera, size=(size, size)).depth
        # off the surface by what a texel covers, or surfaces would shade themselves
        seen = camera.seen(position[near] + normal[near] * (0.01 + 1.1 * texel))
        flat = seen[:, :2] / seen[:, 2:] * camera.focal + size / 2
        limit = (seen[:, 2] - 0.02 - 0.5 * texel).astype(np.float32)
        total = np.zeros(len(flat), np.float32)
        for tap in range(TAPS):  # a sunflower: even over a disc
            angle, reach = 2.4 * tap, np.sqrt((tap + 0.5) / TAPS) * (light.soft / texel + 0.8)
            column = np.clip(flat[:, 0] + reach * np.cos(angle), 0, size - 1).astype(int)
            row = np.clip(flat[:, 1] + reach * np.sin(angle), 0, size - 1).astype(int)
            total += depth[row, column] > limit
        lit[near] = total / TAPS
    return lit


def _lighted(colour: Array, normal: Array, rays: Array, lit: Array, light: Light, gloss: Array) -> Array:
    towards = np.asarray(light.towards) / np.linalg.norm(light.towards)
    facing = np.clip(normal @ towards, 0, 1) * lit
    upward = 0.62 + 0.38 * normal[..., 2]
    shade = (
        np.asarray(light.sky) * (upward * (0.72 + 0.28 * lit))[..., None]
        + np.asarray(light.sun) * facing[..., None]
    )
    out = colour * shade
    if gloss.any():
        toward_eye = -rays / np.linalg.norm(rays, axis=-1, keepdims=True)
        half = toward_eye + towards
        half /= np.linalg.norm(half, axis=-1, keepdims=True)
        spark = np.clip(np.sum(half * normal, -1), 0, 1) ** 40 * lit
        edge = (1 - np.clip(np.sum(toward_eye * normal, -1), 0, 1)) ** 3
        out += (gloss * (spark * 0.8 + edge * 0.35))[..., None] * np.asarray(light.sky)
    return out

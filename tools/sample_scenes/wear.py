"""Hair, hats, skirts and aids: what people wear and use beyond what is painted on them."""

from __future__ import annotations

import numpy as np

from sample_scenes.aids import GEAR
from sample_scenes.body import Body, model, on_head
from sample_scenes.fabrics import Cloth, Look, Spots, fabric
from sample_scenes.paint import hairline
from sample_scenes.shapes import (
    Colour,
    Material,
    Mesh,
    Region,
    ellipsoid,
    merge,
    mesh,
    sheet,
    tube,
)

HAIR = ("buzz", "short", "side", "bob", "long", "afro", "bun", "ponytail", "curly")
HEADWEAR = (
    "cap",
    "peaked",
    "helmet",
    "turban",
    "scarf",
    "surgical",
    "top hat",
    "jester",
    "beanie",
    "veil",
    "straw",
    "hood",
    "kippah",
    "band",
)


def worn(look: Look, body: Body) -> list[Mesh]:
    """Everything a person wears or uses besides painted clothes, in the world."""
    parts = []
    if look.headwear not in ("helmet", "scarf", "hood", "veil") and look.hair_style not in ("bald", "buzz"):
        parts += [part.as_region(Region.HAIR) for part in _hair(look, body)]
    if look.headwear != "none":
        parts += [part.as_region(Region.CLOTH) for part in _headwear(look, body)]
    if look.skirt is not None:
        parts.append(_skirt(look, body).as_region(Region.CLOTH))
    if look.gear in GEAR:
        parts += [part.as_region(Region.GEAR) for part in GEAR[look.gear](body)]
    return parts


def _scalp(body: Body, colour: Colour, thickness: float, *, lower: float = 0.0, top: float = 0.0) -> Mesh:
    """The part of the head that carries hair, lifted off the skin."""
    skin = model()[2]
    above = skin.place[:, 2] - hairline(skin.place) + lower
    keep = (skin.share[:, 2] > 0.5) & (above > -0.012) & (skin.place[:, 2] > 0.54)
    ears = (np.abs(skin.place[:, 0]) > 0.073) & (skin.place[:, 2] < 0.672)
    faces = skin.faces[keep[skin.faces].all(1)]
    used, inverse = np.unique(faces, return_inverse=True)
    rise = np.clip(above[used] / 0.03, 0, 1) * thickness
    rise += top * np.clip((skin.place[used, 2] - 0.69) / 0.07, 0, 1)
    rise = np.where(above[used] < 0, -0.006, rise) * np.where(ears[used], 0.1, 1.0)
    inside = skin.place[used] - (0.0, -0.03, 0.66)
    away = inside / np.linalg.norm(inside, axis=1, keepdims=True)
    points = body.vertices[used] + (away @ body.head[:3, :3].T) * rise[:, None]
    return mesh(points, inverse.reshape(-1, 3), colour, Material.HAIR)


def _curtain(body: Body, colour: Colour, length: float, opening: float = 1.15) -> Mesh:
    """Hair that hangs around the back of the head."""
    angle = np.linspace(opening, 2 * np.pi - opening, 24)
    z = np.linspace(0.06, 0.06 - length, 10)[:, None]
    share = np.clip((0.06 - z) / length, 0, 1)
    wide = np.interp(z, [-0.35, -0.15, -0.03, 0.06], [0.118, 0.108, 0.1, 0.088])
    deep = np.interp(z, [-0.35, -0.15, -0.03, 0.06], [0.125, 0.115, 0.112, 0.1])
    wave = 1 + 0.03 * np.sin(9 * angle) * share
    points = np.stack([wide * np.sin(angle) * wave, 0.012 - deep * np.cos(angle) * wave, z + 0 * angle], -1)
    return on_head(body, sheet(points, colour, Material.HAIR))


def _hair(look: Look, body: Body) -> list[Mesh]:
    colour = look.hair
    hat = look.headwear not in ("none", "band", "kippah")
    style = (
        {"afro": "short", "bun": "short", "curly": "short"}.get(look.hair_style, look.hair_style)
        if hat
        else look.hair_style
    )
    thick = {
        "short": 0.012,
        "side": 0.015,
        "bob": 0.015,
        "long": 0.014,
        "afro": 0.06,
        "bun": 0.01,
        "ponytail": 0.01,
        "curly": 0.032,
    }
    parts = [_scalp(body, colour, 0.006 if hat else thick[style], top=0.014 * (style == "side" and not hat))]
    if style == "long":
        parts.append(_curtain(body, colour, 0.33))
    if style == "bob":
        parts.append(_curtain(body, colour, 0.175, 1.05))
    if style == "bun":
        parts.append(on_head(body, ellipsoid((0.042, 0.042, 0.04), (0, 0.055, 0.1), colour, Material.HAIR)))
    if style == "ponytail":
        path = [(0, 0.1, 0.05), (0, 0.15, 0.02), (0, 0.155, -0.08), (0, 0.13, -0.2)]
        parts.append(on_head(body, tube(path, [0.022, 0.034, 0.03, 0.01], colour, Material.HAIR)))
    if style == "curly":
        for i in range(14):
            a = np.pi * (0.55 + 0.9 * i / 13)
            place = (0.088 * np.sin(a * 1.6), 0.01 - 0.09 * np.cos(a * 1.6) * 0.9, 0.045 + 0.05 * (i % 3))
            parts.append(on_head(body, ellipsoid((0.034, 0.034, 0.034), place, colour, Material.HAIR)))
    return parts


def _dome(radii: Colour, z: float, colour: Colour, material: Material = Material.CLOTH) -> Mesh:
    return ellipsoid(radii, (0, 0.002, z), colour, material, upper=True)


def _brim(radius: float, z: float, colour: Colour, *, front: bool = False, drop: float = 0.0) -> Mesh:
    angle = np.linspace(-np.pi * 0.36, np.pi * 0.36, 15) if front else np.linspace(0, 2 * np.pi, 25)
    share = np.linspace(0, 1, 4)[:, None]
    reach = 0.09 + share * (radius - 0.09) * (np.cos(angle * 1.3) if front else 1.0)
    points = np.stack([reach * np.sin(angle), -reach * np.cos(angle), z - drop * share**1.5 + 0 * angle], -1)
    under = points - (0, 0, 0.006)
    return merge([sheet(points, colour, Material.CLOTH), sheet(under, np.asarray(colour) * 0.7, Material.CLOTH)])


def _headwear(look: Look, body: Body) -> list[Mesh]:
    colour, kind = look.headwear_colour, look.headwear
    second = np.asarray(look.accent)
    if kind in ("scarf", "veil"):
        return _scarf(look, body)
    builders = {
        "cap": lambda: [
            _dome((0.092, 0.113, 0.085), 0.035, colour),
            _brim(0.175, 0.045, second, front=True, drop=0.015),
        ],
        "peaked": lambda: [
            tube([(0, 0, 0.03), (0, 0, 0.075)], [0.1, 0.104], DARK_BAND),
            ellipsoid((0.132, 0.142, 0.032), (0, 0, 0.088), colour, Material.CLOTH),
            _brim(0.16, 0.036, DARK_BAND, front=True, drop=0.02),
            ellipsoid((0.02, 0.01, 0.02), (0, -0.117, 0.066), (0.95, 0.8, 0.25), Material.GLOSSY),
        ],
        "helmet": lambda: [
            ellipsoid((0.125, 0.145, 0.15), (0, 0.0, 0.0), colour, Material.GLOSSY),
            ellipsoid((0.1, 0.075, 0.048), (0, -0.085, 0.005), (0.05, 0.07, 0.1), Material.GLASS),
        ],
        "turban": lambda: [
            _dome((0.105, 0.122, 0.105), 0.035, colour),
            *[
                tube(
                    _ring(0.098, 0.112, 0.04 + 0.026 * i, 0.025 * (-1) ** i),
                    0.024,
                    np.asarray(colour) * (1 - 0.12 * (i % 2)),
                    Material.CLOTH,
                )
                for i in range(3)
            ],
        ],
        "surgical": lambda: [
            _dome((0.095, 0.115, 0.092), 0.03, colour),
            tube(_ring(0.09, 0.108, 0.035, 0.0), 0.009, np.asarray(colour) * 0.85),
        ],
        "top hat": lambda: [
            tube(
                [(0, 0, 0.045), (0, 0, 0.05), (0, 0, 0.2), (0, 0, 0.205)],
                [0.098, 0.098, 0.105, 0.105],
                colour,
                Material.CLOTH,
            ),
            tube([(0, 0, 0.05), (0, 0, 0.085)], [0.101, 0.103], second),
            _brim(0.155, 0.05, colour),
        ],
        "jester": lambda: [
            _dome((0.097, 0.115, 0.1), 0.03, colour),
            *[
                part
                for side in (-1, 1)
                for part in (
                    tube(
                        [(0.03 * side, 0, 0.11), (0.11 * side, 0, 0.17), (0.17 * side, 0, 0.12)],
                        [0.06, 0.04, 0.008],
                        second if side > 0 else colour,
                        Material.CLOTH,
                    ),
                    ellipsoid((0.022, 0.022, 0.022), (0.175 * side, 0, 0.105), (0.95, 0.85, 0.3), Material.GLOSSY),
                )
            ],
        ],
        "beanie": lambda: [
            _dome((0.096, 0.115, 0.105), 0.025, colour),
            tube(_ring(0.092, 0.109, 0.035, 0.0), 0.014, np.asarray(colour) * 0.8),
            ellipsoid((0.025, 0.025, 0.025), (0, 0, 0.135), second),
        ],
        "straw": lambda: [
            _dome((0.095, 0.112, 0.09), 0.04, (0.82, 0.68, 0.4)),
            _brim(0.24, 0.05, (0.82, 0.68, 0.4), drop=0.02),
            tube(_ring(0.094, 0.11, 0.058, 0.0), 0.011, colour),
        ],
        "hood": lambda: [
            ellipsoid((0.118, 0.135, 0.15), (0, 0.012, -0.015), colour, Material.CLOTH),
            ellipsoid((0.078, 0.05, 0.07), (0, -0.098, -0.01), (0.06, 0.08, 0.1), Material.GLASS),
        ],
        "kufi": lambda: [
            tube([(0, 0, 0.03), (0, 0, 0.115), (0, 0, 0.12)], [0.098, 0.092, 0.06], colour, Material.CLOTH),
            tube(_ring(0.094, 0.11, 0.045, 0.0), 0.012, second),
        ],
        "kippah": lambda: [ellipsoid((0.062, 0.066, 0.022), (0, 0.035, 0.105), colour, Material.CLOTH)],
        "band": lambda: [tube(_ring(0.086, 0.108, 0.052, 0.0), 0.013, colour, Material.CLOTH)],
    }
    return [on_head(body, part) for part in builders[kind]()]


DARK_BAND = (0.04, 0.04, 0.05)


def _ring(wide: float, deep: float, z: float, slope: float) -> list[Colour]:
    angle = np.linspace(0, 2 * np.pi, 17)
    return [(wide * np.sin(a), -deep * np.cos(a), z + slope * np.sin(a)) for a in angle]


def _scarf(look: Look, body: Body) -> list[Mesh]:
    """Cloth around head and neck that leaves the face free; a veil's cover is painted."""
    colour = look.headwear_colour
    scalp = _scalp(body, colour, 0.02, lower=0.012)
    angle = np.linspace(0.62, 2 * np.pi - 0.62, 26)
    z = np.linspace(0.05, -0.2, 9)[:, None]
    wide = np.interp(z, [-0.2, -0.13, -0.06, 0.05], [0.135, 0.088, 0.09, 0.098])
    deep = np.interp(z, [-0.2, -0.13, -0.06, 0.05], [0.12, 0.1, 0.108, 0.116])
    points = np.stack([wide * np.sin(angle), 0.008 - deep * np.cos(angle), z + 0 * angle], -1)
    neck = np.linspace(0, 2 * np.pi, 25)
    low = np.linspace(-0.098, -0.215, 6)[:, None]
    girth = np.interp(low, [-0.215, -0.15, -0.098], [0.16, 0.098, 0.066])
    front = np.interp(low, [-0.215, -0.15, -0.098], [0.145, 0.105, 0.09])
    bib = np.stack([girth * np.sin(neck), -front * np.cos(neck) - 0.004, low + 0 * neck], -1)
    parts = [sheet(points, colour, Material.CLOTH), sheet(bib, np.asarray(colour) * 0.93, Material.CLOTH)]
    return [
        Mesh(scalp.vertices, scalp.faces, scalp.colour, scalp.material * 0 + int(Material.CLOTH), scalp.region),
        *[on_head(body, part) for part in parts],
    ]


def _skirt(look: Look, body: Body) -> Mesh:
    """A surface around hips and legs, as wide as they are at every height and never narrower below."""
    skin = model()[2]
    length, flare, cloth = look.skirt
    legs = (skin.share[:, 0] < 0.3) & (skin.place[:, 2] < 0.12)
    points = body.vertices[legs]
    waist = body.vertices[(np.abs(skin.place[:, 2] - 0.1) < 0.03) & (skin.share[:, 0] < 0.3)]
    axis, top = waist.mean(0), waist[:, 2].mean()
    bottom = top - length * (top - body.vertices[:, 2].min()) + 0.012
    angle = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    direction = np.stack([np.cos(angle), np.sin(angle)], 1)
    rings, reach = [], np.zeros(len(angle))
    for step, z in enumerate(np.linspace(top, bottom, 12)):
        slab = points[np.abs(points[:, 2] - z) < 0.07]
        if len(slab):
            reach = np.maximum(reach, ((slab[:, :2] - axis[:2]) @ direction.T).max(0))
        fold = 1 + 0.035 * flare * step / 3 * np.sin(7 * angle)
        width = (reach + 0.014 + flare * 0.26 * (top - z)) * fold
        rings.append(np.concatenate([axis[:2] + direction * width[:, None], np.full((len(angle), 1), z)], 1))
    surface = sheet(np.stack(rings), cloth.colour, Material.CLOTH, closed=True)
    u, v = np.tile(angle * 0.17, 12), np.repeat(np.linspace(0, top - bottom, 12), len(angle))
    colours = fabric(
        Cloth(cloth.colour, "plain"),
        Spots(np.stack([u, u * 0 - 1, v], 1), u * 0 - 1, np.zeros((len(u), 5)), u * 0),
    )
    if cloth.pattern != "plain":
        band = (
            np.repeat(np.arange(12) % 3 == 1, len(angle))
            if cloth.pattern in ("rings", "zigzag")
            else np.tile(np.arange(28) % 4 < 2, 12)
        )
        colours = np.where(band[:, None], np.asarray(cloth.second), colours)
    return Mesh(surface.vertices, surface.faces, colours, surface.material, surface.region)

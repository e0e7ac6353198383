"""Clothes and faces painted on the body, pixel by pixel, from coordinates that mean the same on everybody."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sample_scenes.fabrics import Look, Spots, fabric, shod, worn_bottom, worn_top
from sample_scenes.marks import MARKS
from sample_scenes.shapes import Array, Colour, Region

Bool = NDArray[np.bool_]


def paint(look: Look, at: Spots) -> tuple[Array, NDArray[np.int64]]:
    """Colours (n, 3) and regions (n,) of places on a person."""
    colour, region = _skin(look, at)
    z = at.place[:, 2]

    def put(where: Bool, what: Array | Colour, kind: Region = Region.CLOTH) -> None:
        colour[where] = what[where] if isinstance(what, np.ndarray) and what.ndim == 2 else np.asarray(what)
        region[where] = kind

    lower, upper = worn_bottom(look, at), worn_top(look, at)
    if look.bottom is not None:
        put(lower, fabric(look.bottom, at))
    if look.top is not None:
        put(upper, fabric(look.top, at))
    if look.gear == "blade":
        put((z < -0.42) & (at.place[:, 0] > 0), (0.32, 0.33, 0.36), Region.GEAR)
    if look.shoes is not None:
        put(shod(look, at), look.shoes)
        put((z < -0.855) & at.is_leg, np.asarray(look.shoes) * 0.4 + 0.3 * ("sneakers" in look.marks))
        if "socks" in look.marks:
            put((z < -0.52) & (z > -0.80) & at.is_leg, look.accent)
    if look.gloves is not None:
        put((at.arm > 1.85) & at.is_arm, look.gloves)
    for mark in sorted(look.marks & set(MARKS)):
        MARKS[mark](look, at, upper, lower, put)
    return colour, region


def _skin(look: Look, at: Spots) -> tuple[Array, NDArray[np.int64]]:
    x, y, z = at.place.T
    tone = np.asarray(look.skin)
    colour = tone * (1 + 0.04 * at.noise[:, None])
    region = np.full(len(x), int(Region.SKIN))
    face = at.is_head & (y < -0.05) & (z > 0.535) & (z < 0.72)
    region[face] = Region.FACE
    warm = tone * (1.05, 0.86, 0.84)
    cheek = np.exp(-(((np.abs(x) - 0.042) / 0.018) ** 2 + ((z - 0.612) / 0.018) ** 2)) * face
    colour += (warm - colour) * 0.55 * cheek[:, None]
    lip = np.abs(x) / 0.026
    mouth = face & (y < -0.1) & (lip < 1)
    upper = mouth & (z > 0.5785) & (z < 0.5885 - 0.006 * lip**2)
    lower = mouth & (z <= 0.5785) & (z > 0.5665 + 0.008 * lip**2)
    colour[upper] = np.asarray(look.lips) * 0.85
    colour[lower] = look.lips
    colour[mouth & (np.abs(z - 0.5785) < 0.0017)] = np.asarray(look.lips) * 0.4
    nostril = face & (np.abs(np.abs(x) - 0.008) < 0.004) & (np.abs(z - 0.605) < 0.003) & (y < -0.12)
    colour[nostril] = tone * 0.45
    brow = face & (np.abs(np.abs(x) - 0.032) < 0.02) & (np.abs(z - 0.6665 + 9 * (np.abs(x) - 0.03) ** 2) < 0.0042)
    colour[brow] = np.asarray(look.hair) * 0.55 + 0.02
    lash = face & (np.hypot((np.abs(x) - 0.0305) / 0.0185, (z - 0.6495) / 0.0085) < 1) & (at.share[:, 3] < 0.5)
    colour[lash] = tone * 0.42
    eye = at.share[:, 3] > 0.5
    colour[eye] = (0.9, 0.9, 0.88)
    region[eye] = Region.FACE
    distance = np.hypot(np.abs(x) - 0.0300, z - 0.649)
    colour[eye & (distance < 0.0078)] = look.iris
    colour[eye & (distance < 0.0038)] = (0.02, 0.02, 0.02)
    if look.wrinkles > 0:
        crease = np.sin(z * 900) * (z > 0.675) + np.sin((np.abs(x) * 2 + z) * 700) * (np.abs(x) > 0.045)
        colour[face] *= (1 - 0.16 * look.wrinkles * np.clip(crease, 0, 1) ** 2)[face, None]
    if look.beard:
        chin = at.is_head & (z > 0.53) & (y < 0.0) & (z < 0.565 + 0.9 * np.clip(np.abs(x) - 0.03, 0, None))
        lip_hair = at.is_head & (np.abs(z - 0.5945) < 0.0055) & (np.abs(x) < 0.033) & (y < -0.1)
        beard = (chin | lip_hair) & ~upper & ~lower
        colour[beard] = np.asarray(look.hair) * (0.85 + 0.25 * at.noise[beard, None])
        region[beard] = Region.HAIR
    if look.hair_style in ("buzz", "bald"):
        scalp = at.is_head & (z > hairline(at.place))
        if look.hair_style == "buzz":
            colour[scalp] = np.asarray(look.hair) * (0.8 + 0.3 * at.noise[scalp, None])
            region[scalp] = Region.HAIR
    _cover(look, at, colour, region)
    return np.clip(colour, 0, 1), region


def hairline(place: Array) -> Array:
    """(n,): the height above which a head carries hair, by the direction seen from its middle."""
    angle = np.abs(np.arctan2(place[:, 0], -(place[:, 1] + 0.03)))
    return np.interp(
        angle, [0, 0.6, 0.95, 1.25, 1.5, 1.75, 2.2, np.pi], [0.708, 0.704, 0.69, 0.655, 0.622, 0.655, 0.595, 0.565]
    )


def _cover(look: Look, at: Spots, colour: Array, region: NDArray[np.int64]) -> None:
    y, z = at.place[:, 1], at.place[:, 2]
    head = at.is_head & (z > 0.50)
    where = {
        "none": np.zeros(len(z), bool),
        "mask": head & (y < -0.035) & (z < 0.618) & (z > 0.54),
        "veil": head & ((z < 0.632) | (z > 0.672)),
        "visor": head,
        "hood": head,
    }[look.cover]
    if look.cover == "mask":
        colour[where] = np.array([0.62, 0.78, 0.85]) * (1 - 0.12 * (np.sin(z[where] * 500) > 0.5))[:, None]
    else:
        colour[where] = np.asarray(look.headwear_colour) * 0.9
    region[where] = Region.CLOTH

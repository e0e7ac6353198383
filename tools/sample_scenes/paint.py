"""Clothes and faces painted on the body, pixel by pixel, from coordinates that mean the same on everybody."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray
from sample_scenes.shapes import Array, Colour, Region

Bool = NDArray[np.bool_]
WHITE = (0.92, 0.92, 0.9)
DARK = (0.05, 0.05, 0.06)


@dataclass(frozen=True, slots=True)
class Cloth:
    """A fabric: a pattern of two colours, ``scale`` metres wide."""

    colour: Colour
    pattern: str = "plain"
    second: Colour = WHITE
    scale: float = 0.06


@dataclass(frozen=True, slots=True)
class Look:
    """How a person looks; lengths are places on the average body (arm: 0 shoulder, 1 elbow, 2 wrist; z: metres).

    Attributes:
        kind: name of the outfit.
        skin, hair, lips, iris: colours.
        hair_style: one of `sample_scenes.wear.HAIR` or ``bald``.
        beard: whether there is one.
        top, bottom: fabrics, None for bare skin.
        sleeve: where sleeves end. hem: where the top ends. leg: where trousers end.
        neckline: ``crew``, ``vee``, ``collar``, ``high``, ``tank``, ``wide``.
        skirt: (length as a share of the way from waist to floor, flare, fabric), or None.
        shoes: colour, None for bare feet. gloves: colour or None.
        loose: metres by which clothes stand off the body: (top, sleeves, bottom).
        marks: details drawn on the clothes. accent: their colour.
        headwear: one of `sample_scenes.wear.HEADWEAR` or ``none``. headwear_colour: its colour.
        cover: ``none``, ``mask`` (mouth and nose), ``veil`` (all but the eyes), ``visor`` (all of it), ``hood``.
        gear: aid or thing: ``none``, ``wheelchair``, ``crutches``, ``cane``, ``blade``, ``walker``.
        number: what a jersey says.
        wrinkles: how old the face looks, 0 to 1.
    """

    kind: str
    skin: Colour
    hair: Colour
    hair_style: str = "short"
    beard: bool = False
    lips: Colour = (0.6, 0.3, 0.28)
    iris: Colour = (0.25, 0.15, 0.08)
    top: Cloth | None = None
    bottom: Cloth | None = None
    sleeve: float = 0.45
    hem: float = -0.05
    leg: float = -0.8
    neckline: str = "crew"
    skirt: tuple[float, float, Cloth] | None = None
    shoes: Colour | None = DARK
    gloves: Colour | None = None
    loose: tuple[float, float, float] = (0.007, 0.007, 0.012)
    marks: frozenset[str] = field(default_factory=frozenset)
    accent: Colour = WHITE
    headwear: str = "none"
    headwear_colour: Colour = DARK
    cover: str = "none"
    gear: str = "none"
    number: int = 10
    wrinkles: float = 0.0


@dataclass(frozen=True, slots=True)
class Spots:
    """Places on the skin, one per pixel: what `sample_scenes.body.Skin` has per vertex, and a noise of mean 0."""

    place: Array
    arm: Array
    share: Array
    noise: Array

    @property
    def is_arm(self) -> Bool:
        return self.share[:, 0] > 0.5

    @property
    def is_leg(self) -> Bool:
        return (self.share[:, 1] > 0.5) | (self.place[:, 2] < -0.12) & ~self.is_arm

    @property
    def is_head(self) -> Bool:
        return (self.share[:, 2] > 0.5) | (self.share[:, 3] > 0.5)


def thickness(look: Look, spots: Spots) -> Array:
    """(n,): how far clothes stand off the body at each vertex, metres."""
    top, sleeves, bottom = look.loose
    out = np.where(worn_top(look, spots), np.where(spots.is_arm, sleeves, top), 0.0)
    lower = worn_bottom(look, spots)
    out = np.where(lower, np.maximum(out, bottom), out)
    if look.shoes is not None:
        out = np.where(_shod(look, spots), 0.014, out)
    return out


def stiffness(look: Look, spots: Spots) -> Array:
    """(n,): how little clothes follow the body at each vertex, 0 to 1."""
    out = np.clip(thickness(look, spots) / 0.016, 0, 1) * 0.8
    out = np.where(spots.place[:, 2] < -0.80, 0.6 * (look.shoes is not None), out)
    return np.where(spots.is_arm & (spots.arm > 1.85), 0.0, out)


def _shod(look: Look, at: Spots) -> Bool:
    return ~at.is_arm & (at.place[:, 2] < (-0.62 if "boots" in look.marks else -0.80))


def worn_top(look: Look, at: Spots) -> Bool:
    """Which places the top covers."""
    if look.top is None:
        return np.zeros(len(at.arm), bool)
    x, y, z = at.place.T
    x, front = np.abs(x), y < -0.02
    arm = at.is_arm & (at.arm < look.sleeve)
    trunk = ~at.is_arm & ~at.is_head & (z > look.hem) & (z < 0.535)
    neck = {
        "crew": np.where(front, ((x / 0.075) ** 2 + ((z - 0.52) / 0.045) ** 2 > 1), (z < 0.512) | (x > 0.07)),
        "collar": np.where(front, x > (z - 0.44) * 0.42, True),
        "vee": np.where(front, x > (z - 0.385) * 0.5, (z < 0.505) | (x > 0.07)),
        "high": np.ones(len(x), bool),
        "tank": np.where(front, ((x / 0.095) ** 2 + ((z - 0.53) / 0.12) ** 2 > 1), ((x / 0.09) ** 2 + ((z - 0.53) / 0.1) ** 2 > 1)) & (x < 0.14),
        "bikini": front & (z < 0.33 + 0.06 * np.clip(1 - np.abs(x - 0.07) / 0.05, 0, 1)) | (z < 0.265) | (np.abs(x - 0.072) < 0.012),
        "wide": np.where(front, ((x / 0.13) ** 2 + ((z - 0.52) / 0.09) ** 2 > 1), ((x / 0.12) ** 2 + ((z - 0.52) / 0.06) ** 2 > 1)),
    }[look.neckline]  # fmt: skip
    return arm | (trunk & neck)


def worn_bottom(look: Look, at: Spots) -> Bool:
    """Which places trousers (or whatever is worn below) cover."""
    if look.bottom is None:
        return np.zeros(len(at.arm), bool)
    z = at.place[:, 2]
    waist = 0.03 if look.leg > -0.12 else 0.07
    if look.leg > -0.12:  # briefs: cut upwards at the sides
        return ~at.is_arm & (z < waist) & (z > look.leg + np.abs(at.place[:, 0]) * 0.55)
    return ~at.is_arm & (z < waist) & (z > look.leg)


def fabric(cloth: Cloth, at: Spots) -> Array:
    """(n, 3): the colour of a fabric at each place."""
    x, y, z = at.place.T
    along = np.where(at.is_arm, at.arm * 0.26, z)
    around = np.where(at.is_arm, (z - y) * 0.8, x + np.where(y > 0, 0.5, 0))
    u, v = around / cloth.scale, along / cloth.scale
    first = np.asarray(cloth.colour) * np.ones((len(u), 1))
    second = np.asarray(cloth.second)
    spotted = (np.mod(u, 1) - 0.5) ** 2 + (np.mod(v, 1) - 0.5) ** 2
    masks = {
        "plain": np.zeros(len(u), bool),
        "rings": np.mod(v, 1) < 0.42,
        "stripes": np.mod(u, 1) < 0.35,
        "checks": (np.mod(u, 1) < 0.5) ^ (np.mod(v, 1) < 0.5),
        "diamonds": np.mod(np.floor(u + v) + np.floor(u - v), 2) == 0,
        "dots": spotted < 0.08,
        "flowers": (spotted < 0.13) & (np.mod(np.floor(u) + np.floor(v), 2) == 0),
        "zigzag": np.mod(v + np.abs(np.mod(u, 2) - 1) * 0.8, 1) < 0.4,
        "halves": x > 0,
    }
    out = np.where(masks[cloth.pattern][:, None], second, first)
    if cloth.pattern == "checks":
        out = np.where(((np.mod(u, 1) < 0.5) & (np.mod(v, 1) < 0.5))[:, None], (first + second) / 2, out)
    return out * (1 + 0.05 * at.noise[:, None])


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
        put(_shod(look, at), look.shoes)
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
    return np.interp(angle, [0, 0.6, 0.95, 1.25, 1.5, 1.75, 2.2, np.pi], [0.708, 0.704, 0.69, 0.655, 0.622, 0.655, 0.595, 0.565])


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


def _front(at: Spots) -> Bool:
    return (at.place[:, 1] < -0.02) & ~at.is_arm & ~at.is_head


def _tie(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    front = _front(at) & (z > -0.08) & (z < 0.52)
    opening = front & (np.abs(x) < np.clip((z - 0.17) * 0.26, 0, 0.08)) & (z > 0.17)
    put(opening, WHITE)
    lapel = front & upper & (np.abs(np.abs(x) - (z - 0.17) * 0.26) < 0.007) & (z > 0.17)
    put(lapel, np.asarray(look.top.colour) * 0.45)
    collar = (z > 0.475) & ~at.is_arm & ~at.is_head & (z < 0.525)
    put(collar & (np.abs(x) < 0.075), WHITE)
    if "open collar" not in look.marks:
        width = np.interp(z, [0.12, 0.17, 0.45, 0.465, 0.495], [0.004, 0.03, 0.016, 0.02, 0.024])
        put(front & (np.abs(x) < width) & (z > 0.16) & (z < 0.5), look.accent)
    put(front & (np.abs(x) < 0.004) & (z < 0.17) & (z > -0.03), np.asarray(look.top.colour) * 0.4)
    put(front & (np.hypot(x - 0.012, np.mod(z, 0.07) - 0.035) < 0.007) & (z < 0.15) & (z > 0.0), DARK)


def _buttons(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    line = _front(at) & upper & (np.abs(x) < 0.012)
    put(line, np.asarray(look.top.colour) * 0.85)
    put(_front(at) & upper & (np.hypot(x, np.mod(z, 0.07) - 0.035) < 0.0065), look.accent)
    flap = _front(at) & (np.abs(np.abs(x) - 0.035 + (z - 0.47) * 0.3) < 0.022) & (z > 0.452) & (z < 0.505)
    put(flap & upper, np.clip(np.asarray(look.top.colour) * 1.2 + 0.05, 0, 1))


def _belt(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, y, z = at.place.T
    ring = ~at.is_arm & (np.abs(z - 0.055) < 0.018)
    put(ring, DARK)
    put(ring & (np.abs(x) < 0.02) & (y < 0), (0.8, 0.72, 0.3))


def _badge(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, y, z = at.place.T
    front = _front(at)
    put(front & (np.hypot(x - 0.075, (z - 0.385) * 0.85) < 0.024), (0.93, 0.76, 0.2))
    put(front & (np.hypot(x - 0.075, z - 0.385) < 0.009), (0.5, 0.38, 0.1))
    put(front & (np.abs(x + 0.075) < 0.028) & (np.abs(z - 0.385) < 0.007), WHITE)
    for side in (-0.075, 0.075):
        pocket = front & (np.abs(x - side) < 0.042) & (np.abs(z - 0.33) < 0.035)
        edge = pocket & ((np.abs(np.abs(x - side) - 0.042) < 0.005) | (np.abs(z - 0.36) < 0.006))
        put(edge, np.asarray(look.top.colour) * 0.55)
    put(~at.is_arm & ~at.is_head & (np.abs(np.abs(x) - 0.125) < 0.035) & (z > 0.455) & (np.abs(y + 0.01) < 0.06), (0.93, 0.76, 0.2))
    cuff = at.is_arm & upper
    put(cuff & (np.abs(at.arm - 0.32) < 0.05), (0.93, 0.76, 0.2))


def _bands(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    z = at.place[:, 2]
    silver = (0.85, 0.87, 0.88)
    trunk = ~at.is_arm & upper
    put(trunk & ((np.abs(z - 0.18) < 0.022) | (np.abs(z - 0.06) < 0.022)), silver)
    put(trunk & (np.abs(np.abs(at.place[:, 0]) - 0.09) < 0.018) & (z > 0.18), silver)
    put(at.is_arm & upper & (np.abs(at.arm - 1.4) < 0.08), silver)
    put(lower & (np.abs(z + 0.55) < 0.025), silver)


def _number(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, y, z = at.place.T
    picture = np.zeros((80, 96), np.uint8)
    text = str(look.number)
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, 2.4, 7)
    cv2.putText(picture, text, ((96 - width) // 2, (80 + height) // 2), cv2.FONT_HERSHEY_DUPLEX, 2.4, 255, 7)
    flip = np.where(y < 0, 1.0, -1.0)
    column = ((x * flip + 0.1) / 0.2 * 96).astype(int)
    row = ((0.40 - z) / 0.2 * 80).astype(int)
    inside = upper & ~at.is_arm & (column >= 0) & (column < 96) & (row >= 0) & (row < 80)
    lit = np.zeros(len(x), bool)
    lit[inside] = picture[row[inside], column[inside]] > 100
    put(lit, look.accent)


def _cross(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    front = ~at.is_arm & ~at.is_head & (at.place[:, 1] < -0.01)
    chain = front & (np.abs(np.abs(x) - np.clip((z - 0.40) * 0.62, 0, 1)) < 0.006) & (z > 0.39)
    upright = front & (np.abs(x) < 0.013) & (z > 0.25) & (z < 0.40)
    beam = front & (np.abs(x) < 0.045) & (np.abs(z - 0.355) < 0.013)
    put(chain | upright | beam, (0.95, 0.8, 0.25), Region.GEAR)


def _stethoscope(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    front = ~at.is_arm & ~at.is_head
    line = front & (np.abs(np.abs(x) - 0.058 + (z - 0.4) * 0.1) < 0.008) & (z > 0.26) & (z < 0.52)
    put(line, (0.08, 0.08, 0.1), Region.GEAR)
    put(front & (at.place[:, 1] < 0) & (np.hypot(x - 0.07, z - 0.25) < 0.02), (0.75, 0.76, 0.8), Region.GEAR)
    put(_front(at) & (np.abs(x + 0.07) < 0.035) & (np.abs(z - 0.31) < 0.022), WHITE)


def _coat(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    opening = _front(at) & upper & (np.abs(x) < np.clip(0.035 + (z - 0.1) * 0.12, 0.03, 1))
    put(opening, look.accent)


def _sash(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, y, z = at.place.T
    slope = np.where(y < 0, 1.0, -1.0)
    band = ~at.is_arm & ~at.is_head & (np.abs(x * slope * 1.35 - (z - 0.27)) < 0.05) & (z < 0.5)
    put(band, look.accent)
    put(band & (np.abs(np.abs(x * slope * 1.35 - (z - 0.27)) - 0.04) < 0.008), (0.93, 0.76, 0.2))


def _obi(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    put(_front(at) & (np.abs(np.abs(x) - (z - 0.30) * 0.45) < 0.014) & (z > 0.28), WHITE)
    put(~at.is_arm & (np.abs(z - 0.16) < 0.075), look.accent)
    put(~at.is_arm & (np.abs(z - 0.16) < 0.01), WHITE)


def _trim(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    put(_front(at) & upper & (np.abs(x) < 0.03) & (z > 0.1), look.accent)
    put(_front(at) & upper & (np.abs(np.hypot(x, (z - 0.52) * 1.2) - 0.1) < 0.018), look.accent)
    put(at.is_arm & upper & (at.arm > look.sleeve - 0.16), look.accent)
    diamonds = np.mod(z / 0.045, 1) - 0.5
    put(_front(at) & upper & (np.abs(x) + np.abs(diamonds) * 0.045 < 0.016) & (z > 0.1), (0.95, 0.85, 0.3))


def _ruff(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    put(_front(at) & (np.hypot(x, np.mod(z, 0.14) - 0.07) < 0.026) & (z > 0.0) & (z < 0.46), look.accent)
    put(at.is_arm & upper & (at.arm > look.sleeve - 0.18), look.accent)


def _side(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    centre = np.interp(z, [-0.85, -0.4, 0.03], [0.2, 0.165, 0.15])
    put(lower & (np.abs(x) > centre), look.accent)


def _hoodie(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    shade = np.asarray(look.top.colour) * 0.7
    pouch = _front(at) & upper & (np.abs(x) < 0.1 - (z - 0.05) * 0.2)
    put(pouch & (np.abs(z - 0.1) < 0.06) & (np.abs(np.abs(z - 0.1) - 0.055) < 0.006), shade)
    put(_front(at) & upper & (np.abs(np.abs(x) - 0.025) < 0.0045) & (z > 0.36), WHITE)


def _print(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    put(_front(at) & upper & (np.hypot(x, z - 0.33) < 0.06), look.accent)
    put(_front(at) & upper & (np.abs(x) + np.abs(z - 0.33) < 0.035), np.asarray(look.top.colour))


def _ribbon(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    put(_front(at) & (np.abs(np.abs(x) - (z - 0.32) * 0.4) < 0.013) & (z > 0.32) & (z < 0.5), WHITE)
    put(_front(at) & (np.abs(x + 0.03 + (z - 0.34) * 0.12) < 0.016) & (z < 0.34) & (z > 0.02), (0.75, 0.08, 0.2))
    put(_front(at) & (np.hypot(x, (z - 0.34) * 1.6) < 0.04), (0.75, 0.08, 0.2))
    put(at.is_arm & upper & (at.arm > look.sleeve - 0.16), WHITE)


def _clerical(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, y, z = at.place.T
    collar = ~at.is_arm & (z > 0.492) & (z < 0.522) & (y < 0.0)
    put(collar, np.asarray(look.top.colour))
    put(collar & (np.abs(x) < 0.022), WHITE)
    put(_front(at) & upper & (np.hypot(x, np.mod(z, 0.05) - 0.025) < 0.005) & (z < 0.24), (0.3, 0.05, 0.08))


def _zip(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    put(_front(at) & upper & (np.abs(x) < 0.008), look.accent)
    put(~at.is_arm & (np.abs(z - 0.07) < 0.014), look.accent)


def _necklace(look: Look, at: Spots, upper: Bool, lower: Bool, put: object) -> None:
    x, _, z = at.place.T
    chain = np.abs(np.hypot(x / 1.0, (z - 0.52) * 1.1) - 0.085) < 0.009
    put(~at.is_arm & ~at.is_head & (at.place[:, 1] < 0) & chain & (z < 0.49), (0.92, 0.9, 0.8), Region.GEAR)


MARKS = {
    "ribbon": _ribbon, "clerical": _clerical, "zip": _zip, "necklace": _necklace,
    "tie": _tie, "buttons": _buttons, "belt": _belt, "badge": _badge, "bands": _bands, "number": _number,
    "cross": _cross, "stethoscope": _stethoscope, "coat": _coat, "sash": _sash, "obi": _obi, "trim": _trim,
    "ruff": _ruff, "side": _side, "hoodie": _hoodie, "print": _print,
}  # fmt: skip

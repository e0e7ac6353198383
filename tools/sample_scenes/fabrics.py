"""What people look like, which places of the body clothes cover, and the patterns of fabrics."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sample_scenes.shapes import Array, Colour

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
        """(n,): places on arms and hands."""
        return self.share[:, 0] > 0.5

    @property
    def is_leg(self) -> Bool:
        """(n,): places on legs and feet."""
        return (self.share[:, 1] > 0.5) | (self.place[:, 2] < -0.12) & ~self.is_arm

    @property
    def is_head(self) -> Bool:
        """(n,): places on the head."""
        return (self.share[:, 2] > 0.5) | (self.share[:, 3] > 0.5)


def thickness(look: Look, spots: Spots) -> Array:
    """(n,): how far clothes stand off the body at each vertex, metres."""
    top, sleeves, bottom = look.loose
    out = np.where(worn_top(look, spots), np.where(spots.is_arm, sleeves, top), 0.0)
    lower = worn_bottom(look, spots)
    if look.leg < -0.7:  # trousers fall straight from the knee
        bottom = bottom + 0.022 * np.clip((-0.3 - spots.place[:, 2]) / 0.4, 0, 1)
    out = np.where(lower, np.maximum(out, bottom), out)
    if look.shoes is not None:
        out = np.where(shod(look, spots), 0.014, out)
    return out


def stiffness(look: Look, spots: Spots) -> Array:
    """(n,): how little clothes follow the body at each vertex, 0 to 1."""
    out = np.clip(thickness(look, spots) / 0.016, 0, 1) * 0.8
    out = np.where(spots.place[:, 2] < -0.80, 0.6 * (look.shoes is not None), out)
    return np.where(spots.is_arm & (spots.arm > 1.85), 0.0, out)


def shod(look: Look, at: Spots) -> Bool:
    """Which places shoes would cover."""
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
        "tank": np.where(
            front,
            ((x / 0.095) ** 2 + ((z - 0.53) / 0.12) ** 2 > 1),
            ((x / 0.09) ** 2 + ((z - 0.53) / 0.1) ** 2 > 1),
        )
        & (x < 0.14),
        "bikini": front & (z < 0.33 + 0.06 * np.clip(1 - np.abs(x - 0.07) / 0.05, 0, 1))
        | (z < 0.265)
        | (np.abs(x - 0.072) < 0.012),
        "wide": np.where(
            front,
            ((x / 0.13) ** 2 + ((z - 0.52) / 0.09) ** 2 > 1),
            ((x / 0.12) ** 2 + ((z - 0.52) / 0.06) ** 2 > 1),
        ),
    }[look.neckline]
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

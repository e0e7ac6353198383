"""Details drawn on clothes: ties, buttons, badges, numbers, crosses, sashes, reflecting bands."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from sample_scenes.fabrics import DARK, WHITE, Look, Spots
from sample_scenes.shapes import Region

Bool = NDArray[np.bool_]
Put = Callable[..., None]
"""(where, colour or colours, what of a person it is)."""
GOLD = (0.93, 0.76, 0.2)


def _front(at: Spots) -> Bool:
    return (at.place[:, 1] < -0.02) & ~at.is_arm & ~at.is_head


def _tie(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
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


def _buttons(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    line = _front(at) & upper & (np.abs(x) < 0.012)
    put(line, np.asarray(look.top.colour) * 0.85)
    put(_front(at) & upper & (np.hypot(x, np.mod(z, 0.07) - 0.035) < 0.0065), look.accent)
    flap = _front(at) & (np.abs(np.abs(x) - 0.035 + (z - 0.47) * 0.3) < 0.022) & (z > 0.452) & (z < 0.505)
    put(flap & upper, np.clip(np.asarray(look.top.colour) * 1.2 + 0.05, 0, 1))


def _belt(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, y, z = at.place.T
    ring = ~at.is_arm & (np.abs(z - 0.055) < 0.018)
    put(ring, DARK)
    put(ring & (np.abs(x) < 0.02) & (y < 0), (0.8, 0.72, 0.3))


def _badge(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, y, z = at.place.T
    front = _front(at)
    put(front & (np.hypot(x - 0.075, (z - 0.385) * 0.85) < 0.024), GOLD)
    put(front & (np.hypot(x - 0.075, z - 0.385) < 0.009), (0.5, 0.38, 0.1))
    put(front & (np.abs(x + 0.075) < 0.028) & (np.abs(z - 0.385) < 0.007), WHITE)
    for side in (-0.075, 0.075):
        pocket = front & (np.abs(x - side) < 0.042) & (np.abs(z - 0.33) < 0.035)
        edge = pocket & ((np.abs(np.abs(x - side) - 0.042) < 0.005) | (np.abs(z - 0.36) < 0.006))
        put(edge, np.asarray(look.top.colour) * 0.55)
    put(
        ~at.is_arm & ~at.is_head & (np.abs(np.abs(x) - 0.125) < 0.035) & (z > 0.455) & (np.abs(y + 0.01) < 0.06),
        GOLD,
    )
    cuff = at.is_arm & upper
    put(cuff & (np.abs(at.arm - 0.32) < 0.05), GOLD)


def _bands(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    z = at.place[:, 2]
    silver = (0.85, 0.87, 0.88)
    trunk = ~at.is_arm & upper
    put(trunk & ((np.abs(z - 0.18) < 0.022) | (np.abs(z - 0.06) < 0.022)), silver)
    put(trunk & (np.abs(np.abs(at.place[:, 0]) - 0.09) < 0.018) & (z > 0.18), silver)
    put(at.is_arm & upper & (np.abs(at.arm - 1.4) < 0.08), silver)
    put(lower & (np.abs(z + 0.55) < 0.025), silver)


def _number(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
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


def _cross(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    front = ~at.is_arm & ~at.is_head & (at.place[:, 1] < -0.01)
    chain = front & (np.abs(np.abs(x) - np.clip((z - 0.40) * 0.62, 0, 1)) < 0.006) & (z > 0.39)
    upright = front & (np.abs(x) < 0.013) & (z > 0.25) & (z < 0.40)
    beam = front & (np.abs(x) < 0.045) & (np.abs(z - 0.355) < 0.013)
    put(chain | upright | beam, (0.95, 0.8, 0.25), Region.GEAR)


def _stethoscope(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    front = ~at.is_arm & ~at.is_head
    line = front & (np.abs(np.abs(x) - 0.058 + (z - 0.4) * 0.1) < 0.008) & (z > 0.26) & (z < 0.52)
    put(line, (0.08, 0.08, 0.1), Region.GEAR)
    put(front & (at.place[:, 1] < 0) & (np.hypot(x - 0.07, z - 0.25) < 0.02), (0.75, 0.76, 0.8), Region.GEAR)
    put(_front(at) & (np.abs(x + 0.07) < 0.035) & (np.abs(z - 0.31) < 0.022), WHITE)


def _coat(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    opening = _front(at) & upper & (np.abs(x) < np.clip(0.035 + (z - 0.1) * 0.12, 0.03, 1))
    put(opening, look.accent)


def _sash(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, y, z = at.place.T
    slope = np.where(y < 0, 1.0, -1.0)
    band = ~at.is_arm & ~at.is_head & (np.abs(x * slope * 1.35 - (z - 0.27)) < 0.05) & (z < 0.5)
    put(band, look.accent)
    put(band & (np.abs(np.abs(x * slope * 1.35 - (z - 0.27)) - 0.04) < 0.008), GOLD)


def _obi(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    put(_front(at) & (np.abs(np.abs(x) - (z - 0.30) * 0.45) < 0.014) & (z > 0.28), WHITE)
    put(~at.is_arm & (np.abs(z - 0.16) < 0.075), look.accent)
    put(~at.is_arm & (np.abs(z - 0.16) < 0.01), WHITE)


def _trim(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    put(_front(at) & upper & (np.abs(x) < 0.03) & (z > 0.1), look.accent)
    put(_front(at) & upper & (np.abs(np.hypot(x, (z - 0.52) * 1.2) - 0.1) < 0.018), look.accent)
    put(at.is_arm & upper & (at.arm > look.sleeve - 0.16), look.accent)
    diamonds = np.mod(z / 0.045, 1) - 0.5
    put(_front(at) & upper & (np.abs(x) + np.abs(diamonds) * 0.045 < 0.016) & (z > 0.1), (0.95, 0.85, 0.3))


def _ruff(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    put(_front(at) & (np.hypot(x, np.mod(z, 0.14) - 0.07) < 0.026) & (z > 0.0) & (z < 0.46), look.accent)
    put(at.is_arm & upper & (at.arm > look.sleeve - 0.18), look.accent)


def _side(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    centre = np.interp(z, [-0.85, -0.4, 0.03], [0.2, 0.165, 0.15])
    put(lower & (np.abs(x) > centre), look.accent)


def _hoodie(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    shade = np.asarray(look.top.colour) * 0.7
    pouch = _front(at) & upper & (np.abs(x) < 0.1 - (z - 0.05) * 0.2)
    put(pouch & (np.abs(z - 0.1) < 0.06) & (np.abs(np.abs(z - 0.1) - 0.055) < 0.006), shade)
    put(_front(at) & upper & (np.abs(np.abs(x) - 0.025) < 0.0045) & (z > 0.36), WHITE)


def _print(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    put(_front(at) & upper & (np.hypot(x, z - 0.33) < 0.06), look.accent)
    put(_front(at) & upper & (np.abs(x) + np.abs(z - 0.33) < 0.035), np.asarray(look.top.colour))


def _ribbon(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    put(_front(at) & (np.abs(np.abs(x) - (z - 0.32) * 0.4) < 0.013) & (z > 0.32) & (z < 0.5), WHITE)
    put(_front(at) & (np.abs(x + 0.03 + (z - 0.34) * 0.12) < 0.016) & (z < 0.34) & (z > 0.02), (0.75, 0.08, 0.2))
    put(_front(at) & (np.hypot(x, (z - 0.34) * 1.6) < 0.04), (0.75, 0.08, 0.2))
    put(at.is_arm & upper & (at.arm > look.sleeve - 0.16), WHITE)


def _clerical(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, y, z = at.place.T
    collar = ~at.is_arm & (z > 0.492) & (z < 0.522) & (y < 0.0)
    put(collar, np.asarray(look.top.colour))
    put(collar & (np.abs(x) < 0.022), WHITE)
    put(_front(at) & upper & (np.hypot(x, np.mod(z, 0.05) - 0.025) < 0.005) & (z < 0.24), (0.3, 0.05, 0.08))


def _zip(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    put(_front(at) & upper & (np.abs(x) < 0.008), look.accent)
    put(~at.is_arm & (np.abs(z - 0.07) < 0.014), look.accent)


def _necklace(look: Look, at: Spots, upper: Bool, lower: Bool, put: Put) -> None:
    x, _, z = at.place.T
    chain = np.abs(np.hypot(x / 1.0, (z - 0.52) * 1.1) - 0.085) < 0.009
    put(~at.is_arm & ~at.is_head & (at.place[:, 1] < 0) & chain & (z < 0.49), (0.92, 0.9, 0.8), Region.GEAR)


MARKS = {
    "ribbon": _ribbon,
    "clerical": _clerical,
    "zip": _zip,
    "necklace": _necklace,
    "tie": _tie,
    "buttons": _buttons,
    "belt": _belt,
    "badge": _badge,
    "bands": _bands,
    "number": _number,
    "cross": _cross,
    "stethoscope": _stethoscope,
    "coat": _coat,
    "sash": _sash,
    "obi": _obi,
    "trim": _trim,
    "ruff": _ruff,
    "side": _side,
    "hoodie": _hoodie,
    "print": _print,
}

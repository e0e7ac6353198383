"""Who is in a picture: people, their clothes with what is added to them, their poses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sample_scenes import body as bodies
from sample_scenes import people, poses, wardrobe
from sample_scenes.fabrics import DARK, WHITE, Look

ADULTS = ("swim", "devout", "uniform", "scrubs", "troupe")
"""Outfits that children do not wear here."""
OWN = ("skin", "hair", "hair_style", "lips", "iris", "beard", "wrinkles")
"""What members of a troupe do not share."""
AIDED, FAITHFUL = 0.17, 0.26
"""How often an aid or a sign of faith is added to clothes that allow it."""


@dataclass(frozen=True, slots=True)
class Role:
    """One person before it is known where they stand: ``front`` says whether they face the camera."""

    who: people.Person
    look: Look
    body: bodies.Body
    framing: str
    front: bool


def cast(kind: str, gender: str, tone: str, rng: np.random.Generator) -> list[Role]:
    """The main person (outfit, gender, tone) first, then perhaps others; nobody for an empty ``kind``."""
    if not kind:
        return []
    framing = str(rng.choice(["whole", "knees", "waist"], p=[0.6, 0.17, 0.23]))
    front = bool(rng.random() < 0.74)
    main = people.person(rng, gender, tone, adult=kind in ADULTS)
    look = _varied(wardrobe.dressed(main, kind, rng), main, framing, front, rng)
    if look.gear != "none" and framing == "waist":
        framing = "whole" if rng.random() < 0.7 else "knees"
    group = [_role(main, look, framing, front, rng)]
    for _ in range(rng.choice([2, 3]) if kind == "troupe" else int(rng.random() < 0.33)):
        gender, tone = str(rng.choice(people.GENDERS)), str(rng.choice(people.TONES))
        another = (
            kind if kind == "troupe" else str(rng.choice([name for name in wardrobe.OUTFITS if name != "troupe"]))
        )
        other = people.person(rng, gender, tone, adult=another in ADULTS)
        if kind == "troupe":
            dress = replace(look, **{name: getattr(other.look, name) for name in OWN}, gear="none")
            group.append(_role(other, dress, framing, front, rng))
        else:
            dress = wardrobe.dressed(other, another, rng)
            group.append(_role(other, dress, framing, bool(rng.random() < 0.5), rng))
    return group


def _role(who: people.Person, look: Look, framing: str, front: bool, rng: np.random.Generator) -> Role:
    figure = bodies.build(who.phenotype, _pose(look, rng))
    if look.gear == "wheelchair":
        figure = bodies.placed(figure, x=0, y=0, yaw=0, lift=0.08)
    return Role(who, look, figure, framing, front)


def _pose(look: Look, rng: np.random.Generator) -> poses.Pose:
    if look.gear == "wheelchair":
        return poses.sitting(rng)
    if look.gear in ("crutches", "cane"):
        return poses.leaning(rng)
    if look.gear == "walker":
        return poses.holding(rng)
    pose = poses.POSES[rng.integers(len(poses.POSES))](rng)
    if look.skirt is not None and look.skirt[0] > 0.8:
        pose = {bone: turn for bone, turn in pose.items() if "leg" not in bone} | {
            "upperleg01.L": (0, 4, 0),
            "upperleg01.R": (0, -4, 0),
        }
    return pose


def _varied(look: Look, who: people.Person, framing: str, front: bool, rng: np.random.Generator) -> Look:
    look = _aided(look, framing, rng)
    look = _faithful(look, who, front, rng)
    look = _covered(look, rng)
    if look.sleeve > 1.7 and look.gloves is None and rng.random() < 0.45:
        look = replace(look, gloves=people.one_of(rng, (DARK, WHITE, *wardrobe.JEANS)))
    return look


def _aided(look: Look, framing: str, rng: np.random.Generator) -> Look:
    aids = ["wheelchair", "wheelchair", "crutches", "cane", "walker"]
    if look.leg > -0.4 and look.bottom is not None and look.shoes is not None and framing == "whole":
        aids += ["blade", "blade"]
    if look.kind in ("sealed", "troupe", "devout") or rng.random() >= AIDED:
        return look
    gear = str(rng.choice(aids))
    long = look.skirt is not None and look.skirt[0] > 0.6
    return replace(look, gear="crutches" if long and gear == "wheelchair" else gear)


def _faithful(look: Look, who: people.Person, front: bool, rng: np.random.Generator) -> Look:
    if look.kind not in ("casual", "formal", "ethnic", "scrubs") or rng.random() >= FAITHFUL:
        return look
    colour = people.one_of(rng, people.BRIGHT)
    if rng.random() < 0.67:
        if not who.woman:
            return replace(look, headwear="turban", headwear_colour=colour, beard=True)
        closed = "high" if look.top and look.neckline != "wide" else look.neckline
        return replace(look, headwear="scarf", headwear_colour=colour, neckline=closed)
    if front:
        return replace(look, marks=look.marks | {"cross"})
    if not who.woman and look.hair_style != "bald":
        return replace(look, headwear="kippah", headwear_colour=colour)
    return look


def _covered(look: Look, rng: np.random.Generator) -> Look:
    colour = people.one_of(rng, people.BRIGHT)
    if look.kind == "scrubs" and rng.random() < 0.5:
        return replace(look, cover="mask", gloves=(0.25, 0.45, 0.75) if rng.random() < 0.6 else None)
    if look.headwear == "scarf" and look.kind in ("ethnic", "casual") and rng.random() < 0.3:
        return replace(look, cover="veil")
    if (
        look.kind in ("casual", "uniform", "sports")
        and look.headwear in ("none", "peaked", "cap")
        and rng.random() < 0.1
    ):
        return replace(look, headwear="helmet", headwear_colour=colour, cover="visor")
    if look.kind == "casual" and look.headwear == "none" and rng.random() < 0.3:
        return replace(look, headwear=str(rng.choice(["cap", "beanie", "straw"])), headwear_colour=colour)
    return look

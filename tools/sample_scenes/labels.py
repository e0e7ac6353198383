"""Which of the 18 attributes a picture shows, decided by who was rendered and by what of them can be seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sample_scenes.light import Picture
from sample_scenes.shapes import Array, Region
from sample_scenes.stage import Actor
from unveil.core.scenes import LABELS

CLOTHING = {
    "casual": "casual clothing",
    "formal": "formal clothing",
    "uniform": "uniforms",
    "scrubs": "medical scrubs",
    "ethnic": "ethnic clothing",
    "sports": "sports",
    "swim": "nudity",
    "devout": "religion",
}
SMALLEST = 350
"""A person with fewer visible pixels counts for no label."""
FACE, FACE_UNSURE = 40, (22, 60)
SKIN, SKIN_UNSURE = 0.035, (0.022, 0.05)
SKIN_PIXELS = 45
HAIR, HAIR_UNSURE = 32, (12, 52)


@dataclass(frozen=True, slots=True)
class Sight:
    """What is visible of one person.

    Attributes:
        shows: the attributes that can be seen.
        unsure: attributes so near their limit that people might disagree.
        pixels: visible pixels.
    """

    shows: frozenset[str]
    unsure: frozenset[str]
    pixels: float


def sight(actor: Actor, picture: Picture, points: Array) -> Sight:
    """Apply the rules (they are written out in the dataset's card) to one person.

    Args:
        actor: the person.
        picture: the rendered scene.
        points: (17, 2), the body keypoints in pixels.
    """
    mine = picture.owner == actor.owner
    pixels = mine.sum() / 4

    def area(*regions: Region) -> float:
        return float((mine & np.isin(picture.region, regions)).sum() / 4)

    if pixels < SMALLEST:
        return Sight(frozenset(), frozenset(), pixels)
    shows: set[str] = set()
    unsure: set[str] = set()
    if actor.front and actor.look.cover == "none":
        face = area(Region.FACE)
        shows |= {"face"} if face >= FACE else set()
        unsure |= {"face"} if FACE_UNSURE[0] <= face < FACE_UNSURE[1] else set()
    skin = area(Region.FACE, Region.SKIN)
    shows |= {"skin color"} if skin >= max(SKIN_PIXELS, SKIN * pixels) else set()
    unsure |= {"skin color"} if SKIN_UNSURE[0] * pixels <= skin < SKIN_UNSURE[1] * pixels else set()
    hair = area(Region.HAIR)
    shows |= {"hair color"} if hair >= HAIR else set()
    unsure |= {"hair color"} if HAIR_UNSURE[0] <= hair < HAIR_UNSURE[1] else set()
    gear = 10 if actor.look.gear in ("cane", "blade") else 30
    if actor.look.gear != "none" and area(Region.GEAR) >= gear:
        shows.add("disability")
    shows |= _clothes(actor, pixels)
    shows |= _body(actor, in_view(mine.any(-1), points))
    shows |= _told(actor, shows)
    return Sight(frozenset(shows), frozenset(unsure), pixels)


def _clothes(actor: Actor, pixels: float) -> set[str]:
    look, shows = actor.look, set()
    if look.kind in CLOTHING and pixels >= 2 * SMALLEST:
        shows.add(CLOTHING[look.kind])
    if look.headwear in ("scarf", "turban", "kippah") or ("cross" in look.marks and actor.front):
        shows.add("religion")
    return shows


def _body(actor: Actor, seen: NDArray[np.bool_]) -> set[str]:
    shows: set[str] = set()
    if actor.look.gear == "wheelchair":
        return shows
    if seen[[0, 15, 16]].all():
        shows.add("height")
    if outlined(actor) and seen[[5, 6, 11, 12, 13, 14]].all():
        shows.add("weight")
    return shows


def _told(actor: Actor, shows: set[str]) -> set[str]:
    out: set[str] = set()
    if "face" in shows or ("weight" in shows and not actor.child):
        out.add("gender")
    if shows & {"face", "nudity"}:
        out.add("race")
    grey = actor.look.wrinkles > 0 and "hair color" in shows
    if "face" in shows or grey or (actor.child and "height" in shows):
        out.add("age")
    return out


def outlined(actor: Actor) -> bool:
    """Whether clothes follow the body."""
    look = actor.look
    return look.loose[0] <= 0.012 and look.loose[2] <= 0.018 and (look.skirt is None or look.skirt[0] < 0.6)


def in_view(mine: NDArray[np.bool_], points: Array) -> NDArray[np.bool_]:
    """(17,): which points lie in the picture on (or within three pixels of) the person's visible pixels."""
    height, width = mine.shape
    out = np.zeros(len(points), bool)
    for i, (x, y) in enumerate(points):
        if 2 <= x < width - 2 and 2 <= y < height - 2:
            out[i] = mine[max(int(y) - 3, 0) : int(y) + 4, max(int(x) - 3, 0) : int(x) + 4].any()
    return out


def together(actors: list[Actor], sights: list[Sight]) -> tuple[list[str], frozenset[str]]:
    """A picture's labels in the order of `LABELS`, and those about which it is unsure."""
    shown = frozenset().union(*(s.shows for s in sights)) if sights else frozenset()
    unsure = frozenset().union(*(s.unsure for s in sights)) if sights else frozenset()
    certain = frozenset().union(*(s.shows - s.unsure for s in sights)) if sights else frozenset()
    members = [
        s for a, s in zip(actors, sights, strict=True) if a.look.kind == "troupe" and s.pixels >= 2 * SMALLEST
    ]
    if len(members) >= 2:
        shown |= {"troupe attire"}
    return [label for label in LABELS if label in shown], unsure - certain

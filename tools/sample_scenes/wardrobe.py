"""What people wear: ten kinds of outfits with variants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sample_scenes.fabrics import DARK, WHITE, Cloth, Look
from sample_scenes.people import BRIGHT, Person, one_of, two_of

SOBER = ((0.025, 0.028, 0.04), (0.03, 0.05, 0.12), (0.09, 0.095, 0.1), (0.14, 0.1, 0.07), (0.2, 0.2, 0.22))
JEANS = ((0.04, 0.08, 0.2), (0.09, 0.15, 0.3), (0.03, 0.03, 0.035), (0.3, 0.24, 0.16), (0.12, 0.13, 0.1))
SCRUBS = ((0.02, 0.35, 0.38), (0.08, 0.25, 0.5), (0.1, 0.45, 0.28), (0.25, 0.5, 0.65), (0.35, 0.12, 0.3))


def casual(p: Person, rng: np.random.Generator) -> Look:
    """T-shirt, shirt or hoodie with jeans or shorts; or a summer dress."""
    first, second = two_of(rng)
    jeans = Cloth(one_of(rng, JEANS))
    sneakers = {"shoes": one_of(rng, (WHITE, DARK, *BRIGHT[:2])), "accent": second}
    style = rng.choice(["tee", "rings", "checks", "hoodie", "coat", "dress" if p.woman else "print"])
    leg = rng.choice([-0.8, -0.8, -0.8, -0.38])
    look = replace(p.look, kind="casual", bottom=jeans, leg=float(leg), **sneakers)
    if style == "dress":
        cloth = Cloth(first, str(rng.choice(["dots", "flowers", "plain"])), WHITE, 0.07)
        skirt = (rng.uniform(0.38, 0.55), 0.7, cloth)
        return replace(look, top=cloth, bottom=None, sleeve=0.15, neckline="tank", skirt=skirt)
    if style == "rings":
        return replace(look, top=Cloth(first, "rings", WHITE, 0.07), sleeve=rng.choice([0.55, 1.9]))
    if style == "checks":
        return replace(look, top=Cloth(first, "checks", DARK, 0.05), sleeve=1.85, neckline="collar", hem=-0.12)
    if style == "hoodie":
        return replace(
            look,
            top=Cloth(first),
            sleeve=1.93,
            loose=(0.036, 0.026, 0.014),
            marks=frozenset({"hoodie", "sneakers"}),
        )
    if style == "coat":
        coat = Cloth(one_of(rng, (*SOBER, BRIGHT[0], (0.4, 0.3, 0.18))))
        return replace(
            look,
            top=coat,
            sleeve=1.95,
            hem=-0.3,
            leg=-0.8,
            loose=(0.038, 0.03, 0.012),
            marks=frozenset({"coat"}),
            neckline="high",
        )
    marks = frozenset({"print", "sneakers"}) if style == "print" else frozenset({"sneakers"})
    return replace(look, top=Cloth(first), sleeve=0.55, marks=marks)


def formal(p: Person, rng: np.random.Generator) -> Look:
    """Suit and tie, skirt suit, or evening gown."""
    sober = one_of(rng, SOBER)
    suit = Cloth(sober, "stripes", tuple(np.asarray(sober) * 1.8), 0.035) if rng.random() < 0.3 else Cloth(sober)
    tie = one_of(rng, ((0.6, 0.04, 0.05), (0.05, 0.1, 0.45), (0.35, 0.1, 0.4), (0.7, 0.5, 0.05), (0.03, 0.3, 0.2)))
    look = replace(p.look, kind="formal", shoes=DARK, accent=tie)
    if p.woman and rng.random() < 0.45:
        cloth = Cloth(
            one_of(
                rng,
                ((0.5, 0.02, 0.06), (0.02, 0.03, 0.1), (0.02, 0.02, 0.02), (0.03, 0.22, 0.16), (0.4, 0.08, 0.35)),
            )
        )
        return replace(
            look, top=cloth, sleeve=-1.0, neckline="wide", skirt=(0.97, 1.0, cloth), marks=frozenset({"necklace"})
        )
    marks = frozenset({"tie"})
    if p.woman:
        marks |= {"open collar"} if rng.random() < 0.5 else set()
        if rng.random() < 0.5:
            return replace(
                look,
                top=suit,
                bottom=None,
                skirt=(0.5, 0.05, suit),
                sleeve=1.93,
                hem=-0.13,
                marks=marks,
                loose=(0.018, 0.014, 0.01),
                neckline="high",
            )
    return replace(
        look,
        top=suit,
        bottom=suit,
        sleeve=1.93,
        hem=-0.14,
        marks=marks,
        loose=(0.02, 0.016, 0.012),
        neckline="high",
    )


def uniform(p: Person, rng: np.random.Generator) -> Look:
    """Police, pilot, guard, or high-visibility clothes."""
    style = rng.choice(["police", "pilot", "guard", "visible", "visible"])
    navy = (0.02, 0.03, 0.085)
    look = replace(p.look, kind="uniform", accent=(0.93, 0.76, 0.2), neckline="collar", shoes=DARK, hem=0.03)
    base = {"headwear": "peaked", "headwear_colour": navy, "loose": (0.008, 0.008, 0.008)}
    if style == "police":
        return replace(
            look,
            top=Cloth(navy),
            bottom=Cloth(navy),
            sleeve=1.9,
            marks=frozenset({"buttons", "badge", "belt"}),
            **base,
        )
    if style == "pilot":
        tie = frozenset({"buttons", "badge", "belt"})
        return replace(look, top=Cloth(WHITE), bottom=Cloth(navy), sleeve=0.6, marks=tie, **base)
    if style == "guard":
        base["headwear_colour"] = (0.2, 0.22, 0.12)
        return replace(
            look,
            top=Cloth((0.25, 0.27, 0.13)),
            bottom=Cloth((0.13, 0.14, 0.07)),
            sleeve=1.9,
            marks=frozenset({"buttons", "badge", "belt", "boots"}),
            **base,
        )
    vivid = one_of(rng, ((0.95, 0.3, 0.02), (0.75, 0.85, 0.03)))
    return replace(
        look,
        top=Cloth(vivid),
        bottom=Cloth(one_of(rng, (navy, vivid))),
        sleeve=1.9,
        hem=-0.08,
        loose=(0.022, 0.016, 0.014),
        marks=frozenset({"bands", "boots"}),
        headwear="cap",
        headwear_colour=vivid,
        accent=navy,
    )


def scrubs(p: Person, rng: np.random.Generator) -> Look:
    """Loose V-neck top and trousers; often a stethoscope, a cap, a mask, gloves."""
    colour = one_of(rng, SCRUBS)
    cap = rng.random() < 0.6
    return replace(
        p.look,
        kind="scrubs",
        top=Cloth(colour),
        bottom=Cloth(tuple(np.asarray(colour) * 0.95)),
        sleeve=0.75,
        hem=-0.14,
        neckline="vee",
        loose=(0.024, 0.024, 0.018),
        shoes=WHITE,
        headwear="surgical" if cap else "none",
        headwear_colour=tuple(np.asarray(colour) * 1.05),
        marks=frozenset({"stethoscope"}),
    )


def ethnic(p: Person, rng: np.random.Generator) -> Look:
    """Kimono, dashiki or kaftan, sari, hanbok, kilt."""
    first, second = two_of(rng)
    look = replace(p.look, kind="ethnic", accent=second, shoes=(0.2, 0.12, 0.06))
    style = rng.choice(["kimono", "kaftan", "sari" if p.woman else "dashiki", "hanbok" if p.woman else "kilt"])
    if style == "kimono":
        cloth = Cloth(first, "flowers", WHITE, 0.075)
        return replace(
            look,
            top=cloth,
            sleeve=1.75,
            loose=(0.018, 0.055, 0.01),
            neckline="vee",
            skirt=(0.95, 0.12, Cloth(first)),
            marks=frozenset({"obi"}),
        )
    if style == "sari":
        cloth = Cloth(first, "rings", (0.93, 0.76, 0.2), 0.09)
        return replace(
            look,
            top=Cloth(second),
            sleeve=0.4,
            hem=0.2,
            skirt=(0.97, 0.3, cloth),
            marks=frozenset({"sash"}),
            accent=first,
        )
    if style == "hanbok":
        return replace(
            look,
            top=Cloth(first),
            sleeve=1.85,
            loose=(0.014, 0.04, 0.0),
            hem=0.12,
            neckline="vee",
            skirt=(0.97, 1.5, Cloth(second)),
            marks=frozenset({"ribbon"}),
            accent=second,
        )
    if style == "kilt":
        cloth = Cloth((0.5, 0.05, 0.05), "checks", (0.02, 0.18, 0.08), 0.08)
        return replace(
            look,
            top=Cloth(WHITE),
            sleeve=1.85,
            neckline="collar",
            hem=0.05,
            skirt=(0.48, 0.35, replace(cloth, pattern="stripes")),
            marks=frozenset({"socks", "sash"}),
            accent=(0.5, 0.05, 0.05),
            shoes=DARK,
        )
    pattern = str(rng.choice(["zigzag", "diamonds", "dots"]))
    cloth = Cloth(first, pattern, BRIGHT[int(rng.integers(len(BRIGHT)))], 0.08)
    if style == "dashiki":
        return replace(
            look,
            top=cloth,
            bottom=Cloth(tuple(np.asarray(first) * 0.5)),
            sleeve=0.8,
            hem=-0.2,
            loose=(0.026, 0.045, 0.015),
            marks=frozenset({"trim"}),
            headwear="kufi" if rng.random() < 0.4 else "none",
            headwear_colour=second,
        )
    return replace(
        look, top=cloth, sleeve=1.6, loose=(0.03, 0.06, 0.01), skirt=(0.95, 0.3, cloth), marks=frozenset({"trim"})
    )


def sports(p: Person, rng: np.random.Generator) -> Look:
    """Jersey with a number, shorts, long socks."""
    first, second = two_of(rng)
    number = int(rng.integers(1, 100))
    basket = rng.random() < 0.35
    marks = frozenset({"number", "sneakers", "side"} | (set() if basket else {"socks"}))
    return replace(
        p.look,
        kind="sports",
        top=Cloth(first),
        bottom=Cloth(first if rng.random() < 0.5 else second),
        leg=-0.34,
        sleeve=-1.0 if basket else 0.5,
        neckline="tank" if basket else "crew",
        accent=second if sum(abs(np.subtract(first, second))) > 0.8 else WHITE,
        number=number,
        shoes=one_of(rng, (WHITE, DARK)),
        marks=marks,
        headwear="band" if rng.random() < 0.25 else "none",
        headwear_colour=WHITE,
        loose=(0.01, 0.014, 0.018),
    )


def swim(p: Person, rng: np.random.Generator) -> Look:
    """Swimming trunks or a bikini."""
    first, second = two_of(rng)
    cloth = Cloth(first, str(rng.choice(["plain", "dots", "stripes"])), second, 0.05)
    look = replace(p.look, kind="swim", bottom=cloth, shoes=None, loose=(0.003, 0.003, 0.004))
    if p.woman:
        return replace(look, top=cloth, sleeve=-1.0, hem=0.245, neckline="bikini", leg=-0.115)
    return replace(look, leg=float(rng.choice([-0.115, -0.3])), loose=(0.003, 0.003, 0.012))


def troupe(p: Person, rng: np.random.Generator) -> Look:
    """A stage costume in two strong colours."""
    first, second = two_of(rng)
    pattern = str(rng.choice(["diamonds", "halves", "dots", "stripes", "rings"]))
    cloth = Cloth(first, pattern, second, 0.1)
    hat = str(rng.choice(["jester", "top hat", "none"]))
    look = replace(
        p.look,
        kind="troupe",
        top=cloth,
        bottom=cloth,
        sleeve=1.9,
        hem=0.0,
        loose=(0.012, 0.03, 0.024),
        shoes=second,
        marks=frozenset({"ruff"}),
        accent=second,
        headwear=hat,
        headwear_colour=first,
        neckline="high",
    )
    return look


def sealed(p: Person, rng: np.random.Generator) -> Look:
    """A suit that covers everything: protection, racing or space."""
    colour = one_of(
        rng, ((0.9, 0.9, 0.88), (0.9, 0.75, 0.05), (0.05, 0.2, 0.55), (0.6, 0.05, 0.05), (0.05, 0.05, 0.055))
    )
    hood = rng.random() < 0.5
    cloth = Cloth(colour)
    return replace(
        p.look,
        kind="sealed",
        top=cloth,
        bottom=cloth,
        sleeve=2.0,
        hem=0.0,
        neckline="high",
        gloves=one_of(rng, (DARK, BRIGHT[1])),
        shoes=DARK,
        loose=(0.03, 0.028, 0.028),
        headwear="hood" if hood else "helmet",
        headwear_colour=colour if hood else one_of(rng, BRIGHT),
        cover="hood" if hood else "visor",
        marks=frozenset({"boots", "zip"}),
        accent=DARK,
    )


def devout(p: Person, rng: np.random.Generator) -> Look:
    """Nun, priest or monk."""
    black, cross = (0.018, 0.018, 0.022), frozenset({"cross"})
    look = replace(
        p.look, kind="devout", loose=(0.022, 0.035, 0.01), sleeve=1.95, neckline="high", shoes=DARK, accent=WHITE
    )
    if p.woman:
        return replace(
            look,
            top=Cloth(black),
            skirt=(0.97, 0.25, Cloth(black)),
            marks=cross,
            headwear="scarf",
            headwear_colour=one_of(rng, (black, (0.85, 0.85, 0.83))),
        )
    if rng.random() < 0.5:
        return replace(look, top=Cloth(black), skirt=(0.97, 0.2, Cloth(black)), marks=cross | {"clerical"})
    orange = Cloth(one_of(rng, ((0.85, 0.3, 0.03), (0.4, 0.06, 0.05))))
    return replace(
        look,
        top=orange,
        skirt=(0.95, 0.2, orange),
        sleeve=0.3,
        marks=frozenset({"sash"}),
        accent=tuple(np.asarray(orange.colour) * 0.8),
        hair_style="bald",
        beard=False,
        neckline="wide",
    )


OUTFITS: dict[str, tuple[Callable[[Person, np.random.Generator], Look], float]] = {
    "casual": (casual, 0.18),
    "formal": (formal, 0.12),
    "uniform": (uniform, 0.115),
    "scrubs": (scrubs, 0.11),
    "ethnic": (ethnic, 0.115),
    "sports": (sports, 0.11),
    "swim": (swim, 0.11),
    "troupe": (troupe, 0.105),
    "sealed": (sealed, 0.05),
    "devout": (devout, 0.045),
}
"""What people wear -> (how it is drawn, how often)."""


def dressed(p: Person, kind: str, rng: np.random.Generator) -> Look:
    """The person's look in an outfit of that kind."""
    return OUTFITS[kind][0](p, rng)

"""Which pictures a split needs: outfits, groups, places and objects in balance."""

from __future__ import annotations

from collections import Counter

import numpy as np

from sample_scenes.people import GENDERS, TONES
from sample_scenes.places import PLACES
from sample_scenes.stage import Plan
from sample_scenes.wardrobe import OUTFITS
from unveil.core.scenes import CLASSES

SAFE, INDOORS = 0.09, 0.16
"""Shares of pictures without people, and of pictures in rooms."""
FIRST = {"airplane": 0.13, "train": 0.125, "boat": 0.13}
"""How often pictures out of doors are made for the classes that have places of their own."""


def plans(count: int, rng: np.random.Generator) -> list[Plan]:
    """Balanced plans of one split."""
    safe = round(count * SAFE)
    people = count - safe
    shares = np.array([share for _, share in OUTFITS.values()])
    amounts = np.floor(shares / shares.sum() * people).astype(int)
    amounts[0] += people - amounts.sum()
    kinds = rng.permutation(np.repeat(list(OUTFITS), amounts))
    cells = [(gender, tone) for gender in GENDERS for tone in TONES]
    cells = [cells[i] for i in rng.permutation(np.arange(people) % len(cells))]
    outdoors = [
        name
        for name in CLASSES[1:]
        for _ in range(round(count * (1 - INDOORS) * FIRST.get(name, (1 - sum(FIRST.values())) / 6)))
    ]
    first = rng.permutation((outdoors + [""] * count)[:count])
    rooms = [name for name, (_, objects) in PLACES.items() if not objects]
    tally: Counter[str] = Counter()
    out = []
    for number in range(count):
        wanted = str(first[number])
        objects = []
        if wanted:
            place = str(rng.choice([name for name, (_, allowed) in PLACES.items() if wanted in allowed]))
            objects.append(wanted)
            rest = sorted(PLACES[place][1] - {wanted}, key=lambda name: (tally[name], name))
            if rest and rng.random() < 0.6:
                objects.append(rest[0])
        else:
            place = str(rng.choice(rooms))
        tally.update(objects)
        gender, tone = cells[number] if number < people else ("", "")
        out.append(Plan(place, gender, tone, str(kinds[number]) if number < people else "", tuple(objects)))
    return [out[i] for i in rng.permutation(count)]

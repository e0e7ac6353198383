"""Who people are: gender, age, skin, hair, and the body that goes with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sample_scenes.fabrics import Look
from sample_scenes.shapes import Colour

GENDERS = ("Female", "Male")
TONES = ("Light", "Medium", "Dark")
SKIN = {
    "Light": ((0.80, 0.54, 0.42), (0.74, 0.50, 0.36), (0.84, 0.60, 0.50)),
    "Medium": ((0.46, 0.26, 0.155), (0.40, 0.23, 0.13), (0.50, 0.29, 0.175)),
    "Dark": ((0.125, 0.062, 0.038), (0.085, 0.043, 0.028), (0.16, 0.082, 0.05)),
}
BLACK_HAIR, BROWN, GREY = (0.014, 0.012, 0.012), (0.09, 0.045, 0.022), (0.5, 0.5, 0.5)
HAIRS = {
    "Light": (BLACK_HAIR, BROWN, BROWN, (0.5, 0.33, 0.13), (0.62, 0.45, 0.2), (0.33, 0.1, 0.03)),
    "Medium": (BLACK_HAIR, BLACK_HAIR, BROWN, (0.05, 0.028, 0.016)),
    "Dark": (BLACK_HAIR, BLACK_HAIR, (0.028, 0.017, 0.012)),
}
BRIGHT = (
    (0.75, 0.07, 0.06),
    (0.05, 0.2, 0.62),
    (0.9, 0.62, 0.04),
    (0.06, 0.42, 0.16),
    (0.5, 0.08, 0.45),
    (0.9, 0.28, 0.03),
    (0.02, 0.48, 0.52),
    (0.85, 0.25, 0.4),
    (0.9, 0.9, 0.88),
    (0.2, 0.5, 0.85),
)


@dataclass(frozen=True, slots=True)
class Person:
    """A person to be dressed: demographic attributes, age in the model's units, hair."""

    gender: str
    tone: str
    age: float
    look: Look
    phenotype: dict[str, float]

    @property
    def woman(self) -> bool:
        """Whether the person is a woman."""
        return self.gender == "Female"


def person(rng: np.random.Generator, gender: str, tone: str, *, adult: bool = False) -> Person:
    """Somebody without clothes."""
    stage = rng.choice(["child", "adult", "old"], p=[0.0 if adult else 0.13, 0.67 + 0.13 * adult, 0.2])
    age = {"child": rng.uniform(0.36, 0.46), "adult": rng.uniform(0.62, 0.76), "old": rng.uniform(0.9, 1.0)}[stage]
    woman = gender == "Female"
    ancestry = {
        "Light": [(0.0, 0.0, 1.0), (0.0, 0.9, 0.1)][rng.choice(2, p=[0.7, 0.3])],
        "Medium": [(0.1, 0.7, 0.2), (0.3, 0.0, 0.7), (0.5, 0.2, 0.3)][rng.integers(3)],
        "Dark": (0.95, 0.0, 0.05),
    }[tone]
    phenotype = {
        "gender": rng.uniform(0.0, 0.1) if woman else rng.uniform(0.9, 1.0),
        "age": age,
        "muscle": rng.uniform(0.3, 0.55) if woman else rng.uniform(0.45, 0.8),
        "weight": float(np.clip(rng.normal(0.5, 0.2), 0.15, 0.98)),
        "height": rng.uniform(0.3, 0.7),
        "proportions": rng.uniform(0.4, 0.8),
        "cupsize": rng.uniform(0.4, 0.7),
        "firmness": 0.6,
        "african": ancestry[0],
        "asian": ancestry[1],
        "caucasian": ancestry[2],
    }
    skin = np.asarray(SKIN[tone][rng.integers(3)]) * rng.uniform(0.93, 1.07)
    hairs = HAIRS[tone] if ancestry[1] < 0.5 else HAIRS["Medium"]
    hair = GREY if stage == "old" else hairs[rng.integers(len(hairs))]
    hair = tuple(np.asarray(hair) * rng.uniform(0.85, 1.25))
    if woman:
        style = rng.choice(["long", "bob", "bun", "ponytail", "curly", "afro" if tone == "Dark" else "long"])
    else:
        style = rng.choice(
            [
                "short",
                "side",
                "short",
                "buzz",
                "bald" if stage != "child" else "short",
                "afro" if tone == "Dark" else "side",
            ]
        )
    lips = np.clip(skin * (1.0, 0.6, 0.6) + (0.03 * woman, 0, 0), 0, 1)
    if woman and stage != "child":
        lips = np.clip(lips * 0.5 + np.array([0.33, 0.03, 0.06]), 0, 1)
    iris = (0.1, 0.2, 0.35) if tone == "Light" and rng.random() < 0.4 else (0.1, 0.05, 0.025)
    look = Look(
        kind="none",
        skin=tuple(skin),
        hair=hair,
        hair_style=str(style),
        lips=tuple(lips),
        iris=iris,
        beard=not woman and stage != "child" and rng.random() < 0.35,
        wrinkles=1.0 if stage == "old" else 0.0,
    )
    return Person(gender, tone, float(age), look, {k: float(v) for k, v in phenotype.items()})


def one_of(rng: np.random.Generator, colours: tuple[Colour, ...]) -> Colour:
    """One colour, a little lighter or darker."""
    return tuple(np.clip(np.asarray(colours[rng.integers(len(colours))]) * rng.uniform(0.85, 1.15), 0, 1))


def two_of(rng: np.random.Generator) -> tuple[Colour, Colour]:
    """Two different bright colours."""
    first, second = rng.choice(len(BRIGHT), 2, replace=False)
    return BRIGHT[first], BRIGHT[second]

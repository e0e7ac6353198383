#!/usr/bin/env python3
"""Build the dataset `sample-faces`: synthetic faces of people who do not exist.

Draws latent vectors of a small face generator until every group (gender x skin tone) is full, keeps what the
rules in tools/sample_faces/judge.py let pass, and writes the pictures, labels.csv and CARD.md. The same seed
gives the same pictures; with other versions of the libraries bytes may differ.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from string import Template

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from sample_faces import generator as make
from sample_faces import judge as rules

from unveil.core.types import Image
from unveil.registry import build

HERE = Path(__file__).resolve().parent
DEFAULT_OUT = HERE.parent / "src" / "unveil" / "datasets" / "data" / "sample_faces"
GROUPS = ("Female_Light", "Female_Dark", "Male_Light", "Male_Dark")
IDENTITIES = 12
PHOTOS = 8
LOTS = 3
BATCH = 256
KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Person:
    """An identity that was kept: number of its latent, files, what was measured on them, embeddings."""

    number: int
    files: list[bytes]
    portraits: list[rules.Portrait]
    embeddings: NDArray[np.float64]


class Search:
    """Looks at one latent after the other until all groups are full.

    Attributes:
        groups: the people kept.
        tally: how many latents ended at which rule.
    """

    def __init__(self, generator: make.Generator, judge: rules.Judge, seed: int) -> None:
        self.groups: dict[str, list[Person]] = {group: [] for group in GROUPS}
        self.tally: Counter[str] = Counter()
        self._generator, self._judge, self._seed = generator, judge, seed

    def run(self, limit: int, progress: Progress) -> None:
        """Search.

        Raises:
            SystemExit: when ``limit`` latents did not fill the groups; says which rule they broke.
        """
        bars = {group: progress.add_task(group, total=IDENTITIES) for group in GROUPS}
        for start in itertools.count(0, BATCH):
            if start >= limit:
                short = {group: len(people) for group, people in self.groups.items()}
                raise SystemExit(f"{limit} latents gave {short} of {IDENTITIES} each: {dict(self.tally)}")
            first = first_pictures(self._generator, self._seed, start)
            for number, portrait in enumerate(self._judge.portraits(first, rules.FACE_SCORE), start):
                verdict = portrait if isinstance(portrait, str) else self._person(number, portrait.group)
                self.tally[verdict] += 1
                if verdict == KEPT:
                    progress.advance(bars[portrait.group])  # type: ignore[union-attr]
                if all(len(people) == IDENTITIES for people in self.groups.values()):
                    return

    def _person(self, number: int, group: str) -> str:
        """Judge a person whose first picture passed; the rule broken, or ``kept``."""
        if len(self.groups[group]) == IDENTITIES:
            return "group already full"
        good: list[tuple[bytes, rules.Portrait]] = []
        for lot in range(LOTS):
            files = make.photos(self._generator, self._seed, number, lot, PHOTOS)
            judged = self._judge.portraits([make.pixels(file) for file in files], rules.PHOTO_SCORE)
            for file, portrait in zip(files, judged, strict=True):
                if not isinstance(portrait, str) and portrait.group == group and len(good) < PHOTOS:
                    good.append((file, portrait))
            if len(good) == PHOTOS:
                break
        else:
            return "too few photos passed"
        portraits = [portrait for _, portrait in good]
        person = Person(number, [file for file, _ in good], portraits, self._judge.embeddings(portraits))
        others = [other.embeddings for other in itertools.chain(*self.groups.values())]
        if not self._judge.apart(person.embeddings, others):
            return "too near another identity"
        self.groups[group].append(person)
        return KEPT


def first_pictures(generator: make.Generator, seed: int, start: int) -> list[Image]:
    """The unchanged faces of one batch of latents."""
    latents = np.stack([make.identity_latent(seed, start + i) for i in range(BATCH)])
    return [make.enlarge(face) for face in generator.draw(latents)]


def write_pictures(out: Path, groups: dict[str, list[Person]]) -> int:
    """Write files and labels; returns the bytes of the pictures."""
    out.mkdir(parents=True, exist_ok=True)
    rows, size = [], 0
    for group in GROUPS:
        shutil.rmtree(out / group, ignore_errors=True)
    people = [(group, person) for group in GROUPS for person in groups[group]]
    for index, (group, person) in enumerate(people, start=1):
        folder = out / group / f"id_{index:03}"
        folder.mkdir(parents=True)
        for photo, (file, portrait) in enumerate(zip(person.files, person.portraits, strict=True), start=1):
            path = folder / f"{photo:02}.jpg"
            size += path.write_bytes(file)
            gender, tone = group.split("_")
            where = path.relative_to(out).as_posix()
            rows.append((where, folder.name, person.number, gender, tone, f"{portrait.ita:.1f}", photo))
    with (out / "labels.csv").open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(("path", "identity", "seed", "gender", "tone", "ita", "photo"))
        writer.writerows(rows)
    return size


def markdown_table(header: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    """A Markdown table; fractions with three digits."""
    lines = [header, ("---",) * len(header), *rows]
    cells = [[f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def measured(search: Search, judge: rules.Judge, plain: list[Image]) -> dict[str, str]:
    """The tables of the card."""
    people = [person for group in GROUPS for person in search.groups[group]]
    images = [portrait.image for person in people for portrait in person.portraits]
    detectors = {
        "MTCNN": judge.mtcnn,
        "dlib (HOG)": judge.dlib,
        "OpenCV (Haar)": build("models", "detector:opencv"),
    }
    detection = [
        (name, rules.found_rate(detector.detect(plain)), rules.found_rate(detector.detect(images)))
        for name, detector in detectors.items()
    ]
    threshold = judge.recognizer.customary_threshold

    def separation(members: list[Person]) -> dict[str, float]:
        names = np.repeat([person.number for person in members], PHOTOS)
        return rules.separation(np.concatenate([person.embeddings for person in members]), names, threshold)

    by_group = []
    for group, members in search.groups.items():
        angles = [portrait.ita for person in members for portrait in person.portraits]
        figures = separation(members)
        by_group.append(
            (group, f"{min(angles):.0f} to {max(angles):.0f}", figures["AUC"], figures["TPR at FPR 0.01"])
        )
    return {
        "rules": markdown_table(("rule", "latents"), search.tally.most_common()),
        "detection": markdown_table(("detector", "as they come", "in the set"), detection),
        "separation": markdown_table(("figure", "value"), list(separation(people).items())),
        "by_group": markdown_table(("group", "ITA of the photos", "AUC", "TPR at FPR 0.01"), by_group),
    }


def card(search: Search, judge: rules.Judge, plain: list[Image], seed: int, size: int) -> str:
    """Text of CARD.md."""
    libraries = ("torch", "numpy", "opencv-python-headless", "pillow", "dlib-bin", "onnxruntime")
    facts = {
        "pictures": len(GROUPS) * IDENTITIES * PHOTOS, "people": len(GROUPS) * IDENTITIES, "groups": len(GROUPS),
        "per_group": IDENTITIES, "per_identity": PHOTOS, "candidates": LOTS * PHOTOS, "side": make.SIDE,
        "kilobytes": round(size / 1000), "seed": seed, "sure": rules.SURE, "cheek": rules.CHEEK,
        "light": f"{rules.LIGHT_ABOVE:g}", "dark": f"{rules.DARK_BELOW:g}", "length": f"{make.LENGTH:g}",
        "spread": make.SPREAD, "turn": f"{make.TURN:g}", "gain": round(100 * make.GAIN),
        "slope": round(100 * make.SLOPE), "face_score": rules.FACE_SCORE, "photo_score": rules.PHOTO_SCORE,
        "threshold": judge.recognizer.customary_threshold, "tried": search.tally.total(), "plain": len(plain),
        "versions": "Made with " + ", ".join(f"{name} {version(name)}" for name in libraries),
    }  # fmt: skip
    template = Template((HERE / "sample_faces" / "card.md").read_text(encoding="utf-8"))
    return template.substitute(facts, **measured(search, judge, plain))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2026, help="of all random numbers (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="folder to write (default: package data)")
    parser.add_argument("--weights", type=Path, help=f"weights.tar of {make.PACKAGE}; without it pip fetches it")
    parser.add_argument("--limit", type=int, default=100_000, help="latents to try (default: %(default)s)")
    options = parser.parse_args()

    generator = make.Generator(options.weights.read_bytes() if options.weights else make.fetch_weights())
    judge = rules.Judge()
    search = Search(generator, judge, options.seed)
    console = Console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        search.run(options.limit, progress)
    size = write_pictures(options.out, search.groups)
    text = card(search, judge, first_pictures(generator, options.seed, 0), options.seed, size)
    (options.out / "CARD.md").write_text(text, encoding="utf-8")
    console.print(Markdown(text[text.index("## What was tried") : text.index("## Licence")]))
    console.print(f"wrote {options.out}")


if __name__ == "__main__":
    main()

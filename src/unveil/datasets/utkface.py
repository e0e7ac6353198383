"""UTKFace: faces of every age, described by the names of the files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from unveil.core.errors import DataError
from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.types import Pair
from unveil.datasets.ages import DECADES, check_bounds, describe_age, read_age
from unveil.datasets.selection import check_count, first_identities
from unveil.datasets.spelling import Spelling
from unveil.datasets.tree import Tree

_META = DatasetMeta(
    name="UTKFace",
    version=1,
    source=Source(
        "Zhang, Song, Qi: Age Progression/Regression by Conditional Adversarial Autoencoder, CVPR 2017",
        "non-commercial research only; the photos belong to their owners",
        "https://susanqq.github.io/UTKFace/",
    ),
    groupings=("gender", "race"),
    has=frozenset({"demographics"}),
)
_CODES = Spelling(
    {
        "gender": {"0": "Male", "1": "Female"},
        "race": {"0": "White", "1": "Black", "2": "Asian", "3": "Indian", "4": "Others"},
    }
)
_DATE = re.compile(r"[0-9]{8}.*")  # yyyymmddHHMMSSFFF; a few names have a blank or "jpg" behind it


class UTKFace:
    """Faces of every age with age in years, gender and race (more than 20,000; who they are is not known).

    Each picture is called ``{age}_{gender}_{race}_{date and time}.jpg``, the aligned and cropped ones
    ``....jpg.chip.jpg``. They lie in one folder, or in several below the root, such as ``part1`` to ``part3`` of
    the pictures in the wild. The root should hold one of the two collections: they show the same people.

    Attributes of a picture: ``gender`` (0 is Male, 1 is Female), ``race`` (0 to 4: White, Black, Asian, Indian,
    Others), ``age`` (years) and ``age_group``, which ``fairness.groupings`` may name. What a name does not say is
    not known. ``39_1_20170116174525125.jpg`` has one code where two belong: it may mean gender or race, so neither
    is known; ``53__0_20170116184028385.jpg`` has no gender, and race 0.

    Source: Zhang et al., CVPR 2017; names and codes as described on the page of the dataset.

    Args:
        root: the folder.
        age_bounds: ages in years at which the next age group begins, rising; empty leaves ``age_group`` out.
        limit: keep this many pictures, taken in turn from each gender and race.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    meta = _META

    def __init__(self, *, root: str, age_bounds: Sequence[int] = DECADES, limit: int | None = None) -> None:
        if not root:
            raise ValueError("root must not be empty")
        check_count("limit", limit)
        self._root = Path(root)
        self._bounds = check_bounds(age_bounds)
        self._limit = limit

    @property
    def root(self) -> Path:
        """Folder that holds every picture."""
        return self._root

    def entries(self) -> Iterator[Entry]:
        """Every picture, sorted folder by folder.

        Raises:
            DataError: when there is none, or the name of one is not of the published form; names file, rule and
                value.
        """
        tree = Tree(self._root, self.meta.name)
        found = [Entry(path, attributes=self._read_name(path)) for path in tree.pictures()]
        if not found:
            raise DataError(
                f"UTKFace: expected pictures as 26_1_3_20170117175041574.jpg in {str(self._root)!r}, "
                f"found {tree.contents()}"
            )
        return iter(first_identities(found, self._limit, self.meta.groupings))

    def pairs(self) -> list[Pair]:
        """None: who is shown is not known."""
        return []

    def _read_name(self, path: str) -> dict[str, str]:
        where = f"UTKFace: {path!r}"
        match PurePosixPath(path).name.partition(".")[0].split("_"):
            case [age, *codes, date] if len(codes) <= 2 and _DATE.fullmatch(date):
                gender, race = codes if len(codes) == 2 else ("", "")
            case _:
                example = "26_1_3_20170117175041574.jpg"
                raise DataError(f"{where}: expected a name as age_gender_race_date, such as {example}")
        known = {
            name: _CODES.write(name, code, where) for name, code in (("gender", gender), ("race", race)) if code
        }
        return known | describe_age(read_age(age, where), self._bounds) if age else known

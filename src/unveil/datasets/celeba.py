"""CelebA, sampled as a face dataset: people with many photos, as many women as men."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from unveil.core.errors import DataError
from unveil.core.fingerprint import rng
from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.types import Pair
from unveil.datasets.selection import check_count, first_identities
from unveil.datasets.tree import Tree

_SPLITS = {"0": "train", "1": "validation", "2": "test"}
_META = DatasetMeta(
    name="CelebA",
    version=1,
    source=Source(
        "Liu, Luo, Wang, Tang: Deep Learning Face Attributes in the Wild, ICCV 2015",
        "non-commercial research only",
        "https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",
    ),
    groupings=("gender",),
    has=frozenset({"identity", "demographics"}),
)


class CelebA:
    """Photos of celebrities with the attribute Male, sampled as FairDeFace does.

    Expected below the root, or below its folders ``Img``, ``Anno`` and ``Eval`` as published:
    ``img_align_celeba`` (or ``img_celeba``), ``identity_CelebA.txt``, ``list_attr_celeba.txt`` and, if splits
    are wanted, ``list_eval_partition.txt``.

    A person's gender is what most of the photos are labelled. 615 of the 10,177 identities carry both labels:
    errors of the labelling, or of the identity; the 9 of them with as many of one as of the other are left
    out. With the defaults 4,777 women and 3,592 men have enough photos, hence 3,592 of each are taken
    (FairDeFace reports 3,624 and does not say how it settles mixed labels).

    Args:
        root: the folder.
        min_images: a person needs this many photos.
        photos: taken at random of each person; None takes all. At most ``min_images``.
        identities: people of each gender, taken at random; None takes as many as the rarer gender has.
        seed: of the sampling.
        limit: keep this many people of those sampled, one woman and one man in turn.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    meta = _META

    def __init__(
        self,
        *,
        root: str,
        min_images: int = 10,
        photos: int | None = 10,
        identities: int | None = None,
        seed: int = 0,
        limit: int | None = None,
    ) -> None:
        if not root:
            raise ValueError("root must not be empty")
        for name, value in (("photos", photos), ("identities", identities), ("limit", limit)):
            check_count(name, value)
        check_count("min_images", min_images)
        check_count("seed", seed, minimum=0)
        if photos is not None and photos > min_images:
            raise ValueError(f"photos = {photos} must not be more than min_images = {min_images}")
        self._root = Path(root)
        self._min_images = min_images
        self._photos = photos
        self._identities = identities
        self._seed = seed
        self._limit = limit

    @property
    def root(self) -> Path:
        """Folder that holds every photo."""
        return self._root

    def entries(self) -> Iterator[Entry]:
        """The sampled photos, sorted by name.

        Raises:
            DataError: when a list or the folder of photos is missing or malformed, a sampled photo is not
                there, or a gender has too few people; says what was expected and what was found.
        """
        tree = Tree(self._root, "CelebA")
        folder = _find(tree, "img_align_celeba", "img_celeba")
        identity_file, attribute_file = _find(tree, "identity_CelebA.txt"), _find(tree, "list_attr_celeba.txt")
        split_file = _look_for(tree, "list_eval_partition.txt")
        male = _read_male(attribute_file)
        splits = dict(_read_pairs(split_file)) if split_file else {}
        photos_of: dict[str, list[str]] = defaultdict(list)
        for photo, person in _read_pairs(identity_file):
            if photo not in male:
                raise DataError(f"CelebA: identity_CelebA.txt names {photo!r}, list_attr_celeba.txt does not")
            photos_of[person].append(photo)
        gender_of = sample_people(
            photos_of, male, min_images=self._min_images, identities=self._identities, seed=self._seed
        )
        chosen = sorted((photo, p) for p in gender_of for photo in self._sample_photos(p, photos_of[p]))
        there = {file.name for file in folder.iterdir()}
        if absent := [photo for photo, _ in chosen if photo not in there]:
            raise DataError(
                f"CelebA: {len(absent)} of {len(chosen)} photos are not in {folder}: {absent[0]!r} first"
            )
        where = folder.relative_to(self._root).as_posix()
        entries = [
            Entry(f"{where}/{photo}", p, _SPLITS.get(splits.get(photo, ""), ""), {"gender": gender_of[p]})
            for photo, p in chosen
        ]
        return iter(first_identities(entries, self._limit, self.meta.groupings))

    def pairs(self) -> list[Pair]:
        """None: CelebA prescribes no comparisons."""
        return []

    def _sample_photos(self, person: str, photos: list[str]) -> list[str]:
        order = rng(self._seed, "CelebA", "photos", person).permutation(len(photos))
        return [sorted(photos)[i] for i in order[: self._photos]]


def sample_people(
    photos_of: Mapping[str, list[str]],
    male: Mapping[str, bool],
    *,
    min_images: int,
    identities: int | None,
    seed: int,
) -> dict[str, str]:
    """Choose equally many women and men.

    Args:
        photos_of: person -> photos.
        male: photo -> whether labelled Male.
        min_images, identities, seed: as for :class:`CelebA`.

    Returns:
        Person -> Female or Male.

    Raises:
        DataError: when a gender has too few people.
    """
    people: dict[str, list[str]] = {"Female": [], "Male": []}
    for person in sorted(photos_of):
        photos = photos_of[person]
        men = sum(male[photo] for photo in photos)
        if len(photos) >= min_images and 2 * men != len(photos):
            people["Male" if 2 * men > len(photos) else "Female"].append(person)
    n = min(map(len, people.values())) if identities is None else identities
    for gender, found in people.items():
        if not found or len(found) < n:
            raise DataError(
                f"CelebA: {len(found)} identities labelled {gender} have at least {min_images} photos; "
                f"expected {max(n, 1)} or more"
            )
    return {
        found[i]: gender
        for gender, found in people.items()
        for i in rng(seed, "CelebA", "identities", gender).permutation(len(found))[:n]
    }


def _look_for(tree: Tree, *names: str) -> Path | None:
    places = (tree.root / folder / name for folder in ("", "Anno", "Eval", "Img") for name in names)
    return next((path for path in places if path.exists()), None)


def _find(tree: Tree, *names: str) -> Path:
    if (path := _look_for(tree, *names)) is None:
        raise DataError(f"CelebA: expected {' or '.join(names)} in {str(tree.root)!r}, found {tree.contents()}")
    return path


def _lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    with file.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            if fields := line.split():
                yield number, fields


def _read_pairs(file: Path) -> Iterator[tuple[str, str]]:
    for number, fields in _lines(file):
        if len(fields) != 2:
            raise DataError(
                f"{file.name} line {number}: expected a photo and a number, found {' '.join(fields)!r}"
            )
        yield fields[0], fields[1]


def _read_male(file: Path) -> dict[str, bool]:
    """Photo -> whether labelled Male. First line: number of photos; second: names of the attributes."""
    lines = _lines(file)
    _, count = next(lines, (1, []))
    _, names = next(lines, (2, []))
    if "Male" not in names or len(count) != 1:
        raise DataError(f"{file.name}: expected the number of photos, then names with Male; found {names[:5]}")
    column = names.index("Male") + 1
    male = {}
    for number, fields in lines:
        if len(fields) != len(names) + 1 or fields[column] not in ("1", "-1"):
            raise DataError(f"{file.name} line {number}: expected a photo and {len(names)} times 1 or -1")
        male[fields[0]] = fields[column] == "1"
    if str(len(male)) != count[0]:
        raise DataError(f"{file.name} line 1: says {count[0]} photos, found {len(male)}")
    return male

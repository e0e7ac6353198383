from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unveil.core.errors import ConfigError, DataError
from unveil.core.protocols import Entry
from unveil.datasets.celeba import CelebA, sample_people
from unveil.registry import build

# person -> labels of the photos: 1 is Male
PEOPLE = {"1": [0] * 12, "2": [0] * 10, "3": [0] * 9 + [1] * 2, "4": [1] * 10, "5": [1] * 11 + [0], "6": [0] * 4,
          "7": [1] * 5 + [0] * 5}  # fmt: skip


@pytest.fixture
def root(plant: Callable[..., Path]) -> Path:
    return celeba(plant)


def celeba(plant: Callable[..., Path], lists: str = "", photos: str = "img_align_celeba") -> Path:
    rows = [(p, m) for n in range(12) for p, labels in PEOPLE.items() for m in labels[n : n + 1]]
    names = [f"{i:06d}.jpg" for i in range(1, len(rows) + 1)]
    made = plant(*(f"{photos}/{name}" for name in names))
    (made / lists).mkdir(exist_ok=True)
    identity = "".join(f"{name} {p}\n" for name, (p, _) in zip(names, rows, strict=True))
    attributes = "".join(f"{name} -1  {2 * m - 1}\n" for name, (_, m) in zip(names, rows, strict=True))
    (made / lists / "identity_CelebA.txt").write_text(identity)
    (made / lists / "list_attr_celeba.txt").write_text(f"{len(rows)}\nYoung Male \n{attributes}")
    return made


def sample(root: Path, **parameters: Any) -> list[Entry]:
    return list(CelebA(root=str(root), **parameters).entries())


def test_as_many_women_as_men_with_ten_photos_each(root: Path) -> None:
    found = sample(root)
    gender = {e.identity: e.attributes["gender"] for e in found}
    assert {p: g for p, g in gender.items() if g == "Male"} == {"4": "Male", "5": "Male"}
    women = {p for p, g in gender.items() if g == "Female"}
    assert len(women) == 2 and women <= {"1", "2", "3"}  # the majority decides about 3 and 5
    assert set(Counter(e.identity for e in found).values()) == {10}
    paths = [e.path for e in found]
    assert paths == sorted(set(paths)) and all((root / path).is_file() for path in paths)
    assert CelebA.meta.groupings == ("gender",) and CelebA.meta.has == {"identity", "demographics"}
    assert CelebA(root=str(root)).pairs() == [] and CelebA(root=str(root)).root == root


def test_the_sample_depends_on_the_seed_alone(root: Path) -> None:
    assert sample(root, seed=3) == sample(root, seed=3)
    photos = {tuple(e.path for e in sample(root, seed=seed)) for seed in range(8)}
    assert len(photos) == 8
    women = {frozenset(e.identity for e in sample(root, seed=s, identities=1)) for s in range(20)}
    assert women == {frozenset((w, m)) for w in "123" for m in "45"}


def test_sizes(root: Path) -> None:
    everything = sample(root, min_images=4, photos=None)
    assert Counter(e.attributes["gender"] for e in everything)["Male"] == 22
    assert not {e.identity for e in everything} & {"7"}  # as many labels of one gender as of the other
    assert len(sample(root, photos=3, identities=1)) == 6
    assert len(sample(root, photos=3, limit=1)) == 3
    with pytest.raises(
        DataError, match="3 identities labelled Female have at least 10 photos; expected 4 or more"
    ):
        sample(root, identities=4)
    with pytest.raises(DataError, match=r"0 identities labelled .* have at least 50 photos; expected 1 or more"):
        sample(root, min_images=50)


def test_splits_and_the_folders_of_the_published_archive(plant: Callable[..., Path]) -> None:
    root = celeba(plant, lists="Anno", photos="Img/img_celeba")
    (root / "Eval").mkdir()
    (root / "Eval" / "list_eval_partition.txt").write_text("".join(f"{i:06d}.jpg {i % 3}\n" for i in range(1, 70)))
    found = sample(root)
    assert all(e.path.startswith("Img/img_celeba/") for e in found)
    splits = {e.path[-10:-4]: e.split for e in found}
    assert all(split == ("train", "validation", "test")[int(n) % 3] for n, split in splits.items())


def test_what_is_missing_or_malformed_is_named(root: Path) -> None:
    first = sample(root)[0].path
    (root / first).unlink()
    with pytest.raises(
        DataError, match=f"1 of 40 photos are not in .*img_align_celeba: '{Path(first).name}' first"
    ):
        sample(root)
    attributes = root / "list_attr_celeba.txt"
    good = attributes.read_text()
    for text, said in [
        (good.replace("000003.jpg -1  -1", "000003.jpg -1"), r"line 5: expected a photo and 2 times 1 or -1"),
        (good.replace("000003.jpg -1  -1", "000003.jpg -1 x"), "line 5: expected"),
        (
            good.replace("Male", "Man"),
            r"expected the number of photos, then names with Male; found \['Young', 'Man'\]",
        ),
        ("", "expected the number of photos"),
        (good.rpartition("0000")[0], "line 1: says 69 photos, found 68"),
    ]:
        attributes.write_text(text)
        with pytest.raises(DataError, match=f"list_attr_celeba.txt:? {said}"):
            sample(root)
    attributes.write_text(good)
    identity = root / "identity_CelebA.txt"
    identity.write_text(identity.read_text() + "000999.jpg 9\n")
    with pytest.raises(
        DataError, match=r"identity_CelebA\.txt names '000999\.jpg', list_attr_celeba\.txt does not"
    ):
        sample(root)
    identity.write_text("000001.jpg\n")
    with pytest.raises(DataError, match=r"identity_CelebA\.txt line 1: expected a photo and a number"):
        sample(root)
    attributes.unlink()
    with pytest.raises(
        DataError, match=r"expected list_attr_celeba\.txt in .*, found identity_CelebA\.txt, img_align"
    ):
        sample(root)


@pytest.mark.parametrize(
    "parameters, said",
    [
        ({"root": ""}, "root must not be empty"),
        ({"photos": 11}, "photos = 11 must not be more than min_images = 10"),
        ({"min_images": float("nan")}, "min_images must be an integer"),
        ({"identities": 0}, "identities must be an integer of at least 1, not 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, not -1"),
    ],
)
def test_parameters_that_break_their_rule(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build("datasets", "celeba", {"root": "x", **parameters})


def test_the_real_identities_give_the_documented_numbers(shared_data: Path) -> None:
    table = shared_data / "faces" / "_labels" / "celeba_identity_gender.csv"
    with table.open(newline="") as stream:
        people = [(r["identity"], int(r["n_images"]), int(r["n_male"])) for r in csv.DictReader(stream)]
    assert len(people) == 10_177 and sum(0 < m < n for _, n, m in people) == 615
    assert sum(2 * m == n for _, n, m in people) == 9
    photos_of = {p: [f"{p}/{i}" for i in range(n)] for p, n, _ in people}
    male = {f"{p}/{i}": i < m for p, n, m in people for i in range(n)}
    found = sample_people(photos_of, male, min_images=10, identities=None, seed=0)
    assert Counter(found.values()) == {"Female": 3592, "Male": 3592}
    with pytest.raises(DataError, match=r"3592 identities labelled Male .* expected 4000 or more"):
        sample_people(photos_of, male, min_images=10, identities=4000, seed=0)

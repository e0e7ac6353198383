from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from unveil.core.errors import DataError
from unveil.core.types import Pair
from unveil.datasets.rfw import RACES, RFW

PHOTOS = {race: [f"data/{race}/m.0{race[:2]}{i}/m.0{race[:2]}{i}_000{n}.jpg" for i in (1, 2) for n in (1, 2)]
          for race in RACES}  # fmt: skip


@pytest.fixture
def root(plant: Callable[..., Path]) -> Path:
    made = plant(*(photo for photos in PHOTOS.values() for photo in photos))
    for race in RACES:
        folder = made / "txts" / race
        folder.mkdir(parents=True)
        a, b = f"m.0{race[:2]}1", f"m.0{race[:2]}2"
        fold = f"{a}\t1\t2\n" * 300 + f"{a}\t1\t{b}\t2\n" * 300
        (folder / f"{race}_pairs.txt").write_text(fold * 2)
        (folder / f"{race}_images.txt").write_text(f"{a}_0001.jpg\t0\n")
        (folder / f"{race}_people.txt").write_text(f"{a}\t2\n")
        (folder / f"{race}_lmk.txt").write_text(f"/data/{race}/{a}/{a}_0001.jpg\t0\t1.5\t2.5\n")
    return made


def test_races_people_and_folds(root: Path) -> None:
    rfw = RFW(root=str(root))
    entries = list(rfw.entries())
    assert sorted(e.path for e in entries) == sorted(photo for photos in PHOTOS.values() for photo in photos)
    assert {e.attributes["race"] for e in entries} == set(RACES) == {"Caucasian", "African", "Asian", "Indian"}
    assert entries[0].identity == "m.0Af1" and entries[0].attributes == {"race": "African"}
    assert rfw.meta.groupings == ("race",) and rfw.meta.has == {"identity", "demographics", "pairs"}
    pairs = rfw.pairs()
    assert len(pairs) == 4 * 1200
    for race, photos in PHOTOS.items():
        own = [pair for pair in pairs if f"/{race}/" in pair.left]
        assert [pair.fold for pair in own] == [0] * 600 + [1] * 600
        assert own[0] == Pair(photos[0], photos[1], True, 0) and own[300] == Pair(photos[0], photos[3], False, 0)


def test_a_limit_keeps_every_race_and_the_pairs_inside(root: Path) -> None:
    rfw = RFW(root=str(root), limit=4)
    assert {(e.identity, e.attributes["race"]) for e in rfw.entries()} == {(f"m.0{r[:2]}1", r) for r in RACES}
    assert len(rfw.pairs()) == 4 * 600 and all(pair.mated for pair in rfw.pairs())


def test_without_lists_no_pairs_are_prescribed(plant: Callable[..., Path]) -> None:
    rfw = RFW(root=str(plant(*PHOTOS["Asian"])))
    assert rfw.pairs() == [] and "pairs" not in rfw.meta.has and len(list(rfw.entries())) == 4


def test_what_is_missing_is_named(root: Path, plant: Callable[..., Path]) -> None:
    (root / PHOTOS["Indian"][3]).unlink()
    with pytest.raises(
        DataError, match=r"^Indian_pairs\.txt line 301: photo 2 of 'm\.0In2' is not in the dataset"
    ):
        RFW(root=str(root)).pairs()
    (root / "txts" / "African" / "African_pairs.txt").unlink()
    with pytest.raises(DataError, match=r"African_pairs\.txt.*No such file"):
        RFW(root=str(root)).pairs()
    plant("data/Martian/m.1/m.1_0001.jpg")
    with pytest.raises(DataError, match="race 'Martian' is not one of Caucasian, African, Asian, Indian"):
        list(RFW(root=str(root)).entries())
    with pytest.raises(DataError, match=r"RFW: cannot list 'data' .* found there: root/"):
        list(RFW(root=str(root.parent)).entries())

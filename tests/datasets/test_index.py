from __future__ import annotations

import os
import shutil
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from unveil.core.errors import DataError, StoreError
from unveil.core.fingerprint import file_hash
from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.schema import SAMPLES
from unveil.core.types import Pair, Sample
from unveil.datasets.folder import Folder
from unveil.datasets.index import FACTS, index_hash, samples_frame, scan, to_samples


class Listed:
    """A dataset of another package: any entries it likes."""

    def __init__(self, root: Path, *entries: Entry, version: int = 1) -> None:
        self.meta = DatasetMeta("listed", version, Source("none"))
        self.root = root
        self._entries = entries

    def entries(self) -> Iterator[Entry]:
        return iter(self._entries)

    def pairs(self) -> list[Pair]:
        return []


def people(root: Path, **parameters: Any) -> Folder:
    return Folder(root=str(root), pattern="{gender}/{identity}/{file}", **parameters)


def test_one_row_per_entry(plant: Callable[..., Path]) -> None:
    root = plant("f/Ana/1.jpg", "m/Bo/1.png")
    (root / "m" / "Bo" / "2.jpg").write_bytes(b"a text called .jpg")
    table = scan(people(root), cache=None)
    assert table.schema == SAMPLES
    assert table.to_pylist() == [
        {
            "dataset": "folder",
            "sample_id": "f/Ana/1.jpg",
            "content_hash": file_hash(root / "f" / "Ana" / "1.jpg"),
            "identity": "Ana",
            "split": "",
            "attributes": [("gender", "Female")],
            "labels": [],
            "annotation": "",
            "width": 12,
            "height": 8,
            "status": "ok",
            "reason": "",
            "detail": "",
        },
        {**table.to_pylist()[1], "sample_id": "m/Bo/1.png", "status": "ok"},
        {
            "dataset": "folder",
            "sample_id": "m/Bo/2.jpg",
            "content_hash": file_hash(root / "m" / "Bo" / "2.jpg"),
            "identity": "Bo",
            "split": "",
            "attributes": [("gender", "Male")],
            "labels": [],
            "annotation": "",
            "width": 0,
            "height": 0,
            "status": "failed",
            "reason": "undecodable",
            "detail": "2.jpg: not a picture in a known format",
        },
    ]
    assert scan(people(root), cache=None, name="mine")["dataset"].unique().to_pylist() == ["mine"]


def test_frame_and_samples(plant: Callable[..., Path]) -> None:
    root = plant("1.jpg", "2.jpg", "3.jpg")
    (root / "3.jpg").write_bytes(b"")
    (root / "labels.csv").write_text(
        "path,identity,split,gender,race\n1.jpg,A,test,F,\n2.jpg,,,,Black\n3.jpg,B,,M,\n"
    )
    table = scan(Folder(root=str(root), labels="labels.csv", name="d"), cache=None)
    frame = samples_frame(table)
    assert frame.index.name == "sample_id" and list(frame.index) == ["1.jpg", "2.jpg", "3.jpg"]
    assert list(frame.columns) == [*FACTS, "gender", "race"]
    assert frame["gender"].tolist() == ["Female", "", "Male"] and frame["race"].tolist() == ["", "Black", ""]
    assert frame["status"].tolist() == ["ok", "ok", "failed"] and frame["detail"].iloc[2].startswith("3.jpg: ")
    samples = to_samples(frame)
    assert samples == to_samples(table) and len(samples) == 3
    assert samples[0] == Sample(
        "1.jpg", "d", file_hash(root / "1.jpg"), "A", "test", {"gender": "Female"}, width=12, height=8
    )
    assert type(samples[0].width) is int and samples[1].attributes == {"race": "Black"}
    assert [s.id for s in to_samples(frame[frame["status"] == "ok"])] == ["1.jpg", "2.jpg"]


def test_bad_files_of_every_kind_have_a_row(plant: Callable[..., Path], shared_data: Path) -> None:
    root = plant("good.jpg")
    shutil.copytree(shared_data / "nasty", root / "nasty", copy_function=shutil.copyfile)
    for folder in root.rglob("*/"):
        folder.chmod(0o755)
    os.mkfifo(root / "pipe.jpg")
    (root / "gone.jpg").symlink_to("nothing.jpg")
    Image.new("1", (1, 1)).save(root / "one.png")
    Image.new("RGB", (30, 20)).save(root / "turned.jpg", exif=exif_orientation(6))
    (root / ("n" * 251 + ".jpg")).write_bytes(b"")
    found = (path.relative_to(root).as_posix() for path in sorted(root.rglob("*.*")))
    frame = samples_frame(scan(Listed(root, *map(Entry, found)), cache=None))
    assert frame.loc["good.jpg", "status"] == frame.loc["one.png", "status"] == "ok"
    assert frame.loc["turned.jpg", ["width", "height"]].tolist() == [20, 30]
    assert frame.loc["pipe.jpg", ["content_hash", "detail"]].tolist() == ["", "pipe.jpg: not a regular file"]
    assert frame.loc["gone.jpg", "detail"] == "gone.jpg: No such file or directory"
    assert frame.loc["nasty/pillow/decompression_bomb.gif", "reason"] == "too_large"
    failed = frame[frame["status"] == "failed"]
    assert len(failed) >= 16 and len(frame) - len(failed) >= 50
    assert (failed["width"] == 0).all() and failed["reason"].isin(["undecodable", "too_large"]).all()
    for sample_id, row in failed.iterrows():
        assert row["detail"].startswith(sample_id.rpartition("/")[2] + ": ")


def exif_orientation(value: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = value
    return exif


def test_the_second_scan_opens_no_picture(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant("f/Ana/1.jpg", "m/Bo/1.jpg")
    calls: list[tuple[int, int]] = []
    first = scan(people(root), cache=tmp_path / "cache", progress=lambda *done: calls.append(done))
    assert calls == [(1, 2), (2, 2)]
    assert len(list((tmp_path / "cache" / "index").iterdir())) == 1
    facts = (root / "f/Ana/1.jpg").stat()
    (root / "f/Ana/1.jpg").write_bytes(b"x" * facts.st_size)
    os.utime(root / "f/Ana/1.jpg", ns=(facts.st_atime_ns, facts.st_mtime_ns))  # looks unchanged
    second = scan(people(root), cache=tmp_path / "cache", progress=lambda *done: calls.append(done))
    assert second == first and second.schema == first.schema == SAMPLES
    assert calls[2:] == [(2, 2)]
    assert scan(people(root), cache=None) != first


def test_what_a_picture_shows_comes_back(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant("1.jpg", "2.jpg")
    entries = Entry("1.jpg", labels=frozenset({"face", "age"}), annotation="a1"), Entry("2.jpg")
    for _ in range(2):  # looked at, then loaded
        table = scan(Listed(root, *entries), cache=tmp_path / "cache")
        assert table["labels"].to_pylist() == [["age", "face"], []]
        frame = samples_frame(table)
        assert frame["labels"].tolist() == [("age", "face"), ()] and frame["annotation"].tolist() == ["a1", ""]
        samples = to_samples(frame)
        assert samples == to_samples(table)
        assert [s.labels for s in samples] == [frozenset({"age", "face"}), frozenset()]
        assert [s.annotation for s in samples] == ["a1", ""] and samples[0].attributes == {}


def test_any_change_makes_a_new_index(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant("f/Ana/1.jpg", "m/Bo/1.jpg", "labels.jpg")
    entry = Entry("f/Ana/1.jpg", "Ana", "test", {"gender": "Female"})
    cache, index = tmp_path / "cache", tmp_path / "cache" / "index"
    variants = [
        [entry],
        [entry, Entry("m/Bo/1.jpg")],
        [Entry("f/Ana/1.jpg", "Eva", "test", {"gender": "Female"})],
        [Entry("f/Ana/1.jpg", "Ana", "train", {"gender": "Female"})],
        [Entry("f/Ana/1.jpg", "Ana", "test", {"gender": "Male"})],
        [Entry("f/Ana/1.jpg", "Ana", "test", {"gender": "Female"}, frozenset({"age"}))],
        [Entry("f/Ana/1.jpg", "Ana", "test", {"gender": "Female"}, annotation="a1")],
    ]
    for count, entries in enumerate(variants, start=1):
        scan(Listed(root, *entries), cache=cache)
        assert len(list(index.iterdir())) == count
    scan(Listed(root, entry, version=2), cache=cache)
    os.utime(root / "f/Ana/1.jpg", ns=(1, 1))
    scan(Listed(root, entry), cache=cache)
    assert len(list(index.iterdir())) == len(variants) + 2


def test_the_index_moves_with_the_files(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant("f/Ana/1.jpg")
    first = scan(people(root), cache=tmp_path / "cache")
    root.rename(tmp_path / "elsewhere")
    second = scan(people(tmp_path / "elsewhere"), cache=tmp_path / "cache")
    assert index_hash(first) == index_hash(second)
    assert len(list((tmp_path / "cache" / "index").iterdir())) == 1


@pytest.mark.parametrize("content", [b"", b"PAR1 is no table PAR1", None])
def test_a_damaged_index_is_made_anew(plant: Callable[..., Path], tmp_path: Path, content: bytes | None) -> None:
    folder = people(plant("f/Ana/1.jpg"))
    good = scan(folder, cache=tmp_path)
    (stored,) = (tmp_path / "index").iterdir()
    if content is None:
        pq.write_table(pa.table({"other": [1]}), stored)
    else:
        stored.write_bytes(content)
    assert scan(folder, cache=tmp_path) == good
    assert pq.read_table(stored)["content_hash"] == good["content_hash"]
    assert list((tmp_path / "index").iterdir()) == [stored]  # no temporary file is left


def test_a_cache_that_cannot_be_written(plant: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match="cannot write the index"):
        scan(people(plant("f/Ana/1.jpg")), cache=tmp_path / "file")


def test_entries_that_are_refused(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant("1.jpg")
    for entries, said in [
        ([Entry("../secret.jpg")], "leads out"),
        ([Entry("1.jpg"), Entry("1.jpg")], "'1.jpg' is listed twice"),
        ([Entry("1.jpg", attributes={"width": "3"})], "'width' cannot be an attribute"),
    ]:
        with pytest.raises(DataError, match=said):
            scan(Listed(root, *entries), cache=None)
    (root / "out.jpg").symlink_to(tmp_path / "secret.jpg")
    with pytest.raises(DataError, match=r"out\.jpg' leads out"):
        scan(Listed(root, Entry("out.jpg")), cache=None)


def test_an_empty_dataset_has_an_empty_table(tmp_path: Path) -> None:
    table = scan(Listed(tmp_path), cache=tmp_path / "cache")
    assert len(table) == 0 and table.schema == SAMPLES and samples_frame(table).empty and to_samples(table) == []


def test_what_the_hash_depends_on(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant("1.jpg", "2.jpg")
    one, two = Entry("1.jpg", "A", "", {"x": "1", "y": "2"}), Entry("2.jpg", "B")

    def hashed(*entries: Entry) -> str:
        return index_hash(scan(Listed(root, *entries), cache=None))

    base = hashed(one, two)
    assert base == hashed(two, one) == hashed(Entry("1.jpg", "A", "", {"y": "2", "x": "1"}), two)
    assert base == index_hash(scan(Listed(root, one, two), cache=None, name="other"))
    others = {
        hashed(one),
        hashed(one, Entry("2.jpg", "A")),
        hashed(one, Entry("2.jpg", "B", "test")),
        hashed(Entry("1.jpg", "A", "", {"x": "1", "y": "3"}), two),
        hashed(one, Entry("2.jpg", "B", labels=frozenset({"age"}))),
        hashed(one, Entry("2.jpg", "B", annotation="age")),
    }
    Image.new("RGB", (12, 8), (1, 2, 3)).save(root / "2.jpg")
    assert len({base, *others, hashed(one, two)}) == 8


values = st.text(st.characters(blacklist_categories=("Cs",)))
names = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=("Cs",)), min_size=1, max_size=40)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(names, st.text(st.characters(blacklist_categories=("Cs",))), max_size=4), names, st.text("abé")
)
def test_labels_come_back_as_they_were(
    plant: Callable[..., Path], tmp_path: Path, attributes: dict[str, str], identity: str, split: str
) -> None:
    root = plant("1.jpg")
    attributes = {name: value for name, value in attributes.items() if name not in SAMPLES.names}
    table = scan(Listed(root, Entry("1.jpg", identity, split, attributes)), cache=tmp_path / "cache")
    (sample,) = to_samples(
        scan(Listed(root, Entry("1.jpg", identity, split, attributes)), cache=tmp_path / "cache")
    )
    assert (sample.identity, sample.split) == (identity, split)
    assert sample.attributes == {name: value for name, value in attributes.items() if value}
    assert to_samples(table) == [sample]


def test_pictures_are_dropped_at_once(tmp_path: Path) -> None:
    big = tmp_path / "root" / "0.png"
    big.parent.mkdir()
    Image.new("RGB", (2000, 2000)).save(big)  # 12 MB unpacked
    for number in range(1, 40):
        shutil.copy(big, big.with_name(f"{number}.png"))
    dataset = Listed(big.parent, *(Entry(f"{n}.png") for n in range(40)))
    tracemalloc.start()
    table = scan(dataset, cache=None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert table["width"].to_pylist() == [2000] * 40
    assert 10e6 < peak < 40 * 12e6 / 2  # one picture is seen; forty are not


def test_no_file_stays_open(plant: Callable[..., Path]) -> None:
    root = plant(*(f"{n}.jpg" for n in range(30)))
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    opened: list[int] = []

    def watch(done: int, total: int) -> None:
        if before:
            opened.append(len(os.listdir("/proc/self/fd")) - before)

    scan(Listed(root, *(Entry(f"{n}.jpg") for n in range(30))), cache=None, progress=watch)
    assert max(opened, default=0) < 20
    assert (len(os.listdir("/proc/self/fd")) if before else 0) <= before

"""Folders with COCO annotations: made ones of every kind, and 54 real pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from unveil.core.errors import DataError
from unveil.core.protocols import Entry
from unveil.core.scenes import CLASSES, KEYPOINTS, LABELS
from unveil.core.types import Detections, Failure
from unveil.datasets.coco import Coco
from unveil.datasets.index import index_hash, samples_frame, scan
from unveil.testing import check_component

Plant = Callable[..., Path]
CATEGORIES = [{"id": 1, "name": "person"}, {"id": 10, "name": "traffic light"}]
POINTS = [float(n) for x in range(17) for n in (x / 4, 2, x % 3)]


def record(number: int, image: int = 1, **more: Any) -> dict[str, Any]:
    square = [[1, 1, 6, 1, 6, 6, 1, 6]]
    known = {"id": number, "image_id": image, "category_id": 1, "bbox": [1, 1, 5, 5], "segmentation": square}
    return {key: value for key, value in {**known, **more}.items() if value is not None}


def instances(*records: dict[str, Any], pictures: int = 2) -> dict[str, Any]:
    images = [{"id": n, "file_name": f"{n}.png", "width": 12, "height": 8} for n in range(1, pictures + 1)]
    return {"images": images, "annotations": list(records), "categories": deepcopy(CATEGORIES)}


@pytest.fixture
def scenes(plant: Plant) -> Callable[..., Coco]:
    """``scenes(annotations, csv, **parameters)`` writes the files of a dataset and opens it."""

    def make(data: Any, csv: str | None = None, *, pictures: int = 2, **parameters: Any) -> Coco:
        root = plant(*(f"images/{n}.png" for n in range(1, pictures + 1)))
        text = data if isinstance(data, str) else json.dumps(data)
        (root / "instances.json").write_text(text, encoding="utf-8")
        if csv is not None:
            (root / "labels.csv").write_text(csv)
            parameters = {"labels": "labels.csv", **parameters}
        return Coco(root=str(root), **parameters)

    return make


def test_objects_of_a_picture(scenes: Callable[..., Coco]) -> None:
    light = record(2, category_id=10, segmentation=None, bbox=[-1, 0, 4.5, 8])
    coco = scenes(instances(record(1, keypoints=POINTS), light))
    found = coco.objects("images/1.png")
    assert isinstance(found, Detections)
    assert found.boxes.dtype == np.float32 and found.boxes.tolist() == [[1, 1, 6, 6], [-1, 0, 3.5, 8]]
    assert found.scores.tolist() == [1, 1] and found.labels == ("person", "traffic light")
    assert found.masks is not None and found.masks.shape == (2, 8, 12) and found.masks.dtype == np.bool_
    assert found.masks[0, 1:6, 1:6].all() and not found.masks[0, 7].any() and not found.masks[1].any()
    assert found.landmarks is not None and found.landmarks.shape == (2, 17, 2)
    seen = np.array(POINTS).reshape(17, 3)[:, 2] > 0
    assert np.array_equal(np.isnan(found.landmarks[0, :, 0]), ~seen) and np.isnan(found.landmarks[1]).all()
    assert found.landmarks[0, 4].tolist() == [1, 2]
    nobody = coco.objects("images/2.png")
    assert isinstance(nobody, Detections) and len(nobody) == 0 and nobody.labels == ()
    assert nobody.masks is not None and nobody.masks.shape == (0, 8, 12)
    assert coco.meta.has == {"objects", "masks", "keypoints"} and coco.pairs() == []
    with pytest.raises(DataError, match=r"has no picture 'images/3.png'"):
        coco.objects("images/3.png")


def test_a_person_without_an_outline_is_masked_by_the_box(scenes: Callable[..., Coco]) -> None:
    coco = scenes(
        instances(
            record(1),
            record(2, segmentation=None, bbox=[8.4, 2.6, 9, 2]),
            record(3, segmentation={"size": [8, 12], "counts": [96]}, bbox=[0.2, 0.3, 0.1, 0.1]),
        )
    )
    found = coco.objects("images/1.png")
    assert isinstance(found, Detections) and found.masks is not None
    assert np.argwhere(found.masks[1]).tolist() == [[y, x] for y in (2, 3, 4) for x in (8, 9, 10, 11)]
    assert np.argwhere(found.masks[2]).tolist() == [[0, 0]]


def test_what_no_record_has_the_dataset_has_not(scenes: Callable[..., Coco]) -> None:
    coco = scenes(instances(record(1, segmentation=None), record(2, 2, category_id=10)))
    found = coco.objects("images/1.png")
    assert isinstance(found, Detections) and found.masks is None and found.landmarks is None
    assert coco.meta.has == {"objects"}
    unseen = scenes(instances(record(1, keypoints=[0] * 51)))
    assert unseen.meta.has == {"objects", "masks"}


def test_crowds_are_left_out(scenes: Callable[..., Coco]) -> None:
    coco = scenes(instances(record(1, iscrowd=1, bbox=[0, 0, 0, 0]), record(2)))
    found = coco.objects("images/1.png")
    assert isinstance(found, Detections) and len(found) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bbox": [1, 1, 0, 5]}, "a bbox must have an area, not the size 0x5"),
        ({"bbox": [1, 1, 5, -1]}, "area"),
        ({"bbox": [12, 1, 5, 5]}, "lies outside of the picture of 12x8 pixels"),
        ({"bbox": [1, -5, 5, 5]}, "outside"),
        ({"bbox": [1, 1, 5]}, "a bbox must be 4 numbers, not 3 values"),
        ({"bbox": [1, 1, 5, 1e300]}, "places in a picture, not 1e"),
        ({"bbox": None}, "a bbox must be 4 numbers, not None"),
        ({"category_id": 2}, "category_id must be one of the file's categories, not 2"),
        ({"category_id": [1]}, "not [1]"),
        ({"segmentation": {"size": [12, 8], "counts": [96]}}, "the mask has the size (height, width) [12, 8]"),
        ({"segmentation": [[1, 2]]}, "three points or more"),
        ({"keypoints": [1, 2, 2]}, "keypoints must be 51 numbers, not 3 values"),
        ({"keypoints": [3] * 51}, "the visibility of a keypoint is 0, 1 or 2"),
    ],
)
def test_a_wrong_annotation_is_the_failure_of_its_picture(
    scenes: Callable[..., Coco], change: dict[str, Any], said: str
) -> None:
    coco = scenes(instances(record(7, **change), record(8, 2, keypoints=POINTS)))
    failure = coco.objects("images/1.png")
    assert isinstance(failure, Failure) and failure.reason == "bad_annotation"
    assert failure.detail.startswith("instances.json: 1.png: annotation 7: ") and said in failure.detail
    assert "\n" not in failure.detail
    assert isinstance(coco.objects("images/2.png"), Detections)
    assert len(list(coco.entries())) == 2


def test_a_picture_of_another_size_than_annotated(scenes: Callable[..., Coco]) -> None:
    coco = scenes(instances(record(1)), pictures=2)
    Image.new("RGB", (8, 12)).save(coco.root / "images" / "1.png")
    failure = coco.objects("images/1.png")
    assert isinstance(failure, Failure) and failure.reason == "bad_annotation"
    assert failure.detail.endswith("annotated with 12x8 pixels, the upright picture has 8x12")
    (coco.root / "images" / "2.png").write_bytes(b"no picture")
    broken = coco.objects("images/2.png")
    assert isinstance(broken, Failure) and broken.reason == "undecodable"


def changed(**parts: Any) -> dict[str, Any]:
    return {**instances(record(1)), **parts}


POSE = {"id": 1, "name": "person", "keypoints": ["nose"]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{", "not JSON"),
        ('{"images": NaN}', "NaN is not a number of JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "expected images, annotations and categories, found list"),
        ({"images": []}, "'categories' must be a list of records, the file has images"),
        (changed(annotations=[7]), "'annotations' must be a list of records"),
        (changed(annotations=[record(1, 9)]), "annotation 1 belongs to the unknown image 9"),
        (changed(annotations=[record(1, image_id="1")]), "image_id must be a whole number from 0, not '1'"),
        (changed(annotations=[record(1), record(1)]), "annotation id 1 stands twice"),
        (changed(annotations=[{"image_id": 1}]), "id must be a whole number from 0, not None"),
        (changed(categories=[{"name": "person"}]), "category: id must be a whole number"),
        (changed(categories=[POSE]), "keypoints of 'person' are not COCO's 17"),
        (
            changed(images=[{"id": 1, "file_name": "1.png", "width": 0, "height": 8}]),
            "width must be .* from 1, not 0",
        ),
        (changed(images=[{"id": 1, "file_name": 3, "width": 1, "height": 8}]), "file_name must be a text, not 3"),
        (changed(images=instances()["images"] * 2), "'1.png' stands twice"),
        (changed(images=[], annotations=[]), "lists no picture"),
        (instances(pictures=3), "no file 'images/3.png'"),
        (changed(images=[{"id": 1, "file_name": "../../x.png", "width": 1, "height": 1}]), "leads out"),
    ],
)
def test_a_file_that_is_broken_as_a_whole(scenes: Callable[..., Coco], data: Any, said: str) -> None:
    with pytest.raises(DataError, match=said) as error:
        list(scenes(data).entries())
    assert "instances.json" in str(error.value)


def test_keypoints_in_a_file_of_their_own(scenes: Callable[..., Coco]) -> None:
    coco = scenes(instances(record(1), record(2, 2)), keypoints="points.json")
    file = coco.root / "points.json"
    pose = {"id": 1, "name": "person", "keypoints": [name.replace(" ", "_") for name in KEYPOINTS]}

    def write(*records: dict[str, Any]) -> Coco:
        file.write_text(json.dumps({"annotations": records, "categories": [pose]}))
        return Coco(root=str(coco.root), keypoints="points.json")

    found = write(record(1, keypoints=POINTS)).objects("images/1.png")
    assert isinstance(found, Detections) and found.landmarks is not None
    assert found.landmarks[0, 1].tolist() == [0.25, 2]
    for wrong in (record(3, keypoints=POINTS), record(1, 2, keypoints=POINTS)):
        with pytest.raises(DataError, match=r"points.json: annotation \d of image \d has no partner"):
            list(write(wrong).entries())
    for outside in ({"keypoints": "../points.json"}, {"images": "../root/images"}, {"instances": "/etc/hostname"}):
        with pytest.raises(DataError, match="leads out"):
            list(Coco(root=str(coco.root), **outside).entries())
    with pytest.raises(DataError, match=r"absent.json': No such file"):
        list(Coco(root=str(coco.root), instances="absent.json").entries())


CSV = (
    "file,split,gender,tone,labels\n"
    "2.png,train,F,Dark,age|face\n"
    "1.png,test,,,\n"
    "3.png,validation,M,Light,religion\n"
)


def test_labels_splits_and_groups_from_a_csv(scenes: Callable[..., Coco]) -> None:
    coco = scenes(instances(record(1), pictures=3), CSV, pictures=3, attributes=["gender", "tone"])
    assert coco.meta.has == {"objects", "masks", "labels", "splits", "demographics"}
    assert coco.meta.groupings == ("gender", "tone") and coco.meta.labels == LABELS
    two, one, three = coco.entries()
    assert two == Entry(
        "images/2.png",
        split="train",
        attributes={"gender": "Female", "tone": "Dark"},
        labels=frozenset({"age", "face"}),
        annotation=two.annotation,
    )
    assert (one.split, one.labels, three.split) == ("test", frozenset(), "validation")
    assert [e.path for e in Coco(root=str(coco.root), labels="labels.csv", split="train").entries()] == [
        "images/2.png",
        "images/1.png",
        "images/3.png",
    ]
    with pytest.raises(DataError, match="line 2: the label 'age' is not known; did you mean cage"):
        list(Coco(root=str(coco.root), labels="labels.csv", label_names=["cage"]).entries())
    check_component("datasets", scenes(instances(record(1)), citation="made for this test"))


@pytest.mark.parametrize(
    ("csv", "parameters", "said"),
    [
        ("file,labels\n1.png,face\n2.png,fase\n", {}, "line 3: the label 'fase' .* mean face"),
        ("file,split\n1.png,tset\n", {}, "split 'tset' is not one of"),
        ("file,split\n1.png,test\n", {"label_names": ["age"]}, "line 1: no column 'labels'"),
        ("identity,labels\nann,face\n", {}, "line 1: expected a column 'file' or 'path'"),
        ("file,labels\n9.png,face\n", {}, "no file '9.png'"),
        ("file,labels\n../x.png,face\n", {}, "leads out"),
        ("file,labels\nelsewhere.png,face\n", {}, "instances.json does not list the picture 'elsewhere.png'"),
    ],
)
def test_csvs_that_are_refused(
    scenes: Callable[..., Coco], plant: Plant, csv: str, parameters: dict[str, Any], said: str
) -> None:
    plant("images/elsewhere.png")
    coco = scenes(instances(record(1)), csv, **parameters)
    with pytest.raises(DataError, match=said):
        list(coco.entries())
        assert coco.meta


def test_a_csv_without_labels_has_splits_alone(scenes: Callable[..., Coco]) -> None:
    coco = scenes(instances(record(1)), "file,split\n1.png,test\n2.png,train\n")
    assert coco.meta.has == {"objects", "masks"} and coco.meta.labels == ()


def test_the_annotation_is_part_of_the_identity(scenes: Callable[..., Coco]) -> None:
    def hashes(*records: dict[str, Any], **more: Any) -> tuple[list[str], str]:
        coco = scenes({**instances(*records), **more})
        table = scan(coco, cache=None)
        return samples_frame(table)["annotation"].tolist(), index_hash(table)

    (one, two), whole = hashes(record(1), record(2, 2))
    assert len(one) == len(two) == 32 and one != two
    for records in (
        [record(1, bbox=[1, 1, 5, 4]), record(2, 2)],
        [record(1, keypoints=POINTS), record(2, 2)],
        [record(1), record(3), record(2, 2)],
    ):
        (changed_one, same), other = hashes(*records)
        assert changed_one != one and same == two and other != whole
    renamed = [{"id": 1, "name": "persons"}]
    assert hashes(record(1), record(2, 2), categories=renamed)[0][0] != one
    assert hashes(record(1, iscrowd=1), record(2, 2)) != hashes(record(2, 2), record(1))
    assert hashes(record(2, 2), record(1)) == ([one, two], whole)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"root": ""}, "root and name must not be empty"),
        ({"split": "tset"}, "split must be train, validation, test or empty, not 'tset'"),
        ({"limit": 0}, "limit must be an integer of at least 1"),
        ({"limit": float("nan")}, "limit must be"),
        ({"attributes": ["gender"]}, "labels is not given"),
        ({"label_names": ["age"]}, "labels is not given"),
        ({"labels": "l.csv", "label_names": "age"}, "label_names must be a list"),
        ({"labels": "l.csv", "attributes": "gender"}, "attributes must be a list"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Coco(**{"root": "x", **parameters})


def test_real_pictures(shared_data: Path) -> None:
    root = shared_data / "people" / "coco_mini"
    coco = Coco(root=str(root), keypoints="person_keypoints.json", split="test", citation="COCO 2017, 54 pictures")
    entries = list(coco.entries())
    assert len(entries) == 54 and {e.split for e in entries} == {"test"}
    assert coco.meta.has == {"objects", "masks", "keypoints"}
    data = json.loads((root / "instances.json").read_text())
    single = [r for r in data["annotations"] if not r["iscrowd"]]
    found = [coco.objects(e.path) for e in entries]
    assert all(isinstance(objects, Detections) for objects in found)
    names = [name for objects in found for name in objects.labels or ()]  # type: ignore[union-attr]
    assert len(names) == len(single) == 423 and set(CLASSES) <= set(names)
    areas = {e.path: objects.masks.sum(axis=(1, 2)) for e, objects in zip(entries, found, strict=True)}  # type: ignore[union-attr]
    of = {image["id"]: f"images/{image['file_name']}" for image in data["images"]}
    for path, drawn in areas.items():
        stated = [r["area"] for r in single if of[r["image_id"]] == path]
        assert np.allclose(drawn, stated, rtol=0.25, atol=40)  # COCO's area is that of the polygon
    for objects in found:
        assert isinstance(objects, Detections) and objects.masks is not None and objects.landmarks is not None
        for box, mask in zip(objects.boxes, objects.masks, strict=True):
            rows, columns = np.nonzero(mask)
            assert columns.min() > box[0] - 2 and rows.min() > box[1] - 2
            assert columns.max() < box[2] + 1 and rows.max() < box[3] + 1
        people = objects.only("person")
        assert np.isnan(objects.landmarks).all(axis=(1, 2)).sum() >= len(objects) - len(people)
    known = sum(int((~np.isnan(o.landmarks[:, :, 0])).sum()) for o in found)  # type: ignore[union-attr, index]
    points = json.loads((root / "person_keypoints.json").read_text())["annotations"]
    assert known == sum(p["num_keypoints"] for p in points if not p["iscrowd"]) > 500
    check_component("datasets", coco)

"""Fixtures that more than one part of the suite uses."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

from unveil import RunConfig
from unveil.core.scenes import CLASSES, PERSON
from unveil.testing.toy_scenes import scene

REPOSITORY = Path(__file__).resolve().parents[1]


def _shared(part: str, variable: str) -> Path:
    folder = Path(os.environ.get(variable, REPOSITORY.parent / "shared" / part))
    if not folder.is_dir():
        pytest.skip(f"needs the {part} pack: set {variable} to its folder")
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with real and nasty pictures and published tables; not part of the repository."""
    return _shared("data", "UNVEIL_TEST_DATA")


@pytest.fixture(scope="session")
def shared_weights() -> Path:
    """Folder with weights files that no package carries; not part of the repository."""
    return _shared("weights", "UNVEIL_TEST_WEIGHTS")


@pytest.fixture(scope="session")
def tiny_resnet(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Folder with an image classifier of the real architecture, small and with random weights."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    folder = str(tmp_path_factory.mktemp("resnet"))
    transformers.utils.logging.disable_progress_bar()
    sizes = {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "num_labels": 3}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = transformers.ResNetForImageClassification(transformers.ResNetConfig(**sizes))
    network.save_pretrained(folder)
    transformers.ConvNextImageProcessorPil(
        size={"shortest_edge": 32}, image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225]
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Folder with a CLIP model of the real architecture and preprocessing, small and with random weights."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    folder = str(tmp_path_factory.mktemp("clip"))
    transformers.utils.logging.disable_progress_bar()
    half = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = transformers.CLIPModel(
            transformers.CLIPConfig(
                vision_config={**half, "image_size": 56, "patch_size": 14},
                text_config={**half, "vocab_size": 20, "max_position_embeddings": 8},
                projection_dim=12,
            )
        )
    network.save_pretrained(folder)
    processor = transformers.CLIPImageProcessorPil(
        size={"shortest_edge": 56}, crop_size={"height": 56, "width": 56}
    )
    processor.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests that do not test the cache: the same faces are embedded once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def tiny_swin2sr(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Folder with a super resolution network of the real architecture, small and with random weights."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    folder = str(tmp_path_factory.mktemp("swin2sr"))
    sizes = {"embed_dim": 8, "depths": [1], "num_heads": [2], "window_size": 4, "image_size": 8, "upscale": 4}
    transformers.utils.logging.disable_progress_bar()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = transformers.Swin2SRForImageSuperResolution(
            transformers.Swin2SRConfig(**sizes, upsampler="pixelshuffledirect")
        )
    network.save_pretrained(folder)
    return folder


@pytest.fixture
def small_config(tmp_path: Path, warm_cache: Path) -> Callable[..., RunConfig]:
    """Settings of a run over eight synthetic people; keyword arguments replace whole settings."""

    def make(**settings: Any) -> RunConfig:
        defaults: dict[str, Any] = {
            "name": "small",
            "output": str(tmp_path / "runs"),
            "datasets": [{"use": "sample-faces", "params": {"limit": 8}}],
            "methods": ["pixelation", "mask"],
            "evaluations": ["detection", "verification"],
            "fairness": {"replicates": 100, "minimum_identities": 2},
            "engine": {"shard_size": 16, "cache": str(warm_cache)},
        }
        return RunConfig.model_validate(defaults | settings)

    return make


def _write_scenes(
    folder: Path,
    count: int = 18,
    *,
    keypoints: bool = True,
    edit: Callable[[dict[str, Any]], None] = lambda data: None,
) -> Path:
    """A folder that the dataset ``coco`` reads: drawn scenes in three splits, every sixth without anybody.

    Args:
        folder: is made.
        count: of pictures; 6 have two in each split.
        keypoints: whether people have them.
        edit: changes the JSON before it is written.
    """
    (folder / "images").mkdir(parents=True)
    categories = [{"id": number, "name": label} for number, label in enumerate(CLASSES)]
    data: dict[str, Any] = {"images": [], "annotations": [], "categories": categories}
    rows = ["file,split,gender,labels"]
    for index in range(count):
        image, found = scene(index)
        if index % 6 == 5:
            image, found = np.full_like(image, 90 + index), found.take([])
        height, width = image.shape[:2]
        name = f"{index:02}.png"
        Pillow.fromarray(image).save(folder / "images" / name)
        data["images"].append({"id": index, "file_name": name, "width": width, "height": height})
        assert found.masks is not None
        for (left, top, right, bottom), label, mask in zip(
            found.boxes.tolist(), found.labels or (), found.masks, strict=True
        ):
            turns = np.flatnonzero(np.diff(mask.ravel(order="F"), prepend=False, append=False))
            runs = np.diff([0, *turns, mask.size]).tolist()
            record = {
                "id": len(data["annotations"]),
                "image_id": index,
                "category_id": CLASSES.index(label),
                "bbox": [left, top, right - left, bottom - top],
                "segmentation": {"size": [height, width], "counts": runs},
            }
            if keypoints and label == PERSON:
                ys = np.linspace(top, bottom, 17).tolist()
                record["keypoints"] = [n for y in ys for n in ((left + right) / 2, y, 2)]
            data["annotations"].append(record)
        people = len(found.only(PERSON))
        there = {"age": people > 0, "gender": people > 0 and index % 4 > 1, "face": people > 0 and index % 3 > 0}
        split = ("train", "validation", "test")[index // 2 % 3]
        shown = "|".join(label for label, is_there in there.items() if is_there)
        rows.append(f"{name},{split},{('Female', 'Male')[index % 2]},{shown}")
    edit(data)
    (folder / "instances.json").write_text(json.dumps(data), encoding="utf-8")
    (folder / "labels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def write_scenes() -> Callable[..., Path]:
    """See :func:`_write_scenes`."""
    return _write_scenes


@pytest.fixture(scope="session")
def scene_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """18 drawn scenes; tests that change them write a folder of their own."""
    return _write_scenes(tmp_path_factory.mktemp("scenes") / "eighteen")


SCENE_LABELS = ("age", "face", "gender", "race")
"""Privacy attributes of the drawn scenes; ``race`` is never there."""


@pytest.fixture
def scene_config(tmp_path: Path, scene_folder: Path) -> Callable[..., RunConfig]:
    """Settings of a run over drawn scenes with models that learn in a second; arguments replace whole settings."""

    def make(root: Path = scene_folder, **settings: Any) -> RunConfig:
        dataset = {"root": str(root), "labels": "labels.csv", "label_names": list(SCENE_LABELS)}
        models = {
            "classifier": {"use": "small", "params": {"epochs": 1, "width": 32, "height": 32, "channels": 4}},
            "object_detector": {"use": "small", "params": {"epochs": 1, "width": 8, "side": 128}},
            "image_encoder": "hog",
        }
        defaults: dict[str, Any] = {
            "name": "scenes",
            "output": str(tmp_path / "runs"),
            "datasets": [{"use": "coco", "name": "drawn", "params": dataset}],
            "methods": ["mask.person"],
            "models": models | settings.pop("models", {}),
            "evaluations": ["privacy"],
            "fairness": {"replicates": 100, "minimum_identities": 2},
            "engine": {"shard_size": 8, "cache": str(tmp_path / "cache")},
        }
        return RunConfig.model_validate(defaults | settings)

    return make

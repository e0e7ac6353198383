"""Detectors and segmenters of the transformers library, with small random models saved by the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil.core.errors import ConfigError, Unavailable
from unveil.core.scenes import CLASSES
from unveil.core.types import Detections
from unveil.models.hf_detector import HfObjectDetector
from unveil.models.hf_segmenter import HfSegmenter
from unveil.testing import check_object_detector, check_segmenter

transformers = pytest.importorskip("transformers", reason="needs the extra `transformers`")
import torch  # noqa: E402

NAMES = ("person", "motorbike", "aeroplane", "bench")


def labels(names: tuple[str, ...]) -> dict[str, Any]:
    return {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}


def save(folder: Path, network: Any, processor: Any) -> str:
    network.save_pretrained(folder)
    processor.save_pretrained(folder)
    return str(folder)


@pytest.fixture(autouse=True)
def quiet() -> None:
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(0)


def rt_detr(folder: Path, names: tuple[str, ...] = NAMES) -> str:
    backbone = transformers.RTDetrResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1] * 4, layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = transformers.RTDetrConfig(
        backbone_config=backbone, encoder_hidden_dim=32, encoder_in_channels=[8, 16, 16], encoder_ffn_dim=32,
        encoder_attention_heads=2, d_model=32, decoder_in_channels=[32] * 3, decoder_ffn_dim=32, decoder_layers=1,
        decoder_attention_heads=2, num_queries=20, **labels(names),
    )  # fmt: skip
    processor = transformers.RTDetrImageProcessorPil(size={"height": 96, "width": 96})
    return save(folder, transformers.RTDetrForObjectDetection(config), processor)


def mask2former(folder: Path) -> str:
    swin = transformers.SwinConfig(
        embed_dim=8, depths=[1] * 4, num_heads=[1, 1, 2, 2], window_size=4, image_size=64,
        out_features=["stage1", "stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = transformers.Mask2FormerConfig(
        backbone_config=swin, feature_size=32, mask_feature_size=32, hidden_dim=32, encoder_feedforward_dim=16,
        dim_feedforward=16, encoder_layers=1, decoder_layers=2, num_attention_heads=2, num_queries=12,
        **labels(NAMES),
    )  # fmt: skip
    processor = transformers.Mask2FormerImageProcessorPil(size={"height": 64, "width": 64})
    network = transformers.Mask2FormerForUniversalSegmentation(config)
    network.class_predictor.bias.data[0] = 3  # it takes most things for people
    return save(folder, network, processor)


def segformer(folder: Path, names: tuple[str, ...] = NAMES) -> str:
    config = transformers.SegformerConfig(
        depths=[1] * 4, hidden_sizes=[8, 8, 16, 16], num_attention_heads=[1, 1, 2, 2], decoder_hidden_size=16,
        **labels(names),
    )  # fmt: skip
    processor = transformers.SegformerImageProcessorPil(size={"height": 64, "width": 64})
    return save(folder, transformers.SegformerForSemanticSegmentation(config), processor)


def noise(*size: int) -> np.ndarray:
    return np.random.default_rng(4).integers(0, 256, (*size, 3)).astype(np.uint8)


def test_a_detector_keeps_the_contract(tmp_path: Path) -> None:
    check_object_detector(HfObjectDetector(folder=rt_detr(tmp_path)))


def test_a_detector_speaks_of_the_ten_classes_in_pixels_of_the_picture(tmp_path: Path) -> None:
    folder = rt_detr(tmp_path)
    large, small = HfObjectDetector(folder=folder).detect([noise(90, 120), noise(45, 60)])
    assert len(large) and set(large.labels or ()) <= {"person", "motorcycle", "airplane"}
    assert len(small) and small.boxes.max() < 75 < large.boxes.max() < 150


def test_a_model_that_knows_none_of_the_classes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"knows none of person.*it knows bench"):
        HfObjectDetector(folder=rt_detr(tmp_path, ("bench", "chair"))).detect([noise(20, 20)])
    with pytest.raises(ConfigError, match="no class 'person'"):
        HfSegmenter(folder=segformer(tmp_path / "segmenter", ("bench", "chair"))).segment(
            [noise(20, 20)], [Detections.empty()]
        )


@pytest.mark.parametrize("make", [mask2former, segformer])
def test_a_segmenter_keeps_the_contract(make: Any, tmp_path: Path) -> None:
    check_segmenter(HfSegmenter(folder=make(tmp_path), threshold=0.05))


def test_instances_do_not_overlap_and_fit_their_boxes(tmp_path: Path) -> None:
    (found,) = HfSegmenter(folder=mask2former(tmp_path), threshold=0.01).segment(
        [noise(90, 120)], [Detections.empty()]
    )
    assert isinstance(found, Detections) and len(found) >= 2 and found.masks is not None
    assert found.masks.shape[1:] == (90, 120) and found.masks.sum(axis=0).max() == 1
    for mask, box in zip(found.masks, found.boxes, strict=True):
        rows, columns = np.nonzero(mask)
        assert box.tolist() == [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    assert (np.diff(found.scores) <= 0).all() and set(found.labels or ()) == {"person"}


def test_semantic_regions_are_people_and_small_ones_are_dropped(tmp_path: Path) -> None:
    folder = segformer(tmp_path, ("person", "car"))
    every, large = (
        HfSegmenter(folder=folder, least=least).segment([noise(90, 120)], [Detections.empty()])[0]
        for least in (0.0, 0.05)
    )
    assert isinstance(every, Detections) and isinstance(large, Detections)
    assert len(every) > len(large) and every.masks is not None
    assert every.masks.sum(axis=0).max() == 1 and (every.scores == 1).all()
    assert large.masks is None or large.masks.mean(axis=(1, 2)).min() > 0.05


@pytest.mark.parametrize("component", [HfObjectDetector, HfSegmenter])
def test_what_is_missing_is_told(component: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    with pytest.raises(Unavailable, match="unveil weights fetch nobody/nothing"):
        component(model="nobody/nothing").require()
    (tmp_path / "nobody--nothing").mkdir()
    with pytest.raises(Unavailable, match=r"has no config\.json and no preprocessor_config\.json"):
        component(model="nobody/nothing").require()
    folder = rt_detr(tmp_path / "nobody--something")
    component(model="nobody/something").require()
    assert (
        component(folder=folder).content_fingerprint() == component(model="nobody/something").content_fingerprint()
    )


def test_a_damaged_model_is_told(tmp_path: Path) -> None:
    folder = rt_detr(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"\x10" * 200)
    with pytest.raises(Unavailable, match="cannot be used"):
        HfObjectDetector(folder=folder).detect([noise(20, 20)])


@pytest.mark.parametrize("value", [0, 1.5, float("nan")])
def test_wrong_thresholds_are_named(value: float) -> None:
    for component in (HfObjectDetector, HfSegmenter):
        with pytest.raises(ValueError, match=f"threshold must be .*{value!r}"):
            component(threshold=value)


def test_classes_are_spelt_as_coco_spells_them() -> None:
    from unveil.models.hf_detector import _SPELLING

    assert set(_SPELLING.values()) <= set(CLASSES)

"""Vision networks as encoders: equal to the library's own use, from weights on this machine only."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from unveil import registry
from unveil.core.errors import Unavailable
from unveil.models.hf_encoder import HfEncoder
from unveil.testing import check_image_encoder
from unveil.testing.toy_scenes import scene

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

IMAGES = [scene(1)[0], scene(2, width=50, height=90)[0], scene(3, width=200, height=61)[0]]


@pytest.fixture
def tiny(tiny_clip: str) -> HfEncoder:
    return HfEncoder(model="openai/clip-vit-large-patch14-336", folder=tiny_clip)


def test_clip_keeps_the_promises(tiny: HfEncoder) -> None:
    tiny.require()
    check_image_encoder(tiny)
    assert tiny.dimension == 12 and tiny.meta.name == "clip-vit-large-patch14-336"
    assert "Radford" in tiny.meta.source.citation


def test_clip_equals_the_library(tiny: HfEncoder, tiny_clip: str) -> None:
    network = transformers.CLIPModel.from_pretrained(tiny_clip).eval()
    process = transformers.CLIPImageProcessorPil.from_pretrained(tiny_clip)
    with torch.inference_mode():
        pixels = process([Pillow.fromarray(image) for image in IMAGES], return_tensors="pt")
        expected = network.visual_projection(network.vision_model(**pixels).pooler_output).numpy()
    np.testing.assert_allclose(tiny.encode(IMAGES), expected, atol=1e-6)


def test_the_preprocessing_of_clip_is_the_documented_one(tiny_clip: str) -> None:
    """Shorter side to 56 with Pillow's bicubic filter, the middle 56 x 56, CLIP's mean and deviation."""
    process = transformers.CLIPImageProcessorPil.from_pretrained(tiny_clip)
    for image in IMAGES:
        height, width = image.shape[:2]
        short = min(height, width)
        size = (int(56 * width / short), int(56 * height / short))
        resized = np.asarray(Pillow.fromarray(image).resize(size, Pillow.Resampling.BICUBIC), np.float64)
        top, left = (size[1] - 56) // 2, (size[0] - 56) // 2
        middle = resized[top : top + 56, left : left + 56] / 255
        mean, deviation = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
        expected = ((middle - mean) / deviation).transpose(2, 0, 1)
        found = process([Pillow.fromarray(image)], return_tensors="np")["pixel_values"][0]
        np.testing.assert_allclose(found, expected, atol=1e-5)


def save(folder: Path, network: object) -> HfEncoder:
    network.save_pretrained(folder)  # type: ignore[attr-defined]
    transformers.ViTImageProcessorPil(size={"height": 32, "width": 32}).save_pretrained(folder)
    return HfEncoder(model="somebody/network", folder=str(folder))


def vit(**more: object) -> object:
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    return transformers.ViTModel(transformers.ViTConfig(image_size=32, patch_size=16, **sizes), **more)


def test_networks_of_other_kinds(tmp_path: Path, tiny_resnet: str) -> None:
    pooled = save(tmp_path / "vit", vit())
    assert pooled.dimension == 16 and pooled.meta.name == "network"
    check_image_encoder(pooled)
    unpooled = save(tmp_path / "unpooled", vit(add_pooling_layer=False))
    with pytest.raises(Unavailable, match=r"nothing fitting for 2 tensors, pooler"):
        unpooled.encode(IMAGES)
    convolutional = HfEncoder(model="somebody/resnet", folder=tiny_resnet)
    assert convolutional.dimension == 16
    check_image_encoder(convolutional)


def test_what_is_missing_is_said_with_the_command(
    tiny_clip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    encoder = registry.build("models", "image_encoder:clip-vit-large-patch14-336")
    with pytest.raises(Unavailable, match="unveil weights fetch openai/clip-vit-large-patch14-336"):
        encoder.require()
    folder = tmp_path / "openai--clip-vit-large-patch14-336"
    shutil.copytree(tiny_clip, folder)
    encoder.require()
    assert encoder.encode(IMAGES).shape == (3, 12)
    (folder / "preprocessor_config.json").unlink()
    with pytest.raises(Unavailable, match=r"has no preprocessor_config\.json"):
        encoder.require()


def test_weights_of_another_network_are_refused(tiny_clip: str, tiny_resnet: str, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    shutil.copytree(tiny_clip, folder)
    shutil.copy(Path(tiny_resnet) / "model.safetensors", folder)
    with pytest.raises(Unavailable, match="belong to another network than CLIPVisionModelWithProjection"):
        HfEncoder(folder=str(folder)).encode(IMAGES)
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(Unavailable, match="cannot be used"):
        HfEncoder(folder=str(folder)).encode(IMAGES)
    (folder / "config.json").write_text(json.dumps({"model_type": "no such kind"}))
    with pytest.raises(Unavailable, match=r"config\.json cannot be used"):
        HfEncoder(folder=str(folder)).encode(IMAGES)


def test_the_identity_is_the_content(tiny_clip: str, tmp_path: Path) -> None:
    one, copy = HfEncoder(folder=tiny_clip), tmp_path / "copy"
    shutil.copytree(tiny_clip, copy)
    other = HfEncoder(folder=str(copy))
    assert one.content_fingerprint() == other.content_fingerprint()
    config = json.loads((copy / "preprocessor_config.json").read_text())
    (copy / "preprocessor_config.json").write_text(json.dumps(config | {"do_center_crop": False}))
    assert one.content_fingerprint() != other.content_fingerprint()


@pytest.mark.parametrize("model", ["../weights", "/etc", "a/b/c", "", 3])
def test_a_model_is_a_name(model: object) -> None:
    with pytest.raises(ValueError, match="model must be a name such as owner/name"):
        HfEncoder(model=model)  # type: ignore[arg-type]

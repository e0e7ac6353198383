"""A pre-trained network that is fine-tuned: with small random weights of the real architecture."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil import registry
from unveil.core.errors import DataError, Unavailable
from unveil.models.hf_classifier import HfClassifier
from unveil.models.hf_network import blank_classifier, input_side, pretrained_classifier
from unveil.models.small_classifier import SmallClassifier
from unveil.models.trained import provenance
from unveil.testing import check_classifier
from unveil.testing.toy_labels import ToyLabels

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.fixture
def tiny(tiny_resnet: str) -> HfClassifier:
    return HfClassifier(folder=tiny_resnet, side=64, epochs=2)


def ignore(done: int) -> None:
    """Nobody watches."""


def test_keeps_the_promises(tiny: HfClassifier) -> None:
    tiny.require()
    check_classifier(tiny)


def test_learns(tiny_resnet: str) -> None:
    data = ToyLabels.draw(train=64, validation=24)
    facts = provenance(
        HfClassifier(folder=tiny_resnet, side=64, epochs=12, learning_rate=5e-3).train(data, 1, ignore)
    )
    assert max(facts["validation_cmap"]) > 2 * facts["validation_cmap"][0]
    assert "folder" not in facts["parameters"], "where the weights lie is not what they are"


def test_it_starts_from_the_weights_with_a_new_head(tiny_resnet: str) -> None:
    from safetensors.torch import load_file

    stored = load_file(Path(tiny_resnet) / "model.safetensors")
    for labels in (5, 3):  # three: as many as the old head has
        state = pretrained_classifier(Path(tiny_resnet), labels).state_dict()
        kept = [name for name, value in stored.items() if not name.startswith("classifier.")
                and not torch.equal(state[f"network.{name}"], value)]  # fmt: skip
        assert kept == []
        head = state["network.classifier.1.weight"]
        assert head.shape == (labels, 16)
        assert labels != 3 or not torch.equal(head, stored["classifier.1.weight"])


def test_the_statistics_of_the_pictures_travel_with_the_weights(tiny_resnet: str) -> None:
    folder = Path(tiny_resnet)
    learnt, blank = pretrained_classifier(folder, 2), blank_classifier(folder, 2)
    assert learnt.mean.flatten().tolist() == pytest.approx([0.485, 0.456, 0.406])  # type: ignore[union-attr,operator]
    blank.load_state_dict(learnt.state_dict())
    batch = torch.rand(2, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        assert torch.allclose(learnt.eval()(batch), blank.eval()(batch))


def test_a_network_of_one_size_keeps_it(tmp_path: Path) -> None:
    import transformers

    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.ViTConfig(image_size=48, patch_size=16, **sizes)
    transformers.ViTForImageClassification(config).save_pretrained(tmp_path)
    transformers.ViTImageProcessorPil(size={"height": 48, "width": 48}).save_pretrained(tmp_path)
    assert input_side(tmp_path, 224) == 48
    check_classifier(HfClassifier(model="somebody/vit", folder=str(tmp_path), epochs=1))


def test_what_is_missing_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(Unavailable, match="unveil weights fetch microsoft/resnet-50"):
        registry.build("models", "classifier:hf").require()


def test_weights_of_another_network_are_refused(tiny_resnet: str, tiny_clip: str, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    shutil.copytree(tiny_resnet, folder)
    shutil.copy(Path(tiny_clip) / "model.safetensors", folder)
    data = ToyLabels.draw(train=8, validation=12)
    with pytest.raises(Unavailable, match="belong to another network than ResNetForImageClassification"):
        HfClassifier(folder=str(folder), side=64).train(data, 1, ignore)


def test_weights_of_another_component_are_refused(tiny: HfClassifier) -> None:
    data = ToyLabels.draw(train=12, validation=12)
    weights = SmallClassifier(width=32, height=32, channels=2, epochs=1).train(data, 1, ignore)
    with pytest.raises(DataError, match="trained by 'small', not by 'hf'"):
        tiny.load(weights)


@pytest.mark.parametrize(
    ("name", "value"), [("model", "../x"), ("side", 8), ("epochs", 0), ("learning_rate", np.nan), ("flips", 1)]
)
def test_a_wrong_parameter_is_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        HfClassifier(**{name: value})

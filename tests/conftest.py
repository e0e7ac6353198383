"""Fixtures that more than one part of the suite uses."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unveil import RunConfig

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

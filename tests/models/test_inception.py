"""The encoder of FID: the layout of its published weights, its peculiarities, and its use by torchmetrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil import registry
from unveil.core.errors import Unavailable
from unveil.core.types import Image
from unveil.metrics.fid import fid
from unveil.models.inception import Inception2015
from unveil.models.weights_files import hash_of
from unveil.models.weights_records import INCEPTION_2015
from unveil.testing import check_image_encoder
from unveil.testing.toy_scenes import scene

torch = pytest.importorskip("torch")
functional = torch.nn.functional

IMAGES = [scene(1)[0], scene(2, width=50, height=90)[0], scene(3, width=310, height=61)[0]]

Shape = tuple[int, ...]
MIXED: Mapping[str, Mapping[str, Shape]] = {
    "Mixed_5b": {"branch1x1": (64, 192, 1, 1), "branch5x5_2": (64, 48, 5, 5), "branch_pool": (32, 192, 1, 1)},
    "Mixed_5c": {"branch5x5_1": (48, 256, 1, 1), "branch_pool": (64, 256, 1, 1)},
    "Mixed_5d": {"branch3x3dbl_3": (96, 96, 3, 3), "branch_pool": (64, 288, 1, 1)},
    "Mixed_6a": {"branch3x3": (384, 288, 3, 3), "branch3x3dbl_3": (96, 96, 3, 3)},
    "Mixed_6b": {"branch7x7_2": (128, 128, 1, 7), "branch7x7_3": (192, 128, 7, 1)},
    "Mixed_6c": {"branch7x7dbl_2": (160, 160, 7, 1), "branch7x7dbl_5": (192, 160, 1, 7)},
    "Mixed_6d": {"branch7x7dbl_3": (160, 160, 1, 7), "branch_pool": (192, 768, 1, 1)},
    "Mixed_6e": {"branch7x7dbl_4": (192, 192, 7, 1), "branch1x1": (192, 768, 1, 1)},
    "Mixed_7a": {"branch3x3_2": (320, 192, 3, 3), "branch7x7x3_4": (192, 192, 3, 3)},
    "Mixed_7b": {"branch3x3_2a": (384, 384, 1, 3), "branch3x3dbl_1": (448, 1280, 1, 1)},
    "Mixed_7c": {"branch3x3dbl_3b": (384, 384, 3, 1), "branch_pool": (192, 2048, 1, 1)},
}
"""Shapes in the published file, some of each block."""


@pytest.fixture(scope="session")
def random_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of the published layout with random weights that keep the values in range, and the classifier."""
    from unveil.models.inception_network import InceptionNetwork

    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = InceptionNetwork()
        state = {key: value for key, value in network.state_dict().items() if "num_batches" not in key}
        for key, value in state.items():
            if key.endswith("conv.weight"):
                state[key] = torch.randn_like(value) * (2 / value[0].numel()) ** 0.5
        state |= {"fc.weight": torch.zeros(1008, 2048), "fc.bias": torch.zeros(1008)}
    path = tmp_path_factory.mktemp("inception") / INCEPTION_2015.name
    torch.save(state, path)
    return path


@pytest.fixture
def random_encoder(random_weights: Path, monkeypatch: pytest.MonkeyPatch) -> Inception2015:
    """The component as it is, for which the random file is the known one."""
    known = replace(INCEPTION_2015, sha256=hash_of(random_weights), size=random_weights.stat().st_size)
    monkeypatch.setattr("unveil.models.inception.INCEPTION_2015", known)
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(random_weights.parent))
    return Inception2015()


def test_the_layout_is_the_published_one(random_weights: Path) -> None:
    state = torch.load(random_weights, weights_only=True)
    assert len(state) == 94 * 5 + 2, "94 convolutions with four tensors of normalisation each, and the classifier"
    stem = {"1a_3x3": (32, 3, 3, 3), "2a_3x3": (32, 32, 3, 3), "2b_3x3": (64, 32, 3, 3)}
    stem |= {"3b_1x1": (80, 64, 1, 1), "4a_3x3": (192, 80, 3, 3)}
    shapes = {f"Conv2d_{name}.conv.weight": shape for name, shape in stem.items()}
    for block, convolutions in MIXED.items():
        shapes |= {f"{block}.{name}.conv.weight": shape for name, shape in convolutions.items()}
    assert {key: tuple(state[key].shape) for key in shapes} == shapes
    assert {key.rpartition(".")[2] for key in state if ".bn." in key} == {
        "weight", "bias", "running_mean", "running_var"
    }  # fmt: skip
    numbers = sum(tensor.numel() for tensor in state.values())
    assert 0 < INCEPTION_2015.size - 4 * numbers < 200_000, "the published file holds these and little else"


def test_random_weights_keep_the_promises(random_encoder: Inception2015) -> None:
    check_image_encoder(random_encoder)
    vectors = random_encoder.encode(IMAGES)
    assert vectors.shape == (3, 2048) and (vectors >= 0).all() and vectors.std() > 1e-3
    many = random_encoder.encode(IMAGES * 3)
    np.testing.assert_allclose(many, np.tile(vectors, (3, 1)), rtol=1e-3, atol=1e-4)


def test_preprocessing_is_bilinear_to_299_and_minus_one_to_one(random_encoder: Inception2015) -> None:
    seen: list[Any] = []
    handle = random_encoder.module().Conv2d_1a_3x3.register_forward_pre_hook(
        lambda _, given: seen.append(given[0])
    )
    for image in IMAGES:
        random_encoder.encode([image])
        np.testing.assert_allclose(seen.pop()[0].numpy(), _resized(image), atol=1e-4)
    handle.remove()


def _resized(image: Image) -> Any:
    """Between pixel centres, in NumPy: no smoothing."""
    planes = image.astype(np.float64)
    for axis in (0, 1):
        size = image.shape[axis]
        place = np.clip((np.arange(299) + 0.5) * size / 299 - 0.5, 0, None)
        low = np.minimum(place.astype(int), size - 1)
        high, share = np.minimum(low + 1, size - 1), place - low
        share = share.reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        planes = planes.take(low, axis) * (1 - share) + planes.take(high, axis) * share
    return (planes / 127.5 - 1).transpose(2, 0, 1)


def test_padded_places_are_left_out_of_means_and_the_last_block_takes_the_maximum() -> None:
    """Each block's pooling branch alone: its convolution passes the mean of what it is given."""
    from unveil.models.inception_network import InceptionNetwork

    with torch.random.fork_rng():
        torch.manual_seed(1)
        network = InceptionNetwork().eval()
        for name, inputs in (("Mixed_5b", 192), ("Mixed_6b", 768), ("Mixed_7b", 1280), ("Mixed_7c", 2048)):
            block = getattr(network, name)
            outputs = block.branch_pool.conv.out_channels
            block.branch_pool.conv.weight.data.fill_(1 / inputs)
            x = torch.rand(1, inputs, 6, 6)
            with torch.inference_mode():
                found = block(x)[0, -outputs:].mean(dim=0) * (1 + 0.001) ** 0.5
            around = functional.unfold(functional.pad(x, [1] * 4, value=torch.nan), 3).view(inputs, 9, 6, 6)
            if name == "Mixed_7c":
                expected = around.nan_to_num(-1).amax(dim=1).mean(dim=0)
            else:
                expected = around.nanmean(dim=1).mean(dim=0)
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_blocks_join_their_branches_in_the_published_order(random_encoder: Inception2015) -> None:
    network = random_encoder.module()
    x = torch.rand(1, 192, 9, 9)
    with torch.inference_mode():
        a = network.Mixed_5b(x)
        torch.testing.assert_close(a[:, :64], network.Mixed_5b.branch1x1(x))
        torch.testing.assert_close(a[:, 64:128], network.Mixed_5b.branch5x5_2(network.Mixed_5b.branch5x5_1(x)))
        y = torch.rand(1, 1280, 5, 5)
        block = network.Mixed_7b
        e, inner = block(y), block.branch3x3_1(y)
        torch.testing.assert_close(e[:, 320:704], block.branch3x3_2a(inner))
        torch.testing.assert_close(e[:, 704:1088], block.branch3x3_2b(inner))
        z = torch.rand(1, 288, 9, 9)
        b = network.Mixed_6a(z)
        torch.testing.assert_close(b[:, -288:], functional.max_pool2d(z, 3, 2))
        assert b.shape == (1, 768, 4, 4) and network.Mixed_7a(b).shape[1] == 1280


def test_it_is_a_module_for_torchmetrics(random_encoder: Inception2015) -> None:
    images = pytest.importorskip("torchmetrics.image.fid")
    draw = np.random.default_rng(0)
    one = np.stack([scene(number, width=60, height=60)[0] for number in range(3)])
    two = np.clip(one + draw.normal(0, 40, one.shape), 0, 255).astype(np.uint8)
    metric = images.FrechetInceptionDistance(feature=random_encoder.module())
    with torch.inference_mode():
        for pictures, real in ((one, True), (two, False)):
            metric.update(torch.tensor(pictures).permute(0, 3, 1, 2), real=real)
    features = [random_encoder.encode(list(pictures)).astype(np.float64) for pictures in (one, two)]
    sums = metric.real_features_sum.numpy(), metric.fake_features_sum.numpy()
    np.testing.assert_allclose(sums, [each.sum(axis=0) for each in features], rtol=1e-3, atol=1e-4)
    assert metric.real_features_sum.shape == (2048,) and fid(*features) > 0


def test_what_is_missing_or_wrong_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path / "cache"))
    encoder = registry.build("models", "image_encoder:inception-2015")
    with pytest.raises(Unavailable, match=f"unveil weights fetch {INCEPTION_2015.name}"):
        encoder.require()
    (tmp_path / INCEPTION_2015.name).write_bytes(b"another file")
    with pytest.raises(Unavailable, match="is not the known"):
        encoder.encode(IMAGES)


def test_the_real_weights(shared_weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    encoder = registry.build("models", "image_encoder:inception-2015")
    try:
        encoder.require()
    except Unavailable as reason:
        pytest.skip(str(reason))
    check_image_encoder(encoder)
    vectors = encoder.encode(IMAGES)
    assert 0.1 < vectors.mean() < 1, "features of natural weights are of this size"

"""LPIPS with the published channel weights: rules of a difference, and equality with another computation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from unveil import registry
from unveil.core.errors import Unavailable
from unveil.core.types import Image
from unveil.models.lpips import ALEXNET, Lpips
from unveil.models.weights_files import hash_of
from unveil.testing import check_perceptual_metric
from unveil.testing.toy_scenes import scene

torch = pytest.importorskip("torch")
pytest.importorskip("torchmetrics", reason="the weights of the channels come with it")

ONE, TWO = scene(1, width=100, height=80)[0], scene(2, width=100, height=80)[0]
CONVOLUTIONS = {
    0: (64, 3, 11, 11),
    3: (192, 64, 5, 5),
    6: (384, 192, 3, 3),
    8: (256, 384, 3, 3),
    10: (256, 256, 3, 3),
}


@pytest.fixture(scope="session")
def random_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of the published layout with random convolutions, and a part of the classifier."""
    draw = torch.Generator().manual_seed(0)
    state: dict[str, Any] = {"classifier.6.bias": torch.zeros(1000)}
    for number, shape in CONVOLUTIONS.items():
        spread = (2 / (shape[1] * shape[2] * shape[3])) ** 0.5
        state[f"features.{number}.weight"] = torch.randn(shape, generator=draw) * spread
        state[f"features.{number}.bias"] = torch.randn(shape[0], generator=draw) * 0.1
    path = tmp_path_factory.mktemp("lpips") / ALEXNET.name
    torch.save(state, path)
    return path


@pytest.fixture
def metric(random_weights: Path, monkeypatch: pytest.MonkeyPatch) -> Lpips:
    """The component as it is, for which the random file is the known one."""
    known = replace(ALEXNET, sha256=hash_of(random_weights), size=random_weights.stat().st_size)
    monkeypatch.setattr("unveil.models.lpips.ALEXNET", known)
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(random_weights.parent))
    return Lpips()


def test_random_weights_keep_the_promises(metric: Lpips) -> None:
    metric.require()
    check_perceptual_metric(metric)


def test_a_difference_is_symmetric_and_zero_for_equal_pictures(metric: Lpips) -> None:
    there, back = metric.differences([ONE, TWO], [TWO, ONE])
    assert there == pytest.approx(back, rel=1e-5) and there > 0
    assert metric.differences([ONE], [ONE.copy()])[0] == 0


def direct(one: Image, two: Image, state: Any, channels: Any) -> float:
    """Zhang et al., equation 1, in float64, with products of unfolded windows in place of convolutions."""
    layers = [_layers(image, state) for image in (one, two)]
    total = 0.0
    for number, (a, b) in enumerate(zip(*layers, strict=True)):
        weight = channels[f"lin{number}.model.1.weight"].double().numpy().reshape(-1, 1, 1)
        unit = [x / (np.sqrt(np.square(x).sum(axis=0)) + 1e-10) for x in (a, b)]
        total += float((weight * np.square(unit[0] - unit[1])).sum(axis=0).mean())
    return total


def _layers(image: Image, state: Any) -> list[NDArray[Any]]:
    mean, deviation = np.array([-0.030, -0.088, -0.188]), np.array([0.458, 0.448, 0.450])
    x = (((image / 127.5 - 1) - mean) / deviation).transpose(2, 0, 1)
    layers = []
    for number, (stride, padding) in {0: (4, 2), 3: (1, 2), 6: (1, 1), 8: (1, 1), 10: (1, 1)}.items():
        if number in (3, 6):
            x = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))[:, ::2, ::2].max(axis=(3, 4))
        weight = state[f"features.{number}.weight"].double().numpy()
        bias = state[f"features.{number}.bias"].double().numpy()
        x = np.pad(x, ((0, 0), (padding, padding), (padding, padding)))
        windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], (1, 2))[:, ::stride, ::stride]
        x = np.maximum(np.einsum("crskl,ockl->ors", windows, weight, optimize=True) + bias[:, None, None], 0)
        layers.append(x)
    return layers


def test_it_equals_a_computation_of_its_own(metric: Lpips, random_weights: Path) -> None:
    import torchmetrics

    folder = Path(torchmetrics.__file__).parent / "functional/image/lpips_models"
    channels = torch.load(folder / "alex.pth", weights_only=True, map_location="cpu")
    state = torch.load(random_weights, weights_only=True)
    expected = direct(ONE, TWO, state, channels)
    assert metric.differences([ONE], [TWO])[0] == pytest.approx(expected, rel=1e-4)


def test_the_input_is_scaled_to_minus_one_to_one_and_small_pictures_are_enlarged(metric: Lpips) -> None:
    seen: list[Any] = []
    layers = metric._network.layers
    layers.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    black, white = np.zeros((70, 66, 3), np.uint8), np.full((70, 66, 3), 255, np.uint8)
    metric.differences([black], [white])
    low, high = seen.pop().mean(dim=(2, 3))
    torch.testing.assert_close(low, torch.tensor([-0.97 / 0.458, -0.912 / 0.448, -0.812 / 0.45]))
    torch.testing.assert_close(high, torch.tensor([1.03 / 0.458, 1.088 / 0.448, 1.188 / 0.45]))
    for size, expected in {(32, 48): (64, 96), (70, 66): (70, 66), (1, 2): (64, 128)}.items():
        metric.differences([black[: size[0], : size[1]]], [white[: size[0], : size[1]]])
        assert seen.pop().shape[2:] == expected


def test_pictures_of_different_size_are_refused(metric: Lpips) -> None:
    with pytest.raises(ValueError, match=r"pair 1 must be of one size, got \(80, 100, 3\) and \(40, 50, 3\)"):
        metric.differences([ONE, ONE], [TWO, TWO[::2, ::2]])
    with pytest.raises(ValueError):
        metric.differences([ONE], [])


def test_what_is_missing_or_wrong_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path / "cache"))
    lpips = registry.build("models", "perceptual_metric:lpips")
    with pytest.raises(Unavailable, match=r"unveil weights fetch alexnet-owt-7be5be79\.pth"):
        lpips.require()
    (tmp_path / ALEXNET.name).write_bytes(b"another file")
    with pytest.raises(Unavailable, match="is not the known"):
        lpips.differences([ONE], [TWO])


def test_the_real_weights(shared_weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    lpips = registry.build("models", "perceptual_metric:lpips")
    try:
        lpips.require()
    except Unavailable as reason:
        pytest.skip(str(reason))
    check_perceptual_metric(lpips)
    assert 0.05 < lpips.differences([ONE], [TWO])[0] < 1.2

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from unveil.core.errors import Unavailable

torch = pytest.importorskip("torch")


def network() -> object:
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))


def test_every_tensor_is_read_and_the_network_is_ready(tmp_path: Path) -> None:
    from unveil.models.published import read_published

    with torch.random.fork_rng():
        torch.manual_seed(0)
        source, target = network(), network()
    state = {key: value for key, value in source.state_dict().items() if "num_batches" not in key}
    state["0.weight"] += 1
    torch.save({**state, "fc.weight": torch.zeros(1)}, tmp_path / "weights.pth")
    read_published(target, tmp_path / "weights.pth", unused="fc.")
    assert all(torch.equal(target.state_dict()[key], value) for key, value in state.items())
    assert not target.training and not any(p.requires_grad for p in target.parameters())


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"0.bias": None}, r"0\.bias"),
        ({"2.bias": torch.zeros(3)}, r"2\.bias"),
        ({"0.weight": torch.zeros(3, 3)}, r"0\.weight"),
    ],
)
def test_weights_of_another_network_are_refused(change: dict[str, object], name: str, tmp_path: Path) -> None:
    from unveil.models.published import read_published

    state = {**network().state_dict(), **change}
    path = tmp_path / "weights.pth"
    torch.save({key: value for key, value in state.items() if value is not None}, path)
    with pytest.raises(Unavailable, match=f"another network: {name} does not fit"):
        read_published(network(), path)


def test_nothing_in_the_file_is_run(tmp_path: Path) -> None:
    from unveil.models.published import read_published

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[Path]]:
            return Path.touch, (tmp_path / "sprung",)

    torch.save({"0.weight": Trap()}, tmp_path / "weights.pth")
    with pytest.raises(pickle.UnpicklingError):
        read_published(network(), tmp_path / "weights.pth")
    assert not (tmp_path / "sprung").exists()

"""Reading weights that others have published for PyTorch into a network of our own."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from unveil.core.errors import Unavailable


def read_published(network: nn.Module, path: Path, *, unused: str = "") -> None:
    """Fill a network with tensors from a file, which is read as data only, and make it ready for use.

    Args:
        network: is changed; every tensor of it must be in the file.
        path: of a state dictionary.
        unused: beginning of the names in the file that the network has no use for; "" when there are none.

    Raises:
        Unavailable: when the file is for another network; names the first tensor that is missing or too many.
    """
    state = torch.load(path, map_location="cpu", weights_only=True)
    state = {name: tensor for name, tensor in state.items() if not (unused and name.startswith(unused))}
    own = {name: tensor for name, tensor in network.state_dict().items() if "num_batches_tracked" not in name}
    given = {name: tensor for name, tensor in state.items() if "num_batches_tracked" not in name}
    odd = sorted(own.keys() ^ given.keys())
    odd += [name for name in own.keys() & given.keys() if own[name].shape != given[name].shape]
    if odd:
        raise Unavailable(f"{path} holds the weights of another network: {odd[0]} does not fit")
    network.load_state_dict(given, strict=False)
    network.eval().requires_grad_(False)

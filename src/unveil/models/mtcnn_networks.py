"""The three networks of MTCNN in PyTorch, from the Keras arrays of the ``mtcnn`` package.

Architecture: Zhang, Zhang, Li and Qiao, "Joint Face Detection and Alignment Using Multitask Cascaded
Convolutional Networks", IEEE Signal Processing Letters 23(10), 2016, Figure 2.

Every network ends in one layer: 4 box offsets, then 10 landmark coordinates (O-Net only: five x, five y),
then one logit. The published two-class softmax equals the sigmoid of the difference of its two logits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil.models.weights import locate

if TYPE_CHECKING:
    from torch import nn

    Array = NDArray[np.float32]

WEIGHTS = {
    "pnet.lz4": "ea6b0c3e685ebee3165326ad6484acc95f2ef78f1c94fbf40a55704fa989f7b5",
    "rnet.lz4": "cb00e6460f3c98b0bfafaba3c0a0ded4bdf6e62cee7174d969e8670d7e757fee",
    "onet.lz4": "94f6ea2f4cf985275ee958cdd762d17b6009348a4fb9d8c6be39ba73ffd22ca3",
}
"""File name -> SHA-256. The files are pickles, so nothing but these very bytes is ever opened."""


def load_networks() -> tuple[nn.Module, nn.Module, nn.Module]:
    """P-Net, R-Net and O-Net, ready for inference.

    Inputs are (n, 3, height, width) in [-1, 1]. P-Net gives (n, 5, rows, columns) for any size from 12 x 12;
    R-Net takes 24 x 24 and gives (n, 5); O-Net takes 48 x 48 and gives (n, 15).

    Raises:
        Unavailable: when the weights are missing or not the known ones.
    """
    p_net, r_net, o_net = (_Layers(_arrays(file)) for file in WEIGHTS)
    return p_net.p_net(), r_net.r_net(), o_net.o_net()


def weights_path(file: str) -> Path:
    """A file of :data:`WEIGHTS`, whose hash was checked.

    Raises:
        Unavailable: when it is missing or not the known one.
    """
    return locate("mtcnn", f"assets/weights/{file}", WEIGHTS[file], distribution="mtcnn==1.0.0")


def _arrays(file: str) -> Sequence[Array]:
    import joblib

    path = weights_path(file)
    return joblib.load(path)


class _Layers:
    """Takes arrays in the order Keras stored them: kernel, bias, slopes of the PReLU, and so on."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        self._arrays: Iterator[Array] = iter(arrays)

    def p_net(self) -> nn.Module:
        from torch import nn

        body = [*self._conv(), _pool(2), *self._conv(), *self._conv()]
        return nn.Sequential(*body, self._heads((4, 2), convolution=True)).eval().requires_grad_(False)

    def r_net(self) -> nn.Module:
        body = [*self._conv(), _pool(3), *self._conv(), _pool(3, same=False), *self._conv()]
        return self._with_dense(body, (4, 2))

    def o_net(self) -> nn.Module:
        first = [*self._conv(), _pool(3), *self._conv(), _pool(3, same=False)]
        return self._with_dense([*first, *self._conv(), _pool(2), *self._conv()], (4, 10, 2))

    def _with_dense(self, body: list[nn.Module], heads: tuple[int, ...]) -> nn.Module:
        from torch import nn

        dense = [_linear(next(self._arrays), next(self._arrays)), self._prelu()]
        network = nn.Sequential(*body, _flatten(), *dense, self._heads(heads, convolution=False))
        return network.eval().requires_grad_(False)

    def _conv(self) -> list[nn.Module]:
        return [_convolution(next(self._arrays), next(self._arrays)), self._prelu()]

    def _prelu(self) -> nn.Module:
        from torch import from_numpy, nn

        slopes = next(self._arrays).reshape(-1)
        layer = nn.PReLU(len(slopes))
        layer.weight.data = from_numpy(slopes.copy())
        return layer

    def _heads(self, widths: tuple[int, ...], *, convolution: bool) -> nn.Module:
        pairs = [(next(self._arrays), next(self._arrays)) for _ in widths]
        kernel = np.concatenate([kernel for kernel, _ in pairs], axis=-1)
        bias = np.concatenate([bias for _, bias in pairs])
        kernel, bias = (_two_logits_to_one(array) for array in (kernel, bias))
        return _convolution(kernel, bias) if convolution else _linear(kernel, bias)


def _two_logits_to_one(array: Array) -> Array:
    return np.concatenate([array[..., :-2], array[..., -1:] - array[..., -2:-1]], axis=-1)


def _convolution(kernel: Array, bias: Array) -> nn.Module:
    """``kernel`` is (height, width, in, out)."""
    from torch import channels_last, from_numpy, nn

    size, _, channels, filters = kernel.shape
    layer = nn.Conv2d(channels, filters, size)
    # Channels last: two to four times faster here, most of it in the pools.
    weight = from_numpy(kernel.transpose(3, 2, 0, 1))
    layer.weight.data = weight.contiguous(memory_format=channels_last)
    layer.bias.data = from_numpy(bias.copy())  # type: ignore[union-attr]
    return layer


def _linear(kernel: Array, bias: Array) -> nn.Module:
    """``kernel`` is (in, out)."""
    from torch import from_numpy, nn

    layer = nn.Linear(*kernel.shape)
    layer.weight.data = from_numpy(kernel.T.copy())
    layer.bias.data = from_numpy(bias.copy())
    return layer


def _pool(size: int, *, same: bool = True) -> nn.Module:
    """Stride 2. Keras' ``same`` pads at the end only, by what is missing: PyTorch's ceiling mode."""
    from torch import nn

    return nn.MaxPool2d(size, stride=2, ceil_mode=same)


def _flatten() -> nn.Module:
    """Column-major: the original network, in MATLAB's order, flattens (width, height, channel)."""
    from torch import nn

    class ColumnMajorFlatten(nn.Module):
        def forward(self, x):  # type: ignore[no-untyped-def]
            return x.permute(0, 3, 2, 1).flatten(1)

    return ColumnMajorFlatten()

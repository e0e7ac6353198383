"""Noise on singular values: metric privacy of a low-rank picture. See ``differential`` for common limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Image
from unveil.core.validation import number, whole
from unveil.methods.differential import Where, limits, private_region
from unveil.methods.silhouettes import Result
from unveil.methods.threads import single_threaded


class MetricSVD:
    """Noise on the k largest singular values of each colour channel (metric privacy).

    Each channel, scaled to 0..1, is U diag(s) V'. Its k largest singular values get noise z of the
    multivariate Laplace density proportional to exp(-eps |z|): a radius from the Gamma distribution with
    shape k and scale 1/eps, in a uniformly random direction. The other singular values are dropped, and
    the channel is put together again with the original U and V and limited to 0..1.

    What is proved: since |s + z - s'| >= |z| - |s - s'|, the k noisy values of a channel are
    eps d-private with d = |s - s'|_2 (Chatzikokalakis et al. 2013), and over the three channels the exponents
    add. By Mirsky's inequality d is at most the Frobenius norm of the difference of the channels.
    What is not: U and V are published as they are, so the statement is about the singular values alone;
    for two pictures with different U or V the outputs are not indistinguishable.

    Args:
        eps: privacy parameter per unit of distance (pixel values in 0..1), above 0.
        k: number of singular values kept, at least 1; at most the short side is used.
        region: ``image`` or ``face``.
        margin: share by which a face box grows on each side.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="metric_svd",
        version=1,
        scope="image",
        deterministic=False,
        source=Source(
            "L. Fan, Practical Image Obfuscation with Provable Privacy, ICME 2019, pp. 784-789",
            url="https://doi.org/10.1109/ICME.2019.00140",
        ),
    )

    def __init__(self, *, eps: float = 0.5, k: int = 4, region: Where = "image", margin: float = 0.0) -> None:
        self.eps = number("eps", eps, above=0)
        self.k = whole("k", k)
        self.region, self.margin = region, margin
        self._region = private_region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """Metric privacy of the singular values, not of the picture."""
        return Guarantee(
            f"metric privacy of the {self.k} largest singular values of each channel: exponent {self.eps:g} times "
            "the sum over the channels of the Euclidean distance between them (pixel values in 0..1); the "
            "singular vectors are published without noise" + limits(self._region),
            "Fan 2019 (ICME); Chatzikokalakis et al., Broadening the Scope of Differential Privacy Using "
            "Metrics, PETS 2013; limits in the docstring of MetricSVD",
        )

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Low-rank noisy pictures; ``no_face`` where the region is the face and none is found."""
        with single_threaded():
            return self._region.protect_randomly(images, context, self._perturb)

    def _perturb(self, image: Image, rng: np.random.Generator) -> Image:
        protected = np.empty_like(image)
        for channel in range(3):
            left, values, right = leading_svd(image[:, :, channel] / 255.0, self.k)
            noisy = values + multivariate_laplace(len(values), self.eps, rng)
            protected[:, :, channel] = np.rint(np.clip((left * noisy) @ right, 0, 1) * 255)
        return protected


def leading_svd(
    matrix: NDArray[np.float64], k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The k largest singular values and their vectors, many times faster than the whole decomposition.

    The vectors of the short side are eigenvectors of the Gram matrix; a QR decomposition gives the others, and
    an orthonormal completion where a singular value is zero.

    Args:
        matrix: (height, width).
        k: how many; at most the short side.

    Returns:
        U (height, k), singular values (k,) in falling order, and V' (k, width).
    """
    from scipy.linalg import eigh

    if matrix.shape[0] > matrix.shape[1]:
        left, values, right = leading_svd(matrix.T, k)
        return right.T, values, left.T
    short = len(matrix)
    kept = (short - min(k, short), short - 1)
    left = eigh(matrix @ matrix.T, subset_by_index=kept)[1][:, ::-1]
    right, triangle = np.linalg.qr(matrix.T @ left)
    values = np.diag(triangle)
    return left, np.abs(values), (right * np.where(values < 0, -1, 1)).T


def multivariate_laplace(k: int, eps: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """One draw of the density proportional to exp(-eps |z|_2) in k dimensions.

    Args:
        k: dimension.
        eps: inverse scale.
        rng: random stream.

    Returns:
        ``float64`` vector (k,).
    """
    direction = rng.standard_normal(k)
    return direction / np.linalg.norm(direction) * rng.gamma(k, 1 / eps)

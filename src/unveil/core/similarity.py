"""How alike two embeddings are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def similarity_of(left: NDArray[np.float32], right: NDArray[np.float32], distance: str) -> NDArray[np.float32]:
    """Similarity of embeddings, row by row: the cosine, or minus the Euclidean distance.

    Args:
        left, right: (n, dimension).
        distance: ``cosine`` or ``euclidean``.

    Returns:
        Float (n,), higher is more alike. A vector of zeros is alike to none: 0.

    >>> similarity_of(np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]]), "cosine").round(2).tolist()
    [0.96]
    """
    if distance == "euclidean":
        return -np.linalg.norm(left - right, axis=1)
    scale = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return (left * right).sum(axis=1) / np.maximum(scale, np.finfo(np.float32).tiny)

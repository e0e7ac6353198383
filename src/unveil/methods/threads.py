"""One thread for linear algebra on small matrices."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def single_threaded() -> AbstractContextManager[Any]:
    """Keeps BLAS and LAPACK on one thread inside a ``with`` block.

    On matrices of a few hundred rows their threads mostly wait for each other, and where other programs use
    the processors as well a call takes up to a hundred times longer.
    """
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> Any:
    import scipy.linalg  # noqa: F401  (has a library of its own, which must be loaded to be found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

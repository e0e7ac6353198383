from __future__ import annotations

from threadpoolctl import threadpool_info

from unveil.methods.threads import single_threaded


def blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_linear_algebra_has_one_thread_inside_and_what_it_had_outside() -> None:
    with single_threaded():
        inside = blas_threads()
    before = blas_threads()
    with single_threaded():
        assert inside == blas_threads() == [1] * len(before)
    assert blas_threads() == before
    assert before  # NumPy and SciPy are there, so there is something to limit

from __future__ import annotations

import ctypes
import os

import psutil
import pytest

from unveil.engine.memory import give_back


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim") or os.name != "posix", reason="needs glibc")
def test_freed_memory_goes_back() -> None:
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    blocks = [libc.malloc(100_000) for _ in range(1000)]  # below the size that is mapped on its own
    for block in blocks:
        ctypes.memset(block, 1, 100_000)
    pin = libc.malloc(100_000)  # keeps the top of the heap
    for block in blocks:
        libc.free(block)
    before = psutil.Process().memory_info().rss
    give_back()
    assert before - psutil.Process().memory_info().rss > 50_000_000
    libc.free(pin)

"""The examples of every module do what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import unveil

MODULES = sorted(module.name for module in pkgutil.walk_packages(unveil.__path__, "unveil."))


@pytest.mark.parametrize("name", ["unveil", *MODULES])
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_there_are_examples_where_people_begin() -> None:
    finder = doctest.DocTestFinder()
    for name in ("unveil.api", "unveil.config", "unveil.testing", "unveil.core.fingerprint"):
        assert any(test.examples for test in finder.find(importlib.import_module(name))), name

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.core.fingerprint import (
    bytes_hash,
    canonical,
    cell_id,
    component_fingerprint,
    digest,
    file_hash,
    rng,
)

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalar = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
value = st.recursive(
    scalar, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4), max_leaves=12
)


def shuffled(item: Any, order: np.random.Generator) -> Any:
    if isinstance(item, dict):
        keys = list(item)
        return {keys[i]: shuffled(item[keys[i]], order) for i in order.permutation(len(keys))}
    return [shuffled(v, order) for v in item] if isinstance(item, list) else item


@settings(deadline=None)
@given(value, st.integers(0, 99))
def test_the_order_of_a_mapping_does_not_matter(item: Any, seed: int) -> None:
    assert digest(item) == digest(shuffled(item, np.random.default_rng(seed)))


@settings(deadline=None)
@given(value)
def test_canonical_text_is_json_of_the_same_value(item: Any) -> None:
    assert json.loads(canonical(item)) == item
    assert canonical(json.loads(canonical(item))) == canonical(item)


@settings(deadline=None)
@given(st.lists(value, max_size=3), st.lists(value, max_size=3))
def test_digests_are_equal_exactly_when_the_text_is(left: list[Any], right: list[Any]) -> None:
    assert (digest(*left) == digest(*right)) == (canonical(left) == canonical(right))


def test_types_are_told_apart() -> None:
    alike = [1, 1.0, "1", True, [1], {"1": 1}, None, "None", "null", 0, False, "", [], {}]
    assert len({digest(item) for item in alike}) == len(alike)


def test_how_parts_are_cut_matters() -> None:
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest(["ab", "c"])}) == 4


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.float64("nan"), np.float32("inf")])
def test_what_is_not_finite_has_no_identity(bad: float) -> None:
    for item in (bad, [bad], {"a": {"b": bad}}):
        with pytest.raises(ValueError):
            digest(item)


@pytest.mark.parametrize("bad", [object(), len, b"bytes", 1 + 2j, np.zeros(2), {"a": object()}, {1, "1"}])
def test_what_has_no_canonical_form_is_refused(bad: Any) -> None:
    with pytest.raises(TypeError):
        digest(bad)


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: tuple[int, ...]


class Colour(StrEnum):
    RED = "red"


def test_equal_values_of_other_types_have_one_form() -> None:
    assert canonical((1, 2)) == canonical([1, 2]) == "[1,2]"
    assert canonical({3, 1, 2}) == canonical(frozenset({2, 3, 1})) == "[1,2,3]"
    assert (
        canonical(np.int64(3)) == "3"
        and canonical(np.float64(0.5)) == "0.5"
        and canonical(np.bool_(True)) == "true"
    )
    assert canonical(Path("a") / "b") == '"a/b"'
    assert canonical(Colour.RED) == '"red"' and canonical("é\n") == '"é\\n"'
    assert canonical(Point(1, (2, 3))) == canonical({"y": [2, 3], "x": 1})


def test_pinned_values() -> None:
    """A change here makes every stored result and every cache strange: raise SCHEMA_VERSION with it."""
    assert canonical({"b": [1, 2.5, True, None], "a": "ä"}) == '{"a":"ä","b":[1,2.5,true,null]}'
    assert digest("embed", 1) == "65de88b7628888d25793038a723e1478"
    assert component_fingerprint("method", "m:C", 2, {"k": 5}, weights={}) == "363b05bfe17779b0be33873964d192f2"
    assert (
        cell_id(
            dataset="d",
            method="m",
            evaluation="e",
            components={"detector": "a", "recognizer": "b"},
            threat_model="other_photo",
            seed=7,
            names=("faces", "blur", "verification", "mtcnn/dlib"),
        )
        == "cc038f6d80e672d5"
    )
    assert rng(7, "noise", "a.jpg").integers(1_000_000) == 181329


CELL: dict[str, Any] = {
    "dataset": "d", "method": "m", "evaluation": "e", "components": {"detector": "a", "recognizer": "b"},
    "threat_model": "t", "seed": 1, "names": ("a", "b"),
}  # fmt: skip


@pytest.mark.parametrize("key", CELL)
def test_a_cell_depends_on_each_part(key: str) -> None:
    other = {"recognizer": "a", "detector": "b"} if key == "components" else 2 if key == "seed" else "other"
    assert cell_id(**CELL) != cell_id(**{**CELL, key: other})
    assert cell_id(**CELL) == cell_id(**{**CELL, "components": {"recognizer": "b", "detector": "a"}})


def test_a_component_depends_on_each_part() -> None:
    base = component_fingerprint("method", "m:C", 1, {"k": 5}, weights={"f": "1"})
    others = [
        component_fingerprint("model", "m:C", 1, {"k": 5}, weights={"f": "1"}),
        component_fingerprint("method", "m:D", 1, {"k": 5}, weights={"f": "1"}),
        component_fingerprint("method", "m:C", 2, {"k": 5}, weights={"f": "1"}),
        component_fingerprint("method", "m:C", 1, {"k": 6}, weights={"f": "1"}),
        component_fingerprint("method", "m:C", 1, {"k": 5}, weights={"f": "2"}),
        component_fingerprint("method", "m:C", 1, {"k": 5}, weights={"f": "1"}, helpers={"detector": "x"}),
    ]
    assert len({base, *others}) == 7


@settings(deadline=None)
@given(st.binary(max_size=3000))
def test_hashes_are_sha256(data: bytes) -> None:
    assert bytes_hash(data) == bytes_hash(memoryview(data)) == hashlib.sha256(data).hexdigest()


def test_a_file_is_hashed_in_pieces(tmp_path: Path) -> None:
    data = np.random.default_rng(0).bytes((1 << 20) + 17)
    (tmp_path / "f").write_bytes(data)
    assert file_hash(tmp_path / "f") == hashlib.sha256(data).hexdigest()


@settings(deadline=None)
@given(st.integers(0, 2**32), text, text)
def test_streams_depend_on_their_parts_alone(seed: int, a: str, b: str) -> None:
    first = rng(seed, a, b).integers(2**63, size=4)
    rng("something else").random(100)
    assert (rng(seed, a, b).integers(2**63, size=4) == first).all()
    assert (rng(seed, a, b, "more").integers(2**63, size=4) != first).any()

from __future__ import annotations

import numpy as np
import pyarrow as pa

from unveil.core.types import Failure, Reason
from unveil.evaluations.intelligibility import Intelligibility
from unveil.testing.scenes import MeanColours

from .scenes import MISSING, Album, numbered, observed

ORIGINAL = {"a": numbered(10), "b": numbered(20), "c": Failure(Reason.UNDECODABLE, "damaged"), "d": numbered(40)}
PROTECTED = {"a": numbered(99), "b": MISSING, "c": numbered(1), "d": Failure(Reason.UNDECODABLE, "damaged")}


def album(method: str) -> Album:
    protected = ORIGINAL if method == "original" else PROTECTED
    return Album(ORIGINAL, protected, models={("image_encoder", "original"): MeanColours()}, method=method)


def test_a_row_per_picture_with_both_vectors() -> None:
    rows = observed(Intelligibility(), album("mine"))
    assert rows["unit_id"].tolist() == list("abcd")
    assert rows["status"].tolist() == ["ok", "not_protected", "error", "error"]
    one, two = rows.loc[0, ["original", "protected"]]
    assert one.dtype == two.dtype == np.float32
    assert np.array_equal(one, np.full(12, 10)) and np.array_equal(two, np.full(12, 99))
    assert [vector is None for vector in rows["original"]] == [False, False, True, False]
    assert [vector is None for vector in rows["protected"]] == [False, True, True, True]


def test_of_unprotected_photos_both_vectors_are_the_same() -> None:
    rows = observed(Intelligibility(), album("original"))
    assert all(
        np.array_equal(one, two) for one, two in zip(rows["original"][:2], rows["protected"][:2], strict=True)
    )
    assert rows["status"].tolist() == ["ok", "ok", "error", "ok"]


def test_the_columns_are_what_the_table_stores() -> None:
    for context in (album("mine"), Album({}, {}, models={("image_encoder", "original"): MeanColours()})):
        rows = observed(Intelligibility(), context)
        for name, kind in Intelligibility.meta.columns.items():
            assert pa.Array.from_pandas(rows[name], type=kind).type == pa.list_(pa.float32())

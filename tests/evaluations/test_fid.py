from __future__ import annotations

import pytest

from unveil.evaluations.embeddings import COLUMNS, embedded
from unveil.evaluations.fid import FrechetDistance
from unveil.evaluations.intelligibility import Intelligibility
from unveil.testing.scenes import MeanColours

from .scenes import MISSING, Album, numbered, observed

PICTURES = {str(number): numbered(number) for number in range(20)}


@pytest.mark.parametrize("method", ["mine", "original"])
def test_both_evaluations_see_the_same_vectors(method: str) -> None:
    protected = {**PICTURES, "3": MISSING}
    album = Album(PICTURES, protected, models={("image_encoder", "original"): MeanColours()}, method=method)
    rows = observed(FrechetDistance(), album)
    assert list(COLUMNS) == ["original", "protected"] == list(FrechetDistance.meta.columns)
    assert rows.equals(observed(Intelligibility(), album)) and rows.equals(embedded(list(PICTURES), album))
    assert rows["status"].tolist().count("not_protected") == (method == "mine")
    assert FrechetDistance.meta.dimension == "quality" and FrechetDistance.meta.metrics == ("fid", "kid")

from __future__ import annotations

import numpy as np

from unveil.core.types import Failure
from unveil.methods.averages import GroupAverages, resized

from .material import MemoryGallery, picture


def test_resizing_to_the_same_size_is_the_same_picture() -> None:
    image = picture(5, 7)
    assert np.array_equal(resized(image, image.shape), image)


def test_shrinking_takes_area_means() -> None:
    image = picture(8, 8)
    means = image.reshape(4, 2, 4, 2, 3).mean((1, 3))
    assert np.abs(resized(image, (4, 4)) - means).max() <= 0.5


def test_averages_are_kept_for_a_while_and_handed_out_as_copies() -> None:
    gallery = MemoryGallery(people=70, photos=1)
    averages = GroupAverages(gallery, [[s.id] for s in gallery.samples])
    first = averages.get(0, (12, 10, 3))
    assert isinstance(first, np.ndarray)
    first[:] = 0
    again = averages.get(0, (12, 10, 3))
    assert np.array_equal(again, gallery.pictures["p0/0.png"])
    assert gallery.reads == ["p0/0.png"]
    for group in range(70):
        averages.get(group, (12, 10, 3))
    assert gallery.reads.count("p0/0.png") == 1
    averages.get(0, (12, 10, 3))  # pushed out by the 64 that came after it
    assert gallery.reads.count("p0/0.png") == 2


def test_a_member_that_can_no_longer_be_read_is_named() -> None:
    gallery = MemoryGallery(people=2, photos=1)
    gallery.broken("p1/0.png")
    failure = GroupAverages(gallery, [["p0/0.png", "p1/0.png"]]).get(0, (4, 4, 3))
    assert isinstance(failure, Failure)
    assert "p1/0.png" in failure.detail

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from unveil.core.errors import ConfigError, Unavailable
from unveil.core.types import Detections, Failure, Image, Protected, Reason
from unveil.methods.avatar_3d import Avatar3D
from unveil.registry import build

from .material import Context, crowd, picture, sample


@pytest.fixture
def needs_anny() -> None:
    pytest.importorskip("anny", reason="the body comes with anny (extra: avatar)")


def protect(image: Image, people: Detections | Failure, **params: float) -> Image | Protected | Failure:
    return Avatar3D(**params).protect([image], Context([sample()], people=people))[0]


@pytest.mark.parametrize("package", ["anny", "warp"])
def test_what_is_missing_is_named_with_the_command_that_brings_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as Python marks a package that cannot be imported
    with pytest.raises(Unavailable, match=rf"{package}.*pip install 'unveil\[avatar\]'"):
        build("methods", "avatar_3d.person").require()


@pytest.mark.usefixtures("needs_anny")
def test_nothing_is_missing_where_it_is_installed() -> None:
    Avatar3D().require()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"keypoints": 3}, "keypoints must be a whole number of at least 4, got 3"),
        ({"keypoints": 18}, "keypoints must be at most 17, got 18"),
        ({"margin": float("nan")}, "margin must be a finite number, got nan"),
    ],
)
def test_wrong_parameters_are_named(params: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build("methods", "avatar_3d.person", params)


@pytest.mark.usefixtures("needs_anny")
def test_nothing_of_a_persons_pixels_is_used() -> None:
    people = crowd((120, 90), [(20, 10, 70, 110)], round_masks=True)
    assert people.masks is not None
    one, other = picture(120, 90, seed=1), picture(120, 90, seed=2)
    other[~people.masks[0]] = one[~people.masks[0]]
    protected = protect(one, people, margin=0.0)
    assert isinstance(protected, np.ndarray)
    assert np.array_equal(protected, protect(other, people, margin=0.0))
    assert np.array_equal(protected[~people.masks[0]], one[~people.masks[0]])
    assert not np.array_equal(protected[people.masks[0]], one[people.masks[0]])


@pytest.mark.usefixtures("needs_anny")
def test_who_has_too_few_keypoints_stays_and_is_named() -> None:
    image = picture(120, 160)
    people = crowd(image.shape, [(0, 0, 50, 110), (55, 0, 100, 110), (105, 0, 160, 110)])
    assert people.landmarks is not None
    landmarks = people.landmarks.copy()
    landmarks[0, 4:] = np.nan  # four points of the head
    landmarks[1, [5, 6, 11, 12]] = np.nan
    result = protect(image, replace(people, landmarks=landmarks))
    assert isinstance(result, Protected)
    assert result.unprotected == (
        "person at (0, 0, 50, 110): 4 of 17 keypoints known, 5 needed",
        "person at (55, 0, 100, 110): 0 shoulders and hips known, 2 needed",
    )
    assert np.array_equal(result.image[:, :100], image[:, :100])
    assert not np.array_equal(result.image[:, 110:155], image[:, 110:155])


def test_nobody_with_keypoints_leaves_everything_and_says_so_even_without_anny() -> None:
    image = picture(60, 40)
    people = replace(crowd(image.shape, [(0, 0, 40, 60)]), landmarks=None)
    result = protect(image, people)
    assert isinstance(result, Protected) and np.array_equal(result.image, image)
    assert result.unprotected == ("person at (0, 0, 40, 60): 0 of 17 keypoints known, 5 needed",)
    failure = Failure(Reason.NO_PERSON, "nobody found, though somebody may be there")
    assert protect(image, failure) == failure


@pytest.mark.usefixtures("needs_anny")
def test_whose_mask_ends_lower_stands_in_front() -> None:
    ground = np.full((140, 100, 3), 127, np.uint8)
    near, far = (15, 20, 65, 135), (30, 5, 80, 100)
    both = crowd(ground.shape, [near, far])
    turned = protect(ground, both.take([1, 0]))
    together, front = protect(ground, both), protect(ground, both.take([0]))
    assert isinstance(together, np.ndarray) and isinstance(front, np.ndarray) and isinstance(turned, np.ndarray)
    inner = (slice(58, 76), slice(36, 44))  # the trunk of the near one, in front of the far one
    assert np.array_equal(together[inner], front[inner])
    assert not np.array_equal(turned, together)  # the order of the people gives the colours


@pytest.mark.usefixtures("needs_anny")
def test_keypoints_far_from_the_picture_do_no_harm() -> None:
    people = crowd((80, 60), [(5, 5, 55, 75)])
    assert people.landmarks is not None
    landmarks = people.landmarks.copy()
    landmarks[0, 9:11] = (3e38, -3e38)
    assert isinstance(protect(picture(80, 60), replace(people, landmarks=landmarks)), np.ndarray)

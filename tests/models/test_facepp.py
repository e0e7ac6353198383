"""Face++ as detector, recognizer and estimator, against a server that judges the pixels it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil import registry
from unveil.core.errors import ConfigError, Unavailable
from unveil.core.types import Detections, Face, Failure, Image, Reason
from unveil.models.facepp import FaceppDetector, FaceppEstimator, FaceppRecognizer
from unveil.models.facepp_service import KEY, SECRET
from unveil.testing import check_detector, check_estimator, check_recognizer

from .facepp_server import Asked, Reply, Service, at_hand, drawn

RED, BLUE, GREEN = (220, 120, 40), (60, 40, 210), (70, 190, 80)
NOBODY = drawn()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Service]:
    with at_hand(monkeypatch, tmp_path) as running:
        yield running


def built(role: str, service: Service, **params: Any) -> Any:
    quick = {"endpoint": service.url, "requests_per_second": 1000.0, "timeout": 5.0}
    return registry.build("models", f"{role}:facepp", quick | params)


def face(left: float, top: float, side: float) -> Face:
    return Face(np.array([left, top, left + side, top + side], np.float32))


def one(found: list[Any]) -> Any:
    assert len(found) == 1
    return found[0]


def edited(answer: dict[str, Any], *path: str | int, value: Any = None) -> dict[str, Any]:
    """The answer with one field changed, or without it."""
    node: Any = answer
    for key in path[:-1]:
        node = node[key]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return answer


# --- all three ---


def test_they_keep_the_promises_of_their_roles(service: Service) -> None:
    pictures = [drawn((50, 60, 160, colour)) for colour in (RED, BLUE, GREEN)]
    faces = [(picture, face(50, 60, 160)) for picture in pictures]
    check_detector(built("detector", service), photos=pictures)
    check_recognizer(built("recognizer", service), faces=faces)
    check_estimator(built("estimator", service), faces=faces)


@pytest.mark.parametrize("role", ["detector", "recognizer", "estimator"])
def test_what_must_be_there(role: str, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    built(role, service).require()
    with pytest.raises(ConfigError, match="retries must be a whole number"):
        built(role, service, retries=-1)
    with pytest.raises(ConfigError, match="endpoint must be https"):
        built(role, service, endpoint="http://example.org")
    monkeypatch.delenv(KEY)
    model = registry.build("models", f"{role}:facepp")
    with pytest.raises(Unavailable, match=f"{KEY} and {SECRET}"):
        model.require()
    assert service.came == 0


def test_no_picture_no_request(service: Service) -> None:
    assert built("detector", service).detect([]) == []
    assert built("recognizer", service).compare([], []) == []
    assert built("estimator", service).estimate([], []) == []
    assert service.came == 0


def test_parameters_hold_no_secret(service: Service) -> None:
    for role in ("detector", "recognizer", "estimator"):
        model = built(role, service)
        model.require()
        assert service.secret not in repr(vars(model)) and service.key not in repr(vars(model))


def test_a_refused_account_costs_a_few_requests_and_not_one_per_picture(service: Service) -> None:
    service.script.extend([Reply(403, "AUTHORIZATION_ERROR:Denied by Admin")] * 500)
    pictures = [drawn((n, 60, 100, RED)) for n in range(100)]
    with pytest.raises(Unavailable, match="Denied by Admin"):
        built("detector", service, requests_per_second=1.0).detect(pictures)
    with pytest.raises(Unavailable, match="Denied by Admin"):
        built("estimator", service).estimate(pictures, [face(0, 60, 100)] * 100)
    assert service.came <= 2


def test_detector_and_estimator_share_their_answers(service: Service) -> None:
    picture = drawn((50, 60, 100, RED))
    (found,) = built("detector", service).detect([picture])
    (values,) = built("estimator", service).estimate([picture], [found.face(0)])
    assert values["age"] == 86 and service.came == 1


def test_a_second_run_asks_nothing(service: Service) -> None:
    pictures = [drawn((50, 60, 160, colour)) for colour in (RED, BLUE)] + [NOBODY]
    pairs = [(picture, face(50, 60, 160)) for picture in pictures]

    def run() -> Any:
        found = [(d.boxes.tolist(), d.scores.tolist()) for d in built("detector", service).detect(pictures)]
        return found, built("recognizer", service).compare(pairs, pairs[::-1])

    first, came = run(), service.came
    assert run() == first and service.came == came == 6


def test_trouble_with_one_picture_costs_no_other(service: Service) -> None:
    def change(asked: Asked, answer: dict[str, Any]) -> Any:
        match asked.picture("image_file")[0, 0, 0]:
            case 1:
                return edited(answer, "faces", 0, "face_rectangle", "width")
            case 2:
                return edited(answer, "faces", value="none")
            case 3:
                return edited(answer, "faces", 0, "landmark", "nose_tip", value=[1, 2])
            case _:
                return answer

    service.change = change
    pictures = [drawn((50, 60, 100, RED)) for _ in range(5)]
    for number, picture in enumerate(pictures):
        picture[0, 0] = number
    good, *bad, last = built("detector", service).detect(pictures)
    assert len(good) == len(last) == 1
    assert [failure.reason for failure in bad] == [Reason.BAD_OUTPUT] * 3
    fields = ("faces[0].face_rectangle.width", "faces", "faces[0].landmark.nose_tip")
    assert all(f"field {name} " in f"{failure.detail} " for name, failure in zip(fields, bad, strict=True))


# --- detector ---


def test_boxes_and_landmarks_largest_first(service: Service) -> None:
    picture = drawn((10, 20, 60, BLUE), (150, 100, 150, RED))
    found = one(built("detector", service).detect([picture]))
    assert found.boxes.tolist() == [[150, 100, 300, 250], [10, 20, 70, 80]]
    assert found.boxes.dtype == found.scores.dtype == found.landmarks.dtype == np.float32
    assert found.scores.tolist() == [1, 1]
    assert found.landmarks[0].tolist() == [[195, 160], [255, 160], [225, 190], [202, 220], [248, 220]]


def test_the_score_may_be_the_face_quality(service: Service) -> None:
    picture = drawn((10, 20, 60, BLUE), (150, 100, 150, RED))
    found = one(built("detector", service, score="quality").detect([picture]))
    assert found.scores == pytest.approx([40 / 255, 210 / 255], abs=1e-4)
    with pytest.raises(ValueError, match="score must be one of none, quality"):
        FaceppDetector(score="best")  # type: ignore[arg-type]


def test_nobody_is_not_a_failure(service: Service) -> None:
    assert isinstance(found := one(built("detector", service).detect([NOBODY])), Detections)
    assert len(found) == 0


def test_places_are_told_in_the_picture_and_not_in_what_was_sent(service: Service) -> None:
    large = drawn((1000, 3000, 500, RED), size=(5000, 2000))
    small = drawn((0, 2, 40, GREEN), size=(44, 40))
    found = built("detector", service).detect([large, small])
    assert found[0].boxes == pytest.approx(np.array([[1000, 3000, 1500, 3500]]), abs=2)
    assert found[0].landmarks[0, 0] == pytest.approx([1150, 3200], abs=2)
    assert found[1].boxes == pytest.approx(np.array([[0, 2, 40, 42]]), abs=1)


def test_more_faces_than_a_free_key_has_described(service: Service) -> None:
    blocks = [(5 + 65 * n, 20, 50 + n, RED) for n in range(7)]
    picture = drawn(*blocks, size=(100, 480))
    found = one(built("detector", service, score="quality").detect([picture]))
    assert [box[2] - box[0] for box in found.boxes.tolist()] == [56, 55, 54, 53, 52, 51, 50]
    assert found.landmarks is None and found.scores.tolist()[5:] == [0, 0] and found.scores.min() == 0
    described, smallest = built("estimator", service).estimate([picture] * 2, [face(395, 20, 56), face(5, 20, 50)])
    assert described["age"] == 86
    assert smallest == Failure(Reason.BAD_OUTPUT, "the answer of Face++ has no field faces[0].attributes")


def test_the_order_of_many_pictures_is_kept(service: Service) -> None:
    pictures = [drawn((n * 5, 60, 100, RED)) for n in range(40)]
    found = built("detector", service).detect(pictures)
    assert [float(faces.boxes[0, 0]) for faces in found] == [n * 5 for n in range(40)]


# --- recognizer ---


def test_similarity_is_the_confidence(service: Service) -> None:
    recognizer = built("recognizer", service)
    left, right = (drawn((50, 60, 160, RED)), face(50, 60, 160)), (drawn((90, 40, 200, BLUE)), face(90, 40, 200))
    same, other, reverse = recognizer.compare([left, left, right], [left, right, left])
    assert same == 1.0 and other == reverse == pytest.approx(1 - (160 + 80 + 170) / 3 / 255, abs=1e-5)
    assert isinstance(other, float) and other < 1 - recognizer.customary_threshold
    assert recognizer.distance == "cosine" and recognizer.customary_threshold == 0.3
    assert not hasattr(recognizer, "embed")
    assert {asked.api for asked in service.asked} == {"compare"}
    assert all(sorted(asked.files) == ["image_file1", "image_file2"] for asked in service.asked)


def test_the_intended_face_is_compared_and_not_the_largest(service: Service) -> None:
    crowd = drawn((10, 20, 160, RED), (400, 20, 300, BLUE), size=(400, 800))
    alone = drawn((50, 60, 160, RED))
    pairs = [((crowd, face(10, 20, 160)), 1.0), ((crowd, face(400, 20, 300)), 1 - 410 / 3 / 255)]
    found = built("recognizer", service).compare([seen for seen, _ in pairs], [(alone, face(50, 60, 160))] * 2)
    assert found == pytest.approx([wanted for _, wanted in pairs], abs=1e-5)


def test_small_faces_are_compared_too(service: Service) -> None:
    tiny, large = drawn((20, 30, 40, GREEN), size=(112, 112)), drawn((50, 60, 200, GREEN))
    (similar,) = built("recognizer", service).compare([(tiny, face(20, 30, 40))], [(large, face(50, 60, 200))])
    assert similar == pytest.approx(1, abs=0.01)


def test_faces_that_the_service_does_not_find(service: Service) -> None:
    good = (drawn((50, 60, 160, RED)), face(50, 60, 160))
    hidden = (NOBODY, face(50, 60, 160))
    outside = (NOBODY, face(4000, 60, 160))
    beside = (drawn((335, 20, 360, BLUE), size=(500, 700)), face(10, 60, 320))  # somebody stands in the margin
    found = built("recognizer", service).compare([hidden, good, good, beside], [good, hidden, outside, good])
    left, right = Reason.NO_FACE, Reason.MISSING
    assert [result.reason for result in found] == [left, right, right, left]
    assert [result.detail for result in found] == [
        "left picture: Face++ finds no face in left 50, top 60, right 210, bottom 220",
        "right picture: Face++ finds no face in left 50, top 60, right 210, bottom 220",
        "right picture: the box left 4000, top 60, right 4160, bottom 220 is outside the picture",
        "left picture: Face++ finds another face than that in left 10, top 60, right 330, bottom 380",
    ]


@pytest.mark.parametrize(
    ("path", "value", "detail"),
    [
        (("confidence",), None, "the answer of Face++ has no field confidence"),
        (("confidence",), 101, "field confidence of the answer of Face++ must be a number in [0, 100], not '101'"),
        (
            ("confidence",),
            True,
            "field confidence of the answer of Face++ must be a number in [0, 100], not 'True'",
        ),
        (("faces1",), None, "the answer of Face++ has no field faces1"),
        (("faces2", 0, "face_rectangle"), None, "the answer of Face++ has no field faces2[0].face_rectangle"),
    ],
)
def test_changed_comparisons(service: Service, path: tuple[str | int, ...], value: Any, detail: str) -> None:
    service.change = lambda asked, answer: edited(answer, *path, value=value)
    seen = [(drawn((50, 60, 160, RED)), face(50, 60, 160))]
    assert built("recognizer", service).compare(seen, seen) == [Failure(Reason.BAD_OUTPUT, detail)]


def test_lists_of_different_length(service: Service) -> None:
    with pytest.raises(ValueError, match="zip"):
        built("recognizer", service).compare([(NOBODY, face(0, 0, 9))], [])


# --- estimator ---


def test_everything_that_the_service_says(service: Service) -> None:
    picture = drawn((150, 100, 100, RED))
    values = one(built("estimator", service).estimate([picture], [face(150, 100, 100)]))
    assert set(values) == set(FaceppEstimator.kinds)
    red, green, blue = RED
    assert values["gender"] == "Female" and values["age"] == 86.0 and isinstance(values["age"], float)
    assert values["head_pose"] == pytest.approx((200 / 400 * 90 - 45, 150 / 300 * 90 - 45, red - 128))
    assert values["expression"] == "neutral" and values["expression_confidence"] == 0.9
    assert values["left_eye_status"] == "open, glasses" and values["right_eye_status"] == "open, no glasses"
    assert values["mouth_status"] == "closed" and values["mouth_status_confidence"] == 0.9
    assert values["smiling"] == "no" and values["smile"] == pytest.approx(green / 255)
    assert values["face_quality"] == pytest.approx(blue / 2.55)
    assert values["beauty_to_women"] == pytest.approx(blue / 2.55) != values["beauty_to_men"]
    assert values["skin_status"] == "acne" and values["skin_status_confidence"] == pytest.approx(red / 255)
    x, y, z = (red - 128) / 255, (green - 128) / 255, blue / 255
    assert values["left_eye_gaze"] == pytest.approx(
        (np.degrees(np.arctan2(x, z)), np.degrees(np.arctan2(y, np.hypot(x, z))), 0)
    )
    assert values["right_eye_gaze"][0] == 0


@pytest.mark.parametrize(
    ("red", "word"),
    [
        (10, "angry"),
        (50, "disgust"),
        (90, "fear"),
        (120, "happy"),
        (160, "sad"),
        (200, "surprise"),
        (240, "neutral"),
    ],
)
def test_expressions_have_the_words_of_the_project(service: Service, red: int, word: str) -> None:
    picture = drawn((150, 100, 100, (red, 250 if red < 128 else 20, 128)))
    values = one(built("estimator", service).estimate([picture], [face(150, 100, 100)]))
    assert values["expression"] == word


def test_of_several_faces_the_one_in_the_place_is_described(service: Service) -> None:
    crowd = drawn((10, 20, 60, RED), (90, 30, 200, BLUE), (310, 40, 70, GREEN))
    places = [face(12, 15, 66), face(80, 40, 210), face(305, 35, 80)]
    found = built("estimator", service).estimate([crowd] * 3, places)
    assert [(values["age"], values["gender"]) for values in found] == [
        (86, "Female"),
        (23, "Male"),
        (27, "Female"),
    ]
    nowhere = one(built("estimator", service).estimate([crowd], [face(20, 200, 60)]))
    assert nowhere == Failure(
        Reason.NO_FACE, "Face++ finds no face in left 20, top 200, right 80, bottom 260, but 3 elsewhere"
    )


def test_no_value_of_the_picture_before_survives(service: Service) -> None:
    """FairDeFace's script kept the last picture's values when the service found no face, or said less."""
    red, blue = drawn((50, 60, 100, RED)), drawn((50, 60, 100, BLUE))
    silent = drawn((50, 60, 100, GREEN))

    def change(asked: Asked, answer: dict[str, Any]) -> Any:
        quiet = tuple(asked.picture("image_file")[100, 100]) == GREEN
        return edited(answer, "faces", 0, "attributes", "age") if quiet else answer

    service.change = change
    order = [red, NOBODY, blue, silent, red, silent, NOBODY, blue]
    estimator = built("estimator", service, requests_per_second=0.49e3)
    for _ in range(2):
        found = estimator.estimate(order, [face(50, 60, 100)] * len(order))
        told = [value.reason.value if isinstance(value, Failure) else value["age"] for value in found]
        assert told == [86, "no_face", 23, "bad_output", 86, "bad_output", "no_face", 23]


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("gender", "value"), "unknown", "faces[0].attributes.gender.value"),
        (("age", "value"), "21", "faces[0].attributes.age.value"),
        (("age", "value"), -1, "faces[0].attributes.age.value"),
        (("headpose", "yaw_angle"), None, "faces[0].attributes.headpose.yaw_angle"),
        (("emotion", "fear"), None, "faces[0].attributes.emotion.fear"),
        (("eyestatus", "left_eye_status"), 3, "faces[0].attributes.eyestatus.left_eye_status"),
        (("blur", "blurness", "value"), float("nan"), "faces[0].attributes.blur.blurness.value"),
        (("skinstatus",), None, "faces[0].attributes.skinstatus"),
    ],
)
def test_changed_descriptions_name_the_field(
    service: Service, path: tuple[str, ...], value: Any, field: str
) -> None:
    service.change = lambda asked, answer: edited(answer, "faces", 0, "attributes", *path, value=value)
    picture: Image = drawn((50, 60, 100, RED))
    failure = one(built("estimator", service).estimate([picture], [face(50, 60, 100)]))
    assert failure.reason is Reason.BAD_OUTPUT and f"field {field}" in failure.detail


def test_the_weakest_recognizer_has_what_the_role_asks_for() -> None:
    assert FaceppRecognizer().endpoint.startswith("https://") and FaceppRecognizer.meta.role == "recognizer"

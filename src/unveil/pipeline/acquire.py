"""Find and describe the face in every picture of a shard: once per run, whatever compares it later.

Results are cached under keys made of the pictures' keys and the models' fingerprints, so every method,
evaluation, threat model and later run that needs the same face takes it from there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from unveil.core.errors import ConfigError, Unavailable
from unveil.core.fingerprint import digest
from unveil.core.types import Detections, Face, Failure, Image, Reason
from unveil.engine.guard import guarded
from unveil.pipeline.components import Built
from unveil.store.artifacts import Artifacts

Pictures = Callable[[], Sequence[Image | Failure]]
"""Gives the pictures of the shard when they are needed: on a warm cache they never are."""

BROKEN = (Reason.EXCEPTION, Reason.BAD_OUTPUT, Reason.TIMEOUT, Reason.REFUSED, Reason.MISSING)
"""Failures that say something of the model or the service, and nothing of the picture."""

_DETECTED = pa.schema(
    {
        "status": pa.string(),
        "reason": pa.string(),
        "n_faces": pa.int32(),
        "score": pa.float32(),
        "face_area": pa.float32(),
        "box": pa.list_(pa.float32()),
        "landmarks": pa.list_(pa.float32()),
    }
)


_ESTIMATED = pa.schema({"status": pa.string(), "reason": pa.string(), "attributes": pa.string()})


def _embedded(dimension: int) -> pa.Schema:
    vector = pa.list_(pa.float32(), dimension)
    return pa.schema({"status": pa.string(), "reason": pa.string(), "vector": vector})


def detections(artifacts: Artifacts, keys: Sequence[str], pictures: Pictures, detector: Built) -> pa.Table:
    """The largest face of each picture.

    Args:
        artifacts: cache.
        keys: names of the pictures; ``""`` where the method gave none.
        pictures: the pictures, a Failure where there is none.
        detector: the attacker's detector.

    Returns:
        One row per picture: ``status`` (``ok``, ``not_acquired``, ``not_protected``, ``error``), ``reason``,
        ``n_faces``, ``score``, ``face_area`` (share of the picture), ``box``, ``landmarks``.
    """
    key = digest("detect", keys, detector.fingerprint)
    return artifacts.table("faces", key, lambda: _detect(keys, pictures(), detector), _unbroken)


def _unbroken(table: pa.Table) -> bool:
    """What broke may have broken by chance (memory, a lost device): the next run tries again."""
    return "error" not in table["status"].to_pylist()


def _detect(keys: Sequence[str], pictures: Sequence[Image | Failure], detector: Built) -> pa.Table:
    present = [i for i, picture in enumerate(pictures) if not isinstance(picture, Failure)]
    found = _answers(lambda chosen: detector.component.detect([pictures[i] for i in chosen]), present)
    rows = [_without_picture(key, picture) for key, picture in zip(keys, pictures, strict=True)]
    for position, result in zip(present, found, strict=True):
        rows[position] = _face_row(result, pictures[position])
    return pa.Table.from_pylist(rows, schema=_DETECTED)


def _without_picture(key: str, picture: Image | Failure) -> dict[str, object]:
    if key and isinstance(picture, Failure):  # it was protected, and the file has gone bad since
        return {"status": "error", "reason": f"{picture.reason}: {picture.detail}"}
    return {"status": "not_protected", "reason": "not_protected"}


def _face_row(result: Detections | Failure, picture: Any) -> dict[str, object]:
    if isinstance(result, Failure):
        return {"status": "error", "reason": f"{result.reason}: {result.detail}", "n_faces": 0}
    if not len(result):
        return {"status": "not_acquired", "reason": "no_face", "n_faces": 0}
    face = result.face(result.largest())
    height, width = picture.shape[:2]
    left, top, right, bottom = np.clip(face.box, 0, [width, height, width, height])
    return {
        "status": "ok",
        "reason": "many_faces_largest_taken" if len(result) > 1 else "",
        "n_faces": len(result),
        "score": face.score,
        "face_area": (right - left) * (bottom - top) / (width * height),
        "box": face.box,
        "landmarks": None if face.landmarks is None else face.landmarks.ravel(),
    }


def embeddings(
    artifacts: Artifacts,
    keys: Sequence[str],
    pictures: Pictures,
    faces: pa.Table,
    models: tuple[Built, Built],
) -> pa.Table:
    """The embedding of each face found by :func:`detections`.

    Args:
        artifacts, keys, pictures: as for :func:`detections`.
        faces: what :func:`detections` returned.
        models: detector and recognizer.

    Returns:
        One row per picture: ``status``, ``reason``, ``vector`` (null without a face).
    """
    detector, recognizer = models
    key = digest("embed", keys, detector.fingerprint, recognizer.fingerprint)
    return artifacts.table("embeddings", key, lambda: _embed(pictures(), faces, recognizer), _unbroken)


def _embed(pictures: Sequence[Image | Failure], faces: pa.Table, recognizer: Built) -> pa.Table:
    rows = _describe(pictures, faces, recognizer.component.embed)
    for row in rows:
        if (vector := row.pop("answer", None)) is None:
            continue
        if np.isfinite(vector).all():
            row["vector"] = np.asarray(vector, np.float32)
        else:
            row |= {"status": "error", "reason": "bad_output: the embedding is not finite"}
    return pa.Table.from_pylist(rows, schema=_embedded(recognizer.component.dimension))


def attributes(
    artifacts: Artifacts, keys: Sequence[str], pictures: Pictures, faces: pa.Table, models: tuple[Built, Built]
) -> pa.Table:
    """What an estimator says of each face found by :func:`detections`.

    Args:
        artifacts, keys, pictures, faces: as for :func:`embeddings`.
        models: detector and estimator.

    Returns:
        One row per picture: ``status``, ``reason``, ``attributes`` (a JSON mapping; null without a face).
    """
    detector, estimator = models
    key = digest("estimate", keys, detector.fingerprint, estimator.fingerprint)
    return artifacts.table("attributes", key, lambda: _estimate(pictures(), faces, estimator), _unbroken)


def _estimate(pictures: Sequence[Image | Failure], faces: pa.Table, estimator: Built) -> pa.Table:
    rows = _describe(pictures, faces, estimator.component.estimate)
    for row in rows:
        if (values := row.pop("answer", None)) is None:
            continue
        if odd := [name for name, value in values.items() if not _is_value(value)]:
            row |= {"status": "error", "reason": f"bad_output: {odd[0]} is {values[odd[0]]!r}"}
        else:
            row["attributes"] = json.dumps(dict(values), ensure_ascii=False)
    return pa.Table.from_pylist(rows, schema=_ESTIMATED)


def _is_value(value: object) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(part, float) and math.isfinite(part) for part in value)
    return isinstance(value, str) or (isinstance(value, float) and math.isfinite(value))


def _describe(
    pictures: Sequence[Image | Failure], faces: pa.Table, describe: Callable[..., Sequence[Any]]
) -> list[dict[str, Any]]:
    """``status`` and ``reason`` of each face, and the ``answer`` of a model where it has one."""
    boxes = faces.to_pylist()
    rows: list[dict[str, Any]] = [{"status": row["status"], "reason": row["reason"]} for row in boxes]
    seen = [i for i, row in enumerate(rows) if row["status"] == "ok"]

    def call(chosen: Sequence[int]) -> Sequence[Any]:
        return describe([pictures[i] for i in chosen], [face_of(boxes[i]) for i in chosen])

    for position, result in zip(seen, _answers(call, seen), strict=True):
        if isinstance(result, Failure):
            # Not to be described is, for the attacker, as good as not to be found; a broken component is not.
            lost = "error" if result.reason in BROKEN else "not_acquired"
            rows[position] = {"status": lost, "reason": f"{result.reason}: {result.detail}"}
        else:
            rows[position]["answer"] = result
    return rows


def _answers(call: Callable[[Sequence[int]], Sequence[Any]], positions: Sequence[int]) -> list[Any]:
    """Results of a model. One that cannot work at all loses every picture, and the run goes on without it."""
    try:
        return guarded(call, positions)
    except (Unavailable, ConfigError) as error:  # a refused key, weights that are gone, a graph of another kind
        return [Failure(Reason.MISSING, str(error)) for _ in positions]


def face_of(row: Mapping[str, Any]) -> Face:
    """The face of a row of :func:`detections` with status ``ok``."""
    marks = row["landmarks"]
    points = None if marks is None else np.asarray(marks, np.float32).reshape(-1, 2)
    return Face(np.asarray(row["box"], np.float32), float(row["score"]), points)

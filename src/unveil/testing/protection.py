"""The promises of a protection method."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unveil.core.protocols import Guarantee, MethodMeta
from unveil.core.types import Failure, Image, Protected
from unveil.images import valid_image
from unveil.testing.people import AWKWARD, NOT_SEGMENTED, Context, Synthetic
from unveil.testing.rules import (
    check_documented,
    check_failure,
    check_meta,
    check_parameters,
    check_untouched,
    expect,
)

_ROLES = frozenset({"detector", "recognizer", "segmenter"})
_SCOPES = ("image", "identity", "dataset", "clip")

Result = Image | Protected | Failure


def check_method(method: Any, *, root: Path | None = None) -> None:
    """Check a protection method on synthetic portraits and awkward pictures, such as one of 1 x 1 pixel.

    It must give one picture, Protected or Failure per input, in order; leave its inputs alone; give the same in
    any batch and order, and again for the same random streams; and, when it says that it is deterministic,
    not depend on the streams at all. One that needs a segmenter meets people with and without keypoints, one
    without a mask, nobody, and a Failure of the segmenter, which must become its own.

    Args:
        method: an instance. One with ``fit`` is fitted.
        root: folder for the originals, for a method that finds its pictures by path; a temporary one
            without it.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_documented(method)
    check_parameters(method, kept=True)
    _check_identity(method)
    with tempfile.TemporaryDirectory(prefix="unveil-") as folder:
        people = Synthetic.write(root or Path(folder))
        if hasattr(method, "fit"):
            method.fit(people)
        _check_results(method, people)


def _check_identity(method: Any) -> None:
    meta = check_meta(method, MethodMeta)
    expect(meta.scope in _SCOPES, method, f"meta.scope must be one of {', '.join(_SCOPES)}, not {meta.scope!r}")
    expect(isinstance(meta.deterministic, bool), method, "meta.deterministic must be true or false")
    known = ", ".join(sorted(_ROLES))
    expect(set(meta.needs) <= _ROLES, method, f"meta.needs may name {known}, not {meta.needs!r}")
    if meta.scope == "image":
        expect(
            not hasattr(method, "fit"),
            method,
            "scope 'image' has no fit: its results are stored for each picture alone",
        )
    elif meta.scope in ("identity", "dataset"):
        expect(hasattr(method, "fit"), method, f"scope {meta.scope!r} needs fit(gallery)")
    expect(hasattr(method, "guarantee"), method, "guarantee must be there, None when nothing is guaranteed")
    guarantee = method.guarantee
    if guarantee is not None:
        complete = isinstance(guarantee, Guarantee) and guarantee.statement.strip() and guarantee.source.strip()
        expect(bool(complete), method, "guarantee must be a Guarantee with statement and source")


def _check_results(method: Any, people: Synthetic) -> None:
    everything = list(range(len(people.samples)))
    first = _protect(method, people, everything, seed=1)
    made = [i for i, result in enumerate(first) if not isinstance(result, Failure)]
    portraits = len(everything) - len(AWKWARD)
    expect(
        any(i < portraits for i in made),
        method,
        f"gave no picture for any of {portraits} portraits; the first Failure: {first[0]}",
    )
    if "segmenter" in method.meta.needs:
        for sample, result in zip(people.samples, first, strict=True):
            expect(
                isinstance(result, Failure) or sample.id != NOT_SEGMENTED,
                method,
                f"{sample.id}: must be a Failure where the segmenter has one: somebody may be there",
            )
    again = _protect(method, people, everything, seed=1)
    _expect_same(method, people, everything, first, again, "called again with the same random streams")
    backwards = _protect(method, people, everything[::-1], seed=1)[::-1]
    _expect_same(method, people, everything, first, backwards, "with the batch in another order")
    for chosen in (made[:1], everything[-len(AWKWARD) :], everything[portraits // 2 : portraits // 2 + 3]):
        for position in chosen:
            alone = _protect(method, people, [position], seed=1)
            _expect_same(method, people, [position], [first[position]], alone, "in a batch of its own")
    if method.meta.deterministic:
        other = _protect(method, people, everything, seed=2)
        _expect_same(method, people, everything, first, other, "with other random streams, though deterministic")


def _protect(method: Any, people: Synthetic, chosen: Sequence[int], *, seed: int) -> list[Result]:
    images = [people.images[i].copy() for i in chosen]
    samples = [people.samples[i] for i in chosen]
    results = method.protect(images, Context(samples, people.root, seed))
    check_untouched(method, images, [people.images[i] for i in chosen])
    expect(isinstance(results, list), method, f"protect must return a list, not {type(results).__name__}")
    expect(len(results) == len(chosen), method, f"gave {len(results)} results for {len(chosen)} pictures")
    for result, sample in zip(results, samples, strict=True):
        _check_result(method, sample.id, result)
    # Copies: a method may hand out its input, or one array again and again.
    return [_copy(result) for result in results]


def _check_result(method: Any, name: str, result: Any) -> None:
    if isinstance(result, Failure):
        check_failure(method, result)
        return
    if isinstance(result, Protected):
        lines = result.unprotected
        named = isinstance(lines, tuple) and bool(lines) and all(isinstance(t, str) and t.strip() for t in lines)
        said = named and not any("\n" in line for line in lines)
        expect(said, method, f"{name}: Protected.unprotected must have one line for each region, not {lines!r}")
        result = result.image
    what = f"{result.dtype} {result.shape}" if isinstance(result, np.ndarray) else type(result).__name__
    expect(valid_image(result), method, f"{name}: must be uint8 (height, width, 3), not {what}")


def _copy(result: Result) -> Result:
    if isinstance(result, Protected):
        return Protected(result.image.copy(), result.unprotected)
    return result if isinstance(result, Failure) else result.copy()


def _expect_same(
    method: Any,
    people: Synthetic,
    chosen: Sequence[int],
    left: Sequence[Result],
    right: Sequence[Result],
    when: str,
) -> None:
    for position, a, b in zip(chosen, left, right, strict=True):
        expect(_same(a, b), method, f"{people.samples[position].id}: another result {when}")


def _same(a: Result, b: Result) -> bool:
    if isinstance(a, Failure) or isinstance(b, Failure):
        return isinstance(a, Failure) and isinstance(b, Failure) and a.reason is b.reason
    (left, unprotected), (right, also) = (
        (r.image, r.unprotected) if isinstance(r, Protected) else (r, ()) for r in (a, b)
    )
    return unprotected == also and np.array_equal(left, right)

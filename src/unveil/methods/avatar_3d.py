"""A rendered neutral body in the pose of the person, in place of the person."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from unveil.core.errors import Unavailable
from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.scenes import KEYPOINTS
from unveil.core.types import Image, Sample
from unveil.core.validation import number, whole
from unveil.methods.avatar_2d import WARDROBE
from unveil.methods.body_fit import fit
from unveil.methods.body_model import neutral
from unveil.methods.body_render import paint
from unveil.methods.figure import known
from unveil.methods.inpaint import continued
from unveil.methods.silhouettes import Result, Silhouette, protect_people, union

_TRUNK = [KEYPOINTS.index(name) for name in ("left shoulder", "right shoulder", "left hip", "right hip")]
_ANCHORS = 2


class Avatar3D:
    """3-D avatar: every person becomes a rendered body with the same pose, over the continued background.

    The people are removed as by ``mask.person.inpaint``. Then anny's average adult, the same for everybody, is
    posed by the 17 body keypoints of each person (:mod:`unveil.methods.body_fit`) and rendered, those whose mask
    ends lowest last, as they usually stand nearest. Colours come from a fixed wardrobe: nothing of the person's
    pixels is used. Pose, place and size remain. Only the pixels of the mask change: what the body leaves free of
    it shows the continued background, and what stands in front of the person, such as a table, stays in front of
    the body. A person of whom too few keypoints are known stays, and is listed as unprotected.

    Args:
        keypoints: how many of the 17 keypoints must be known, 4 to 17; two of them must be shoulders or hips.
        margin: share of the short side of its box by which a mask grows before the person is removed.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="avatar_3d.person",
        version=1,
        scope="image",
        deterministic=True,
        needs=("segmenter",),
        source=Source(
            "HR-VISPR framework (privacy, utility, practicality): 3-D avatar; body: R. Brégier et al., Human Mesh "
            "Modeling for Anny Body, arXiv:2511.03589, 2025",
            licence="Apache-2.0, data CC0",
            url="https://github.com/naver/anny",
        ),
    )

    def __init__(self, *, keypoints: int = 5, margin: float = 0.05) -> None:
        self.keypoints = whole("keypoints", keypoints, low=4)
        number("keypoints", keypoints, high=len(KEYPOINTS))
        self.margin = number("margin", margin, low=0)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: pose, place and size of the person are shown, and gait with them in a video."""
        return None

    def require(self) -> None:
        """Check that the body and its renderer are there.

        Raises:
            Unavailable: says how to get them.
        """
        if missing := [package for package in ("anny", "warp") if find_spec(package) is None]:
            raise Unavailable(
                f"avatar_3d.person needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} "
                "not installed: pip install 'unveil[avatar]'"
            )

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Pictures with rendered bodies in place of the people."""
        return protect_people(images, context, self._replace, margin=self.margin, objection=self._objection)

    def _objection(self, person: Silhouette) -> str:
        count = known(person.landmarks)
        if count < self.keypoints or person.landmarks is None:
            return f"{count} of {len(KEYPOINTS)} keypoints known, {self.keypoints} needed"
        trunk = known(person.landmarks[_TRUNK])
        return "" if trunk >= _ANCHORS else f"{trunk} shoulders and hips known, {_ANCHORS} needed"

    def _replace(self, image: Image, people: Sequence[Silhouette], sample: Sample) -> Image:
        canvas, body = continued(image, union(people, image.shape)), neutral()
        boxes = np.array([person.box for person in people])
        sizes = (boxes[:, 2:] - boxes[:, :2]).max(1)
        marks = np.array([person.landmarks for person in people])
        far = 3 * sizes[:, None, None]  # a point beyond belongs to no body
        marks = np.clip(marks, boxes[:, None, :2] - far, boxes[:, None, 2:] + far)
        fits = fit(body, marks, sizes)
        for index in np.argsort(boxes[:, 3], kind="stable").tolist():
            person, dress = people[index], WARDROBE[index % len(WARDROBE)]
            person.paste(canvas, paint(person.crop(canvas), body, fits[index], person.box[:2], dress))
        return canvas

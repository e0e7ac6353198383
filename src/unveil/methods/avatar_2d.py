"""A drawn figure in the pose of the person, in place of the person."""

from __future__ import annotations

from collections.abc import Sequence

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.scenes import KEYPOINTS
from unveil.core.types import Image, Sample
from unveil.core.validation import number, whole
from unveil.methods.figure import Dress, draw, known
from unveil.methods.inpaint import continued
from unveil.methods.silhouettes import Result, Silhouette, protect_people, union

_SKIN = (196, 186, 208)  # of nobody
WARDROBE = tuple(
    Dress(_SKIN, shirt, trousers)
    for shirt, trousers in (
        ((78, 121, 167), (48, 62, 84)),
        ((242, 142, 43), (92, 74, 60)),
        ((89, 161, 79), (56, 80, 52)),
        ((176, 122, 161), (84, 62, 88)),
        ((237, 201, 72), (110, 98, 56)),
        ((118, 183, 178), (50, 88, 90)),
    )
)
"""Colours of the figures, handed out in the order of the people, so that neighbours can be told apart."""


class Avatar2D:
    """2-D avatar: every person becomes a flat drawn figure with the same pose, over the continued background.

    The people are removed as by ``mask.person.inpaint``; then figures are drawn from their 17 body keypoints,
    those whose mask ends lowest last, as they usually stand nearest. Sizes follow from the keypoints and the usual
    proportions of a body, colours from a fixed wardrobe: nothing of the person's pixels is used. Pose, place and
    height remain. A person of whom too few keypoints are known stays, and is listed as unprotected.

    Args:
        keypoints: how many of the 17 keypoints must be known, 1 to 17.
        margin: share of the short side of its box by which a mask grows before the person is removed.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="avatar_2d.person",
        version=1,
        scope="image",
        deterministic=True,
        needs=("segmenter",),
        source=Source(
            "HR-VISPR framework (privacy, utility, practicality): 2-D avatar, whose drawing is not described; "
            "proportions of the body: R. Drillis, R. Contini, Body Segment Parameters, 1966"
        ),
    )

    def __init__(self, *, keypoints: int = 4, margin: float = 0.05) -> None:
        self.keypoints = whole("keypoints", keypoints)
        number("keypoints", keypoints, high=len(KEYPOINTS))
        self.margin = number("margin", margin, low=0)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: pose, place and height of the person are shown, and gait with them in a video."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Pictures with figures in place of the people."""
        return protect_people(images, context, self._replace, margin=self.margin, objection=self._objection)

    def _objection(self, person: Silhouette) -> str:
        count = known(person.landmarks)
        need = f"{count} of {len(KEYPOINTS)} keypoints known, {self.keypoints} needed"
        return need if count < self.keypoints else ""

    def _replace(self, image: Image, people: Sequence[Silhouette], sample: Sample) -> Image:
        canvas = continued(image, union(people, image.shape))
        dressed = [(person, WARDROBE[number % len(WARDROBE)]) for number, person in enumerate(people)]
        for person, dress in sorted(dressed, key=lambda pair: pair[0].box[3]):
            assert person.landmarks is not None, "without keypoints there was an objection"
            draw(canvas, person.landmarks, person.box, dress)
        return canvas

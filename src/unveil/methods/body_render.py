"""A fitted body painted into a part of a picture."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Image
from unveil.methods.body_fit import Fit
from unveil.methods.body_model import PARTS, Body
from unveil.methods.figure import Dress
from unveil.methods.mesh_raster import Camera, look

_AWAY: Final = 100.0
"""Distance of the camera in metres: far enough for the weak perspective of the fit."""

_AHEAD = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
# World to camera: x to the right, z up becomes y down, and the camera looks along y, into the body's face.

_LIGHT = np.array([-0.45, -0.65, 0.6], np.float32) / np.linalg.norm([0.45, 0.65, 0.6])
_AMBIENT, _DIRECT = 0.57, 0.57  # sum above 1: what faces the light has the full colour

_TROUSERS, _BARE = ("pelvis", "thigh", "shank"), ("head", "forearm")


def paint(under: Image, body: Body, fit: Fit, corner: tuple[int, int], dress: Dress) -> Image:
    """A part of a picture with a body in front of it, lit from above on the left.

    Args:
        under: (height, width, 3), the part; not written to.
        body: which was fitted.
        fit: pose, size and place in the picture.
        corner: (left, top) of the part in the picture.
        dress: colours: a shirt with short sleeves and long trousers.
    """
    height, width = under.shape[:2]
    vertices, normals = body.mesh(fit.angles)
    x, y = (fit.place - corner).tolist()
    camera = Camera(_AHEAD, np.array([0.0, 0.0, _AWAY]), fit.scale * _AWAY, (x, y))
    view = look(vertices=vertices, faces=body.faces, camera=camera, size=(width, height))
    crisp = body.weights**4  # seams of the clothes
    colors = crisp @ np.array([_color(part, dress) for part in PARTS]) / crisp.sum(1, keepdims=True)
    values = view.interpolate(values=np.hstack([normals, colors]), faces=body.faces)
    light = _AMBIENT + _DIRECT * np.maximum(values[..., :3] @ _LIGHT, 0)
    lit = values[..., 3:] * np.minimum(light, 1)[..., None]
    layer = _softened(np.dstack([lit, view.mask]).astype(np.float32, copy=False))
    return np.clip(np.rint(layer[..., :3] + (1 - layer[..., 3:]) * under), 0, 255).astype(np.uint8)


def _softened(layer: NDArray[np.float32]) -> NDArray[np.float32]:
    """Color times cover, and cover, (height, width, 4), with an outline that is not jagged."""
    import cv2

    soft = cv2.GaussianBlur(layer, (3, 3), 0, borderType=cv2.BORDER_REPLICATE)
    outline = (soft[..., 3:] > 0) & (soft[..., 3:] < 1)
    return np.where(outline, soft, layer)


def _color(part: str, dress: Dress) -> tuple[int, int, int]:
    kind = part.rsplit(maxsplit=1)[-1]
    return dress.trousers if kind in _TROUSERS else dress.skin if kind in _BARE else dress.shirt

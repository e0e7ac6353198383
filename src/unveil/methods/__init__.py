"""Table of the built-in methods: name -> ("module:Class", preset parameters).

Strings only, nothing is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PIXEL = "unveil.methods.pixel"
_BLUR = "unveil.methods.blur"
_PRIVATE = "unveil.methods.differential"
_PARTITION = "unveil.methods.ksame_partition"
_LOW = "unveil.methods.low_resolution:LowResolution"
_FACE = {"region": "face"}
_PERSON = {"region": "person"}

COMPONENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "original": (f"{_PIXEL}:Original", {}),
    "pixelation": (f"{_PIXEL}:Pixelation", {}),
    "pixelation.8": (f"{_PIXEL}:Pixelation", {"size": 8}),
    "pixelation.16px": (f"{_PIXEL}:Pixelation", {"size": 16, "unit": "pixel"}),
    "pixelation.face": (f"{_PIXEL}:Pixelation", _FACE),
    "pixelation.person": (f"{_PIXEL}:Pixelation", _PERSON),
    "mask": (f"{_PIXEL}:Mask", {}),
    "mask.face": (f"{_PIXEL}:Mask", _FACE),
    "mask.person": (f"{_PIXEL}:Mask", _PERSON),
    "gaussian_noise": (f"{_PIXEL}:GaussianNoise", {}),
    "gaussian_noise.face": (f"{_PIXEL}:GaussianNoise", _FACE),
    "gaussian_noise.person": (f"{_PIXEL}:GaussianNoise", _PERSON),
    "blur.gaussian": (f"{_BLUR}:GaussianBlur", {}),
    "blur.gaussian.face": (f"{_BLUR}:GaussianBlur", _FACE),
    "blur.gaussian.person": (f"{_BLUR}:GaussianBlur", _PERSON),
    "blur.box": (f"{_BLUR}:BoxBlur", {}),
    "blur.box.face": (f"{_BLUR}:BoxBlur", _FACE),
    "blur.box.person": (f"{_BLUR}:BoxBlur", _PERSON),
    "mask.person.inpaint": ("unveil.methods.inpaint:Inpainting", {}),
    "embossing": ("unveil.methods.emboss:Embossing", {}),
    "embossing.person": ("unveil.methods.emboss:Embossing", _PERSON),
    "encryption": ("unveil.methods.encryption:Encryption", {}),
    "encryption.person": ("unveil.methods.encryption:Encryption", _PERSON),
    "avatar_2d.person": ("unveil.methods.avatar_2d:Avatar2D", {}),
    "avatar_3d.person": ("unveil.methods.avatar_3d:Avatar3D", {}),
    "low_resolution": (_LOW, {}),
    "low_resolution.lanczos": (_LOW, {"upscaler": "lanczos"}),
    "low_resolution.person": (_LOW, _PERSON),
    "low_resolution.swin2sr": ("unveil.methods.super_resolution:Swin2SR", {}),
    "eye_mask": ("unveil.methods.eye_mask:EyeMask", {}),
    "block_permutation": ("unveil.methods.keyed:BlockPermutation", {}),
    "pixel_relocation": ("unveil.methods.keyed:PixelRelocation", {}),
    "k_same_average": ("unveil.methods.ksame:KSameAverage", {}),
    "k_same_average.distinct": ("unveil.methods.ksame:KSameAverage", {"distinct_identities": True}),
    "k_same_pixel": (f"{_PARTITION}:KSamePixel", {}),
    "k_same_select": (f"{_PARTITION}:KSamePixel", {"attribute": "gender"}),
    "k_same_furthest": (f"{_PARTITION}:KSameFurthest", {}),
    "k_same_eigen": ("unveil.methods.ksame_eigen:KSameEigen", {}),
    "dp_pix": (f"{_PRIVATE}:DPPix", {}),
    "dp_pix.face": (f"{_PRIVATE}:DPPix", _FACE),
    "dp_snow": (f"{_PRIVATE}:DPSnow", {}),
    "dp_snow.face": (f"{_PRIVATE}:DPSnow", _FACE),
    "dp_samp": ("unveil.methods.dp_samp:DPSamp", {}),
    "metric_svd": ("unveil.methods.metric_svd:MetricSVD", {}),
    "external.folder": ("unveil.methods.external:Folder", {}),
    "external.command": ("unveil.methods.external:Command", {}),
}

"""The model packs that insightface publishes: which detector and which recognizer belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unveil.models.weights_records import DET_10G, DET_500M, GLINTR100, W600K_MBF, W600K_R50, WeightsRecord


@dataclass(frozen=True, slots=True)
class Pack:
    """What is used of one pack."""

    detector: WeightsRecord
    recognizer: WeightsRecord


PACKS: Mapping[str, Pack] = {
    "buffalo_l": Pack(DET_10G, W600K_R50),
    "buffalo_s": Pack(DET_500M, W600K_MBF),
    "buffalo_sc": Pack(DET_500M, W600K_MBF),
    "antelopev2": Pack(DET_10G, GLINTR100),
}
"""Packs by the name that insightface gives them.

``buffalo_s`` and ``buffalo_sc`` differ in files that are not used here; the detector of ``antelopev2``, called
``scrfd_10g_bnkps.onnx`` there, is the same file as that of ``buffalo_l``.
"""

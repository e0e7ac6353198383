"""Table of the built-in metrics: name -> ("module:INSTANCE", {}). Strings only, nothing is imported.

Unlike other components a metric has no parameters of its own, so each target is a ready
:class:`unveil.metrics.kind.Metric`:
``registry.load(registry.find("metrics", "passing_rate"))`` is the metric itself, and there is nothing to build.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMPONENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "passing_rate": ("unveil.metrics.rates:PASSING_RATE", {}),
    "detection_rate": ("unveil.metrics.rates:DETECTION_RATE", {}),
    "recognition_rate": ("unveil.metrics.rates:RECOGNITION_RATE", {}),
    "obfuscation_success_rate_conditional": ("unveil.metrics.rates:OBFUSCATION_SUCCESS_RATE_CONDITIONAL", {}),
    "obfuscation_success_rate_overall": ("unveil.metrics.rates:OBFUSCATION_SUCCESS_RATE_OVERALL", {}),
    "exposure_rate": ("unveil.metrics.rates:EXPOSURE_RATE", {}),
    "non_acquisition_rate": ("unveil.metrics.rates:NON_ACQUISITION_RATE", {}),
    "stranger_rejection_rate_conditional": ("unveil.metrics.rates:STRANGER_REJECTION_RATE_CONDITIONAL", {}),
    "stranger_rejection_rate_overall": ("unveil.metrics.rates:STRANGER_REJECTION_RATE_OVERALL", {}),
    "comparison_rate": ("unveil.metrics.rates:COMPARISON_RATE", {}),
    "auc": ("unveil.metrics.ranking:AUC", {}),
    "best_f1": ("unveil.metrics.ranking:BEST_F1", {}),
    "equal_error_rate": ("unveil.metrics.ranking:EQUAL_ERROR_RATE", {}),
    "tpr_at_fpr.10": ("unveil.metrics.ranking:TPR_AT_FPR_10", {}),
    "tpr_at_fpr.05": ("unveil.metrics.ranking:TPR_AT_FPR_05", {}),
    "tpr_at_fpr.01": ("unveil.metrics.ranking:TPR_AT_FPR_01", {}),
    "attribute_preserving_rate": ("unveil.metrics.attributes:ATTRIBUTE_PRESERVING_RATE", {}),
    "attribute_accuracy": ("unveil.metrics.attributes:ATTRIBUTE_ACCURACY", {}),
    "attribute_exposure": ("unveil.metrics.attributes:ATTRIBUTE_EXPOSURE", {}),
    "average_precision": ("unveil.metrics.average_precision:AVERAGE_PRECISION", {}),
    "average_precision_above_chance": ("unveil.metrics.average_precision:AVERAGE_PRECISION_ABOVE_CHANCE", {}),
    "auroc": ("unveil.metrics.average_precision:AUROC", {}),
    "relative_drop": ("unveil.metrics.average_precision:RELATIVE_DROP", {}),
    "cmap": ("unveil.metrics.cmap:CMAP", {}),
    "cmap_above_chance": ("unveil.metrics.cmap:CMAP_ABOVE_CHANCE", {}),
    "cmap_exposed": ("unveil.metrics.cmap:CMAP_EXPOSED", {}),
    "cmap_drop": ("unveil.metrics.cmap:CMAP_DROP", {}),
    "object_precision": ("unveil.metrics.detection_quality:OBJECT_PRECISION", {}),
    "object_recall": ("unveil.metrics.detection_quality:OBJECT_RECALL", {}),
    "object_f1": ("unveil.metrics.detection_quality:OBJECT_F1", {}),
    "object_average_precision": ("unveil.metrics.detection_quality:OBJECT_AVERAGE_PRECISION", {}),
    "person_f1": ("unveil.metrics.detection_quality:PERSON_F1", {}),
    "similar_match_rate": ("unveil.metrics.similarity:SIMILAR_MATCH_RATE", {}),
    "cmmd": ("unveil.metrics.cmmd:CMMD", {}),
    "strongest_region_rate": ("unveil.metrics.focus:STRONGEST_REGION_RATE", {}),
    "five_strongest_region_rate": ("unveil.metrics.focus:FIVE_STRONGEST_REGION_RATE", {}),
    "region_focus": ("unveil.metrics.focus:REGION_FOCUS", {}),
    "region_change": ("unveil.metrics.focus:REGION_CHANGE", {}),
    "focus_correlation": ("unveil.metrics.focus:FOCUS_CORRELATION", {}),
    "ssim": ("unveil.metrics.fidelity:SSIM", {}),
    "psnr": ("unveil.metrics.fidelity:PSNR", {}),
    "sharpness": ("unveil.metrics.fidelity:SHARPNESS", {}),
    "perceptual_difference": ("unveil.metrics.fidelity:PERCEPTUAL_DIFFERENCE", {}),
    "landmark_error": ("unveil.metrics.fidelity:LANDMARK_ERROR", {}),
    "landmark_failure_rate": ("unveil.metrics.fidelity:LANDMARK_FAILURE_RATE", {}),
    "fid": ("unveil.metrics.fid:FID", {}),
    "kid": ("unveil.metrics.kid:KID", {}),
    "frames_per_second": ("unveil.metrics.throughput:FRAMES_PER_SECOND", {}),
}

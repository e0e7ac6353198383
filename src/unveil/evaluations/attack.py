"""What every attack is measured by, once its observations are decided."""

from __future__ import annotations

ATTACK_METRICS = (
    "recognition_rate",
    "obfuscation_success_rate_conditional",
    "obfuscation_success_rate_overall",
    "exposure_rate",
    "non_acquisition_rate",
)
"""Registered names of metrics, the accounting of ``docs/definitions.md``."""

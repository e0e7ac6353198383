"""Confidence intervals of a share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def clopper_pearson(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Exact binomial interval; never too short. (NaN, NaN) when ``n`` is 0.

    Args:
        successes: between 0 and n; need not be whole, for shares of few people.
        n: independent trials.
        level: coverage.

    Source: Clopper and Pearson, Biometrika 26 (1934).

    >>> low, high = clopper_pearson(0, 10)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    from scipy.stats import beta

    if not n:
        return math.nan, math.nan
    tail = (1 - level) / 2
    low = float(beta.ppf(tail, successes, n - successes + 1)) if successes > 0 else 0.0
    high = float(beta.ppf(1 - tail, successes + 1, n - successes)) if successes < n else 1.0
    return low, high


def expanded_percentile(
    replicates: NDArray[np.float64], n_identities: int, level: float = 0.95
) -> tuple[float, float]:
    """Bootstrap percentile interval, widened for few clusters.

    The plain percentile interval of m clusters is too short by the factor sqrt((m - 1) / m) and uses normal
    where Student quantiles are due; both are put right by taking more extreme percentiles.
    (NaN, NaN) below two identities or without a finite replicate.

    Source: Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69
    (2015), section 5.
    """
    from scipy.stats import norm, t

    finite = replicates[np.isfinite(replicates)]
    if n_identities < 2 or not len(finite):
        return math.nan, math.nan
    quantile = t.ppf((1 - level) / 2, n_identities - 1) * math.sqrt(n_identities / (n_identities - 1))
    tail = float(norm.cdf(quantile))
    low, high = np.quantile(finite, [tail, 1 - tail])
    return float(low), float(high)

"""Variance proxies of random features: v with log E exp(s (summand - k)) <= v s^2 / 2 for all real s.

    frequencies                     v (paired)
    any distribution                1            Hoeffding's lemma: cosines lie in [-1, 1]
    mixture of normals              3/4          1/2 given the variances, 1/4 over them: Hoeffding's lemma, 0 <= k <= 1
    normal                          1/2          the sub-Gaussian lemma (docs/theory.md)

A random phase adds a cosine of a uniform angle, independent of the frequency: log I_0(s) <= s^2 / 4, 1/2 more. Then the
mean of m summands is off by eps with probability at most 2 exp(-m eps^2 / (2 v)). A convex mean of summands, as in
orbits and mean maps, has the same v (Jensen's inequality).
"""

from __future__ import annotations

import numpy as np

from bochner.theory.base import Embedding
from bochner.theory.normalised import NormalisedKernel

__all__ = ["PHASE", "sub_gaussian_tail", "variance_proxy"]

_ANY, _MIXTURE, _NORMAL = 1.0, 0.75, 0.5
PHASE = 0.5


def variance_proxy(kernel: NormalisedKernel | None, embedding: Embedding) -> float:
    """The smallest v known for a kernel; None: that of every stationary kernel."""
    cosine = _ANY
    if kernel is not None and kernel.is_normal_mixture:
        cosine = _NORMAL if kernel.is_gaussian else _MIXTURE
    return cosine if embedding == "paired" else cosine + PHASE


def sub_gaussian_tail(eps: float, m: int, proxy: float) -> float:
    """2 exp(-m eps^2 / (2 v))."""
    return float(2 * np.exp(-m * eps**2 / (2 * proxy)))

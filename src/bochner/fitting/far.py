"""Predictive variance far from the rows of a fit: at least the mean squared distance of targets to the intercept.

    v(x) + rho(x)^8 max(0, v_far - sigma^2 (1 + v_0(x))),      rho(x) = share of the prior v_0 that the rows leave at x

Far from all rows a kernel machine is its intercept, and its variance v_0 is what the kernel was given on average: of
targets that are smoother than the kernel's own functions that is much less than their variance. Between rows rho^8 is
next to nothing, and variances stay what leave-one-out errors say. A model that is the mean has all of v_far as noise,
and nothing is missing.
"""

from __future__ import annotations

import numpy as np

from bochner._typing import Array

__all__ = ["missing_variance", "variance_far_out"]


def missing_variance(far: Array, noise: Array, prior: Array | float) -> Array:
    """What predictive variances are short of `far` (t,) far from all rows; the prior is in units of the noise (t,)."""
    found: Array = np.maximum(far - noise * (1 + prior), 0.0)
    return found


def variance_far_out(left: Array, prior: Array | float, missing: Array) -> Array:
    """rho^8 times what is `missing` of the prior variance; nodes of an ONNX graph pass for arrays.

    `left` and `prior` are posterior and prior variances of the function, in one unit.
    """
    share: Array = np.minimum(np.maximum(left * (1 / prior), 0.0), 1.0)
    for _ in range(3):
        share = share * share
    found: Array = share * missing
    return found

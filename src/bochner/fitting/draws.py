"""Functions drawn from the posterior law of a ridge model, and their gradients.

    f = mean + sigma (z.w + w_0 + r)

with w and w_0 drawn from the posterior law of coefficients and intercept, and r from the process beyond the features
(`bochner.features.residual`): none of Fourier features, what landmarks do not span of the kernel. An exact machine has
all of it there, conditioned on the rows by Matheron's rule (Wilson et al. 2020, pathwise conditioning),

    f(x) = mean(x) + sigma (g(x) - h(x)),      g ~ GP(0, k / alpha),   h = the machine of g(x_i) + e_i

with noise e_i of variance 1 / w_i: the posterior law, near the rows and far from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._definite import definite_cholesky
from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.errors import AssumptionError
from bochner.features import LinearResponse, gradient_response, slope_blocks
from bochner.features.residual import ResidualProcess
from bochner.fitting.ridge_model import FittedRidge
from bochner.memory import MemoryBill, require_memory

__all__ = ["FunctionDraws", "draw_functions", "draw_values", "gradients"]

PRIOR_COMPONENTS = 4096
"""Fourier features of functions drawn beyond landmarks and rows: their covariance errs by at most some 2 % of k(0)."""

_JITTER = 1e-13  # of the largest variance: far above rounding, deviations of 3e-7 of the largest


@dataclass(frozen=True, eq=False)
class FunctionDraws:
    """Functions drawn from a posterior law, as a value.

    Attributes
    ----------
    parts : tuple of LinearResponse
        The functions are their sum; each is linear in features, with one column of coefficients a function and target,
        functions innermost.
    n_targets : int
    """

    parts: tuple[LinearResponse, ...]
    n_targets: int

    @property
    def n_functions(self) -> int:
        return int(self.parts[0].coef.shape[1]) // self.n_targets

    def __call__(self, X: Rows) -> Array:
        """Values (n, t, n_functions), in the float type of the rows."""
        size = 8 * X.shape[0] * self.parts[0].coef.shape[1]
        require_memory(MemoryBill({"values of drawn functions": 2 * size}), "Take fewer rows or functions at a time.")
        values = self.parts[0](X)
        for part in self.parts[1:]:
            values += part(X)
        return values.reshape(len(values), self.n_targets, -1)

    def gradients(self, X: Rows) -> Array:
        """Gradients (n, t, d, n_functions), in the float type of the rows."""
        (n, d), count = X.shape, self.parts[0].coef.shape[1]
        bill = MemoryBill({"gradients of drawn functions": 24 * n * d * count})
        require_memory(bill, "Take fewer rows or functions at a time.")
        found = np.zeros((n, count, d))
        for part in self.parts:
            dtype = np.promote_types(X.dtype, part.precision)
            found += gradient_response(part.feature_map, X, part.coef, dtype)
        by_function = found.reshape(n, self.n_targets, -1, d)
        return np.ascontiguousarray(np.swapaxes(by_function, 2, 3), dtype=X.dtype)


def draw_functions(fit: FittedRidge, count: int, seed: int) -> FunctionDraws:
    """Functions that can be called anywhere; a prior draw beyond the features is one of random Fourier features."""
    solution, t, process = fit.solution, fit.n_targets, _process(fit)
    width, total = len(solution.coef), count * t
    prior = 0 if process is None else PRIOR_COMPONENTS
    bill = {"coefficients of drawn functions": 8 * total * (3 * width + prior), "error bars": solution.spread_bytes()}
    require_memory(MemoryBill(bill), "Draw fewer functions at a time.")
    sigma, beyond = np.repeat(np.sqrt(solution.noise_variance), count), np.zeros((width, total))
    parts = []
    if process is not None:
        drawn = process.draw(total, prior, seed)
        beyond = drawn.projected
        parts = [LinearResponse(drawn.feature_map, drawn.coef * sigma, np.zeros(total), fit.precision)]
    coef, offset = fit.spread.draws(beyond, generator(seed, Purpose.PROBES))
    coef = np.repeat(solution.coef, count, axis=1) + sigma * coef
    offset = np.repeat(solution.intercept, count) + sigma * offset
    feature_map, coef = fit.feature_map.linear_form(coef) or (fit.feature_map, coef)
    return FunctionDraws((LinearResponse(feature_map, coef, offset, fit.precision), *parts), t)


def draw_values(fit: FittedRidge, X: Rows, count: int, seed: int) -> Array:
    """Function values (n, t, count) of rows, drawn from their joint posterior law.

    By functions where features are all there is; else by a Cholesky factor of the n x n covariance, without the
    estimate of `draw_functions`.
    """
    process = _process(fit)
    if process is None or fit.solution.spread_width is not None:  # a law that is only known by draws
        return draw_functions(fit, count, seed)(X)
    n, t, solution = X.shape[0], fit.n_targets, fit.solution
    items = {
        "covariance of the rows": 4 * 8 * n**2,
        "features of the rows": 3 * 8 * n * len(solution.coef),
        "values": 3 * 8 * n * t * count,
        "error bars": solution.spread_bytes(),
    }
    require_memory(MemoryBill(items), "Take fewer rows, or call functions drawn by sample_functions.")
    random, dtype = generator(seed, Purpose.PROBES), np.promote_types(X.dtype, fit.precision)
    Z = solution.spread_features(fit.feature_map, X, dtype)
    covariance = fit.spread.covariance(Z) + process.covariance(X, Z)
    largest = float(np.max(np.diagonal(covariance), initial=0.0))
    root = np.tril(definite_cholesky(covariance, _JITTER * largest, floor=_JITTER * largest))
    drawn = (root @ random.standard_normal((n, t * count))).reshape(n, t, count)
    mean = fit.response()(X).astype(float)
    values = mean[:, :, None] + np.sqrt(solution.noise_variance)[:, None] * drawn
    return values.astype(X.dtype, copy=False)


def gradients(fit: FittedRidge, X: Rows, *, deviations: bool) -> tuple[Array, ...]:
    """Gradients (n, t, d) of predictions; and, if asked for, their standard deviations by the posterior law."""
    solution, dtype = fit.solution, np.promote_types(X.dtype, fit.precision)
    (n, d), t = X.shape, fit.n_targets
    items = {"gradients and deviations": 3 * 8 * n * t * d, "error bars": deviations * solution.spread_bytes()}
    require_memory(MemoryBill(items), "Take fewer rows at a time.")
    mean = gradient_response(fit.feature_map, X, solution.coef, dtype).astype(X.dtype, copy=False)
    if not deviations:
        return (mean,)
    spread, variance = fit.spread, np.empty((n, d))
    for part in slope_blocks(n, solution.spread_width or len(solution.coef)):
        variance[part] = solution.slope_variances(spread, fit.feature_map, X[part], dtype)
    if not np.all(np.isfinite(variance)):
        raise AssumptionError(
            "Functions of this kernel have no gradients (E omega^2 is infinite), so gradients have no error bars. Use "
            "a smoother kernel, such as Matern(nu=1.5) or Gaussian(), or return_std=False."
        )
    sigma = np.sqrt(solution.noise_variance)
    std = np.sqrt(np.maximum(variance, 0.0))[:, None, :] * sigma[:, None]
    return mean, std.astype(X.dtype, copy=False)


def _process(fit: FittedRidge) -> ResidualProcess | None:
    """The process beyond the features of a fit; refused where it has no scale."""
    if not fit.solution.alpha > 0:
        raise AssumptionError("With alpha=0 the law of coefficients has no scale: nothing can be drawn. Raise alpha.")
    return fit.feature_map.residual_process(fit.solution.alpha)

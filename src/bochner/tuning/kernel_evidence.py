"""Log evidence of a Gaussian process with the exact kernel as a function of its scales, with the gradient.

For features that approximate the kernel at the rows, whatever its smoothness (Nystroem): O(n^3) on few rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeGuard

import numpy as np

from bochner._blas import (
    cholesky,
    inverse_from_cholesky,
    lower_inverse,
    product,
    solve_cholesky,
    symmetric_product,
)
from bochner._typing import Array
from bochner.kernels import Isotropic, Stationary
from bochner.tuning.parameters import EvidenceParameters

__all__ = ["KernelEvidence", "by_log_scales", "kernel_matrix", "squared_distances"]


@dataclass(frozen=True)
class KernelEvidence:
    """Minus the log evidence per row and target over theta = (log length scales, log noise, log signal).

        y ~ N(w_0, C),   C = signal K + noise I,   w_0 flat,   K_ij = k(r_ij),   r_ij = ||(x_i - x_j) / l||
        -2 log p = nu log 2 pi noise + log det(C / noise) + y'a,      a = C^-1 y
        d log p / d log l_j = 1/2 sum_ab (a a' - C^-1)_ab signal D_ab ((x_aj - x_bj) / l_j)^2,    D = -k'(r) / r

    with K and y centred, and rows times the root of their weights (Rasmussen & Williams 2006, section 5.4.1). It is
    `FeatureEvidence` with infinitely many frequencies. Calling it gives the value and the gradient.

    Attributes
    ----------
    X : array of shape (n, d), float64
    Y : array of shape (n, t), float64
    weight : array of shape (n,) or None
        None: all 1.
    kernel : Isotropic
        Of length scale 1.
    """

    X: Array
    Y: Array
    weight: Array | None
    kernel: Isotropic

    n_frequencies: ClassVar[None] = None

    @staticmethod
    def is_for(kernel: Stationary) -> TypeGuard[Isotropic]:
        """Whether the kernel is one of the distance alone: others have no profile to differentiate."""
        return kernel.isotropic

    def __call__(self, theta: Array) -> tuple[float, Array]:
        parameters = EvidenceParameters.from_vector(theta)
        noise, signal = parameters.noise, parameters.signal
        scaled = np.ascontiguousarray(self.X / parameters.scales)
        n, targets = self.Y.shape
        root = np.ones(n) if self.weight is None else np.sqrt(self.weight)
        squared = squared_distances(scaled)
        factor = _factor(kernel_matrix(self.kernel, squared), root, noise, signal)
        if factor is None:
            return np.inf, np.zeros_like(theta)
        Y = root[:, None] * (self.Y - np.average(self.Y, axis=0, weights=self.weight))
        a = solve_cholesky(factor, Y)
        log_det = float(2 * np.sum(np.log(np.diagonal(factor)))) - n * np.log(noise)
        inverse = factor  # in its place
        inverse_from_cholesky(inverse)
        nu = max(float(np.sum(root**2)) - 1, 0.5)
        quadratic, free = float(np.sum(Y * a)), noise * float(np.trace(inverse))
        shrunk = noise * float(np.sum(a**2))
        by_noise = targets * (nu - n + free) - shrunk
        by_signal = targets * (n - free) - (quadratic - shrunk)
        constant = root / np.sqrt(np.sum(root**2) * noise)  # C^-1 has it for the mean, which is not the kernel's
        left = np.hstack([a, np.sqrt(targets) * constant[:, None]])
        inverse *= targets
        inverse -= product(np.asfortranarray(left), np.asfortranarray(left.T))
        inverse *= root
        inverse *= root[:, None]
        by_scales = signal * by_log_scales(self.kernel, scaled, squared, inverse)
        value = targets * (nu * np.log(2 * np.pi * noise) + log_det) + quadratic
        one_scale = len(parameters.log_scales) == 1
        slope = EvidenceParameters(by_scales.sum(keepdims=True) if one_scale else by_scales, by_noise, by_signal)
        return value / (2 * nu * targets), slope.to_vector() / (2 * nu * targets)

    def prediction_error(self, parameters: EvidenceParameters, X: Array, Y: Array) -> float:
        """Mean squared error on other rows of the process that has seen these; infinite if C is not definite."""
        noise, signal = parameters.noise, parameters.signal
        kernel = self.kernel.with_length_scale(np.broadcast_to(parameters.scales, self.X.shape[1]))
        C = signal * kernel(self.X)
        C[np.diag_indices_from(C)] += noise if self.weight is None else noise / self.weight
        mean = np.average(self.Y, axis=0, weights=self.weight)
        if not cholesky(C):  # noise below the rounding errors of the signal
            return np.inf
        a = solve_cholesky(C, self.Y - mean)
        return float(np.mean((Y - mean - signal * kernel(X, self.X) @ a) ** 2))

    def leave_one_out(self, parameters: EvidenceParameters, n_last: int) -> Array:
        """Squared leave-one-out errors (m,) of the last rows, summed over targets; infinite if C is not definite."""
        errors: Array = np.sum(self.leave_one_out_errors(parameters, n_last) ** 2, axis=1)
        return errors

    def leave_one_out_errors(self, parameters: EvidenceParameters, n_last: int) -> Array:
        """Leave-one-out errors (m, t) of the last rows; infinite if C is not definite.

            e_i = a_i / (C^-1)_ii,      a = C^-1 y,      C = signal (K + 1) + noise / weight

        the 1 for a mean that is not known. The entries of C^-1 of the last rows are those of the trailing block of its
        factor, inverted: O(m^3) beside it.
        """
        factor, a = self._solved(parameters)
        if factor is None:
            return np.full((n_last, self.Y.shape[1]), np.inf)
        last = slice(len(a) - n_last, None)
        inverse = np.array(factor[last, last], order="F")
        lower_inverse(inverse)
        diagonal = np.sum(np.square(np.tril(inverse)), axis=0)
        errors: Array = a[last] / diagonal[:, None]
        return errors

    def coefficients(self, parameters: EvidenceParameters) -> Array | None:
        """a (n, t) of the process at these parameters; None if C is not definite."""
        factor, a = self._solved(parameters)
        return None if factor is None else a

    def _solved(self, parameters: EvidenceParameters) -> tuple[Array | None, Array]:
        """Lower Cholesky factor of C, column-major, and a = C^-1 y."""
        squared = squared_distances(np.ascontiguousarray(self.X / parameters.scales))
        C = self.kernel.profile_of_square(squared.T).T
        C += 1.0
        C *= parameters.signal
        C[np.diag_indices_from(C)] += parameters.noise if self.weight is None else parameters.noise / self.weight
        if not cholesky(C):
            return None, self.Y
        return C, solve_cholesky(C, self.Y)


_ROUNDING = 64 * np.finfo(float).eps  # of a squared distance, relative to squared norms
_CLOSEST = 1e-14  # a squared distance within rounding of 0


def by_log_scales(kernel: Isotropic, scaled: Array, squared: Array, by_kernel: Array) -> Array:
    """Derivatives by the log scales, from those by the kernel's values, of which the lower triangle is read.

        sum_ab S_ab (x_aj - x_bj)^2 = 2 (sum_a (S 1)_a x_aj^2 - x_j'S x_j),      S = by_kernel * decay

    `squared` distances and `by_kernel`, column-major, are overwritten.
    """
    np.fill_diagonal(squared, 1.0)  # where differences are 0 whatever the decay
    np.maximum(squared, _CLOSEST, out=squared)
    by_kernel *= kernel.decay_of_square(squared.T).T
    right = np.asfortranarray(np.column_stack([scaled, np.ones(len(scaled))]))
    summed = np.empty_like(right)
    symmetric_product(by_kernel, right, summed)
    by_scales: Array = 2 * (summed[:, -1] @ scaled**2 - np.sum(scaled * summed[:, :-1], axis=0))
    return by_scales


def squared_distances(scaled: Array) -> Array:
    """||x_a - x_b||^2, column-major. What may be rounding is 0: a row given twice is then like one of weight 2."""
    squared = product(scaled.T, scaled.T, transpose_a=True)
    squared *= -2
    norms = np.einsum("ij,ij->i", scaled, scaled)
    squared += norms
    squared += norms[:, None]
    squared[squared < _ROUNDING * np.max(norms, initial=0.0)] = 0.0
    return squared


def kernel_matrix(kernel: Isotropic, squared: Array) -> Array:
    """Kernel values at squared distances, column-major; the distances stay as they are."""
    return kernel.profile_of_square(squared.T.copy()).T


def _factor(K: Array, root: Array, noise: float, signal: float) -> Array | None:
    """Lower Cholesky factor of C, from the kernel matrix, which is overwritten; None if C is not definite."""
    share = root**2 / np.sum(root**2)
    K -= share @ K
    K -= (K @ share)[:, None]
    K *= signal * root
    K *= root[:, None]
    K[np.diag_indices_from(K)] += noise
    return K if cholesky(K) else None

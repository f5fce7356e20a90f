"""Error bounds of learners from that of the kernel: ridge regression, support vector machines, mean maps, MMD."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.base import (
    Bound,
    Certificate,
    Embedding,
    Evidence,
    Source,
    Status,
    TailBound,
    check_delta,
    check_eps,
    require,
)
from bochner.theory.moments import covariance
from bochner.theory.normalised import KernelTailBound
from bochner.theory.pointwise import IID
from bochner.theory.sources import BOCHNER, SUTHERLAND_SCHNEIDER
from bochner.theory.sub_gaussian import sub_gaussian_tail, variance_proxy

__all__ = [
    "HSIC",
    "MMDSquared",
    "MeanMapKernel",
    "RidgePrediction",
    "SVMPrediction",
    "Transfer",
    "mmd_error",
    "mmd_squared_variance",
    "ridge_gap",
]


@dataclass(frozen=True, kw_only=True)
class Transfer(Bound):
    """A deterministic statement: if the kernel error is at most eps on the pairs that matter, predictions move by at
    most `change(eps)`. Together with a tail bound it gives a certificate for the predictions.
    """

    @abstractmethod
    def change(self, eps: float) -> float:
        """Largest change of a prediction when the kernel error is at most eps."""

    @abstractmethod
    def kernel_error_allowed(self, change: float) -> float:
        """Largest eps for which predictions move by at most `change`."""

    def features_needed(self, change: float, delta: float, kernel_bound: TailBound) -> int:
        """Output width for which predictions move by at most `change` with probability 1 - delta."""
        return kernel_bound.features_needed(self.kernel_error_allowed(change), check_delta(delta))

    def certificate(self, kernel_error: Certificate, rows: str) -> Certificate:
        """The certificate for the predictions at `rows` that follows from one for the kernel.

        `rows`, in words, are training rows or rows beside them: the kernel error must hold for all pairs of a training
        row with a training row or one of them, and speaks of no other row.
        """
        claim = (
            "the largest difference between a prediction with random features and that with the exact kernel, at "
            f"{rows}, is {{value}}"
        )
        plain = replace(kernel_error, others=()).to_dict()
        return self._certificate(
            self.change(kernel_error.value), kernel_error.delta, claim, over=kernel_error.over, kernel_error=plain
        )


def ridge_gap(
    row_error: float, matrix_error: float, *, n_points: int, penalty: float, target_rms: float, kappa: float = 1.0
) -> float:
    """Proposition 9: target_rms/(sqrt(n) lam0) ||k^_x - k_x|| + kappa target_rms/(n lam0^2) ||K^ - K||_2."""
    rows = target_rms / (np.sqrt(n_points) * penalty) * row_error
    return float(rows + kappa * target_rms / (n_points * penalty**2) * matrix_error)


@dataclass(frozen=True, kw_only=True)
class RidgePrediction(Transfer):
    """Kernel ridge regression: |h^(x) - h(x)| <= (lam0 + kappa) / lam0^2 * target_rms * eps.

    The pairs that matter are training x training and training x test: a finite set, so `finite_set` applies.

    Parameters
    ----------
    penalty : float
        lam0 = alpha / n, where alpha is scikit-learn's: h = y'(K + alpha I)^-1 k_x.
    target_rms : float
        Root mean square of the training targets; they need not be centred.
    kappa : float, default=1.0
        sup |k|, that is k(0); 1 more with a constant feature for the bias.
    """

    penalty: float
    target_rms: float
    kappa: float = 1.0

    statement: ClassVar[str] = "|h^(x) - h(x)| <= (lam0 + kappa)/lam0^2 * RMS(y) * sup |s - k|, lam0 = alpha/n"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 9, eq 11")
    assumptions: ClassVar[tuple[str, ...]] = ("the kernel error bound holds on training x (training and test) pairs",)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        _check_positive(self, "penalty", "target_rms", "kappa")

    def change(self, eps: float) -> float:
        return self._factor() * eps

    def kernel_error_allowed(self, change: float) -> float:
        return check_eps(change) / self._factor()

    def _factor(self) -> float:
        return (self.penalty + self.kappa) / self.penalty**2 * self.target_rms


@dataclass(frozen=True, kw_only=True)
class SVMPrediction(Transfer):
    """A support vector machine without offset, C = C0 / n.

        |h^(x) - h(x)| <= sqrt(2) kappa^(3/4) C0 a^(1/4) + sqrt(kappa) C0 a^(1/2),   a = (n + sqrt(n) + g) eps

    g = 0 and kappa = k(0) paired; g = 1 and kappa = k(0) + eps phase, whose diagonal is random (the paper's kappa = 1
    misses that).

    Parameters
    ----------
    n_points : int
        Training points.
    c0 : float
        C0 = n C.
    embedding : {"paired", "phase"}, default="paired"
    k_zero : float, default=1.0
        k(0).
    """

    n_points: int
    c0: float
    embedding: Embedding = "paired"
    k_zero: float = 1.0

    statement: ClassVar[str] = (
        "|h^(x) - h(x)| <= sqrt2 kappa^(3/4) C0 a^(1/4) + sqrt(kappa) C0 a^(1/2), a = (n + sqrt(n) + g) sup |s - k|"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Proposition 10")
    assumptions: ClassVar[tuple[str, ...]] = (
        "the kernel error bound holds on training x (training and test) pairs; for phases on test diagonals too",
        "no offset term",
    )
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        _check_positive(self, "n_points", "c0", "k_zero")

    def change(self, eps: float) -> float:
        kappa, a = self._kappa(eps), self._size() * eps
        return float(np.sqrt(2) * kappa**0.75 * self.c0 * a**0.25 + np.sqrt(kappa) * self.c0 * np.sqrt(a))

    def kernel_error_allowed(self, change: float) -> float:
        ceiling = self._inverse(check_eps(change), self.k_zero)
        if self.embedding == "paired":
            return ceiling
        low = self._inverse(change, self.k_zero + ceiling)
        slack = 1e-9  # the bracket must hold the root in spite of rounding
        root = brentq(
            lambda eps: self.change(eps) - change, low * (1 - slack), ceiling * (1 + slack), xtol=1e-300, rtol=1e-12
        )
        return float(root * (1 - 1e-11))

    def _inverse(self, change: float, kappa: float) -> float:
        """eps at which the bound is `change` for a fixed kappa; no cancellation (a = b^4, b a root of a quadratic)."""
        t, linear = change / self.c0, np.sqrt(2) * kappa**0.75
        b = 2 * t / (linear + np.sqrt(linear**2 + 4 * np.sqrt(kappa) * t))
        return float(b**4 / self._size())

    def _kappa(self, eps: float) -> float:
        return self.k_zero + (0.0 if self.embedding == "paired" else eps)

    def _size(self) -> float:
        return float(self.n_points + np.sqrt(self.n_points) + (0.0 if self.embedding == "paired" else 1.0))


@dataclass(frozen=True, kw_only=True)
class MeanMapKernel(KernelTailBound):
    """The inner product of two mean maps, with the tail of one pair: it is a convex mean of pairs (Jensen).

    2 exp(-D eps^2 / 2) for the Gaussian kernel, 2 exp(-D eps^2 / 4) paired and 2 exp(-D eps^2 / 3) phase for any.
    """

    quantity: ClassVar[str] = "the error of the mean map kernel"
    statement: ClassVar[str] = (
        "P(|MMK^ - MMK| >= eps) <= 2 exp(-D eps^2/2), Gaussian kernel; for mixtures of them D eps^2/3 (paired), "
        "2 D eps^2/5 (phase); any kernel D eps^2/4 (paired), D eps^2/3 (phase)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 3.3, with sharper constants")
    assumptions: ClassVar[tuple[str, ...]] = (IID, "samples fixed before, or independent of, the frequencies")

    def _tail(self, eps: float, m: int) -> float:
        return sub_gaussian_tail(eps, m, variance_proxy(self._normalised, self.embedding))


@dataclass(frozen=True, kw_only=True)
class MMDSquared(KernelTailBound):
    """The squared MMD: 2 exp(-D eps^2 / (16 s^2)) paired, 2 exp(-D eps^2 / (24 s^2)) phase.

        s = 1 for the biased estimator,    s = 1 + (1/(n - 1) + 1/(m - 1)) / 4 for the unbiased one

    One frequency gives a biased value V in [0, 4] (paired). A phase adds V times the cosine of a uniform angle, of
    log-MGF at most V^2 s^2 / 4 <= 4 s^2, to the 2 s^2 of V. The unbiased estimator takes from V the sample variances of
    the features over n - 1 and m - 1, at most 1/(n - 1) and 1/(m - 1), and the factor of the phase grows by as much.

    Parameters
    ----------
    unbiased_sizes : (int, int), default=None
        The numbers of rows n and m of the unbiased estimator; None: the biased one.
    """

    unbiased_sizes: tuple[int, int] | None = None

    reach: ClassVar[tuple[float, float]] = (4.0, 8.0)
    quantity: ClassVar[str] = "the error of the squared MMD"
    statement: ClassVar[str] = "P(|MMD^2^ - MMD^2| >= eps) <= 2 exp(-D eps^2/16) (paired), 2 exp(-D eps^2/24) (phase)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(SUTHERLAND_SCHNEIDER, "Section 3.3")
    assumptions: ClassVar[tuple[str, ...]] = (IID, "samples fixed before, or independent of, the frequencies")

    def _tail(self, eps: float, m: int) -> float:
        return sub_gaussian_tail(eps / self._stretch(), m, 4.0 if self._paired else 12.0)

    def ceiling(self) -> float:
        # Overrides: unbiased estimates have a wider range.
        return super().ceiling() * self._stretch()

    def _stretch(self) -> float:
        return 1.0 if self.unbiased_sizes is None else 1 + sum(1 / (n - 1) for n in self.unbiased_sizes) / 4


@dataclass(frozen=True, kw_only=True)
class HSIC(KernelTailBound):
    """The biased Hilbert-Schmidt independence criterion with paired features: 2 exp(-D eps^2).

    `kernel` is the product of the kernels of the two sides, whose frequencies are drawn in pairs. A pair gives the mean
    of two squared moduli of covariances between complex numbers of modulus 1, a value in [0, 1].
    """

    reach: ClassVar[tuple[float, float]] = (1.0, 1.0)
    quantity: ClassVar[str] = "the error of the biased HSIC"
    statement: ClassVar[str] = "P(|HSIC^ - HSIC| >= eps) <= 2 exp(-D eps^2) (paired)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "Hoeffding over pairs of frequencies")
    assumptions: ClassVar[tuple[str, ...]] = (IID, "samples fixed before, or independent of, the frequencies")

    def _tail(self, eps: float, m: int) -> float:
        require(self._paired, "the paired embedding", self.embedding)
        return float(2 * np.exp(-2 * m * eps**2))


def mmd_error(squared_error: float, estimate: float) -> float:
    """Error of an MMD estimate from that of its square: min(sqrt(e), e / estimate)."""
    root = float(np.sqrt(squared_error))
    return min(root, squared_error / estimate) if estimate > 0 else root


def mmd_squared_variance(
    kernel: Stationary, X: Array, Y: Array, *, n_components: int, embedding: Embedding = "paired"
) -> float:
    """Variance of the biased squared MMD over the frequencies, exact (eq 12); O((n_X + n_Y)^4), for small samples."""
    points = np.vstack([X, Y])
    signs = np.concatenate([np.full(len(X), 1 / len(X)), np.full(len(Y), -1 / len(Y))])
    i, j = np.divmod(np.arange(len(points) ** 2), len(points))
    u, t, weights = points[i] - points[j], points[i] + points[j], signs[i] * signs[j]
    table = covariance(
        kernel,
        u[:, None],
        u[None],
        n_components=n_components,
        embedding=embedding,
        total=t[:, None],
        other_total=t[None],
    )
    return float(weights @ table @ weights)


def _check_positive(owner: object, *names: str) -> None:
    for name in names:
        value = getattr(owner, name)
        if not 0 < value < np.inf:
            raise invalid_parameter(owner, name, "a positive finite number", value)

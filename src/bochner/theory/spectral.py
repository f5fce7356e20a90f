"""Spectral approximation of the kernel matrix in the Loewner order, a priori."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner.errors import invalid_parameter
from bochner.theory.base import Bound, Certificate, Embedding, Evidence, Source, Status, check_delta, require
from bochner.theory.sources import AVRON

__all__ = ["SpectralApproximation"]


@dataclass(frozen=True, kw_only=True)
class SpectralApproximation(Bound):
    """(1 - e)(K + alpha I) <= K^ + alpha I <= (1 + e)(K + alpha I) for m >= (8/3) e^-2 (n / alpha) log(16 s / delta).

    Parameters
    ----------
    n_points : int
    alpha : float
        The ridge penalty, un-normalised (scikit-learn's alpha), at most ||K||.
    statistical_dimension : float
        s = Tr(K (K + alpha I)^-1).
    operator_norm : float
        ||K||.
    k_zero : float, default=1.0
        k(0).
    embedding : {"paired", "phase"}, default="paired"
        Phases need 2 n / alpha.
    """

    n_points: int
    alpha: float
    statistical_dimension: float
    operator_norm: float
    k_zero: float = 1.0
    embedding: Embedding = "paired"

    statement: ClassVar[str] = (
        "m >= (8/3) e^-2 (n/alpha) log(16 s/delta) => (1-e)(K+alpha) <= K^+alpha <= (1+e)(K+alpha) w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(AVRON, "Theorem 7")
    assumptions: ClassVar[tuple[str, ...]] = ("independent frequencies", "alpha <= ||K||", "accuracy at most 1/2")
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        for name in ("n_points", "alpha", "statistical_dimension", "k_zero"):
            if not 0 < getattr(self, name) < np.inf:
                raise invalid_parameter(self, name, "a positive finite number", getattr(self, name))
        require(self.alpha <= self.operator_norm, "alpha <= ||K||", (self.alpha, self.operator_norm))

    def frequencies_needed(self, accuracy: float, delta: float) -> float:
        """m as a real number."""
        require(0 < accuracy <= 0.5, "an accuracy in (0, 1/2]", accuracy)
        leverage = self.k_zero * self.n_points / self.alpha * (1 if self.embedding == "paired" else 2)
        return float(8 / 3 * leverage / accuracy**2 * np.log(16 * self.statistical_dimension / check_delta(delta)))

    def certificate(self, n_frequencies: int, accuracy: float, delta: float) -> Certificate:
        """The spectral inequality for `n_frequencies` frequencies; refused if they are too few."""
        needed = int(np.ceil(self.frequencies_needed(accuracy, delta)))
        require(n_frequencies >= needed, f"at least {needed} frequencies", n_frequencies)
        claim = "the relative distance between K^ + alpha I and K + alpha I in the order of matrices is {value}"
        return self._certificate(accuracy, delta, claim, n_frequencies=n_frequencies, needed=needed)

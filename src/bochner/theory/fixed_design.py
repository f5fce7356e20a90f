"""Risk of ridge regression with random features at the training rows, with every constant.

Rudi & Rosasco's Theorem 1 has the same orders for new rows; its constants are in the appendix of the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner.errors import invalid_parameter
from bochner.theory.base import Bound, Certificate, Evidence, Source, Status, check_delta, require
from bochner.theory.generalization import OperatorBound
from bochner.theory.sources import BOCHNER

__all__ = ["RidgeRisk"]


@dataclass(frozen=True, kw_only=True)
class RidgeRisk(Bound):
    """Fixed-design risk of ridge regression with M independent features, targets y_i = f(x_i) + noise.

        E_noise (1/n) sum_i (f^(x_i) - f(x_i))^2
            <= 2 lambda ||f||_H^2 + (2 sigma^2/n) [N + sqrt(2 F N log(2/delta)/M) + F log(2/delta)/(3M)],

    N = N(lambda) and F = sup of the leverage, both for the rows at hand, with probability 1 - delta over the features,
    of which there are enough for the operator bound at delta/2. At lambda = n^(-1/2) this is O(n^(-1/2)) with M =
    O(sqrt(n) log n) features, the orders of Rudi & Rosasco's Theorem 1.

    Parameters
    ----------
    operator : OperatorBound
        For the operator of the rows, K/n: lambda = alpha/n, d(lambda) = Tr(K (K + alpha I)^-1), d_tau = k(0)/lambda for
        plain sampling.
    n_points : int
    norm : float
        ||f||_H, or an upper bound on it.
    noise : float
        Standard deviation of the noise, or an upper bound on it.
    """

    operator: OperatorBound
    n_points: int
    norm: float
    noise: float

    statement: ClassVar[str] = (
        "E_noise mean (f^(x_i) - f(x_i))^2 <= 2 lambda ||f||_H^2 + (2 sigma^2/n)(N + sqrt(2 F N log(2/delta)/M) + "
        "F log(2/delta)/(3M)) w.p. 1 - delta over the features"
    )
    status: ClassVar[Status] = Status.VALID
    evidence: ClassVar[Evidence] = Evidence.DERIVED
    source: ClassVar[Source] = Source(BOCHNER, "fixed-design risk from the operator bound")
    assumptions: ClassVar[tuple[str, ...]] = (
        *OperatorBound.assumptions,
        "the rows are fixed, and the features independent of them and of the noise",
        "y_i = f(x_i) + noise, f in the RKHS, independent noise of mean 0",
        "no intercept",
    )

    def __post_init__(self) -> None:
        if isinstance(self.n_points, bool) or int(self.n_points) != self.n_points or self.n_points < 1:
            raise invalid_parameter(self, "n_points", "an integer >= 1", self.n_points)
        for name in ("norm", "noise"):
            if not 0 <= getattr(self, name) < np.inf:
                raise invalid_parameter(self, name, "a finite number >= 0", getattr(self, name))

    def features_needed(self, delta: float) -> int:
        """Number of independent draws: the operator bound at delta / 2."""
        return self.operator.features_needed(check_delta(delta) / 2)

    def risk(self, n_draws: int, delta: float) -> float:
        """The bound for a map with `n_draws` draws; refused if they are too few."""
        needed = self.features_needed(delta)
        require(n_draws >= needed, f"at least {needed} independent draws", n_draws)
        leverage, dimension, logarithm = self.operator.d_tau, self.operator.d_lambda, np.log(2 / delta)
        spread = np.sqrt(2 * leverage * dimension * logarithm / n_draws) + leverage * logarithm / (3 * n_draws)
        bias = 2 * self.operator.lam * self.norm**2
        return float(bias + 2 * self.noise**2 / self.n_points * (dimension + spread))

    def certificate(self, n_draws: int, delta: float) -> Certificate:
        """The risk with `n_draws` draws; refused if they are too few."""
        claim = "the mean squared error at the training rows, averaged over the noise, is {value}"
        return self._certificate(self.risk(n_draws, delta), delta, claim, n_draws=n_draws)

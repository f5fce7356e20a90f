"""Generalization with random features: operator bounds, an explicit risk bound, and the papers' rates.

The rates have no constants; they are defined in `rates` and `tables` and exported here too. lambda is that of the
normalised integral operator L, so that the ridge problem is K + n lambda I and scikit-learn's alpha is n lambda.
Feature counts are frequencies with sup |psi|^2 = kappa^2 = k(0) for pairs, features with kappa^2 = 2 k(0) for phases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.theory.base import Bound, Certificate, Evidence, Source, Status, check_delta, require
from bochner.theory.rates import (
    NystroemComparison,
    RudiRosascoCorollary1,
    RudiRosascoTheorem1,
    RudiRosascoTheorem2,
    RudiRosascoTheorem3,
    ZhuLiTheorem2,
    feature_exponent,
)
from bochner.theory.sources import RUDI_ROSASCO, ZHU_LI
from bochner.theory.tables import TABLE_1, TABLE_2, TableRow, corrected_plain_exponent

__all__ = [
    "TABLE_1",
    "TABLE_2",
    "ApproximationError",
    "ExcessRisk",
    "NystroemComparison",
    "OperatorBound",
    "RudiRosascoCorollary1",
    "RudiRosascoTheorem1",
    "RudiRosascoTheorem2",
    "RudiRosascoTheorem3",
    "TableRow",
    "ZhuLiTheorem2",
    "corrected_plain_exponent",
    "feature_exponent",
    "features_for_operator_bound",
    "local_complexity",
]


def features_for_operator_bound(d_tau: float, d_lambda: float, delta: float, *, kept: float = 0.5) -> float:
    """s >= 8 (d_tau + 1/6) log(8 d(lambda) / delta) gives L_s + lambda >= (L + lambda) / 2 with probability 1 - delta.

    One-sided matrix Bernstein (Tropp 2015, Theorem 7.7.1) with intrinsic dimension at most 2 d(lambda), which needs
    lambda <= ||L||. In general, L_s + lambda >= kept (L + lambda) for

        s >= (2/t^2) (d_tau + t/3) log(8 d(lambda) / delta),      t = 1 - kept

    Parameters
    ----------
    d_tau : float
        Bound on the leverage: kappa^2 / lambda for plain sampling, d(lambda) for leverage-weighted sampling.
    d_lambda : float
        Effective dimension Tr(L (L + lambda)^-1).
    delta : float
    kept : float in [1/4, 1), default=0.5

    Examples
    --------
    >>> round(features_for_operator_bound(1000, 20, 0.05), 3)
    64578.01
    """
    check_delta(delta)
    _check_positive(d_tau=d_tau, d_lambda=d_lambda)
    logarithm = np.log(8 * d_lambda / delta)
    require(logarithm >= 1, "log(8 d(lambda) / delta) >= 1", logarithm)
    if not 0.25 <= kept < 1:
        raise invalid_parameter("features_for_operator_bound", "kept", "in [1/4, 1)", kept)
    t = 1 - kept
    return float(2 / t**2 * (d_tau + t / 3) * logarithm)


@dataclass(frozen=True, kw_only=True)
class OperatorBound(Bound):
    """Enough features for L_s + lambda >= (L + lambda) / 2, i.e. ||(L + lambda)^(1/2) (L_s + lambda)^(-1/2)||^2 <= 2.

    Parameters
    ----------
    d_tau : float
        F_inf(lambda) = sup_w ||(L + lambda)^(-1/2) psi(., w)||^2, or an upper bound on it.
    d_lambda : float
        Effective dimension d(lambda) = Tr(L (L + lambda)^-1).
    lam : float
        lambda.
    operator_norm : float
        ||L||, its largest eigenvalue.
    """

    d_tau: float
    d_lambda: float
    lam: float
    operator_norm: float

    statement: ClassVar[str] = (
        "s >= 8 (d_tau + 1/6) log(8 d(lambda)/delta) => L_s + lambda >= (L + lambda)/2 w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(f"{ZHU_LI}; {RUDI_ROSASCO}", "Lemma 1; the operator bound behind Theorems 1-3")
    assumptions: ClassVar[tuple[str, ...]] = ("independent features", "lambda <= ||L||")
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        _check_positive(d_tau=self.d_tau, d_lambda=self.d_lambda, lam=self.lam, operator_norm=self.operator_norm)
        require(self.lam <= self.operator_norm, "lambda <= ||L||", (self.lam, self.operator_norm))

    def features_needed(self, delta: float) -> int:
        """Number of independent draws."""
        return int(np.ceil(features_for_operator_bound(self.d_tau, self.d_lambda, delta)))

    def certificate(self, n_draws: int, delta: float) -> Certificate:
        """The operator inequality for a map with `n_draws` draws; refused if they are too few."""
        needed = self.features_needed(delta)
        require(n_draws >= needed, f"at least {needed} independent draws", n_draws)
        claim = "the factor c with L + lambda <= c (L_s + lambda) is {value}"
        return self._certificate(2.0, delta, claim, n_draws=n_draws, needed=needed)


@dataclass(frozen=True, kw_only=True)
class ApproximationError(Bound):
    """Theorem 3 of Zhu Li at r = 1/2: ||f~ - f_H||_L2 <= sqrt(2 lambda) ||f_H||_H under the operator bound.

    The printed 2 R lambda^r for r > 1/2 is false (`published.ZhuLiTheorem3`).

    Parameters
    ----------
    operator : OperatorBound
    norm : float
        ||f_H||_H.
    """

    operator: OperatorBound
    norm: float

    statement: ClassVar[str] = "||f~ - f_H||^2 + lambda ||beta||^2 <= 2 lambda ||f_H||_H^2 w.p. 1 - delta"
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(ZHU_LI, "Theorem 3, r = 1/2")
    assumptions: ClassVar[tuple[str, ...]] = (*OperatorBound.assumptions, "f_H lies in the RKHS (r = 1/2)")
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def error(self) -> float:
        """sqrt(2 lambda) ||f_H||_H."""
        return float(np.sqrt(2 * self.operator.lam) * self.norm)

    def certificate(self, n_draws: int, delta: float) -> Certificate:
        """The approximation error of a map with `n_draws` draws; refused if they are too few."""
        details = self.operator.certificate(n_draws, delta).details
        claim = "the L2 distance of the best function with random features from f_H is {value}"
        return self._certificate(self.error(), delta, claim, **details)


@dataclass(frozen=True, kw_only=True)
class ExcessRisk(Bound):
    """Theorem 1 of Zhu Li with explicit constants at r = 1/2: constrained ERM, ||beta||^2 <= 2 R^2.

        M sqrt(2 lambda) R + 2 sqrt(2) M R ks / sqrt(n) + 2 B sqrt(log(4/delta) / (2n)),   B = 2 sqrt(2) M R ks

    Parameters
    ----------
    operator : OperatorBound
    n_points : int
    norm_bound : float
        R >= ||f_H||_H; the estimator minimises the empirical risk over ||beta||^2 <= 2 R^2.
    loss_lipschitz : float, default=1.0
        M; 1 for the hinge and logistic losses. l(y, 0) must not depend on y.
    feature_bound : float, default=1.0
        ks = sup sqrt(k~(x, x)): 1 for pairs, sqrt(2) for phases, times sqrt(k(0)).
    """

    operator: OperatorBound
    n_points: int
    norm_bound: float
    loss_lipschitz: float = 1.0
    feature_bound: float = 1.0

    statement: ClassVar[str] = (
        "excess risk <= M sqrt(2 lambda) R + 2 sqrt2 M R ks/sqrt(n) + 2B sqrt(log(4/delta)/(2n)) w.p. 1 - delta"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(ZHU_LI, "Theorem 1, r = 1/2")
    assumptions: ClassVar[tuple[str, ...]] = (
        *OperatorBound.assumptions,
        "independent data",
        "M-Lipschitz loss with l(y, 0) constant",
        "f_H exists, R >= ||f_H||_H",
        "the estimator minimises the empirical risk over ||beta||^2 <= 2 R^2",
    )
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def __post_init__(self) -> None:
        _check_positive(n_points=self.n_points, norm_bound=self.norm_bound, loss_lipschitz=self.loss_lipschitz)

    def excess(self, delta: float) -> float:
        """The bound; half of delta is for the features, half for the data."""
        slope, n = self.loss_lipschitz * self.norm_bound, self.n_points
        approximation = slope * np.sqrt(2 * self.operator.lam)
        reach = 2 * np.sqrt(2) * slope * self.feature_bound
        return float(approximation + reach / np.sqrt(n) + 2 * reach * np.sqrt(np.log(4 / check_delta(delta)) / (2 * n)))

    def features_needed(self, delta: float) -> int:
        """Number of independent draws: the operator bound at delta / 2."""
        return self.operator.features_needed(delta / 2)

    def certificate(self, n_draws: int, delta: float) -> Certificate:
        """The excess risk with `n_draws` draws; refused if they are too few."""
        details = self.operator.certificate(n_draws, delta / 2).details
        over = "the draw of the frequencies and of the data"
        return self._certificate(self.excess(delta), delta, "the excess risk is {value}", over=over, **details)


def local_complexity(eigenvalues: Array, n_points: int) -> float:
    """min over h of h/n + sqrt(sum_{i > h} mu_i / n): the fast rate of Zhu Li's Theorem 2, up to its constant c3.

    Parameters
    ----------
    eigenvalues : array
        Of K~ / n.
    n_points : int
    """
    descending = np.sort(np.maximum(np.asarray(eigenvalues, dtype=float), 0.0))[::-1]
    rest = np.concatenate([np.cumsum(descending[::-1])[::-1], [0.0]])
    return float(np.min(np.arange(len(rest)) / n_points + np.sqrt(rest / n_points)))


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not 0 < value < np.inf:
            raise invalid_parameter("bochner.theory.generalization", name, "a positive finite number", value)

"""Bounded features: the constant kappa of Rudi & Rosasco's theorems, and the number of features that it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner.errors import invalid_parameter
from bochner.theory.base import Bound, Evidence, Source, Status
from bochner.theory.generalization import OperatorBound
from bochner.theory.sources import RUDI_ROSASCO

__all__ = ["BoundedFeatures"]


@dataclass(frozen=True, kw_only=True)
class BoundedFeatures(Bound):
    """abs(psi(x, omega)) <= kappa for the features z_i(x) = psi(x, omega_i) / sqrt(M) of M independent draws.

    Then F_inf(lambda) = sup ||(L + lambda)^(-1/2) psi(., omega)||^2 <= kappa^2 / lambda, with which Rudi & Rosasco's
    Theorems 1 and 2 hold, and the operator bound behind them has all its constants. A pair of a cosine and a sine is
    one draw. `MapTransformer.bounded_features(X)` makes it, or says why a map has none.

    Parameters
    ----------
    kappa : float

    Examples
    --------
    >>> bound = BoundedFeatures(kappa=1.0)
    >>> bound.maximum_dimension(0.01)
    100.0
    >>> bound.features_needed(lam=0.01, d_lambda=20.0, operator_norm=0.5, delta=0.01)
    7758
    """

    kappa: float

    statement: ClassVar[str] = "|psi(x, omega)| <= kappa for all rows and draws => F_inf(lambda) <= kappa^2/lambda"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(RUDI_ROSASCO, "Assumption 2 with alpha = 1, F = kappa^2; the maps of Appendix E")
    assumptions: ClassVar[tuple[str, ...]] = ("independent draws of one feature function",)
    evidence: ClassVar[Evidence] = Evidence.REDERIVED

    def __post_init__(self) -> None:
        if not 0 < self.kappa < np.inf:
            raise invalid_parameter(self, "kappa", "a positive finite number", self.kappa)

    def maximum_dimension(self, lam: float) -> float:
        """kappa^2 / lambda, at least F_inf(lambda)."""
        return float(self.kappa**2 / lam)

    def features_needed(self, *, lam: float, d_lambda: float, operator_norm: float, delta: float) -> int:
        """Draws for L_M + lambda >= (L + lambda) / 2 with probability 1 - delta: 8 (F + 1/6) log(8 N / delta)."""
        operator = OperatorBound(
            d_tau=self.maximum_dimension(lam), d_lambda=d_lambda, lam=lam, operator_norm=operator_norm
        )
        return operator.features_needed(delta)

"""Excess risk of learning with orbit features (Raj et al., Theorem 3.2 and its lemmas)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner.theory.base import Bound, Certificate, Evidence, Source, Status, check_delta
from bochner.theory.sources import RAJ

__all__ = ["UNITARY", "ExcessRisk", "hilbert_mean_error", "random_function_error"]

UNITARY = "every transformation is unitary (an interpolated image rotation is so only approximately)"


def hilbert_mean_error(radius: float, n_draws: int, delta: float) -> float:
    """Lemma A.1 of Raj et al.: the mean of n draws in a ball is near its expectation.

    ||mean - E|| <= radius / sqrt(n) (1 + sqrt(2 log(1/delta))),   with probability 1 - delta
    """
    return float(radius / np.sqrt(n_draws) * (1 + np.sqrt(2 * np.log(1 / check_delta(delta)))))


def random_function_error(
    bound: float, n_components: int, n_transforms: int, delta_features: float, delta_transforms: float
) -> float:
    """Lemma A.2 of Raj et al.: a function with |alpha| <= C p is matched within the sum of two Lemma A.1 radii."""
    return hilbert_mean_error(bound, n_components, delta_features) + hilbert_mean_error(
        bound, n_transforms, delta_transforms
    )


@dataclass(frozen=True, kw_only=True)
class ExcessRisk(Bound):
    """Theorem 3.2 repaired: excess risk of the best function with orbit features, L-Lipschitz loss V(y f(x)).

        2 [4 L C / sqrt(N) + 2 |V(0)| / sqrt(N) + L C sqrt(2 log(2/delta) / N)]
            + L C (1/sqrt(s) + 1/sqrt(r)) (1 + sqrt(2 log(1/delta))),          with probability 1 - 3 delta

    Parameters
    ----------
    lipschitz : float
        L.
    bound : float
        C = sup |f|, where |alpha(w)| <= C p(w).
    n_points, n_components, n_transforms : int
        N training points, s features, r transformations.
    loss_at_zero : float, default=1.0
        |V(0)|.
    """

    lipschitz: float
    bound: float
    n_points: int
    n_components: int
    n_transforms: int
    loss_at_zero: float = 1.0

    statement: ClassVar[str] = (
        "excess risk <= 2[4LC/sqrt(N) + 2|V(0)|/sqrt(N) + LC sqrt(2 log(2/delta)/N)] "
        "+ LC(1/sqrt(s)+1/sqrt(r))(1+sqrt(2 log(1/delta))) w.p. 1 - 3 delta"
    )
    status: ClassVar[Status] = Status.CORRECTED
    source: ClassVar[Source] = Source(RAJ, "Theorem 3.2")
    assumptions: ClassVar[tuple[str, ...]] = ("independent data", "L-Lipschitz loss", "|alpha| <= C p", UNITARY)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def excess(self, delta: float) -> float:
        """The bound; it fails with probability at most 3 delta."""
        check_delta(3 * delta)
        lc, root_n = self.lipschitz * self.bound, np.sqrt(self.n_points)
        estimation = 4 * lc / root_n + 2 * self.loss_at_zero / root_n + lc * np.sqrt(2 * np.log(2 / delta)) / root_n
        approximation = random_function_error(lc, self.n_components, self.n_transforms, delta, delta)
        return float(2 * estimation + approximation)

    def certificate(self, delta: float) -> Certificate:
        """The certificate at failure probability `delta` in total."""
        claim = "the excess risk over the best orbit function is {value}"
        over = "the draw of the frequencies, the transformations and the data"
        return self._certificate(self.excess(delta / 3), delta, claim, over=over)

"""Distance to exact kernel ridge from kernel sums at a sample of the training rows: an exact confidence limit.

In the notation of `bochner.solvers.sampled_ridge`, with W the sum of the weights, E and Var over a row drawn by its
weight: the residual of the exact equations at the dual coefficients of the model is s (q - E q), q = f^ - g, so that

    ||s (f* - f^)||^2 / W  <=  c^2 + Var q,     sqrt(Var q)  <=  sqrt(Var(f^ - f~)) + sqrt(Var h)

(E q^2 and E h^2 without an intercept). N is a norm. Without a projection (r = 1) it is that of g,
N^2 = sum_i w_i u_i g_i: h varies by at most R = max f^ - min f^ + 2 sqrt(k(0)) N, or abs(h) is at most
R = max abs(f^) + sqrt(k(0)) N. With one, K - Z Z' is positive definite with diagonal r, h = -(K - Z Z') w u,
N^2 = (w u)'(K - Z Z') w u = -sum_i w_i u_i h_i, and abs(h_i) / sqrt(r_i) <= R = N. For m draws by w r, with V the
sample variance of h / sqrt(r),

    sqrt(Var h)  <=  sqrt(V) + R sqrt(2 log(1/delta) / (m - 1))           r = 1: Maurer & Pontil (2009), Theorem 10
    sqrt(E h^2)  <=  (sqrt(mean h^2 / r) + R sqrt(2 log(1/delta) / m)) sqrt(sum w r / W)

the second by Bernstein's lower tail of numbers >= 0, E h^2 = (sum w r / W) E' h^2 / r. In both cases

    N^2  =  sum_i w_i u_i f^_i (or 0)  -  S E'' t (h - b) / sqrt(r)

where E'' is over a row drawn by w abs(u) sqrt(r), S the sum of these, t = u / abs(u), and b the mean of the other
sample if h is centred, else 0 (sum_i w_i u_i is 0 with an intercept). By the empirical Bernstein bound of numbers
in [-R, R] (Maurer & Pontil, Theorem 4) with L = log(2/delta), mean m' and variance V' of t (h - b) / sqrt(r), N is at
most the larger root of

    N^2  =  sum_i w_i u_i f^_i (or 0)  +  S (-m' + sqrt(2 V' L / m))  +  S 14 L R(N) / (3 (m - 1))

These are two events a target; each has its share of delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner.solvers.sampled_ridge import ResidualSample
from bochner.theory.base import Bound, Certificate, Source, Status, check_delta, require
from bochner.theory.distance import this_model_is
from bochner.theory.sources import BOCHNER

__all__ = ["SampledDistance"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledDistance(Bound):
    """Limit on the distance of predictions from those of exact kernel ridge on the training rows, from some of them.

    Parameters
    ----------
    sample : ResidualSample
    alpha : float
    machine : str, default="exact kernel ridge"
        The exact machine, in words.
    weighted : bool, default=False
        Whether the fit had weights.
    at_most : float, default=inf
        What is known of the distance before.
    exact : bool, default=False
        The model is the exact machine: the distance is that of its numerical solution.
    """

    sample: ResidualSample
    alpha: float
    machine: str = "exact kernel ridge"
    weighted: bool = False
    at_most: float = np.inf
    exact: bool = False

    statement: ClassVar[str] = (
        "||f* - f^||^2 / n <= c^2 + Var(f^ - g), sqrt(Var) <= sqrt(V) + R sqrt(2 log(1/delta) / (m - 1)) from m rows"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "residual of the exact equations; Maurer & Pontil (2009)")
    assumptions: ClassVar[tuple[str, ...]] = (
        "the same kernel, penalty and weights in both models",
        "rows that are drawn at random, with replacement",
        "features are computed without rounding errors",
    )

    def limit(self, delta: float) -> float:
        """Limit on the root mean square difference over rows and targets, except with probability delta."""
        columns = range(len(self.sample.shift))
        share = check_delta(delta) / (2 * len(columns))
        squares = [self._deviation(column, share) ** 2 for column in columns]
        found = float(np.sqrt(np.mean(np.square(self.sample.shift) + squares)) * (1 + 1e-9))
        return min(found, self.at_most)

    def certificate(self, delta: float) -> Certificate:
        """The limit for the training rows; the probability is over the draw of the sample."""
        sample, weights = self.sample, " (weighted as in the fit)" if self.weighted else ""
        n_sampled = 2 * len(sample.residual)
        others = "the exact solution of its equations" if self.exact else f"{self.machine} with the same targets"
        beginning = this_model_is(self.machine) if self.exact else ""
        claim = (
            f"{beginning}over the {sample.n_rows:,} training rows, the root mean square difference{weights} between "
            f"the predictions of this model and those of {others} is {{value}} (from kernel sums at {n_sampled:,} rows)"
        )
        return self._certificate(
            self.limit(delta),
            delta,
            claim,
            over="the sampled rows",
            n_rows=sample.n_rows,
            n_sampled=n_sampled,
            alpha=self.alpha,
            exact=self.exact,
        )

    def _deviation(self, column: int, delta: float) -> float:
        """Limit on sqrt(Var q), or sqrt(E q^2), of a target."""
        sample, m = self.sample, len(self.sample.residual)
        require(m >= 2, "at least two sampled rows", m)
        h, varied = sample.residual[:, column], self._range(column, self._norm(column, delta))
        seen = h.std(ddof=1) if sample.centred else np.sqrt(np.mean(h**2))
        slack = np.sqrt(2 * np.log(1 / delta) / (m - sample.centred))
        return float(sample.known[column] + sample.spread * (seen + 2 * sample.rounding + varied * slack))

    def _norm(self, column: int, delta: float) -> float:
        """Limit on N."""
        sample, log, m = self.sample, np.log(2 / delta), len(self.sample.signed)
        centre = sample.residual[:, column].mean() if sample.centred else 0.0
        values = sample.signed[:, column] - centre * sample.direction[:, column]
        mean = -values.mean() + np.sqrt(2 * values.var(ddof=1) * log / m) + 2 * sample.rounding
        widened = sample.mass * 14 * log / (3 * (m - 1))
        along = sample.along[column] + 1e-9 * abs(sample.along[column])
        constant, slope = along + sample.mass * mean + widened * self._range(column, 0.0), widened * sample.factor
        return float((slope + np.sqrt(slope**2 + 4 * max(constant, 0.0))) / 2)

    def _range(self, column: int, norm: float) -> float:
        """R, for a norm."""
        return float(self.sample.fixed[column] + self.sample.factor * norm) + 2 * self.sample.rounding

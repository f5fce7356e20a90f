"""Distance of a model to the exact kernel machine, computed on given rows, targets and weights.

Every statement names the rows it speaks of: the training rows, rows that were given, or the law that new rows come
from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigvalsh

from bochner._typing import Array
from bochner.errors import InvalidDataError
from bochner.theory.a_posteriori import quantile_limit
from bochner.theory.base import Bound, Certificate, Source, Status
from bochner.theory.certificate import rounded_up
from bochner.theory.sources import BOCHNER

__all__ = ["AnyTargetDistance", "ClassifierDistance", "DistanceAtRows", "NewRows", "RidgeDistance", "this_model_is"]

_SAME = "the same kernel, penalty and weights in both models"


@dataclass(frozen=True, kw_only=True)
class RidgeDistance(Bound):
    """Distance of the predictions of a model to those of exact kernel ridge on its training rows.

        | ||t|| - ||rho|| |  <=  || s (f* - f^) ||  <=  ||t|| + ||rho||        (`bochner.solvers.exact_ridge`)

    t is what the exact kernel says of the difference, rho the residual of its equations: two-sided, without
    probability, and as tight as the number of products with the exact kernel allows.

    Parameters
    ----------
    at_least, at_most : float
        Limits on the root mean square difference.
    largest : float
        Limit on the difference at every training row.
    n_rows, n_products : int
    alpha : float
    weighted : bool
    machine : str, default="exact kernel ridge"
        The exact machine, in words.
    predictions : str, default="the predictions"
        Of which float type they are, where that matters.
    exact : bool, default=False
        The model is the exact machine: the distance is that of its numerical solution.
    """

    at_least: float
    at_most: float
    largest: float
    n_rows: int
    n_products: int
    alpha: float
    weighted: bool
    machine: str = "exact kernel ridge"
    predictions: str = "the predictions"
    exact: bool = False

    statement: ClassVar[str] = (
        "| ||t|| - ||rho|| | <= ||f* - f^|| <= ||t|| + ||rho||, rho the residual of exact kernel ridge"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "residual of the exact equations")
    assumptions: ClassVar[tuple[str, ...]] = (_SAME,)

    def certificate(self) -> Certificate:
        """The distance over the training rows; no probability is involved."""
        weights = " (weighted as in the fit)" if self.weighted else ""
        others = "the exact solution of its equations" if self.exact else f"{self.machine} with the same targets"
        claim = (
            f"{this_model_is(self.machine) if self.exact else ''}over the {self.n_rows:,} training rows, the root mean "
            f"square difference{weights} between {self.predictions} of this model and those of {others} is {{value}}, "
            f"and the largest at most {rounded_up(self.largest)} (computed)"
        )
        return self._certificate(
            self.at_most,
            0.0,
            claim,
            at_least=self.at_least,
            n_rows=self.n_rows,
            alpha=self.alpha,
            largest=self.largest,
            n_products=self.n_products,
            exact=self.exact,
        )


def this_model_is(machine: str) -> str:
    """The beginning of a statement on a model that is the exact machine."""
    return f"this model is {machine}: "


@dataclass(frozen=True, kw_only=True, eq=False)
class AnyTargetDistance(Bound):
    """Distance of ridge on features to exact kernel ridge on the training rows, for every target of a given size.

    With M = K + alpha I and M^ likewise, both centred if there is an intercept, the fitted values differ by

        alpha (M^-1 - M^^-1) y,      at most   alpha ||M^-1 - M^^-1||_2 ||y||

    Parameters
    ----------
    exact, approximate : array of shape (n, n)
        K and K^ of the training rows, times the roots of their weights from both sides.
    root : array of shape (n,)
        Roots of the weights.
    alpha : float
    intercept : bool
    norms : array of shape (t,)
        Weighted norms of the (centred) targets, one per target.
    rounding : float, default=0.0
        Bound on the norm of the rounding errors in `exact`.
    """

    exact: Array
    approximate: Array
    root: Array
    alpha: float
    intercept: bool
    norms: Array
    rounding: float = 0.0

    statement: ClassVar[str] = "||K^(K^+alpha)^-1 y - K(K+alpha)^-1 y|| <= alpha ||M^-1 - M^^-1|| ||y||, computed"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "computed on the training rows")
    assumptions: ClassVar[tuple[str, ...]] = (
        "the exact kernel matrix of these rows was computed",
        _SAME,
        "the equations of both models are solved exactly",
    )

    def certificate(self) -> Certificate:
        """Limit on the root mean square difference, whatever the targets are; no probability is involved."""
        difference = self._inverse(self.exact)  # in place: every copy of these matrices counts
        difference -= self._inverse(self.approximate)
        difference *= self.alpha
        n, total = len(self.exact), float(self.root @ self.root) * len(self.norms)
        rounding = (
            64 * np.finfo(float).eps * (n + float(np.trace(self.exact)) / self.alpha) + self.rounding / self.alpha
        )
        worst = float(np.max(np.abs(eigvalsh(difference.T, overwrite_a=True)))) * (1 + 1e-6) + rounding
        value = worst * float(np.linalg.norm(self.norms)) / np.sqrt(total)
        weights = " (weighted as in the fit)" if np.any(self.root != 1) else ""
        claim = (
            f"over the {n:,} training rows, the root mean square difference{weights} between ridge on these features "
            "and exact kernel ridge is {value}, for any targets of the size that those of the fit had (computed)"
        )
        return self._certificate(value, 0.0, claim, n_rows=n, alpha=self.alpha)

    def _inverse(self, K: Array) -> Array:
        n = len(K)
        shifted = K.T.copy(order="F")  # symmetric
        shifted[np.diag_indices_from(shifted)] += self.alpha
        factor = cho_factor(shifted, overwrite_a=True)
        inverse: Array = cho_solve(factor, np.asfortranarray(np.eye(n)), overwrite_b=True)
        if self.intercept:  # of (P K P + alpha I) on the complement of s
            along = inverse @ self.root
            inverse -= np.outer(along, along / (self.root @ along))
        return inverse


@dataclass(frozen=True, kw_only=True, eq=False)
class DistanceAtRows(Bound):
    """Limits on the difference between a model and the exact kernel machine at rows that were given, one by one.

    Parameters
    ----------
    limits : array of shape (N,)
        On the largest difference over the targets or classes of each row.
    machine : str
        The exact machine, in words.
    what : str, default="predictions"
    apart : str, default=""
        What of them is left out, in words.
    """

    limits: Array
    machine: str
    what: str = "predictions"
    apart: str = ""

    statement: ClassVar[str] = (
        "|f*(x) - f^(x)| <= |k_x'a - f^(x)| + ||phi(x) - phibar|| ||rho|| / (2 sqrt(alpha)), at given x"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "residual of the exact equations")
    assumptions: ClassVar[tuple[str, ...]] = (_SAME,)

    def certificate(self) -> Certificate:
        """The largest difference at the given rows; no probability is involved."""
        value, n = float(np.max(self.limits)), len(self.limits)
        rms = float(np.sqrt(np.mean(self.limits**2)))
        claim = f"at the {n:,} rows X_new, the largest difference between the {self.what} of this model and those of "
        claim += f"{self.machine}{self.apart} is {{value}} (computed)"
        return self._certificate(value, 0.0, claim, n_rows=n, root_mean_square=rms)


@dataclass(frozen=True, kw_only=True, eq=False)
class NewRows(Bound):
    """Differences between two models on rows that neither has seen, drawn independently from one law.

    Parameters
    ----------
    difference : array of shape (N,)
        The differences, or limits on them.
    machine : str, default="exact kernel ridge"
    what : str, default="predictions"
    apart : str, default=""
        What of them is left out, in words.
    """

    difference: Array
    machine: str = "exact kernel ridge"
    what: str = "predictions"
    apart: str = ""

    statement: ClassVar[str] = "a quantile of |difference| over new rows, by an order statistic"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "order statistics")
    assumptions: ClassVar[tuple[str, ...]] = (
        "the rows are independent draws from one law",
        "the rows are independent of the training rows and of the frequencies",
    )

    def certificate(self, fraction: float, delta: float) -> Certificate:
        """Upper limit on the `fraction`-quantile of the absolute difference."""
        N, value = len(self.difference), quantile_limit(np.abs(self.difference), fraction, delta)
        if value is None:
            needed = int(np.ceil(np.log(delta) / np.log(fraction)))
            raise InvalidDataError(f"A {fraction:g} quantile at delta={delta:g} needs {needed} new rows. Got {N}.")
        claim = (
            f"the {100 * fraction:g} % quantile of the difference between the {self.what} of this model and those of "
            f"{self.machine}{self.apart}, over the law of which the {N:,} rows X_new are independent draws, is "
            "{value}"
        )
        return self._certificate(value, delta, claim, over="the draw of X_new", fraction=fraction, n_rows=N)


@dataclass(frozen=True, kw_only=True)
class ClassifierDistance(Bound):
    """Distance of the scores of a classifier to those of the exact kernel machine, by a duality gap.

    Dual variables that are feasible for the exact kernel problem give a function f_a, an objective P and a dual value
    D. The objective and its dual are both strongly convex in the function, so

        alpha ||f_a - f*||^2 <= P - D,      |f_a(x) - f*(x)| <= sqrt(k(x, x) (P - D) / alpha)

    (half of it from P - P*, half from D* - D), and the scores of the model differ from f_a by what the kernel says.

    Parameters
    ----------
    gap : float
        P - D, with its rounding, summed over the columns of scores.
    objective : float
        P.
    largest : float
        Limit on the difference of scores at every training row.
    n_rows : int
    alpha : float
    machine : str
        The exact machine, in words.
    apart : str, default=""
        What of the scores is left out, in words.
    exact : bool, default=False
        The model is the exact machine: the distance is that of its numerical solution.
    """

    gap: float
    objective: float
    largest: float
    n_rows: int
    alpha: float
    machine: str
    apart: str = ""
    exact: bool = False

    statement: ClassVar[str] = "alpha ||f_a - f*||^2 <= P(f_a) - D(a) of the exact kernel problem"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "duality gap of the exact kernel problem")
    assumptions: ClassVar[tuple[str, ...]] = (_SAME,)

    def certificate(self) -> Certificate:
        """The largest difference of scores at the training rows; no probability is involved."""
        others = "the exact solution of its problem" if self.exact else self.machine
        objective = f"a duality gap of {rounded_up(self.gap)} of the exact kernel problem, whose objective is "
        claim = (
            f"{this_model_is(self.machine) if self.exact else ''}over the {self.n_rows:,} training rows, the largest "
            f"difference between the scores of this model and those of {others}{self.apart} is {{value}} "
            f"(by {objective}{rounded_up(self.objective)})"
        )
        return self._certificate(
            self.largest,
            0.0,
            claim,
            n_rows=self.n_rows,
            alpha=self.alpha,
            gap=self.gap,
            objective=self.objective,
            exact=self.exact,
        )

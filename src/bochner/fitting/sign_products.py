"""Least squares on the signs of the classes with many landmarks, by products instead of moments (Falkon, Rudi 2017).

A pass of conjugate gradients costs n D kernel values and D^2, moments n D^2. Leave-one-out scores want moments, so that
the temperature of the probabilities is told by 2,000 rows that the fit does not see.
"""

from __future__ import annotations

from dataclasses import replace

from bochner.data import ArrayRows
from bochner.fitting.features import ChosenFeatures
from bochner.fitting.left_out import LEFT_OUT_ROWS, LeftOut, errors_of_classes
from bochner.fitting.products import left_out_rows, solve_products
from bochner.fitting.ridge import RidgeSettings
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.watch import Watch
from bochner.planning import choose_solver
from bochner.solvers import IterativeSolver

__all__ = ["fit_sign_products", "takes_products"]

_TOL = 1e-4  # of the residual: scores are settled long before
_LARGEST_SHARE = 0.05  # of the rows that are left out


def takes_products(rows: ArrayRows, chosen: ChosenFeatures, settings: RidgeSettings) -> bool:
    """Whether the features are so many landmarks that products are faster than moments, by the cost model."""
    searched = isinstance(settings.rule.alpha, str)  # by the exact machine of some rows
    if chosen.map.unwhitened is None or (searched and chosen.kernel is None):
        return False
    solver = choose_solver(
        n_rows=rows.n_rows,
        n_features=rows.n_features,
        n_components=chosen.map.n_components,
        n_targets=rows.n_targets,
        alpha=settings.rule.alpha,
        dtype=rows.dtype,
        tol=_TOL,
        landmarks=True,
    )
    return solver == "iterative"


def fit_sign_products(
    rows: ArrayRows, chosen: ChosenFeatures, settings: RidgeSettings, watch: Watch, max_iter: int
) -> tuple[FittedRidge, LeftOut]:
    """The fit, and its errors on the rows that it was not fitted to."""
    share = min(_LARGEST_SHARE, LEFT_OUT_ROWS / rows.n_rows)
    index = left_out_rows(share, rows.n_rows, settings.seed)
    by_products = replace(settings, solver=IterativeSolver(_TOL, max_iter))
    chooses = isinstance(settings.rule.alpha, str)  # a penalty that is given is solved for
    fit = solve_products(rows, chosen, by_products, watch=watch, left_out=index, settles=chooses)
    return fit, errors_of_classes(fit, rows, index)

"""Choice between the direct and the iterative ridge solver, by memory and the cost model."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from bochner.config import get_config
from bochner.features import FourierShape
from bochner.planning.cost import calibrate
from bochner.solvers import iterative_bill, ridge_bill
from bochner.solvers.preconditioner import best_rows, expected_iterations, first_rows, most_rows
from bochner.statistics import KEPT_FEATURES, plan_pass

__all__ = ["choose_solver"]

_NARROW = 4096
"""Width up to which the direct solver, which gives more, is taken without a look at the clock."""

_WORTH = 0.7
"""Share of the direct solver's time at which the iterative one is taken: it gives neither moments nor evidence."""


def choose_solver(
    *,
    n_rows: int,
    n_features: int,
    n_components: int,
    n_targets: int,
    alpha: float | str,
    dtype: np.dtype[Any],
    tol: float,
    landmarks: bool = False,
) -> Literal["direct", "iterative"]:
    """The solver for a ridge problem: by memory if only one fits, else by the cost model.

    Only the direct solver knows the evidence and the leave-one-out error. The spectrum is not known before the fit:
    that of a kernel which decays slowly is assumed, at a penalty of 1 if none is given. `landmarks`: features are
    kernel values, whitened row by row for moments, and once a pass for products, which landmarks precondition.
    """
    if alpha in ("evidence", "loo") or n_components <= _NARROW:
        return "direct"
    shape = FourierShape(n_components, n_features)
    searched, budget = isinstance(alpha, str), get_config().memory_budget()
    plan = plan_pass(n_rows, shape, n_targets, dtype)
    if ridge_bill(plan, shape, n_targets=n_targets, dtype=dtype).total > budget:
        return "iterative"
    bill = iterative_bill(
        shape, n_rows=n_rows, n_targets=n_targets, dtype=dtype, searched=searched, landmarks=landmarks
    )
    if bill.total > budget:
        return "direct"
    cost, threads, kept = calibrate(dtype.name), get_config().threads(), KEPT_FEATURES in bill.items
    if landmarks and not (searched and alpha != "auto"):
        direct = cost.landmark_seconds(n_rows, n_features, n_components, 0, threads)
        products = cost.landmark_product_seconds(n_rows, n_features, n_components, threads, kept=kept)
        return "iterative" if products < _WORTH * direct else "direct"
    penalty = 1.0 if isinstance(alpha, str) else max(float(alpha), 1e-6 * n_rows)
    first, most = (rows(n_components, dtype.itemsize) for rows in (first_rows, most_rows))
    shift = n_rows / (8 * first)
    rows = best_rows(first, shift, penalty, most=most, n_rows=n_rows, width=n_components, tol=tol)
    iterative = cost.iterative_seconds(
        n_rows,
        n_features,
        n_components,
        threads,
        n_preconditioner=rows,
        n_iter=expected_iterations(shift * first / rows, penalty, tol),
        kept=kept,
        searched=searched,
    )
    direct = cost.fit_seconds(n_rows, n_features, n_components, plan.n_threads)
    return "iterative" if iterative < _WORTH * direct else "direct"

"""Two classes of many rows, most of them far inside their class: the exact machine of the squared hinge.

In place of least squares with all rows, whose every row has a coefficient: products with all of the kernel matrix, some
twenty times, and as many kernel values for every prediction as there are rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bochner.data import RowSource, left_out_weight
from bochner.fitting.exact_iterative import bears_float32, smallest_single
from bochner.fitting.exact_problem import ExactProblem, ordered_rows, rows_of_exact, targets_of
from bochner.fitting.left_out import LEFT_OUT_ROWS, LeftOut
from bochner.fitting.ridge_model import FittedRidge
from bochner.kernels import Stationary
from bochner.memory import fits
from bochner.planning import EXACT_ROWS
from bochner.solvers import DirectSolver, MarginMachine, MarginSolution, kernel_matrix_bill
from bochner.statistics import identify
from bochner.statistics.kernel_product import KernelProduct
from bochner.tuning import Tuning

if TYPE_CHECKING:
    from bochner.fitting.ridge import RidgeSettings

__all__ = ["fit_support_machine"]


def fit_support_machine(
    rows: RowSource, kernel: Stationary, tuning: Tuning | None, settings: RidgeSettings, alpha: float
) -> tuple[FittedRidge, LeftOut] | None:
    """The fit, and its errors on rows that are left out one by one, with the penalty of least squares.

    None where too many rows are inside the margin, or float32 does not do.
    """
    bill = kernel_matrix_bill(EXACT_ROWS, rows.n_features, 1)
    if not settings.may_hinge or rows.n_targets > 1 or not fits(bill.total):
        return None
    ordered = ordered_rows(rows_of_exact(rows), settings.seed)
    drawn = settings.features.draw_exact(kernel, ordered, tuning)
    dense = ExactProblem.of(drawn.map, *targets_of(ordered), settings.rule.fit_intercept)
    if not bears_float32(dense, settings, alpha, known=False):
        return None
    alpha, signs, points = max(alpha, smallest_single(dense)), dense.Y[:, 0], dense.values.points
    machine = MarginMachine(
        values=dense.values,
        working=KernelProduct(dense.values.kernel, points, precision=np.dtype(np.float32)),
        signs=signs,
        weight=dense.weight,
        alpha=2 * alpha,
        intercept=dense.intercept,
        most=EXACT_ROWS,
    )
    found = machine.solved()
    if found is None:
        return None
    last = slice(-min(LEFT_OUT_ROWS, len(signs)), None)
    removed = left_out_weight(points[last], dense.Y[last], dense.weight[last])
    scores = found.left_out_scores(removed, signs)
    kept: Any = drawn.map.with_points_at(found.index)
    fit = FittedRidge(
        features=drawn.transformer.with_map(kept),
        feature_map=kept,
        rule=settings.rule,
        solver=DirectSolver(),
        row_type=rows.dtype,
        found=MarginSolution.of(found, alpha, kept.kernel_values, dense.weight),
        tuning=tuning,
        row_identity=identify(rows),
    )
    errors = dense.Y[last] - scores[:, None]
    return fit, LeftOut(errors, np.ones(len(errors)), dense.weight[last], dense.Y[last])

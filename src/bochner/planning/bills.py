"""The bills of fits, before anything is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from bochner.config import get_config
from bochner.memory import MemoryBill
from bochner.solvers.iterative import PROBES, SEARCHED_PENALTIES
from bochner.solvers.newton import pilot_rows
from bochner.solvers.preconditioner import first_rows, most_rows
from bochner.statistics import PassPlan
from bochner.statistics.feature_stream import can_be_kept

__all__ = ["KEPT", "classifier_bill", "iterative_bill", "pca_bill", "ridge_bill"]

KEPT = "features of all rows"


def ridge_bill(
    plan: PassPlan, *, n_features: int, n_components: int, n_targets: int, dtype: np.dtype[Any], reading: int = 0
) -> MemoryBill:
    """The bill of a direct ridge fit: the pass over the rows, or the solution of the equations if that holds more.

    The solution holds the reduced matrix (8 D^2 bytes) and its reflectors (half of that) beside the moments. `reading`
    is what the source of the rows holds during the pass.
    """
    solution = {"solution of the equations": 12 * n_components**2}
    return _bill(plan, n_features, n_components, n_targets, dtype, solution, reading)


def pca_bill(plan: PassPlan, *, n_features: int, n_components: int, n_axes: int, dtype: np.dtype[Any]) -> MemoryBill:
    """The bill of a principal component analysis: the pass over the rows, or the eigenvectors if they hold more.

    The eigenvalue routine works on a copy of the moments (8 D^2 bytes) and writes `n_axes` eigenvectors beside it.
    """
    axes = {"eigenvectors of the moments": 8 * n_components * (n_components + 2 * n_axes)}
    return _bill(plan, n_features, n_components, 0, dtype, axes)


def _bill(
    plan: PassPlan,
    n_features: int,
    n_components: int,
    n_targets: int,
    dtype: np.dtype[Any],
    solution: dict[str, int],
    reading: int = 0,
) -> MemoryBill:
    """Moments and frequencies, and the larger of the pass and the solution."""
    D, item = n_components, dtype.itemsize
    moments = 8 * D * (D + n_targets + 2)
    frequencies = D * n_features * (8 + item) // 2
    pass_ = {"moments": moments, "blocks of features and their products": plan.bytes - moments}
    pass_ |= {"rows read ahead": reading} if reading else {}
    largest = max(pass_, {"moments": moments, **solution}, key=lambda items: sum(items.values()))
    return MemoryBill({"frequencies": frequencies, **largest})


def classifier_bill(
    *, n_rows: int, n_features: int, n_components: int, n_classes: int, dtype: np.dtype[Any]
) -> MemoryBill:
    """The bill of a classifier: features of all rows if they are kept, a pilot of rows and its equations, scores."""
    D, item = n_components, dtype.itemsize
    kept, pilot = n_rows * D * item, min(n_rows, pilot_rows(D, item))
    items = {
        "frequencies": D * n_features * (8 + item) // 2,
        "scores of the classes": 6 * 8 * n_rows * (1 if n_classes == 2 else n_classes),
        "pilot rows and their equations": 2 * pilot * D * item + 2 * min(pilot, D) ** 2 * item,
    }
    return MemoryBill(items | ({KEPT: kept} if can_be_kept(kept) else {}))


def iterative_bill(
    *, n_rows: int, n_features: int, n_components: int, n_targets: int, dtype: np.dtype[Any], searched: bool
) -> MemoryBill:
    """The bill of a ridge fit by conjugate gradients: features of all rows if they are kept, a subsample, its factors.

    `searched`: with a penalty by GCV, which has a column for each penalty, target and probe, and a factor per decade.
    """
    D, item = n_components, dtype.itemsize
    first = min(n_rows, first_rows(D, item))
    m = min(n_rows, max(first, min(4 * first, D, most_rows(D, item))))
    columns = (n_targets + PROBES) * (SEARCHED_PENALTIES if searched else 1)
    factors = max(3 * min(m, D) ** 2, (8 if searched else 3) * min(first, D) ** 2)
    items = {
        "frequencies": D * n_features * (8 + item) // 2,
        "targets and weights": 8 * n_rows * (2 * n_targets + 2),
        "subsample of rows": m * D * (12 if item == 4 else item),  # float32, and float64 where that does not do
        "its factors": factors * 8,
        "solutions, residuals, directions": 8 * 8 * D * columns,
        "blocks of features": get_config().threads() * max(2**23, 32 * D * item),
    }
    kept, total = n_rows * D * item, sum(items.values())
    keep = can_be_kept(kept) and total + kept <= get_config().memory_budget()
    return MemoryBill(items | ({KEPT: kept} if keep else {}))

"""Memory bill of a ridge fit by conjugate gradients on features."""

from __future__ import annotations

from bochner._typing import FloatType
from bochner.config import get_config
from bochner.features import FeatureMap
from bochner.memory import MAP, MemoryBill
from bochner.solvers.iterative import PROBES, SEARCHED_PENALTIES
from bochner.solvers.preconditioner import first_rows, most_rows
from bochner.statistics.feature_stream import KEPT_FEATURES, can_be_kept

__all__ = ["iterative_bill"]


def iterative_bill(
    feature_map: FeatureMap, *, n_rows: int, n_targets: int, dtype: FloatType, searched: bool, landmarks: bool = False
) -> MemoryBill:
    """The bill of a ridge fit by conjugate gradients: features of all rows if they are kept, a subsample, its factors.

    `searched`: with a penalty by GCV, which has a column for each penalty, target and probe, and a factor per decade.
    `landmarks`: features are whitened kernel values, which landmarks precondition, and a subsample only if searched.
    """
    D, item = feature_map.n_components, dtype.itemsize
    first = min(n_rows, first_rows(D, item))
    m = min(n_rows, max(first, min(4 * first, D, most_rows(D, item))))
    columns = (n_targets + PROBES) * (SEARCHED_PENALTIES if searched else 1)
    factors = max(3 * min(m, D) ** 2, (8 if searched else 3) * min(first, D) ** 2)
    subsample = {
        "subsample of rows": m * D * (12 if item == 4 else item),  # float32, and float64 if that is too imprecise
        "its factors": factors * 8,
    }
    items = {
        MAP: feature_map.n_bytes(dtype),
        "targets and weights": 8 * n_rows * (2 * n_targets + 2),
        **(subsample if searched or not landmarks else {}),
        **({"moments of the landmarks, and their factor": 16 * D**2} if landmarks else {}),
        "solutions, residuals, directions": 8 * 8 * D * columns,
        "blocks of features": get_config().threads() * max(2**23, 32 * D * item),
    }
    kept, total = n_rows * D * item, sum(items.values())
    keep = can_be_kept(kept) and total + kept <= get_config().memory_budget()
    return MemoryBill(items | ({KEPT_FEATURES: kept} if keep else {}))

"""Memory bills of passes to moments: of a direct ridge fit, of a principal component analysis."""

from __future__ import annotations

from bochner._typing import FloatType
from bochner.features import FeatureMap
from bochner.memory import MAP, MemoryBill
from bochner.statistics.moments_pass import PassPlan

__all__ = ["pca_bill", "ridge_bill"]


def ridge_bill(
    plan: PassPlan,
    feature_map: FeatureMap,
    *,
    n_targets: int,
    dtype: FloatType,
    reading: int = 0,
    leaves_out: bool = False,
) -> MemoryBill:
    """The bill of a direct ridge fit: the pass over the rows, or the solution of the equations if that holds more.

    The solution holds the reduced matrix (8 D^2 bytes) and its reflectors (half of that) beside the moments. Where rows
    are left out (`leaves_out`) it holds the eigenvectors, and a copy of the moments or blocks of features. `reading` is
    what the source of the rows holds during the pass.
    """
    D = feature_map.n_components
    solution = {"solution of the equations": 12 * D**2}
    if leaves_out:
        solution = {
            "eigenvectors of the moments": 8 * D**2,
            "pass over rows that are left out": 8 * D * (D + n_targets),
        }
    return _bill(plan, feature_map, n_targets, dtype, solution, reading)


def pca_bill(plan: PassPlan, feature_map: FeatureMap, *, n_axes: int, dtype: FloatType) -> MemoryBill:
    """The bill of a principal component analysis: the pass over the rows, or the eigenvectors if they hold more.

    The eigenvalue routine works on a copy of the moments (8 D^2 bytes) and writes `n_axes` eigenvectors beside it.
    """
    D = feature_map.n_components
    return _bill(plan, feature_map, 0, dtype, {"eigenvectors of the moments": 8 * D * (D + 2 * n_axes)})


def _bill(
    plan: PassPlan, feature_map: FeatureMap, n_targets: int, dtype: FloatType, solving: dict[str, int], reading: int = 0
) -> MemoryBill:
    """Map and moments, and the larger of the pass and the solution."""
    D = feature_map.n_components
    moments = 8 * D * (D + n_targets + 2)
    pass_ = {"moments": moments, "blocks of features and their products": plan.bytes - moments}
    pass_ |= {"rows read ahead": reading} if reading else {}
    largest = max(pass_, {"moments": moments, **solving}, key=lambda items: sum(items.values()))
    return MemoryBill({MAP: feature_map.n_bytes(dtype), **largest})

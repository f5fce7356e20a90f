"""Cost of a fit: planned and measured memory and time, passes, threads and versions."""

from __future__ import annotations

from dataclasses import is_dataclass

import numpy as np

from bochner._typing import JsonDict
from bochner._versions import installed
from bochner.config import get_config
from bochner.planning import Plan
from bochner.reporting.view import ModelView

__all__ = ["cost"]


def cost(view: ModelView, plan: Plan | JsonDict | None, extra: JsonDict | None) -> JsonDict:
    """Planned and actual memory and time, rows, passes, threads and versions.

    `extra` may have "seconds" and "memory" (bytes): what the fit took. The rest of it is shown as it is.
    """
    planned = None if plan is None else plan.to_dict() if is_dataclass(plan) else dict(plan)
    actual = dict(extra or {})
    return {
        "plan": planned,
        "seconds": actual.pop("seconds", None),
        "memory": actual.pop("memory", None),
        "extra": actual,
        "rows": view.n_rows,
        "columns": view.n_inputs,
        "passes": _passes(view),
        "iterations": view.get("n_iter_"),
        "threads": get_config().threads(),
        "versions": installed(),
    }


def _passes(view: ModelView) -> int | None:
    """Passes over the rows that the fit made; iterative solvers report iterations instead.

    One for the moments, one more for leave-one-out, and both again in float64 where float32 did not do; in a search for
    a width one for each width, and one more where it went on in float64. Learned pre-images take another.
    """
    curve = view.get("width_curve_")
    if view.totals is None:  # an exact machine looks at its rows once
        return None if view.get("solver_") != "direct" else 1 if curve is None else len(curve.widths)
    again = view.row_dtype == np.float32 and view.totals.precision < np.finfo(np.float32).eps
    loo = getattr(view.estimator, "alpha", None) == "loo"
    passes = (1 + loo) * (1 + again) if curve is None else len(curve.widths) + again
    return int(passes + bool(view.get("fit_inverse_transform")))

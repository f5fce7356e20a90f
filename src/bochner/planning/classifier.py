"""Time of a classifier, from the plan of a regression with the same rows and features."""

from __future__ import annotations

from bochner.config import get_config
from bochner.planning.cost import FIRST_SECONDS, calibrate
from bochner.planning.plan import Plan
from bochner.planning.width import EXACT_ROWS
from bochner.tuning import TUNING_ROWS

__all__ = ["classifier_seconds"]


def classifier_seconds(plan: Plan, n_classes: int, dtype_name: str) -> float:
    """Seconds of a classifier: squares with a machine more for the rival of its scales, or a loss on random features.

    A plan with several machines is that of an automatic fit.
    """
    n, threads = plan.n_samples, get_config().threads()
    if not plan.machines:
        cost = calibrate(dtype_name)
        loss = cost.classifier_seconds(n, plan.n_features, plan.n_components, n_classes, threads)
        return FIRST_SECONDS + plan.tuning_seconds + loss
    rival = TUNING_ROWS < n <= EXACT_ROWS
    return plan.seconds + (calibrate("float64").exact_seconds(n, plan.n_features, threads) if rival else 0.0)

"""Solution of ridge regression on the rows inside the margin, which is that of the squared hinge on all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.features.nystroem import KernelMap
from bochner.solvers.kernel_solution import KernelSolution
from bochner.solvers.linear import LinearSolution
from bochner.solvers.margin_machine import SupportRows

__all__ = ["MarginSolution"]


@dataclass(frozen=True)
class MarginSolution(KernelSolution):
    """Machine of the rows that have a coefficient; error bars are those of ridge regression on them.

    Attributes
    ----------
    classifier : LinearSolution
        As a minimiser of the squared hinge; its penalty is twice that of ridge regression.
    """

    classifier: LinearSolution | None = None

    @classmethod
    def of(cls, found: SupportRows, alpha: float, values: KernelMap, weight: Array) -> MarginSolution:
        linear = found.solution
        unknown = np.full(linear.coef.shape[1], np.nan)
        return cls(
            alpha,
            linear.coef,
            linear.intercept,
            unknown,
            float("nan"),
            values=values,
            row_weight=weight[found.index],
            classifier=linear,
        )

    @property
    def hinge(self) -> LinearSolution | None:
        return self.classifier

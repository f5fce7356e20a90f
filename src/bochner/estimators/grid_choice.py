"""When a model takes a grid of frequencies by itself: many rows of one to three columns that fill their box."""

from __future__ import annotations

from scipy.sparse import issparse

from bochner._nufft import has_nufft
from bochner.data import RowSource
from bochner.estimators.kernel_model import KernelModel
from bochner.fitting import fills_its_box
from bochner.planning import GRID_ROWS
from bochner.sampling import MOST_AXES
from bochner.solvers import RidgeSolver

__all__ = ["ChoosesGrid"]


class ChoosesGrid(KernelModel):
    """A model of ridge regression, which can be solved on a grid."""

    alpha: float | str
    validation_fraction: float | None
    solver: str | RidgeSolver

    def uses_grid(self, rows: RowSource | None) -> bool:
        """Asked for; or automatic, for so many dense rows in memory that it pays, if finufft is installed."""
        if not isinstance(self.features, str) or self.features != "auto":
            return isinstance(self.features, str) and self.features == "grid"
        return self._leaves_it_open and has_nufft() and _fit_a_grid(rows)

    @property
    def _leaves_it_open(self) -> bool:
        """Whether no parameter asks for what a grid has not, nor for a kernel or a scale."""
        named = (self.kernel or "auto", self.length_scale)
        chooses_kernel = all(isinstance(each, str) and each in ("auto", "ard") for each in named)
        plain = self.validation_fraction is None and isinstance(self.solver, str) and self.solver == "auto"
        return chooses_kernel and plain and not self._asks_for_fourier and self.alpha not in ("gcv", "loo")


def _fit_a_grid(rows: RowSource | None) -> bool:
    """Whether rows are in memory, dense, many, of few columns, and none of them far outside."""
    known = None if rows is None else rows.arrays
    if known is None or known.n_features > MOST_AXES or issparse(known.X):
        return False
    if known.n_rows <= GRID_ROWS[known.n_features]:
        return False
    return fills_its_box(known)

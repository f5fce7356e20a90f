"""Lower bounds for every method: how near any map of D columns, random or not, can come to a kernel.

A kernel estimate z(x).z(y) of D columns has a matrix of rank at most D on any rows. So its root mean squared error over
all pairs of n rows is at least that of the best matrix of rank D (Eckart & Young), and rows that are nearly orthogonal
need about as many columns as there are rows, or as 1 / eps^2: rank B >= (tr B)^2 / ||B||_F^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.theory.base import Bound, Certificate, Evidence, Source, Status, check_eps, require

__all__ = ["LeastError", "columns_needed"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LeastError(Bound):
    """No map of D columns has a smaller root mean squared error over all pairs of n rows.

        sqrt(sum_{i > D} lambda_i^2) / n,      lambda_1 >= lambda_2 >= ... the eigenvalues of the kernel matrix

    Parameters
    ----------
    eigenvalues : array of shape (n,)
        Of the exact kernel matrix of the rows, in any order.
    n_components : int
        D.

    Examples
    --------
    >>> import numpy as np
    >>> LeastError(eigenvalues=np.array([3.0, 1.0, 0.0, 0.0]), n_components=1).value()
    0.25
    """

    eigenvalues: Array
    n_components: int

    statement: ClassVar[str] = "every map of D columns has a root mean squared error >= sqrt(sum_{i>D} lambda_i^2)/n"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source("Eckart & Young (1936)", "best approximation of rank D, for kernel matrices")
    assumptions: ClassVar[tuple[str, ...]] = ("the exact kernel matrix of these rows was computed",)
    evidence: ClassVar[Evidence] = Evidence.REDERIVED

    def __post_init__(self) -> None:
        count = self.n_components
        if isinstance(count, bool) or int(count) != count or count < 0:
            raise invalid_parameter(self, "n_components", "an integer >= 0", count)

    def value(self) -> float:
        """The smallest root mean squared error."""
        squares = np.sort(np.square(np.asarray(self.eigenvalues, dtype=float)))
        n = len(squares)
        return float(np.sqrt(np.sum(squares[: max(0, n - self.n_components)])) / n)

    def certificate(self, rows: str) -> Certificate:
        """The lower limit for `rows`, in words; no probability is involved."""
        least = self.value() * (1 - 1e-9) - 1e-14 * float(np.max(np.abs(self.eigenvalues), initial=0.0))
        claim = (
            f"the root mean square of the kernel error over all pairs of {rows}, with any {self.n_components:,} "
            "columns by any method, is {value}"
        )
        return self._certificate(max(0.0, least), 0.0, claim, from_below=True, n_components=self.n_components)


def columns_needed(n_rows: int, eps: float, *, coherence: float = 0.0) -> int:
    """Columns that any map needs for an error of at most eps at all pairs of n rows, abs(k) <= coherence < 1 = k(0).

        D >= n (1 - eps)^2 / ((1 + eps)^2 + (n - 1) (eps + coherence)^2)

    About n for eps below 1 / sqrt(n), and 1 / eps^2 beyond: random features need log n times as many.

    Examples
    --------
    >>> columns_needed(10**6, eps=0.05)
    361
    """
    if isinstance(n_rows, bool) or int(n_rows) != n_rows or n_rows < 1:
        raise invalid_parameter("columns_needed", "n_rows", "an integer >= 1", n_rows)
    require(check_eps(eps) < 1, "an error below k(0) = 1", eps)
    require(0 <= coherence < 1, "kernel values below k(0) = 1 between different rows", coherence)
    spread = (1 + eps) ** 2 + (n_rows - 1) * (eps + coherence) ** 2
    return int(np.ceil(n_rows * (1 - eps) ** 2 / spread * (1 - 1e-12)))

"""The error of equispaced frequencies: aliasing and truncation, without probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bochner.theory.base import Bound, Certificate, Evidence, Source, Status
from bochner.theory.sources import BOCHNER

__all__ = ["EquispacedFrequencies"]


@dataclass(frozen=True, kw_only=True)
class EquispacedFrequencies(Bound):
    """The largest kernel error of a grid of frequencies over a box of rows (`bochner.sampling.grid` has the proof).

        |k_grid - k| <= images of k on the lattice of the period + weights of the frequencies beyond the grid

    Parameters
    ----------
    aliasing, truncation : float
        Upper bounds on the two sums.
    n_modes : int
    kernel : str, default="the kernel"
    rows : str, default="rows in the box of these rows"
        Which differences it speaks of.
    """

    aliasing: float
    truncation: float
    n_modes: int
    kernel: str = "the kernel"
    rows: str = "rows in the box of these rows"

    statement: ClassVar[str] = "sup |k_grid - k| <= sum of images + sum of weights left out"
    status: ClassVar[Status] = Status.VALID
    evidence: ClassVar[Evidence] = Evidence.REDERIVED
    source: ClassVar[Source] = Source(BOCHNER, "Poisson summation, bounded on the lattice")
    assumptions: ClassVar[tuple[str, ...]] = (
        "the kernel decreases in every |x_a - y_a|, and its spectral density is the one in closed form",
        "rounding errors of sums and special functions are below 1e-11 relative to them",
    )

    def certificate(self) -> Certificate:
        """The bound for all pairs of rows in the box, seen or not, however kernel and scales were chosen."""
        claim = f"the error of {self.kernel} on a grid of {self.n_modes:,} frequencies is {{value}} for all {self.rows}"
        value = self.aliasing + self.truncation
        return self._certificate(value, 0.0, claim, aliasing=self.aliasing, truncation=self.truncation)

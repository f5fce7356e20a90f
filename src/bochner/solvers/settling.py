"""Early end of iterations: the error on rows that are left out of them has settled.

Scores of classes are settled long before residuals are small. On letter (14,000 rows of 26 classes, 2,000 left out) the
mistakes no longer changed from a residual of 5 % on, and the error fell by less than 0.5 % after 3 %.
"""

from __future__ import annotations

from dataclasses import dataclass

from bochner._typing import Array

__all__ = ["Settling"]


@dataclass(frozen=True)
class Settling:
    """Rule that ends iterations when errors have settled.

    Attributes
    ----------
    gain : float
        Of the error, that must be gained in `patience` iterations to go on.
    patience : int
    residual : float
        Above it iterations go on anyway: errors may rest and fall again.
    recomputes : bool
        Whether the last residual is computed in float64: a product whose tiles are not kept.
    """

    gain: float = 1e-3
    patience: int = 10
    residual: float = 0.01
    recomputes: bool = True

    @classmethod
    def of_classes(cls) -> Settling:
        """Of scores of classes, which promise no residual."""
        return cls(gain=0.01, patience=3, residual=0.05, recomputes=False)

    def has_come(self, errors: Array, residual: float) -> bool:
        """Whether the last errors are hardly better than the best before them."""
        if residual > self.residual or len(errors) <= self.patience:
            return False
        return bool(min(errors[-self.patience :]) > (1 - self.gain) * min(errors[: -self.patience]))

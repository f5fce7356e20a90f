"""Progress callbacks of a fit, without knowledge of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bochner.engines import OnPart

__all__ = ["Pass", "Silent", "Watch"]

Pass = tuple[OnPart, Callable[[], None]]
"""What to call after every block of a pass (True ends it), and at its end."""


class Watch(Protocol):
    """Progress listener, called once per pass over the rows: a progress bar, or scikit-learn's callbacks."""

    def begin(self, n_blocks: int | None) -> Pass:
        """Start of a pass of `n_blocks` blocks (None: not known)."""
        ...


class Silent:
    """Progress listener that does nothing."""

    def begin(self, n_blocks: int | None) -> Pass:
        return (lambda n_rows: False), (lambda: None)

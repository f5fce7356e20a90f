"""Progress of a fit: what a fit tells whoever watches it, without knowing who that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bochner.engines import OnPart

__all__ = ["Pass", "Silent", "Watch"]

Pass = tuple[OnPart, Callable[[], None]]
"""What to call after every block of a pass (True ends it), and at its end."""


class Watch(Protocol):
    """Told of every pass over the rows: a progress bar, or scikit-learn's callbacks."""

    def begin(self, n_blocks: int | None) -> Pass:
        """A pass of so many blocks begins; None: that is not known."""
        ...


class Silent:
    """Nobody watches."""

    def begin(self, n_blocks: int | None) -> Pass:
        return (lambda n_rows: False), (lambda: None)

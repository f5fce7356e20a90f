"""Progress of the solves of a fit, step by step: what an interrupted fit needs to go on in the middle of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.statistics.state_schema import Schema

__all__ = ["NO_PROGRESS", "Progress"]


class Progress(Protocol):
    """Record of a step of a fit, such as a fold or a solve. Steps have names, and steps of their own.

    Nothing in a record is trusted to be right: solvers check their solutions themselves, wherever they start.
    """

    def within(self, name: str) -> Progress:
        """The record of a step of this one."""
        ...

    def numbers(self, name: str, shape: tuple[int, ...]) -> Array:
        """Results of this step, to be filled in: NaN where there is none yet."""
        ...

    def resumed(self, schema: Schema) -> JsonDict | None:
        """The state of the solver in which this step was interrupted; None if it begins here."""
        ...

    def reached(self, state: Callable[[], JsonDict]) -> bool:
        """Take the state of the solver between two iterations; it is asked for only if it is written.

        True asks the solver to end here.
        """
        ...

    def ended(self, state: Callable[[], JsonDict] | None = None) -> None:
        """This step is over. Its last state is kept if it is given: later steps need the solution."""
        ...


class _NoProgress:
    """Record of a fit that cannot be resumed."""

    def within(self, name: str) -> Progress:
        return self

    def numbers(self, name: str, shape: tuple[int, ...]) -> Array:
        return np.full(shape, np.nan)

    def resumed(self, schema: Schema) -> JsonDict | None:
        return None

    def reached(self, state: Callable[[], JsonDict]) -> bool:
        return False

    def ended(self, state: Callable[[], JsonDict] | None = None) -> None:
        return


NO_PROGRESS: Progress = _NoProgress()
"""For fits without a checkpoint."""

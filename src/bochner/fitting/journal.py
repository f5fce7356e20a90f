"""Journal of a fit of many solves, in its checkpoint: results of those that are done, state of the one at hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.solvers import Progress
from bochner.statistics import ArrayRule, CheckpointFile, Schema
from bochner.statistics.state_schema import split_state

__all__ = ["FitJournal"]


class FitJournal:
    """`Progress` of a fit, in the parts of a file. The part of a step has its name, with those of the steps around it.

    Parameters
    ----------
    file : CheckpointFile
    name : str, default="fit"
    """

    def __init__(self, file: CheckpointFile, name: str = "fit") -> None:
        self._file, self._name = file, name

    def within(self, name: str) -> Progress:
        return FitJournal(self._file, f"{self._name}.{name}")

    def numbers(self, name: str, shape: tuple[int, ...]) -> Array:
        part = f"{self._name}.{name}"
        found = self._file.part(part, Schema({"numbers": ArrayRule(shape, gaps=True)}))
        numbers = np.full(shape, np.nan) if found is None else found["numbers"]
        self._file.hold({"numbers": numbers}, part)  # not a copy: what is filled in later is written, too
        return numbers

    def resumed(self, schema: Schema) -> JsonDict | None:
        return self._file.part(self._name, schema)

    def reached(self, state: Callable[[], JsonDict]) -> bool:
        if self._file.due:
            self._file.save(*split_state(state()), part=self._name)
        return False

    def ended(self, state: Callable[[], JsonDict] | None = None) -> None:
        self._file.hold(None if state is None else state(), self._name)

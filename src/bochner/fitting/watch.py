"""Progress callbacks of a fit, without knowledge of scikit-learn: of passes over rows, and of iterations of solvers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from bochner._typing import Array, JsonDict
from bochner.engines import OnPart
from bochner.fitting.checkpoints import FitCheckpoint
from bochner.solvers import NO_PROGRESS, Progress
from bochner.statistics import Schema

__all__ = ["Pass", "Silent", "Watch", "watched"]

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


@contextmanager
def watched(watch: Watch | None, checkpoint: FitCheckpoint | None) -> Iterator[Progress]:
    """Progress of a fit of many solves, every iteration of which is told to a listener as a block.

    A listener that asks for an end ends this solve, and those after it with their first iteration.
    """
    on_block, finish = (watch or Silent()).begin(None)
    record, asked = NO_PROGRESS if checkpoint is None else checkpoint.journal(), False

    def on_iteration() -> bool:
        nonlocal asked
        asked = on_block(0) or asked
        return asked

    yield _Watched(record, on_iteration)
    finish()


class _Watched:
    """`Progress` that is recorded by another one, and told to a listener."""

    def __init__(self, record: Progress, on_iteration: Callable[[], bool]) -> None:
        self._record, self._on_iteration = record, on_iteration

    def within(self, name: str) -> Progress:
        return _Watched(self._record.within(name), self._on_iteration)

    def numbers(self, name: str, shape: tuple[int, ...]) -> Array:
        return self._record.numbers(name, shape)

    def resumed(self, schema: Schema) -> JsonDict | None:
        return self._record.resumed(schema)

    def reached(self, state: Callable[[], JsonDict]) -> bool:
        ended = self._record.reached(state)
        return self._on_iteration() or ended

    def ended(self, state: Callable[[], JsonDict] | None = None) -> None:
        self._record.ended(state)

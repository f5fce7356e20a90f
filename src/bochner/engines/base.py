"""Engine and Reduction: abstract bases of local and cluster execution of sums over blocks of rows.

A `Reduction` says what is summed. An `Engine` says where: threads of this process, or the workers of a cluster. Any
partition of the rows, order and number of workers gives the same total, to rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from bochner._typing import Array, Rows
from bochner.data import Block, RowSource
from bochner.features import FeatureMap

__all__ = ["Cut", "Engine", "Ledger", "OnPart", "Reduction"]

Total = TypeVar("Total")
Part = TypeVar("Part")

OnPart = Callable[[int], bool]
"""Called with the number of rows of every part that was added; True ends the pass there."""


@dataclass(frozen=True)
class Cut:
    """Partition of a pass into blocks: rows of a block, and threads (None: all)."""

    block_rows: int
    n_threads: int | None = None


class Reduction(ABC, Generic[Total, Part]):
    """A sum over blocks of rows: an empty total, what a block adds, how two totals merge.

    Totals are a commutative monoid up to rounding. All that a reduction holds is sent to the workers of a cluster.
    """

    @abstractmethod
    def cut(self, n_rows: int) -> Cut:
        """How a pass over so many rows is cut on one machine."""

    @abstractmethod
    def empty(self) -> Total:
        """The total of no rows."""

    @abstractmethod
    def scratch(self, block_rows: int) -> Any:
        """Space that belongs to one thread; what `part` leaves there is valid until it is added."""

    @abstractmethod
    def part(self, block: Block, scratch: Any) -> Part:
        """Part of one block; called in several threads."""

    @abstractmethod
    def add(self, total: Total, part: Part) -> Total:
        """The total with a part, in the order of the rows; `total` may be changed and returned."""

    @abstractmethod
    def merge(self, total: Total, other: Total) -> Total:
        """Two totals together; `total` may be changed and returned, `other` stays as it is."""

    def elsewhere(self) -> Reduction[Total, Part]:
        """The reduction for other machines. Reductions that hold a cut for this one override."""
        return self

    def restricted(self, rows: slice) -> Reduction[Total, Part]:
        """The reduction for rows of a slice, numbered from 0. Reductions that hold something for every row override."""
        return self


class Ledger(Protocol):
    """Record of the blocks that are in a total already: the checkpoint of a pass."""

    @property
    def done(self) -> dict[int, int]:
        """First row and checksum of every block that is in the total."""
        ...

    def checksum(self, block: Block) -> int: ...

    def contains(self, block: Block) -> bool:
        """Whether a block is in the total; an error if its rows have changed since."""
        ...

    def require_unchanged(self, start: int, checksum: int) -> None:
        """An error if the block that begins at a row had another checksum when it was added."""
        ...

    def require_rows(self, starts: set[int], n_rows: int) -> None:
        """An error unless the blocks of an interrupted pass begin at some rows and have so many in all."""
        ...

    def require_all_met(self) -> None:
        """At the end of a pass: an error unless the blocks of an interrupted one came again."""
        ...

    def adding(self, done: dict[int, int], n_rows: int, block_rows: int) -> AbstractContextManager[None]:
        """While blocks are being added: an interrupt in between must not write a total with half of them."""
        ...

    def reached(self, total: Any) -> None:
        """Called with the total after every addition: saves it if it is time."""
        ...

    def save(self, total: Any) -> None: ...


class Engine(ABC):
    """Execution engine for blocks of rows: threads or a cluster. A second cluster is one more subclass."""

    @property
    @abstractmethod
    def in_process(self) -> bool:
        """Whether rows are worked on in this process, which can then keep the features that it computes of them."""

    @abstractmethod
    def reduce(
        self,
        rows: RowSource,
        reduction: Reduction[Total, Part],
        total: Total,
        *,
        on_part: OnPart | None = None,
        ledger: Ledger | None = None,
    ) -> Total:
        """Add all rows to a total; blocks that are in the ledger are left out, and written to it when added."""

    @abstractmethod
    def parts(self, rows: RowSource, reduction: Reduction[Total, Part]) -> Iterator[Total]:
        """Totals of consecutive rows, in their order, one at a time and computed when asked for."""

    @abstractmethod
    def ship(self, feature_map: FeatureMap) -> FeatureMap:
        """The map in the form in which reductions hold it: small enough to be sent to workers."""

    @abstractmethod
    def hold(self, rows: RowSource) -> None:
        """Keep the rows where they are worked on: many passes will follow."""

    @abstractmethod
    def apply(
        self, rows: RowSource, function: Callable[[Rows], Array], shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> Any:
        """`function(X)` of all rows, b values of a shape: an array, or a lazy one that stays with the rows.

        `function` can be sent to workers.
        """

"""Checkpoint of a pass over the rows: the sums so far, and which blocks of rows are in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Generic, TypeVar

import numpy as np

from bochner._typing import JsonDict
from bochner.data import READ_ROWS, Block
from bochner.errors import CheckpointError
from bochner.statistics.checkpoint import CheckpointFile
from bochner.statistics.checksums import block_checksum
from bochner.statistics.state_schema import ArrayRule, NumberRule, Rule, Schema, split_state

__all__ = ["MOST_ROWS", "PassCheckpoint", "identity_fault", "pass_rules"]

MOST_ROWS = 2**62

Total = TypeVar("Total")


def pass_rules(longest_block: int = READ_ROWS) -> dict[str, Rule]:
    """Rules of what every pass writes: its cut, its rows and weight, first rows and checksums of blocks."""
    return {
        "block_rows": NumberRule(0, longest_block, integer=True),
        "n_rows": NumberRule(0, MOST_ROWS, integer=True),
        "weight": NumberRule(0),
        "starts": ArrayRule((None,), "int64", 0, MOST_ROWS),
        "checksums": ArrayRule((None,), "int64", 0, 2**32 - 1),
    }


class PassCheckpoint(ABC, Generic[Total]):
    """A pass over the rows that can go on where it stopped. A subclass says what its sums are.

    Parameters
    ----------
    file : CheckpointFile
    part : str, default=""
        Part of the file that is for this pass, of a fit of several.

    Attributes
    ----------
    block_rows : int or None
        How the interrupted pass was cut: its blocks must come again. None if there was none.
    done : dict of int to int
        First row and checksum of every block that is in the sums.
    """

    def __init__(self, file: CheckpointFile, part: str = "") -> None:
        self.file, self.part = file, part
        self.done: dict[int, int] = {}
        self.block_rows: int | None = None
        self._whole, self._changed = True, False
        self._resumed = _Resumed([], 0, 0.0)
        state = file.part(part, self.schema())
        if state is not None:
            self.block_rows = state["block_rows"]
            starts, checksums = state["starts"].tolist(), state["checksums"].tolist()
            self.done = dict(zip(starts, checksums))
            file.require(_count_fault(starts, checksums, state["n_rows"]))
            self._resumed = _Resumed(sorted(starts), state["n_rows"], state["weight"])
        self._n_rows = self._resumed.n_rows

    @abstractmethod
    def schema(self) -> Schema:
        """Schema of the state of a pass, of any sizes."""

    @abstractmethod
    def sums(self, total: Total) -> JsonDict:
        """What is written of the sums, with their weight as `weight`."""

    @property
    def path(self) -> str:
        return str(self.file.path)

    @staticmethod  # workers of a cluster call it too
    def checksum(block: Block) -> int:
        return block_checksum(block)

    def contains(self, block: Block) -> bool:
        """Whether the block is in the sums already; an error if it has changed since."""
        self._require_cut(block.start, block.n_rows)
        if block.start not in self.done:
            return False
        self.require_unchanged(block.start, block_checksum(block))
        weight = float(block.n_rows) if block.sample_weight is None else float(block.sample_weight.sum())
        self._resumed.met[block.start] = block.n_rows, weight
        return True

    def require_unchanged(self, start: int, checksum: int) -> None:
        """An error if the block that begins at a row had another checksum when it was added."""
        if self.done[start] != checksum:
            raise CheckpointError(
                f"The checkpoint {self.path!r} belongs to other data: rows from {start} on have changed. "
                "Delete it, or give another path."
            )

    def require_rows(self, starts: set[int], n_rows: int) -> None:
        """An error unless the blocks of the interrupted pass begin at some rows and have so many."""
        missing = self._resumed.starts_set - starts
        if missing:
            self.file.require(f"no block begins at row {min(missing)}")
        if n_rows != self._resumed.n_rows:
            self.file.require(f"its blocks have {n_rows:,} rows, and its sums {self._resumed.n_rows:,}")

    def require_all_met(self) -> None:
        """At the end of a pass: an error unless the blocks of the interrupted one came again, with their weight."""
        met = self._resumed.met
        self.require_rows(set(met), sum(rows for rows, _ in met.values()))
        weight = sum(weight for _, weight in met.values())
        if not np.isclose(weight, self._resumed.weight, rtol=1e-6, atol=0):
            self.file.require(f"its blocks have a weight of {weight:g}, and its sums {self._resumed.weight:g}")

    @contextmanager
    def adding(self, done: Mapping[int, int], n_rows: int, block_rows: int) -> Iterator[None]:
        """Around the addition of blocks of so many rows in all to the sums: notes them."""
        self._whole = False  # an interrupt in here leaves sums that are neither with nor without the blocks
        yield
        self.done.update(done)
        self._n_rows += n_rows
        self.block_rows, self._whole, self._changed = block_rows, True, True

    def reached(self, total: Total) -> None:
        """Save the sums with all blocks that were added, if it is time."""
        if self.file.due:
            self.save(total)

    def save(self, total: Total) -> None:
        """Write the sums and what is in them, if there is anything new."""
        if self._changed and self._whole:
            self.file.save(*split_state(self._state(total)), part=self.part)
            self._changed = False

    def _state(self, total: Total) -> JsonDict:
        starts, checksums = np.array(list(self.done.items()), dtype=np.int64).reshape(-1, 2).T
        return {
            "block_rows": self.block_rows,
            "n_rows": self._n_rows,
            **self.sums(total),
            "starts": starts.copy(),
            "checksums": checksums.copy(),
        }

    def _require_cut(self, start: int, n_rows: int) -> None:
        """An error if a block of the interrupted pass begins within a block of this one."""
        starts = self._resumed.starts
        inside = bisect_left(starts, start + n_rows) - bisect_right(starts, start)
        if inside:
            self.file.require(f"it is cut at row {starts[bisect_right(starts, start)]}, where these rows are not")


class _Resumed:
    """Blocks of the interrupted pass: where they begin, their rows and weight in all, and those that came again."""

    def __init__(self, starts: list[int], n_rows: int, weight: float) -> None:
        self.starts, self.starts_set, self.n_rows, self.weight = starts, set(starts), n_rows, weight
        self.met: dict[int, tuple[int, float]] = {}


def identity_fault(state: JsonDict) -> str | None:
    """Whether rows of positive weight are more than all: their number would leave 64 bits as it grows."""
    more = "identity" in state and int(state["identity"][0]) > state["n_rows"]
    return "'identity' is that of more rows than there are" if more else None


def _count_fault(starts: list[int], checksums: list[int], n_rows: int) -> str | None:
    if len(starts) != len(checksums) or len(set(starts)) != len(starts):
        return "'starts' and 'checksums' are not pairs, or have a block twice"
    return None if len(starts) <= n_rows or not n_rows else f"{len(starts)} blocks cannot be {n_rows} rows"

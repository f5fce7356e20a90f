"""Checkpoints of a pass over the rows: the moments so far, and which blocks of rows are in them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from bochner._typing import JsonDict
from bochner.data import READ_ROWS, Block
from bochner.errors import CheckpointError
from bochner.statistics.checkpoint import CheckpointFile
from bochner.statistics.checksums import block_checksum
from bochner.statistics.identity import RowIdentity
from bochner.statistics.moments import Moments
from bochner.statistics.state_schema import ArrayRule, NumberRule, Rule, Schema, split_state

__all__ = ["MomentsCheckpoint"]

_SUMS = ("z_mean", "y_mean", "zz", "zy", "yy")
_MOST_ROWS = 2**62
_LARGEST = 1e100  # feature, and 1e150 of a target: their squares and sums of squares are finite


def moments_schema(width: int | None = None, n_targets: int | None = None) -> Schema:
    """Schema of the moments of a map and its targets; None: of any."""
    D, t = width, n_targets
    needed: dict[str, Rule] = {
        "block_rows": NumberRule(0, READ_ROWS, integer=True),
        "n_rows": NumberRule(0, _MOST_ROWS, integer=True),
        "weight": NumberRule(0),
        "precision": NumberRule(0, 1e-3),
        "z_mean": ArrayRule((D,), low=-_LARGEST, high=_LARGEST),
        "y_mean": ArrayRule((t,), low=-1e150, high=1e150),
        "zz": ArrayRule((D, D), low=-(_LARGEST**2), high=_LARGEST**2),
        "zy": ArrayRule((D, t)),
        "yy": ArrayRule((t,), low=0, high=1e300),
        "starts": ArrayRule((None,), "int64", 0, _MOST_ROWS),
        "checksums": ArrayRule((None,), "int64", 0, 2**32 - 1),
    }
    return Schema(needed, {"identity": ArrayRule((7,), "uint64", 0, 2**64)})


class MomentsCheckpoint:
    """A pass over the rows that can go on where it stopped.

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
        First row and checksum of every block that is in the moments.
    """

    def __init__(self, file: CheckpointFile, part: str = "") -> None:
        self.file, self.part = file, part
        self.done: dict[int, int] = {}
        self.block_rows: int | None = None
        self._whole, self._changed = True, False
        self._resumed = _Resumed([], 0, 0.0)
        state = file.part(part, moments_schema())
        if state is not None:
            self.block_rows = state["block_rows"]
            starts, checksums = state["starts"].tolist(), state["checksums"].tolist()
            self.done = dict(zip(starts, checksums))
            file.require(_count_fault(starts, checksums, state["n_rows"]))
            self._resumed = _Resumed(sorted(starts), state["n_rows"], state["weight"])

    @property
    def path(self) -> str:
        return str(self.file.path)

    def restore(self, total: Moments) -> None:
        """Put the moments of the interrupted pass into empty ones."""
        state = self.file.part(self.part, moments_schema(len(total.z_mean), len(total.y_mean)))
        if state is None:
            return
        self.file.require(_moments_fault(state) or _identity_fault(state))
        for name in _SUMS:
            getattr(total, name)[...] = state[name]
        total.n_rows, total.weight, total.precision = state["n_rows"], float(state["weight"]), state["precision"]
        total.identity = RowIdentity.from_array(state["identity"]) if "identity" in state else None
        self.file.hold(self._state(total), self.part)  # what was read is as large as the moments

    @staticmethod  # workers of a cluster call it too
    def checksum(block: Block) -> int:
        return block_checksum(block)

    def contains(self, block: Block) -> bool:
        """Whether the block is in the moments already; an error if it has changed since."""
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
            self.file.require(f"its blocks have {n_rows:,} rows, and its moments {self._resumed.n_rows:,}")

    def require_all_met(self) -> None:
        """At the end of a pass: an error unless the blocks of the interrupted one came again, with their weight."""
        met = self._resumed.met
        self.require_rows(set(met), sum(rows for rows, _ in met.values()))
        weight = sum(weight for _, weight in met.values())
        if not np.isclose(weight, self._resumed.weight, rtol=1e-6, atol=0):
            self.file.require(f"its blocks have a weight of {weight:g}, and its moments {self._resumed.weight:g}")

    @contextmanager
    def adding(self, done: Mapping[int, int], total: Moments, block_rows: int) -> Iterator[None]:
        """Around the addition of blocks to the moments: notes them, and saves if it is time."""
        self._whole = False  # an interrupt in here leaves moments that are neither with nor without the blocks
        yield
        self.done.update(done)
        self.block_rows, self._whole, self._changed = block_rows, True, True
        if self.file.due:
            self.save(total)

    def save(self, total: Moments) -> None:
        """Write the moments and what is in them, if there is anything new."""
        if self._changed and self._whole:
            self.file.save(*split_state(self._state(total)), part=self.part)
            self._changed = False

    def _state(self, total: Moments) -> JsonDict:
        starts, checksums = np.array(list(self.done.items()), dtype=np.int64).reshape(-1, 2).T
        identity = {} if total.identity is None else {"identity": total.identity.to_array()}
        return {
            "block_rows": self.block_rows,
            "n_rows": total.n_rows,
            "weight": total.weight,
            "precision": total.precision,
            **{name: getattr(total, name) for name in _SUMS},
            **identity,
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


def _count_fault(starts: list[int], checksums: list[int], n_rows: int) -> str | None:
    if len(starts) != len(checksums) or len(set(starts)) != len(starts):
        return "'starts' and 'checksums' are not pairs, or have a block twice"
    return None if len(starts) <= n_rows or not n_rows else f"{len(starts)} blocks cannot be {n_rows} rows"


def _identity_fault(state: JsonDict) -> str | None:
    """Whether rows of positive weight are more than all: their number would leave 64 bits as it grows."""
    more = "identity" in state and int(state["identity"][0]) > state["n_rows"]
    return "'identity' is that of more rows than there are" if more else None


def _moments_fault(state: JsonDict) -> str | None:
    """Whether numbers cannot be moments: Cauchy and Schwarz's inequality, with room for rounding."""
    n, variance, zz = state["weight"], np.diag(state["zz"]), state["zz"]
    with np.errstate(over="ignore", invalid="ignore"):
        room = 0.01 * (np.max(np.abs(variance), initial=0.0) + n * np.max(state["z_mean"] ** 2, initial=0.0))
        most = np.sqrt(np.maximum(variance, 0.0)) * 1.01
        if not np.all(variance >= -room) or not np.isfinite(np.sum(variance)):
            return "'zz' has a negative or infinite variance"
        if not all(np.all(np.abs(row) <= size * most + room) for row, size in zip(zz, most)):
            return "'zz' is not a covariance"
        y_room = np.sqrt(room * state["yy"])
        if not np.all(np.abs(state["zy"]) <= np.outer(most, np.sqrt(state["yy"])) * 1.01 + y_room):
            return "'zy' is not a covariance"
    return None

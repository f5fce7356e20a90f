"""Checkpoints for resuming a fit that was interrupted.

A checkpoint belongs to one fit. It knows the parameters that decide its content and a checksum of every block of rows
in it, and is refused where either differs. It is written beside and renamed (see `bochner._archive`), so that at any
moment the file is a whole one, and so seldom that writing takes about 1 % of the time.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from bochner._archive import read_archive, write_archive
from bochner._typing import Array, FilePath
from bochner.data import READ_ROWS, Block, RowSource
from bochner.engines import Cut, Reduction, engine_of
from bochner.errors import CheckpointError, CheckpointWarning, FileFormatError
from bochner.statistics.identity import RowIdentity
from bochner.statistics.moments import Moments

__all__ = ["CheckpointFile", "MomentsCheckpoint", "block_checksum", "rows_checksum"]

_KIND, _VERSION = "checkpoint", 1
_SHORTEST = 1.0  # seconds between two writes
_REST = 100  # times the length of the last write, at least


class CheckpointFile:
    """A file with the state of a fit.

    Parameters
    ----------
    path : str or Path
    identity : dict of str to str
        What the fit is: a checkpoint with another identity is refused, and the first difference is named.

    Attributes
    ----------
    notes : dict
        Choices of the fit that a resumed one must repeat, such as its seed; those of the file once it is loaded.
    """

    def __init__(self, path: FilePath, identity: Mapping[str, str]) -> None:
        self.path, self.identity = Path(path), dict(identity)
        self.notes: dict[str, Any] = {}
        self.seconds_writing = 0.0
        self._next = time.monotonic() + _SHORTEST

    def load(self) -> tuple[dict[str, Any], dict[str, Array]] | None:
        """The state that was saved and its arrays; None if there is no file."""
        if not self.path.exists():
            return None
        try:
            _, header, arrays = read_archive(self.path, kind=_KIND, version=_VERSION)
        except FileFormatError as error:
            raise CheckpointError(f"{error} Delete it to start anew.") from error
        names = self.identity.keys() | header["identity"].keys()
        shared = self.identity.keys() & header["identity"].keys()
        for name in sorted(names, key=lambda name: (name not in shared, name)):  # causes before their consequences
            then, now = header["identity"].get(name), self.identity.get(name)
            if then != now:
                raise CheckpointError(
                    f"The checkpoint {str(self.path)!r} belongs to another fit: {name} was {then}, and is {now} now. "
                    "Delete it, or give another path."
                )
        self.notes = header["notes"]
        return header["state"], arrays

    def save(self, state: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        """Replace the file. A full disk costs the checkpoint, not the fit: the old file stays, with a warning."""
        start = time.monotonic()
        header = {"identity": self.identity, "notes": self.notes, "state": dict(state)}
        try:
            write_archive(self.path, kind=_KIND, version=_VERSION, header=header, arrays=arrays)
        except OSError as error:
            warnings.warn(
                f"The checkpoint {str(self.path)!r} could not be written ({error}). The fit goes on, and what the file "
                "held before is still there.",
                CheckpointWarning,
                stacklevel=2,
            )
        end = time.monotonic()
        self.seconds_writing += end - start
        self._next = end + max(_SHORTEST, _REST * (end - start))

    @property
    def due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() >= self._next


class MomentsCheckpoint:
    """A pass over the rows that can go on where it stopped.

    Attributes
    ----------
    block_rows : int or None
        How the interrupted pass was cut: its blocks must come again. None if there was none.
    done : dict of int to int
        First row and checksum of every block that is in the moments.
    """

    def __init__(self, file: CheckpointFile) -> None:
        self.file = file
        self.done: dict[int, int] = {}
        self.block_rows: int | None = None
        self._whole = True
        self._found = file.load()
        if self._found is not None:
            state, arrays = self._found
            self.block_rows = int(state["block_rows"])
            self.done = dict(zip(arrays["starts"].tolist(), arrays["checksums"].tolist()))

    def restore(self, total: Moments) -> None:
        """Put the moments of the interrupted pass into empty ones."""
        if self._found is None:
            return
        state, arrays = self._found
        for name in ("z_mean", "y_mean", "zz", "zy", "yy"):
            getattr(total, name)[...] = arrays[name]
        total.n_rows, total.weight, total.precision = state["n_rows"], state["weight"], state["precision"]
        total.identity = RowIdentity.from_array(arrays["identity"]) if "identity" in arrays else None
        self._found = None  # the arrays are as large as the moments

    @staticmethod  # workers of a cluster call it too
    def checksum(block: Block) -> int:
        return block_checksum(block)

    def contains(self, block: Block) -> bool:
        """Whether the block is in the moments already; an error if it has changed since."""
        if block.start not in self.done:
            return False
        self.require_unchanged(block.start, block_checksum(block))
        return True

    def require_unchanged(self, start: int, checksum: int) -> None:
        """An error if the block that begins at a row had another checksum when it was added."""
        if self.done[start] != checksum:
            raise CheckpointError(
                f"The checkpoint {str(self.file.path)!r} belongs to other data: rows from {start} on have changed. "
                "Delete it, or give another path."
            )

    @contextmanager
    def adding(self, done: Mapping[int, int], total: Moments, block_rows: int) -> Iterator[None]:
        """Around the addition of blocks to the moments: notes them, and saves if it is time."""
        self._whole = False  # an interrupt in here leaves moments that are neither with nor without the blocks
        yield
        self.done.update(done)
        self.block_rows, self._whole = block_rows, True
        if self.file.due:
            self.save(total)

    def save(self, total: Moments) -> None:
        """Write the moments and what is in them."""
        if self.block_rows is None or not self._whole:
            return
        state = {
            "block_rows": self.block_rows,
            "n_rows": total.n_rows,
            "weight": total.weight,
            "precision": total.precision,
        }
        starts, checksums = np.array(list(self.done.items()), dtype=np.int64).reshape(-1, 2).T
        arrays = {name: getattr(total, name) for name in ("z_mean", "y_mean", "zz", "zy", "yy")}
        if total.identity is not None:
            arrays["identity"] = total.identity.to_array()
        self.file.save(state, {**arrays, "starts": starts.copy(), "checksums": checksums.copy()})


def rows_checksum(rows: RowSource) -> str:
    """A checksum of all rows in their order, for a fit whose state does not tell which rows are in it: one pass.

    Unlike `RowIdentity` it depends on the order of the rows, as an iterative fit does.
    """
    checksums = engine_of(rows).reduce(rows, _Checksums(), [])
    return f"{crc32(repr(checksums).encode()):08x}"


class _Checksums(Reduction[list[int], int]):
    """Checksums of consecutive blocks."""

    def cut(self, n_rows: int) -> Cut:
        return Cut(READ_ROWS)

    def empty(self) -> list[int]:
        return []

    def scratch(self, block_rows: int) -> None:
        return None

    def part(self, block: Block, scratch: None) -> int:
        return block_checksum(block)

    def add(self, total: list[int], part: int) -> list[int]:
        return [*total, part]

    def merge(self, total: list[int], other: list[int]) -> list[int]:
        return [*total, *other]


def block_checksum(block: Block) -> int:
    """CRC-32 of a block's numbers."""
    X = block.X
    parts = (X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (X,)
    total = 0
    for part in (*parts, block.Y, block.sample_weight):
        if part is not None:
            total = crc32(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data, total)
    return total

"""Order-independent checksums of rows, targets and weights: which rows a fit has seen.

    checksum = sum over rows of positive weight of hash(row, weight, target)      mod 2^64, with two independent hashes

The sum is commutative and associative: any split of the rows, any order and any number of workers give the same
checksum, duplicates count, and it rides along with the moments of a pass at memory speed. It tells mistakes apart, not
attacks: two different tables have the same 128 bits with probability about 2^-128, unless someone wants them to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np

from bochner._typing import Array
from bochner.data import READ_ROWS, Block, RowSource
from bochner.engines import Cut, Reduction, engine_of

__all__ = ["RowIdentity", "identify", "relabelled"]

_MASK = 2**64 - 1


@dataclass(frozen=True)
class RowIdentity:
    """Checksums of the rows of positive weight: of X alone, of X with weights, and of X with weights and targets.

    A commutative monoid under `+`; `RowIdentity()` is neutral. Numbers count by their value in double precision:
    float32, float64, dense and sparse rows of the same values are the same rows.

    Attributes
    ----------
    n_rows : int
        Rows of positive weight.
    rows, weighted, labelled : tuple of (int, int)
        128 bits each.
    """

    n_rows: int = 0
    rows: tuple[int, int] = (0, 0)
    weighted: tuple[int, int] = (0, 0)
    labelled: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, block: Block) -> Self:
        """The identity of one block of rows."""
        from bochner.statistics import _loops

        X, totals = block.X, np.zeros((3, 2), dtype=np.uint64)
        Y = np.ascontiguousarray(block.Y, dtype=np.float64).reshape(block.n_rows, -1) + 0.0
        weight = np.ones(block.n_rows) if block.sample_weight is None else np.ascontiguousarray(block.sample_weight)
        keys, y_keys = _keys(X.shape[1], 0), _keys(Y.shape[1], 1)
        if hasattr(X, "indptr"):
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
            _loops.add_sparse_rows(X.data, X.indices, X.indptr, Y, weight, keys, y_keys, totals)
        else:
            _loops.add_dense_rows(X, Y, weight, keys, y_keys, totals)
        parts = [(int(first), int(second)) for first, second in totals]
        return cls(int(np.count_nonzero(weight)), *parts)

    def __add__(self, other: RowIdentity) -> RowIdentity:
        return RowIdentity(
            self.n_rows + other.n_rows,
            _sum(self.rows, other.rows),
            _sum(self.weighted, other.weighted),
            _sum(self.labelled, other.labelled),
        )

    def difference(
        self, other: RowIdentity, *, targets: bool = True, weights: str | None = "the sample weights"
    ) -> str | None:
        """How `other` differs from these rows, in words; None if rows, weights and targets are the same.

        `targets` says whether these are compared; `weights` is what the weights come from, None not to compare them.
        """
        if self.n_rows != other.n_rows:
            return f"the model was fitted to {self.n_rows:,} rows of positive weight, and these are {other.n_rows:,}"
        if self.rows != other.rows:
            return f"these {other.n_rows:,} rows are not those of the fit: their checksum differs"
        if weights is not None and self.weighted != other.weighted:
            return f"{weights} are not those of the fit"
        if targets and self.labelled != other.labelled:
            return "the targets are not those of the fit"
        return None

    def to_array(self) -> Array:
        """Seven 64-bit numbers, for a file."""
        numbers = (self.n_rows, *self.rows, *self.weighted, *self.labelled)
        return np.array(numbers, dtype=np.uint64)

    @classmethod
    def from_array(cls, numbers: Array) -> Self:
        n_rows, *halves = (int(number) for number in numbers)
        return cls(n_rows, (halves[0], halves[1]), (halves[2], halves[3]), (halves[4], halves[5]))


def identify(rows: RowSource, Y: Array | None = None, weight: Array | None = None) -> RowIdentity:
    """The identity of all rows: one reading pass, on all threads, or on the workers of a cluster.

    `Y` (n,) or (n, t) and `weight` (n,), if given, take the place of the targets and weights of the rows.
    """
    return engine_of(rows).reduce(rows, _Identity(Y, weight), RowIdentity())


@dataclass(frozen=True)
class _Identity(Reduction[RowIdentity, RowIdentity]):
    """Checksums of rows with other targets and weights."""

    Y: Array | None
    weight: Array | None

    def cut(self, n_rows: int) -> Cut:
        return Cut(READ_ROWS)

    def empty(self) -> RowIdentity:
        return RowIdentity()

    def scratch(self, block_rows: int) -> None:
        return None

    def part(self, block: Block, scratch: None) -> RowIdentity:
        return RowIdentity.of(relabelled(block, self.Y, self.weight))

    def add(self, total: RowIdentity, part: RowIdentity) -> RowIdentity:
        return total + part

    def merge(self, total: RowIdentity, other: RowIdentity) -> RowIdentity:
        return total + other

    def restricted(self, rows: slice) -> _Identity:  # there is a target and a weight for every row
        cut = [None if given is None else given[rows] for given in (self.Y, self.weight)]
        return _Identity(*cut)


def relabelled(block: Block, Y: Array | None, weight: Array | None) -> Block:
    """The block with its part of other targets and weights, where they are given."""
    rows = slice(block.start, block.start + block.n_rows)
    return replace(
        block,
        Y=block.Y if Y is None else Y[rows],
        sample_weight=block.sample_weight if weight is None else weight[rows],
    )


def _sum(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    return (left[0] + right[0]) & _MASK, (left[1] + right[1]) & _MASK


@lru_cache(maxsize=16)
def _keys(n: int, number: int) -> Any:
    """Odd 64-bit numbers (2, n), the same on every machine; the first ones are the same for every n."""
    words = np.random.Philox(key=[0x626F63686E6572, number]).random_raw(2 * n)
    return np.ascontiguousarray(np.asarray(words, dtype=np.uint64).reshape(n, 2).T) | np.uint64(1)

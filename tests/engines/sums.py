"""A small reduction and a ledger, for any engine."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from bochner.data import ArrayRows
from bochner.engines import Cut, Reduction
from tests.strategies import rows

N = 103
X, Y = rows(0, N, 3), rows(1, N, 2)
WEIGHT = np.random.default_rng(2).integers(0, 3, N).astype(float)
FACTORS = np.random.default_rng(3).standard_normal(N)


@dataclass(frozen=True)
class WeightedSums(Reduction):
    """sum_i f_i w_i x_i and the number of rows; f_i is held for every row."""

    factors: np.ndarray
    block_rows: int = 10

    def cut(self, n_rows):
        return Cut(self.block_rows, 2)

    def empty(self):
        return np.zeros(4)

    def scratch(self, block_rows):
        return np.empty(4)

    def part(self, block, scratch):
        own = self.factors[block.start : block.start + block.n_rows]
        weight = own if block.sample_weight is None else own * block.sample_weight
        scratch[:3], scratch[3] = weight @ block.X, block.n_rows
        return scratch.copy()

    def add(self, total, part):
        return total + part

    def merge(self, total, other):
        return total + other

    def restricted(self, rows):
        return replace(self, factors=self.factors[rows])


SUMS = WeightedSums(FACTORS)
EXPECTED = np.append((FACTORS * WEIGHT) @ X, N)


def array_rows():
    return ArrayRows(X, Y, WEIGHT, np.dtype(float))


class Notes:
    """A ledger in memory: what is in a total, and how often it was saved."""

    def __init__(self, done=None):
        self.done, self.saved, self.open = dict(done or {}), [], False

    @staticmethod
    def checksum(block):
        return crc32(np.ascontiguousarray(block.X).tobytes())

    def contains(self, block):
        if block.start not in self.done:
            return False
        self.require_unchanged(block.start, self.checksum(block))
        return True

    def require_unchanged(self, start, checksum):
        if self.done[start] != checksum:
            raise ValueError(f"rows from {start} have changed")

    def require_rows(self, starts, n_rows):
        assert starts == set(self.done)

    def require_all_met(self):
        return

    @contextmanager
    def adding(self, done, n_rows, block_rows):
        self.open = True
        yield
        self.open = False
        self.done |= done

    def reached(self, total):
        pass

    def save(self, total):
        if not self.open:
            self.saved.append(np.array(total))

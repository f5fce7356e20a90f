"""Groups that move or flip columns: cyclic shifts, permutations, signs. All are finite, unitary and exact."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from math import factorial

import numpy as np
from scipy.sparse import csr_array

from bochner._typing import Array
from bochner.errors import InvalidDataError
from bochner.groups.base import Action, Group, check_integer

__all__ = ["CyclicShifts", "Permutations", "SignFlips", "signed_permutation"]


def signed_permutation(source: Array, sign: Array | None = None) -> csr_array:
    """The matrix of (g x)_j = sign_j x_source(j)."""
    d = len(source)
    values = np.ones(d) if sign is None else np.asarray(sign, dtype=float)
    return csr_array((values, np.asarray(source), np.arange(d + 1)), shape=(d, d))


class _OfBlocks(Group):
    """A group that acts on the blocks of columns of a row."""

    block_size: int | None

    def _n_blocks(self, d: int) -> int:
        size = d if self.block_size is None else check_integer(self, "block_size", self.block_size, 1)
        if d % size:
            raise InvalidDataError(
                f"{type(self).__name__} with block_size={size} acts on rows of whole blocks. Got {d}."
            )
        return d // size

    def check_width(self, n_features: int | None) -> int:
        # Overrides: the width is a multiple of the block size.
        d = super().check_width(n_features)
        self._n_blocks(d)
        return d


class CyclicShifts(_OfBlocks):
    """Cyclic shifts of a signal: (g_s x)_t = x_(t - s mod T), T shifts, or every `step`-th of them.

    Parameters
    ----------
    step : int, default=1
        Shift by multiples of it only; it divides T.
    block_size : int, default=1
        Columns of one point in time: a signal with c channels, time by time, has block_size=c.

    Examples
    --------
    >>> from bochner.groups import CyclicShifts
    >>> CyclicShifts().elements(3).actions[1].toarray()
    array([[0., 0., 1.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """

    def __init__(self, step: int = 1, *, block_size: int = 1) -> None:
        self.step = step
        self.block_size = block_size

    def check_width(self, n_features: int | None) -> int:
        # Overrides: the number of blocks is a multiple of the step, too.
        d = super().check_width(n_features)
        if self._n_blocks(d) % check_integer(self, "step", self.step, 1):
            raise InvalidDataError(
                f"CyclicShifts with step={self.step} acts on signals whose length is a multiple of it. "
                f"Got {self._n_blocks(d)}."
            )
        return d

    def order(self, n_features: int | None = None) -> int:
        return self._n_blocks(self.check_width(n_features)) // self.step

    def _list(self, d: int) -> Sequence[Action]:
        return [self._shift(i, d) for i in range(self.order(d))]

    def _draw(self, n: int, d: int, rng: np.random.Generator) -> Sequence[Action]:
        return [self._shift(int(i), d) for i in rng.integers(self.order(d), size=n)]

    def _shift(self, i: int, d: int) -> csr_array:
        return signed_permutation(np.roll(np.arange(d), i * self.step * (d // self._n_blocks(d))))


class Permutations(_OfBlocks):
    """All permutations of the columns, or of blocks of columns (the atoms of a molecule, the points of a set).

    Parameters
    ----------
    block_size : int, default=1
        Columns that stay together: 3 for points in space.
    both_sides : bool, default=False
        A row is a square matrix, flattened, whose rows and columns are permuted together (a Coulomb or adjacency
        matrix); a block is then a row and column of it.
    """

    def __init__(self, block_size: int = 1, *, both_sides: bool = False) -> None:
        self.block_size = block_size
        self.both_sides = both_sides

    def _n_blocks(self, d: int) -> int:
        # Overrides: rows of a square matrix have its side as the number of blocks.
        if not self.both_sides:
            return super()._n_blocks(d)
        side = int(np.sqrt(d) + 0.5)
        if side * side != d:
            raise InvalidDataError(f"Permutations(both_sides=True) acts on flattened square matrices. Got {d} columns.")
        return super()._n_blocks(side)

    def order(self, n_features: int | None = None) -> int:
        return factorial(self._n_blocks(self.check_width(n_features)))

    def _list(self, d: int) -> Sequence[Action]:
        return [self._move(np.array(each), d) for each in permutations(range(self._n_blocks(d)))]

    def _draw(self, n: int, d: int, rng: np.random.Generator) -> Sequence[Action]:
        return [self._move(rng.permutation(self._n_blocks(d)), d) for _ in range(n)]

    def _move(self, blocks: Array, d: int) -> csr_array:
        size = check_integer(self, "block_size", self.block_size, 1)
        source = (blocks[:, None] * size + np.arange(size)).ravel()
        if self.both_sides:
            source = (source[:, None] * len(source) + source).ravel()
        return signed_permutation(source)


class SignFlips(_OfBlocks):
    """Changes of sign: of every column, of blocks of columns, or of the whole row.

    Parameters
    ----------
    block_size : int or None, default=1
        Columns that change sign together; None: all of them, so that only x and -x are alike. Eigenvectors, of which
        only the line is known, are blocks.
    """

    def __init__(self, block_size: int | None = 1) -> None:
        self.block_size = block_size

    def order(self, n_features: int | None = None) -> int:
        return int(2 ** self._n_blocks(self.check_width(n_features)))

    def _list(self, d: int) -> Sequence[Action]:
        return [self._flip(np.array(signs), d) for signs in product((1, -1), repeat=self._n_blocks(d))]

    def _draw(self, n: int, d: int, rng: np.random.Generator) -> Sequence[Action]:
        return [self._flip(signs, d) for signs in rng.choice([1, -1], size=(n, self._n_blocks(d)))]

    def _flip(self, signs: Array, d: int) -> csr_array:
        return signed_permutation(np.arange(d), np.repeat(signs, d // len(signs)))

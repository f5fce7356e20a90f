"""Base class of groups: transformations of rows, their law q, and their sampling."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, ArrayLike, Rows
from bochner.errors import InvalidDataError, invalid_parameter

__all__ = ["MOST_ELEMENTS", "Action", "Group", "Transforms", "act", "check_integer"]

Action: TypeAlias = csr_array | Callable[[Array], Array]
"""A sparse matrix A (d, d) with g x = A x, or a function of rows (n, d) that returns as many rows."""

MOST_ELEMENTS = 10_000
"""A larger group is not listed; it is sampled."""


@dataclass(frozen=True, eq=False)
class Transforms:
    """Some transformations g_1, ..., g_r of rows with d columns.

    Attributes
    ----------
    actions : tuple of r actions
    weights : array of shape (r,), sum 1
        Those of the law q.
    whole : bool
        All elements of a finite group or family.
    independent : bool
        Independent draws from q: the assumption of the theorems on sampled orbits.
    """

    actions: tuple[Action, ...]
    weights: Array
    whole: bool = True
    independent: bool = False

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def linear(self) -> bool:
        """Every action is a matrix."""
        return all(issparse(action) for action in self.actions)

    @property
    def matrices(self) -> tuple[csr_array, ...]:
        """The matrices A_g of linear actions."""
        if not self.linear:
            raise InvalidDataError("Transformations that are functions have no matrices.")
        return cast("tuple[csr_array, ...]", self.actions)

    @cached_property
    def cyclic(self) -> bool:
        """They are all shifts by whole blocks of columns, by one block more each, with equal weights."""
        r, d = len(self), self.matrices[0].shape[0] if self.linear else 0
        if r < 2 or d == 0 or d % r or np.ptp(self.weights):
            return False
        shifts = (np.roll(np.arange(d), g * (d // r)) for g in range(r))
        return all(_is_permutation(matrix, source) for matrix, source in zip(self.matrices, shifts))

    def of(self, X: Rows) -> Iterator[tuple[float, Any]]:
        """(weight, g X) for every transformation."""
        for weight, action in zip(self.weights, self.actions, strict=True):
            yield float(weight), act(action, X)


def _is_permutation(matrix: csr_array, source: Array) -> bool:
    """Whether (A x)_i = x_(source_i)."""
    one_each = np.array_equal(matrix.indptr, np.arange(len(source) + 1)) and bool(np.all(matrix.data == 1))
    return one_each and np.array_equal(matrix.indices, source)


def act(action: Action, X: Rows) -> Any:
    """g x of every row, in the float type of X; sparse rows stay sparse under a matrix."""
    if issparse(action):
        matrix = action.astype(X.dtype)  # type: ignore[union-attr]
        return (X @ matrix.T).tocsr() if issparse(X) else np.ascontiguousarray((matrix @ np.asarray(X).T).T)
    rows = np.asarray(action(dense(X)), dtype=X.dtype)  # type: ignore[operator]
    if rows.shape != X.shape:
        raise InvalidDataError(f"A transformation must return rows of shape {X.shape}. Got {rows.shape} instead.")
    return rows


class Group(ABC, BaseEstimator):
    """Transformations of rows with a law q. `OrbitFeatures` averages over them.

    Groups are small scikit-learn objects: `get_params`, `clone` and grid search work on them. The width of the rows is
    given with each call; image groups know it.

    Attributes
    ----------
    unitary : bool
        Every action keeps lengths exactly. Interpolated images do so nearly: `unitarity_defect` measures it.
    closed : bool
        The listed elements are a group (they contain the identity and all products), up to interpolation. An average
        over all of them is then invariant: exactly if `unitary`.
    independent_draws : bool
        Sampled elements are independent; those of image groups are spread evenly instead, which has less error.
    """

    # A subclass whose answer depends on its parameters has a property of the name.
    unitary: bool = True
    closed: bool = True
    independent_draws: bool = True

    @abstractmethod
    def order(self, n_features: int | None = None) -> int | None:
        """Number of elements; None if there are infinitely many."""

    @abstractmethod
    def _list(self, d: int) -> Sequence[Action]:
        """All elements on d columns; called only if they are finitely and not too many."""

    @abstractmethod
    def _draw(self, n: int, d: int, rng: np.random.Generator) -> Sequence[Action]:
        """Draws from the law q, each with this law: independent, unless `independent_draws` is False."""

    # Optional powers: the answers of a group with equal weights on rows of any width. Others override.

    def _weights(self, d: int) -> Array | None:
        """Weights of the listed elements; None: all equal. A subclass with another law gives them."""
        return None

    def known_width(self) -> int | None:
        """The number of columns, where the parameters tell it; None for a group of rows of any width."""
        return None

    def check_width(self, n_features: int | None) -> int:
        """The number of columns, if this group can act on so many. A subclass that cannot act on all says so."""
        if n_features is None:
            raise invalid_parameter(self, "n_features", "given: this group acts on rows of any width", n_features)
        return check_integer(self, "n_features", n_features, 1)

    def has_equal_weights(self, n_features: int | None = None) -> bool:
        """Every element of a finite group is as likely as any other."""
        return self._weights(self.check_width(n_features)) is None

    def draw(self, n: int, n_features: int, rng: np.random.Generator) -> Sequence[Action]:
        """Draws from the law q, with repetitions."""
        return self._draw(n, n_features, rng)

    def elements(self, n_features: int | None = None) -> Transforms:
        """All elements, with their weights."""
        d = self.check_width(n_features)
        order = self.order(d)
        if order is None or order > MOST_ELEMENTS:
            size = "infinitely many" if order is None else _readable(order)
            raise invalid_parameter(
                self, "n_transforms", f"a number of transformations to sample: there are {size} elements", "all"
            )
        weights = self._weights(d)
        return Transforms(tuple(self._list(d)), np.full(order, 1 / order) if weights is None else weights)

    def sample(self, n_transforms: int, n_features: int | None = None, *, seed: int = 0) -> Transforms:
        """Transformations drawn from q; the same seed gives the same ones.

        Distinct elements of a finite group with equal weights (as many as there are: all of them), evenly spread ones
        of an infinite family of image maps, independent draws from any other law. Asking for more than a finite group
        has is an error.
        """
        d, r = self.check_width(n_features), check_integer(self, "n_transforms", n_transforms, 1)
        order, rng = self.order(d), generator(seed, Purpose.TRANSFORMS)
        if order is not None and r > order:
            raise invalid_parameter(
                self, "n_transforms", f"at most {order}, the number of elements, or 'all'", n_transforms
            )
        if order is not None and order <= MOST_ELEMENTS and self._weights(d) is None:
            listed = self._list(d)
            chosen = np.sort(rng.choice(order, r, replace=False))
            return Transforms(tuple(listed[i] for i in chosen), np.full(r, 1 / r), whole=r == order)
        return Transforms(
            tuple(self._draw(r, d, rng)), np.full(r, 1 / r), whole=False, independent=self.independent_draws
        )

    def unitarity_defect(self, X: ArrayLike, *, n_transforms: int = 64, seed: int = 0) -> float:
        """Deviation from unitarity on rows: the largest abs(||g x|| / ||x|| - 1), 0 for unitary actions.

        Parameters
        ----------
        X : array of shape (n, d)
        n_transforms : int, default=64
            Transformations to look at; all of them if there are not more.
        seed : int, default=0
        """
        rows = np.asarray(X, dtype=float)
        order = self.order(rows.shape[1])
        few = n_transforms if order is None else min(n_transforms, order)
        lengths = np.linalg.norm(rows, axis=1)
        rows, lengths = rows[lengths > 0], lengths[lengths > 0]
        defects = [
            np.abs(np.linalg.norm(moved, axis=1) / lengths - 1)
            for _, moved in self.sample(few, rows.shape[1], seed=seed).of(rows)
        ]
        return float(np.max(defects, initial=0.0))


def check_integer(owner: object, name: str, value: object, least: int) -> int:
    """An integer parameter that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise invalid_parameter(owner, name, f"an integer >= {least}", value)
    return int(value)


def _readable(order: int) -> str:
    return f"{order:,}" if order < 10**15 else f"about 10^{len(str(order)) - 1}"

"""Groups made of others: products, and lists of matrices or functions that a user brings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from scipy.sparse import csr_array, issparse

from bochner._dense import dense
from bochner._typing import Array, ArrayLike, SparseMatrix
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.groups.base import Action, Group, act

__all__ = ["FromFunctions", "FromMatrices", "Product"]

_UNITARY_TOLERANCE = 1e-6


class Product(Group):
    """All products g h of an element of the first group with one of the second, and so on; the last acts first.

    Rotations and small shifts together, say. The laws multiply. The result is a group if the parts are and commute with
    each other as sets, such as reflections with quarter turns; `closed` says so only for parts that are known to.

    Parameters
    ----------
    groups : list of Group
    closed : bool, default=False
        Whether the products are a group again, which is not checked.
    """

    def __init__(self, groups: Sequence[Group], *, closed: bool = False) -> None:
        self.groups = groups
        self.closed = closed

    @property
    def unitary(self) -> bool:  # type: ignore[override]
        return all(group.unitary for group in self.groups)

    @property
    def independent_draws(self) -> bool:  # type: ignore[override]
        return all(group.independent_draws for group in self.groups)

    # What is known of a product is known of its factors.

    def known_width(self) -> int | None:
        return next((width for group in self.groups if (width := group.known_width()) is not None), None)

    def check_width(self, n_features: int | None = None) -> int:
        groups = list(self.groups)
        if not groups or not all(isinstance(group, Group) for group in groups):
            raise invalid_parameter(self, "groups", "a non-empty list of groups", self.groups)
        n_features = self.known_width() if n_features is None else n_features
        for group in groups:
            group.check_width(n_features)
        return super().check_width(n_features)

    def order(self, n_features: int | None = None) -> int | None:
        d = self.check_width(n_features)
        orders = [group.order(d) for group in self.groups]
        return None if None in orders else int(np.prod(np.array(orders, dtype=object)))

    def _list(self, d: int) -> Sequence[Action]:
        return [_compose(parts) for parts in product(*(group.elements(d).actions for group in self.groups))]

    def _weights(self, d: int) -> Array | None:
        if all(group.has_equal_weights(d) for group in self.groups):
            return None
        parts = [group.elements(d).weights for group in self.groups]
        return np.array([np.prod(weights) for weights in product(*parts)])

    def _draw(self, n: int, d: int, rng: np.random.Generator) -> Sequence[Action]:
        return [_compose(parts) for parts in zip(*(group.draw(n, d, rng) for group in self.groups), strict=True)]


def _compose(actions: Sequence[Action]) -> Action:
    """g_1 g_2 ...: the last acts first; a matrix if all are."""
    if all(issparse(action) for action in actions):
        result = actions[0]
        for action in actions[1:]:
            result = csr_array(result @ action)  # type: ignore[operator]
        return result
    return _Composed(tuple(actions))


class _Composed:
    """Functions and matrices one after the other; a class, so that it can be pickled."""

    actions: tuple[Action, ...]

    def __init__(self, actions: tuple[Action, ...]) -> None:
        self.actions = actions

    def __call__(self, X: Array) -> Array:
        for action in reversed(self.actions):
            X = act(action, X)
        return X


class _Given(Group):
    """A finite list of actions from the user."""

    weights: ArrayLike | None

    @abstractmethod
    def _given(self) -> Sequence[Action]:
        """The validated actions."""

    def order(self, n_features: int | None = None) -> int:
        return len(self._given())

    def _weights(self, d: int) -> Array | None:
        # Overrides equal weights: the law is the user's.
        if self.weights is None:
            return None
        weights = np.asarray(self.weights, dtype=float)
        if weights.shape != (self.order(),) or not np.all(weights >= 0) or not 0 < weights.sum() < np.inf:
            raise invalid_parameter(self, "weights", f"{self.order()} numbers >= 0, not all zero", self.weights)
        return weights / weights.sum()

    def _draw(self, n: int, d: int, rng: np.random.Generator) -> Sequence[Action]:
        listed = self._list(d)
        return [listed[i] for i in rng.choice(len(listed), size=n, p=self._weights(d))]


class FromMatrices(_Given):
    """A list of matrices A_g, acting as g x = A_g x.

    Parameters
    ----------
    matrices : list of arrays or sparse matrices of shape (d, d)
    weights : array of shape (r,), default=None
        The law q; None: all alike.
    unitary : bool, default=True
        The matrices are orthogonal, which is checked. An action that changes lengths, such as a magnification, needs
        its factor abs(det J)^(-1/2) to be unitary; False lets it pass without, and theorems that assume it are void.
    closed : bool, default=False
        Whether they are a group, which is not checked.
    """

    def __init__(
        self,
        matrices: Sequence[ArrayLike | SparseMatrix],
        *,
        weights: ArrayLike | None = None,
        unitary: bool = True,
        closed: bool = False,
    ) -> None:
        self.matrices = matrices
        self.weights = weights
        self.unitary = unitary
        self.closed = closed

    def _given(self) -> list[csr_array]:
        matrices = [csr_array(matrix, dtype=float) for matrix in self.matrices]
        if not matrices:
            raise invalid_parameter(self, "matrices", "a non-empty list of square matrices", self.matrices)
        for matrix in matrices:
            if matrix.shape != (matrices[0].shape[0],) * 2:
                raise invalid_parameter(self, "matrices", "square and of one shape", matrix.shape)
        return matrices

    def known_width(self) -> int | None:
        return int(self._given()[0].shape[0])

    def check_width(self, n_features: int | None = None) -> int:
        # Overrides: the matrices have a width.
        matrices = self._given()
        d = matrices[0].shape[0]
        if n_features is not None and n_features != d:
            raise InvalidDataError(f"FromMatrices acts on rows of {d} columns. Got {n_features} columns.")
        if self.unitary:
            for matrix in matrices:
                self._check_orthogonal(matrix)
        return int(d)

    def _list(self, d: int) -> Sequence[Action]:
        return self._given()

    def _check_orthogonal(self, matrix: csr_array) -> None:
        gram = dense(matrix.T @ matrix)
        defect = float(np.max(np.abs(gram - np.eye(len(gram)))))
        if defect > _UNITARY_TOLERANCE:
            raise invalid_parameter(
                self,
                "matrices",
                "orthogonal, with the factor abs(det J)^(-1/2) for maps that change areas (or say unitary=False)",
                f"a matrix with A'A off the identity by {defect:.3g}",
            )


class FromFunctions(_Given):
    """A list of functions of rows (n, d) -> (n, d); nothing is known of them.

    Parameters
    ----------
    functions : list of callables
        Applied to blocks of rows, from several threads.
    weights : array of shape (r,), default=None
        The law q; None: all alike.
    unitary, closed : bool, default=False
        What you know of them; it is not checked.
    """

    def __init__(
        self,
        functions: Sequence[Callable[[Array], Array]],
        *,
        weights: ArrayLike | None = None,
        unitary: bool = False,
        closed: bool = False,
    ) -> None:
        self.functions = functions
        self.weights = weights
        self.unitary = unitary
        self.closed = closed

    def _given(self) -> list[Callable[[Array], Array]]:
        functions = list(self.functions)
        if not functions or not all(callable(function) for function in functions):
            raise invalid_parameter(self, "functions", "a non-empty list of callables", self.functions)
        return functions

    def _list(self, d: int) -> Sequence[Action]:
        return self._given()

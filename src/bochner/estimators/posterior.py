"""Posterior functions of a ridge model: draws of values, draws of functions, gradients."""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from bochner._dense import dense
from bochner._random import Purpose, generator, resolve_seed
from bochner._typing import Array, ArrayLike, MatrixLike, Seed
from bochner.errors import invalid_parameter
from bochner.estimators.ridge_attributes import RidgeAttributes
from bochner.estimators.rows import new_rows, open_rows, over_rows
from bochner.estimators.validation import validated_rows
from bochner.fitting.dependence import grid_of_column, partial_dependence
from bochner.fitting.draws import FunctionDraws, draw_functions, draw_values, gradients

__all__ = ["DrawnFunctions", "PosteriorFunctions"]

_AVERAGED_ROWS = 500  # of a partial dependence


class DrawnFunctions:
    """Functions drawn from the posterior law of a model: `functions(X)` are their values at any rows.

    A row has the same values in every call, to rounding, whatever rows come with it: these are functions, not draws of
    values. They do not change when the model is fitted again.

    Attributes
    ----------
    n_functions : int
    """

    def __init__(self, columns: Any, draws: FunctionDraws, flat: bool) -> None:
        self._columns = columns  # an estimator that knows the columns and nothing else
        self._draws = draws
        self._flat = flat

    @property
    def n_functions(self) -> int:
        return self._draws.n_functions

    def __call__(self, X: MatrixLike) -> Array:
        """Values of shape (n_samples, n_functions) or (n_samples, n_targets, n_functions)."""
        return self._shaped(over_rows(self._columns, X, lambda rows: (self._draws(rows),))[0])

    def gradient(self, X: MatrixLike) -> Array:
        """Gradients of shape (n_samples, [n_targets,] n_features, n_functions)."""
        return self._shaped(over_rows(self._columns, X, lambda rows: (self._draws.gradients(rows),))[0])

    def _shaped(self, values: Array) -> Array:
        return values[:, 0] if self._flat else values

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_functions={self.n_functions})"


class PosteriorFunctions(RidgeAttributes):
    """Draws and gradients of the function behind the targets, by the posterior law that `return_std` comes from."""

    n_features_in_: int

    def sample_y(self, X: MatrixLike, n_samples: int = 1, random_state: Seed = None) -> Array:
        """Draw values of the function at rows from their joint posterior law.

        What is drawn is the function without noise, f in y = f(x) + noise, as scikit-learn's `GaussianProcessRegressor`
        does with a kernel that has no `WhiteKernel`: `predict(X, return_std=True)` has the noise, too. The law is that
        of a Gaussian process with the features' kernel. It is exact for Fourier features and for exact machines of up
        to 10,000 rows. With landmarks, it has the kernel's variance beyond them, of which `return_std` counts what most
        rows have as noise. Error bars that are estimates (conjugate gradients, grids) make approximate draws.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Landmarks and exact machines need their covariance, and are refused beyond the memory budget: there,
            call functions of `sample_functions`.
        n_samples : int, default=1
        random_state : int, RandomState, Generator or None, default=None

        Returns
        -------
        values : array of shape (n_samples_X, n_samples) or (n_samples_X, n_targets, n_samples)
        """
        fit, count = self._fit_value(), _positive("sample_y", "n_samples", n_samples)
        rows = validated_rows(self, X, reset=False) if open_rows(X) is None else new_rows(self, X)
        return self._targets(draw_values(fit, rows, count, resolve_seed(random_state)))

    def sample_functions(self, n: int = 1, random_state: Seed = None) -> DrawnFunctions:
        """Draw functions from the posterior law that can be called anywhere, and again: for Thompson sampling.

        Fourier features: by coefficients drawn from their law. Landmarks and exact machines: a function drawn from the
        kernel's law, and the exact correction by what the rows say of it (Matheron's rule; Wilson et al. 2020), so
        that draws are as wide as the kernel far from the rows, where draws of coefficients alone would be flat. The
        first of these two is one of 4,096 Fourier features, shared by all draws: covariances err by up to some 2 % of
        k(0), by less with few columns and at rows that the fit knows well. A grid of frequencies: by its modes, to a
        tolerance of 1e-3, and outside of its cell by the kernel's law.

        Parameters
        ----------
        n : int, default=1
            Number of functions.
        random_state : int, RandomState, Generator or None, default=None

        Returns
        -------
        functions : DrawnFunctions
            `functions(X)` has shape (n_samples, n) or (n_samples, n_targets, n); `functions.gradient(X)` gradients.
        """
        fit, count = self._fit_value(), _positive("sample_functions", "n", n)
        columns = clone(self)
        known = ("n_features_in_", "feature_names_in_")
        vars(columns).update({name: getattr(self, name) for name in known if hasattr(self, name)})
        return DrawnFunctions(columns, draw_functions(fit, count, resolve_seed(random_state)), self._flat_target)

    def gradient(self, X: MatrixLike, return_std: bool = False) -> Any:
        """Gradients of predictions by the columns; if asked for, also their standard deviations.

            grad f(x) = J(x)'w,    std^2 = sigma^2 diag(J'(G + alpha I)^-1 J),     J = dz(x) / dx

        for features, and what it is for kernel values and what lies beyond landmarks: the posterior law of the gradient
        of the function, which has no noise. Deviations of random Fourier features are those of the features' kernel:
        with few of them they are too small, and those of gradients more so. Through normal scores (`WarpedFeatures`)
        by the chain rule; at a knot of the score, which has a kink there, the mean of both sides.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
            Refused for kernels whose functions have no gradients, as Matern(nu=0.5), where the exact kernel is used.

        Returns
        -------
        gradient : array of shape (n_samples, n_features) or (n_samples, n_targets, n_features)
        std : array of the same shape, if `return_std`
        """
        answers = partial(gradients, self._fit_value(), deviations=bool(return_std))
        found = [self._targets(values) for values in over_rows(self, X, answers)]
        return tuple(found) if return_std else found[0]

    def partial_dependence(
        self,
        X: MatrixLike,
        column: int | str,
        *,
        grid: int | ArrayLike = 20,
        n_functions: int = 200,
        random_state: Seed = None,
    ) -> tuple[Array, Array, Array]:
        """Mean of the function over rows with one column set to a value, with its posterior standard deviation.

            p(v) = mean_i f(x_i with column set to v)

        Deviations are those of `n_functions` draws of `sample_functions`: with 200, to 5 %. They are of the function,
        without noise.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Up to 500 of these rows, drawn at random.
        column : int or str
            Its number, or its name in the table of the fit.
        grid : int or array-like of shape (n_values,), default=20
            Values of the column, or how many of them from its 5 % to its 95 % quantile; all, if there are fewer.
        n_functions : int, default=200
        random_state : int, RandomState, Generator or None, default=None

        Returns
        -------
        values : array of shape (n_values,)
        mean, std : arrays of shape (n_values,) or (n_values, n_targets)
        """
        fit, seed = self._fit_value(), resolve_seed(random_state)
        count = _positive("partial_dependence", "n_functions", n_functions)
        rows, j = validated_rows(self, X, reset=False), self._column_number(column)
        chosen = generator(seed, Purpose.SUBSAMPLE).permutation(rows.shape[0])[:_AVERAGED_ROWS]
        some = dense(rows[np.sort(chosen)], rows.dtype)
        values = _values_of(grid, dense(rows[:, [j]], rows.dtype)[:, 0])
        mean, std = partial_dependence(fit.response(), draw_functions(fit, count, seed), some, j, values)
        return values, self._targets(mean), self._targets(std)

    def _column_number(self, column: int | str) -> int:
        names = list(getattr(self, "feature_names_in_", ()))
        if isinstance(column, str) and column in names:
            return names.index(column)
        d = self.n_features_in_
        if isinstance(column, (bool, str)) or not isinstance(column, Integral) or not 0 <= column < d:
            raise invalid_parameter("partial_dependence", "column", f"a column's name, or 0 to {d - 1}", column)
        return int(column)

    def _targets(self, values: Array) -> Array:
        """Values (n, t, ...) in the shape of the targets of the fit."""
        return values[:, 0] if self._flat_target else values


def _values_of(grid: int | ArrayLike, column: Array) -> Array:
    """The values of a grid in the float type of the column, as they are given or by their number."""
    if np.ndim(grid) == 0:
        return grid_of_column(column, _positive("partial_dependence", "grid", grid))
    values = np.asarray(grid, dtype=column.dtype)
    if values.ndim != 1 or len(values) == 0 or not np.all(np.isfinite(values)):
        raise invalid_parameter("partial_dependence", "grid", "a number of values, or a list of finite numbers", grid)
    return values


def _positive(method: str, name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise invalid_parameter(method, name, "a positive integer", value)
    return int(value)

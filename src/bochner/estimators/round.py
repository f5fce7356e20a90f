"""Circles and spheres as coordinates in space: periodic columns, and longitude and latitude, for any kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Real
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bochner._sklearn import Interval, refuse_lazy, validated
from bochner._typing import Array, ArrayLike, Constraints, MatrixLike
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.estimators.validation import validated_rows

__all__ = ["PeriodicColumns", "SphereColumns"]


class _Round(TransformerMixin, ABC, BaseEstimator):
    """A transformer to coordinates in space, which learns nothing but the columns."""

    n_features_in_: int

    @validated
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Look at the number and the names of the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        refuse_lazy(X)
        self._check(validated_rows(self, X, reset=True, accept_sparse=False))
        return self

    def transform(self, X: MatrixLike) -> Array:
        """Coordinates in space, in the float type of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_coordinates)
        """
        check_is_fitted(self, "n_features_in_")
        rows = validated_rows(self, X, reset=False, accept_sparse=False)
        self._check(rows)
        return np.column_stack(self._coordinates(rows.astype(float, copy=False))).astype(rows.dtype, copy=False)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Names of the coordinates."""
        check_is_fitted(self, "n_features_in_")
        given = getattr(self, "feature_names_in_", None) if input_features is None else input_features
        own = [f"x{i}" for i in range(self.n_features_in_)] if given is None else given
        return np.asarray(self._names(np.asarray(own, dtype=str).tolist()), dtype=object)

    @abstractmethod
    def _check(self, X: Array) -> None: ...

    @abstractmethod
    def _coordinates(self, X: Array) -> list[Array]: ...

    @abstractmethod
    def _names(self, names: list[str]) -> list[str]: ...


class PeriodicColumns(_Round):
    """Periodic columns as circles: an hour of the day, a day of the year, an angle.

        x -> (r cos(x / r), r sin(x / r)),      r = period / (2 pi)

    so that both ends meet and near rows are as far from each other as before: length scales keep their units. Every
    kernel of the coordinates is a kernel on the circle, with its features, certificates and exact machine.

    Parameters
    ----------
    period : sequence of float or None, one for each column
        None: the column is not periodic, and is handed on.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import PeriodicColumns
    >>> hours = np.array([[0.0], [6.0], [24.0]])
    >>> (PeriodicColumns([24.0]).fit_transform(hours) * 2 * np.pi / 24).round(6) + 0.0
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """

    _parameter_constraints: Constraints = {"period": ["array-like"]}

    def __init__(self, period: Sequence[float | None]) -> None:
        self.period = period

    def _check(self, X: Array) -> None:
        given = list(self.period)
        lengths = [each for each in given if each is not None]
        if not all(isinstance(each, Real) and 0 < float(each) < np.inf for each in lengths):
            raise invalid_parameter(self, "period", "positive finite numbers or None, one for each column", self.period)
        if len(given) != X.shape[1]:
            raise invalid_parameter(self, "period", f"as long as there are columns, {X.shape[1]}", self.period)

    def _coordinates(self, X: Array) -> list[Array]:
        return [each for column, period in zip(X.T, self.period) for each in _on_circle(column, period)]

    def _names(self, names: list[str]) -> list[str]:
        each = [
            [name] if period is None else [f"{name}_cos", f"{name}_sin"] for name, period in zip(names, self.period)
        ]
        return [name for some in each for name in some]


class SphereColumns(_Round):
    """Longitude and latitude, in degrees, as points of a sphere in space.

        (lon, lat) -> radius (cos lat cos lon, cos lat sin lon, sin lat)

    Neither the date line nor the poles are a border, and a length scale is as long in the north as at the equator. A
    model of three columns on a grid of frequencies is then one of the sphere.

    Parameters
    ----------
    radius : float, default=1.0
        6371.0 has length scales in kilometres on the Earth.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> from bochner import SphereColumns
    >>> SphereColumns().fit_transform([[0.0, 0.0], [90.0, 0.0], [123.0, 90.0]]).round(6) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    _parameter_constraints: Constraints = {"radius": [Interval(Real, 0, None, closed="neither")]}

    def __init__(self, radius: float = 1.0) -> None:
        self.radius = radius

    def _check(self, X: Array) -> None:
        if X.shape[1] != 2:
            raise InvalidDataError(f"SphereColumns takes two columns, longitude and latitude. Got {X.shape[1]}.")
        furthest = float(np.max(np.abs(X[:, 1]), initial=0.0))
        if furthest > 90:
            raise InvalidDataError(
                f"The second column of SphereColumns is a latitude, from -90 to 90 degrees. Got one {furthest:g} "
                "degrees from the equator. The first column is the longitude."
            )

    def _coordinates(self, X: Array) -> list[Array]:
        longitude, latitude = np.deg2rad(X).T
        across = self.radius * np.cos(latitude)
        return [across * np.cos(longitude), across * np.sin(longitude), self.radius * np.sin(latitude)]

    def _names(self, names: list[str]) -> list[str]:
        return ["x", "y", "z"]


def _on_circle(x: Array, period: float | None) -> list[Array]:
    """A column, or two of a circle of this length."""
    if period is None:
        return [x]
    r = float(period) / (2 * np.pi)
    angle = np.mod(x, float(period)) / r
    return [r * np.cos(angle), r * np.sin(angle)]

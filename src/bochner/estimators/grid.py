"""Fourier features on a grid of frequencies as a scikit-learn transformer, for one to three columns."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Self

import numpy as np

from bochner._dense import dense
from bochner._sklearn import Interval, refuse_lazy, validated
from bochner._typing import Array, Constraints, MatrixLike, Rows
from bochner.errors import AssumptionError, InvalidDataError
from bochner.estimators.map_transformer import CertificateContext, MapTransformer, kernel_of_data
from bochner.estimators.validation import validated_rows
from bochner.features import GridMap
from bochner.kernels import Stationary
from bochner.sampling import MOST_AXES, choose_grid
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate
from bochner.theory.quadrature import EquispacedFrequencies

__all__ = ["GridFeatures"]

_SEED = 0  # of the sample of rows that the scale of a named kernel is taken from


class GridFeatures(MapTransformer):
    """Fourier features of equispaced frequencies, for one to three columns: no draw, and an error without probability.

        z(x) = (sqrt(w_0), sqrt(2 w_j) cos(omega_j.x), sqrt(2 w_j) sin(omega_j.x)),   omega_j = 2 pi j / period

    A quadrature rule for the spectral measure. Spacing and extent of the grid come from one tolerance, over the box of
    the rows. `KernelRegressor(features="grid")` never forms these features: it needs fast Fourier transforms only.

    Parameters
    ----------
    kernel : Stationary or str, default=None
        As in `FourierFeatures`. It needs a spectral density in closed form: Gaussian, Matern, Cauchy, Laplacian,
        rational quadratic (alpha > d / 2), their sums and multiples.
    eps : float, default=1e-3
        Largest error of the kernel on the box of the rows, relative to k(0).
    max_components : int, default=2**20
        Most features.
    strict : bool, default=True
        Whether a tolerance that needs more is an error; else the best grid of so many features is taken, and its
        certificate says how good that is.

    Attributes
    ----------
    map_ : GridMap
    kernel_ : Stationary
    box_ : array of shape (2, n_features)
        Least and largest numbers of the columns.
    error_bound_ : float
        Bound on |z(x).z(y) - k(x, y)| for all rows in the box.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import GridFeatures, Matern
    >>> X = np.random.default_rng(0).uniform(size=(300, 1))
    >>> features = GridFeatures(Matern(0.2, nu=2.5), eps=1e-4).fit(X)
    >>> Z = features.transform(X)
    >>> bool(np.abs(Z @ Z.T - Matern(0.2, nu=2.5)(X)).max() <= features.error_bound_ <= 1e-4)
    True
    """

    map_: GridMap
    box_: Array

    _parameter_constraints: Constraints = {
        "kernel": [Stationary, str, None],
        "eps": [Interval(Real, 0, None, closed="neither")],
        "max_components": [Interval(Integral, 1, None, closed="left")],
        "strict": ["boolean"],
    }

    def __init__(
        self,
        kernel: Stationary | str | None = None,
        *,
        eps: float = 1e-3,
        max_components: int = 2**20,
        strict: bool = True,
    ) -> None:
        self.kernel = kernel
        self.eps = eps
        self.max_components = max_components
        self.strict = strict

    @validated
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Choose the grid for the box of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        refuse_lazy(X)
        known: Rows = validated_rows(self, X, reset=True)
        if known.shape[1] > MOST_AXES:
            raise InvalidDataError(
                f"GridFeatures takes at most {MOST_AXES} columns: the number of frequencies on a grid grows with their "
                f"power. Got {known.shape[1]}."
            )
        rows = dense(known, float)
        kernel = kernel_of_data(self, self.kernel, known, _SEED)
        density = kernel.spectral_density(known.shape[1])
        self.box_ = np.vstack([rows.min(axis=0), rows.max(axis=0)])
        grid = choose_grid(density, *self.box_, eps=self.eps, most=self.max_components)
        self.map_ = GridMap(kernel, grid)
        if self.strict and self.error_bound_ > self.eps * kernel.variance:
            raise InvalidDataError(
                f"An error of {self.eps:g} needs more than {self.max_components:,} frequencies: the best grid of so "
                f"many has {self.error_bound_ / kernel.variance:.2g}. Raise eps or max_components, give strict=False, "
                "or take a smoother kernel or a longer length scale."
            )
        return self

    @property
    def kernel_(self) -> Stationary:
        return self.map_.kernel

    @property
    def error_bound_(self) -> float:
        return self.map_.error(self.box_[1] - self.box_[0]).total

    def exact_kernel(self) -> ExactKernel:
        return ExactKernel(self.kernel_)

    def certify_kernel(self, X: Rows, delta: float, context: CertificateContext) -> Certificate:
        """Aliasing and truncation over the box of X, without probability; `delta` is unused."""
        rows = dense(X, float)
        if not np.all(self.map_.grid.contains(rows)):
            raise AssumptionError("Some rows are outside of the cell of the grid, where features are 0. Fit to them.")
        box = np.vstack([rows.min(axis=0), rows.max(axis=0)])
        return self._certificate(
            box, "rows in the box of these rows", np.promote_types(X.dtype, context.precision).type
        )

    def certify_rows_of_fit(self, n_rows: int, delta: float, context: CertificateContext) -> Certificate:
        return self._certificate(self.box_, "rows in the box of the fit", context.precision)

    def _certificate(self, box: Array, rows: str, precision: type) -> Certificate:
        error = self.map_.error(box[1] - box[0])
        bound = EquispacedFrequencies(
            aliasing=error.aliasing,
            truncation=error.truncation,
            n_modes=self.map_.n_components,
            kernel=str(self.exact_kernel()),
            rows=rows,
        )
        rounding = 2 * float(np.finfo(precision).eps) * self.kernel_.variance
        return bound.certificate().widened(rounding, "rounding of features that are handed on")

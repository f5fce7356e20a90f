"""Kernel quantile regression: several quantiles that do not cross, with a duality gap and conformal intervals."""

from __future__ import annotations

from numbers import Real
from typing import overload

import numpy as np

from bochner._sklearn import StrOptions
from bochner._typing import Array, ArrayLike, Constraints, FilePath, MatrixLike, Seed, Transformer
from bochner.errors import invalid_parameter
from bochner.estimators.loss_regressor import LOSS_CONSTRAINTS, LossRegressor
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.solvers import Pinball

__all__ = ["KernelQuantileRegressor"]


class KernelQuantileRegressor(LossRegressor):
    """Kernel quantile regression at scale.

        minimise_w,w_0  sum_i s_i rho_tau((y_i - w_0 - z(x_i).w) / c) + alpha/2 (||w||^2 + (w_0 - q)^2) / c^2
        rho_tau(r) = max(tau r, (tau - 1) r)

    for every quantile tau, on features z of a kernel, with the tau-quantile q of the targets and their spread c
    (interquartile range / 1.349): the unit of the target does not matter. Solved by dual coordinate ascent in the box
    [-(1 - tau), tau], to a duality gap. Several quantiles are sorted in every row: they cannot cross, and the sum of
    their losses is never larger for it.

    Parameters
    ----------
    kernel : str or Stationary, default=None
        As in `KernelRegressor`; candidates are compared by least squares on targets without far outliers.
    quantile : float or array-like of shape (n_quantiles,), default=0.5
        Between 0 and 1; several ones ascend.
    interval : "conformal" or None, default=None
        "conformal": a tenth of the rows (at most 2,000) is held out, and `predict(X, return_interval=0.9)` moves the
        first and the last quantile so far that they hold new targets with at least this probability, whatever the law
        of the rows (Romano, Patterson & Candes 2019). Two or more quantiles are needed; those of (1 -+ 0.9) / 2 give
        the narrowest intervals.
    features : {"auto", "fourier", "nystroem", "exact"} or transformer, default="auto"
        As in `KernelRegressor`; "exact" up to 10,000 rows.
    n_components : int or "auto", default="auto"
        Number of features D. "auto": sqrt(n) log n between 256 and 4096; with features="auto" 256, 1024, 2048 landmarks
        until held-out rows see no gain.
    alpha : float, "auto" or "cv", default="auto"
        The penalty. "auto": the one of `alphas` with the smallest loss on a fifth of the rows; "cv": the smallest
        cross-validated loss. The model is then fitted to all rows, and intercepts are moved until the quantiles hold
        the shares that they say on rows that were left out (not without an intercept, and not at a given penalty).
    alphas : array-like, default=None
        Penalties to choose from. None: ten, alpha / n from 10^-2 to 10^-6.5, and smaller ones where these are clearly
        better (targets without noise).
    cv : int, splitter or iterable of (train, test) indices, default=5
        Folds for alpha="cv".
    length_scale : "auto", "ard", "median", float or array of shape (n_features,), default="auto"
        As in `KernelRegressor`.
    fit_intercept : bool, default=True
    tol : float, default=1e-4
        Duality gap at which the solver stops, relative to the objective, or to a thousandth of that of the constant
        model if that is more.
    max_iter : int, default=5000
        Sweeps over the rows, at most.
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    checkpoint : str or Path, default=None
        As in `KernelClassifier`: a file from which a killed fit goes on in the middle of its iterations.
    random_state : int, RandomState, Generator or None, default=None
        Seed of frequencies, folds and the order of rows.

    Attributes
    ----------
    fitted_ : FittedRegression
        The fit as a value; the other attributes are read from it.
    features_ : transformer
        The fitted feature map.
    alpha_ : float
    coef_ : array of shape (D,) or (n_quantiles, D)
    intercept_ : float or array of shape (n_quantiles,)
    objective_ : float
        Sum over the quantiles, before they were moved.
    dual_gap_ : float
        The objective is at most so far above its minimum.
    n_iter_ : int
    alphas_ : array or None
        Penalties that were tried.
    cv_losses_ : array of shape (n_alphas, n_folds) or None
        Held-out loss of each penalty in each fold; infinite where a fold ended its path before.
    tuning_ : Tuning or None
        How kernel and scales were learned, if they were.
    n_rows_, seed_, n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelQuantileRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 1, (300, 1))
    >>> y = X[:, 0] * rng.standard_normal(300)                  # noise that grows
    >>> model = KernelQuantileRegressor(quantile=[0.1, 0.9], length_scale=0.3, random_state=0).fit(X, y)
    >>> narrow, wide = model.predict([[0.1], [0.9]])
    >>> bool(np.ptp(narrow) < 0.3 * np.ptp(wide))
    True
    """

    _parameter_constraints: Constraints = {
        **LOSS_CONSTRAINTS,
        "quantile": ["array-like", Real],
        "interval": [StrOptions({"conformal"}), None],
    }

    def __init__(
        self,
        kernel: str | Stationary | None = None,
        *,
        quantile: float | ArrayLike = 0.5,
        interval: str | None = None,
        features: Transformer | str | None = "auto",
        n_components: int | str = "auto",
        alpha: float | str = "auto",
        alphas: ArrayLike | None = None,
        cv: object = 5,
        length_scale: str | float | ArrayLike = "auto",
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 5000,
        sampling: str | Sampler = "monte_carlo",
        checkpoint: FilePath | None = None,
        random_state: Seed = None,
    ) -> None:
        self.quantile = quantile
        self.interval = interval
        of_fit = (alpha, alphas, cv, fit_intercept, tol, max_iter, checkpoint, random_state)
        self._take((kernel, features, n_components, length_scale, sampling), of_fit)

    @property
    def _loss(self) -> Pinball:
        given = np.atleast_1d(np.asarray(self.quantile))
        levels = given.astype(float) if given.dtype.kind in "iuf" else np.empty(0)  # texts are no numbers
        inside = levels.ndim == 1 and len(levels) > 0 and bool(np.all((levels > 0) & (levels < 1)))
        if not inside or not np.all(np.diff(levels) > 0):
            raise invalid_parameter(
                self, "quantile", "a number between 0 and 1, or several ascending ones", self.quantile
            )
        if self.interval is not None and len(levels) < 2:
            rule = "two or more numbers, such as [0.05, 0.95], for interval='conformal'"
            raise invalid_parameter(self, "quantile", rule, self.quantile)
        return Pinball(tuple(map(float, levels)))

    @property
    def _conformal(self) -> bool:
        return self.interval is not None

    @property
    def _flat(self) -> bool:
        return np.ndim(self.quantile) == 0

    @overload
    def predict(self, X: MatrixLike, return_interval: None = None) -> Array: ...

    @overload
    def predict(self, X: MatrixLike, return_interval: float) -> tuple[Array, tuple[Array, Array]]: ...

    def predict(self, X: MatrixLike, return_interval: float | None = None) -> Array | tuple[Array, tuple[Array, Array]]:
        """Predict the quantiles; if asked for, also a conformal interval, in one pass over the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        return_interval : float, default=None
            Probability with which an interval is to hold its target, such as 0.9; for interval="conformal".

        Returns
        -------
        quantiles : array of shape (n_samples,) or (n_samples, n_quantiles)
        interval : tuple (low, high) of arrays of shape (n_samples,), if `return_interval`
        """
        if return_interval is None:
            found = self._predictions(X)
            return found[:, 0] if self._flat else found
        if isinstance(return_interval, bool) or not 0 < return_interval < 1:
            raise invalid_parameter("predict", "return_interval", "a probability between 0 and 1", return_interval)
        scores = self._fit_value().conformal
        if scores is None:
            rule = "None for a model that was not fitted with interval='conformal'"
            raise invalid_parameter("predict", "return_interval", rule, return_interval)
        found = self._predictions(X)
        margin = float(scores.factor(return_interval)[0])
        most = 0.5 * (found[:, 0] - found[:, -1])  # of a negative margin: ends meet in the middle
        return found, (found[:, 0] - np.maximum(margin, most), found[:, -1] + np.maximum(margin, most))

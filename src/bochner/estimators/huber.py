"""Kernel regression with Huber's loss: outliers in the target have a bounded pull."""

from __future__ import annotations

from numbers import Real

from bochner._sklearn import Interval
from bochner._typing import ArrayLike, Constraints, FilePath, Seed, Transformer
from bochner.estimators.loss_regressor import LOSS_CONSTRAINTS, PointRegressor
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.solvers import Huber

__all__ = ["KernelHuberRegressor"]


class KernelHuberRegressor(PointRegressor):
    """Kernel regression that outliers in the target do not spoil.

        minimise_w,w_0,sigma  sum_i s_i (sigma + sigma H((y_i - w_0 - z(x_i).w) / sigma)) + alpha ||w||^2
        H(u) = u^2 for |u| <= epsilon, else 2 epsilon |u| - epsilon^2

    on features z of a kernel, for targets in units of their spread (interquartile range / 1.349) around their median:
    the unit of the target does not matter. That is scikit-learn's `HuberRegressor` on features. Solved by Newton's
    method, to a duality gap.

    Parameters
    ----------
    kernel : str or Stationary, default=None
        As in `KernelQuantileRegressor`, and so are the parameters that are not explained here.
    epsilon : float, default=1.35
        More than 1. Residuals beyond epsilon sigma are outliers, and count by their absolute value.
    features : {"auto", "fourier", "nystroem", "exact"} or transformer, default="auto"
    n_components : int or "auto", default="auto"
    alpha : float, "auto" or "cv", default="auto"
        The penalty. "auto" and "cv" choose by absolute errors of rows held out.
    alphas : array-like, default=None
    cv : int, splitter or iterable of (train, test) indices, default=5
    length_scale : "auto", "ard", "median", float or array of shape (n_features,), default="auto"
    fit_intercept : bool, default=True
    tol : float, default=1e-4
    max_iter : int, default=5000
        Newton steps, at most.
    sampling : str or Sampler, default="monte_carlo"
    checkpoint : str or Path, default=None
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    fitted_ : FittedRegression
        The fit as a value; the other attributes are read from it, as in `KernelQuantileRegressor`.
    features_ : transformer
    alpha_, objective_, dual_gap_ : float
        The objective is half of that above.
    coef_ : array of shape (D,)
    intercept_ : float
    n_iter_, n_rows_, seed_, n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelHuberRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, (200, 1))
    >>> y = np.sin(X[:, 0])
    >>> y[::10] += 50                                            # a tenth of the targets is wrong
    >>> model = KernelHuberRegressor(random_state=0).fit(X, y)
    >>> bool(np.quantile(np.abs(model.predict(X) - np.sin(X[:, 0])), 0.99) < 0.1)
    True
    """

    _parameter_constraints: Constraints = {
        **LOSS_CONSTRAINTS,
        "epsilon": [Interval(Real, 1, None, closed="neither")],
    }

    def __init__(
        self,
        kernel: str | Stationary | None = None,
        *,
        epsilon: float = 1.35,
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
        self.epsilon = epsilon
        of_fit = (alpha, alphas, cv, fit_intercept, tol, max_iter, checkpoint, random_state)
        self._take((kernel, features, n_components, length_scale, sampling), of_fit)

    @property
    def _loss(self) -> Huber:
        return Huber(float(self.epsilon))

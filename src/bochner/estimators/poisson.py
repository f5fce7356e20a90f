"""Kernel regression of counts, rates and amounts: Poisson, gamma and Tweedie deviance with the log link."""

from __future__ import annotations

from numbers import Real

from sklearn.utils import Tags

from bochner._sklearn import Interval
from bochner._typing import ArrayLike, Constraints, FilePath, Seed, Transformer
from bochner.estimators.loss_regressor import LOSS_CONSTRAINTS, PointRegressor
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.solvers import Tweedie

__all__ = ["KernelPoissonRegressor", "KernelTweedieRegressor"]


class KernelPoissonRegressor(PointRegressor):
    """Kernel regression of counts and rates.

        minimise_w,w_0  sum_i s_i (mu_i - y_i log mu_i) + alpha/2 ||w||^2,   mu_i = exp(w_0 + z(x_i).w)

    on features z of a kernel: Poisson regression with the log link. Rates are y = count / exposure with the exposures
    as `sample_weight`. scikit-learn's `PoissonRegressor` divides the sum by the weights: its alpha is ours over sum_i
    s_i. Solved by Newton's method, to a duality gap.

    Parameters
    ----------
    kernel : str or Stationary, default=None
        As in `KernelQuantileRegressor`, and so are the parameters that are not explained here. Length scales are
        learned by least squares on square roots of the targets.
    features : {"auto", "fourier", "nystroem", "exact"} or transformer, default="auto"
    n_components : int or "auto", default="auto"
    alpha : float, "auto" or "cv", default="auto"
        The penalty. "auto" and "cv" choose by the deviance of rows held out.
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
        The objective has half the deviance, which is never negative, for its first sum.
    coef_ : array of shape (D,)
        Of the logarithm of the mean.
    intercept_ : float
    n_iter_, n_rows_, seed_, n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelPoissonRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, exposure = rng.uniform(-3, 3, (500, 1)), rng.uniform(1, 20, 500)
    >>> counts = rng.poisson(exposure * np.exp(np.sin(X[:, 0])))
    >>> model = KernelPoissonRegressor(random_state=0).fit(X, counts / exposure, sample_weight=exposure)
    >>> bool(np.abs(np.log(model.predict([[1.5], [-1.5]])) - [1, -1]).max() < 0.2)
    True
    """

    @property
    def _loss(self) -> Tweedie:
        return Tweedie(1.0)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


class KernelTweedieRegressor(KernelPoissonRegressor):
    """Kernel regression of positive amounts, or of amounts that are often zero.

        minimise_w,w_0  1/2 sum_i s_i deviance(y_i, mu_i) + alpha/2 ||w||^2,   mu_i = exp(w_0 + z(x_i).w)

    with the Tweedie deviance, of targets whose variance is in proportion to mu^power: counts (1, as in
    `KernelPoissonRegressor`), sums of a few gamma amounts, such as claims (1 to 2), gamma amounts (2). As in
    scikit-learn's `TweedieRegressor`, with alpha not divided by n.

    Parameters
    ----------
    kernel : str or Stationary, default=None
        As in `KernelPoissonRegressor`, and so are the parameters that are not explained here.
    power : float, default=1.5
        From 1 to 2, where the problem is convex.
    features : {"auto", "fourier", "nystroem", "exact"} or transformer, default="auto"
    n_components : int or "auto", default="auto"
    alpha : float, "auto" or "cv", default="auto"
    alphas : array-like, default=None
    cv : int, splitter or iterable of (train, test) indices, default=5
    length_scale : "auto", "ard", "median", float or array of shape (n_features,), default="auto"
    fit_intercept : bool, default=True
    tol : float, default=1e-4
    max_iter : int, default=5000
    sampling : str or Sampler, default="monte_carlo"
    checkpoint : str or Path, default=None
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    fitted_ : FittedRegression
        The fit as a value; the other attributes are read from it, as in `KernelPoissonRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelTweedieRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, (400, 1))
    >>> y = rng.gamma(4, np.exp(np.sin(X[:, 0])) / 4)
    >>> model = KernelTweedieRegressor(power=2, random_state=0).fit(X, y)
    >>> bool(np.abs(np.log(model.predict([[1.5], [-1.5]])) - [1, -1]).max() < 0.3)
    True
    """

    _parameter_constraints: Constraints = {**LOSS_CONSTRAINTS, "power": [Interval(Real, 1, 2, closed="both")]}

    def __init__(
        self,
        kernel: str | Stationary | None = None,
        *,
        power: float = 1.5,
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
        self.power = power
        of_fit = (alpha, alphas, cv, fit_intercept, tol, max_iter, checkpoint, random_state)
        self._take((kernel, features, n_components, length_scale, sampling), of_fit)

    @property
    def _loss(self) -> Tweedie:
        return Tweedie(float(self.power))

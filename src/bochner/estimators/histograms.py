"""Features of kernels on histograms as scikit-learn transformers: additive kernels, semigroup kernels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from bochner._sklearn import SEED_RULE, Interval, StrOptions
from bochner._typing import Constraints, Rows
from bochner.estimators.kernel_features import WIDTH_CONSTRAINTS, KernelFeatures
from bochner.features import FeatureMap, additive_grid, draw_additive_map, draw_laplace_map
from bochner.kernels import AdditiveChi2, AdditiveKernel, Hellinger, ReciprocalSemigroup, SemigroupKernel

__all__ = ["AdditiveFeatures", "LaplaceFeatures"]

_INTERVALS = {1: 0.8, 2: 0.5, 3: 0.4}
"""Distances of the frequencies of a grid, by their number, as scikit-learn has them (Vedaldi & Zisserman 2012)."""


class AdditiveFeatures(KernelFeatures):
    """Features of additive kernels on histograms: each column by itself (Vedaldi & Zisserman 2012).

        z(x) = [a_k sqrt(x_j) cos(lambda_jk log x_j)], [a_k sqrt(x_j) sin(lambda_jk log x_j)]

    sampling="grid" has the frequencies 0, L, 2 L, ... in every column, without a sine for 0: those of scikit-learn's
    `AdditiveChi2Sampler`, for all four kernels, with a small fixed error. sampling="monte_carlo" draws frequencies from
    the spectral law of the kernel, one in each of as many strata: E z(x).z(y) = k(x, y). The width is n_features times
    2 n_frequencies, less 1 for a grid. Hellinger's kernel needs no frequency: its features are the roots, n_features of
    them.

    Parameters
    ----------
    kernel : AdditiveKernel, default=None
        `AdditiveChi2()` (None), `Intersection()`, `JensenShannon()` or `Hellinger()`.
    n_frequencies : int, default=2
        For every column.
    sampling : {"grid", "monte_carlo"}, default="grid"
    interval : float or None, default=None
        Distance L of the frequencies of a grid; None: 0.8, 0.5, 0.4 for 1, 2, 3 of them, as in scikit-learn, and
        0.7 / sqrt(n_frequencies) for more.
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : AdditiveKernel
    map_ : AdditiveMap
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import AdditiveFeatures, JensenShannon
    >>> X = np.random.default_rng(0).dirichlet(np.ones(8), 5)
    >>> features = AdditiveFeatures(JensenShannon(), n_frequencies=9).fit(X)
    >>> Z = features.transform(X)
    >>> Z.shape, bool(abs(Z @ Z.T - features.kernel_(X)).max() < 0.02)
    ((5, 136), True)
    """

    _parameter_constraints: Constraints = {
        "kernel": [AdditiveKernel, None],
        "n_frequencies": [Interval(Integral, 1, None, closed="left")],
        "sampling": [StrOptions({"grid", "monte_carlo"})],
        "interval": [Interval(Real, 0, None, closed="neither"), None],
        "random_state": SEED_RULE,
    }

    _default = AdditiveChi2
    kernel_: AdditiveKernel

    def __init__(
        self,
        kernel: AdditiveKernel | None = None,
        *,
        n_frequencies: int = 2,
        sampling: str = "grid",
        interval: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_frequencies = n_frequencies
        self.sampling = sampling
        self.interval = interval
        self.random_state = random_state

    def _draw(self, X: Rows) -> FeatureMap:
        if type(self.kernel_) is Hellinger:
            return additive_grid(self.kernel_, n_features=X.shape[1], n_frequencies=1, interval=1.0)
        sizes = {"n_features": X.shape[1], "n_frequencies": self.n_frequencies}
        if self.sampling == "monte_carlo":
            return draw_additive_map(self.kernel_, **sizes, seed=self.seed_)
        interval = _INTERVALS.get(self.n_frequencies, 0.7 / float(self.n_frequencies) ** 0.5)
        return additive_grid(self.kernel_, **sizes, interval=self.interval or interval)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class LaplaceFeatures(KernelFeatures):
    """Random Laplace features of a semigroup kernel on histograms, k(x, y) = K(x + y) (Yang et al. 2014).

        z_i(x) = exp(-w_i . x) / sqrt(D),       w_i from the law whose Laplace transform is K,       i = 1 ... D

    All features lie between 0 and 1 / sqrt(D): kappa = 1 in the theorems of Rudi & Rosasco (2017).

    Parameters
    ----------
    kernel : SemigroupKernel, default=None
        `ReciprocalSemigroup()` (None) or `ExponentialSemigroup()`.
    n_components : int, default=1024
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : SemigroupKernel
    map_ : LaplaceMap
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Yang, Sindhwani, Fan, Avron & Mahoney (2014), Random Laplace feature maps for semigroup kernels on histograms.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import LaplaceFeatures
    >>> X = np.random.default_rng(0).dirichlet(np.ones(4), 5)
    >>> features = LaplaceFeatures(n_components=20_000, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(np.abs(Z @ Z.T - features.kernel_(X)).max() < 0.05)
    True
    """

    _parameter_constraints: Constraints = {"kernel": [SemigroupKernel, None], **WIDTH_CONSTRAINTS}

    _default = ReciprocalSemigroup
    kernel_: SemigroupKernel

    def _draw(self, X: Rows) -> FeatureMap:
        return draw_laplace_map(self.kernel_, n_features=X.shape[1], n_components=self.n_components, seed=self.seed_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

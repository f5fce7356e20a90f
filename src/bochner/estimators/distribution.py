"""Distribution regression and classification: mean embeddings of bags of points, then a linear or kernel model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from bochner._random import resolve_seed
from bochner._sklearn import LENGTH_SCALE_RULE, SEED_RULE, Interval, OurWords, StrOptions, fit_method
from bochner._typing import Array, ArrayLike, Constraints, Seed
from bochner.comparison.bags import Bagged, Bags
from bochner.comparison.kernel_features import KernelFeatures, default_components
from bochner.errors import InvalidDataError
from bochner.estimators.classifier import KernelClassifier
from bochner.estimators.fourier import SAMPLING_RULE
from bochner.estimators.regressor import KernelRegressor
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.tuning import ScaleRule

__all__ = ["DistributionClassifier", "DistributionRegressor"]


_CONSTRAINTS: Constraints = {
    "kernel": [Stationary, str],
    "outer_kernel": [Stationary, str],
    "n_components": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
    "length_scale": LENGTH_SCALE_RULE,
    "alpha": [Interval(Real, 0, None, closed="left"), str],
    "group": [str, None],
    "sampling": SAMPLING_RULE,
    "random_state": SEED_RULE,
}


class _DistributionModel(OurWords, BaseEstimator, ABC):
    """A model on the mean embeddings of bags. A subclass makes the model."""

    kernel_: Stationary
    n_components_: int
    n_features_in_: int

    _features: KernelFeatures

    _parameter_constraints: Constraints = _CONSTRAINTS

    def __init__(
        self,
        kernel: str | Stationary = "gaussian",
        *,
        outer_kernel: str | Stationary = "linear",
        n_components: int | str = "auto",
        length_scale: ArrayLike = "auto",
        alpha: float | str = "gcv",
        group: str | None = None,
        sampling: str | Sampler = "monte_carlo",
        random_state: Seed = None,
    ) -> None:
        self.kernel = kernel
        self.outer_kernel = outer_kernel
        self.n_components = n_components
        self.length_scale = length_scale
        self.alpha = alpha
        self.group = group
        self.sampling = sampling
        self.random_state = random_state

    @fit_method
    def fit(self, X: Bagged, y: ArrayLike) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : list of arrays of shape (n_i, d), or a frame
            The bags; or, with `group`, a frame of rows with a column that names the bag of each.
        y : array-like of shape (n_bags,)
            One target for a bag; for a frame in the order in which the bags first appear.

        Returns
        -------
        self
        """
        bags = Bags.of(X, self.group)
        if np.shape(y)[:1] != (bags.n_bags,):
            raise InvalidDataError(
                f"y must have one entry for each of the {bags.n_bags} bags. Got shape {np.shape(y)}."
            )
        seed = resolve_seed(self.random_state)
        rule = ScaleRule(type(self).__name__, self.kernel, self.length_scale)
        self.kernel_ = rule.resolve_sample(bags.rows, seed=seed)
        width = default_components(len(bags.rows)) if isinstance(self.n_components, str) else int(self.n_components)
        self._features = KernelFeatures.draw(
            self.kernel_, bags.rows.shape[1], width, embedding="paired", sampling=self.sampling, seed=seed
        )
        self.n_components_ = width
        self.n_features_in_ = bags.rows.shape[1]
        self.model_ = self._model(seed).fit(self._embed(bags), y)
        return self

    def embed(self, X: Bagged) -> Array:
        """The mean embeddings of bags, shape (n_bags, n_components_)."""
        check_is_fitted(self)
        bags = Bags.of(X, self.group)
        if bags.rows.shape[1] != self.n_features_in_:
            raise InvalidDataError(f"Bags must have {self.n_features_in_} columns. Got {bags.rows.shape[1]}.")
        return self._embed(bags)

    def predict(self, X: Bagged) -> Array:
        """Predict the target of every bag.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        array of shape (n_bags,)
        """
        embedded = self.embed(X)  # tells whether there is a model
        predicted: Array = self.model_.predict(embedded)
        return predicted

    @abstractmethod
    def _model(self, seed: int) -> KernelRegressor | KernelClassifier:
        """The model on the embeddings, not fitted."""

    def _outer(self, seed: int) -> dict[str, Any]:
        """Parameters of the model on the embeddings; a linear one takes the embeddings as its features."""
        if isinstance(self.outer_kernel, str) and self.outer_kernel == "linear":
            return {"features": FunctionTransformer(), "alpha": self.alpha, "random_state": seed}
        return {"kernel": self.outer_kernel, "alpha": self.alpha, "random_state": seed}

    def _embed(self, bags: Bags) -> Array:
        return bags.mean_features(self._features.fourier)


class DistributionRegressor(RegressorMixin, _DistributionModel):
    """Distribution regression, where an input is a bag of points: ridge on mean embeddings (support measure machines).

        y = f(mu_P) + noise,    mu_P = mean_i z(x_i) over the points of a bag

    with f linear, whose kernel between bags is the mean map kernel, or with a kernel of its own on the embeddings.

    Parameters
    ----------
    kernel : str or Stationary, default="gaussian"
        The kernel between points.
    outer_kernel : "linear", str or Stationary, default="linear"
        The kernel between mean embeddings. The length scale of a named one is learned from the targets, that of a
        kernel is its own, as with length_scale="auto" in `KernelRegressor`.
    n_components : int or "auto", default="auto"
        Width of the embeddings; "auto": 512 + 8 sqrt(n) for n points in all.
    length_scale : "auto", "median", float or array of shape (d,), default="auto"
        Of the kernel between points. "auto": the kernel's own if `kernel` is a kernel, else for each column its spread
        times the median distance between points in units of these; a point has no target to learn from. "median": one
        for all columns, the median distance between the points of all bags.
    alpha : {"gcv", "evidence", "loo"} or float, default="gcv"
        As in `KernelRegressor`.
    group : str, default=None
        Name of the column that says which bag a row belongs to, where X is a frame of rows.
    sampling : str or Sampler, default="monte_carlo"
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : Stationary
    model_ : KernelRegressor
        The model on the embeddings.
    n_components_ : int

    References
    ----------
    Muandet et al. (2012), Learning from distributions via support measure machines.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import DistributionRegressor
    >>> rng = np.random.default_rng(0)
    >>> spreads = rng.uniform(0.5, 2.0, 200)
    >>> bags = [spread * rng.standard_normal((rng.integers(50, 150), 1)) for spread in spreads]
    >>> model = DistributionRegressor(random_state=0).fit(bags[:150], spreads[:150])
    >>> bool(model.score(bags[150:], spreads[150:]) > 0.9)
    True
    """

    def _model(self, seed: int) -> KernelRegressor:
        return KernelRegressor(**self._outer(seed))


class DistributionClassifier(ClassifierMixin, _DistributionModel):
    """Classification of bags of points: a linear or kernel classifier on their mean embeddings.

    Parameters
    ----------
    kernel, outer_kernel, n_components, length_scale, group, sampling, random_state
        As in `DistributionRegressor`.
    loss : str, default="logistic"
        As in `KernelClassifier`.
    alpha : float or str, default=1.0
        As in `KernelClassifier`.

    Attributes
    ----------
    kernel_ : Stationary
    model_ : KernelClassifier
        The model on the embeddings.
    classes_ : array of shape (n_classes,)
    n_components_ : int

    References
    ----------
    Muandet et al. (2012), Learning from distributions via support measure machines.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import DistributionClassifier
    >>> rng = np.random.default_rng(0)
    >>> wide = np.arange(100) % 2 == 0
    >>> bags = [(2.0 if each else 1.0) * rng.standard_normal((60, 1)) for each in wide]
    >>> model = DistributionClassifier(alpha=0.01, random_state=0).fit(bags[:70], wide[:70])
    >>> bool(model.score(bags[70:], wide[70:]) > 0.9)
    True
    """

    _parameter_constraints: Constraints = {**_CONSTRAINTS, "loss": [str]}

    def __init__(
        self,
        kernel: str | Stationary = "gaussian",
        *,
        outer_kernel: str | Stationary = "linear",
        n_components: int | str = "auto",
        length_scale: ArrayLike = "auto",
        loss: str = "logistic",
        alpha: float | str = 1.0,
        group: str | None = None,
        sampling: str | Sampler = "monte_carlo",
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            kernel,
            outer_kernel=outer_kernel,
            n_components=n_components,
            length_scale=length_scale,
            alpha=alpha,
            group=group,
            sampling=sampling,
            random_state=random_state,
        )
        self.loss = loss

    @property
    def classes_(self) -> Array:
        check_is_fitted(self, "model_")
        classes: Array = self.model_.classes_
        return classes

    def predict_proba(self, X: Bagged) -> Array:
        """Probabilities of the classes, shape (n_bags, n_classes)."""
        probabilities: Array = self.model_.predict_proba(self.embed(X))
        return probabilities

    def decision_function(self, X: Bagged) -> Array:
        """Scores of the bags, as `KernelClassifier` has them."""
        scores: Array = self.model_.decision_function(self.embed(X))
        return scores

    def _model(self, seed: int) -> KernelClassifier:
        return KernelClassifier(loss=self.loss, **self._outer(seed))

"""The spline map as a scikit-learn transformer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

from bochner._random import resolve_seed
from bochner._sklearn import SEED_RULE, Interval, refuse_lazy, validated
from bochner._typing import Constraints
from bochner.estimators.map_transformer import MapTransformer
from bochner.estimators.validation import validated_rows
from bochner.features import SplineMap, draw_spline_map
from bochner.kernels import Spline

__all__ = ["SplineFeatures"]


class SplineFeatures(MapTransformer):
    """Random features of the periodic spline kernel: splines of half the order about uniform centres.

        z_i(x) = Lambda_{q/2}(x / length_scale - w_i) / sqrt(D),      w_i uniform on [0, 1],      i = 1 ... D

    (for one feature; a product over several). z(x).z(y) estimates `Spline(length_scale, order)`. If x is uniform over
    the period, all features have the same leverage, and Theorem 3 of Rudi & Rosasco (2017) asks for a smaller power of
    n of them than of `FourierFeatures` of the same kernel. At n = 10^4 that is 280 against 3,600 for order 8, and no
    gain yet for order 4 (`bochner.reproduce`, "rudi-rosasco").

    Parameters
    ----------
    order : float, default=4
        Order q > 2 of the kernel; the features have order q/2.
    n_components : int, default=1024
        Output width D.
    length_scale : float or array of shape (n_features,), default=1.0
        The period, as in `Spline`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the centres. A wider map begins with the centres of the narrower one.

    Attributes
    ----------
    kernel_ : Spline
        The kernel that is approximated.
    map_ : SplineMap
        With the `centres`, an array of shape (n_components, n_features) in units of the period.
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Rudi & Rosasco (2017), Generalization properties of learning with random features, Section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import SplineFeatures
    >>> X = np.array([[0.1], [0.4]])
    >>> features = SplineFeatures(order=4, n_components=50_000, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(np.abs(Z @ Z.T - features.kernel_(X)).max() < 0.1)
    True
    """

    _parameter_constraints: Constraints = {
        "order": [Interval(Real, 2, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "length_scale": [Interval(Real, 0, None, closed="neither"), "array-like"],
        "random_state": SEED_RULE,
    }

    def __init__(
        self, order: float = 4, *, n_components: int = 1024, length_scale: Any = 1.0, random_state: Any = None
    ) -> None:
        self.order = order
        self.n_components = n_components
        self.length_scale = length_scale
        self.random_state = random_state

    @validated
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the centres. Of X only the width matters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        refuse_lazy(X)
        X = validated_rows(self, X, reset=True)
        self.kernel_ = Spline(self.length_scale, order=self.order)
        self.seed_ = resolve_seed(self.random_state)
        self.map_: SplineMap = draw_spline_map(
            self.kernel_, n_features=X.shape[1], n_components=self.n_components, seed=self.seed_
        )
        return self

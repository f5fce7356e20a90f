"""Features of dot-product kernels as scikit-learn transformers: Maclaurin, TensorSketch, positive features."""

from __future__ import annotations

import warnings

import numpy as np

from bochner._typing import Constraints, Rows
from bochner.errors import BochnerWarning, InvalidDataError
from bochner.estimators.kernel_features import WIDTH_CONSTRAINTS, KernelFeatures
from bochner.features import (
    FeatureMap,
    draw_maclaurin_map,
    draw_positive_map,
    draw_tensor_sketch_map,
)
from bochner.features.maclaurin import require_numbers, squared_norms
from bochner.kernels import DotProduct, Exponential, Polynomial

__all__ = ["MaclaurinFeatures", "PositiveFeatures", "TensorSketchFeatures"]


class MaclaurinFeatures(KernelFeatures):
    """Random Maclaurin features of a dot-product kernel f(x.y) = sum_n a_n (x.y)^n (Kar & Karnick 2012).

        z_i(x) = sqrt(a_n / (p_n D)) prod_{l = 1 ... n} s_il . x,      s_il in {-1, 1}^d,      i = 1 ... D

    with a degree n for each feature, drawn with probability p_n: the share of its term in f at the mean squared norm of
    the rows of fit. E z(x).z(y) = k(x, y); the variance falls as 1/D, and grows fast with the degree: for polynomials
    of dense rows `TensorSketchFeatures` is better.

    Parameters
    ----------
    kernel : Polynomial or Exponential, default=None
        None: `Polynomial()`.
    n_components : int, default=1024
        Output width D.
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : DotProduct
    map_ : MaclaurinMap
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Kar & Karnick (2012), Random feature maps for dot product kernels.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import MaclaurinFeatures, Polynomial
    >>> X = np.random.default_rng(0).standard_normal((5, 3))
    >>> features = MaclaurinFeatures(Polynomial(2), n_components=50_000, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(np.abs(Z @ Z.T - features.kernel_(X)).max() < 0.2)
    True
    """

    _parameter_constraints: Constraints = {"kernel": [DotProduct, None], **WIDTH_CONSTRAINTS}

    _default = Polynomial

    kernel_: DotProduct

    def _draw(self, X: Rows) -> FeatureMap:
        unit = np.broadcast_to(self.kernel_.unit(X.shape[1]), (X.shape[1],))
        return draw_maclaurin_map(
            self.kernel_, n_features=X.shape[1], n_components=self.n_components,
            squared_norm=float(np.mean(squared_norms(X, unit))), seed=self.seed_,
        )  # fmt: skip


class TensorSketchFeatures(KernelFeatures):
    """TensorSketch of a polynomial kernel (Pham & Pagh 2013): hashed polynomial features, by fast Fourier transforms.

        E z(x).z(y) = (gamma x.y + coef0)^degree,       cost d degree + D log D a row; of sparse rows their entries only

    The features are orthonormal coordinates of the sketch in the Fourier domain (`TensorSketchMap`): its dot products,
    without the transform back.

    Parameters
    ----------
    kernel : Polynomial, default=None
        None: `Polynomial()`.
    n_components : int, default=1024
        Output width D; a power of 2 is fastest.
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : Polynomial
    map_ : TensorSketchMap
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Pham & Pagh (2013), Fast and scalable polynomial kernels via explicit feature maps.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import Polynomial, TensorSketchFeatures
    >>> X = np.random.default_rng(0).standard_normal((5, 3))
    >>> features = TensorSketchFeatures(Polynomial(2), n_components=4096, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(np.abs(Z @ Z.T - features.kernel_(X)).max() < 0.2)
    True
    """

    _parameter_constraints: Constraints = {"kernel": [Polynomial, None], **WIDTH_CONSTRAINTS}

    _default = Polynomial

    kernel_: Polynomial

    def _draw(self, X: Rows) -> FeatureMap:
        return draw_tensor_sketch_map(
            self.kernel_, n_features=X.shape[1], n_components=self.n_components, seed=self.seed_
        )


class PositiveFeatures(KernelFeatures):
    """Positive random features of the exponential kernel exp(x.y / length_scale^2) (Choromanski et al. 2021).

        z_i(x) = exp(omega_i . x' - ||x'||^2 / 2) / sqrt(D),      x' = x / length_scale,      omega_i normal

    E z(x).z(y) = k(x, y). All features are positive, and so are all kernel estimates; their variance is small where
    the kernel is, and large where it is large.

    Parameters
    ----------
    kernel : Exponential, default=None
        None: `Exponential()`.
    n_components : int, default=1024
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : Exponential
    map_ : PositiveMap
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Choromanski et al. (2021), Rethinking attention with Performers.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import Exponential, PositiveFeatures
    >>> X = np.random.default_rng(0).uniform(-0.5, 0.5, (5, 3))
    >>> features = PositiveFeatures(Exponential(), n_components=20_000, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(np.abs(Z @ Z.T - features.kernel_(X)).max() < 0.1)
    True
    """

    _parameter_constraints: Constraints = {"kernel": [Exponential, None], **WIDTH_CONSTRAINTS}

    _default = Exponential

    kernel_: Exponential

    def _draw(self, X: Rows) -> FeatureMap:
        try:
            require_numbers(self.kernel_, X)
        except InvalidDataError as refused:
            warnings.warn(f"{refused} Positive features of such rows are 0.", BochnerWarning, stacklevel=4)
        return draw_positive_map(self.kernel_, n_features=X.shape[1], n_components=self.n_components, seed=self.seed_)

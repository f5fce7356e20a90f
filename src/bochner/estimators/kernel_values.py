"""Exact kernel values against all rows as a scikit-learn transformer: what the exact kernel machine is linear in."""

from __future__ import annotations

from typing import Any, Self

from bochner._dense import dense
from bochner._sklearn import refuse_lazy, validated
from bochner._typing import Constraints, Rows
from bochner.errors import AssumptionError
from bochner.estimators.map_transformer import CertificateContext, MapTransformer, kernel_of_data
from bochner.estimators.validation import validated_rows
from bochner.features.nystroem import KernelMap
from bochner.kernels import Stationary
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate

__all__ = ["KernelValues"]

_SEED = 0  # of the sample of rows that the scale of a named kernel is taken from


class KernelValues(MapTransformer):
    """Exact kernel values against the rows of the fit: x -> [k(x, x_1), ..., k(x, x_n)].

    A linear model on them with the penalty a'K a is the exact kernel machine; models with features="exact" have them as
    `features_`.

    Parameters
    ----------
    kernel : Stationary or str, default=None
        As in `NystroemFeatures`.

    Attributes
    ----------
    kernel_ : Stationary
    map_ : KernelMap
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import Gaussian, KernelValues
    >>> X = np.array([[0.0], [1.0]])
    >>> KernelValues(Gaussian()).fit_transform(X).round(2)
    array([[1.  , 0.61],
           [0.61, 1.  ]])
    """

    map_: KernelMap

    _parameter_constraints: Constraints = {"kernel": [Stationary, str, None]}

    def __init__(self, kernel: Stationary | str | None = None) -> None:
        self.kernel = kernel

    @validated
    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the rows.

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
        self.kernel_ = kernel_of_data(self, self.kernel, X, _SEED)
        self.map_ = KernelMap(self.kernel_, dense(X, float))
        return self

    def exact_kernel(self) -> ExactKernel:
        return ExactKernel(self.kernel_)

    def certify_kernel(self, X: Rows, delta: float, context: CertificateContext) -> Certificate:
        raise AssumptionError(
            "No certificate of the kernel is needed: this is the exact kernel machine. In Python: certify(X, y=y), "
            "with the training rows and targets, says how far its numerical solution is from the exact one."
        )

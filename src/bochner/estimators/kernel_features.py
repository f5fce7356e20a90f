"""Base of transformers that draw random features of a kernel that is given: the catalogue beside Fourier features."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from bochner._dense import dense
from bochner._random import resolve_seed
from bochner._sklearn import SEED_RULE, Interval, refuse_lazy, validated
from bochner._typing import Array, Constraints, Rows
from bochner.errors import AssumptionError
from bochner.estimators.map_transformer import CertificateContext, MapTransformer
from bochner.estimators.validation import validated_rows
from bochner.features import FeatureMap, transform
from bochner.kernels import Kernel
from bochner.memory import MemoryBill, require_memory
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate
from bochner.theory.a_posteriori import AllPairs

__all__ = ["WIDTH_CONSTRAINTS", "KernelFeatures", "gram_rounding"]

WIDTH_CONSTRAINTS: Constraints = {
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "random_state": SEED_RULE,
}
"""Rules of the parameters that most of these transformers have."""


class KernelFeatures(MapTransformer):
    """Random features of a kernel: `fit` draws a map of the width of the rows. A subclass gives kernel and map."""

    kernel_: Kernel
    seed_: int

    _default: ClassVar[type[Kernel]]  # the kernel, with its own defaults, where none is given

    def __init__(self, kernel: Kernel | None = None, *, n_components: int = 1024, random_state: Any = None) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.random_state = random_state

    @validated
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the features.

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
        self.seed_ = resolve_seed(self.random_state)
        self.kernel_ = self._default() if self.kernel is None else self.kernel
        self.map_ = self._draw(X)
        self.map_.check_rows(X)
        return self

    @abstractmethod
    def _draw(self, X: Rows) -> FeatureMap:
        """The map for rows, by `kernel_` and `seed_`."""

    def exact_kernel(self) -> ExactKernel:
        # Overrides: the kernel is known, the machine to compare with is not built.
        raise AssumptionError(
            f"{type(self.kernel_).__name__} is not stationary: there is no exact kernel machine to compare with. "
            f"{type(self).__name__}.certify(X) compares the features with the kernel."
        )

    def certify_kernel(self, X: Rows, delta: float, context: CertificateContext) -> Certificate:
        """The largest error over all pairs of rows, computed in float64. There are no a priori bounds here."""
        n, D = X.shape[0], self.map_.n_components
        require_memory(
            MemoryBill({"kernel matrix and errors": 24 * n * n, "features": 8 * n * D}), "Certify fewer rows."
        )
        rows = dense(X, float)
        Z = transform(self.map_, rows, np.dtype(float))
        error = Z @ Z.T - self.kernel_(rows)
        return AllPairs(error=error, rounding=gram_rounding(Z)).certificate()


def gram_rounding(Z: Array) -> float:
    """Bound on the rounding errors of Z Z': (D + 8) u max ||z||^2, u the unit round-off."""
    unit = float(np.finfo(float).eps) / 2
    return (Z.shape[1] + 8) * unit * float(np.max(np.sum(Z**2, axis=1), initial=0.0))

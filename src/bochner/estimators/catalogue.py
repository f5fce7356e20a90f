"""Which features a kernel has that is not stationary: `kernel=Polynomial(2)` of an estimator is enough to name them."""

from __future__ import annotations

from collections.abc import Callable

from bochner.errors import invalid_parameter
from bochner.estimators.dot_product import MaclaurinFeatures, TensorSketchFeatures
from bochner.estimators.histograms import AdditiveFeatures, LaplaceFeatures
from bochner.estimators.kernel_features import KernelFeatures
from bochner.estimators.units import ArcCosineFeatures, SignFeatures, SketchFeatures
from bochner.kernels import (
    AdditiveKernel,
    Angular,
    ArcCosine,
    BinaryCode,
    Exponential,
    Kernel,
    Linear,
    Polynomial,
    SemigroupKernel,
    Stationary,
)

__all__ = ["features_of_kernel"]

_WIDTH = 1024


def features_of_kernel(owner: object, kernel: object, width: int | None, seed: int) -> KernelFeatures | None:
    """The random features of a kernel that is not stationary; None for one that is, a name or None."""
    kinds = type(kernel).__mro__
    if kernel is None or str in kinds or Stationary in kinds:
        return None
    for kind in kinds:
        if kind in _FEATURES:
            return _FEATURES[kind](kernel, width or _WIDTH, seed)
    raise invalid_parameter(owner, "kernel", "one with random features of its own, or give features=...", kernel)


def _of(cls: type[KernelFeatures]) -> Callable[[Kernel, int, int], KernelFeatures]:
    return lambda kernel, width, seed: cls(kernel, n_components=width, random_state=seed)


_FEATURES: dict[type, Callable[..., KernelFeatures]] = {
    Polynomial: _of(TensorSketchFeatures),
    Exponential: _of(MaclaurinFeatures),
    Linear: _of(SketchFeatures),
    ArcCosine: _of(ArcCosineFeatures),
    Angular: _of(SignFeatures),
    BinaryCode: lambda kernel, width, seed: SignFeatures(kernel.kernel, n_components=width, random_state=seed),
    SemigroupKernel: _of(LaplaceFeatures),
    AdditiveKernel: lambda kernel, width, seed: AdditiveFeatures(kernel, random_state=seed),
}

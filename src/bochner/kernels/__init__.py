"""Kernels k(x, y): exact values, spectral measures, and the constants of the theory."""

from bochner.kernels.algebra import Product, Scaled, Sum
from bochner.kernels.angle import Angular, ArcCosine
from bochner.kernels.base import Kernel, Stationary, require_stationary
from bochner.kernels.binary import BinaryCode
from bochner.kernels.cauchy import Cauchy
from bochner.kernels.distance import DistanceKernel, Isotropic, Metric
from bochner.kernels.dot_product import DotProduct, Exponential, Linear, Polynomial
from bochner.kernels.gaussian import Gaussian
from bochner.kernels.histograms import (
    AdditiveChi2,
    AdditiveKernel,
    ExponentialSemigroup,
    Hellinger,
    Intersection,
    JensenShannon,
    ReciprocalSemigroup,
    SemigroupKernel,
)
from bochner.kernels.laplacian import Laplacian
from bochner.kernels.matern import Matern
from bochner.kernels.measure import SpectralMeasure
from bochner.kernels.power_exponential import PowerExponential
from bochner.kernels.rational_quadratic import RationalQuadratic
from bochner.kernels.spline import Spline

__all__ = [
    "AdditiveChi2",
    "AdditiveKernel",
    "Angular",
    "ArcCosine",
    "BinaryCode",
    "Cauchy",
    "DistanceKernel",
    "DotProduct",
    "Exponential",
    "ExponentialSemigroup",
    "Gaussian",
    "Hellinger",
    "Intersection",
    "Isotropic",
    "JensenShannon",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Metric",
    "Polynomial",
    "PowerExponential",
    "Product",
    "RationalQuadratic",
    "ReciprocalSemigroup",
    "Scaled",
    "SemigroupKernel",
    "SpectralMeasure",
    "Spline",
    "Stationary",
    "Sum",
    "resolve_kernel",
]

# Spline has no name: a period is known, not guessed, and the median distance would wrap the data around it.
KERNELS: dict[str, type[Stationary]] = {
    "gaussian": Gaussian,
    "rbf": Gaussian,  # scikit-learn's name
    "laplacian": Laplacian,
    "matern": Matern,
    "cauchy": Cauchy,
    "rational_quadratic": RationalQuadratic,
    "power_exponential": PowerExponential,
}


def resolve_kernel(owner: object, kernel: str | Stationary | None) -> Stationary:
    """The stationary kernel behind a name, None (Gaussian) or a kernel."""
    if kernel is None:
        return Gaussian()
    if isinstance(kernel, str) and kernel in KERNELS:
        return KERNELS[kernel]()
    rule = f"a stationary kernel or one of {sorted(KERNELS)} (features of other kernels: features=...)"
    return require_stationary(owner, "kernel", kernel, rule=rule)

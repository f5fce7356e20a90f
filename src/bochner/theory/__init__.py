"""Every numbered result on the error of random features, as code, with its status and source.

`bounds()` lists them. A `Bound` is proved and issues certificates; a `Rate` has exponents only; a `Published` formula
is as printed, whatever its status, and cannot become a certificate.
"""

from bochner.theory import (
    a_posteriori,
    downstream,
    expectation,
    finite_set,
    generalization,
    lower,
    mean_square,
    moments,
    orbit,
    orthogonal,
    pointwise,
    published,
    rates,
    spectral,
    supremum,
    uniform,
)
from bochner.theory.base import (
    Bound,
    Certificate,
    Claim,
    Evidence,
    Published,
    Rate,
    Source,
    Status,
    TailBound,
    concrete_claims,
)
from bochner.theory.dimension import Estimate, effective_dimension, leverage_scores, maximum_feature_dimension
from bochner.theory.feature_counts import FeatureCount, FeatureCounts, feature_counts
from bochner.theory.spectrum import SpectrumFit, fit_spectrum

__all__ = [
    "Bound",
    "Certificate",
    "Claim",
    "Estimate",
    "Evidence",
    "FeatureCount",
    "FeatureCounts",
    "Published",
    "Rate",
    "Source",
    "SpectrumFit",
    "Status",
    "TailBound",
    "a_posteriori",
    "bounds",
    "downstream",
    "effective_dimension",
    "expectation",
    "feature_counts",
    "finite_set",
    "fit_spectrum",
    "generalization",
    "leverage_scores",
    "lower",
    "maximum_feature_dimension",
    "mean_square",
    "moments",
    "orbit",
    "orthogonal",
    "pointwise",
    "published",
    "rates",
    "spectral",
    "supremum",
    "uniform",
]


def bounds() -> list[type[Claim]]:
    """All results, as classes; `cls.describe()` is a plain dict of statement, status, source and assumptions."""
    return list(concrete_claims())

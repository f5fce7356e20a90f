"""Every numbered result on the error of random features, as code, with its status and source.

`bounds()` lists them. A `Bound` is proved and issues certificates; a `Rate` has exponents only; a `Published` formula
is as printed, true, open or false, and cannot become a certificate. A false one has a `counterexample()` that runs.
"""

from bochner.theory import (
    a_posteriori,
    bounded,
    columns,
    distance,
    downstream,
    expectation,
    finite_set,
    fixed_design,
    generalization,
    lanczos_norm,
    line,
    lower,
    mean_square,
    moments,
    orbit,
    orthogonal,
    pivoted,
    pointwise,
    pool,
    published,
    quadrature,
    rates,
    sampled_distance,
    sketch,
    spectral,
    supremum,
    tables,
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
from bochner.theory.counterexample import Counterexample
from bochner.theory.dimension import Estimate, effective_dimension, leverage_scores, maximum_feature_dimension
from bochner.theory.feature_counts import FeatureCount, FeatureCounts, feature_counts
from bochner.theory.spectrum import SpectrumFit, fit_spectrum

__all__ = [
    "Bound",
    "Certificate",
    "Claim",
    "Counterexample",
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
    "bounded",
    "bounds",
    "columns",
    "distance",
    "downstream",
    "effective_dimension",
    "expectation",
    "feature_counts",
    "finite_set",
    "fit_spectrum",
    "fixed_design",
    "generalization",
    "lanczos_norm",
    "line",
    "leverage_scores",
    "lower",
    "maximum_feature_dimension",
    "mean_square",
    "moments",
    "orbit",
    "orthogonal",
    "pivoted",
    "pointwise",
    "pool",
    "published",
    "quadrature",
    "rates",
    "sampled_distance",
    "sketch",
    "spectral",
    "supremum",
    "tables",
    "uniform",
]


def bounds() -> list[type[Claim]]:
    """All results, as classes; `cls.describe()` is a plain dict of statement, status, source and assumptions."""
    return list(concrete_claims())

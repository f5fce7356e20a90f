"""kappa of Rudi & Rosasco's theorems for the maps of the catalogue, or why there is none."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError
from bochner.theory.bounded import BoundedFeatures
from bochner.theory.generalization import OperatorBound

X = np.random.default_rng(0).exponential(size=(30, 3))

BOUNDED = {
    "signs": (bo.SignFeatures(random_state=0), 1.0),
    "codes": (bo.SignFeatures(bo.Gaussian(), random_state=0), 1.0),
    "arc-cosine 0": (bo.ArcCosineFeatures(bo.ArcCosine(0), random_state=0), np.sqrt(2)),
    "Laplace": (bo.LaplaceFeatures(random_state=0), 1.0),
    "pairs": (bo.FourierFeatures(3.0 * bo.Gaussian(), random_state=0), np.sqrt(3)),
    "phases": (bo.FourierFeatures(bo.Gaussian(), embedding="phase", random_state=0), np.sqrt(2)),
}
UNBOUNDED = {
    "arc-cosine 1": (bo.ArcCosineFeatures(random_state=0), "not bounded: omega is normal"),
    "positive": (bo.PositiveFeatures(random_state=0), "grows with a normal omega"),
    "sketch": (bo.SketchFeatures(random_state=0), "not bounded"),
    "exponential": (bo.MaclaurinFeatures(bo.Exponential(2.0), random_state=0), "infinitely many degrees"),
    "TensorSketch": (bo.TensorSketchFeatures(random_state=0), "not independent draws"),
    "additive": (bo.AdditiveFeatures(random_state=0), "no independent draws"),
    "orthogonal": (bo.FourierFeatures(bo.Gaussian(), sampling="orthogonal", random_state=0), "not independent draws"),
    "SORF": (bo.FourierFeatures(bo.Gaussian(), sampling="sorf", random_state=0), "not independent draws"),
    "narrow Maclaurin": (bo.MaclaurinFeatures(bo.Polynomial(2), n_components=2, random_state=0), "No feature has the"),
    "landmarks": (bo.NystroemFeatures(bo.Gaussian(), n_components=5, random_state=0), "No bound is known"),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_features_say_their_kappa(name):
    features, kappa = BOUNDED[name]
    assert features.fit(X).bounded_features(X).kappa == pytest.approx(kappa)


@pytest.mark.parametrize("name", UNBOUNDED)
def test_others_say_why_not(name):
    features, why = UNBOUNDED[name]
    with pytest.raises(AssumptionError, match=why):
        features.fit(X).bounded_features(X)


def test_maclaurin_features_are_bounded_where_the_rows_are():
    kernel = bo.Polynomial(2)
    features = bo.MaclaurinFeatures(kernel, n_components=4000, random_state=0).fit(X)
    kappa = features.bounded_features(X).kappa
    others = [bo.MaclaurinFeatures(kernel, n_components=4000, random_state=seed).fit(X) for seed in range(20)]
    largest = max(np.abs(each.transform(X)).max() for each in others) * np.sqrt(4000)
    assert largest <= kappa * (1 + 1e-12)
    assert largest > 0.5 * kappa
    assert features.bounded_features(2 * X).kappa > kappa


def test_the_count_is_that_of_the_operator_bound():
    setting = {"lam": 0.01, "d_lambda": 20.0, "operator_norm": 0.5}
    operator = OperatorBound(d_tau=200.0, **setting)
    assert BoundedFeatures(kappa=np.sqrt(2)).features_needed(**setting, delta=0.01) == operator.features_needed(0.01)


def test_a_maximum_dimension_of_the_spectrum_is_below_that_of_kappa():
    """F_inf(lambda), computed over many draws on the empirical law, is at most kappa^2 / lambda."""
    Z = bo.SignFeatures(n_components=5000, random_state=0).fit(X).transform(X) * np.sqrt(5000)
    K, lam = bo.Angular()(X) / len(X), 0.05
    scores = np.einsum("ij,ij->j", Z, np.linalg.solve(K + lam * np.eye(len(X)), Z)) / len(X)
    assert scores.max() <= BoundedFeatures(kappa=1.0).maximum_dimension(lam)


def test_kappa_is_positive():
    with pytest.raises(ValueError, match=r"'kappa' parameter of BoundedFeatures.*Got 0"):
        BoundedFeatures(kappa=0)

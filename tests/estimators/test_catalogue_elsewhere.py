"""The catalogue of feature maps in plans, orbit averages, two-sample tests and certificates, or why not."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner import groups
from bochner.errors import AssumptionError, InvalidDataError, InvalidParameterError
from bochner.estimators.catalogue import features_of_kernel
from bochner.features.of_kernel import draw_map_of_kernel

RNG = np.random.default_rng(11)
X = RNG.dirichlet(np.ones(4), 80)
Y = X[:, 0] - X[:, 1]

KERNELS = [
    bo.Polynomial(2), bo.Exponential(2.0), bo.Linear(), bo.ArcCosine(), bo.Angular(), bo.BinaryCode(bo.Gaussian(2.0)),
    bo.AdditiveChi2(), bo.Hellinger(), bo.ReciprocalSemigroup(), bo.ExponentialSemigroup(0.3),
]  # fmt: skip
FEATURES = [
    bo.MaclaurinFeatures(bo.Polynomial(2), n_components=48, random_state=0),
    bo.TensorSketchFeatures(n_components=48, random_state=0),
    bo.PositiveFeatures(n_components=48, random_state=0),
    bo.ArcCosineFeatures(n_components=48, random_state=0),
    bo.SignFeatures(n_components=48, random_state=0),
    bo.SignFeatures(bo.Gaussian(), n_components=48, random_state=0),
    bo.SketchFeatures(n_components=48, random_state=0),
    bo.AdditiveFeatures(),
    bo.LaplaceFeatures(n_components=48, random_state=0),
]
EACH_KERNEL = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
EACH_MAP = pytest.mark.parametrize("features", FEATURES, ids=lambda features: type(features).__name__)


@EACH_KERNEL
def test_a_plan_names_the_kernel_and_bills_the_map_that_a_model_draws(kernel):
    plan = bo.plan(X, Y, kernel=kernel, n_components=96)
    model = bo.KernelRegressor(kernel, n_components=96, alpha=1.0, random_state=0).fit(X, Y)
    assert type(kernel).__name__ in str(plan)
    assert plan.n_components == model.feature_map_.n_components
    assert plan.memory_items["feature map"] == model.feature_map_.n_bytes(np.dtype(float))
    assert plan.seconds > 0
    drawn = draw_map_of_kernel(kernel, X, 96, 0)
    assert type(drawn) is type(features_of_kernel("plan", kernel, 96, 0).fit(X).map_)


@EACH_KERNEL
def test_a_plan_needs_no_rows(kernel):
    plan = bo.plan(n_samples=10_000, n_features=6, kernel=kernel)
    assert plan.n_samples == 10_000
    assert plan.n_components == (1024 if not hasattr(kernel, "of_numbers") else 6 if "Hell" in repr(kernel) else 18)
    assert np.isnan(plan.certified_error)


def test_a_plan_promises_no_error_for_these_kernels():
    with pytest.raises(InvalidParameterError, match=r"'eps' parameter of plan must be None for Polynomial.*Got 0\.1"):
        bo.plan(X, Y, kernel=bo.Polynomial(), eps=0.1)


@EACH_MAP
def test_a_plan_of_features_bills_their_map(features):
    plan = bo.plan(X, Y, features=features)
    assert plan.memory_items["feature map"] == features.fit(X).map_.n_bytes(np.dtype(float))


@EACH_MAP
def test_orbit_averages_are_invariant_and_certified(features):
    orbit = bo.OrbitFeatures(groups.CyclicShifts(), features, random_state=0).fit(X)
    Z = orbit.transform(X)
    np.testing.assert_allclose(orbit.transform(np.roll(X, 1, axis=1)), Z, atol=1e-12)
    certificate = orbit.certify(X)
    shifted = [np.roll(X, k, axis=1) for k in range(4)]
    K = np.mean([orbit.base_.kernel_(a, b) for a in shifted for b in shifted], axis=0)
    assert "the orbit kernel" in certificate.statement
    assert certificate.value == pytest.approx(np.abs(Z @ Z.T - K).max(), rel=1e-9)


def test_structured_frequencies_are_never_chosen_by_themselves():
    for features in (bo.FourierFeatures(), bo.KernelRegressor(), bo.KernelClassifier(), bo.KernelPCA()):
        assert features.get_params().get("sampling", "monte_carlo") == "monte_carlo"


@EACH_MAP
def test_two_samples_are_compared_by_any_map(features):
    changed = X[40:] ** 2 + 0.3 * np.eye(4)[0]
    assert bo.mmd_test(X[:40], changed, features=features, n_resamples=199, rng=0).pvalue <= 0.05
    assert bo.mmd_test(X[:40], X[:40], features=features, n_resamples=199, rng=0).pvalue > 0.05


@pytest.mark.parametrize("test", [bo.mmd_test, bo.mmd, bo.hsic_test], ids=lambda test: test.__name__)
def test_a_test_by_kernel_says_where_other_kernels_go(test):
    with pytest.raises(InvalidParameterError, match=r"stationary kernel.*features=\.\.\.\)\. Got Polynomial"):
        test(X, X, kernel=bo.Polynomial())


@EACH_MAP
def test_a_model_without_an_exact_machine_says_so(features):
    model = bo.KernelRegressor(features=features, alpha=1.0).fit(X, Y)
    with pytest.raises(AssumptionError, match="is not stationary: there is no exact kernel machine"):
        model.certify(X, y=Y)


@pytest.mark.parametrize(
    ("wrong", "name", "value"),
    [
        (bo.Polynomial(0), "degree", "0"), (bo.Polynomial(-1), "degree", "-1"), (bo.Polynomial(1.5), "degree", "1.5"),
        (bo.Polynomial(2, coef0=-0.5), "coef0", "-0.5"), (bo.Polynomial(2, gamma=-2.0), "gamma", "-2.0"),
        (bo.Exponential(-3.0), "length_scale", "-3.0"), (bo.ArcCosine(-1), "degree", "-1"),
        (bo.ArcCosine(3), "degree", "3"), (bo.ReciprocalSemigroup(-4.0), "scale", "-4.0"),
        (bo.ExponentialSemigroup(0.0), "beta", "0.0"),
    ],
    ids=repr,
)  # fmt: skip
def test_parameters_that_make_no_positive_definite_kernel_are_refused_with_their_value(wrong, name, value):
    for use in (lambda: wrong(X), lambda: bo.KernelRegressor(wrong, n_components=8).fit(X, Y)):
        with pytest.raises(InvalidParameterError, match=rf"'{name}' parameter of {type(wrong).__name__}.*Got {value} "):
            use()


@pytest.mark.parametrize("kernel", [bo.AdditiveChi2(), bo.Intersection(), bo.JensenShannon(), bo.Hellinger(),
                                    bo.ReciprocalSemigroup()], ids=lambda kernel: type(kernel).__name__)  # fmt: skip
def test_negative_numbers_of_histograms_are_named_in_values_fits_and_predictions(kernel):
    bad = np.tile(X, (200, 1))
    bad[12_345, 2] = -0.125
    model = bo.KernelRegressor(kernel, n_components=8, alpha=1.0, random_state=0).fit(X, Y)
    uses = (
        lambda: kernel(X, bad[12_300:12_400]),
        lambda: model.predict(bad),
        lambda: model.features_.transform(bad),
        lambda: bo.KernelRegressor(kernel, n_components=8, alpha=1.0).fit(bad, np.tile(Y, 200)),
    )
    for row, use in zip((45, 12_345, 12_345, 12_345), uses):
        with pytest.raises(InvalidDataError, match=rf"Negative values in data.*-0\.125 in row {row}, column 2"):
            use()

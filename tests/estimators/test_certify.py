"""Certificates of fitted objects are honest: they hold, they say what they bound, and they refuse."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import binomtest
from sklearn.kernel_approximation import Nystroem

import bochner as bo
from bochner.errors import AssumptionError
from bochner.estimators import certification
from tests.strategies import rows

X, X_LARGE = rows(0, 200, 5), rows(1, 6000, 5)
y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]


def names(certificate):
    return [certificate.bound, *(other.bound for other in certificate.others)]


def largest_error(features, data):
    Z = features.transform(data)
    return np.abs(Z @ Z.T - features.kernel_(data)).max()


@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize("sampling", ["monte_carlo", "orthogonal", "qmc"])
def test_on_few_rows_the_largest_error_is_computed(embedding, sampling):
    features = bo.FourierFeatures(n_components=200, embedding=embedding, sampling=sampling, random_state=0).fit(X)
    certificate = features.certify(X, delta=0.05)
    assert certificate.value == pytest.approx(largest_error(features, X))
    assert certificate.value >= largest_error(features, X)
    assert certificate.delta == 0
    assert "largest error of the kernel over all pairs of these 200 rows" in certificate.statement
    assert json.loads(json.dumps(certificate.to_dict()))["value"] == certificate.value


def test_on_many_rows_the_finite_set_bound_is_used_and_holds():
    features = bo.FourierFeatures(n_components=400, random_state=0).fit(X_LARGE)
    certificate = features.certify(X_LARGE, delta=0.05)
    assert certificate.bound == "finite_set.UnionSubGaussian"
    assert certificate.delta == 0.05
    assert certificate.value == pytest.approx(np.sqrt(2 * np.log(6000 * 5999 / 0.05) / 400), rel=1e-6)
    assert largest_error(features, X_LARGE[:3000]) < certificate.value
    assert "uniform.AnchoredCover" in names(certificate)
    assert "a_posteriori.SampledPairs" in names(certificate)


@pytest.mark.slow
def test_finite_set_certificates_fail_at_most_as_often_as_they_say(monkeypatch):
    monkeypatch.setattr(certification, "COMPUTED_ROWS", 10)
    data, delta = rows(2, 60, 4), 0.3
    features = [bo.FourierFeatures(n_components=100, random_state=s).fit(data) for s in range(200)]
    failures = sum(largest_error(f, data) > f.certify(data, delta=delta).value for f in features)
    assert binomtest(failures, 200, delta, alternative="greater").pvalue > 1e-6


def test_orthogonal_frequencies_get_the_bound_for_blocks():
    scale = 20.0  # of rows that are close to each other, in length scales
    features = bo.FourierFeatures(bo.Gaussian(scale), n_components=3000, sampling="orthogonal", random_state=0)
    certificate = features.fit(X_LARGE).certify(X_LARGE, delta=0.05)
    assert "orthogonal.OrthogonalPoints" in names(certificate)
    assert "no_a_priori_bound" not in certificate.details
    found = {each.bound: each for each in (certificate, *certificate.others)}["orthogonal.OrthogonalPoints"]
    assert largest_error(features, X_LARGE[:3000]) <= found.value < 1
    assert "Haar-orthogonal" in found.assumptions[0]


def test_a_bound_for_blocks_that_says_nothing_is_left_out():
    features = bo.FourierFeatures(bo.Gaussian(0.3), n_components=50, sampling="orthogonal", random_state=0).fit(X_LARGE)
    assert all(name.startswith(("a_posteriori", "columns")) for name in names(features.certify(X_LARGE)))
    model = bo.KernelRegressor(features=features, alpha=1.0).fit(X_LARGE, X_LARGE[:, 0])
    with pytest.raises(AssumptionError, match="not below k"):
        model.certify()


def test_dependent_frequencies_get_no_a_priori_certificate():
    certificate = bo.FourierFeatures(n_components=50, sampling="qmc", random_state=0).fit(X).certify(X_LARGE)
    assert all(name.startswith(("a_posteriori", "columns")) for name in names(certificate))
    assert "not independent draws" in certificate.details["no_a_priori_bound"]


def test_frequencies_that_tuning_has_seen_get_no_a_priori_certificate():
    certificate = bo.FourierFeatures(n_components=50, random_state=0).fit(X).certify(X_LARGE, independent=False)
    assert all(name.startswith(("a_posteriori", "columns")) for name in names(certificate))
    assert "seen by tuning" in certificate.details["no_a_priori_bound"]


def test_an_odd_paired_map_gets_no_a_priori_certificate():
    certificate = bo.FourierFeatures(n_components=51, random_state=0).fit(X).certify(X)
    assert all(name.startswith(("a_posteriori", "columns")) for name in names(certificate))


def test_kernels_without_a_second_moment_get_no_uniform_certificate():
    certificate = bo.FourierFeatures(bo.Laplacian(), n_components=400, random_state=0).fit(X_LARGE).certify(X_LARGE)
    assert "finite_set.UnionSubGaussian" in names(certificate)
    assert not any(name.startswith("uniform") for name in names(certificate))


def test_few_features_get_a_certificate_for_the_whole_domain():
    data = X[:, :2]
    certificate = bo.FourierFeatures(n_components=300, sampling="qmc", random_state=0).fit(data).certify(data)
    assert "supremum.GridSupremum" in names(certificate)


def test_scaled_kernels_and_scales_per_feature_are_certified_in_their_own_units():
    kernel = 3.0 * bo.Gaussian([1.0, 2.0, 3.0, 1.0, 5.0])
    features = bo.FourierFeatures(kernel, n_components=400, random_state=0).fit(X_LARGE)
    certificate = features.certify(X_LARGE)
    plain = bo.FourierFeatures(n_components=400, random_state=0).fit(X_LARGE).certify(X_LARGE)
    assert certificate.value == pytest.approx(3 * plain.value)


def test_sparse_rows_are_certified():
    sparse = sp.csr_array(X * (np.abs(X) > 1))
    features = bo.FourierFeatures(n_components=64, random_state=0).fit(sparse)
    assert features.certify(sparse).value == pytest.approx(largest_error(features, sparse.toarray()))


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, np.nan])
def test_a_bad_delta_is_refused(delta):
    with pytest.raises(ValueError, match="'delta' parameter"):
        bo.FourierFeatures(n_components=8).fit(X).certify(X, delta=delta)


def test_auto_width_inverts_the_finite_set_bound():
    features = bo.FourierFeatures(n_components="auto", eps=0.2, delta=0.05, random_state=0).fit(X)
    assert features.n_components_ == bo.theory.finite_set.features_needed(
        n_points=200, eps=0.2, delta=0.05, kernel=bo.Gaussian()
    )
    assert largest_error(features, X) < 0.2
    with pytest.raises(ValueError, match="'eps' parameter"):
        bo.FourierFeatures(n_components="auto").fit(X)
    with pytest.raises(AssumptionError, match="independent frequencies"):
        bo.FourierFeatures(n_components="auto", eps=0.1, sampling="qmc").fit(X)


def exact_predictions(model, data, target, new):
    """Kernel ridge with an intercept, by the saddle-point equations."""
    n, K = len(data), model.features_.kernel_(data)
    system = np.block([[K + model.alpha_ * np.eye(n), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    solution = np.linalg.solve(system, np.r_[target, 0.0])
    return model.features_.kernel_(new, data) @ solution[:n] + solution[n]


@pytest.mark.parametrize("seed", range(5))
def test_the_distance_to_exact_kernel_ridge_is_certified(seed):
    model = bo.KernelRegressor(n_components=100, alpha=0.1, random_state=seed).fit(X, y)
    true = np.sqrt(np.mean((model.predict(X) - exact_predictions(model, X, y, X)) ** 2))
    certificate = model.certify(X, y=y)
    assert certificate.value == pytest.approx(true, rel=1e-5)
    assert certificate.at_least <= true <= certificate.value
    assert true <= model.certify(X).value
    assert model.certify(X).bound == "distance.AnyTargetDistance"
    new = rows(100 + seed, 600, 5)
    others = {other.bound: other for other in model.certify(X, y=y, X_new=new, delta=0.05).others}
    at_rows = np.abs(model.predict(new) - exact_predictions(model, X, y, new)).max()
    assert at_rows <= others["distance.DistanceAtRows"].value <= at_rows * (1 + 1e-6)
    fresh = rows(200 + seed, 2000, 5)
    gap = np.abs(model.predict(fresh) - exact_predictions(model, X, y, fresh))
    assert np.mean(gap > others["distance.NewRows"].value) < 0.08


def test_without_rows_or_on_other_rows_the_certificate_is_one_for_the_kernel():
    model = bo.KernelRegressor(n_components=100, random_state=0).fit(X, y)
    for certificate in (model.certify(), model.certify(rows(9, 200, 5)), model.certify(X[:50])):
        assert certificate.statement.startswith("Only the kernel is certified, not the predictions (")
    assert model.certify().bound == "finite_set.UnionSubGaussian"
    assert model.certify(X[:50]).bound == "a_posteriori.AllPairs"


def test_without_an_intercept_the_kernel_error_says_something_of_predictions():
    model = bo.KernelRegressor(n_components=100, alpha=1.0, fit_intercept=False, random_state=0).fit(X, y)
    assert "downstream.RidgePrediction" in names(model.certify())


def test_other_features_than_fourier_have_no_certificate():
    with pytest.raises(AssumptionError, match="Got Nystroem, which tells of none"):
        bo.KernelRegressor(features=Nystroem(n_components=10)).fit(X, y).certify(X)
    with pytest.raises(AssumptionError, match="not independent draws"):
        bo.KernelRegressor(n_components=32, sampling="qmc").fit(X, y).certify()

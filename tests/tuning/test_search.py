"""Scales learned by evidence: the gradients are right, the search finds what is there, and nothing depends on luck."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import bochner as bo
from bochner.errors import InvalidParameterError
from bochner.kernels import KERNELS
from bochner.tuning import FeatureEvidence, candidate_kernels, evidence, gcv, tune
from bochner.tuning.coordinates import GivenRatio
from bochner.tuning.descent import TuningRows, tuning_seed
from bochner.tuning.narrow_map import NarrowMap
from bochner.tuning.parameters import EvidenceParameters
from tests.strategies import rows


def surface(kernel, criterion, *, n=60, d=3, m=15):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    Y = np.c_[np.sin(X[:, 0]), X[:, 1] * X[:, 2]] + 0.1 * rng.standard_normal((n, 2))
    measure = kernel.with_length_scale(1.0).spectral_measure(d)
    omega = measure.frequencies(rng.standard_normal((m, measure.n_vectors, d)), rng.random((m, measure.n_uniforms)))
    return FeatureEvidence(X, Y, rng.integers(0, 3, n).astype(float), omega, criterion)


@pytest.mark.parametrize("criterion", [evidence, gcv])
@pytest.mark.parametrize("theta", [[0.3, 0.5, -0.2, -2.0, 0.4], [0.3, -2.0, 0.4], [1.5, -7.0, 2.0]])
@pytest.mark.parametrize("kernel", [*candidate_kernels(), *(kind() for kind in KERNELS.values())], ids=repr)
def test_gradients_are_those_of_finite_differences(kernel, theta, criterion):
    """Of fourth order, since heavy-tailed measures have frequencies that are very high."""
    f, theta, step = surface(kernel, criterion), np.array(theta), 1e-6

    def difference(e):
        return (8 * (f(theta + e)[0] - f(theta - e)[0]) - (f(theta + 2 * e)[0] - f(theta - 2 * e)[0])) / (12 * step)

    differences = [difference(e) for e in step * np.eye(len(theta))]
    np.testing.assert_allclose(f(theta)[1], differences, rtol=1e-6, atol=1e-6)


def test_the_evidence_is_the_density_of_the_centred_targets():
    """Of contrasts of the rows, orthonormal and orthogonal to the constant: the flat prior of the mean."""
    f = surface(bo.Gaussian(), evidence)
    f = FeatureEvidence(f.X, f.Y, None, f.omega)
    projection = f.X / np.exp(0.4) @ f.omega.T
    Z = np.hstack([np.cos(projection), np.sin(projection)]) / np.sqrt(15)
    contrasts = np.linalg.qr(np.c_[np.ones(60), np.random.default_rng(0).standard_normal((60, 59))])[0][:, 1:]
    covariance = contrasts.T @ (np.exp(0.3) * Z @ Z.T + np.exp(-1.0) * np.eye(60)) @ contrasts
    log_density = multivariate_normal(np.zeros(59), covariance).logpdf((contrasts.T @ f.Y).T).sum()
    assert -f(np.array([0.4, -1.0, 0.3]))[0] * 59 * 2 == pytest.approx(log_density)


def test_gcv_is_its_formula():
    f = surface(bo.Gaussian(), gcv)
    f = FeatureEvidence(f.X, f.Y[:, :1], None, f.omega, gcv)
    projection = f.X / np.exp(0.4) @ f.omega.T
    Z = np.hstack([np.cos(projection), np.sin(projection)]) / np.sqrt(15)
    Z, y = Z - Z.mean(axis=0), f.Y[:, 0] - f.Y[:, 0].mean()
    hat = Z @ np.linalg.solve(Z.T @ Z + np.exp(-1.3) * np.eye(30), Z.T)
    score = np.sum((y - hat @ y) ** 2) / 59 / (1 - np.trace(hat) / 59) ** 2
    assert f(np.array([0.4, -1.0, 0.3]))[0] == pytest.approx(0.5 * np.log(score))


def wave(n=1500, noise=0.05):
    """A function of the first two of five columns, the columns of very different sizes, one of them constant."""
    X = rows(3, n, 5)
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2 + noise * np.random.default_rng(0).standard_normal(n)
    return np.c_[X * [1, 1e4, 1, 1e-3, 1], np.full(n, 3.0)], y


def test_scales_of_columns_without_effect_are_pushed_out():
    X, y = wave()
    found = tune(X, y, [bo.Gaussian()], per_feature=True, seed=0)
    relative = found.length_scale[:5] / X[:, :5].std(axis=0)
    assert np.min(relative[2:]) > 5 * np.max(relative[:2])
    assert found.noise_variance * y.var() == pytest.approx(0.05**2, rel=0.5)
    assert np.all(np.isfinite(found.length_scale))


def test_the_smoothness_of_the_truth_is_recognised():
    """Draws of a process with the exponential kernel, and of one with the Gaussian kernel."""
    X = rows(4, 400, 1)
    for truth in (bo.Matern(1.0, nu=0.5), bo.Gaussian(0.7)):
        root = np.linalg.cholesky(truth(X) + 1e-4 * np.eye(400))
        y = root @ np.random.default_rng(1).standard_normal(400)
        found = tune(X, y, candidate_kernels(), per_feature=False, seed=0).kernel
        assert type(found) is type(truth)
        assert getattr(found, "nu", None) == getattr(truth, "nu", None)
        assert found.length_scale == pytest.approx(truth.length_scale, rel=0.6)


def test_the_same_seed_gives_the_same_scales_and_the_trace_descends():
    X, y = wave(400)
    first, again = (tune(X, y, [bo.Gaussian()], per_feature=True, seed=3) for _ in range(2))
    assert np.array_equal(first.length_scale, again.length_scale)
    assert len(first.stages) == first.n_restarts == 2
    assert all(stage.losses[-1] < stage.losses[0] for stage in first.stages)
    assert first.log_evidence == -min(stage.loss for stage in first.stages)


def test_recorded_stages_stay_as_their_descents_ended(monkeypatch):
    """The choice of a kernel moves its scales by a factor: in the result, not in the record of the descent."""
    X, y = wave(200)
    monkeypatch.setattr("bochner.tuning.search.best_kernel", lambda kernels, X, Y: (1, 0.5))
    found = tune(X, y, [bo.Matern(), bo.Gaussian()], per_feature=False, seed=0)
    recorded = EvidenceParameters.from_vector(found.stages[1].theta)
    data = TuningRows.of(X, y, None, per_feature=False)
    omega = NarrowMap.draw(bo.Gaussian(), found.n_frequencies, 6, tuning_seed(0)).omega
    assert FeatureEvidence(data.X, data.Y, None, omega)(found.stages[1].theta)[0] == pytest.approx(found.stages[1].loss)
    assert found.length_scale == pytest.approx(0.5 * recorded.scales[0] * data.unit[0], rel=0.01)


def test_a_weight_of_two_is_a_row_given_twice():
    X, y = wave(300)
    weight = np.random.default_rng(0).integers(1, 3, 300)
    setting = {"kernels": [bo.Gaussian()], "per_feature": True, "seed": 0}
    weighted = tune(X, y, sample_weight=weight, **setting)
    repeated = tune(np.repeat(X, weight, axis=0), np.repeat(y, weight), **setting)
    np.testing.assert_allclose(weighted.length_scale, repeated.length_scale, rtol=1e-2)


def test_a_time_budget_ends_the_search_and_an_answer_is_given():
    X, y = wave(300)
    found = tune(X, y, candidate_kernels(), per_feature=True, seed=0, time_budget=0.0)
    assert all(len(stage.losses) <= 2 for stage in found.stages)
    assert np.all(found.length_scale > 0)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_handful_of_equal_or_constant_rows_gives_finite_scales(n):
    for X, y in ((rows(0, n, 2), np.arange(n)), (np.ones((n, 2)), np.arange(n)), (rows(0, n, 2), np.ones(n))):
        found = tune(X, y, [bo.Matern()], per_feature=True, seed=0)
        assert np.all(np.isfinite(found.length_scale) & (found.length_scale > 0))


def test_the_frequencies_of_the_model_are_not_those_of_the_tuning():
    """Certificates of a tuned model need frequencies that are independent of the tuning."""
    for seed in range(5):
        tuned = bo.QuasiMonteCarlo().points(64, 2, 1, 0, tuning_seed(seed))[0]
        for sampler in (bo.MonteCarlo(), bo.QuasiMonteCarlo(), bo.Orthogonal()):
            assert not np.isin(sampler.points(64, 2, 1, 0, seed)[0], tuned).any()


# In the estimators.


def test_the_regressor_learns_scales_and_says_which():
    X, y = wave()
    median, one, ard = (
        bo.KernelRegressor(features="fourier", n_components=512, length_scale=choice, random_state=0).fit(
            X[:1000], y[:1000]
        )
        for choice in ("median", "auto", "ard")
    )
    assert median.tuning_ is None
    assert one.features_.kernel_ is one.tuning_.kernel
    spread = X[:1000].std(axis=0)
    np.testing.assert_allclose(
        np.ptp((one.tuning_.length_scale / np.where(spread > 0, spread, 1))[spread > 0]), 0, atol=0.02
    )
    assert ard.tuning_.length_scale.shape == (6,)
    errors = [np.sqrt(np.mean((model.predict(X[1000:]) - y[1000:]) ** 2)) for model in (median, one, ard)]
    assert errors[2] < 0.15 < 0.3 < errors[0]
    assert errors[1] <= 1.05 * errors[0]


def test_a_sorted_table_is_not_learned_from_one_end():
    X = np.sort(np.random.default_rng(0).random((3000, 1)), axis=0)
    y = np.where(X[:, 0] < 0.7, 0.0, np.sin(60 * X[:, 0]))
    assert bo.KernelRegressor(n_components=256, random_state=0).fit(X, y).score(X, y) > 0.95


def test_the_regressor_chooses_a_kernel():
    X = rows(5, 400, 1)
    y = np.sign(np.sin(3 * X[:, 0]))
    model = bo.KernelRegressor("auto", random_state=0).fit(X, y)
    assert model.tuning_.kernel.get_params() == bo.Matern(model.tuning_.length_scale, nu=0.5).get_params()
    with pytest.raises(InvalidParameterError, match="'auto', 'ard' or 'metric' for kernel='auto'"):
        bo.KernelRegressor("auto", length_scale="median").fit(X, y)


def test_ard_works_on_a_kernel_that_is_handed_over():
    X, y = wave(300)
    model = bo.KernelRegressor(bo.Matern(nu=2.5), length_scale="ard", random_state=0).fit(X, y)
    assert model.features_.kernel_.nu == 2.5
    assert len(model.features_.kernel_.length_scale) == 6


def test_a_given_penalty_is_kept_and_its_gradient_is_that_of_finite_differences():
    tied = GivenRatio(surface(bo.Gaussian(), evidence), np.log(0.5))
    theta = np.array([0.3, 0.5, -0.2, -2.0])
    steps = 1e-6 * np.eye(4)
    expected = [(tied(theta + step)[0] - tied(theta - step)[0]) / 2e-6 for step in steps]
    np.testing.assert_allclose(tied(theta)[1], expected, rtol=1e-5, atol=1e-7)
    X = np.random.default_rng(0).standard_normal((400, 2))
    model = bo.KernelRegressor(n_components=128, alpha=0.5, random_state=0).fit(X, X @ [1.0, 2.0])
    found = model.tuning_
    assert found.noise_variance / found.signal_variance == pytest.approx(0.5)
    assert model.score(X, X @ [1.0, 2.0]) > 0.95

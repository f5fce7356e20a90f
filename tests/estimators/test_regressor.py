"""KernelRegressor is kernel ridge regression, however its rows arrive."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

import bochner as bo
from bochner.datasets import make_waves
from bochner.errors import (
    FirstBlockWarning,
    IllConditionedWarning,
    InvalidParameterError,
    MemoryBudgetError,
    NoSkillWarning,
)
from tests.strategies import rows

X = rows(0, 300, 3)
y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]


def fixed(**parameters):
    return bo.KernelRegressor(**{"n_components": 64, "length_scale": 2.0, "random_state": 0, **parameters})


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_it_is_ridge_on_the_features(intercept, weighted):
    w = np.random.default_rng(1).uniform(0, 2, 300) if weighted else None
    model = fixed(alpha=0.3, fit_intercept=intercept).fit(X, y, sample_weight=w)
    Z = model.features_.transform(X)
    ridge = Ridge(alpha=0.3, fit_intercept=intercept, solver="cholesky").fit(Z, y, sample_weight=w)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-6, atol=1e-8)
    assert model.intercept_ == pytest.approx(ridge.intercept_, abs=1e-8)
    np.testing.assert_allclose(model.predict(X), ridge.predict(Z), atol=1e-8)


def test_wide_maps_approach_exact_kernel_ridge():
    exact = KernelRidge(kernel="rbf", gamma=1 / 8, alpha=1.0).fit(X, y)
    gaps = []
    for width in (64, 512, 4096):
        model = fixed(n_components=width, alpha=1.0, fit_intercept=False).fit(X, y)
        gaps.append(np.sqrt(np.mean((model.predict(X) - exact.predict(X)) ** 2)))
    assert gaps[2] < gaps[1] < gaps[0]
    assert gaps[2] < 0.03


def test_error_bars_approach_those_of_a_gaussian_process():
    noise, train = 0.1, rows(1, 80, 2)
    target = np.sin(train[:, 0]) + np.sqrt(noise) * np.random.default_rng(0).standard_normal(80)
    model = bo.KernelRegressor(
        bo.Gaussian(1.5), n_components=6000, alpha=noise, fit_intercept=False, random_state=0
    ).fit(train, target)
    process = GaussianProcessRegressor(RBF(1.5), alpha=noise, optimizer=None).fit(train, target)
    new = rows(2, 30, 2)
    mean, std = process.predict(new, return_std=True)
    got_mean, got_std = model.predict(new, return_std=True)
    np.testing.assert_allclose(got_mean, mean, atol=0.1)
    # The process has signal variance 1; the model estimates sigma^2 and with it the signal variance sigma^2 / alpha.
    scale = model.noise_variance_ / noise
    np.testing.assert_allclose(got_std, np.sqrt(scale * (std**2 + noise)), rtol=0.05)


@given(st.lists(st.integers(1, 299), max_size=5), st.booleans())
@settings(max_examples=15, deadline=None)
def test_any_split_of_the_rows_gives_the_model_of_fit(cuts, weighted):
    w = np.random.default_rng(1).integers(0, 3, 300).astype(float) if weighted else np.ones(300)
    whole = fixed(alpha=0.1).fit(X, y, sample_weight=w)
    parts = fixed(alpha=0.1)
    edges = [0, *sorted(set(cuts)), 300]
    for a, b in pairwise(edges):
        if w[a:b].sum() > 0:
            parts.partial_fit(X[a:b], y[a:b], sample_weight=w[a:b])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(parts.predict(X), whole.predict(X), atol=1e-8)
    assert parts.log_marginal_likelihood_ == pytest.approx(whole.log_marginal_likelihood_)


def test_partial_fit_chooses_the_penalty_again_and_fit_starts_anew():
    model = fixed(alpha="gcv").partial_fit(X[:100], y[:100])
    first = model.alpha_
    model.partial_fit(X[100:], y[100:])
    assert model.alpha_ != first
    assert model.alpha_ == pytest.approx(fixed(alpha="gcv").fit(X, y).alpha_, rel=1e-3)
    assert model.fit(X[:100], y[:100]).moments_.n_rows == 100


def test_partial_fit_warns_of_what_the_first_block_settled():
    with pytest.warns(FirstBlockWarning, match="n_components and length_scale from the first block of 50 rows"):
        bo.KernelRegressor(random_state=0).partial_fit(X[:50], y[:50])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bo.KernelRegressor(bo.Matern(), n_components=32).partial_fit(X[:50], y[:50])


def test_partial_fit_is_absent_with_leave_one_out_and_refuses_another_number_of_targets():
    assert not hasattr(fixed(alpha="loo"), "partial_fit")
    with pytest.raises(ValueError, match="must have 1 targets"):
        fixed().partial_fit(X, y).partial_fit(X, np.c_[y, y])


@pytest.mark.parametrize("alpha", ["gcv", "evidence", "loo"])
def test_every_criterion_finds_a_good_penalty(alpha):
    waves = make_waves(6000, noise=0.3)
    train, test = slice(0, 3000), slice(3000, None)

    def score(alpha):
        model = bo.KernelRegressor(n_components=512, alpha=alpha, length_scale=2.8, random_state=0)
        model.fit(waves.X[train], waves.y[train])
        return model.score(waves.X[test], waves.truth[test])

    best = max(score(a) for a in np.geomspace(1e-4, 1e2, 13))
    assert score(alpha) > best - 0.01


def test_leave_one_out_errors_are_reported_for_every_penalty():
    model = fixed(alpha="loo", alphas=[0.01, 0.1, 1.0]).fit(X, y)
    assert model.loo_errors_.shape == (3,)
    assert model.alpha_ in (0.01, 0.1, 1.0)
    assert model.path_.alphas.tolist() == [0.01, 0.1, 1.0]


def test_many_targets_are_fitted_at_once():
    targets = np.c_[y, -2 * y, X[:, 0]]
    model = fixed(alpha=0.2).fit(X, targets)
    mean, std = model.predict(X, return_std=True)
    assert mean.shape == std.shape == (300, 3)
    assert model.coef_.shape == (3, 64)
    for j in range(3):
        single = fixed(alpha=0.2).fit(X, targets[:, j])
        np.testing.assert_allclose(mean[:, j], single.predict(X), atol=1e-8)
        np.testing.assert_allclose(std[:, j], single.predict(X, return_std=True)[1], atol=1e-8)


def test_a_shift_of_the_target_shifts_the_prediction_even_in_float32():
    small = X.astype(np.float32)
    plain, shifted = fixed(alpha=0.1).fit(small, y), fixed(alpha=0.1).fit(small, y + 1e6)
    np.testing.assert_allclose(shifted.coef_, plain.coef_, rtol=1e-3, atol=1e-3)
    assert shifted.intercept_ - plain.intercept_ == pytest.approx(1e6, abs=1e-2)


@pytest.mark.parametrize(("n_threads", "dtype", "tolerance"), [(1, np.float64, 1e-9), (3, np.float32, 1e-3)])
def test_threads_change_the_model_by_rounding_only(n_threads, dtype, tolerance):
    data = X.astype(dtype)
    expected = fixed(alpha=0.1).fit(data, y).predict(X)
    with bo.config_context(n_threads=n_threads):
        np.testing.assert_allclose(fixed(alpha=0.1).fit(data, y).predict(X), expected, atol=tolerance)


def test_a_read_only_memory_map_is_fitted_as_an_array(tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    np.testing.assert_allclose(fixed().fit(mapped, y).coef_, fixed().fit(X, y).coef_)


def test_length_scales_are_the_median_the_kernels_own_or_what_is_given():
    from scipy.spatial.distance import pdist

    def scale(*kernel, **parameters):
        return bo.KernelRegressor(*kernel, random_state=0, **parameters).fit(X, y).features_.kernel_.length_scale

    assert scale(length_scale="median") == pytest.approx(np.median(pdist(X)))
    assert scale("laplacian", length_scale="median") == pytest.approx(np.median(pdist(X, "cityblock")))
    assert scale(bo.Matern(nu=2.5), length_scale="median") == pytest.approx(np.median(pdist(X)))
    assert scale(bo.Matern(0.7)) == 0.7
    assert scale(length_scale=[1.0, 2.0, 3.0]).tolist() == [1, 2, 3]


# What a user gets wrong, and what the library answers.


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "'alpha' parameter of KernelRegressor must be .* Got -1.0 instead"),
        ({"alpha": "cv"}, "'alpha' parameter of KernelRegressor must be .* Got 'cv' instead"),
        ({"alphas": [1.0, -1.0]}, "'alphas' parameter"),
        ({"length_scale": 0}, "'length_scale' parameter of KernelRegressor must be .* Got 0 instead"),
        ({"length_scale": [1.0, 2.0]}, "must be one number or 3 numbers"),
        ({"kernel": bo.Gaussian(-1.0), "length_scale": "auto"}, "'length_scale' parameter of Gaussian"),
        ({"kernel": "tophat"}, "'kernel' parameter of KernelRegressor must be a stationary kernel or one of"),
        ({"n_components": 0}, "'n_components' parameter"),
        ({"n_components": 10.5}, "'n_components' parameter"),
        ({"sampling": "sobol"}, "'sampling' parameter"),
        ({"features": 3}, "'features' parameter"),
    ],
)
def test_a_bad_parameter_is_named_with_its_value(parameters, message):
    with pytest.raises(ValueError, match=message):
        fixed(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("data", "target", "message"),
    [
        (np.where(X > 2, np.nan, X), y, "NaN"),
        (np.where(X > 2, np.inf, X), y, "infinity"),
        (X, np.where(y > 1, np.nan, y), "NaN"),
        (X[:0], y[:0], "0 sample"),
        (X[:, :0], y, "0 feature"),
        (X[:, 0], y, "2D array"),
        (X, y[:5], "inconsistent numbers of samples"),
    ],
)
def test_bad_data_is_refused(data, target, message):
    with pytest.raises(ValueError, match=message):
        fixed().fit(data, target)


def test_prediction_checks_its_input():
    model = fixed().fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but KernelRegressor is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((1, 3), np.nan))


@pytest.mark.filterwarnings("ignore::bochner.errors.LittleDataWarning")
@pytest.mark.parametrize("alpha", ["gcv", "evidence", "loo", 1.0])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_handful_of_rows_gives_finite_answers(n, alpha):
    mean, std = fixed(alpha=alpha).fit(X[:n], y[:n]).predict(X, return_std=True)
    assert np.all(np.isfinite(mean))
    assert np.all(std >= 0)


def test_constant_columns_and_targets_are_no_trouble():
    constant = np.c_[X, np.ones(300)]
    np.testing.assert_allclose(
        fixed(alpha=0.1).fit(constant, y).predict(constant), fixed(alpha=0.1).fit(constant, y).predict(constant)
    )
    with pytest.warns(NoSkillWarning):
        blind = fixed().fit(np.ones((300, 2)), y)
    np.testing.assert_allclose(blind.predict(np.ones((3, 2))), y.mean(), rtol=1e-9)
    mean, std = fixed().fit(X, np.full(300, 7.0)).predict(X, return_std=True)
    np.testing.assert_allclose(mean, 7.0)
    np.testing.assert_allclose(std, 0.0, atol=1e-6)


@pytest.mark.parametrize("width", [1, 7, 1001])
def test_odd_and_very_wide_maps_work(width):
    model = fixed(n_components=width).fit(X[:50], y[:50])
    assert model.coef_.shape == (width,)
    assert np.all(np.isfinite(model.predict(X)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_penalty_on_a_singular_problem_warns_and_still_interpolates(dtype):
    with pytest.warns(IllConditionedWarning, match="alpha=0"):
        model = fixed(n_components=600, alpha=0.0).fit(X.astype(dtype), y)
    assert model.score(X, y) > 0.999
    assert model.alpha_ > 0


def test_what_exceeds_the_memory_budget_is_refused_with_the_bill():
    with bo.config_context(memory="20MB"), pytest.raises(MemoryBudgetError, match=r"Lower n_components \(now 4096\)"):
        fixed(n_components=4096).fit(X, y)
    with bo.config_context(memory="1MB"), pytest.raises(MemoryBudgetError, match="Transform fewer rows"):
        bo.FourierFeatures().fit_transform(np.zeros((10_000, 2)))


def test_settings_refuse_nonsense():
    for bad in ("lots", -5, "0GB"):
        with pytest.raises(InvalidParameterError, match="'memory' parameter"):
            bo.set_config(memory=bad)
    with pytest.raises(InvalidParameterError, match="'n_threads' parameter"):
        bo.set_config(n_threads=0)

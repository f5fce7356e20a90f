"""The exact kernel machine as a fit: its penalty, left-out rows, weights and refusals."""

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError, MemoryBudgetError
from bochner.fitting.exact_penalty import _descended
from bochner.solvers import float32_penalty
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

KERNEL = bo.Gaussian(1.5)


def table(n=300, noise=0.3, seed=0):
    X = rows(seed, n, 2)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + noise * rows(seed + 1, n, 1)[:, 0]


def exact(alpha="auto", **others):
    return bo.KernelRegressor(KERNEL, features="exact", alpha=alpha, random_state=0, **others)


@pytest.mark.parametrize("start", [1e-8, 1.0, 1e6])
def test_the_penalty_is_found_from_any_start(start):
    found = _descended(lambda alpha: (np.log(alpha) - np.log(0.02)) ** 2, start, 10.0)
    assert found == pytest.approx(0.02, rel=1e-6)


@pytest.mark.parametrize("rule", ["loo", "evidence", "gcv"])
def test_every_rule_agrees_with_ridge_on_landmarks_of_all_rows(rule):
    X, y = table()
    landmarks = bo.NystroemFeatures(KERNEL, n_components=len(X))
    ridge = bo.KernelRegressor(features=landmarks, alpha=rule, random_state=0).fit(X, y)
    model = exact(rule).fit(X, y)
    assert 1 / 2 < model.alpha_ / ridge.alpha_ < 2  # criteria are flat where they are least
    np.testing.assert_allclose(model.predict(X), ridge.predict(X), atol=0.05)


def test_the_best_of_given_penalties_is_taken():
    X, y = table()
    assert exact("loo", alphas=[1e-9, 0.1, 1e5]).fit(X, y).alpha_ == 0.1


def test_noise_is_fitted_by_its_mean():
    X, y = rows(0, 400, 2), rows(3, 400, 1)[:, 0] + 5
    with pytest.warns(bo.errors.NoSkillWarning, match="no better than the mean"):
        model = exact().fit(X, y)
    assert np.ptp(model.predict(rows(2, 100, 2))) < 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_few_rows_of_noise_are_told_too(seed):
    X, y = np.split(np.random.default_rng(seed).standard_normal((300, 5)), [4], axis=1)
    with pytest.warns(bo.errors.NoSkillWarning):
        model = bo.KernelRegressor(features="exact", length_scale="median", random_state=0).fit(X, y[:, 0])
    assert np.ptp(model.predict(X)) < 1e-3


def test_a_weight_of_two_is_a_row_given_twice():
    X, y = table(200)
    weight = np.random.default_rng(0).integers(0, 4, 200)
    weighted = exact().fit(X, y, sample_weight=weight)
    repeated = exact().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    new = rows(5, 50, 2)
    for left, right in zip(weighted.predict(new, return_std=True), repeated.predict(new, return_std=True)):
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-7)


def test_left_out_rows_calibrate_intervals():
    X, y = table(2000, seed=3)
    new, truth = table(4000, seed=7)
    low, high = exact().fit(X, y).predict(new, return_interval=0.9)[1]
    assert 0.87 < np.mean((low <= truth) & (truth <= high)) < 0.93  # 6 standard errors and more


def test_units_of_targets_do_not_matter():
    X, y = table(400)
    Y = np.c_[y, X[:, 0]]
    plain, other = (bo.KernelRegressor(random_state=0).fit(X, targets) for targets in (Y, Y * [1e6, 1e-3]))
    np.testing.assert_allclose(other.predict(X) / [1e6, 1e-3], plain.predict(X), atol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.filterwarnings("ignore::bochner.errors.NoSkillWarning")  # which is true of so few
def test_very_few_rows_are_fitted(n):
    X, y = table(n)
    with pytest.warns(bo.errors.LittleDataWarning):
        model = bo.KernelRegressor(random_state=0).fit(X, y)
    assert np.all(np.isfinite(model.predict(X)))


def test_equal_rows_and_constant_targets_are_fitted():
    model = bo.KernelRegressor(KERNEL, features="exact", random_state=0).fit(np.ones((50, 2)), np.full(50, 3.0))
    np.testing.assert_allclose(model.predict(np.zeros((2, 2))), 3.0)


def test_a_matrix_beyond_the_budget_is_refused_with_the_bill():
    X, y = table(2000)
    with bo.config_context(memory="20MB"), pytest.raises(MemoryBudgetError, match="kernel matrix of all rows"):
        exact(1.0).fit(X, y)


def test_rows_that_are_not_in_memory_are_refused(tmp_path):
    X, y = table()
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InvalidDataError, match="needs rows in memory"):
        exact(1.0).fit(bo.scan_parquet(tmp_path / "rows.parquet", target="y"))


@pytest.mark.parametrize("others", [{"solver": "iterative", "validation_fraction": 0.1}])
def test_what_the_exact_machine_does_not_have_is_refused(others):
    with pytest.raises(InvalidParameterError, match="features='exact'"):
        exact(**others).fit(*table(50))


@pytest.mark.parametrize("warped", [True, False])
def test_rows_can_be_added_at_the_scales_and_the_penalty_of_the_fit(warped):
    X, y = table(300)
    X, weight = np.exp(9 * X) if warped else X, np.random.default_rng(0).integers(0, 3, 300)
    model = bo.KernelRegressor(None if warped else KERNEL, random_state=0)
    model.fit(X[:250], y[:250], sample_weight=weight[:250])
    assert hasattr(model.features_, "warp_") == warped
    before, alpha = model.predict(X[:5]), model.alpha_
    model.partial_fit(X[250:], y[250:], sample_weight=weight[250:])
    kernel, seen = model.features_.kernel_, model.features_.warp_(X) if warped else X
    whole = bo.KernelRegressor(kernel, features="exact", alpha=alpha).fit(seen, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X), whole.predict(seen), rtol=1e-5, atol=1e-6)
    assert not np.allclose(model.predict(X[:5]), before, atol=1e-9)
    assert model.features_.map_.n_components == np.count_nonzero(weight)
    assert model.certify(X, y=y, sample_weight=weight).bound == "distance.RidgeDistance"  # of these rows


def test_an_exact_machine_begins_with_fit():
    assert not hasattr(exact(), "partial_fit")
    assert hasattr(exact().fit(*table(50)), "partial_fit")


def test_a_penalty_below_the_rounding_of_float32_is_kept_where_a_larger_one_predicts_worse():
    """Of a smooth function without noise; with noise, tiles are float32, and the penalty above their rounding."""
    rng = np.random.default_rng(0)
    rows, kernel = rng.uniform(-1, 1, (1000, 3)), bo.Gaussian(3.0)
    f = np.sin(2 * rows[:, 0]) + rows[:, 1] * rows[:, 2]
    train, new = slice(0, 700), slice(700, None)
    bearable = 32 * float32_penalty(KernelProduct(kernel, rows[train], precision=np.dtype(float)), np.ones(700))

    def fitted(y, alpha="auto"):
        return bo.KernelRegressor(kernel, features="exact", solver="iterative", alpha=alpha, random_state=0).fit(
            rows[train], y[train]
        )

    def error(model):
        return np.sqrt(np.mean((model.predict(rows[new]) - f[new]) ** 2))

    clean = fitted(f + 1e-4 * rng.standard_normal(1000))
    assert clean.alpha_ < 0.01 * bearable
    assert error(clean) < 0.3 * error(fitted(f, bearable))
    assert fitted(f + 0.3 * rng.standard_normal(1000)).alpha_ >= bearable

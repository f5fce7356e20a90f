"""Models on a grid of frequencies: near the exact machine, streamed, calibrated, and refused where they cannot be."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner import _nufft
from bochner.data import ArrayRows
from bochner.errors import InvalidDataError, InvalidParameterError, MissingExtraError
from bochner.estimators import grid_choice
from bochner.solvers import grid_solution

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 1, (600, 2))
Y = np.sin(6 * X[:, 0]) * np.cos(4 * X[:, 1]) + 0.1 * RNG.standard_normal(600) + 50
NEW = RNG.uniform(0, 1, (50, 2))
KERNEL = bo.Matern(0.5, nu=2.5)


def grid(**given):
    return bo.KernelRegressor(**{"kernel": KERNEL, "features": "grid", "alpha": 0.1, "random_state": 0, **given})


def test_a_model_on_a_grid_is_near_the_exact_machine_with_its_error_bars():
    model = grid(n_components=20_000, tol=1e-9).fit(X, Y)
    exact = bo.KernelRegressor(KERNEL, features="exact", alpha=0.1).fit(X, Y)
    assert model.features_.error_bound_ <= 1e-4
    np.testing.assert_allclose(model.predict(NEW), exact.predict(NEW), atol=1e-3)
    assert model.log_marginal_likelihood_ == pytest.approx(exact.log_marginal_likelihood_, abs=5)
    assert 0 < model.log_marginal_likelihood_error_ < 5
    assert exact.log_marginal_likelihood_error_ == 0
    spread = model.fitted_.means_and_leverages(NEW)[1]
    truth = exact.predict(NEW, return_std=True)[1] ** 2 / exact.noise_variance_ - 1
    assert np.mean(spread / truth) == pytest.approx(1, abs=0.4)  # 32 draws


def test_rows_weights_targets_and_blocks_make_the_same_model():
    weight = np.random.default_rng(1).integers(0, 3, 600)
    weighted = grid(n_components=500, tol=1e-9).fit(X, np.c_[Y, 2 * Y], sample_weight=weight)
    repeated = grid(n_components=500, tol=1e-9).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    np.testing.assert_allclose(weighted.predict(NEW)[:, 0], repeated.predict(NEW), atol=1e-5)
    np.testing.assert_allclose(weighted.predict(NEW)[:, 1], 2 * repeated.predict(NEW), atol=1e-4)
    box = np.array([[0.0, 0.0], [1.0, 1.0]])
    whole = grid(n_components=500, tol=1e-9).fit(np.vstack([box, X]), np.append(Y[:2], Y))
    parts = grid(n_components=500, tol=1e-9).partial_fit(np.vstack([box, X[:100]]), np.append(Y[:2], Y[:100]))
    parts.partial_fit(X[100:], Y[100:])
    np.testing.assert_allclose(parts.predict(NEW), whole.predict(NEW), atol=1e-5)


def test_rows_of_parquet_files_and_of_a_cluster_make_the_model_of_arrays(tmp_path):
    da = pytest.importorskip("dask.array")
    pd.DataFrame(X, columns=["a", "b"]).assign(y=Y).to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    given = {"n_components": 500, "tol": 1e-10, "kernel": None, "alpha": "auto"}
    local = grid(**given).fit(X, Y).predict(NEW)
    streamed = grid(**given).fit(bo.scan_parquet(tmp_path / "rows.parquet", target="y"))
    np.testing.assert_allclose(streamed.predict(pd.DataFrame(NEW, columns=["a", "b"])), local, atol=1e-6)
    lazy = da.from_array(X, chunks=(130, 2)), da.from_array(Y, chunks=130)
    np.testing.assert_allclose(np.asarray(grid(**given).fit(*lazy).predict(NEW)), local, atol=1e-6)


def test_the_penalty_of_a_large_grid_is_that_of_its_windows():
    rng = np.random.default_rng(5)
    rows = rng.uniform(0, 1, (5_000, 2))
    draw = bo.GridFeatures(bo.Matern(0.2, nu=0.5), eps=0.05, max_components=9_000, strict=False).fit(rows)
    f = draw.map_.response(rows, rng.standard_normal((draw.n_components_, 1)))[:, 0]
    model = grid(kernel=bo.Matern(0.2, nu=0.5), alpha="evidence", n_components=9_000)
    model.fit(rows, f + 0.3 * rng.standard_normal(len(f)))
    assert model.features_.n_components_ > 8192
    assert model.alpha_ == pytest.approx(0.3**2, rel=0.5)


def test_a_large_grid_has_its_evidence_with_an_error_where_it_is_asked_for(monkeypatch):
    small = grid(n_components=1_500, alpha="evidence").fit(X, Y)
    monkeypatch.setattr(grid_solution, "PROBED_MODES", 1_000)
    silent, asked = (grid(n_components=1_500, alpha=alpha).fit(X, Y) for alpha in (small.alpha_, "evidence"))
    assert np.isnan([silent.log_marginal_likelihood_, silent.log_marginal_likelihood_error_, silent.dof_]).all()
    error = max(asked.log_marginal_likelihood_error_, small.log_marginal_likelihood_error_)
    assert asked.log_marginal_likelihood_ == pytest.approx(small.log_marginal_likelihood_, abs=0.1 + 4 * error)
    assert asked.dof_ == pytest.approx(small.dof_, rel=0.05)


def test_units_of_the_columns_do_not_matter():
    model = grid(kernel=None, alpha="auto", n_components=300).fit(X, Y)
    scaled = grid(kernel=None, alpha="auto", n_components=300).fit(1e6 * X + [1e7, -3e6], Y)
    np.testing.assert_allclose(scaled.predict(1e6 * NEW + [1e7, -3e6]), model.predict(NEW), atol=1e-3)
    assert model.score(X, Y) > 0.9
    assert model.tuning_.criterion == "evidence"
    low, high = model.predict(NEW, return_interval=0.9)[1]
    truth = np.sin(6 * NEW[:, 0]) * np.cos(4 * NEW[:, 1]) + 50
    assert np.mean((low <= truth) & (truth <= high)) > 0.9


def test_far_away_the_model_returns_to_its_intercept_with_the_prior_variance():
    model = grid(n_components=500).fit(X, Y)
    mean, std = model.predict([[50.0, 0.5]], return_std=True)
    assert mean[0] == pytest.approx(model.intercept_)
    prior = np.sqrt(model.noise_variance_ * (1 + 1 / 0.1))
    assert prior < std[0] < 1.5 * prior  # and that of the intercept


def test_float32_rows_and_one_column_are_fitted():
    model = grid(n_components=300).fit(X[:, :1].astype(np.float32), Y.astype(np.float32))
    assert model.predict(X[:5, :1].astype(np.float32)).dtype == np.float32
    same = grid(n_components=300).fit(X[:, :1], Y)
    np.testing.assert_allclose(model.predict(X[:, :1]), same.predict(X[:, :1]), atol=1e-2)


@pytest.mark.parametrize("rows", [np.ones((40, 2)), np.c_[X[:40, :1], np.ones(40)], np.repeat(X[:10], 4, axis=0)])
def test_equal_rows_rows_on_a_line_and_duplicates_have_a_model(rows):
    model = grid(n_components=300).fit(rows, Y[:40])
    assert np.all(np.isfinite(model.predict(rows)))
    assert abs(np.mean(model.predict(rows) - Y[:40])) < 0.05


def test_certificates_speak_of_the_box_without_probability():
    model = grid(n_components=2000).fit(X, Y)
    alone = model.certify()
    assert alone.delta == 0
    assert alone.value >= model.features_.error_bound_
    distance = model.certify(X, y=Y)
    exact = bo.KernelRegressor(KERNEL, features="exact", alpha=0.1).fit(X, Y)
    error = np.sqrt(np.mean((model.predict(X) - exact.predict(X)) ** 2))
    assert distance.at_least <= error * 1.01
    assert error <= distance.value * 1.01


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"alpha": "gcv"}, "'auto' or 'evidence' or a number"),
        ({"solver": "direct"}, "features='grid'"),
    ],
)
def test_parameters_that_a_grid_does_not_have_are_refused(given, words):
    with pytest.raises(InvalidParameterError, match=words):
        grid(**given).fit(X, Y)


def test_four_columns_outliers_and_later_rows_outside_are_refused():
    with pytest.raises(InvalidDataError, match="at most 3 columns"):
        grid().fit(np.eye(4)[[0, 1, 2, 3] * 5], np.zeros(20))
    with pytest.raises(InvalidDataError, match="fill their box"):
        grid().fit(np.vstack([X, [[1000.0, 0.0]]]), np.append(Y, 0.0))
    model = grid(n_components=300).fit(X, Y)
    with pytest.raises(InvalidDataError, match="outside of the grid"):
        model.partial_fit([[90.0, 0.0]], [1.0])


def test_many_rows_of_few_columns_have_a_grid_by_themselves_unless_they_cannot(monkeypatch):
    many = np.random.default_rng(2).uniform(0, 1, (10_001, 1))
    target = np.sin(20 * many[:, 0]) + 0.1 * np.random.default_rng(3).standard_normal(len(many))
    model = bo.KernelRegressor(random_state=0).fit(many, target)
    assert model.solver_ == "toeplitz"
    assert np.sqrt(np.mean((model.predict(many) - np.sin(20 * many[:, 0])) ** 2)) < 0.02
    rows = ArrayRows(np.vstack([many, [[1000.0]]]), np.append(target, 0.0), None, np.dtype(float))
    assert not bo.KernelRegressor().uses_grid(rows)
    inside = replace(rows, X=rows.X[:-1], Y=rows.Y[:-1])
    assert bo.KernelRegressor(checkpoint="fit").uses_grid(inside)
    assert not bo.KernelRegressor(n_components=64).uses_grid(inside)
    assert not bo.KernelRegressor().uses_grid(replace(inside, X=np.hstack([inside.X, inside.X[::-1]])))  # landmarks
    monkeypatch.setattr(grid_choice, "has_nufft", lambda: False)
    assert not bo.KernelRegressor().uses_grid(inside)


def test_without_finufft_the_message_has_the_install_command(monkeypatch):
    monkeypatch.setattr(_nufft, "has_nufft", lambda: False)
    with pytest.raises(MissingExtraError, match=r"pip install 'bochner\[lowdim\]'"):
        grid().fit(X, Y)


def test_a_grid_that_misses_its_tolerance_is_an_error_unless_it_is_asked_for():
    rough = bo.Matern(0.1, nu=0.5)
    with pytest.raises(InvalidDataError, match="needs more than 400 frequencies"):
        bo.GridFeatures(rough, eps=1e-4, max_components=400).fit(X)
    features = bo.GridFeatures(rough, eps=1e-4, max_components=400, strict=False).fit(X)
    Z = features.transform(X)
    assert Z.shape == (600, features.n_components_)
    assert np.max(np.abs(Z @ Z.T - rough(X))) <= features.error_bound_

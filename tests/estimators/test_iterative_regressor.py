"""KernelRegressor by conjugate gradients: the model of the direct solver, and what is different after the fit."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import bochner as bo
from bochner.features import FourierShape
from bochner.planning import choose_solver
from bochner.solvers import iterative_bill, ridge_bill
from bochner.statistics import plan_pass
from tests.strategies import rows


def smooth_targets(X):
    return np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


X = rows(0, 2000, 4)
Y = smooth_targets(X) + 0.1 * np.random.default_rng(1).standard_normal(2000)
X_NEW = rows(2, 2000, 4)
Y_NEW = smooth_targets(X_NEW) + 0.1 * np.random.default_rng(3).standard_normal(2000)


def regressor(**parameters):
    return bo.KernelRegressor(bo.Gaussian(2.0), n_components=700, random_state=0, **parameters)


def test_the_iterative_solver_gives_the_model_of_the_direct_one():
    weight = np.random.default_rng(0).integers(0, 3, 2000)
    targets = np.column_stack([Y, -2 * Y + 5])
    direct = regressor(alpha=0.1, solver="direct").fit(X, targets, sample_weight=weight)
    model = regressor(alpha=0.1, solver="iterative", tol=1e-10).fit(X, targets, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X_NEW), direct.predict(X_NEW), atol=1e-6)
    np.testing.assert_allclose(model.noise_variance_, direct.noise_variance_, rtol=1e-6)
    assert model.dof_ == pytest.approx(direct.dof_, rel=0.1)
    assert (model.solver_, direct.solver_) == ("iterative", "direct")
    assert model.moments_ is None
    assert model.n_iter_ == len(model.residuals_) - 1
    assert model.condition_[1] < model.condition_[0]
    assert (direct.n_iter_, direct.residuals_, direct.condition_) == (1, None, None)
    assert np.isnan(model.log_marginal_likelihood_)


def test_a_chosen_penalty_predicts_as_well_as_that_of_the_direct_solver():
    """With noise enough that the best penalty is above 1e-9 of the trace, where the iterative solver's search ends."""
    noisy = Y + np.random.default_rng(4).standard_normal(2000)
    errors = [
        np.mean((regressor(alpha=alpha, solver=solver).fit(X, noisy).predict(X_NEW) - Y_NEW) ** 2)
        for alpha, solver in (("gcv", "direct"), ("gcv", "iterative"), ("auto", "iterative"))
    ]
    assert max(errors[1:]) < 1.25 * errors[0]


def test_the_penalty_by_gcv_is_that_of_the_direct_solver_within_a_grid_step():
    noisy = Y + 0.5 * np.random.default_rng(4).standard_normal(2000)
    models = [regressor(alpha="gcv", solver=solver).fit(X, noisy) for solver in ("direct", "iterative")]
    grid = models[1].path_.alphas
    assert abs(np.log(models[1].alpha_ / models[0].alpha_)) < np.log(grid[1] / grid[0])
    assert models[1].noise_variance_ == pytest.approx(models[0].noise_variance_, rel=0.1)


@pytest.mark.parametrize("source", ["float64", "float32", "scan"])
def test_landmarks_by_products_are_the_model_of_their_moments(source):
    """Whitened once a pass and not row by row: the same equations."""
    shared = {"features": "nystroem", "alpha": 0.01, "random_state": 0, "n_components": 200}
    weight = np.random.default_rng(0).integers(0, 3, 2000)
    direct = bo.KernelRegressor(bo.Gaussian(2.0), solver="direct", **shared).fit(X, Y, sample_weight=weight)
    model = bo.KernelRegressor(bo.Gaussian(2.0), solver="iterative", tol=1e-10, **shared)
    if source == "scan":
        blocks = [(X[i : i + 300], Y[i : i + 300], weight[i : i + 300]) for i in range(0, 2000, 300)]
        model.set_params(features=bo.NystroemFeatures(bo.Gaussian(2.0), landmarks=direct.features_.landmarks_))
        model.fit(bo.scan_blocks(lambda: iter(blocks), n_rows=2000))
    else:
        model.fit(X.astype(source), Y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X_NEW), direct.predict(X_NEW), atol=1e-4 if source == "float32" else 1e-6)
    assert model.moments_ is None


def test_approximate_error_bars_cover_what_they_say():
    """90 % intervals on 2,000 new targets: 6 binomial standard errors are 4 points."""
    mean, std = regressor(solver="iterative").fit(X, Y).predict(X_NEW, return_std=True)
    inside = np.mean(np.abs(Y_NEW - mean) < 1.645 * std)
    assert abs(inside - 0.9) < 0.04


def test_the_validation_error_ends_the_iterations():
    whole = regressor(solver="iterative", alpha=1e-3, tol=1e-9, max_iter=500).fit(X, Y)
    early = regressor(solver="iterative", alpha=1e-3, tol=1e-9, max_iter=500, validation_fraction=0.1).fit(X, Y)
    assert early.n_iter_ < whole.n_iter_
    errors = [np.mean((model.predict(X_NEW) - Y_NEW) ** 2) for model in (whole, early)]
    assert errors[1] < 1.5 * errors[0]


def test_too_few_iterations_are_told_with_the_remedy():
    with pytest.warns(ConvergenceWarning, match="Raise max_iter, tol or alpha. Relative residual"):
        regressor(solver="iterative", alpha=1e-4, max_iter=2).fit(X, Y)


def test_what_the_iterative_solver_cannot_do_is_refused():
    with pytest.raises(ValueError, match="'alpha' parameter of KernelRegressor must be 'auto' or 'gcv' or a number"):
        regressor(solver="iterative", alpha="evidence").fit(X, Y)
    assert not hasattr(regressor(solver="iterative"), "partial_fit")
    model = regressor(solver="iterative", alpha=1.0).fit(X, Y)
    model.solver = "direct"
    with pytest.raises(ValueError, match="keeps no moments"):
        model.partial_fit(X, Y)


def test_an_interrupted_fit_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    from bochner.statistics import CheckpointFile

    monkeypatch.setattr(CheckpointFile, "due", True)
    parameters = {"solver": "iterative", "alpha": 1e-3, "tol": 1e-9}
    whole = regressor(**parameters).fit(X, Y)
    path = tmp_path / "fit.checkpoint"

    class StopError(Exception):
        pass

    class Interrupt:
        left = 5

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            self.left -= 1
            if self.left == 0:
                raise StopError

    with pytest.raises(StopError):
        regressor(**parameters, checkpoint=path).set_callbacks(Interrupt()).fit(X, Y)
    resumed = regressor(**parameters, checkpoint=path).fit(X, Y)
    assert resumed.n_iter_ == whole.n_iter_
    np.testing.assert_allclose(resumed.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
    with pytest.raises(bo.errors.CheckpointError, match="alpha was"):
        regressor(**{**parameters, "alpha": 1.0}, checkpoint=path).fit(X, Y)


def sizes(n_components, **other):
    return {"n_features": 20, "n_components": n_components, "n_targets": 1, "dtype": np.dtype(np.float32), **other}


def test_the_solver_is_chosen_by_width_criterion_and_memory():
    choose = lambda D, alpha: choose_solver(n_rows=100_000, alpha=alpha, tol=1e-6, **sizes(D))  # noqa: E731
    assert choose(4096, 1.0) == "direct"
    assert choose(16384, "evidence") == choose(16384, "loo") == "direct"
    with bo.config_context(memory="16GB"):  # room for all features, whatever else the machine does
        assert choose(16384, 1.0) == "iterative"
    with bo.config_context(memory="4GB"):
        assert choose(32768, "gcv") == "iterative"
        wide = FourierShape(32768, 20)
        single = {"n_targets": 1, "dtype": np.dtype(np.float32)}
        plan = plan_pass(100_000, wide, 1, np.dtype(np.float32))
        assert ridge_bill(plan, wide, **single).total > 4e9
        assert iterative_bill(wide, n_rows=200_000, searched=True, **single).total < 4e9


def test_a_small_budget_gives_the_same_model_without_kept_features():
    model = regressor(solver="iterative", alpha=0.1, tol=1e-9)
    expected = model.fit(X, Y).coef_
    shape = FourierShape(700, 4)
    needed = iterative_bill(shape, n_rows=2000, n_targets=1, dtype=np.dtype(float), searched=False)
    with bo.config_context(memory=needed.total // 3, n_threads=1), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "features of all rows" in needed.items
        np.testing.assert_allclose(model.fit(X, Y).coef_, expected, rtol=1e-4, atol=1e-6)


def test_a_model_in_a_file_has_the_same_predictions_and_error_bars(tmp_path):
    model = regressor(solver="iterative", alpha=0.1).fit(X, Y)
    bo.save(model, tmp_path / "model.bochner")
    loaded = bo.load(tmp_path / "model.bochner")
    for got, expected in zip(loaded.predict(X_NEW, return_std=True), model.predict(X_NEW, return_std=True)):
        np.testing.assert_allclose(got, expected, rtol=1e-6)
    assert loaded.fitted_.solution.ending is model.fitted_.solution.ending


def test_an_iterative_model_is_certified_as_any_other():
    model = regressor(solver="iterative", alpha=0.1).fit(X[:300], Y[:300])
    assert model.certify(X[:300], y=Y[:300]).bound == "distance.RidgeDistance"
    for certificate in (model.certify(X[:300]), model.certify()):
        assert certificate.statement.startswith("Only the kernel is certified")

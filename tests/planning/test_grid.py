"""Plans of fits on a grid of frequencies: their size and bound are those of the fit, memory and time are its own."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError, MissingExtraError
from bochner.planning import grid as grid_plan

X = np.random.default_rng(0).uniform(0, 1, (300, 2))
KERNEL = bo.Matern(0.3, nu=1.5)


def test_the_plan_has_the_grid_and_the_bound_of_the_fit():
    for n_components in (None, 900):
        plan = bo.plan(X, features="grid", kernel=KERNEL, n_components=n_components)
        model = bo.KernelRegressor(KERNEL, features="grid", alpha=0.1, n_components=n_components or "auto")
        fitted = model.fit(X, X[:, 0]).features_
        assert plan.n_components == fitted.n_components_
        assert plan.certified_error == pytest.approx(fitted.error_bound_, rel=1e-9)
    assert "without probability" in str(plan)
    assert plan.memory > 0
    assert plan.seconds > 0


def test_a_tolerance_asks_for_frequencies():
    coarse, fine = (bo.plan(X, features="grid", kernel=KERNEL, eps=eps) for eps in (1e-2, 1e-4))
    assert fine.certified_error <= 1e-4 < coarse.certified_error <= 1e-2
    assert fine.n_components > coarse.n_components
    with pytest.raises(AssumptionError, match="needs more than"):
        bo.plan(X, features="grid", kernel=bo.Matern(0.01, nu=0.5), eps=1e-6)


def test_the_automatic_plan_of_many_rows_of_few_columns_is_a_grid():
    many = bo.plan(n_samples=1_000_000, n_features=2, features="auto")
    assert "on a grid" in many.reason
    assert many.tuning_seconds > 0
    assert np.isnan(many.certified_error)  # scales are learned
    assert bo.plan(n_samples=1_000_000, n_features=4, features="auto").machines
    assert bo.plan(n_samples=5_000, n_features=2, features="auto").machines


def test_more_frequencies_take_more_memory():
    small, large = (
        bo.plan(n_samples=10_000_000, n_features=2, features="grid", n_components=m) for m in (10**4, 10**6)
    )
    assert large.memory > 2 * small.memory


def test_other_words_and_a_missing_finufft_are_refused(monkeypatch):
    with pytest.raises(InvalidParameterError, match="'auto', 'fourier', 'grid' or None"):
        bo.plan(X, features="lattice")
    with pytest.raises(InvalidParameterError, match="a stationary kernel"):
        bo.plan(X, features="grid", kernel=bo.Polynomial(2))
    with pytest.raises(AssumptionError, match="at most 3 columns"):
        bo.plan(n_samples=100, n_features=4, features="grid", kernel=KERNEL)

    def missing():
        raise MissingExtraError("finufft", "lowdim")

    monkeypatch.setattr(grid_plan, "require_nufft", missing)
    with pytest.raises(MissingExtraError, match="lowdim"):
        bo.plan(X, features="grid")

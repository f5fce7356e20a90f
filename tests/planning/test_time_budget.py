"""Exact machines that would take longer than the time budget are refused with the bill, before anything is computed."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidParameterError, TimeBudgetError
from bochner.planning import CostModel, exact_fits_in_time, require_time, time_budget
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

COST = CostModel(product=1e-10, feature=1e-9, projection=0.0, penalties=0.0, reduction=0.0, columns=1e-10)


@pytest.fixture(autouse=True)
def known_machine(monkeypatch):
    monkeypatch.setattr(time_budget, "calibrate", lambda dtype: COST)


def test_without_a_budget_nothing_is_refused():
    require_time(10**9, 100, iterative=True)


@pytest.mark.parametrize(("iterative", "item"), [(True, "products with them"), (False, "factors of the kernel matrix")])
def test_the_refusal_has_the_bill_and_the_remedy(iterative, item):
    with bo.config_context(time=0.5), pytest.raises(TimeBudgetError) as refused:
        require_time(60_000, 8, iterative=iterative)
    text = str(refused.value)
    for part in ("60,000 rows", "the budget is 0.5 s", item, "features='nystroem'", "set_config(time=...)"):
        assert part in text


def test_kernel_values_that_are_kept_are_computed_once():
    with bo.config_context(time=10.0, n_threads=2):
        require_time(60_000, 8, iterative=True, kept=True)
        assert not exact_fits_in_time(60_000, 8, iterative=True)


@pytest.mark.parametrize("wrong", [0, -1.0, True, "60", float("nan")])
def test_a_time_is_a_positive_number(wrong):
    with pytest.raises(InvalidParameterError, match=r"'time' parameter of bochner\.config must be a positive number"):
        bo.set_config(time=wrong)


@pytest.mark.parametrize(
    "model",
    [
        bo.KernelRegressor(bo.Gaussian(), features="exact", solver="iterative", alpha=0.1),
        bo.KernelRegressor(bo.Gaussian(), features="exact", solver="direct", alpha=0.1),
        bo.KernelClassifier(bo.Gaussian(), features="exact", loss="logistic", alpha=1.0),
    ],
    ids=["iterative", "direct", "logistic"],
)
def test_a_fit_is_refused_before_its_first_product(model, monkeypatch):
    for name in ("times", "matrix", "cross_times"):
        monkeypatch.setattr(KernelProduct, name, None)
    X = rows(0, 300, 2)
    with bo.config_context(time=1e-6), pytest.raises(TimeBudgetError, match="300 rows"):
        model.fit(X, X[:, 0] > 0 if hasattr(model, "loss") else X[:, 0])


def test_automatic_models_have_landmarks_instead():
    X = rows(0, 600, 2)
    y = np.sin(3 * X[:, 0]) + 0.1 * X[:, 1]
    kernel = {"kernel": bo.Gaussian(1.0), "length_scale": 1.0, "random_state": 0}
    with bo.config_context(time=1e-6):
        model = bo.KernelRegressor(**kernel).fit(X, y)
    assert not model.is_exact
    assert bo.KernelRegressor(**kernel).fit(X, y).is_exact

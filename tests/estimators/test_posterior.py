"""The faces of draws and gradients: shapes, float types, errors, scans, files."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

from bochner import KernelRegressor, load, save
from bochner.config import config_context
from bochner.errors import InvalidParameterError, MemoryBudgetError, MissingStatisticsError
from tests.fitting.posterior_models import MODELS, fitted, table

AT = np.array([[0.5, -1.0], [1.5, 0.3], [-0.7, 1.1]])
KINDS = ["paired", "landmarks", "exact"]


def test_before_the_fit_there_is_nothing_to_draw():
    for ask in ("sample_y", "gradient"):
        with pytest.raises(NotFittedError):
            getattr(KernelRegressor(), ask)(AT)
    with pytest.raises(NotFittedError):
        KernelRegressor().sample_functions(2)


@pytest.mark.parametrize("kind", KINDS)
def test_another_number_of_columns_is_refused(kind):
    model = fitted(kind)
    functions = model.sample_functions(2, random_state=0)
    for ask in (model.sample_y, model.gradient, functions, functions.gradient):
        with pytest.raises(ValueError, match="expecting 2 features"):
            ask(np.ones((3, 5)))
        with pytest.raises(ValueError, match="NaN"):
            ask(np.full((3, 2), np.nan))


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3", None])
def test_numbers_of_draws_are_positive_integers(wrong):
    model = fitted("paired")
    with pytest.raises(InvalidParameterError, match="'n_samples' parameter of sample_y must be a positive integer"):
        model.sample_y(AT, wrong)
    with pytest.raises(InvalidParameterError, match="'n' parameter of sample_functions must be a positive integer"):
        model.sample_functions(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_float32_rows_have_float32_answers_that_are_near(kind):
    X, y = table()
    single = MODELS[kind]().fit(X.astype(np.float32), y.astype(np.float32))
    double = MODELS[kind]().fit(X, y)
    rows = AT.astype(np.float32)
    for ask in (
        lambda m, X: m.gradient(X, return_std=True)[0],
        lambda m, X: m.gradient(X, return_std=True)[1],
        lambda m, X: m.sample_y(X, 3, 0),
        lambda m, X: m.sample_functions(3, 0)(X),
        lambda m, X: m.sample_functions(3, 0).gradient(X),
    ):
        assert ask(single, rows).dtype == np.float32
        assert ask(double, AT).dtype == np.float64
        np.testing.assert_allclose(ask(single, rows), ask(double, AT), rtol=0.02, atol=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_sparse_and_read_only_rows(kind):
    model, rows = fitted(kind), AT.copy()
    rows.flags.writeable = False
    functions = model.sample_functions(2, random_state=0)
    for ask in (model.gradient, functions, lambda X: model.sample_y(X, 2, 0)):
        np.testing.assert_allclose(ask(csr_matrix(AT)), ask(rows), rtol=1e-9, atol=1e-12)


def test_one_row_and_one_column():
    X, y = table()
    model = KernelRegressor(features="exact", length_scale=1.0, alpha=0.1).fit(X[:, :1], y)
    assert model.sample_y(X[:1, :1]).shape == (1, 1)
    assert model.gradient(X[:1, :1]).shape == (1, 1)
    assert model.sample_functions()(X[:1, :1]).shape == (1, 1)


def test_a_covariance_beyond_the_memory_budget_is_refused_with_the_remedy():
    model, X = fitted("exact"), np.random.default_rng(0).standard_normal((3000, 2))
    with config_context(memory=100_000_000), pytest.raises(MemoryBudgetError, match="sample_functions"):
        model.sample_y(X)


def test_loaded_models_draw_the_same_and_those_without_statistics_say_why_not(tmp_path):
    for kind in KINDS:
        model = fitted(kind)
        save(model, tmp_path / "model.bochner")
        again = load(tmp_path / "model.bochner")
        np.testing.assert_allclose(again.sample_y(AT, 2, 0), model.sample_y(AT, 2, 0), rtol=1e-9)
        np.testing.assert_allclose(again.sample_functions(2, 0)(AT), model.sample_functions(2, 0)(AT), rtol=1e-9)
    for kind in ("paired", "conjugate gradients"):
        save(fitted(kind), tmp_path / "small.bochner", statistics=False)
        small = load(tmp_path / "small.bochner")
        assert small.gradient(AT).shape == AT.shape
        for ask in (
            lambda m: m.sample_y(AT),
            lambda m: m.gradient(AT, return_std=True),
            lambda m: m.sample_functions(),
        ):
            with pytest.raises(MissingStatisticsError):
                ask(small)

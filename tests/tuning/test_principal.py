"""Wide columns in principal directions: what they are, when they are taken, and what becomes of the model."""

import numpy as np
import pytest

import bochner as bo
from bochner.kernels import Metric
from bochner.tuning.automatic import tune_automatically
from bochner.tuning.columns import Columns, principal_directions


@pytest.mark.parametrize("shape", [(40, 12), (12, 40)], ids=["more rows", "more columns"])
def test_principal_directions_are_those_of_a_singular_value_decomposition(shape):
    X = np.random.default_rng(0).standard_normal(shape) * np.geomspace(1, 20, shape[1])
    found = principal_directions(X, 5, None)
    _, _, rows = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(found.T @ rows[:5].T), np.eye(5), atol=1e-7)


def test_their_signs_do_not_depend_on_the_order_of_rows():
    X = np.random.default_rng(1).standard_normal((60, 8)) * np.geomspace(1, 9, 8)
    np.testing.assert_allclose(principal_directions(X[::-1], 3, None), principal_directions(X, 3, None), atol=1e-9)


def test_a_weight_of_two_is_a_row_given_twice():
    X = np.random.default_rng(2).standard_normal((30, 10)) * np.geomspace(1, 9, 10)
    weight = np.where(np.arange(30) < 10, 2.0, 1.0)
    twice = principal_directions(np.vstack([X, X[:10]]), 4, None)
    np.testing.assert_allclose(principal_directions(X, 4, weight), twice, atol=1e-8)


def test_directions_beyond_the_rank_of_the_rows_are_not_seen():
    X = np.outer(np.arange(5.0), np.ones(20))
    found = principal_directions(X, 3, None)
    assert np.all(np.isfinite(found))
    np.testing.assert_allclose(np.abs(found[:, 0]), 1 / np.sqrt(20))


def test_directions_are_of_the_columns_before_they_were_rotated():
    X = np.random.default_rng(3).standard_normal((20, 600))
    columns = Columns.plain(X, None)
    turned = columns.rotated().principal(4, 20, None)
    np.testing.assert_allclose(turned.X, columns.X @ turned.directions)
    assert turned.principal(2, 20, None).X.shape == (20, 2)  # again, of the columns themselves


def low_rank(n, d=600, noise=0.4, seed=4):
    """Columns that mix five hidden ones, with noise in each, and a function of the hidden ones."""
    random = np.random.default_rng(seed)
    hidden, mixing = random.standard_normal((n, 5)), np.random.default_rng(99).standard_normal((5, d))
    return hidden @ mixing + noise * np.sqrt(d) * random.standard_normal((n, d)), np.sin(hidden[:, 0]) + hidden[:, 1]


def test_noise_in_many_columns_is_forgotten():
    X, y = low_rank(700, noise=0.1)
    tuning = tune_automatically(X, y, [bo.Gaussian()], seed=0)
    assert isinstance(tuning.kernel, Metric)
    assert tuning.kernel.directions.shape[1] <= 64


def test_columns_without_directions_of_their_own_keep_all_of_them():
    random = np.random.default_rng(5)
    X = random.standard_normal((700, 600))
    X[:, 0] *= 1.2
    tuning = tune_automatically(X, X @ random.standard_normal(600), [bo.Gaussian()], seed=0)
    assert not isinstance(tuning.kernel, Metric)


@pytest.mark.parametrize("make", [bo.KernelClassifier, bo.KernelRegressor])
def test_a_model_of_principal_directions_comes_back_from_its_file(make, tmp_path):
    X, y = low_rank(500)
    y = y > 0 if make is bo.KernelClassifier else y
    model = make(random_state=0).fit(X, y)
    assert isinstance(model.tuning_.kernel, Metric)
    bo.save(model, tmp_path / "model.bochner")
    again = bo.load(tmp_path / "model.bochner")
    np.testing.assert_array_equal(again.predict(X[:20]), model.predict(X[:20]))

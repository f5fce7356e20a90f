"""Classifiers of many landmarks by products: equations of the rows that are not left out, and probabilities."""

import numpy as np
import pytest

import bochner as bo
from bochner.fitting import sign_products
from tests.strategies import rows


@pytest.fixture
def by_products(monkeypatch):
    monkeypatch.setattr(sign_products, "choose_solver", lambda **known: "iterative")


def classes(n):
    X = rows(0, n, 3)
    return X, np.where(X[:, 0] > 0.3, 2, (np.sin(2 * X[:, 1]) > 0).astype(int))


def landmarks(**settings):
    return bo.KernelClassifier(
        bo.Gaussian(1.5), features="nystroem", n_components=60, loss="squared_error", random_state=0, **settings
    )


def test_products_solve_the_equations_of_the_rows_that_are_not_left_out(by_products):
    X, y = classes(400)
    model = landmarks(alpha=0.01).fit(X, y)
    kept = np.setdiff1d(np.arange(400), sign_products.left_out_rows(0.05, 400, model.seed_))
    Z = model.features_.transform(X)
    T = np.where(y[kept, None] == np.arange(3), 1.0, -1.0)
    mean, centred = Z[kept].mean(axis=0), Z[kept] - Z[kept].mean(axis=0)
    W = np.linalg.solve(centred.T @ centred + 0.01 * np.eye(60), centred.T @ (T - T.mean(axis=0)))
    np.testing.assert_allclose(model.decision_function(X), (Z - mean) @ W + T.mean(axis=0), atol=0.02)


def test_products_and_moments_agree(by_products, monkeypatch):
    X, y = classes(1200)
    ours = landmarks(alpha=0.1).fit(X[:800], y[:800])
    monkeypatch.setattr(sign_products, "choose_solver", lambda **known: "direct")
    other = landmarks(alpha=0.1).fit(X[:800], y[:800])
    assert np.mean(ours.predict(X[800:]) == other.predict(X[800:])) > 0.98
    assert abs(np.log(ours.inverse_temperature_ / other.inverse_temperature_)) < 0.7
    assert np.abs(ours.predict_proba(X[800:]) - other.predict_proba(X[800:])).mean() < 0.06  # temperatures of 40 rows


def test_a_penalty_is_chosen(by_products):
    X, y = classes(800)
    model = landmarks().fit(X[:600], y[:600])
    assert model.alpha_ > 0
    assert model.score(X[600:], y[600:]) > 0.9


def test_few_landmarks_have_moments():
    X, y = classes(400)
    model = landmarks(alpha=0.01).fit(X, y)
    Z = model.features_.transform(X)
    T = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    centred = Z - Z.mean(axis=0)
    W = np.linalg.solve(centred.T @ centred + 0.01 * np.eye(60), centred.T @ (T - T.mean(axis=0)))
    np.testing.assert_allclose(model.decision_function(X), centred @ W + T.mean(axis=0), atol=1e-6)

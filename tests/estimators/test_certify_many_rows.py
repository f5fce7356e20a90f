"""Certificates of ridge models at many rows: within the time that is given, by products or by a sample of the rows."""

import time

import numpy as np
import pytest

import bochner as bo
from bochner.estimators import ridge_certificate, sampled_certificate
from tests.strategies import rows

X = rows(0, 3000, 3)
y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rows(1, 3000, 1)[:, 0]


def fitted(X=X, y=y, **changes):
    settings = {"features": "nystroem", "n_components": 400, "alpha": 1.0, "random_state": 0} | changes
    return bo.KernelRegressor(bo.Gaussian(1.5), **settings).fit(X, y)


class Counting:
    """A callback that counts tasks, and ends after some."""

    def __init__(self, most=10**9):
        self.n, self.most = 0, most

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, **more):
        pass

    def on_fit_task_end(self, estimator, context, **more):
        self.n += 1
        return self.n >= self.most


def test_no_product_begins_that_the_time_limit_has_no_room_for():
    many = rows(0, 40_000, 3)
    model = fitted(many, many[:, 0], features="fourier")
    began = time.monotonic()
    certificate = model.certify(many, y=many[:, 0], time_limit=0.01)
    assert time.monotonic() - began < 5  # a product takes as long
    assert certificate.bound == "sampled_distance.SampledDistance"
    assert certificate.delta == 0.01
    assert "With probability at least 0.99 over the sampled rows" in certificate.statement
    assert "(from kernel sums at 512 rows)" in certificate.statement


@pytest.mark.parametrize("changes", [{}, {"features": "fourier"}, {"fit_intercept": False}], ids=str)
def test_a_sample_is_enough_beyond_many_rows_and_its_limit_is_above_the_distance(changes, monkeypatch):
    model = fitted(**changes)
    distance = model.certify(X, y=y)
    monkeypatch.setattr(sampled_certificate, "_ALL_ROWS", 100)
    sampled = model.certify(X, y=y)
    assert sampled.bound == "sampled_distance.SampledDistance"
    assert distance.at_least < sampled.value
    if model.features == "nystroem":
        assert sampled.value < 0.5 * np.std(y - model.predict(X))  # so it says something


def test_an_exact_machine_says_that_it_is_one_whatever_the_time(monkeypatch):
    model = fitted(X[:600], y[:600], features="exact", n_components="auto")
    for most in (100_000, 100):
        monkeypatch.setattr(sampled_certificate, "_ALL_ROWS", most)
        certificate = model.certify(X[:600], y=y[:600])
        assert "his model is exact kernel ridge: over the 600 training rows" in certificate.statement
        assert certificate.details["exact"]


def test_the_spectral_norm_of_more_rows_than_matrices_are_made_of(monkeypatch):
    monkeypatch.setattr(ridge_certificate, "COMPUTED_ROWS", 100)
    model = fitted(X[:800], y[:800], n_components=200, alpha=5.0)
    certificate = model.certify(X[:800], y=y[:800])
    (spectral,) = [each for each in certificate.others if each.bound == "lanczos_norm.LanczosNorm"]
    Z = model.features_.transform(X[:800])
    truth = np.linalg.norm(Z @ Z.T - bo.Gaussian(1.5)(X[:800]), 2) / 5.0
    assert spectral.at_least <= truth * (1 + 1e-6)
    assert truth <= spectral.value <= 1.3 * truth
    assert "spectral norm of K^ - K over alpha" in spectral.statement
    rougher = fitted(X[:800], y[:800], n_components=60, alpha=1e-6)  # nothing could be said of it
    assert not rougher.certify(X[:800], y=y[:800]).others


def test_callbacks_are_told_of_products_and_can_end_them(monkeypatch):
    counting = Counting()
    model = fitted().set_callbacks(counting)
    model.certify(X, y=y)
    assert counting.n > 1
    monkeypatch.setattr(sampled_certificate, "_ALL_ROWS", 100)
    model.set_callbacks(Counting(most=2))
    certificate = model.certify(X, y=y)
    assert certificate.details["n_sampled"] == 2 * 512

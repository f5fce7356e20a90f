"""Squared hinge under the exact kernel on the rows inside the margin: its minimum, and scores of rows left out."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.features.nystroem import KernelMap
from bochner.solvers.exact_classifier import margin_gap
from bochner.solvers.losses import Hinge
from bochner.solvers.margin_machine import MarginMachine
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

N = 1200
X = rows(0, N, 2)
SIGNS = np.where(np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rows(1, N, 1)[:, 0] > 0, 1.0, -1.0)
WEIGHT = np.random.default_rng(0).uniform(0.5, 2.0, N)
KERNEL = bo.Matern(1.0)


def machine(n=N, *, intercept=True, alpha=0.2, signs=SIGNS, most=1000):
    working = KernelProduct(KERNEL, X[:n], precision=np.dtype(np.float32))
    return MarginMachine(KernelMap(KERNEL, X[:n]), working, signs[:n], WEIGHT[:n], alpha, intercept, most)


@pytest.fixture(autouse=True)
def small_samples(monkeypatch):
    monkeypatch.setattr("bochner.solvers.margin_machine._FIRST", 300)


def gap_in_float64(found, n, alpha, *, intercept):
    """By the whole kernel matrix, at the slopes of the loss."""
    dual = 2 * WEIGHT[:n] * np.maximum(0, 1 - SIGNS[:n] * found.scores)
    loss = Hinge(SIGNS[:n, None], WEIGHT[:n], squared=True)
    return margin_gap(KernelProduct(KERNEL, X[:n]), loss, dual[:, None], alpha, intercept=intercept)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_machine_is_the_minimum_and_rows_outside_the_margin_have_no_coefficient(intercept):
    found = machine(intercept=intercept).solved()
    exact = gap_in_float64(found, N, 0.2, intercept=intercept)
    assert exact.gap[0] <= 0.02 * exact.objective[0]
    assert found.solution.gap <= 0.02 * found.solution.objective
    np.testing.assert_allclose(found.solution.objective, exact.objective[0], rtol=0.02)
    assert len(found.index) < N / 5
    outside = SIGNS * found.scores > 1.01
    assert not np.any(outside[found.index])
    values = KERNEL(X[:50], X[found.index]) @ found.solution.coef[:, 0] + found.solution.intercept[0]
    np.testing.assert_allclose(values, found.scores[:50], atol=1e-3)
    assert (found.solution.intercept[0] == 0) != intercept


def test_too_many_rows_inside_the_margin_are_left_to_others():
    noise = np.where(rows(2, N, 1)[:, 0] > 0, 1.0, -1.0)
    assert machine(signs=noise).solved() is None
    assert machine(most=50).solved() is None


def test_scores_of_rows_that_are_left_out_are_those_of_machines_without_them():
    n, m = 600, 12
    whole = machine(n)
    found = whole.solved()
    scores = found.left_out_scores(WEIGHT[n - m : n], SIGNS[:n])
    inside = 0
    for i in range(n - m, n):
        rest = np.delete(np.arange(n), i)
        without = replace(
            whole,
            values=KernelMap(KERNEL, X[rest]),
            working=KernelProduct(KERNEL, X[rest], precision=np.dtype(np.float32)),
            signs=SIGNS[rest],
            weight=WEIGHT[rest],
        ).solved()
        among = X[rest][without.index]
        score = KERNEL(X[i : i + 1], among) @ without.solution.coef[:, 0] + without.solution.intercept[0]
        inside += i in found.inside
        np.testing.assert_allclose(scores[i - n + m], score[0], atol=0.1)  # others may cross the margin
    assert 0 < inside < m
    own = found.scores[n - m :]
    assert np.max(np.abs(scores - own)) > 0.2  # leaving out is not nothing

"""The maximum mean discrepancy: by its definition, exact and with features, and its error bound."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError
from tests.strategies import rows

KERNEL = bo.Matern(1.2, nu=1.5)
X, Y = rows(0, 40, 3), 1.3 * rows(1, 25, 3)


def by_definition(kernel, X, Y, estimator):
    xx, yy, xy = kernel(X), kernel(Y), kernel(X, Y)
    if estimator == "biased":
        return xx.mean() + yy.mean() - 2 * xy.mean()
    n, m = len(X), len(Y)
    return (xx.sum() - np.trace(xx)) / (n * (n - 1)) + (yy.sum() - np.trace(yy)) / (m * (m - 1)) - 2 * xy.mean()


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_exact_values_are_the_definition(estimator):
    result = bo.mmd(X, Y, kernel=KERNEL, n_components="exact", estimator=estimator)
    assert result.squared == pytest.approx(by_definition(KERNEL, X, Y, estimator), rel=1e-12)
    assert result.error_bound == 0
    points = rows(2, 5, 3)
    expected = KERNEL(points, X).mean(axis=1) - KERNEL(points, Y).mean(axis=1)
    np.testing.assert_allclose(result.witness(points), expected, atol=1e-14)


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_features_converge_to_the_exact_value(embedding, estimator):
    exact = by_definition(KERNEL, X, Y, estimator)
    close = bo.mmd(X, Y, kernel=KERNEL, n_components=400_000, embedding=embedding, estimator=estimator, rng=0)
    assert close.squared == pytest.approx(exact, abs=2e-3)
    np.testing.assert_allclose(
        close.witness(X), bo.mmd(X, Y, kernel=KERNEL, n_components="exact").witness(X), atol=0.02
    )


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_the_error_bound_fails_at_most_as_often_as_it_says(embedding, estimator):
    few, others = X[:3], Y[:2] + 4.0  # the unbiased correction is largest for few rows
    exact, delta = by_definition(KERNEL, few, others, estimator), 0.2
    setting = {"kernel": KERNEL, "n_components": 8, "embedding": embedding, "estimator": estimator, "delta": delta}
    results = [bo.mmd(few, others, rng=seed, **setting) for seed in range(300)]
    assert np.mean([abs(r.squared - exact) > r.error_bound for r in results]) <= delta
    assert np.std([r.squared for r in results]) > results[0].error_bound / 8  # and is not absurdly loose


def test_the_bound_of_the_unbiased_estimator_is_a_little_wider():
    bounds = {
        e: bo.mmd(X, Y, kernel=KERNEL, n_components=512, estimator=e, rng=0).error_bound for e in ("biased", "unbiased")
    }
    assert bounds["unbiased"] / bounds["biased"] == pytest.approx(1 + (1 / 39 + 1 / 24) / 4, rel=1e-6)


def test_values_and_their_error():
    result = bo.mmd(X, Y + 3, kernel=KERNEL, rng=0, estimator="biased")
    assert result.value == pytest.approx(np.sqrt(result.squared))
    assert result.value_error_bound <= np.sqrt(result.error_bound)
    assert bo.mmd(X, X, kernel=KERNEL, rng=0).value == 0
    assert bo.mmd(X, X, kernel=KERNEL, rng=0, estimator="biased").squared == 0


def test_mean_maps_may_stand_for_their_samples():
    first = bo.mean_map(X, kernel=KERNEL, n_components=256, rng=3)
    second = bo.mean_map(Y, like=first)
    assert bo.mmd(first, second).squared == pytest.approx(
        bo.mmd(X, Y, kernel=KERNEL, n_components=256, rng=3).squared, rel=1e-9
    )


def test_dependent_frequencies_have_no_error_bound():
    assert bo.mmd(X, Y, kernel=KERNEL, sampling="orthogonal", rng=0).error_bound is None


def test_refusals():
    with pytest.raises(InvalidDataError, match=r"same number of columns.*Got 3 and 2"):
        bo.mmd(X, Y[:, :2])
    with pytest.raises(InvalidDataError, match=r"X must have at least 2 rows.*Got 1"):
        bo.mmd(X[:1], Y)
    with pytest.raises(ValueError, match="Input Y contains NaN"):
        bo.mmd(X, np.full((3, 3), np.nan))
    with pytest.raises(InvalidParameterError, match="'estimator'"):
        bo.mmd(X, Y, estimator="median")
    with pytest.raises(InvalidParameterError, match="'length_scale'"):
        bo.mmd(X, Y, length_scale="aggregate")

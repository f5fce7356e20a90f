"""The independence test: HSIC by its definition, its level, and what it finds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import bochner as bo
from bochner.comparison.independence import _FrequencyPairs
from bochner.errors import InvalidDataError, InvalidParameterError
from tests.strategies import rows

LEFT, RIGHT = bo.Gaussian(1.5), bo.Matern(2.0, nu=1.5)


def hsic(K, L):
    H = np.eye(len(K)) - 1 / len(K)
    return np.trace(K @ H @ L @ H) / len(K) ** 2


def test_the_statistic_and_its_witness_converge_to_the_definition():
    X = rows(0, 40, 2)
    Y = X[:, :1] ** 2 + rows(1, 40, 1)
    result = bo.hsic_test(X, Y, kernel=(LEFT, 2.0 * RIGHT), n_components=100_000, n_resamples=9, rng=0)
    exact = hsic(LEFT(X), 2 * RIGHT(Y))
    assert result.statistic == pytest.approx(exact, abs=result.error_bound / 3)
    s, t = rows(2, 4, 2), rows(3, 4, 1)
    a, b = LEFT(X, s), 2 * RIGHT(Y, t)
    expected = (a * b).mean(axis=0) - a.mean(axis=0) * b.mean(axis=0)
    np.testing.assert_allclose(result.witness(np.hstack([s, t])), expected, atol=0.01)


@pytest.mark.parametrize(("n", "block_rows"), [(10, 1), (11, 1), (12, 3), (14, 4)])
def test_shifted_values_are_those_of_the_shifted_rows(n, block_rows):
    X, Y = rows(0, n, 2), rows(1, n, 3)
    pairs = _FrequencyPairs.draw((LEFT, RIGHT), (2, 3), 50, 0)
    values = pairs.on_all_shifts(X, Y, block_rows).values
    np.testing.assert_allclose(pairs.on_all_shifts(X, Y, block_rows, np.float32).values, values, rtol=1e-5)
    head = n // block_rows * block_rows
    assert values.shape == (n // block_rows,)
    for shift in range(len(values)):
        # The sum over one pair of frequencies is over products of one cosine or sine of each side.
        moved = np.vstack([np.roll(Y[:head], -shift * block_rows, axis=0), Y[head:]])
        u, v = X @ pairs.left.omega.T, moved @ pairs.right.omega.T
        parts = [
            np.mean((f(u) - f(u).mean(0)) * (g(v) - g(v).mean(0)), 0)
            for f in (np.cos, np.sin)
            for g in (np.cos, np.sin)
        ]
        assert values[shift] == pytest.approx(np.mean(np.sum(np.square(parts), axis=0)), rel=1e-10)


def test_the_level_is_kept_exactly_also_where_shifts_are_few():
    def draw(seed):
        rng = np.random.default_rng([5, seed])
        return bo.hsic_test(
            rng.standard_normal((15, 2)), rng.standard_normal((15, 1)), n_components=32, n_resamples=39, rng=seed
        ).pvalue

    count = sum(draw(seed) <= 0.05 for seed in range(600))
    assert binom.ppf(1e-7, 600, 0.05) <= count <= binom.isf(1e-7, 600, 0.05)


def test_blocks_of_many_rows_are_shifted_and_keep_the_level():
    def draw(seed):
        rng = np.random.default_rng([6, seed])
        return bo.hsic_test(
            rng.standard_normal((700, 1)), rng.poisson(1, (700, 1)), n_components=4, n_resamples=19, rng=seed
        )

    results = [draw(seed) for seed in range(300)]
    assert results[0].block_rows == 35
    count = sum(each.pvalue <= 0.05 for each in results)
    assert binom.ppf(1e-7, 300, 0.05) <= count <= binom.isf(1e-7, 300, 0.05)


def test_dependence_without_correlation_is_found():
    x = np.random.default_rng(0).uniform(-1, 1, (400, 1))
    y = x**2 + 0.1 * np.random.default_rng(1).standard_normal((400, 1))
    assert abs(np.corrcoef(x[:, 0], y[:, 0])[0, 1]) < 0.1
    result = bo.hsic_test(x, y, rng=0)
    assert result.pvalue == 0.001
    assert result.witness([[0.9, 0.8], [0.9, 0.0]])[0] > 0 > result.witness([[0.9, 0.8], [0.9, 0.0]])[1]


def test_the_error_bound_holds():
    X, Y = rows(0, 5, 1), rows(0, 5, 1)
    exact = hsic(LEFT(X), RIGHT(Y))
    setting = {"kernel": (LEFT, RIGHT), "n_components": 8, "n_resamples": 1, "delta": 0.2}
    results = [bo.hsic_test(X, Y, rng=seed, **setting) for seed in range(300)]
    assert np.mean([abs(r.statistic - exact) > r.error_bound for r in results]) <= 0.2


def test_constant_columns_are_independent_of_everything():
    assert bo.hsic_test(np.ones((30, 1)), rows(0, 30, 2), rng=0).pvalue == 1


def test_refusals():
    X = rows(0, 10, 2)
    with pytest.raises(InvalidDataError, match=r"same number of rows.*Got 10 and 9"):
        bo.hsic_test(X, X[:9])
    with pytest.raises(InvalidDataError, match="at least 2 rows"):
        bo.hsic_test(X[:1], X[:1])
    with pytest.raises(ValueError, match="Y contains NaN"):
        bo.hsic_test(X, X * np.nan)
    with pytest.raises(InvalidDataError, match=r"4 columns.*Got 2"):
        bo.hsic_test(X, X, rng=0).witness(X)
    for setting in ({"n_components": 3}, {"n_resamples": 0}, {"length_scale": "aggregate"}, {"kernel": "linear"}):
        with pytest.raises(InvalidParameterError, match=f"'{next(iter(setting))}' parameter"):
            bo.hsic_test(X, X, **setting)

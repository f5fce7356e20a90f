"""Units do not matter to tests of laws: any factor and any offset of a column leave statistic and p-value."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import binomtest

import bochner as bo

RNG = np.random.default_rng(0)
SKEWED = np.exp(RNG.standard_normal((400, 1)))
X = np.hstack([RNG.standard_normal((400, 2)), SKEWED, RNG.random((400, 1)) < 0.02])
Y = np.hstack([1.3 * RNG.standard_normal((300, 2)), np.exp(RNG.standard_normal((300, 1))), np.zeros((300, 1))])
SPREADS = np.array([1.0, 1.0, 1.0, 0.1])
CHANGES = [
    (np.array([1e-6, 1.0, 1e9, 1e3]), np.zeros(4)),
    (np.ones(4), np.array([1e6, -1e6, 1e3, 10.0]) * SPREADS),
    (np.array([1e9, 1e-6, 7.0, 1e-3]), np.array([-1e6, 3.0, 1e6, 1e6]) * SPREADS),
]


def changed(rows, change):
    factor, offset = (each[: rows.shape[1]] for each in change)
    return factor * (rows + offset)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "setting",
    [
        {},
        {"length_scale": "aggregate"},
        {"length_scale": "held_out"},
        {"n_components": "exact"},
        {"kernel": "laplacian"},
    ],
    ids=str,
)
def test_two_samples(setting, change):
    found, plain = (
        bo.mmd_test(*rows, rng=0, n_resamples=199, **setting)
        for rows in ((changed(X, change), changed(Y, change)), (X, Y))
    )
    assert found.pvalue == plain.pvalue
    assert found.statistic == pytest.approx(plain.statistic, rel=1e-5)


def test_two_samples_of_many_rows_with_a_column_that_the_pooled_sample_does_not_see():
    rng = np.random.default_rng(1)
    first, second = (np.c_[rng.standard_normal(4000), np.zeros(4000)] for _ in range(2))
    first[7, 1] = 1.0
    plain = bo.mmd_test(first, second, rng=0, n_resamples=99)
    found = bo.mmd_test(first * [1, 1e9], second * [1, 1e9], rng=0, n_resamples=99)
    assert (found.pvalue, found.statistic) == pytest.approx((plain.pvalue, plain.statistic), rel=1e-6)


@pytest.mark.parametrize("factor", [np.array([1e-6, 1.0, 1e9, 1e3]), np.array([1e9, 1e-6, 7.0, 1e-3])])
def test_factors_of_sparse_samples(factor):
    samples = [np.where(np.abs(rows) > 1, rows, 0.0) for rows in (X, Y)]
    plain, found = (
        bo.mmd_test(*(sp.csr_array(rows * by) for rows in samples), rng=0, n_resamples=199) for by in (1.0, factor)
    )
    assert found.pvalue == plain.pvalue
    assert found.statistic == pytest.approx(plain.statistic, rel=1e-5)


@pytest.mark.parametrize("change", CHANGES)
def test_independence(change):
    left, right = X[:, :2], X[:, 2:] + 0.2 * X[:, :1]
    plain = bo.hsic_test(left, right, rng=0, n_resamples=199)
    found = bo.hsic_test(changed(left, change), changed(right, change), rng=0, n_resamples=199)
    assert found.pvalue == plain.pvalue
    assert found.statistic == pytest.approx(plain.statistic, rel=1e-5)


@pytest.mark.parametrize("change", CHANGES)
def test_the_mean_discrepancy(change):
    found = bo.mmd(changed(X, change), changed(Y, change), rng=0).squared
    assert found == pytest.approx(bo.mmd(X, Y, rng=0).squared, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("setting", [{}, {"length_scale": "aggregate", "n_components": 64}], ids=str)
def test_the_level_is_kept_in_any_units(setting):
    """400 draws of two samples of one law, in columns of unlike units and tails."""
    rng = np.random.default_rng(2)

    def pvalue(seed):
        rows = np.c_[rng.standard_normal(60), 1e6 * np.exp(2 * rng.standard_normal(60)), rng.random(60) < 0.05]
        return bo.mmd_test(rows[:25], rows[25:], rng=seed, n_resamples=39, **setting).pvalue

    rejected = sum(pvalue(seed) <= 0.1 for seed in range(400))
    assert binomtest(rejected, 400, 0.1, alternative="greater").pvalue > 1e-3

"""Chernoff bounds from moment generating functions: over-estimates, and near to the truth."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import bochner as bo
from bochner.theory.cramer import exponents, tabulate
from bochner.theory.normalised import normalised

GRID = exponents(n_terms=80)
KERNEL = normalised(bo.Gaussian())


def log_mgf(s, u):
    """log E exp(s (cos(omega u) - k(u))), omega standard normal, by quadrature."""
    mean = quad(lambda w: norm.pdf(w) * np.exp(s * (np.cos(w * u) - 1)), -12, 12, limit=400)[0]
    return np.log(mean) + s * (1 - np.exp(-(u**2) / 2))


@pytest.mark.parametrize("u", [0.3, 1.0, 2.5])
def test_tables_are_never_below_the_integral_and_near_it(u):
    table = tabulate(KERNEL, [(np.array([[u]]), 1.0)], "paired", GRID)
    for i in range(0, 260, 20):
        s = GRID.s[i]
        for found, sign in ((table.upper[0, i], 1), (table.lower[0, i], -1)):
            exact = log_mgf(sign * s, u)
            assert found >= exact - 1e-9
            assert found <= exact + 1e-6 + 1e-4 * abs(exact) or found <= s**2 / 4 + 1e-12


def test_pairs_count_with_their_multiplicity():
    once, thrice = (tabulate(KERNEL, [(np.array([[1.0]]), k)], "paired", GRID) for k in (1.0, 3.0))
    assert thrice.tail(0.2, 300) == pytest.approx(3 * once.tail(0.2, 300), rel=1e-12)


def test_errors_beyond_the_reach_have_no_tail():
    table = tabulate(KERNEL, [(np.array([[1.0]]), 1.0)], "paired", GRID)
    k = np.exp(-0.5)
    assert table.tail(1 + k + 1e-6, 1) == 0.0
    assert table.tail(1 - k - 1e-6, 1) > 0.0


def test_a_tail_is_not_below_the_simulated_one():
    m, draws = 20, 40_000
    omega = np.random.default_rng(0).standard_normal((draws, m))
    errors = np.abs(np.cos(omega).mean(axis=1) - np.exp(-0.5))
    table = tabulate(KERNEL, [(np.array([[1.0]]), 1.0)], "paired", GRID)
    for eps in (0.1, 0.2, 0.3):
        count, bound = np.sum(errors >= eps), table.tail(eps, m)
        assert count <= draws * bound + 5 * np.sqrt(draws * bound)  # five deviations: 3e-7

"""Spectral norms from a few products: between their limits, as rarely missed as is said, and from landmarks too."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import binom

from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.kernels import Gaussian
from bochner.theory.lanczos_norm import LanczosNorm, lanczos_norm, lanczos_norms


def failures(n_starts, positive, delta, repeats=2000):
    """Runs in which a limit, after any of 5 products, is below the norm 1; the other eigenvalues fill the gap."""
    n = 60
    gap = 1 / LanczosNorm(reached=1.0, n_rows=n, n_products=3, n_starts=n_starts, positive=positive).factor(delta)
    values = np.append(np.linspace(0.0 if positive else -gap, gap, n - 1), 1.0)[:, None]

    def fails(seed):
        norms = lanczos_norms(
            lambda block: values * block, n, n_starts=n_starts, positive=positive, random_state=[seed, 40]
        )
        return any(norm.limit(delta) < 1 - 1e-9 for norm in islice(norms, 5))

    return sum(fails(seed) for seed in range(repeats)), repeats


@pytest.mark.parametrize(("n_starts", "positive"), [(1, False), (3, False), (1, True), (3, True)])
def test_the_limit_fails_no_more_often_than_delta_at_any_step(n_starts, positive):
    missed, repeats = failures(n_starts, positive, 0.2)
    assert binom.sf(missed - 1, repeats, 0.2) > 1e-7


@pytest.mark.parametrize("positive", [False, True])
def test_the_limit_could_not_be_much_smaller(positive):
    missed, repeats = failures(1, positive, 0.2)
    assert binom.cdf(missed, repeats, 0.05) > 1e-7, "it fails at a fifth of delta or more on a hard spectrum"


@pytest.mark.parametrize("n", [10, 1000, 10**6])
def test_the_printed_constant_follows(n):
    j, eps = np.arange(1, 40)[:, None], np.linspace(0.001, 0.999, 200)
    squared = 1 / np.cosh((2 * j - 1) * np.arctanh(np.sqrt(eps))) ** 2
    ours = betainc(0.5, (n - 1) / 2, squared)
    assert np.all(ours <= np.sqrt(8 / np.pi) * np.sqrt(n) * np.exp(-np.sqrt(eps) * (2 * j - 1)) * (1 + 1e-12))
    assert np.sqrt(8 / np.pi) < 1.648


def test_the_error_of_landmarks_has_its_norm_between_the_limits():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    C = Gaussian()(X, X[:20])
    error = Gaussian()(X) - C @ np.linalg.solve(Gaussian()(X[:20]), C.T)
    for positive in (False, True):
        norm = lanczos_norm(lambda block: error @ block, 300, n_products=6, positive=positive, random_state=1)
        assert norm.reached * (1 - 1e-9) <= np.linalg.norm(error, 2) <= norm.limit(1e-6)
    certificate = norm.certificate(0.01, "the norm of the kernel error is {value}")
    assert certificate.statement.startswith("With probability at least 0.99 over the random start")
    assert certificate.at_least <= np.linalg.norm(error, 2) <= certificate.value


def test_positive_matrices_have_half_the_gap():
    some = LanczosNorm(reached=1.0, n_rows=1000, n_products=16)
    positive = LanczosNorm(reached=1.0, n_rows=1000, n_products=16, positive=True)
    assert positive.factor(0.01) - 1 == pytest.approx((some.factor(0.01) - 1) / 2, rel=0.1)


@pytest.mark.parametrize(("values", "steps"), [(np.zeros(50), 1), (np.append(np.zeros(48), [2.0, -3.0]), 3)])
def test_the_iteration_ends_where_there_is_nothing_more(values, steps):
    norms = list(lanczos_norms(lambda block: values[:, None] * block, 50, n_starts=2, random_state=0))
    assert len(norms) <= steps
    assert norms[-1].reached == pytest.approx(np.max(np.abs(values)), rel=1e-12)


def test_a_few_rows_are_spanned():
    values = np.array([1.0, -4.0, 2.0])[:, None]
    for n_starts in (1, 2, 5):
        norm = lanczos_norm(lambda block: values * block, 3, n_starts=n_starts, random_state=0)
        assert norm.reached <= 4 * (1 + 1e-12) <= norm.limit(1e-3) * (1 + 1e-9)


def test_a_product_of_another_shape_is_refused():
    with pytest.raises(InvalidDataError, match="finite array of shape"):
        lanczos_norm(lambda block: block[:3], 10)
    with pytest.raises(InvalidParameterError, match="n_products"):
        LanczosNorm(reached=1.0, n_rows=10, n_products=0)

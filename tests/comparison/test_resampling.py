"""Relabellings of blocks, and the p-values that follow."""

from itertools import combinations

import numpy as np
import pytest

from bochner.comparison.resampling import Relabelling, check_resamples, cut, fused, normal_scores, p_value, studentised
from bochner.errors import InvalidParameterError


@pytest.mark.parametrize(("n", "m"), [(10, 20), (4000, 4000), (5, 10**6), (10**6, 3 * 10**5)])
def test_blocks_of_equal_size_fit_both_samples(n, m):
    rows, (first, second) = cut(n, m, 512)
    assert first * rows <= n
    assert second * rows <= m
    assert first + second <= max(4096, 2 * 1024)
    assert n + m > 4096 or (rows, first, second) == (1, n, m)


def test_the_observed_labels_come_first_and_every_relabelling_keeps_the_sizes():
    relabelling = Relabelling((3, 5), "permutation", 20, 0)
    labels = np.vstack(list(relabelling.chunks(8)))
    assert labels.shape == (21, 8)
    np.testing.assert_array_equal(labels[0], [1, 1, 1, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(labels.sum(axis=1), 3)
    np.testing.assert_array_equal(np.vstack(list(relabelling.chunks(5))), labels)


def test_all_permutations_are_equally_likely():
    """chi-squared over the 10 labellings of 2 of 5, 20,000 draws: 60 is exceeded once in 10^9 times."""
    labels = np.vstack(list(Relabelling((2, 3), "permutation", 20_000, 1).chunks(1000)))[1:]
    chosen = [tuple(np.flatnonzero(row)) for row in labels]
    counts = np.array([chosen.count(pair) for pair in combinations(range(5), 2)])
    assert np.sum((counts - 2000) ** 2 / 2000) < 60


def test_wild_relabellings_swap_blocks_in_pairs():
    labels = np.vstack(list(Relabelling((4, 4), "wild", 50, 0).chunks(16)))
    np.testing.assert_array_equal(labels[:, :4] + labels[:, 4:], 1)


def test_ties_count_as_larger():
    assert p_value(np.array([1.0, 0.5, 1.0, 2.0]), 0.0) == 3 / 4
    assert p_value(np.array([1.0, 1.0 - 1e-9, 0.0]), 1e-8) == 2 / 3
    assert p_value(np.array([1.0, 0.0, 0.0]), 0.0) == 1 / 3


def test_one_kernel_fuses_to_an_increasing_function_of_its_statistic_and_constants_to_a_tie():
    values = np.random.default_rng(0).chisquare(2, (1, 100))
    np.testing.assert_array_equal(np.argsort(fused(values)), np.argsort(values[0]))
    np.testing.assert_array_equal(fused(np.ones((2, 5))), fused(np.ones((2, 5)))[0])
    assert studentised(values).mean() == pytest.approx(0, abs=1e-12)
    assert studentised(values).std() == pytest.approx(1)
    np.testing.assert_array_equal(studentised(np.ones((2, 5))), 0.0)


def test_scores_of_a_skewed_law_are_nearly_normal():
    values = np.random.default_rng(0).chisquare(3, (2, 100_000)) * [[1.0], [1e-9]]
    scores = normal_scores(values)
    assert np.all(np.diff(np.take_along_axis(scores, np.argsort(values, axis=1), axis=1)) >= 0)
    np.testing.assert_allclose(np.mean(scores > 3, axis=1), 0.00135, atol=6e-4)  # 4.5 standard errors; 0.011 as it is
    symmetric = np.random.default_rng(1).standard_normal(1000)
    both = np.r_[symmetric, -symmetric]
    np.testing.assert_allclose(normal_scores(both), studentised(both), atol=0.01)


def test_a_kernel_that_stands_out_is_not_hidden_by_skewed_ones():
    rng = np.random.default_rng(0)
    skewed, sharp = rng.chisquare(1, (9, 1000)), rng.standard_normal((1, 1000))
    sharp[0, 0] = 5.0
    assert p_value(fused(np.vstack([skewed, sharp])), 0.0) <= 0.005


@pytest.mark.parametrize("n", [0, -1, 2.5, "many", True])
def test_numbers_that_give_no_p_value_are_refused(n):
    with pytest.raises(InvalidParameterError, match="n_resamples"):
        check_resamples("mmd_test", n)

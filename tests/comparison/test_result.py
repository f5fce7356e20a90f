"""Results of kernel tests: the error bound they carry, and what they show of themselves."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.comparison.result import KernelTestResult
from tests.strategies import rows

X, Y = rows(0, 60, 2), rows(1, 50, 2) + 1


@pytest.fixture(scope="module")
def certified():
    return bo.mmd_test(X, Y, kernel=bo.Gaussian(), n_components=64, n_resamples=99, rng=0)


def test_the_error_bound_is_the_value_of_the_certificate(certified):
    assert isinstance(certified, KernelTestResult)
    assert certified.error_bound == certified.certificate.value > 0
    assert replace(certified, certificate=None).error_bound is None


def test_the_exact_kernel_has_no_error(certified):
    assert replace(certified, n_components=None, certificate=None).error_bound == 0.0


def test_the_p_value_counts_the_resampled_statistics(certified):
    null = certified.null_distribution
    assert null.shape == (99,)
    assert certified.pvalue == pytest.approx((1 + np.sum(null >= certified.statistic)) / 100, abs=1e-12)


def test_the_witness_is_the_one_it_was_given(certified):
    points = rows(2, 4, 2)
    given = replace(certified, _witness=lambda at: np.asarray(at)[:, 0])
    np.testing.assert_array_equal(given.witness(points), points[:, 0])


def test_the_witness_is_positive_where_the_first_sample_has_more_rows(certified):
    low, high = certified.witness([[-0.5, -0.5], [1.5, 1.5]])
    assert low > 0 > high


def test_it_prints_what_decides_and_not_its_arrays(certified):
    shown = repr(certified)
    assert "statistic=" in shown
    assert "pvalue=" in shown
    assert "null_distribution" not in shown
    assert "_witness" not in shown


def test_it_says_what_was_found_and_which_columns_moved():
    moved = pd.DataFrame({"a": X[:, 0], "b": X[:, 1] + 2})
    result = bo.mmd_test(pd.DataFrame(X, columns=["a", "b"]), moved, n_resamples=99, rng=0)
    assert result.columns == ("a", "b")
    assert result.contributions.sum() == pytest.approx(1)
    assert result.contributions[1] > 0.9
    assert str(result) == result.summary()
    assert str(result).startswith("The samples differ (p = 0.01). It lies most in b (")
    assert result.summary(level=0.001).startswith("No change was found")


def test_columns_without_names_are_counted_and_one_column_is_not_named():
    assert "column 1 (" in str(bo.mmd_test(X, X + np.array([0, 2]), n_resamples=99, rng=0))
    assert str(bo.mmd_test(X[:, :1], X[:, :1] + 2, n_resamples=99, rng=0)) == "The samples differ (p = 0.01)."


def test_a_test_of_independence_has_no_columns_and_a_sentence_of_its_own():
    result = bo.hsic_test(X[:50], X[:50], n_resamples=99, rng=0)
    assert result.contributions is None
    assert str(result) == "X and Y depend on each other (p = 0.01)."
    assert bo.hsic_test(X[:50], Y, n_resamples=99, rng=0).summary(0.0).startswith("No dependence was found")

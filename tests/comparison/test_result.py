"""Results of kernel tests: the error bound they carry, and what they show of themselves."""

from dataclasses import replace

import numpy as np
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

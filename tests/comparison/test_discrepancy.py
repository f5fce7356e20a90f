"""The MMD value: its parts, its root, its bounds, and the two estimators."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.comparison.discrepancy import MMD, check_estimator
from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.theory.downstream import mmd_error
from tests.strategies import rows

X, Y, KERNEL = rows(0, 40, 2), rows(1, 30, 2) + 0.5, bo.Gaussian(1.5)


def test_the_square_is_made_of_mean_map_kernels():
    for options in ({"n_components": "exact"}, {"n_components": 64, "rng": 0}):
        found = bo.mmd(X, Y, kernel=KERNEL, **options)
        xx, yy, cross = found.mmk
        assert found.squared == pytest.approx(xx + yy - 2 * cross, abs=1e-12)


def test_the_biased_square_is_the_distance_of_mean_features_and_never_negative():
    first = bo.mean_map(X, kernel=KERNEL, n_components=64, rng=0)
    second = bo.mean_map(Y, like=first)
    found = bo.mmd(first, second, estimator="biased").squared
    assert found == pytest.approx(np.sum((first.mean - second.mean) ** 2), rel=1e-12)
    assert 0 <= bo.mmd(first, first, estimator="biased").squared < 1e-12


def value(squared, certificate=None, n_components=64):
    return MMD(squared, (0.0, 0.0, 0.0), KERNEL, n_components, certificate, lambda points: points)


def test_the_value_is_the_root_or_zero():
    assert value(0.25).value == 0.5
    assert value(-0.25).value == 0.0


def test_bounds_are_those_of_the_certificate():
    found = bo.mmd(X, Y, kernel=KERNEL, n_components=64, rng=0)
    assert found.error_bound == found.certificate.value
    assert found.value_error_bound == mmd_error(found.error_bound, found.value)
    without = replace(found, certificate=None)
    assert without.error_bound is None
    assert without.value_error_bound is None
    exact = replace(without, n_components=None)
    assert (exact.error_bound, exact.value_error_bound) == (0.0, 0.0)


def test_weighted_mean_maps_are_certified_only_where_the_bound_speaks_of_them():
    like = bo.mean_map(X, kernel=KERNEL, n_components=64, rng=0)
    weighted = bo.mean_map(X, sample_weight=np.arange(1.0, 41), like=like)
    assert bo.mmd(like, weighted, estimator="unbiased").certificate is None
    assert bo.mmd(like, weighted, estimator="biased").certificate is not None


def test_a_sample_and_a_mean_map_are_not_compared():
    like = bo.mean_map(X, kernel=KERNEL, n_components=64, rng=0)
    with pytest.raises(InvalidDataError, match=r"mean_map\(..., like=...\)"):
        bo.mmd(like, Y)


def test_an_unknown_estimator_is_named():
    check_estimator("mmd", "biased")
    with pytest.raises(InvalidParameterError, match=r"'estimator' parameter of mmd.*Got 'median'"):
        check_estimator("mmd", "median")

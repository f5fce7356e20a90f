"""Standard points of each sampler: shapes, laws, seeds."""

import numpy as np
import pytest
from scipy import stats

import bochner as bo

SAMPLERS = [bo.MonteCarlo(), bo.Orthogonal(), bo.QuasiMonteCarlo()]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda sampler: type(sampler).__name__)
def test_points_are_standard_one_by_one(sampler):
    """One coordinate of the first point under independent seeds: normal, and uniform."""
    drawn = [sampler.points(5, 3, 2, 1, seed) for seed in range(400)]
    normals, uniforms = (np.array([each[i][0].ravel()[0] for each in drawn]) for i in (0, 1))
    assert stats.kstest(normals, "norm").pvalue > 1e-6
    assert stats.kstest(uniforms, "uniform").pvalue > 1e-6


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda sampler: type(sampler).__name__)
def test_shapes_and_seeds(sampler):
    normals, uniforms = sampler.points(7, 3, 2, 4, 0)
    assert (normals.shape, uniforms.shape) == ((7, 2, 3), (7, 4))
    again = sampler.points(7, 3, 2, 4, 0)
    np.testing.assert_array_equal(again[0], normals)
    np.testing.assert_array_equal(again[1], uniforms)


def test_sobol_points_are_more_even_than_independent_ones():
    """A thousand points of the line: the largest gap to the uniform law is that of a grid, not of a sample."""
    gaps = [
        stats.kstest(stats.norm.cdf(sampler.points(1024, 1, 1, 0, 0)[0].ravel()), "uniform").statistic
        for sampler in (bo.QuasiMonteCarlo(), bo.MonteCarlo())
    ]
    assert gaps[0] < 2 / 1024
    assert gaps[1] > 5 / 1024

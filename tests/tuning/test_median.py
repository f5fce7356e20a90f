"""The median heuristic."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import bochner as bo
from bochner.tuning.median import median_length_scale


@pytest.mark.parametrize("n", [2, 3, 4, 5, 50, 51])
@pytest.mark.parametrize(("kernel", "metric"), [(bo.Gaussian(), "euclidean"), (bo.Laplacian(), "cityblock")])
def test_it_has_the_bits_of_the_median_for_odd_and_even_numbers_of_pairs(n, kernel, metric):
    rows = np.random.default_rng(n).standard_normal((n, 2))
    expected = np.median(pdist(np.unique(rows, axis=0), metric))
    assert median_length_scale(rows, kernel, 0) == expected
    assert median_length_scale(np.vstack([rows, rows]), kernel, 0) == expected


def test_equal_rows_have_scale_one():
    assert median_length_scale(np.ones((5, 2)), bo.Gaussian(), 0) == 1.0


def test_a_kernel_of_another_metric_is_measured_by_it():
    class Checkered(bo.Gaussian):
        metric = "cityblock"

    rows = np.random.default_rng(0).standard_normal((30, 2))
    assert median_length_scale(rows, Checkered(), 0) == np.median(pdist(rows, "cityblock"))

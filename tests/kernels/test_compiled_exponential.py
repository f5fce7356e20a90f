"""The compiled exponential against NumPy's."""

import numpy as np

from bochner.kernels._loops import exp_of_minus_half


def test_it_is_numpys_to_the_last_digits():
    values = np.concatenate([[0.0], np.geomspace(1e-300, 1400, 5000)])[None]
    expected = np.exp(-values / 2)
    exp_of_minus_half(values)
    np.testing.assert_allclose(values, expected, rtol=4e-16)


def test_beyond_the_smallest_it_is_as_good_as_zero():
    values = np.array([[1416.1, 1e4, 1e300]])
    exp_of_minus_half(values)
    assert np.all((values >= 0) & (values < 1e-307))

"""Linear classifiers: what a duality gap is measured against."""

import numpy as np
import pytest

from bochner.solvers.linear import gap_scale


@pytest.mark.parametrize(("objective", "at_zero", "expected"), [(5.0, 7.0, 5.0), (1e-9, 7.0, 7e-3), (0.0, 0.0, 0.0)])
def test_a_gap_is_relative_to_the_objective_but_not_to_next_to_nothing(objective, at_zero, expected):
    assert gap_scale(objective, at_zero) == pytest.approx(expected, rel=1e-15)


def test_every_column_has_its_own_scale():
    np.testing.assert_allclose(gap_scale(np.array([1.0, 0.0]), 10.0), [1.0, 0.01], rtol=1e-15)

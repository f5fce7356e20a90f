"""The weighted sum of chi-squared variables, against laws in closed form."""

import numpy as np
import pytest
from scipy.stats import chi2

from bochner.comparison.null_law import ChiSquaredMixture


@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize("level", [0.5, 0.05, 1e-3, 1e-8])
def test_equal_weights_are_a_chi_squared_law(k, level):
    law = ChiSquaredMixture(np.full(k, 0.7))
    assert law.survival(0.7 * chi2.isf(level, k)) == pytest.approx(level, rel=0.15)
    assert law.quantile(level) == pytest.approx(0.7 * chi2.isf(level, k), rel=0.05)


def test_survival_falls_and_the_quantile_inverts_it():
    law = ChiSquaredMixture(np.array([3.0, 1.0, 0.1, 0.0]))
    values = np.linspace(0.01, 40, 200)
    assert np.all(np.diff([law.survival(value) for value in values]) < 0)
    assert law.survival(law.quantile(0.03)) == pytest.approx(0.03, rel=1e-6)
    assert law.survival(0.0) == law.survival(-1.0) == 1.0


def test_the_singularity_at_the_mean_is_removed():
    law = ChiSquaredMixture(np.array([2.0, 1.0]))
    around = [law.survival(3.0 * (1 + step)) for step in (-2e-3, -1e-4, 0.0, 1e-4, 2e-3)]
    assert np.all(np.diff(around) < 0)


def test_weights_of_zero_put_everything_at_zero():
    law = ChiSquaredMixture(np.zeros(3))
    assert (law.survival(0.0), law.survival(1e-9), law.quantile(0.1)) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(("level", "weight"), [(0.0, 1.0), (-1.0, 1.0), (np.nan, 1.0), (1.0, 1.0), (0.1, np.inf)])
def test_a_quantile_of_no_level_is_an_error_and_no_endless_search(level, weight):
    with pytest.raises(ValueError, match="level in"):
        ChiSquaredMixture(np.array([weight, 0.5])).quantile(level)

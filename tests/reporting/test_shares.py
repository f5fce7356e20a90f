"""Exact binomial limits of shares."""

import numpy as np
import pytest
from scipy.stats import binomtest

from bochner.reporting.answers import answers
from bochner.reporting.shares import chance_band, true_shares


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (7, 7), (39, 40), (180, 200)])
def test_true_shares_are_the_limits_of_clopper_and_pearson(hits, n):
    expected = binomtest(hits, n).proportion_ci(0.95, method="exact")
    np.testing.assert_allclose(true_shares(hits / n, n), [expected.low, expected.high], atol=1e-9)


def test_a_share_is_in_the_band_of_chance_if_the_promise_is_compatible_with_it():
    for n in (5, 40, 333):
        hits = np.arange(n + 1)
        low, high = chance_band(0.9, n)
        in_band = (low - 1e-12 <= hits / n) & (hits / n <= high + 1e-12)
        true_low, true_high = true_shares(hits / n, n)
        np.testing.assert_array_equal(in_band, (true_low <= 0.9) & (true_high >= 0.9))


def test_bands_are_shares_and_weights_may_leave_a_broken_number_of_rows():
    low, high = chance_band(np.array([0.1, 0.99]), 12.4)
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()
    assert 0 < true_shares(0.5, 12.4)[0] < 0.5 < true_shares(0.5, 12.4)[1] < 1


def _sentence(hits, n):
    low, high = true_shares(hits / n, n)
    covered = {"levels": [0.9], "observed": [hits / n], "true_low": [low], "true_high": [high], "n_rows": n}
    quality = {
        "kind": "regressor", "n_rows": n, "rows_held_out": True, "rmse": 1.0, "rmse_standard_error": 0.1, "r2": 0.5,
        "baseline": "the mean of these targets", "baseline_rmse": 2.0, "coverage": covered,
    }  # fmt: skip
    missing = {"missing": "nothing"}
    others = {
        "approximation": {"curve": missing, "certificate": missing},
        "more": {"widths": missing, "rows": missing, "bills": missing, "width": 1},
        "choices": {"kernel_in_words": "", "width": 1, "exact": False, "penalty": {}},
        "cost": {"rows": None, "passes": None, "seconds": None, "memory": None, "columns": None},
    }
    return answers({"quality": quality, "model": {"kind": "regressor"}, **others})["quality"]


def test_the_report_says_which_true_shares_are_compatible_with_what_was_seen():
    assert (
        "Its 90 % intervals hold 97.5 % of the targets: 40 rows are compatible with true shares from 86.8 % to 99.9 %, "
        "90 % among them."
    ) in _sentence(39, 40)
    assert "hold 80 % of the targets, too few: 400 rows are compatible with true shares from 75.7 %" in _sentence(
        320, 400
    )
    assert "more than they need to: 400 rows" in _sentence(390, 400)
    assert "90 % not among them." in _sentence(390, 400)

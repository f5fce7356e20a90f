"""Numbers of features by the papers' rates, for a fitted spectrum."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidParameterError
from bochner.theory import feature_counts, fit_spectrum
from bochner.theory.generalization import OperatorBound

FIT = fit_spectrum(np.linspace(0, 1, 400)[:, None], kernel=bo.Laplacian())
COUNTS = feature_counts(FIT, n_points=10_000)


def test_the_effective_dimension_is_that_of_the_eigenvalues():
    mu = np.array(FIT.eigenvalues)
    assert COUNTS.penalty == pytest.approx(0.01)
    assert COUNTS.effective_dimension == pytest.approx(np.sum(mu / (mu + 0.01)))


def test_theorem_one_is_a_root_of_n_times_a_logarithm():
    (row,) = (row for row in COUNTS.rows if row.source == "Rudi & Rosasco Theorem 1")
    assert row.count == np.ceil(100 * np.log(10_000))
    assert not row.certified
    assert row.status == "ASYMPTOTIC"


def test_certified_counts_are_those_of_the_operator_bound():
    certified = {row.sampling: row.count for row in COUNTS.rows if row.certified}
    N = COUNTS.effective_dimension
    for sampling, leverage in (("plain", 100.0), ("leverage", N)):
        bound = OperatorBound(d_tau=leverage, d_lambda=N, lam=0.01, operator_norm=FIT.eigenvalues[0])
        assert certified[sampling] == bound.features_needed(0.01)
    assert certified["leverage"] < certified["plain"]


def test_only_rows_of_the_decay_are_listed():
    zhu_li = [row for row in COUNTS.rows if row.source.startswith("Zhu Li")]
    assert zhu_li
    assert FIT.decay == "polynomial"
    plain = COUNTS.to_dict()
    assert plain["n_points"] == 10_000
    assert "Frequencies for n = 10,000" in str(COUNTS)


@pytest.mark.parametrize(("name", "value"), [("n_points", 2), ("n_points", True), ("r", 0.4), ("penalty", -1.0)])
def test_bad_settings_are_named(name, value):
    with pytest.raises(InvalidParameterError, match=f"'{name}'"):
        feature_counts(FIT, **{"n_points": 100, name: value})

"""Learning rates: exponents at the corners that the papers name."""

import numpy as np
import pytest

from bochner.errors import InvalidParameterError
from bochner.theory.rates import (
    TABLE_1,
    NystroemComparison,
    RudiRosascoTheorem1,
    RudiRosascoTheorem2,
    RudiRosascoTheorem3,
    corrected_plain_exponent,
    feature_exponent,
)
from bochner.theory.tables import OWN


def test_the_slow_rate_needs_a_root_of_n():
    assert feature_exponent(0.5, 1.0) == 0.5 == RudiRosascoTheorem1.features
    assert RudiRosascoTheorem2(r=0.5, gamma=1.0).risk == 0.5
    assert RudiRosascoTheorem2(r=1.0, gamma=0.0).risk == 1.0


def test_leverage_needs_fewer_features_than_plain_sampling():
    r, gamma = np.meshgrid(np.linspace(0.5, 1, 21), np.linspace(0, 1, 21))
    plain, leverage = feature_exponent(r, gamma), feature_exponent(r, gamma, gamma)
    assert np.all(leverage <= plain + 1e-15)
    np.testing.assert_allclose(leverage[:, -1], 1 / (2 + gamma[:, -1]) * (gamma[:, -1] + 1))
    np.testing.assert_allclose(plain[:, 0], 1 / (1 + gamma[:, 0]))


def test_theorem_three_contains_theorem_two():
    for r, gamma in ((0.5, 0.3), (0.8, 0.6)):
        assert RudiRosascoTheorem3(r=r, gamma=gamma, alpha=1.0).features == pytest.approx(
            RudiRosascoTheorem2(r=r, gamma=gamma).features
        )


def test_nystroem_centres_are_the_papers_remark():
    found = NystroemComparison(r=0.75, gamma=0.5)
    assert (found.uniform_centres, found.leverage_centres) == pytest.approx((0.5, 0.25))


@pytest.mark.parametrize(
    ("r", "gamma", "alpha", "name"), [(0.4, 0.5, 1, "r"), (0.5, 1.5, 1, "gamma"), (0.5, 0.5, 0.4, "alpha")]
)
def test_exponents_out_of_range_are_refused(r, gamma, alpha, name):
    with pytest.raises(InvalidParameterError, match=f"'{name}'"):
        feature_exponent(r, gamma, alpha)


def test_rows_of_an_impossible_spectrum_are_marked():
    marked = [row for row in TABLE_1 if "contradicts assumption A.1" in row.note]
    assert {(row.spectrum, row.sampling) for row in marked} == {("i^(-1)", "weighted")}
    assert len(marked) == sum(row.spectrum == "i^(-1)" for row in TABLE_1) == 2


def test_the_table_tells_its_own_rows_from_quoted_ones():
    own = [row for row in TABLE_1 if row.authors == OWN]
    assert {row.sampling for row in own} == {"plain", "weighted"}
    assert all(row.note.startswith("quoted by Zhu Li") for row in TABLE_1 if row.authors != OWN)


def test_the_corrected_exponent_is_the_printed_one_at_one_half_only():
    assert corrected_plain_exponent(0.5, 0.5) == 1.0 == 1 / (2 * 0.5)
    assert corrected_plain_exponent(1.0, 0.5) == 0.75 > 1 / 2

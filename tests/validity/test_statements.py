"""No certificate of a random model says anything that a dense reference contradicts."""

from collections import Counter

import pytest

from tests.validity.statements import study


def assert_all_hold(found):
    false = [each for each in found if not each.holds]
    assert not false, f"{len(false)} of {len(found)} statements are false, such as {false[0]}"


@pytest.mark.slow
def test_statements_of_random_models_are_true():
    found = study(n_regressors=40, n_classifiers=6)
    assert_all_hold(found)
    assert len(found) > 300


@pytest.mark.slow
def test_ten_thousand_statements_of_random_models_are_true():
    found = study(n_regressors=1200, n_classifiers=80, first=1000)
    assert_all_hold(found)
    assert len(found) >= 10_000
    assert len(Counter(each.bound for each in found)) >= 10

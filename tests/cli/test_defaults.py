"""Defaults of the command line beside those of the library."""

import bochner as bo
from bochner.cli.defaults import departures, penalty_rule


def test_the_penalty_is_found_by_leave_one_out_or_cross_validation():
    assert penalty_rule("regression", 256) == "loo"
    assert penalty_rule("regression", 8192) == "gcv"
    assert penalty_rule("classification", 256) == "cv"


def test_only_what_was_not_asked_for_is_announced():
    model = bo.KernelRegressor(alpha="loo", n_components=100, length_scale=2.0, random_state=3)
    assert [each.parameter for each in departures(model, [])] == ["n_components", "alpha"]
    assert departures(model, ["n_components", "alpha"]) == []
    assert departures(bo.KernelClassifier(random_state=0), []) == []


def test_a_departure_says_both_values_and_the_reason():
    (found,) = departures(bo.KernelClassifier(alpha="cv"), [])
    assert found.sentence.startswith("alpha='cv', where KernelClassifier() has 1.0: cross-validation")
    assert found.to_dict()["library"] == "1.0"

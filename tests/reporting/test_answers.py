"""Answers of the report: what width buys, and that a refit is called one."""

import pytest

from bochner.reporting import summarise
from bochner.reporting.answers import _more_features, beside_the_error, guarantees

CURVE = {"widths": [64, 128], "gcv": None, "n_refits": 0}


@pytest.mark.parametrize(
    ("errors", "end"),
    [
        ([1.0, 0.5], "is lower by 50 %: a wider map may well be better still."),
        ([1.0, 0.999], "is lower by 0.1 %: more features would buy little."),
        ([1.0, 1.2], "is higher by 20 %: a narrower map is enough."),
    ],
)
def test_the_last_step_says_whether_more_features_help(errors, end):
    assert _more_features(CURVE | {"held_out": errors}) == f"From 64 to 128 features the error {end}"


@pytest.mark.parametrize("errors", [[1.0], [0.0, 0.0], [None, 1.0]])
def test_nothing_is_said_of_errors_that_are_not_known(errors):
    assert _more_features(CURVE | {"held_out": errors}) == ""


def test_refits_are_announced_in_the_answer_and_beside_the_chart(waves):
    told = summarise(waves.classifier, waves.X, waves.labels)
    widths = told["more"]["widths"]
    assert widths["n_refits"] == len(widths["widths"]) > 1
    assert f"of {widths['n_refits']} models, refitted for this report to a part of the rows" in told["answers"]["more"]
    assert f"the report refitted it {widths['n_refits']} times" in widths["how"]
    regression = summarise(waves.regressor, waves.X, waves.y)
    assert regression["more"]["widths"]["n_refits"] == 0
    assert "refitted for this report" not in regression["answers"]["more"]


@pytest.mark.parametrize(
    ("distance", "meaning"),
    [
        ({"value": 0.02}, "Within 1 % of its error, 2."),
        ({"value": 1.9}, "Within 95 % of its error, 2."),
        ({"value": 1e-6, "exact": True}, "Exact: rounding is within 5e-05 % of its error, 2."),
        (
            {"value": 2.5, "at_least": 2.4},
            "No guarantee, because the exact kernel machine with this penalty",
        ),
        ({"value": 4193.0}, "No guarantee, because the penalty, 1e-9, is too small"),
        ({"value": 4193.0, "exact": True}, "No guarantee, because the penalty, 1e-9, is too small"),
    ],
)
def test_a_certificate_is_exact_within_a_share_of_the_error_or_no_guarantee(distance, meaning):
    exact, details = distance.pop("exact", False), {"alpha": 1e-9}
    certificate = {
        "bound": "distance.RidgeDistance",
        "at_least": 0.0,
        "details": details | {"exact": exact},
        **distance,
    }
    score = {"rmse": 2.0, "baseline_rmse": 5.0}
    assert meaning in beside_the_error(certificate, score)
    assert guarantees(certificate, score) == (certificate["value"] < 2)
    assert beside_the_error(certificate, {"missing": "no rows"}) == ("The model is exact." if exact else "")
    sampled = certificate | {"bound": "sampled_distance.SampledDistance", "at_least": None}
    assert guarantees(sampled, score) == (certificate["value"] < 2)
    kernel = certificate | {"bound": "a_posteriori.AllPairs"}
    assert beside_the_error(kernel, score) == ""
    assert not guarantees(kernel, score)

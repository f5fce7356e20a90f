"""A plan says what a fit will take, keeps its budget, and says so when a bound is worth nothing."""

import json
import re
from html import unescape

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidParameterError, MemoryBudgetError
from bochner.features import FourierShape
from bochner.planning import CostModel, calibrate, default_width
from bochner.solvers import ridge_bill
from bochner.statistics import plan_pass
from tests.strategies import rows

X = rows(0, 150, 4)


def test_a_target_gives_the_width_of_the_theorem():
    plan = bo.plan(n_samples=1000, n_features=10, eps=0.1)
    assert plan.n_components == 3684
    assert plan.bound == "finite_set.UnionSubGaussian"
    assert plan.certified_error <= 0.1
    assert [a.bound for a in plan.alternatives] == ["finite_set.UnionSubGaussian", "finite_set.UnionHoeffding"]


def test_a_small_probability_of_failure_is_no_probability_of_one():
    plan = bo.plan(n_samples=1000, n_features=10, eps=0.1, delta=1e-12)
    assert "probability 1 - 1e-12 " in str(plan)
    assert "probability 0.99 " in str(bo.plan(n_samples=1000, n_features=10, eps=0.1, delta=0.01))


def test_data_give_a_tighter_plan_than_their_number():
    with_data, without = bo.plan(X, eps=0.1), bo.plan(n_samples=150, n_features=4, eps=0.1)
    assert with_data.bound == "finite_set.DataAware"
    assert with_data.n_components < without.n_components
    assert any(
        a.bound == "uniform.AnchoredCover" and "every point of the region" in a.verdict for a in with_data.alternatives
    )


def test_the_plan_is_kept_by_the_features_it_plans():
    plan = bo.plan(X, eps=0.15, delta=0.05)
    errors = []
    for seed in range(20):
        features = bo.FourierFeatures(bo.Gaussian(), n_components=plan.n_components, random_state=seed)
        Z = features.fit_transform(X / eval_scale(plan))
        errors.append(np.abs(Z @ Z.T - bo.Gaussian()(X / eval_scale(plan))).max())
    assert np.mean(np.array(errors) > 0.15) <= 0.2


def eval_scale(plan):
    return np.array([float(number) for number in re.findall(r"[0-9.]+", plan.kernel)])


def test_without_a_target_the_width_is_that_of_a_fit():
    assert bo.plan(n_samples=50_000, n_features=5).n_components == default_width(50_000)


@pytest.mark.parametrize("memory", ["50MB", "400MB", "3GB"])
def test_a_memory_budget_is_used_and_kept(memory):
    plan = bo.plan(n_samples=100_000, n_features=10, memory=memory)
    assert plan.memory <= plan.memory_budget == bo.config.parse_bytes(memory)
    wider = bo.plan(n_samples=100_000, n_features=10, memory=2 * plan.memory_budget)
    assert wider.n_components > plan.n_components


def test_a_time_budget_is_kept_by_the_prediction():
    plan = bo.plan(n_samples=1_000_000, n_features=10, time=20.0)
    assert plan.seconds <= 20.0
    assert plan.reason == "the most that the budget allows"


def test_an_unaffordable_target_is_answered_with_the_bill_and_the_best_there_is():
    plan = bo.plan(n_samples=100_000, n_features=10, eps=0.02, memory="300MB")
    assert plan.n_components < 138_000
    assert plan.certified_error > 0.02
    assert "features would take" in plan.warnings[0]


def test_a_vacuous_bound_is_called_vacuous():
    plan = bo.plan(n_samples=10**6, n_features=10, memory="3MB")
    assert any("vacuous" in warning and "certify" in warning for warning in plan.warnings)


def test_a_plan_prints_and_becomes_json():
    plan = bo.plan(X[:30], eps=0.1, memory="1GB", time=100.0)
    printed = str(plan)
    for word in ("rows", "features", "certified", "memory", "time", "considered", "used"):
        assert word in printed
    assert json.loads(json.dumps(plan.to_dict()))["n_components"] == plan.n_components
    assert "<table>" in plan._repr_html_()


def test_data_show_what_their_spectrum_implies():
    plan = bo.plan(X, kernel=bo.Matern(5.0, nu=2.5))
    assert plan.counts.spectrum.decay == "polynomial"
    assert plan.counts.n_points == 150
    for shown in (str(plan), unescape(plan._repr_html_())):
        assert "Zhu Li Table 2" in shown
        assert "Rudi & Rosasco Theorem 3" in shown
    assert plan.to_dict()["counts"]["rows"][0]["certified"]
    assert bo.plan(n_samples=150, n_features=4).counts is None


def test_a_plan_draws_its_curve():
    ax = bo.plan(X[:30], eps=0.1, memory="1GB").plot()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "this plan" in labels
    assert "budget" in labels


def test_kernels_other_than_the_gaussian_are_planned():
    laplacian = bo.plan(X, kernel="laplacian", eps=0.2)
    assert not any(a.bound.startswith("uniform") for a in laplacian.alternatives)
    assert (
        bo.plan(n_samples=100, n_features=3, kernel=2.0 * bo.Matern(nu=2.5), eps=0.2).n_components
        > laplacian.n_components
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"eps": 0.0}, "'eps' parameter"),
        ({"eps": 0.1, "delta": 1.0}, "'delta' parameter"),
        ({"time": -1.0}, "'time' parameter"),
        ({"memory": "plenty"}, "'memory' parameter"),
        ({"kernel": "tophat"}, "'kernel' parameter"),
        ({"n_samples": 0}, "'n_samples' parameter"),
        ({"n_features": None}, "'n_features' parameter"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(InvalidParameterError, match=message):
        bo.plan(**{"n_samples": 100, "n_features": 3, **arguments})
    with pytest.raises(InvalidParameterError, match="'X' parameter"):
        bo.plan(np.zeros((0, 3)))


def test_a_budget_for_nothing_is_refused():
    with pytest.raises(MemoryBudgetError, match="Not even two features"):
        bo.plan(n_samples=100, n_features=3, memory=10)


def test_the_bill_is_the_larger_of_pass_and_solution():
    dtype = np.dtype(np.float32)
    narrow_map, wide_map = FourierShape(512, 3), FourierShape(4096, 3)
    plan = plan_pass(10_000, narrow_map, 1, dtype)
    bill = ridge_bill(plan, narrow_map, n_targets=1, dtype=dtype)
    assert bill.total >= plan.bytes
    wide = ridge_bill(plan_pass(100, wide_map, 1, dtype), wide_map, n_targets=1, dtype=dtype)
    assert wide.total >= 20 * 4096**2


def test_the_cost_model_grows_as_it_should():
    model = CostModel(product=1e-11, feature=1e-9, projection=1e-11, penalties=1e-5, reduction=2e-11, columns=1e-9)
    assert model.pass_seconds(2000, 5, 100, 1) == pytest.approx(2 * model.pass_seconds(1000, 5, 100, 1))
    assert model.pass_seconds(1000, 5, 100, 2) == pytest.approx(model.pass_seconds(1000, 5, 100, 1) / 2)
    assert model.fit_seconds(1000, 5, 200, 1) > model.fit_seconds(1000, 5, 100, 1)
    measured = calibrate("float64")
    assert 0 < measured.product < 1e-8
    assert 0 < measured.reduction < 1e-8


def test_a_given_width_is_kept_while_the_budget_allows_it():
    assert bo.plan(n_samples=1000, n_features=5, n_components=512).n_components == 512
    short = bo.plan(n_samples=1000, n_features=5, n_components=50_000, memory="50MB")
    assert short.n_components < 50_000
    assert "50,000 features would take" in short.warnings[0]
    with pytest.raises(ValueError, match="even for the paired"):
        bo.plan(n_samples=1000, n_features=5, n_components=511)


def test_a_plan_counts_the_time_to_learn_scales():
    given, named, many = (bo.plan(X, kernel=kernel) for kernel in (bo.Gaussian(2.0), "gaussian", "auto"))
    assert 0 == given.tuning_seconds < named.tuning_seconds < many.tuning_seconds
    assert named.seconds == pytest.approx(given.seconds + named.tuning_seconds)
    assert "to learn length scales" in str(named)
    assert "to learn length scales" not in str(given)


def test_a_time_budget_below_that_of_the_tuning_names_the_remedy():
    with pytest.raises(bo.errors.MemoryBudgetError, match=r"To learn length scales alone takes .* give a kernel"):
        bo.plan(n_samples=10**5, n_features=10, time=1e-3)

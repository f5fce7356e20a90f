"""The problems of the study of Zhu Li's feature counts: spectrum, best function, drawn kernels, rows of the table."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from bochner.reproduce.circle_classifier import loss_values
from bochner.reproduce.zhu_li import EXPERIMENTS
from bochner.reproduce.zhu_li_problem import Problem
from bochner.theory.tables import OWN

PROBLEMS = [
    Problem("hinge" if "hinge" in name else "logistic", *setting)
    for name, experiment in EXPERIMENTS.items()
    for setting in experiment.full["problems"]
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: f"{p.loss}-{p.spectrum}-{p.r}")
def test_no_value_at_a_point_has_less_risk_than_the_best_function(problem):
    for p, best in list(zip(problem.probability, problem.best, strict=True))[::37]:

        def risk(value, p=p):
            return p * loss_values(problem.loss, value) + (1 - p) * loss_values(problem.loss, -value)

        assert risk(best) <= minimize_scalar(risk, bounds=(-20, 20), method="bounded").fun + 1e-9


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: f"{p.loss}-{p.spectrum}-{p.r}")
def test_the_kernel_is_one_on_the_diagonal_and_drawn_kernels_have_it_as_their_mean(problem):
    A = problem.eigenvalues
    assert A[0] + 2 * A[1:].sum() == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    for sampling in ("plain", "leverage"):
        drawn = np.mean([problem.estimated(sampling, 2000, 1e-3, rng) for _ in range(200)], axis=0)
        assert drawn[:5] == pytest.approx(A[:5], rel=0.05)
        # One frequency is one wave; plain ones all have the same weight.
        one = problem.estimated(sampling, 1, 1e-3, rng)
        assert np.count_nonzero(one) == 1
        if sampling == "plain":
            assert one[0] + 2 * one[1:].sum() == pytest.approx(1.0)


def test_the_hinge_problem_has_a_smooth_function_of_least_risk():
    (problem,) = (each for each in PROBLEMS if each.loss == "hinge")
    x = np.arange(len(problem.best)) / len(problem.best)
    ramp = np.clip((0.55 - x) / 0.05 - 1, -1, 1) * np.clip((x % 1) / 0.05, 0, 1)
    smooth = np.where(x > 0.95, (x - 1) / 0.05, ramp)  # continuous, 1 and -1 on the arcs, between in the gaps
    assert problem.risk(smooth) == pytest.approx(problem.risk(problem.best), abs=1e-12)


def test_effective_dimension_grows_as_the_spectrum_says():
    finite, exponential, rough = (
        Problem("logistic", spectrum, 1.0, 1.0) for spectrum in ("finite rank", "exponential", "polynomial")
    )
    ratios = [
        problem.effective_dimension(1e-4) / problem.effective_dimension(1e-3)
        for problem in (finite, exponential, rough)
    ]
    assert ratios[0] == pytest.approx(1.0, abs=0.05)
    assert 1.1 < ratios[1] < 1.6  # log(1/lambda)
    assert ratios[2] == pytest.approx(np.sqrt(10), rel=0.2)  # lambda^(-1/2)


def test_the_rows_are_the_papers_own_and_not_those_it_quotes():
    expected = {
        ("finite rank", "plain"): ("plain", "finite rank"),
        ("exponential", "leverage"): ("weighted", "exponential"),
        ("polynomial", "plain"): ("plain", "polynomial"),
        ("polynomial", "leverage"): ("weighted", "i^(-2 gamma)"),
    }
    for (spectrum, sampling), found in expected.items():
        row = Problem("logistic", spectrum, 1.0, 1.0).row(sampling)
        assert (row.sampling, row.spectrum) == found
        assert row.authors == OWN

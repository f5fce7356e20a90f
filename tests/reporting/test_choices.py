"""Kernel, scales, penalty and width in the report are those of the model, with how they came about."""

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.errors import IllConditionedWarning
from bochner.reporting import summarise


def _targets(waves):
    """The training targets: the fixture's generator, run again."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (800, 2))
    return (np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(800))[:500]


def test_choices_are_those_of_the_model(waves):
    part = summarise(waves.regressor)["choices"]
    model = waves.regressor
    assert part["penalty"]["alpha"] == model.alpha_
    assert part["dof"] == pytest.approx(model.dof_)
    assert sorted(part["bandwidths"]["length_scales"]) == sorted(model.features_.kernel_.length_scale)
    Z = model.features_.transform(waves.train)
    eigenvalues = np.linalg.eigvalsh(np.cov(Z.T, bias=True))[::-1]
    ranks = np.array(part["spectrum"]["rank"][:20])
    assert part["spectrum"]["eigenvalue"][:20] == pytest.approx(eigenvalues[ranks - 1].tolist(), rel=1e-6)


def test_scales_per_column_are_listed_from_the_closest_look(waves):
    frame = pd.DataFrame(waves.train, columns=["price", "size"])
    kernel = bo.Gaussian(length_scale=np.array([3.0, 0.5]))
    model = bo.KernelRegressor(kernel, n_components=32, random_state=0).fit(frame, frame["price"])
    part = summarise(model)["choices"]["bandwidths"]
    assert part == {"names": ["size", "price"], "length_scales": [0.5, 3.0]}


def test_a_width_that_was_searched_for_is_told_with_its_curve():
    X = np.random.default_rng(0).uniform(-1, 1, (3200, 2))
    model = bo.KernelRegressor(bo.Gaussian(), random_state=0).fit(X, np.sin(3 * X[:, 0]))
    curve, summary = model.width_curve_, summarise(model)
    assert summary["choices"]["width_curve"]["widths"] == curve.widths.tolist()
    assert summary["choices"]["width_curve"]["gain"][0] is None
    assert summary["cost"]["passes"] == len(curve.widths)
    page = str(bo.report(model).html)
    assert curve.reason in page
    assert "% over 256" in page


def test_a_penalty_that_was_raised_is_not_called_given():
    X = np.repeat(np.linspace(0, 1, 5), 20)[:, None]
    with pytest.warns(IllConditionedWarning):
        model = bo.KernelRegressor(bo.Gaussian(), n_components=64, alpha=0.0, random_state=0).fit(X, X[:, 0])
    told = summarise(model)["answers"]["choices"]
    assert "raised from 0.0, at which the equations are singular" in told
    model = bo.KernelRegressor(bo.Gaussian(), n_components=64, alpha=1.0, random_state=0).fit(X, X[:, 0])
    assert "alpha = 1, as given" in summarise(model)["answers"]["choices"]


def test_a_search_by_an_iterative_solver_is_not_called_given(waves):
    model = bo.KernelRegressor(bo.Gaussian(), n_components=32, solver="iterative", alpha="gcv", random_state=0).fit(
        waves.train, _targets(waves)
    )
    part = summarise(model)["choices"]["penalty"]
    assert "was given" not in str(part.get("missing"))

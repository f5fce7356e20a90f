"""Planned and measured cost, and the passes that a fit made."""

import numpy as np
import pytest

import bochner as bo
from bochner.engines import local
from bochner.reporting import summarise


class _CountedPasses:
    """How often the features of rows are computed block by block."""

    def __init__(self, monkeypatch):
        self.n = 0
        monkeypatch.setattr(local, "run_in_threads", self._counted(local.run_in_threads))

    def _counted(self, run):
        def counted(*args, **kwargs):
            self.n += 1
            return run(*args, **kwargs)

        return counted


def test_plan_and_actual_cost_stand_side_by_side(waves):
    plan = bo.plan(n_samples=500, n_features=2)
    part = summarise(waves.regressor, plan=plan, extra={"seconds": 2.0, "memory": 10**6, "file": "t.csv"})["cost"]
    assert (part["plan"]["memory"], part["plan"]["seconds"]) == (plan.memory, plan.seconds)
    assert (part["seconds"], part["memory"], part["extra"]) == (2.0, 10**6, {"file": "t.csv"})
    assert part["passes"] == 1
    assert part["versions"]["bochner"] == bo.__version__


@pytest.mark.parametrize("case", ["one", "leave-one-out", "again in float64", "leave-one-out again", "pieces", "pca"])
def test_the_passes_told_are_those_made(case, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 2)).astype(np.float32 if "again" in case else float)
    y = np.sin(3 * X[:, 0]) + (0 if "again" in case else 0.1 * rng.standard_normal(600))
    settings = {"n_components": 64, "alpha": "loo" if "leave" in case else "gcv", "random_state": 0}
    passes = _CountedPasses(monkeypatch)
    if case == "pca":
        model = bo.KernelPCA(n_components=3, width=32, random_state=0).fit(X)
    elif case == "pieces":
        model = bo.KernelRegressor(bo.Gaussian(), **settings).partial_fit(X[:300], y[:300])
        passes.n = 0
        model.partial_fit(X[300:], y[300:])
    else:
        model = bo.KernelRegressor(bo.Gaussian(), **settings).fit(X, y)
    expected = {"one": 1, "leave-one-out": 2, "again in float64": 2, "leave-one-out again": 4, "pieces": 1, "pca": 1}
    assert passes.n == expected[case]
    summary = summarise(model)
    assert summary["cost"]["passes"] == passes.n
    words = {1: "read once.", 2: "read twice.", 4: "read 4 times."}
    assert words[passes.n] in summary["answers"]["cost"]


def test_a_search_for_a_width_is_not_called_two_passes(monkeypatch):
    X = np.random.default_rng(0).uniform(-1, 1, (3000, 4))
    passes = _CountedPasses(monkeypatch)
    y = np.sin(5 * X[:, 0] * X[:, 1]) + X[:, 2] * X[:, 3]
    model = bo.KernelRegressor(bo.Gaussian(0.4), features="fourier", alpha="gcv", random_state=0).fit(X, y)
    summary, n_widths = summarise(model), len(model.width_curve_.widths)
    assert passes.n == n_widths + 1  # the last adds the rows that the search had held out
    assert summary["cost"]["passes"] == n_widths > 2
    assert f"read {n_widths} times." in summary["answers"]["cost"]

"""Progress of exact machines in the log: the time that is left."""

import logging

import numpy as np

import bochner as bo
from bochner.fitting.exact_progress import TimeLeft
from tests.strategies import rows


def test_time_left_is_that_of_geometric_convergence(caplog):
    """Residuals fall tenfold in four iterations of three seconds each: sixteen of them to 1e-4."""
    seconds = iter(np.arange(0.0, 100.0, 3.0))
    left = TimeLeft(1e-4, 200, clock=lambda: next(seconds))
    history = np.ones((1, 2))
    with caplog.at_level(logging.INFO, "bochner"):
        for n_iter in range(1, 17):
            history = np.vstack([history, [10.0 ** (-n_iter / 4), 1e-9]])
            left.told({"n_iter": n_iter, "history": history})
    told = [(int(record.args[0]), record.args[3]) for record in caplog.records]
    assert [n_iter for n_iter, _ in told] == [2, 4, 6, 8, 10, 12, 14, 16]  # five seconds apart at least
    np.testing.assert_allclose([time for _, time in told], [3.0 * (16 - n_iter) for n_iter, _ in told], atol=1e-9)


def test_residuals_that_do_not_fall_take_all_iterations_that_are_allowed(caplog):
    seconds = iter([0.0, 10.0])
    with caplog.at_level(logging.INFO, "bochner"):
        TimeLeft(1e-4, 21, clock=lambda: next(seconds)).told({"n_iter": 1, "history": np.ones((2, 1))})
    assert caplog.records[0].args[3] == 200.0


def test_a_fit_tells_the_log(caplog, monkeypatch):
    monkeypatch.setattr("bochner.fitting.exact_progress._SECONDS", 0.0)
    X = rows(0, 300, 2)
    model = bo.KernelRegressor(bo.Gaussian(1.0), features="exact", solver="iterative", alpha=0.1, random_state=0)
    with caplog.at_level(logging.INFO, "bochner"):
        model.fit(X, np.sin(X[:, 0]))
    lines = [record.getMessage() for record in caplog.records]
    assert "300 rows" in lines[0]
    assert sum(line.startswith("Iteration") and line.endswith("s left.") for line in lines) == model.n_iter_

"""A callback may ask a model that is being fitted; its final state is that of all rows."""

import numpy as np
import pytest

import bochner as bo

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((3000, 3))
Y = np.sin(X).sum(axis=1) + 0.1 * RANDOM.standard_normal(3000)
SETTINGS = {"n_components": 64, "alpha": 0.1, "length_scale": 1.5, "random_state": 0}


class Asks:
    """Reads the coefficients after every block, and may interrupt the fit."""

    def __init__(self, interrupt_at=None):
        self.left, self.coefficients = interrupt_at, []

    def setup(self, estimator, context):
        return

    teardown = on_fit_task_begin = lambda self, *args, **kwargs: None

    def on_fit_task_end(self, estimator, context, **kwargs):
        if context.task_name != "block":
            return False
        self.coefficients.append(estimator.coef_.copy())
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return False


def blocks_of(n_rows, monkeypatch):
    monkeypatch.setattr("bochner.statistics.moments_pass._BLOCK_BYTES", n_rows * 64 * 8)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_callback_that_asks_for_coefficients_does_not_freeze_them(method, monkeypatch):
    blocks_of(300, monkeypatch)
    asks = Asks()
    model = bo.KernelRegressor(**SETTINGS).set_callbacks(asks)
    getattr(model, method)(X, Y)
    assert len(asks.coefficients) > 3
    np.testing.assert_allclose(model.coef_, bo.KernelRegressor(**SETTINGS).fit(X, Y).coef_, rtol=1e-6, atol=1e-9)


def test_an_interrupted_second_block_leaves_coefficients_and_moments_of_the_same_rows(monkeypatch):
    blocks_of(300, monkeypatch)
    model = bo.KernelRegressor(**SETTINGS).partial_fit(X[:1000], Y[:1000])
    with pytest.raises(KeyboardInterrupt):
        model.set_callbacks(Asks(interrupt_at=2)).partial_fit(X[1000:], Y[1000:])
    seen = int(model.moments_.weight)
    assert 1000 < seen < 3000
    found = np.linalg.solve(
        np.tril(model.moments_.zz) + np.tril(model.moments_.zz, -1).T + 0.1 * np.eye(64), model.moments_.zy
    )
    np.testing.assert_allclose(model.coef_, found[:, 0], rtol=1e-6, atol=1e-9)


def test_error_bars_map_every_row_once(monkeypatch):
    model = bo.KernelRegressor(**SETTINGS).fit(X, Y)
    mapped, write = [], type(model.feature_map_).write

    def counted(self, rows, out, scratch):
        mapped.append(rows.shape[0])
        write(self, rows, out, scratch)

    monkeypatch.setattr(type(model.feature_map_), "write", counted)
    model.predict(X[:400], return_std=True, return_interval=0.9)
    assert sum(mapped) == 400

"""A fit that fails or is interrupted leaves the model as it was."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import bochner as bo
from tests.estimators.test_reading_while_fitting import SETTINGS, Asks, X, Y, blocks_of

SMALL = {"n_components": 16, "length_scale": 1.5, "random_state": 0}
MODELS = {
    "regressor": bo.KernelRegressor(alpha=0.1, **SMALL),
    "classifier": bo.KernelClassifier(alpha=0.1, **SMALL),
    "quantiles": bo.KernelQuantileRegressor(alpha=0.1, **SMALL),
    "components": bo.KernelPCA(n_components=2, width=16, length_scale=1.5, random_state=0),
    "novelty": bo.KernelNovelty(length_scale=1.5, random_state=0),
    "drift": bo.DriftDetector(n_components=16, length_scale=1.5, random_state=0),
}


def test_an_interrupted_fit_has_no_model_of_some_of_the_rows(monkeypatch):
    """It answered with the rows that it had seen, without a word."""
    blocks_of(300, monkeypatch)
    model, asks = bo.KernelRegressor(**SETTINGS), Asks(interrupt_at=2)
    with pytest.raises(KeyboardInterrupt):
        model.set_callbacks(asks).fit(X, Y)
    assert len(asks.coefficients) == 2
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_an_interrupted_second_fit_leaves_the_first_and_callbacks_are_torn_down(monkeypatch):
    blocks_of(300, monkeypatch)
    torn_down = []

    class Asked(Asks):
        def teardown(self, estimator, context):
            torn_down.append(estimator)

    model = bo.KernelRegressor(**SETTINGS).fit(X[:500], Y[:500])
    expected = model.predict(X)
    with pytest.raises(KeyboardInterrupt):
        model.set_callbacks(Asked(interrupt_at=2)).fit(X, -Y)
    np.testing.assert_array_equal(model.predict(X), expected)
    assert torn_down == [model]
    model.set_callbacks().fit(X, -Y)
    assert np.corrcoef(model.predict(X), -Y)[0, 1] > 0.9


@pytest.mark.parametrize("name", MODELS)
def test_a_failed_fit_leaves_all_attributes(name):
    model, y = MODELS[name], Y[:200] > 0 if name == "classifier" else Y[:200]
    model.fit(X[:200], y)
    before = dict(vars(model))
    for rows, targets in ((np.full((200, 2), np.nan), y), (1e200 * X[:200, :2], y), (X[:0], y[:0])):
        with pytest.raises(ValueError, match=r"NaN|must not exceed|0 sample|at least"):
            model.fit(rows, targets)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[key] is before[key] for key in before)

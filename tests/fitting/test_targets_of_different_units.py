"""The penalty of several targets is chosen with every one in units of its own spread."""

import numpy as np
import pytest

import bochner as bo

rng = np.random.default_rng(0)
X = rng.standard_normal((200, 2))
Y = np.column_stack([np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(200), X[:, 1] ** 2, np.full(200, 7.0)])
UNIT = np.array([1.0, 1e8, 1.0])


@pytest.mark.parametrize("features", ["auto", "exact", "nystroem", "fourier"])
@pytest.mark.parametrize("alpha", ["auto", "loo"])
def test_units_of_targets_do_not_matter(features, alpha):
    """A target without noise, in a large unit, made the model interpolate the other: 13 times the error of the mean."""
    plain, scaled = (
        bo.KernelRegressor(features=features, alpha=alpha, random_state=0).fit(X, Y * unit) for unit in (1.0, UNIT)
    )
    assert scaled.alpha_ == pytest.approx(plain.alpha_, rel=1e-4)
    np.testing.assert_allclose(scaled.predict(X) / UNIT, plain.predict(X), atol=1e-4)


def test_classes_count_as_often_as_their_rows_say():
    """Signs of classes are alike: in units of their spread, a class of three rows would count as all others."""
    labels = np.where(np.arange(200) < 3, 2, (X[:, 0] > 0).astype(int))
    model = bo.KernelClassifier(features="nystroem", random_state=0).fit(X, labels)
    assert np.mean(model.predict(X[3:]) == labels[3:]) > 0.95

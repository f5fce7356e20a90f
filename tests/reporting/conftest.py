"""Models and rows that several tests look at."""

from types import SimpleNamespace

import numpy as np
import pytest

import bochner as bo


@pytest.fixture(scope="package")
def waves():
    """A regressor and a classifier on the same 500 rows, and 300 rows that they have not seen."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (800, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(800)
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [-1, 1])]
    weight = rng.uniform(0, 2, 300)
    return SimpleNamespace(
        X=X[500:],
        y=y[500:],
        labels=labels[500:],
        weight=weight,
        train=X[:500],
        regressor=bo.KernelRegressor(n_components=128, random_state=0).fit(X[:500], y[:500]),
        classifier=bo.KernelClassifier(n_components=128, random_state=0).fit(X[:500], labels[:500]),
    )

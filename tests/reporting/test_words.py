"""Preprocessing steps in words."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, PowerTransformer, StandardScaler

import bochner as bo
from bochner.reporting import summarise


def _targets(waves):
    """The training targets: the fixture's generator, run again."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (800, 2))
    return (np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(800))[:500]


def test_a_pipeline_tells_its_preprocessing_in_words():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.standard_normal(200), "town": rng.choice(["a", "b"], 200)})
    frame.loc[3, "size"] = np.nan
    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["size"]), (OneHotEncoder(), ["town"])
    )
    model = make_pipeline(encode, bo.KernelRegressor(n_components=32, random_state=0))
    y = rng.standard_normal(200)
    made = summarise(model.fit(frame[:120], y[:120]), frame[120:], y[120:])
    told = " ".join(made["preprocessing"])
    for words in ("size", "median", "mean 0", "town", "category"):
        assert words in told
    assert made["model"]["columns"] == 3
    assert made["quality"]["rmse"] == pytest.approx(
        metrics.root_mean_squared_error(y[120:], model.predict(frame[120:]))
    )
    assert "missing" not in made["approximation"]["certificate"]


def test_steps_that_are_not_known_speak_for_themselves(waves):
    class Told(StandardScaler):
        def describe(self):
            return ["Dates become fractions of a year."]

    model = make_pipeline(
        "passthrough",
        Told(),
        PowerTransformer(),
        Normalizer(norm="l1"),
        bo.KernelRegressor(n_components=16, random_state=0),
    )
    told = summarise(model.fit(waves.train, _targets(waves)))["preprocessing"]
    assert told == [
        "Dates become fractions of a year.",
        "powertransformer: makes columns more normal by a yeo-johnson transform",
        "normalizer: Normalizer(norm='l1')",
    ]

"""Tables of the defaults benchmark: the real ones of the data folder, and synthetic ones made to break a default."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator
from sklearn.preprocessing import StandardScaler

import bochner as bo

DATA = Path(os.environ.get("BOCHNER_DATA", Path(__file__).parents[2] / "shared" / "data"))
N_TRAIN, N_TEST = 8000, 4000
REGRESSION = (
    "airline2001", "heaton_satellite", "blogfeedback", "protein", "kin40k", "bike", "elevators", "pol", "gas",
    "california_housing", "diamonds", "airfoil", "concrete", "energy", "yacht",
    "mixed_ames", "mixed_chicago", "mixed_check_times",
)  # fmt: skip
CLASSIFICATION = (
    "skin_nonskin", "ijcnn1", "shuttle", "adult_a9a", "letter", "electricity", "spambase", "higgs_small",
    "tissue_gene_expression", "mixed_attrition", "mixed_credit_data", "mixed_lending_club", "mixed_wa_churn",
    "mixed_hpc_data",
)  # fmt: skip
LEFT_OUT = {
    "mnist": "images",
    "fashion_mnist": "images",
    "qm7": "molecules: coordinates of atoms, not a table",
    "etopo5": "a grid of one column, whose inputs are points of the sphere",
}
"""Files of the data folder that are not in the study, and why."""
IDENTIFIERS = {"mixed_check_times": ["package"]}
"""Texts that are different in every row: the encoder refuses them, as it should."""


class Split(NamedTuple):
    """Rows to train on and rows to test on, in random order."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    def standardised(self, task: str) -> Split:
        """Mean 0 and spread 1 on the training rows: inputs, and the target of a regression."""
        inputs = StandardScaler().fit(self.X)
        y, y_test = self.y, self.y_test
        if task == "regression":
            spread = y.std() or 1.0
            y, y_test = (y - self.y.mean()) / spread, (y_test - self.y.mean()) / spread
        return Split(inputs.transform(self.X), y, inputs.transform(self.X_test), y_test)


@dataclass(frozen=True)
class FileTable:
    """A table of the data folder. Targets are as they are in the file; none is transformed."""

    name: str
    task: str
    synthetic = False

    def split(self, fold: int, n_train: int = N_TRAIN, n_test: int = N_TEST) -> Split:
        frame = read(self.name)
        train, test = chosen_rows(frame, fold, n_train, n_test)
        inputs = frame.drop(columns=["target", "fold", "split", *IDENTIFIERS.get(self.name, [])], errors="ignore")
        y = frame["target"].to_numpy() if self.task == "regression" else pd.factorize(frame["target"], sort=True)[0]
        y = y.astype(float if self.task == "regression" else int)
        X, X_test = inputs.iloc[train], inputs.iloc[test]
        if self.name.startswith("mixed_"):
            X, X_test = encoded(X, X_test)
        return Split(np.asarray(X, dtype=float), y[train], np.asarray(X_test, dtype=float), y[test])

    def native(
        self, fold: int, n_train: int = N_TRAIN, n_test: int = N_TEST
    ) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Inputs of the same rows for methods with native categories: codes of levels, gaps as NaN, dates as days.

        Levels that training rows do not have are gaps. The last are the places of the categories.
        """
        frame = read(self.name)
        train, test = chosen_rows(frame, fold, n_train, n_test)
        inputs = frame.drop(columns=["target", "fold", "split", *IDENTIFIERS.get(self.name, [])], errors="ignore")
        categories, found = [], []
        for at, name in enumerate(inputs):
            column = inputs[name]
            if pd.api.types.is_datetime64_any_dtype(column):
                values = column.to_numpy("datetime64[s]").astype(float) / 86400
            elif pd.api.types.is_numeric_dtype(column):
                values = column.to_numpy(float)
            else:
                levels = {level: code for code, level in enumerate(column.iloc[train].dropna().unique())}
                values = column.map(levels).to_numpy(float)
                categories.append(at)
            found.append(values)
        X = np.column_stack(found)
        return X[train], X[test], categories


def encoded(train: pd.DataFrame, test: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """A table with texts and dates as numbers, by what the training rows say."""
    encoder = bo.TableEncoder().fit(train)
    with warnings.catch_warnings():
        # Values that only test rows have are expected, and no warning of the model that is measured.
        warnings.simplefilter("ignore", bo.errors.TableWarning)
        return encoder.transform(train), encoder.transform(test)


@lru_cache(maxsize=1)
def read(name: str) -> pd.DataFrame:
    return pd.read_parquet(DATA / f"{name}.parquet")


def chosen_rows(frame: pd.DataFrame, fold: int, n_train: int, n_test: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of training and test rows: by `fold`, from the two parts of `split`, or a random fifth for testing.

    Of the training part of `split` nine tenths at most are drawn, so that the draws of a small table differ.
    """
    order = np.random.default_rng(fold).permutation(len(frame))
    if "fold" in frame:
        held = frame["fold"].to_numpy()[order] == fold
        train, test = order[~held], order[held]
    elif "split" in frame:
        part = frame["split"].to_numpy()[order]
        train, test = order[part == 0], order[part == 1]
        train = train[: 9 * len(train) // 10]
    else:
        test, train = np.split(order, [len(order) // 5])
    return train[:n_train], test[:n_test]


Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class SyntheticTable:
    """A table drawn anew for every split; `spoil` changes the targets of the training rows alone."""

    name: str
    task: str
    draw: Callable[[Generator, int], Rows]
    n_train: int = 2000
    spoil: Callable[[Generator, np.ndarray], np.ndarray] | None = None
    synthetic = True

    def split(self, fold: int, n_train: int = N_TRAIN, n_test: int = N_TEST) -> Split:
        rng, n = np.random.default_rng(fold), min(n_train, self.n_train)
        X, y = self.draw(rng, n + n_test)
        train = y[:n] if self.spoil is None else self.spoil(rng, y[:n])
        return Split(X[:n], train, X[n:], y[n:])


def smooth(Z: np.ndarray) -> np.ndarray:
    """The signal of most tables: smooth, with an interaction, of spread near 1."""
    return np.sin(2 * Z[:, 0]) + 0.5 * Z[:, 1] * Z[:, 2]


def lognormal(rng: Generator, n: int) -> Rows:
    X = np.exp(2 * rng.standard_normal((n, 3)))
    return X, np.log(X[:, 0]) + 0.3 * rng.standard_normal(n)


def cauchy(rng: Generator, n: int) -> Rows:
    X = rng.standard_cauchy((n, 4))
    return X, np.arctan(X[:, 0]) + np.tanh(X[:, 1]) + 0.1 * rng.standard_normal(n)


def clean(rng: Generator, n: int) -> Rows:
    X = rng.standard_normal((n, 5))
    return X, smooth(X) + 0.1 * rng.standard_normal(n)


def outliers(rng: Generator, y: np.ndarray) -> np.ndarray:
    """Two rows of a hundred are off by fifty spreads."""
    return np.where(rng.random(len(y)) < 0.02, y + 50 * rng.standard_normal(len(y)), y)


def heavy_noise(rng: Generator, n: int) -> Rows:
    X = rng.standard_normal((n, 5))
    return X, smooth(X) + 0.3 * rng.standard_t(2, n)


def one_of_fifty(rng: Generator, n: int) -> Rows:
    X = rng.standard_normal((n, 50))
    return X, np.sin(2 * X[:, 17]) + 0.1 * rng.standard_normal(n)


def units(rng: Generator, n: int) -> Rows:
    Z = rng.standard_normal((n, 6))
    return Z * np.array([1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9]), 1e5 * (smooth(Z[:, ::2]) + 0.1 * rng.standard_normal(n))


def duplicates(rng: Generator, n: int) -> Rows:
    pool = rng.standard_normal((200, 3))
    X = pool[rng.integers(200, size=n)]
    return X, smooth(X) + 0.3 * rng.standard_normal(n)


def near_constant(rng: Generator, n: int) -> Rows:
    Z = rng.standard_normal((n, 3))
    flags = (rng.random((n, 2)) < 0.002).astype(float)
    return np.c_[Z, 1 + 1e-9 * rng.standard_normal((n, 3)), np.ones(n), flags], smooth(Z) + 0.1 * rng.standard_normal(n)


def timestamps(rng: Generator, n: int) -> Rows:
    """Seconds since 1970 over ten days, with a daily cycle, beside a temperature."""
    second, warmth = rng.uniform(0, 10 * 86_400, n), rng.normal(15, 8, n)
    y = np.sin(2 * np.pi * second / 86_400) + 0.05 * warmth + 0.2 * rng.standard_normal(n)
    return np.c_[1.7e9 + second, warmth], y


def integers(rng: Generator, n: int) -> Rows:
    X = np.c_[rng.poisson(3, (n, 3)), rng.integers(0, 100_000, (n, 2))]
    return X, rng.poisson(np.exp(0.3 * X[:, 0] - 0.2 * X[:, 1] + X[:, 3] / 100_000)).astype(float)


def ties(rng: Generator, n: int) -> Rows:
    X = np.round(rng.standard_normal((n, 3)))
    return X, np.round(smooth(X) + 0.3 * rng.standard_normal(n))


def noise_free(rng: Generator, n: int) -> Rows:
    X = rng.uniform(-2, 2, (n, 4))
    return X, smooth(X)


def pure_noise(rng: Generator, n: int) -> Rows:
    return rng.standard_normal((n, 8)), rng.standard_normal(n)


def collinear(rng: Generator, n: int) -> Rows:
    Z = rng.standard_normal((n, 3))
    return Z @ rng.standard_normal((3, 12)) + 1e-6 * rng.standard_normal((n, 12)), smooth(Z)


def jumps(rng: Generator, n: int) -> Rows:
    X = rng.uniform(0, 1, (n, 6))
    return X, np.floor(4 * X[:, 0]) + 2 * (X[:, 1] > 0.7) + 0.1 * rng.standard_normal(n)


def friedman(rng: Generator, n: int) -> Rows:
    """Friedman's first function of five of twenty columns."""
    X = rng.uniform(0, 1, (n, 20))
    signal = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, signal + rng.standard_normal(n)


def three_classes(draw: Callable[[Generator, int], Rows]) -> Callable[[Generator, int], Rows]:
    """Thirds of the target of a regression, as classes."""

    def rows(rng: Generator, n: int) -> Rows:
        X, y = draw(rng, n)
        return X, np.searchsorted(np.quantile(y, [1 / 3, 2 / 3]), y)

    return rows


def rare_class(rng: Generator, n: int) -> Rows:
    X = rng.standard_normal((n, 6))
    return X, (smooth(X) + 0.3 * rng.standard_normal(n) > 2).astype(int)


SYNTHETIC = (
    SyntheticTable("lognormal", "regression", lognormal, n_train=1000),
    SyntheticTable("cauchy", "regression", cauchy),
    SyntheticTable("outliers", "regression", clean, spoil=outliers),
    SyntheticTable("heavy_noise", "regression", heavy_noise),
    SyntheticTable("one_of_fifty", "regression", one_of_fifty),
    SyntheticTable("units", "regression", units),
    SyntheticTable("duplicates", "regression", duplicates),
    SyntheticTable("near_constant", "regression", near_constant),
    SyntheticTable("timestamps", "regression", timestamps),
    SyntheticTable("integers", "regression", integers),
    SyntheticTable("ties", "regression", ties),
    SyntheticTable("noise_free", "regression", noise_free),
    SyntheticTable("pure_noise", "regression", pure_noise),
    SyntheticTable("collinear", "regression", collinear),
    SyntheticTable("jumps", "regression", jumps),
    SyntheticTable("fifty_rows", "regression", clean, n_train=50),
    SyntheticTable("friedman", "regression", friedman, n_train=8000),
    SyntheticTable("classes_lognormal", "classification", three_classes(lognormal)),
    SyntheticTable("classes_units", "classification", three_classes(units)),
    SyntheticTable("classes_one_of_fifty", "classification", three_classes(one_of_fifty)),
    SyntheticTable("classes_rare", "classification", rare_class),
)
TABLES: dict[str, FileTable | SyntheticTable] = {
    table.name: table
    for table in (
        *(FileTable(name, "regression") for name in REGRESSION),
        *(FileTable(name, "classification") for name in CLASSIFICATION),
        *SYNTHETIC,
    )
}

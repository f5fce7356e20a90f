"""Contestants of the maps benchmark: every feature map of the catalogue, with the settings that it may choose from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from default_tables import DATA, FileTable, Split

import bochner as bo

BITS = 32
"""Features of one bit for the bytes of one number in float32."""

REGRESSION = ("kin40k", "protein", "california_housing", "elevators")
CLASSIFICATION = ("letter", "spambase", "mnist")
IMAGES = ("mnist",)


@dataclass(frozen=True)
class Rows:
    """Training and test rows of a split, in the form that a map wants, with targets as columns of numbers."""

    X: np.ndarray
    X_test: np.ndarray
    Y: np.ndarray
    y_test: np.ndarray
    classes: bool


def load(name: str, fold: int, n_train: int, n_test: int) -> Split:
    """A split of a table, or of the images, whose pixels are columns."""
    if name not in IMAGES:
        return FileTable(name, "classification" if name in CLASSIFICATION else "regression").split(
            fold, n_train, n_test
        )
    with np.load(DATA / f"{name}.npz") as file:
        X, y, X_test, y_test = (file[key] for key in ("x_train", "y_train", "x_test", "y_test"))
    rng = np.random.default_rng(fold)
    train, test = rng.permutation(len(X))[:n_train], rng.permutation(len(X_test))[:n_test]
    flat = [rows.reshape(len(rows), -1).astype(float) for rows in (X[train], X_test[test])]
    return Split(flat[0], y[train].astype(int), flat[1], y_test[test].astype(int))


def prepared(split: Split, form: str, classes: bool) -> Rows:
    """Standardised columns in units of sqrt(d), the same with a constant column, or columns in [0, 1] (histograms)."""
    if form == "histogram":
        low, reach = split.X.min(axis=0), np.ptp(split.X, axis=0)
        reach[reach == 0] = 1
        X, X_test = (np.clip((rows - low) / reach, 0, 1) for rows in (split.X, split.X_test))
    else:
        mean, spread = split.X.mean(axis=0), split.X.std(axis=0)
        spread[spread == 0] = 1
        X, X_test = ((rows - mean) / spread / np.sqrt(split.X.shape[1]) for rows in (split.X, split.X_test))
        X, X_test = np.clip(X, -5, 5), np.clip(X_test, -5, 5)  # columns that are nearly constant have huge scores
    if form == "constant":
        X, X_test = (np.hstack([rows, np.ones((len(rows), 1))]) for rows in (X, X_test))
    Y = 2.0 * np.eye(split.y.max() + 1)[split.y] - 1 if classes else split.y[:, None]
    return Rows(X.astype(np.float32), X_test.astype(np.float32), Y, split.y_test, classes)


@dataclass(frozen=True)
class Contestant:
    """A map: the form of its rows, its settings, and how it is made at a width.

    `make(setting, width, d, seed)`; None where the map has no such width. `settled_by` names the contestant whose
    settings it shares, so that both approximate one kernel.
    """

    name: str
    make: Callable[[Any, int, int, int], Any]
    settings: Sequence[Any]
    form: str = "standard"
    bits: bool = False
    settled_by: str | None = None


def fourier(sampling: str) -> Callable[[Any, int, int, int], Any]:
    return lambda scale, width, d, seed: bo.FourierFeatures(
        bo.Gaussian(scale), n_components=width, sampling=sampling, random_state=seed
    )


def of_kernel(cls: type) -> Callable[[Any, int, int, int], Any]:
    return lambda kernel, width, d, seed: cls(kernel, n_components=width, random_state=seed)


def semigroup(setting: tuple[str, float], width: int, d: int, seed: int) -> Any:
    name, scale = setting
    kernel = bo.ReciprocalSemigroup(scale * d) if name == "reciprocal" else bo.ExponentialSemigroup(scale / d)
    return bo.LaplaceFeatures(kernel, n_components=width, random_state=seed)


def additive(kernel: Any, width: int, d: int, seed: int) -> Any:
    """As many frequencies a column as the width has room for; none if it has not d columns."""
    m = (width // d + 1) // 2
    return bo.AdditiveFeatures(kernel, n_frequencies=m, random_state=seed) if m else None


SCALES = (0.5, 1.0, 2.0)
POLYNOMIALS = tuple(bo.Polynomial(degree, gamma=1.0) for degree in (2, 3))
EXPONENTIALS = tuple(bo.Exponential(scale) for scale in (0.7, 1.0, 2.0))
SEMIGROUPS = (*(("reciprocal", s) for s in (0.05, 0.3, 1.0)), *(("exponential", s) for s in (1.0, 3.0, 10.0)))

CONTESTANTS = (
    Contestant("Fourier, Monte Carlo", fourier("monte_carlo"), SCALES),
    Contestant("Fourier, orthogonal", fourier("orthogonal"), SCALES, settled_by="Fourier, Monte Carlo"),
    Contestant("Fourier, QMC", fourier("qmc"), SCALES, settled_by="Fourier, Monte Carlo"),
    Contestant("Fourier, SORF", fourier("sorf"), SCALES, settled_by="Fourier, Monte Carlo"),
    Contestant("Fourier, Fastfood", fourier("fastfood"), SCALES, settled_by="Fourier, Monte Carlo"),
    Contestant(
        "landmarks", lambda scale, width, d, seed: bo.NystroemFeatures(
            bo.Gaussian(scale), n_components=width, landmarks="uniform", random_state=seed),
        SCALES, settled_by="Fourier, Monte Carlo",
    ),
    Contestant("TensorSketch", of_kernel(bo.TensorSketchFeatures), POLYNOMIALS),
    Contestant("Maclaurin, polynomial", of_kernel(bo.MaclaurinFeatures), POLYNOMIALS, settled_by="TensorSketch"),
    Contestant("Maclaurin, exponential", of_kernel(bo.MaclaurinFeatures), EXPONENTIALS),
    Contestant("positive", of_kernel(bo.PositiveFeatures), EXPONENTIALS, settled_by="Maclaurin, exponential"),
    Contestant("arc-cosine", of_kernel(bo.ArcCosineFeatures), tuple(map(bo.ArcCosine, (0, 1, 2))), form="constant"),
    Contestant("signs", of_kernel(bo.SignFeatures), (bo.Angular(),), form="constant", bits=True),
    Contestant("binary codes", of_kernel(bo.SignFeatures), tuple(map(bo.Gaussian, SCALES)), bits=True),
    Contestant("linear sketch", of_kernel(bo.SketchFeatures), (bo.Linear(),), form="constant"),
    Contestant("additive", additive, (bo.AdditiveChi2(), bo.Intersection(), bo.JensenShannon()), form="histogram"),
    Contestant("Laplace", semigroup, SEMIGROUPS, form="histogram"),
)  # fmt: skip

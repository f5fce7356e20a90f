"""Public calls whose memory is measured: each is made ready outside the measurement, then called under a budget.

Every name of `bochner` that takes rows has a call here or a reason in `EXCUSED` (tests/scale/test_budgets.py).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import bochner as bo

__all__ = ["CALLS", "EXCUSED", "FULL", "QUICK", "TINY", "Call", "Size"]


@dataclass(frozen=True)
class Size:
    """Budget, and factors of the numbers of rows and of features."""

    memory: int
    rows: float
    widths: float

    def n(self, rows: int) -> int:
        return max(120, int(self.rows * rows))

    def D(self, width: int) -> int:
        return max(16, 2 * int(self.widths * width / 2))


FULL = Size(200_000_000, 0.5, 0.8)
QUICK = Size(100_000_000, 0.25, 0.6)
TINY = Size(4_000_000_000, 0.001, 0.01)
"""Loads libraries, compiles loops and starts threads before anything is measured."""

Ready = Callable[[], Any]


@dataclass(frozen=True)
class Call:
    """One public call: `prepare(size)` returns what is measured.

    `covers` are the names of `bochner` that it speaks for; `slow` ones take more than a second or two.
    """

    name: str
    covers: tuple[str, ...]
    prepare: Callable[[Size], Ready]
    slow: bool = False


CALLS: dict[str, Call] = {}


def call(name: str, *covers: str, slow: bool = False) -> Callable[[Callable[[Size], Ready]], Callable[[Size], Ready]]:
    """Enter a function in the list of calls."""

    def enter(prepare: Callable[[Size], Ready]) -> Callable[[Size], Ready]:
        CALLS[name] = Call(name, covers, prepare, slow)
        return prepare

    return enter


def rows(n: int, d: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d))


def target(X: np.ndarray, t: int = 0) -> np.ndarray:
    noise = 0.1 * np.random.default_rng(1).standard_normal((len(X), max(1, t)))
    y = np.sin(X[:, :1] + np.arange(max(1, t))) + noise
    return y if t else y[:, 0]


def labels(X: np.ndarray, classes: int = 2) -> np.ndarray:
    return np.floor(classes * (0.5 + np.arctan(X[:, 0] + 0.3 * X[:, 1]) / np.pi)).astype(int)


def regressor(**parameters: Any) -> Any:
    return bo.KernelRegressor(**{"random_state": 0, **parameters})


def classifier(**parameters: Any) -> Any:
    return bo.KernelClassifier(**{"random_state": 0, **parameters})


# Regressors: fits.


@call("KernelRegressor.fit", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(20_000))
    y = target(X)
    return lambda: regressor().fit(X, y)


@call("KernelRegressor(features='fourier').fit", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y = target(X)
    return lambda: regressor(features="fourier").fit(X, y)


@call("KernelRegressor(n_components=D, alpha='evidence').fit", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(80_000))
    y, D = target(X), size.D(2500)
    return lambda: regressor(n_components=D, length_scale=3.0, alpha="evidence").fit(X, y)


@call("KernelRegressor(n_components=D).fit", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = target(X), size.D(2048)
    return lambda: regressor(n_components=D, length_scale=3.0).fit(X, y)


@call("KernelRegressor(solver='iterative').fit", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(20_000))
    y, D = target(X), size.D(8192)
    return lambda: regressor(n_components=D, length_scale=3.0, solver="iterative", alpha=1.0, tol=1e-3).fit(X, y)


@call("KernelRegressor(features='nystroem').fit", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = target(X), size.D(2000)
    return lambda: regressor(features="nystroem", n_components=D, length_scale=3.0).fit(X, y)


@call("KernelRegressor(sampling='orthogonal').fit", "KernelRegressor", "Orthogonal")
def _(size: Size) -> Ready:
    X = rows(size.n(2_000), 64)
    y, D = target(X), size.D(20_000)
    return lambda: regressor(
        sampling="orthogonal", n_components=D, length_scale=8.0, solver="iterative", alpha=1.0, max_iter=3
    ).fit(X, y)


@call("KernelRegressor(length_scale='ard').fit", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000), 20)
    y, D = target(X), size.D(1024)
    return lambda: regressor(length_scale="ard", n_components=D).fit(X, y)


@call("KernelRegressor(alpha='loo').fit, 50 targets", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = target(X, 50), size.D(1024)
    return lambda: regressor(alpha="loo", n_components=D, length_scale=3.0).fit(X, y)


@call("KernelRegressor(alpha='gcv').fit, 50 targets", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = target(X, 50), size.D(2048)
    return lambda: regressor(alpha="gcv", n_components=D, length_scale=3.0).fit(X, y)


@call("KernelRegressor(interval='conformal').fit", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000), 40)
    y, D = target(X, 5), size.D(1024)
    return lambda: regressor(interval="conformal", n_components=D, length_scale=3.0, alpha=1.0).fit(X, y)


@call("KernelRegressor.partial_fit", "KernelRegressor")
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = target(X, 20), size.D(2048)
    model = regressor(n_components=D, length_scale=3.0, alpha=1.0).partial_fit(X[:500], y[:500])
    return lambda: model.partial_fit(X, y).predict(X[:5])


@call("KernelRegressor.fit of a scan", "KernelRegressor", "scan_blocks", slow=True)
def _(size: Size) -> Ready:
    n, D = size.n(200_000), size.D(2048)

    def blocks() -> Any:
        for start in range(0, n, 1000):
            X = rows(min(1000, n - start), seed=start)
            yield X, target(X)

    return lambda: regressor(n_components=D, length_scale=3.0).fit(bo.scan_blocks(blocks, n_rows=n))


@call("KernelRegressor.fit of a memory map", "KernelRegressor", "scan_npy", slow=True)
def _(size: Size) -> Ready:
    n, D, folder = size.n(400_000), size.D(2048), _folder()
    np.save(folder / "X.npy", rows(n))
    np.save(folder / "y.npy", np.sin(np.arange(n)))
    return lambda: regressor(n_components=D, length_scale=3.0, alpha=1.0).fit(
        bo.scan_npy(folder / "X.npy", target=folder / "y.npy")
    )


# Regressors of other losses.


@call("KernelQuantileRegressor.fit", "KernelQuantileRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(20_000))
    y, D = target(X), size.D(512)
    return lambda: bo.KernelQuantileRegressor(n_components=D, length_scale=3.0, alpha=1.0, random_state=0).fit(X, y)


@call(
    "Regressors of other losses, .fit",
    "KernelHuberRegressor",
    "KernelPoissonRegressor",
    "KernelTweedieRegressor",
    slow=True,
)
def _(size: Size) -> Ready:
    X = rows(size.n(20_000))
    y, D = np.exp(target(X)), size.D(512)
    kinds = bo.KernelHuberRegressor, bo.KernelPoissonRegressor, bo.KernelTweedieRegressor
    return lambda: [kind(n_components=D, length_scale=3.0, alpha=1.0, random_state=0).fit(X, y) for kind in kinds]


# Regressors: answers.


@cache
def _fitted(n: int, D: int, t: int, d: int = 8) -> Any:
    X = rows(n, d)
    return regressor(n_components=D, length_scale=3.0, alpha=1.0).fit(X, target(X, t))


@call("KernelRegressor.predict, 50 targets", "KernelRegressor")
def _(size: Size) -> Ready:
    model, X = _fitted(500, size.D(2048), 50), rows(size.n(300_000))
    return lambda: model.predict(X)


@call("KernelRegressor.predict(return_std=True), 50 targets", "KernelRegressor")
def _(size: Size) -> Ready:
    model, X = _fitted(500, size.D(512), 50), rows(size.n(200_000))
    return lambda: model.predict(X, return_std=True)


@call("KernelRegressor.predict(return_interval=0.9), 50 targets", "KernelRegressor")
def _(size: Size) -> Ready:
    model, X = _fitted(500, size.D(512), 50), rows(size.n(120_000))
    return lambda: model.predict(X, return_interval=0.9)


@call("KernelRegressor.predict(return_std=True) of landmarks", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(100_000))
    model = regressor(features="nystroem", n_components=size.D(2000), length_scale=3.0).fit(X[:4000], target(X[:4000]))
    return lambda: model.predict(X, return_std=True)


@call("KernelRegressor.certify(X)", "KernelRegressor")
def _(size: Size) -> Ready:
    X = rows(size.n(100_000))
    model = regressor(n_components=size.D(1024), length_scale=3.0, alpha=1.0).fit(X, target(X))
    return lambda: model.certify(X)


@call("KernelRegressor.certify(X, y), 4,000 rows", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(4_000))
    y = target(X)
    model = regressor(n_components=size.D(1024), length_scale=3.0, alpha=1.0).fit(X, y)
    return lambda: model.certify(X, y=y)


@call("KernelRegressor.certify(X), 4,000 rows", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(4_000))
    y = target(X)
    model = regressor(n_components=size.D(1024), length_scale=3.0, alpha=1.0).fit(X, y)
    return lambda: model.certify(X)


@call("KernelRegressor.certify(X, y, X_new)", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X, new = rows(size.n(4_000)), rows(size.n(100_000), seed=1)
    y = target(X)
    model = regressor(n_components=size.D(1024), length_scale=3.0, alpha=1.0).fit(X, y)
    return lambda: model.certify(X, y=y, X_new=new)


@call("KernelRegressor.certify(X, y, X_new), 20 targets", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X, new = rows(size.n(6_000)), rows(size.n(100_000), seed=1)
    y = target(X, 20)
    model = regressor(n_components=size.D(1024), length_scale=3.0, alpha=1.0).fit(X, y)
    return lambda: model.certify(X, y=y, X_new=new, max_products=3)


@call("KernelRegressor.certify(X, y) of landmarks", "KernelRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(8_000))
    y = target(X)
    model = regressor(features="nystroem", n_components=size.D(1000), length_scale=3.0).fit(X, y)
    return lambda: model.certify(X, y=y, max_products=5)


# Classifiers.


@call("KernelClassifier.fit", "KernelClassifier", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(20_000))
    y = labels(X, 4)
    return lambda: classifier().fit(X, y)


@call("KernelClassifier(loss='squared_error').fit, 40 classes", "KernelClassifier", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = labels(X, 40), size.D(2048)
    return lambda: classifier(loss="squared_error", features="fourier", n_components=D, length_scale=3.0).fit(X, y)


@call("KernelClassifier(loss='logistic').fit", "KernelClassifier", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = labels(X, 4), size.D(512)
    return lambda: classifier(
        loss="logistic", n_components=D, length_scale=3.0, alphas=[0.1, 10.0], cv=2, tol=1e-2
    ).fit(X, y)


@call("KernelClassifier(loss='logistic').fit, 50 classes", "KernelClassifier")
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = labels(X, 50), size.D(256)
    return lambda: classifier(loss="logistic", n_components=D, length_scale=3.0, alpha=10.0, max_iter=5).fit(X, y)


@call("KernelClassifier(loss='hinge').fit", "KernelClassifier", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = labels(X, 4), size.D(1024)
    return lambda: classifier(loss="hinge", n_components=D, length_scale=3.0, alpha=10.0, tol=1e-1, max_iter=10).fit(
        X, y
    )


@call("KernelClassifier.partial_fit", "KernelClassifier")
def _(size: Size) -> Ready:
    X = rows(size.n(50_000))
    y, D = labels(X, 4), size.D(2048)
    model = classifier(loss="logistic", n_components=D, length_scale=3.0, alpha=10.0, max_iter=5)
    model.partial_fit(X[:500], y[:500], classes=np.arange(4))
    return lambda: model.partial_fit(X, y)


@cache
def _classifier(n: int, D: int, classes: int, loss: str = "logistic") -> Any:
    X = rows(n)
    return classifier(loss=loss, n_components=D, length_scale=3.0, alpha=1.0).fit(X, labels(X, classes))


@call("KernelClassifier.predict_proba, 50 classes", "KernelClassifier")
def _(size: Size) -> Ready:
    model, X = _classifier(1000, size.D(512), 50), rows(size.n(200_000))
    return lambda: model.predict_proba(X)


@call("KernelClassifier.predict, 50 classes", "KernelClassifier")
def _(size: Size) -> Ready:
    model, X = _classifier(1000, size.D(512), 50), rows(size.n(400_000))
    return lambda: model.predict(X)


@call("KernelClassifier.certify(X, y, X_new)", "KernelClassifier", slow=True)
def _(size: Size) -> Ready:
    X, new = rows(size.n(4_000)), rows(size.n(100_000), seed=1)
    y = labels(X, 3)
    model = classifier(loss="logistic", n_components=size.D(1024), length_scale=3.0, alpha=1.0).fit(X, y)
    return lambda: model.certify(X, y=y, X_new=new)


@call("KernelClassifier(loss='hinge').certify(X, y)", "KernelClassifier", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(6_000))
    y = labels(X, 2)
    model = classifier(loss="hinge", n_components=size.D(1024), length_scale=3.0, alpha=10.0).fit(X, y)
    return lambda: model.certify(X, y=y)


# Transformers.


@call("FourierFeatures.fit, 20,000 features of 400 columns", "FourierFeatures", "MonteCarlo")
def _(size: Size) -> Ready:
    X, D = rows(size.n(1000), 400), size.D(20_000)
    return lambda: bo.FourierFeatures(bo.Gaussian(5.0), n_components=D, random_state=0).fit(X)


@call("FourierFeatures(sampling='orthogonal').fit", "FourierFeatures", "Orthogonal", slow=True)
def _(size: Size) -> Ready:
    X, D = rows(size.n(1000), 400), size.D(20_000)
    return lambda: bo.FourierFeatures(bo.Gaussian(5.0), n_components=D, sampling="orthogonal", random_state=0).fit(X)


@call("FourierFeatures(bo.Matern(), sampling='qmc').fit", "FourierFeatures", "QuasiMonteCarlo")
def _(size: Size) -> Ready:
    X, D = rows(size.n(1000), 400), size.D(20_000)
    return lambda: bo.FourierFeatures(bo.Matern(5.0), n_components=D, sampling="qmc", random_state=0).fit(X)


@call("FourierFeatures(sampling='leverage').fit", "FourierFeatures", "Leverage")
def _(size: Size) -> Ready:
    X, D = rows(size.n(20_000)), size.D(1000)
    return lambda: bo.FourierFeatures(bo.Gaussian(3.0), n_components=D, sampling="leverage", random_state=0).fit(X)


@call("FourierFeatures(sampling='quadrature').fit", "FourierFeatures", "Quadrature")
def _(size: Size) -> Ready:
    X, D = np.random.default_rng(0).uniform(size=(size.n(200_000), 2)), size.D(20_000)
    return lambda: bo.FourierFeatures(bo.Gaussian(0.3), n_components=D, sampling="quadrature").fit(X)


@call("FourierFeatures.transform", "FourierFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(100_000)), 128
    maps = bo.FourierFeatures(bo.Gaussian(3.0), n_components=D, random_state=0).fit(X)
    return lambda: maps.transform(X)


@call("FourierFeatures.certify", "FourierFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(100_000)), size.D(2048)
    maps = bo.FourierFeatures(bo.Gaussian(3.0), n_components=D, random_state=0).fit(X)
    return lambda: maps.certify(X)


@call("FourierFeatures.certify, 4,000 rows", "FourierFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(4_000)), size.D(2048)
    maps = bo.FourierFeatures(bo.Gaussian(3.0), n_components=D, random_state=0).fit(X)
    return lambda: maps.certify(X)


@call("FourierFeatures.certify, 2 columns", "FourierFeatures", slow=True)
def _(size: Size) -> Ready:
    X, D = rows(size.n(100_000), 2), size.D(2048)
    maps = bo.FourierFeatures(bo.Gaussian(1.0), n_components=D, random_state=0).fit(X)
    return lambda: maps.certify(X)


@call("NystroemFeatures.fit", "NystroemFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(100_000)), size.D(2500)
    return lambda: bo.NystroemFeatures(bo.Gaussian(3.0), n_components=D, random_state=0).fit(X)


@call("NystroemFeatures(landmarks='pivoted').fit", "NystroemFeatures", slow=True)
def _(size: Size) -> Ready:
    X, D = rows(size.n(100_000)), size.D(1000)
    return lambda: bo.NystroemFeatures(bo.Gaussian(3.0), n_components=D, landmarks="pivoted", random_state=0).fit(X)


@call("NystroemFeatures(landmarks='leverage').fit", "NystroemFeatures", slow=True)
def _(size: Size) -> Ready:
    X, D = rows(size.n(100_000)), size.D(1500)
    return lambda: bo.NystroemFeatures(bo.Gaussian(3.0), n_components=D, landmarks="leverage", random_state=0).fit(X)


@call("NystroemFeatures.transform", "NystroemFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(200_000)), 128
    maps = bo.NystroemFeatures(bo.Gaussian(3.0), n_components=D, random_state=0).fit(X[:1000])
    return lambda: maps.transform(X[: len(X) // 2])


@call("NystroemFeatures.certify", "NystroemFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(100_000)), size.D(1000)
    maps = bo.NystroemFeatures(bo.Gaussian(3.0), n_components=D, random_state=0).fit(X)
    return lambda: maps.certify(X)


@call("NystroemFeatures.certify, 4,000 rows", "NystroemFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(4_000)), size.D(1000)
    maps = bo.NystroemFeatures(bo.Gaussian(3.0), n_components=D, random_state=0).fit(X)
    return lambda: maps.certify(X)


@call("OrbitFeatures.fit, .transform", "OrbitFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(60_000), 16), 128
    base = bo.FourierFeatures(bo.Gaussian(4.0), n_components=D, random_state=0)
    return lambda: bo.OrbitFeatures(bo.groups.CyclicShifts(), base, random_state=0).fit(X).transform(X)


@call("OrbitFeatures.certify", "OrbitFeatures", slow=True)
def _(size: Size) -> Ready:
    X, D = rows(size.n(60_000), 16), size.D(512)
    base = bo.FourierFeatures(bo.Gaussian(4.0), n_components=D, random_state=0)
    maps = bo.OrbitFeatures(bo.groups.CyclicShifts(), base, random_state=0).fit(X)
    return lambda: maps.certify(X)


@call("PatchFeatures.fit, .transform", "PatchFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(20_000), 64), 64
    base = bo.NystroemFeatures(bo.Gaussian(0.5), n_components=D, landmarks="kmeans")
    return lambda: bo.PatchFeatures((8, 8), 3, base, pool=3, random_state=0).fit(X).transform(X)


@call("SplineFeatures.fit, .transform", "SplineFeatures")
def _(size: Size) -> Ready:
    X, D = np.abs(rows(size.n(60_000), 3)) % 1, size.D(256)
    return lambda: bo.SplineFeatures(n_components=D, random_state=0).fit(X).transform(X)


for _name in (
    "AdditiveFeatures", "ArcCosineFeatures", "LaplaceFeatures", "MaclaurinFeatures", "PositiveFeatures", "SignFeatures",
    "SketchFeatures", "TensorSketchFeatures",
):  # fmt: skip

    @call(f"{_name}.fit, .transform", _name, slow=True)
    def _(size: Size, name: str = _name) -> Ready:
        width = {"n_frequencies": 8} if name == "AdditiveFeatures" else {"n_components": size.D(256)}
        X = np.abs(rows(size.n(60_000), 8))
        return lambda: getattr(bo, name)(random_state=0, **width).fit(X).transform(X)


@call("FourierFeatures(sampling='sorf').fit, .transform", "SORF", "Fastfood", slow=True)
def _(size: Size) -> Ready:
    X, D = rows(size.n(20_000), 100), size.D(512)
    return lambda: bo.FourierFeatures(bo.Gaussian(10.0), sampling="sorf", n_components=D).fit(X).transform(X)


@call(
    "AdditiveChi2()(X, Y)", "AdditiveChi2", "Angular", "ArcCosine", "BinaryCode", "Exponential", "ExponentialSemigroup",
    "Hellinger", "Intersection", "JensenShannon", "Linear", "Polynomial", "ReciprocalSemigroup", slow=True,
)  # fmt: skip
def _(size: Size) -> Ready:
    X = np.abs(rows(size.n(4_000), 8))
    kernels = (bo.AdditiveChi2(), bo.ArcCosine(), bo.Angular(), bo.Polynomial(2), bo.ReciprocalSemigroup())
    return lambda: [kernel(X, X[: size.n(1_000)]).shape for kernel in kernels]


@call("KernelRegressor(features='exact').fit, .predict", "KernelValues", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(3_000))
    model = bo.KernelRegressor(bo.Gaussian(3.0), features="exact", random_state=0)
    return lambda: model.fit(X, X[:, 0]).predict(X[:500], return_std=True)


@call("KernelRegressor(features='grid').fit, .predict", "GridFeatures")
def _(size: Size) -> Ready:
    X = np.random.default_rng(0).uniform(size=(size.n(200_000), 2))
    model = bo.KernelRegressor(bo.Matern(0.3), features="grid", n_components=4000, alpha=0.1, random_state=0)
    return lambda: model.fit(X, X[:, 0]).predict(X[:500], return_std=True)


@call("SphereColumns.fit, .transform", "SphereColumns", "PeriodicColumns")
def _(size: Size) -> Ready:
    X = np.random.default_rng(0).uniform(-80, 80, (size.n(200_000), 2))
    return lambda: (bo.SphereColumns().fit_transform(X), bo.PeriodicColumns([24.0, None]).fit_transform(X))


@call("WarpedFeatures.fit, .transform", "WarpedFeatures")
def _(size: Size) -> Ready:
    X, D = rows(size.n(60_000)), size.D(256)
    base = bo.FourierFeatures(bo.Gaussian(3.0), n_components=D, random_state=0)
    return lambda: bo.WarpedFeatures(base).fit(X).transform(X)


@call("KernelQuantileRegressor(n_components=D).fit", "KernelQuantileRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(20_000))
    y, D = target(X), size.D(512)
    model = bo.KernelQuantileRegressor(
        quantile=[0.1, 0.9], n_components=D, length_scale=3.0, alpha=20.0, random_state=0
    )
    return lambda: model.fit(X, y)


@call("KernelHuberRegressor(n_components=D).fit", "KernelHuberRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(20_000))
    y, D = target(X), size.D(512)
    model = bo.KernelHuberRegressor(n_components=D, length_scale=3.0, alpha=20.0, random_state=0)
    return lambda: model.fit(X, y)


@call("KernelPoissonRegressor(n_components=D).fit", "KernelPoissonRegressor", "KernelTweedieRegressor", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(20_000))
    y, D = np.exp(target(X)), size.D(512)
    model = bo.KernelPoissonRegressor(n_components=D, length_scale=3.0, alpha=20.0, random_state=0)
    return lambda: model.fit(X, y)


@call("KernelPCA.fit", "KernelPCA", slow=True)
def _(size: Size) -> Ready:
    X, D = rows(size.n(50_000)), size.D(2048)
    return lambda: bo.KernelPCA(bo.Gaussian(3.0), n_components=12, width=D, random_state=0).fit(X)


@call("KernelPCA.transform, .inverse_transform", "KernelPCA", slow=True)
def _(size: Size) -> Ready:
    X, D = rows(size.n(100_000)), size.D(1024)
    made = bo.KernelPCA(bo.Gaussian(3.0), n_components=12, width=D, fit_inverse_transform=True, random_state=0).fit(
        X[:1000]
    )
    return lambda: made.inverse_transform(made.transform(X))


@call("TableEncoder.fit, .transform", "TableEncoder")
def _(size: Size) -> Ready:
    import pandas as pd

    n = size.n(200_000)
    frame = pd.DataFrame(rows(n, 4), columns=list("abcd"))
    frame["town"] = np.random.default_rng(0).choice([f"town {i}" for i in range(50)], n)
    return lambda: bo.TableEncoder(dtype="float32").fit(frame).transform(frame)


# Comparisons.


@call("mmd_test", "mmd_test")
def _(size: Size) -> Ready:
    X, Y = rows(size.n(100_000)), rows(size.n(100_000), seed=1)
    return lambda: bo.mmd_test(X, Y, rng=0)


@call("mmd_test(n_components=D)", "mmd_test")
def _(size: Size) -> Ready:
    X, Y, D = rows(size.n(50_000)), rows(size.n(50_000), seed=1), size.D(8192)
    return lambda: bo.mmd_test(X, Y, n_components=D, kernel=bo.Gaussian(3.0), rng=0)


@call("mmd, mean_map", "mmd", "mean_map")
def _(size: Size) -> Ready:
    X, Y, D = rows(size.n(100_000)), rows(size.n(100_000), seed=1), size.D(2048)
    return lambda: (
        bo.mmd(X, Y, n_components=D, rng=0),
        bo.mean_map(X, n_components=D, rng=0),
    )


@call("hsic_test", "hsic_test", slow=True)
def _(size: Size) -> Ready:
    X, Y = rows(size.n(50_000), 4), rows(size.n(50_000), 4, seed=1)
    return lambda: bo.hsic_test(X, Y, n_resamples=99, rng=0)


@call("ci_test", "ci_test", slow=True)
def _(size: Size) -> Ready:
    X, Y, Z = (rows(max(400, size.n(50_000)), d, seed=d) for d in (1, 2, 4))  # it takes no fewer than 200
    return lambda: bo.ci_test(X, Y, given=Z, null_law="wild", n_resamples=99, rng=0)


@call("KernelNovelty.fit, .predict", "KernelNovelty", slow=True)
def _(size: Size) -> Ready:
    X, D = rows(size.n(50_000)), size.D(1200)
    return lambda: bo.KernelNovelty(n_components=D, length_scale=3.0, random_state=0).fit(X).predict(X)


@call("DriftDetector.fit, .predict", "DriftDetector", slow=True)
def _(size: Size) -> Ready:
    X, Y = rows(size.n(100_000)), rows(size.n(20_000), seed=1)
    return lambda: bo.DriftDetector(n_components=1024, random_state=0).fit(X).predict(Y)


@call("DistributionRegressor.fit, .predict", "DistributionRegressor", slow=True)
def _(size: Size) -> Ready:
    bags, D = [rows(100, 4, seed=i) for i in range(size.n(2_000))], size.D(2048)
    y = np.array([bag[:, 0].mean() for bag in bags])
    return lambda: bo.DistributionRegressor(n_components=D, random_state=0).fit(bags, y).predict(bags)


@call("DistributionClassifier.fit, .predict", "DistributionClassifier", slow=True)
def _(size: Size) -> Ready:
    bags, D = [rows(100, 4, seed=i) for i in range(size.n(2_000))], size.D(2048)
    y = np.array([bag[:, 0].mean() > 0 for bag in bags]).astype(int)
    return lambda: bo.DistributionClassifier(n_components=D, random_state=0).fit(bags, y).predict(bags)


# Kernels, plans, files, pages.


@call(
    "Gaussian()(X, Y)", "Gaussian", "Cauchy", "Laplacian", "Matern", "PowerExponential", "RationalQuadratic", "Spline"
)
def _(size: Size) -> Ready:
    X = rows(size.n(5_000))
    return lambda: bo.Gaussian(3.0)(X)


@call("Laplacian()(X, Y)", "Laplacian", "Cauchy")
def _(size: Size) -> Ready:
    X = rows(size.n(5_000))
    return lambda: bo.Laplacian(3.0)(X)


@call("Metric(Gaussian(), A)(X, Y)", "Metric")
def _(size: Size) -> Ready:
    X = rows(size.n(4_000))
    directions = np.random.default_rng(2).standard_normal((X.shape[1], 3))
    return lambda: bo.Metric(bo.Gaussian(3.0), directions)(X)


@call("Matern(nu=1.2)(X, Y)", "Matern")
def _(size: Size) -> Ready:
    X = rows(size.n(3_000))
    return lambda: bo.Matern(3.0, nu=1.2)(X)


@call("plan(X, y)", "plan")
def _(size: Size) -> Ready:
    X = rows(size.n(100_000), 20)
    y = target(X)
    return lambda: bo.plan(X, y)


@call("Moments.update", "Moments")
def _(size: Size) -> Ready:
    D = size.D(2000)
    Z = rows(size.n(4_000), D)
    weight, y = np.ones(len(Z)), Z[:, :1].copy()
    return lambda: bo.Moments.empty(D, 1).update(Z, y, weight)


@call("save, load", "save", "load")
def _(size: Size) -> Ready:
    model, folder = _fitted(500, size.D(3000), 1), _folder()

    def both() -> Any:
        bo.save(model, folder / "model.bochner")
        return bo.load(folder / "model.bochner")

    return both


@call("to_onnx", "to_onnx")
def _(size: Size) -> Ready:
    model = _fitted(500, size.D(3000), 1)
    return lambda: bo.to_onnx(model, std=True)


@call("report", "report", slow=True)
def _(size: Size) -> Ready:
    X = rows(size.n(100_000))
    y, model = target(X), _fitted(500, size.D(1024), 0)
    return lambda: bo.report(model, X=X, y=y)


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="bochner-budgets-"))


EXCUSED = {
    "DriftDisplay": "draws what a detector holds",
    "ErrorBarDisplay": "draws predictions with their standard deviations, which are billed as such",
    "KernelErrorDisplay": "looks at n_rows rows, 300 unless told",
    "RidgePathDisplay": "draws what a model holds",
    "SpectrumDisplay": "draws what a model holds",
    "WitnessDisplay": "calls mmd, then looks at n_points points",
    "config_context": "takes no rows",
    "get_config": "takes no rows",
    "scan_csv": "reads nothing until it is fitted: the calls with scan_blocks and scan_npy speak for it",
    "scan_frame": "reads nothing until it is fitted",
    "scan_parquet": "reads nothing until it is fitted",
    "set_config": "takes no rows",
    "show_versions": "takes no rows",
}
"""Names without a call of their own, and why."""

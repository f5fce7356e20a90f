"""Certificates against the truth: statements of `certify`, automatic widths, and the error bounds of mmd and hsic_test.

Rows are drawn from a finite population, so that statements about the law of the data can be checked exactly; statements
about a region are checked on convex combinations of rows. A repeat draws population, rows and frequencies afresh, and
each statement of its certificate is a trial. What no rule here recognises stops the study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import bochner as bo

from .setting import Setting, stream

FAMILY = "certificates"
DELTA = 0.1
ROUNDING = 1e-12  # of the truth, which is computed in float64 too
_ATOMS, _ROWS = 40, 500
_FAMILIES = {"finite_set": "all pairs", "uniform": "region", "orbit": "orbit"}
_PROMISED = {"computed": 0.0, "grid": 0.0, "invariance": 0.0, **dict.fromkeys(
    ("all pairs", "region", "quantile", "root mean square", "mean absolute", "orbit", "eps", "squared mmd", "hsic"),
    DELTA)}  # fmt: skip

_SAMPLED = ("quantile", "root mean square", "mean absolute")
_NO_GRID = ("computed", "all pairs", "region", *_SAMPLED)
_GRID = ("computed", "grid", "all pairs", "region", *_SAMPLED)

# name: (keywords of FourierFeatures, columns, statements that a certificate has, repeats)
MAPS: dict[str, tuple[Callable[[], dict[str, Any]], int, tuple[str, ...], int]] = {
    "gaussian": (lambda: {"kernel": bo.Gaussian(1.5)}, 4, _NO_GRID, 600),
    "gaussian, phase": (lambda: {"kernel": bo.Gaussian(1.5), "embedding": "phase"}, 4, _NO_GRID, 600),
    "gaussian, a scale per column": (lambda: {"kernel": bo.Gaussian([1.0, 3.0])}, 2, _NO_GRID, 500),
    "matern": (lambda: {"kernel": bo.Matern(1.5, nu=1.5)}, 4, _NO_GRID, 600),
    "rational_quadratic": (lambda: {"kernel": bo.RationalQuadratic(2.0)}, 4, _NO_GRID, 600),
    "laplacian": (lambda: {"kernel": bo.Laplacian(3.0)}, 4, ("computed", "all pairs", *_SAMPLED), 1500),
    "laplacian, phase": (
        lambda: {"kernel": bo.Laplacian(3.0), "embedding": "phase"}, 4, ("computed", "all pairs", *_SAMPLED), 1500
    ),
    "cauchy": (lambda: {"kernel": bo.Cauchy(2.0)}, 4, _NO_GRID, 500),
    "3 gaussian + matern, phase": (
        lambda: {"kernel": 3.0 * bo.Gaussian(1.0) + bo.Matern(2.0, nu=2.5), "embedding": "phase"}, 4, _NO_GRID, 500
    ),
    "gaussian * matern": (lambda: {"kernel": bo.Gaussian(1.5) * bo.Matern(2.0, nu=1.5)}, 4, _NO_GRID, 500),
    "gaussian, 1 column": (lambda: {"kernel": bo.Gaussian(1.0)}, 1, _GRID, 120),
    "gaussian, 2 columns": (lambda: {"kernel": bo.Gaussian(1.0)}, 2, _GRID, 120),
    "matern, 2 columns, qmc": (
        lambda: {"kernel": bo.Matern(1.0, nu=1.5), "sampling": "qmc"}, 2, ("computed", "grid", *_SAMPLED), 120
    ),
    "orthogonal": (
        lambda: {"kernel": bo.Gaussian(1.5), "sampling": "orthogonal"}, 4, ("computed", *_SAMPLED), 1500
    ),
    "qmc, phase": (
        lambda: {"kernel": bo.Gaussian(1.5), "sampling": "qmc", "embedding": "phase"}, 4, ("computed", *_SAMPLED), 1500
    ),
    "leverage": (
        lambda: {"kernel": bo.Gaussian(1.5), "sampling": bo.Leverage(pilot_rows=64, pool_size=128)},
        4, ("computed",), 500,
    ),
    "seen by tuning": (lambda: {"kernel": bo.Gaussian(1.5)}, 4, ("computed", *_SAMPLED), 1500),
    "float32": (lambda: {"kernel": bo.Gaussian(1.5)}, 4, _NO_GRID, 600),
    "float32, far from 0": (lambda: {"kernel": bo.Gaussian(1.5)}, 4, _NO_GRID, 600),
    "more rows than are computed": (
        lambda: {"kernel": bo.Gaussian(1.5)}, 4, ("all pairs", "region", *_SAMPLED), 100
    ),
}  # fmt: skip

AUTO: dict[str, Callable[[], dict[str, Any]]] = {
    "gaussian": lambda: {"kernel": bo.Gaussian(1.0)},
    "gaussian, phase": lambda: {"kernel": bo.Gaussian(1.0), "embedding": "phase"},
    "matern": lambda: {"kernel": bo.Matern(1.0, nu=0.5)},
    "2 cauchy": lambda: {"kernel": 2.0 * bo.Cauchy(1.0)},
}

# name: (group, number of transformations, embedding, statements)
ORBITS: dict[str, tuple[Callable[[], Any], int | str, str, tuple[str, ...]]] = {
    "sign flips": (lambda: bo.groups.SignFlips(), "all", "paired", ("computed", "orbit", "invariance")),
    "sign flips, phase": (lambda: bo.groups.SignFlips(), "all", "phase", ("computed", "orbit", "invariance")),
    "cyclic shifts": (lambda: bo.groups.CyclicShifts(), "all", "paired", ("computed", "orbit", "invariance")),
    "permutations": (lambda: bo.groups.Permutations(), "all", "paired", ("computed", "orbit", "invariance")),
}

DISCREPANCIES: dict[str, dict[str, Any]] = {
    "unbiased": {},
    "biased": {"estimator": "biased"},
    "unbiased, phase": {"embedding": "phase"},
    "biased, phase": {"embedding": "phase", "estimator": "biased"},
    "float32": {},
}


def settings() -> list[Setting]:
    return [
        *(_setting("map", name, kinds, repeats) for name, (_, _, kinds, repeats) in MAPS.items()),
        *(_setting("automatic width", name, ("eps",), 10_000) for name in AUTO),
        *(_setting("orbit", name, kinds, 700) for name, (_, _, _, kinds) in ORBITS.items()),
        *(_setting("mmd", name, ("squared mmd",), 4000) for name in DISCREPANCIES),
        _setting("hsic", "gaussian", ("hsic",), 4000),
    ]


def _setting(of: str, name: str, kinds: tuple[str, ...], repeats: int) -> Setting:
    return Setting(
        FAMILY, {"of": of, "name": name}, {kind: _PROMISED[kind] for kind in kinds}, repeats, max(25, repeats // 20)
    )


def violations(options: Mapping[str, Any], repeats: range) -> list[int]:
    checks = {"map": _map, "automatic width": _automatic, "orbit": _orbit, "mmd": _mmd, "hsic": _hsic}
    check = checks[options["of"]]
    broken = [check(options["name"], stream(FAMILY, options, repeat)) for repeat in repeats]
    return [int(count) for count in np.sum(broken, axis=0)]


# Fourier maps.


def _map(name: str, rng: np.random.Generator) -> list[bool]:
    make, d, kinds, _ = MAPS[name]
    population, rows = _population(name, d, rng)
    chosen = rng.integers(_ATOMS, size=rows)
    X, present = population[chosen], population[np.unique(chosen)]
    features = bo.FourierFeatures(n_components=64, random_state=int(rng.integers(2**32)), **make()).fit(X)
    certificate = features.certify(X, delta=DELTA, independent=name != "seen by tuning")
    inside = _combinations(X, rng) if "region" in kinds or "grid" in kinds else population
    found = _kept(certificate, *(_errors(features, points) for points in (present, population, inside)))
    return _in_order(kinds, found)


def _population(name: str, d: int, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Atoms of equal weight, and how many rows to draw from them."""
    atoms = rng.standard_t(4, (_ATOMS, d))
    if name.startswith("float32"):
        atoms = (atoms + (1000.0 if "far" in name else 0.0)).astype(np.float32)
    return atoms, 4500 if name.startswith("more rows") else _ROWS


def _errors(features: Any, X: np.ndarray) -> np.ndarray:
    """|z(x).z(y) - k(x, y)| for all pairs, with the features that `transform` returns."""
    Z = np.asarray(features.transform(X), dtype=float)
    return np.abs(Z @ Z.T - features.kernel_(np.asarray(X, dtype=float)))


def _combinations(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points of the convex hull of the rows, which has their diameter."""
    chosen = X[rng.integers(len(X), size=(60, 3))]
    return np.einsum("ij,ijk->ik", rng.dirichlet(np.ones(3), 60), chosen).astype(X.dtype)


def _kept(certificate: Any, rows: np.ndarray, law: np.ndarray, region: np.ndarray) -> dict[str, bool]:
    """Whether each statement is broken; a kind that is made twice is broken if one of them is."""
    broken: dict[str, bool] = {}
    for each in (certificate, *certificate.others):
        kind = _kind(each)
        broken[kind] = broken.get(kind, False) or _broken(kind, each, rows, law, region)
    return broken


def _broken(kind: str, certificate: Any, rows: np.ndarray, law: np.ndarray, region: np.ndarray) -> bool:
    limit = certificate.value * (1 + ROUNDING) + ROUNDING
    if kind == "quantile":
        return bool(np.mean(law <= limit) < certificate.details["fraction"])
    truth = {
        "computed": lambda: rows.max(),
        "all pairs": lambda: rows.max(),
        "orbit": lambda: rows.max(),
        "grid": lambda: max(region.max(), rows.max()),
        "region": lambda: max(region.max(), rows.max()),
        "root mean square": lambda: np.sqrt(np.mean(law**2)),
        "mean absolute": lambda: law.mean(),
    }
    return bool(truth[kind]() > limit)


def _kind(certificate: Any) -> str:
    """What a certificate speaks of, from the bound behind it."""
    module, bound = certificate.bound.split(".")[:2]
    if bound == "SampledPairs":
        if "fraction" in certificate.details:
            return "quantile"
        return "root mean square" if "root mean square" in certificate.statement else "mean absolute"
    named = {"AllPairs": "computed", "GridSupremum": "grid", "Invariance": "invariance"}
    return named[bound] if bound in named else _FAMILIES[module]


def _in_order(kinds: tuple[str, ...], found: Mapping[str, bool]) -> list[bool]:
    if set(found) != set(kinds):
        raise ValueError(f"Expected statements on {sorted(kinds)}. Got {sorted(found)}.")
    return [found[kind] for kind in kinds]


def _automatic(name: str, rng: np.random.Generator) -> list[bool]:
    X = rng.standard_normal((20, 3))
    setting = {"n_components": "auto", "eps": 0.4, "delta": DELTA, "random_state": int(rng.integers(2**32))}
    features = bo.FourierFeatures(**AUTO[name](), **setting).fit(X)
    return [bool(_errors(features, X).max() > 0.4 * (1 + ROUNDING))]


# Orbit maps.


def _orbit(name: str, rng: np.random.Generator) -> list[bool]:
    make, n_transforms, embedding, kinds = ORBITS[name]
    group, kernel, X = make(), bo.Gaussian(1.5), rng.standard_normal((12, 3))
    base = bo.FourierFeatures(kernel, n_components=64, embedding=embedding)
    features = bo.OrbitFeatures(group, base, n_transforms=n_transforms, random_state=int(rng.integers(2**32))).fit(X)
    certificate = features.certify(X, delta=DELTA)
    Z, moved = np.asarray(features.transform(X)), list(_moves(group, X))
    exact = np.mean([kernel(one, other) for one in moved for other in moved], axis=0)
    rows = np.abs(Z @ Z.T - exact)
    invariance = next(each for each in certificate.others if _kind(each) == "invariance")
    change = max(np.linalg.norm(features.transform(each) - Z, axis=1).max() for each in moved)
    others = [each for each in (certificate, *certificate.others) if each is not invariance]
    broken = {_kind(each): _broken(_kind(each), each, rows, rows, rows) for each in others}
    # The features of moved rows are the same sums in another order.
    return _in_order(kinds, {**broken, "invariance": bool(change > invariance.value + 1e-9)})


def _moves(group: Any, X: np.ndarray) -> Iterator[np.ndarray]:
    """The rows under every element of the group."""
    for _, moved in group.elements(X.shape[1]).of(X):
        yield np.asarray(moved)


# Mean discrepancy and independence criterion.


def _mmd(name: str, rng: np.random.Generator) -> list[bool]:
    X, Y = rng.standard_normal((6, 2)), rng.standard_normal((8, 2)) + rng.choice([0.0, 3.0])
    if name == "float32":
        X, Y = X.astype(np.float32), Y.astype(np.float32)
    setting = {"kernel": bo.Gaussian(1.0), **DISCREPANCIES[name]}
    close = bo.mmd(X, Y, n_components=32, delta=DELTA, rng=int(rng.integers(2**32)), **setting)
    exact = _squared_mmd(X.astype(float), Y.astype(float), setting.get("estimator", "unbiased"))
    return [bool(abs(close.squared - exact) > close.error_bound * (1 + ROUNDING))]


def _squared_mmd(X: np.ndarray, Y: np.ndarray, estimator: str) -> float:
    """The squared MMD written out."""
    n, m = len(X), len(Y)
    K = bo.Gaussian(1.0)(np.vstack([X, Y]))
    within, other, across = K[:n, :n], K[n:, n:], K[:n, n:]
    if estimator == "biased":
        return float(within.mean() + other.mean() - 2 * across.mean())
    first = (within.sum() - np.trace(within)) / (n * (n - 1))
    second = (other.sum() - np.trace(other)) / (m * (m - 1))
    return float(first + second - 2 * across.mean())


def _hsic(name: str, rng: np.random.Generator) -> list[bool]:
    n = 8
    X = rng.standard_normal((n, 1))
    Y = X + 0.1 * rng.standard_normal((n, 1)) if rng.random() < 0.5 else rng.standard_normal((n, 1))
    kernel, H = bo.Gaussian(1.0), np.eye(n) - 1 / n
    result = bo.hsic_test(X, Y, kernel=kernel, n_components=8, n_resamples=1, delta=DELTA, rng=int(rng.integers(2**32)))
    exact = np.trace(kernel(X) @ H @ kernel(Y) @ H) / n**2
    return [bool(abs(result.statistic - exact) > result.error_bound * (1 + ROUNDING))]

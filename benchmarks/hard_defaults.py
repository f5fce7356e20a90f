"""The default call on tables that are not friendly, beside what a user would try next.

    python benchmarks/hard_defaults.py [weak line rare copies tails columns zeros intervals cliff targets] [--draws 3]

Every family draws its tables anew for each seed; errors are those of new rows over that of their mean, scores areas
under the curve, intervals of 90 %. Families that are named replace those in the results.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
from default_tables import read
from harness import RESULTS, write
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeCV
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler
from sklearn.svm import SVC, SVR

import bochner as bo

NEW = 20_000


def error(model, X, y):
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)) / np.std(y))


def covered(model, X, y):
    low, high = model.predict(X, return_interval=0.9)[1]
    return float(np.mean((low <= y) & (y <= high)))


def ours(X, y, **settings):
    return bo.KernelRegressor(random_state=0, **settings).fit(X, y)


def weak(seed):
    """Weak linear effects: R2 of the truth is 0.033; classes with 11 % positives of the same truth."""
    for n in (1000, 5000):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n + NEW, 12))
        truth = 0.15 * X[:, 0] - 0.1 * X[:, 1] + 0.1 * (X[:, 5] > 1)
        y, train, new = truth + rng.standard_normal(len(X)), slice(0, n), slice(n, None)
        ridge = RidgeCV(np.logspace(-2, 5, 30)).fit(X[train], y[train])
        model = ours(X[train], y[train])
        found = {name: 1 - error(each, X[new], y[new]) ** 2 for name, each in (("ours", model), ("ridge", ridge))}
        yield {"table": f"regression, {n} rows", **found}
        label = rng.random(len(X)) < 1 / (1 + np.exp(2.3 - 4 * truth))
        classes = bo.KernelClassifier(random_state=0).fit(X[train], label[train])
        logistic = LogisticRegression().fit(X[train], label[train])
        ways = {"ours": classes, "logistic": logistic}
        scores = {way: roc_auc_score(label[new], each.predict_proba(X[new])[:, 1]) for way, each in ways.items()}
        yield {"table": f"classes, {n} rows", **scores}


def line(seed):
    """Twenty rows of a line with little noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20 + NEW, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.2 * rng.standard_normal(len(X))
    ridge = RidgeCV(np.logspace(-3, 3, 30)).fit(X[:20], y[:20])
    yield {
        "table": "20 rows",
        "ours": error(ours(X[:20], y[:20]), X[20:], y[20:]),
        "ridge": error(ridge, X[20:], y[20:]),
    }


SHAPES = {
    "ball": lambda X, rng: -np.linalg.norm(X[:, :3] - 0.8, axis=1),
    "wave": lambda X, rng: np.sin(2 * X[:, 0]) + np.cos(1.5 * X[:, 1]) + 0.5 * X[:, 2],
    "clusters": lambda X, rng: (
        -np.min(np.sum((X[:, None] - 1.2 * np.random.default_rng(99).standard_normal((4, 6))) ** 2, axis=2), axis=1)
    ),
    "line": lambda X, rng: X[:, 0] + 0.5 * X[:, 1] - 0.3 * X[:, 2] + 0.5 * rng.standard_normal(len(X)),
}


def rare(seed):
    """One row of 200 or of 1,000 is of the second class, of 20,000 rows."""
    for share in (0.005, 0.001):
        for shape, score_of in SHAPES.items():
            rng = np.random.default_rng(seed)
            X = rng.standard_normal((2 * NEW + NEW, 6))
            score = score_of(X, rng)
            score = score + 0.05 * score.std() * rng.standard_normal(len(X))
            y, train, new = score > np.quantile(score, 1 - share), slice(0, NEW), slice(NEW, None)
            start = time.perf_counter()
            model = bo.KernelClassifier(random_state=seed).fit(X[train], y[train])
            seconds = time.perf_counter() - start
            found = {"ours": float(roc_auc_score(y[new], model.predict_proba(X[new])[:, 1]))}
            for name, peer in (("svc", SVC()), ("logistic", LogisticRegression())):
                scores = make_pipeline(StandardScaler(), peer).fit(X[train], y[train]).decision_function(X[new])
                found[name] = float(roc_auc_score(y[new], scores))
            yield {
                "table": f"{shape}, {100 * share:g} %",
                "positives": int(y[train].sum()),
                "seconds": seconds,
                **found,
            }


def copies(seed):
    """Groups of rows that are nearly copies, on new groups; and rows that are given ten times, or bootstrapped."""
    for n_groups, size in ((80, 50), (30, 20), (200, 10)):
        for kind in ("shared", "independent"):
            rng = np.random.default_rng(seed)
            centres = rng.standard_normal((n_groups + 2000, 5))
            means = (
                np.sin(centres[:, 0])
                + 0.5 * centres[:, 1]
                + 0.5 * (kind == "shared") * rng.standard_normal(len(centres))
            )
            X = np.repeat(centres[:n_groups], size, axis=0) + 1e-3 * rng.standard_normal((n_groups * size, 5))
            within = 0.05 if kind == "shared" else 0.5
            y = np.repeat(means[:n_groups], size) + within * rng.standard_normal(len(X))
            new, target = centres[n_groups:], means[n_groups:] + within * rng.standard_normal(2000)
            model = ours(X, y)
            table = f"{n_groups} groups of {size}, {kind} noise"
            yield {"table": table, "ours": error(model, new, target), "covered": covered(model, new, target)}
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((300 + NEW, 3))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.2 * rng.standard_normal(len(X))
    drawn = rng.integers(0, 300, 300)
    ways = {
        "once": np.arange(300),
        "ten times": np.repeat(np.arange(300), 10),
        "bootstrapped": drawn,
        "distinct": np.unique(drawn),
    }
    yield {"table": "copies", **{way: error(ours(X[some], y[some]), X[300:], y[300:]) for way, some in ways.items()}}


def tails(seed):
    """110,000 rows with a heavy tail, beside landmarks on 60,000 of them and a line."""
    for name, power in (("exponential", 2.5), ("lognormal", None)):
        rng = np.random.default_rng(seed)
        n = 110_000
        tail = rng.exponential(1, n + NEW) ** power if power else np.exp(2.5 * rng.standard_normal(n + NEW))
        N = rng.standard_normal((n + NEW, 4))
        y = 10 * tail + 5 * np.sin(N[:, 0]) + 3 * N[:, 1] * N[:, 2] + 10 * rng.standard_normal(n + NEW)
        X, found = np.column_stack([10 * tail, N]), {}
        models = {
            "ours": ours(X[:n], y[:n]),
            "60,000 rows": ours(X[:60_000], y[:60_000]),
            "line": LinearRegression().fit(X[:n], y[:n]),
        }
        for way, model in models.items():
            found[way] = {
                "r2": 1 - error(model, X[n:], y[n:]) ** 2,
                "worst": float(np.max(np.abs(model.predict(X[n:]) - y[n:]))),
            }
        yield {"table": name, **found}


def columns(seed):
    """Outliers in a column that does not matter, and columns of all magnitudes, beside SVR."""
    for n in (500, 2000):
        rng = np.random.default_rng(seed)
        Z = rng.standard_normal((n + 5000, 5))
        y = np.sin(2 * Z[:, 0]) + 0.5 * Z[:, 1] * Z[:, 2] + 0.1 * rng.standard_normal(len(Z))
        kinds = {
            "2 % outliers": np.column_stack([Z[:, :4], np.where(rng.random(len(Z)) < 0.02, 1e4, 1) * Z[:, 4]]),
            "20 % outliers": np.column_stack([Z[:, :4], np.where(rng.random(len(Z)) < 0.2, 1e3, 1) * Z[:, 4]]),
            "Cauchy": np.column_stack([Z[:, :3], rng.standard_cauchy((len(Z), 2))]),
            "lognormal, sigma 6": np.exp(6 * Z),
            "lognormal, sigma 9": np.exp(9 * Z),
        }
        for name, X in kinds.items():
            peers = {
                "scaled SVR": make_pipeline(StandardScaler(), SVR()),
                "ranked SVR": make_pipeline(QuantileTransformer(output_distribution="normal", n_quantiles=300), SVR()),
            }
            found = {way: error(peer.fit(X[:n], y[:n]), X[n:], y[n:]) for way, peer in peers.items()}
            yield {"table": f"{name}, {n} rows", "ours": error(ours(X[:n], y[:n]), X[n:], y[n:]), **found}


def zeros(seed):
    """Intervals of targets that are mostly zero, 5,000 rows, and of a model that is the mean."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((5000 + NEW, 4))
    score = X[:, 0] + 0.5 * X[:, 1]
    for share in (0.92, 0.96, 0.99):
        y = np.maximum(score - np.quantile(score, share), 0)
        yield {"table": f"{100 * share:g} % zeros", "covered": covered(ours(X[:5000], y[:5000]), X[5000:], y[5000:])}
    y = rng.standard_normal(len(X))
    model = ours(X[:2000], y[:2000])
    std = float(np.mean(model.predict(X[2000:], return_std=True)[1]) / np.std(y))
    yield {"table": "noise", "covered": covered(model, X[2000:], y[2000:]), "std": std}


FUNCTIONS = (
    lambda X: np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2],
    lambda X: np.abs(X[:, 0]) + X[:, 1] ** 2,
    lambda X: np.tanh(4 * X[:, 0]) * np.cos(2 * X[:, 1]),
    lambda X: 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + X[:, 2],
    lambda X: np.exp(-np.sum(X**2, axis=1)),
)


def intervals(seed):
    """Of random features of the default width and of the default model, 20,000 rows, at 90 %."""
    for number, function in enumerate(FUNCTIONS):
        rng = np.random.default_rng([seed, number])
        X = rng.standard_normal((2 * NEW, 4))
        y = function(X) + 0.3 * rng.standard_normal(len(X))
        found = {}
        for name, features, width in (("random features", "fourier", 1024), ("default", "auto", "auto")):
            model = ours(X[:NEW], y[:NEW], features=features, n_components=width)
            found[name] = covered(model, X[NEW:], y[NEW:])
        yield {"table": f"function {number}", **found}


def cliff(seed):
    """Errors with 12,500 rows over those with 9,900."""
    for name in ("kin40k", "elevators", "airline2001", "protein", "california_housing", "bike"):
        frame = read(name)
        y = frame["target"].to_numpy(float)
        X = frame.drop(columns=["target", "fold", "split"], errors="ignore").to_numpy(float)
        order = np.random.default_rng(seed).permutation(len(y))[:NEW]
        X, y = X[order], y[order]
        few, many = (error(ours(X[:n], y[:n]), X[12_500:], y[12_500:]) for n in (9900, 12_500))
        yield {"table": name, "9,900 rows": few, "12,500 rows": many, "ratio": many / few}


def targets(seed):
    """Four targets together, and one by one."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((1000 + 5000, 6))
    noise = rng.standard_normal((len(X), 4)) * [0.02, 0.3, 0.1, 0]
    Y = np.column_stack([
        np.sin(3 * X[:, 0]), X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3]), X[:, 4] + 0.5 * X[:, 5] ** 2, X @ np.ones(6)
    ]) + noise  # fmt: skip
    together = ours(X[:1000], Y[:1000]).predict(X[1000:])
    errors = np.sqrt(np.mean((together - Y[1000:]) ** 2, axis=0)) / Y[1000:].std(axis=0)
    alone = [error(ours(X[:1000], y[:1000]), X[1000:], y[1000:]) for y in Y.T]
    yield {"table": "four targets", "together": errors.tolist(), "alone": alone}


FAMILIES = (weak, line, rare, copies, tails, columns, zeros, intervals, cliff, targets)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", default=[each.__name__ for each in FAMILIES])
    parser.add_argument("--draws", type=int, default=3)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    path = RESULTS / "hard_defaults.json"
    known = json.loads(path.read_text())["families"] if path.exists() else {}
    for family in FAMILIES:
        if family.__name__ in args.families:
            rows = [{"seed": seed, **row} for seed in range(args.draws) for row in family(seed)]
            known[family.__name__] = rows
            write("hard_defaults", {"families": known})


if __name__ == "__main__":
    main()

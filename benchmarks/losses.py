"""Quantile, Poisson and Huber regression on real tables, beside boosted trees and scikit-learn's linear models.

- Quantiles 0.1, 0.5 and 0.9 on ten tables, 600 rows to train on and 2,000 to test on: pinball loss (mean of the
  three) in units of that of the quantiles of the training targets; coverage on test rows, with the limits that chance
  allows a model whose quantiles are right (binomial, 99 %), and one that has its shares from as many rows as there are
  to train on (beta-binomial, 99 %); coverage of conformalised 80 % intervals, with the limits
  of chance in calibration and test rows (beta-binomial, 99 %). Peers: `HistGradientBoostingRegressor(loss="quantile")`,
  which stops on a tenth of its rows, and `QuantileRegressor` on 50 Nystroem features of the median scale, its penalty
  chosen on a fifth of the rows.
- Quantiles of more rows: 4,000 to train on, 256 landmarks, on the tables that have so many, beside boosted trees.
  Chance among the training rows matters less to their shares than chance among the test rows.
- Counts: mean Poisson deviance on test rows, over that of the mean. Outliers: root mean squared error on clean test
  rows after one training target in twenty was moved by ten standard deviations.
- `--time`: a median at 100,000 rows and 2,048 features against a ridge fit at the same scale and penalty.

Other models are the default call on raw columns, on split 5, which nothing was chosen on; no model chooses anything on
test rows. A killed run goes on where it ended. `--small` takes two tables, and nothing is written.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from contextlib import redirect_stdout
from functools import partial

import numpy as np
from default_tables import FileTable, Split
from harness import RESULTS, write
from scipy.stats import betabinom, binom
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss, mean_poisson_deviance, root_mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bochner as bo

QUANTILES = (0.1, 0.5, 0.9)
TABLES = (
    "protein", "kin40k", "bike", "elevators", "heaton_satellite", "gas", "california_housing", "diamonds", "airfoil",
    "concrete",
)  # fmt: skip
OUTLIER_TABLES = ("kin40k", "california_housing", "airfoil", "concrete")
LARGE_TABLES = ("protein", "kin40k", "bike", "elevators", "california_housing", "diamonds", "heaton_satellite")
N_TRAIN, N_LARGE, N_TEST = 600, 4000, 2000
N_LANDMARKS = 256
FOLD = 5
PENALTIES = (1e-3, 1e-2)


def _split(name, n_train=N_TRAIN):
    return FileTable(name, "regression").split(FOLD, n_train, N_TEST)


def ours(split: Split, **given):
    model = bo.KernelQuantileRegressor(quantile=QUANTILES, random_state=0, **given)
    return model.fit(split.X, split.y).predict(split.X_test)


def trees(split: Split):
    models = (
        HistGradientBoostingRegressor(loss="quantile", quantile=q, early_stopping=True, max_iter=500, random_state=0)
        for q in QUANTILES
    )
    return np.stack([model.fit(split.X, split.y).predict(split.X_test) for model in models], axis=1)


def linear(split: Split):
    """QuantileRegressor on features, its penalty by the pinball loss on a fifth of the training rows."""
    spread = split.y.std() or 1.0
    cut, y = 4 * len(split.y) // 5, split.y / spread
    features = make_pipeline(
        StandardScaler(), Nystroem(gamma=1 / (2 * split.X.shape[1]), n_components=50, random_state=0)
    )
    Z, Z_test = features.fit_transform(split.X), features.transform(split.X_test)
    found = []
    for q in QUANTILES:
        losses = [
            mean_pinball_loss(y[cut:], _of_penalty(q, a).fit(Z[:cut], y[:cut]).predict(Z[cut:]), alpha=q)
            for a in PENALTIES
        ]
        found.append(spread * _of_penalty(q, PENALTIES[int(np.argmin(losses))]).fit(Z, y).predict(Z_test))
    return np.stack(found, axis=1)


def _of_penalty(quantile, alpha):
    return QuantileRegressor(quantile=quantile, alpha=alpha, solver="highs")


CONTESTANTS = {"ours": ours, "boosted trees": trees, "QuantileRegressor on features": linear}
OF_MORE_ROWS = {
    "ours": partial(ours, features="nystroem", n_components=N_LANDMARKS),
    "boosted trees": trees,
}


def pinball(y, predicted):
    return float(np.mean([mean_pinball_loss(y, p, alpha=q) for q, p in zip(QUANTILES, predicted.T)]))


def quantiles(name):
    """Losses, coverages and their limits on one table."""
    split = _split(name)
    return {**losses_and_shares(split, CONTESTANTS), "conformal": conformal(split)}


def quantiles_of_more_rows(name):
    return losses_and_shares(_split(name, N_LARGE), OF_MORE_ROWS)


def losses_and_shares(split: Split, contestants):
    n = len(split.y_test)
    constant = pinball(split.y_test, np.tile(np.quantile(split.y, QUANTILES), (n, 1)))
    record = {"n_train": len(split.y), "n_test": n, "loss": {}, "coverage": {}, "seconds": {}}
    for contestant, predict in contestants.items():
        start = time.perf_counter()
        predicted = predict(split)
        record["seconds"][contestant] = time.perf_counter() - start
        record["loss"][contestant] = pinball(split.y_test, predicted) / constant
        record["coverage"][contestant] = [float(np.mean(split.y_test <= each)) for each in predicted.T]
    record["limits"] = [[binom.ppf(p, n, q) / n for p in (0.005, 0.995)] for q in QUANTILES]
    record["limits_of_both"] = [_limits(q, len(split.y), n) for q in QUANTILES]
    return record


def conformal(split: Split):
    """Coverage and mean width (in spreads of the target) of 80 % intervals, and limits of what chance allows."""
    model = bo.KernelQuantileRegressor(quantile=(0.1, 0.9), interval="conformal", random_state=0).fit(split.X, split.y)
    _, (low, high) = model.predict(split.X_test, return_interval=0.8)
    n, m = len(split.y_test), len(model.fitted_.conformal.scores)
    return {
        "coverage": float(np.mean((low <= split.y_test) & (split.y_test <= high))),
        "limits": _limits(0.8, m, n),
        "width": float(np.mean(high - low) / split.y.std()),
    }


def _limits(share, m, n):
    """Of the share among n test rows below a level that holds it among m other rows: 99 %."""
    rank = int(np.ceil(share * (m + 1)))
    law = betabinom(n, rank, m + 1 - rank)
    return [law.ppf(0.005) / n, law.ppf(0.995) / n]


def synthetic_counts(seed=0):
    """Counts whose rate is a smooth function of three of five columns."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (N_TRAIN + N_TEST, 5))
    y = rng.poisson(np.exp(np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5)).astype(float)
    return Split(X[:N_TRAIN], y[:N_TRAIN], X[N_TRAIN:], y[N_TRAIN:])


def deviances(split: Split):
    """Mean Poisson deviance on test rows over that of the mean of the training targets."""
    models = {
        "ours": bo.KernelPoissonRegressor(random_state=0),
        "boosted trees": HistGradientBoostingRegressor(
            loss="poisson", early_stopping=True, max_iter=500, random_state=0
        ),
    }
    constant = mean_poisson_deviance(split.y_test, np.full(len(split.y_test), split.y.mean()))
    return {
        name: mean_poisson_deviance(split.y_test, model.fit(split.X, split.y).predict(split.X_test)) / constant
        for name, model in models.items()
    }


def outliers(name):
    """Errors on clean test rows, over the spread of the target, of models of targets that are partly wrong."""
    split, rng = _split(name), np.random.default_rng(0)
    wrong = split.y + 10 * split.y.std() * (rng.random(len(split.y)) < 0.05)
    models = {
        "Huber, ours": bo.KernelHuberRegressor(random_state=0),
        "squares, ours": bo.KernelRegressor(random_state=0),
        "boosted trees, absolute error": HistGradientBoostingRegressor(
            loss="absolute_error", early_stopping=True, max_iter=500, random_state=0
        ),
    }
    return {
        name: root_mean_squared_error(split.y_test, model.fit(split.X, wrong).predict(split.X_test)) / split.y.std()
        for name, model in models.items()
    }


def seconds(n, width):
    """A median against a ridge fit on the same features, float32, five columns: of the clock and of the processor."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 5)).astype(np.float32)
    y = (np.sin(3 * X).sum(axis=1) + rng.standard_normal(n)).astype(np.float32)
    given = {"features": "fourier", "n_components": width, "length_scale": 1.0, "alpha": 1.0, "random_state": 0}
    models = {"ridge": bo.KernelRegressor(**given), "median": bo.KernelQuantileRegressor(**given)}
    record = {"n": n, "n_components": width, "clock": {}, "cpu": {}}
    for name, model in models.items():
        model.fit(X[:2000], y[:2000])  # compiles the loops
        clock, cpu = time.perf_counter(), time.process_time()
        model.fit(X, y)
        record["clock"][name], record["cpu"][name] = time.perf_counter() - clock, time.process_time() - cpu
    times = {f"times_{unit}": record[unit]["median"] / record[unit]["ridge"] for unit in ("clock", "cpu")}
    median = models["median"]
    return {**record, **times, "relative_gap": median.dual_gap_ / median.objective_, "sweeps": median.n_iter_}


def parts(small):
    """Name and value of every part of the study, as functions."""
    tables, wrong = (TABLES[-2:], OUTLIER_TABLES[-1:]) if small else (TABLES, OUTLIER_TABLES)
    found = {("quantiles", name): partial(quantiles, name) for name in tables}
    found |= {("more rows", name): partial(quantiles_of_more_rows, name) for name in LARGE_TABLES if not small}
    found["deviance", "rates of 5 columns"] = lambda: deviances(synthetic_counts())
    if not small:
        found["deviance", "blogfeedback"] = lambda: deviances(_split("blogfeedback"))
    return found | {("outliers", name): partial(outliers, name) for name in wrong}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true", help="two tables; nothing is written")
    parser.add_argument("--time", action="store_true", help="time 100,000 rows and 2,048 features, and nothing else")
    parser.add_argument("--parts", type=int, help="of those that the file of results does not have: so many; all")
    parser.add_argument("--restart", action="store_true", help="measure what the file has, too")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.time:
        write("losses_time", seconds(100_000, 2048))
        return
    path = RESULTS / "losses.json"
    known = {} if given.small or given.restart or not path.exists() else json.loads(path.read_text())
    record = known if known.get("fold") == FOLD else {"fold": FOLD, "quantile_levels": QUANTILES}
    missing = [each for each in parts(given.small) if each[1] not in record.get(each[0], {})]
    for family, name in missing[: given.parts]:
        record.setdefault(family, {})[name] = parts(given.small)[family, name]()
        print(name, record[family][name], flush=True)
        if not given.small:
            with redirect_stdout(None):
                write("losses", record)


if __name__ == "__main__":
    main()

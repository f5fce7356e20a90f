"""A category of 400 levels of Zipf sizes: target statistics on and off, beside boosted trees; and real mixed tables.

- Synthetic: 3,000 rows to train on and 3,000 to test on; level j has a share proportional to 1/j and a standard normal
  effect on the target, beside sin(2 a) + b c / 2 of three columns and noise of 0.3. Error over the deviation of the
  targets, of all test rows, of those whose level has at most ten rows in training, and of those whose level has none;
  beside the last the mean standard deviation that `predict` gives there, and at levels with more than 50 rows. Peers:
  `HistGradientBoostingRegressor` with native categories (the 254 most frequent levels, its limit) and with
  scikit-learn's `TargetEncoder`. Rules were chosen on seeds 0 and 1; seed 5 is reported.
- Classes: the same table with the target's thirds as three classes; share of test rows that are wrong, of all and of
  those whose level has at most ten rows.
- The eight mixed tables, fold 5: which columns have statistics, and whether anything else changes.

`--seed` draws another table; nothing is written then.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from default_tables import CLASSIFICATION, IDENTIFIERS, REGRESSION, chosen_rows, read
from harness import write
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.preprocessing import TargetEncoder

import bochner as bo

N, LEVELS, SEED, FOLD = 3000, 400, 5, 5
NUMBERS = ["a", "b", "c"]


def draw(seed):
    """Training table and targets, test table and targets."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, LEVELS + 1)
    effects = rng.standard_normal(LEVELS)
    level, Z = rng.choice(LEVELS, 2 * N, p=shares / shares.sum()), rng.standard_normal((2 * N, 3))
    y = effects[level] + np.sin(2 * Z[:, 0]) + 0.5 * Z[:, 1] * Z[:, 2] + 0.3 * rng.standard_normal(2 * N)
    table = pd.DataFrame(Z, columns=NUMBERS).assign(shop=[f"s{each}" for each in level])
    return table[:N], y[:N], table[N:], y[N:]


def ours(train, y, test, **parameters):
    encoder = bo.TableEncoder(**parameters)
    model = bo.KernelRegressor(random_state=0).fit(encoder.fit_transform(train, y), y)
    return model.predict(encoder.transform(test), return_std=True)


def native(train, y, test):
    levels = pd.CategoricalDtype(train["shop"].value_counts().index[:254])
    train, test = (table.assign(shop=table["shop"].astype(levels)) for table in (train, test))
    trees = HistGradientBoostingRegressor(categorical_features="from_dtype", random_state=0)
    return trees.fit(train, y).predict(test), None


def encoded(train, y, test):
    encoder = TargetEncoder(target_type="continuous", random_state=0)
    X = np.c_[train[NUMBERS], encoder.fit_transform(train[["shop"]], y)]
    trees = HistGradientBoostingRegressor(random_state=0).fit(X, y)
    return trees.predict(np.c_[test[NUMBERS], encoder.transform(test[["shop"]])]), None


METHODS = {
    "bochner": ours,
    "bochner, target_statistics=()": lambda *rows: ours(*rows, target_statistics=()),
    "bochner, max_levels=400, min_rows=1": lambda *rows: ours(*rows, max_levels=LEVELS, min_rows=1),
    "boosted trees, native categories": native,
    "boosted trees, target encoder": encoded,
}


def measured(seed):
    train, y, test, y_test = draw(seed)
    rows = test["shop"].map(train["shop"].value_counts()).fillna(0).to_numpy()
    found = {"seed": seed, "unknown rows": int((rows == 0).sum()), "methods": {}}
    for name, method in METHODS.items():
        start = time.process_time()
        predicted, std = method(train, y, test)
        errors = (predicted - y_test) / y_test.std()
        answer = {
            "error": _root_mean_square(errors),
            "error, at most 10 rows": _root_mean_square(errors[rows <= 10]),
            "error, unknown levels": _root_mean_square(errors[rows == 0]),
            "cpu_seconds": time.process_time() - start,
        }
        if std is not None:
            answer["std, unknown levels"] = float(std[rows == 0].mean() / y_test.std())
            answer["std, more than 50 rows"] = float(std[rows > 50].mean() / y_test.std())
        found["methods"][name] = answer
        print(name, answer, flush=True)
    return found


def our_classes(train, labels, test, **parameters):
    encoder = bo.TableEncoder(**parameters)
    model = bo.KernelClassifier(random_state=0).fit(encoder.fit_transform(train, labels), labels)
    return model.predict(encoder.transform(test))


def tree_classes(train, labels, test):
    encoder = TargetEncoder(target_type="multiclass", random_state=0)
    X = np.c_[train[NUMBERS], encoder.fit_transform(train[["shop"]], labels)]
    trees = HistGradientBoostingClassifier(random_state=0).fit(X, labels)
    return trees.predict(np.c_[test[NUMBERS], encoder.transform(test[["shop"]])])


CLASSIFIERS = {
    "bochner": our_classes,
    "bochner, target_statistics=()": lambda *rows: our_classes(*rows, target_statistics=()),
    "boosted trees, target encoder": tree_classes,
}


def measured_classes(seed):
    train, y, test, y_test = draw(seed)
    rows = test["shop"].map(train["shop"].value_counts()).fillna(0).to_numpy()
    thirds = np.quantile(y, [1 / 3, 2 / 3])
    labels, truth = (np.array(["low", "middle", "high"])[np.digitize(each, thirds)] for each in (y, y_test))
    found = {}
    for name, method in CLASSIFIERS.items():
        start = time.process_time()
        wrong = method(train, labels, test) != truth
        found[name] = {
            "wrong": float(wrong.mean()),
            "wrong, at most 10 rows": float(wrong[rows <= 10].mean()),
            "cpu_seconds": time.process_time() - start,
        }
        print(name, found[name], flush=True)
    return found


def _root_mean_square(errors):
    return float(np.sqrt(np.mean(errors**2)))


def mixed_table(name):
    """Columns with target statistics, and whether the encoded rows are those without them, to the last bit."""
    frame = read(name)
    train = frame.iloc[chosen_rows(frame, FOLD, n_train=len(frame), n_test=0)[0]]
    inputs = train.drop(columns=["target", "fold", *IDENTIFIERS.get(name, [])])
    encoder = bo.TableEncoder()
    plain = bo.TableEncoder(target_statistics=()).fit_transform(inputs)
    with_target = encoder.fit_transform(inputs, train["target"])
    means = [column["name"] for column in encoder.columns_ if column["kind"] == "target means"]
    rare = max((column_share(column) for column in encoder.columns_), default=0.0)
    return {
        "statistics": means,
        "same numbers": bool(np.array_equal(plain, with_target)),
        "most levels": max((len(column.get("levels", ())) for column in encoder.columns_), default=0),
        "largest share of rare levels": rare,
    }


def column_share(column):
    return 1 - sum(column["shares"]) if column["kind"] == "category" and column["n_rare"] else 0.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=SEED, help="of the synthetic table; others write nothing")
    seed = parser.parse_args().seed
    warnings.simplefilter("ignore")
    found = {"synthetic": measured(seed), "classes": measured_classes(seed)}
    if seed == SEED:
        names = [name for name in (*REGRESSION, *CLASSIFICATION) if name.startswith("mixed_")]
        write("categories", {**found, "mixed": {name: mixed_table(name) for name in names}})


if __name__ == "__main__":
    main()

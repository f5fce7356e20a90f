"""Would a kernel over all subsets of columns help: factors of one column or category each, with shares of inclusion?

    python benchmarks/subset_kernel.py concrete energy mixed_hpc_data [--folds 0 1 2] [--rows 2000]

    k(x, z) = prod_g (1 - p_g + p_g k_3/2(||(x_g - z_g) / l_g||)) = sum over subsets S of p_S prod_{g in S} k_3/2

with g a column, or the columns of one category; an analysis of variance (Stitson et al. 1999; Duvenaud et al. 2011).
Scales l and shares p minimise the leave-one-out error of at most 600 rows, as `KernelLeaveOneOut` does, with its prior
of the scales, on the columns as the default model has them (plain or ranked). It is beside the default model, whose
kernel is one of distance, and boosted trees. Both leave-one-out errors are those of rows that no scale was learned
from, of 1,500 at most: `chosen` is what they would choose. Results are added to results/subset_kernel.json.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import dataclass

import numpy as np
from default_tables import TABLES
from harness import RESULTS, write
from scipy.linalg import cho_factor, cho_solve, cholesky
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import bochner as bo
from bochner.estimators.levels import level_columns
from bochner.features import RankWarp

LEARNED, REFINED, COMPARED, ITERATIONS, PRIOR = 600, 1000, 1500, 40, 2.0
ROOT_3 = np.sqrt(3.0)


@dataclass(frozen=True)
class SubsetKernel:
    """Factors of groups of columns; theta = (log l of columns, logit p of groups)."""

    groups: list[list[int]]

    def start(self, d, scale):
        return np.r_[np.full(d, np.log(scale)), np.full(len(self.groups), np.log(4.0))]

    def factors(self, X, Z, theta):
        """1 - p + p k of every group, with p, k and -k'(r) / r."""
        d = X.shape[1]
        scales, shares = np.exp(theta[:d]), 1 / (1 + np.exp(-theta[d:]))
        for group, share in zip(self.groups, shares):
            A, B = X[:, group] / scales[group], Z[:, group] / scales[group]
            squared = np.sum(A**2, axis=1)[:, None] + np.sum(B**2, axis=1) - 2 * A @ B.T
            r = ROOT_3 * np.sqrt(np.maximum(squared, 0))
            decay = np.exp(-r)
            k = (1 + r) * decay
            yield 1 - share + share * k, share, k, 3 * decay

    def __call__(self, X, Z, theta):
        K = np.ones((len(X), len(Z)))
        for factor, *_ in self.factors(X, Z, theta):
            K *= factor
        return K

    def slopes(self, X, theta, S):
        """Derivatives by theta, from those by the entries of the kernel matrix, S."""
        d, found = X.shape[1], np.zeros_like(theta)
        weighted = S * self(X, X, theta)
        for g, (factor, share, k, decay) in enumerate(self.factors(X, X, theta)):
            W, A = weighted / factor * share * decay, X[:, self.groups[g]] / np.exp(theta[self.groups[g]])
            sums = W.sum(axis=0) + W.sum(axis=1)
            found[self.groups[g]] = np.sum(A**2 * sums[:, None], axis=0) - 2 * np.einsum("ij,ij->j", A, W @ A)
            found[d + g] = np.sum(weighted / factor * (k - 1)) * share * (1 - share)
        return found


def left_out(K, Y, alpha):
    """Leave-one-out errors, C^-1, a = C^-1 Y and diag C^-1, for C = K + 1 + alpha."""
    C = K + 1.0
    C[np.diag_indices(len(C))] += alpha
    inverse = cho_solve((cholesky(C, lower=True), True), np.eye(len(C)))
    a, q = inverse @ Y, np.diagonal(inverse)[:, None]
    return a / q, inverse, a, q


def criterion(vector, kernel, X, Y):
    """Log mean squared leave-one-out error over (theta, log alpha) with the prior of the scales, and its gradient."""
    theta, alpha, (n, d) = vector[:-1], np.exp(vector[-1]), X.shape
    try:
        errors, inverse, a, q = left_out(kernel(X, X, theta), Y, alpha)
    except np.linalg.LinAlgError:
        return 1e10, np.zeros_like(vector)
    total, across = np.sum(errors**2), inverse @ (errors / q)
    S = 2 * (inverse * np.sum(errors**2 / q, axis=1)) @ inverse - a @ across.T - across @ a.T
    gradient = np.r_[kernel.slopes(X, theta, S), alpha * np.trace(S)] / total
    ratios = theta[:d] - np.mean(theta[:d])
    gradient[:d] += 2 * PRIOR / n * ratios
    return np.log(total / n) + PRIOR / n * np.sum(ratios**2), gradient


def learned(kernel, X, Y):
    """theta and alpha."""
    starts = [np.r_[kernel.start(X.shape[1], scale), np.log(alpha)] for scale in (1.0, 4.0) for alpha in (1e-3, 0.1)]
    start = min(starts, key=lambda each: criterion(each, kernel, X[:300], Y[:300])[0])
    bounds = [(each - 4, each + 6) for each in start[:-1]] + [(np.log(1e-8), np.log(10))]
    options = {"maxiter": ITERATIONS, "maxcor": 20}
    found = minimize(criterion, start, (kernel, X, Y), method="L-BFGS-B", jac=True, bounds=bounds, options=options).x
    return found[:-1], float(np.exp(found[-1]))


def groups_of(X):
    """Columns of one category together, every other alone."""
    ends = level_columns(bo.data.ArrayRows(X, None, None, np.dtype(float)))
    together = [list(range(start, end)) for start, end in ends]
    return together + [[j] for j in range(X.shape[1]) if not any(j in group for group in together)]


def measured(table, fold, n_rows):
    rows = table.split(fold, n_rows)
    order = np.random.default_rng(0).permutation(len(rows.X))
    X, y, classes = rows.X[order], rows.y[order], table.task != "regression"
    model = (bo.KernelClassifier if classes else bo.KernelRegressor)(features="exact", random_state=0).fit(X, y)
    trees = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    native, native_test, categories = (
        table.native(fold, n_rows) if table.name.startswith("mixed") else (rows.X, rows.X_test, None)
    )
    rival = trees(random_state=0, categorical_features=categories).fit(native, rows.y).predict(native_test)
    start = time.process_time()
    predicted, errors = subset_model(model, X, y, rows.X_test, classes)
    return {
        "default": error(model.predict(rows.X_test), rows, classes),
        "subsets": error(predicted, rows, classes),
        "trees": error(rival, rows, classes),
        "left_out": errors,
        "chosen": "subsets" if errors["subsets"] < errors["default"] else "default",
        "cpu_seconds": time.process_time() - start,
    }


def subset_model(model, X, y, X_test, classes):
    """Predictions by the kernel over subsets, and leave-one-out errors of both."""
    warp = RankWarp.of(np.unique(X, axis=0)) if model.tuning_.warped else np.asarray
    centre, spread = X.mean(axis=0), np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    A, B = (warp(each) if model.tuning_.warped else (each - centre) / spread for each in (X, X_test))
    Y = (y[:, None] == np.arange(y.max() + 1)).astype(float) if classes else y[:, None].astype(float)
    mean, size = Y.mean(axis=0), np.sqrt(np.mean(Y.var(axis=0)))
    Y, kernel = (Y - mean) / size, SubsetKernel(groups_of(X))
    n = min(LEARNED, len(A) if len(A) < REFINED else LEARNED)
    theta, alpha = learned(kernel, A[:n], Y[:n])
    m = min(COMPARED, len(A))
    unseen = slice(REFINED if m > REFINED else 0, m)
    of_default = left_out(model.tuning_.kernel(warp(X[:m])), Y[:m], model.alpha_)[0]
    of_subsets = left_out(kernel(A[:m], A[:m], theta), Y[:m], alpha)[0]
    errors = {"default": of_default, "subsets": of_subsets}
    C = kernel(A, A, theta) + 1.0
    C[np.diag_indices(len(C))] += alpha
    scores = (kernel(B, A, theta) + 1.0) @ cho_solve(cho_factor(C, lower=True), Y) * size + mean
    squared = {name: float(np.mean(np.sum(each[unseen] ** 2, axis=1))) for name, each in errors.items()}
    return scores.argmax(axis=1) if classes else scores[:, 0], squared


def error(predicted, rows, classes):
    """Share that is wrong; or RMSE over that of the mean."""
    if classes:
        return float(np.mean(predicted != rows.y_test))
    return float(np.sqrt(np.mean((predicted - rows.y_test) ** 2) / np.mean((rows.y_test - rows.y.mean()) ** 2)))


def main():
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--folds", nargs="+", type=int, default=(0, 1, 2))
    parser.add_argument("--rows", type=int, default=2000)
    told = parser.parse_args()
    path = RESULTS / "subset_kernel.json"
    for name in told.names:
        for fold in told.folds:
            found = measured(TABLES[name], fold, told.rows)
            print(name, fold, found, flush=True)
            known = json.loads(path.read_text())["tables"] if path.exists() else {}
            known.setdefault(name, {})[str(fold)] = found
            write("subset_kernel", {"rows": told.rows, "tables": known})


if __name__ == "__main__":
    main()

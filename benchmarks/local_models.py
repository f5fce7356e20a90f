"""Would a tree of local models help: leaves along the top direction of the gradients, a default model in each?

    python benchmarks/local_models.py [protein california_housing diamonds kin40k] [--rows 8000] [--leaves 1 2 4 8]

As xRFM does (Beaglehole et al. 2025): rows are split at the median along the direction of the largest slopes (top
eigenvector of the average gradient outer product, columns in units of their spreads) of a model of 2,000 rows of the
node, again and again until there are so many leaves; every leaf has a default `KernelRegressor` of its own, which
learns its own kernel, scales and penalty. Routing is soft: a leaf is fitted to rows beyond its split too, a tenth of
the node's rows, and predictions of both sides are blended there, linearly. One leaf is the default model of all rows.
Fold 5; errors over the deviation of the target, and processor seconds of all fits. Results are added to
results/local_models.json.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass

import numpy as np
from default_tables import TABLES
from harness import RESULTS, write

import bochner as bo

NAMES = ("protein", "california_housing", "diamonds", "kin40k")
FOLD, PILOT, OVERLAP, LEVEL = 5, 2000, 0.1, 0.9


@dataclass(frozen=True)
class Split:
    """Two sides along a direction; between `low` and `high` both count."""

    direction: np.ndarray
    low: float
    high: float
    left: object
    right: object

    def share(self, X):
        """Weight of the right side."""
        return np.clip((X @ self.direction - self.low) / max(self.high - self.low, 1e-300), 0.0, 1.0)

    def predict(self, X):
        share, (left, right) = self.share(X), (side.predict(X) for side in (self.left, self.right))
        return [(1 - share) * a + share * b for a, b in zip(left, right)]


@dataclass(frozen=True)
class Leaf:
    model: bo.KernelRegressor

    def predict(self, X):
        mean, (low, high) = self.model.predict(X, return_interval=LEVEL)
        return [mean, low, high]


def grown(X, y, leaves):
    """A tree with so many leaves, a power of two."""
    if leaves == 1:
        return Leaf(bo.KernelRegressor(random_state=0).fit(X, y))
    pilot = bo.KernelRegressor(features="exact", random_state=0).fit(X[:PILOT], y[:PILOT])
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    slopes = pilot.gradient(X[:PILOT]) * spread
    direction = np.linalg.eigh(slopes.T @ slopes)[1][:, -1] / spread
    along = X @ direction
    low, high = np.quantile(along, (0.5 - OVERLAP, 0.5 + OVERLAP))
    sides = [grown(X[rows], y[rows], leaves // 2) for rows in (along <= high, along >= low)]
    return Split(direction, low, high, *sides)


def measured(rows, leaves):
    start = time.process_time()
    mean, low, high = grown(rows.X, rows.y, leaves).predict(rows.X_test)
    return {
        "rmse": float(np.sqrt(np.mean((mean - rows.y_test) ** 2)) / np.std(rows.y_test)),
        "covers": float(np.mean((low <= rows.y_test) & (rows.y_test <= high))),
        "cpu_seconds": time.process_time() - start,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--leaves", nargs="+", type=int, default=(1, 2, 4, 8))
    told = parser.parse_args()
    path = RESULTS / "local_models.json"
    for name in told.names:
        rows = TABLES[name].split(FOLD, told.rows, 10_000)
        for leaves in told.leaves:
            found = measured(rows, leaves)
            print(name, len(rows.y), leaves, found, flush=True)
            known = json.loads(path.read_text())["tables"] if path.exists() else {}
            sizes = known.get(name, {})
            sizes.setdefault(str(len(rows.y)), {})[str(leaves)] = found
            write("local_models", {"fold": FOLD, "tables": known | {name: sizes}})


if __name__ == "__main__":
    main()

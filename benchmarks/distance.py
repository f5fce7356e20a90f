"""The certified distance to exact kernel ridge at n = 2,000 to 36,000 against the distance itself: kin40k, D = 4,096.

    python benchmarks/distance.py [rows]

`certify(X, y=y)` after several numbers of products with the exact kernel, beside the distance itself: from the exact
solution by conjugate gradients, whose own limits say how well it is known (to 1e-8 of it). An upper limit must never be
below the truth, and be within 1.5 times of it after at most 25 products.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from accuracy import table
from harness import write

import bochner as bo
from bochner.solvers.exact_ridge import ExactRidge, Patience
from bochner.statistics.kernel_product import KernelProduct

WIDTH, PRODUCTS, SIZES = 4096, (4, 8, 16, 25), (2000, 9000, 36_000)


def truth(model, X, y):
    """Limits on the root mean square distance, from the exact solution, and the products it took."""
    exact = ExactRidge(KernelProduct(model.features_.kernel_, X), y[:, None], np.ones(len(X)), model.alpha_, True)
    found = exact.distance(model.predict(X)[:, None], Patience(tightness=1 + 1e-8, max_products=150))
    return found.root_mean_square(), found.n_products


def certified(model, X, y, **patience):
    start = time.perf_counter()
    certificate = model.certify(X, y=y, **patience)
    return {
        "products": certificate.details["n_products"],
        "at_least": certificate.at_least,
        "at_most": certificate.value,
        "seconds": time.perf_counter() - start,
    }


def compared(X, y):
    model = bo.KernelRegressor(n_components=WIDTH, length_scale="ard", alpha="evidence", random_state=0).fit(X, y)
    curve = [certified(model, X, y, tightness=1.0, max_products=products) for products in PRODUCTS]
    default = certified(model, X, y)
    (low, high), n_products = truth(model, X, y)
    for record in (*curve, default):
        record["over_truth"] = record["at_most"] / low
        record["holds"] = bool(record["at_least"] <= high and low <= record["at_most"])
    reached = [record for record in curve if record["products"] <= 25 and record["over_truth"] <= 1.5]
    return {
        "n": len(X), "n_components": WIDTH, "alpha": model.alpha_,
        "truth": {"at_least": low, "at_most": high, "products": n_products},
        "curve": curve, "default": default,
        "all_hold": all(record["holds"] for record in (*curve, default)),
        "within_1.5_by": min((record["products"] for record in reached), default=None),
    }  # fmt: skip


def main(n_rows: int) -> None:
    (X, y), _ = table("kin40k", 0)
    runs = [compared(X[:n], y[:n]) for n in SIZES if n <= n_rows]
    holds = all(run["all_hold"] for run in runs)
    write("distance", {"data": "kin40k", "runs": runs, "never_below_the_truth": holds})


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 36_000)

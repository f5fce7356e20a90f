"""Certificates of many rows: seconds and values of `certify(X, y=y)` at 100,000 and 1,000,000 rows.

Five columns, y = sin(2 x0) + 0.3 x1 x2 + noise of deviation 0.3, Gaussian kernel of length scale 2, 1,024 landmarks or
random features, penalties of 10^-4 and 10^-5 a row, 30 seconds each. Beside the limit on the distance from exact kernel
ridge: the error of the model on the rows, which the distance is to be compared with.
"""

from __future__ import annotations

import time

import numpy as np
from harness import write

import bochner as bo

SIZES, SECONDS, WIDTH, NOISE = (100_000, 1_000_000), 30, 1024, 0.3


def table(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 5))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] * X[:, 2] + NOISE * rng.standard_normal(n)


def study(n, features, penalty):
    X, y = table(n)
    settings = {"features": features, "n_components": WIDTH, "alpha": penalty * n, "random_state": 0}
    model = bo.KernelRegressor(bo.Gaussian(2.0), **settings).fit(X, y)
    start = time.perf_counter()
    certificate = model.certify(X, y=y, time_limit=SECONDS)
    return {
        "rows": n,
        "features": features,
        "penalty_of_a_row": penalty,
        "error": float(np.sqrt(np.mean((y - model.predict(X)) ** 2))),
        "distance_at_most": certificate.value,
        "distance_at_least": certificate.at_least,
        "bound": certificate.bound,
        "delta": certificate.delta,
        "sampled_rows": certificate.details.get("n_sampled"),
        "products": certificate.details.get("n_products"),
        "seconds": time.perf_counter() - start,
        "others": [other.statement for other in certificate.others],
    }


def main():
    found = []
    for n in SIZES:
        for features in ("nystroem", "fourier"):
            for penalty in (1e-4, 1e-5):
                found.append(study(n, features, penalty))
                print({name: value for name, value in found[-1].items() if name != "others"}, flush=True)
    write("certify_many_rows", {"time_limit": SECONDS, "n_components": WIDTH, "fits": found})


if __name__ == "__main__":
    main()

"""Power of two-sample tests at 500 rows of each sample: one bandwidth, five, twenty kernels, and the exact kernels.

Rejections at 0.05 on the same samples, 199 permutations. "exact, fused" is `length_scale="fuse"` with kernel matrices
in place of random features, "exact, aggregated" rejects by the smallest rank of the same twenty statistics, ranked
among those of the relabellings (MMDAgg with equal weights). Differences of 0.1 are noise at 30 repeats.

`--rows 4096` takes more rows, and differences that shrink as their root, beside the aggregated test of goodpoints
(Compress Then Test; Domingo-Enrich, Dwivedi & Mackey 2023) where it is installed, at ten bandwidths of the Gaussian
kernel. Exact kernels would take hours there. A killed run goes on with the alternative where it ended. `--small` runs a
few repeats, and nothing is written.
"""

from __future__ import annotations

import argparse
import json
from contextlib import redirect_stdout
from importlib.util import find_spec

import numpy as np
from harness import RESULTS, write
from scipy.spatial.distance import pdist

import bochner as bo
from bochner.comparison.kernel_choice import candidates
from bochner.comparison.pool import GramPool
from bochner.comparison.resampling import Relabelling, fused, p_value

N, RESAMPLES = 500, 199


def waves(rng, d, height, periods, n=N):
    """Rows of density 1 + height * prod_j sin(2 pi periods x_j) on the unit cube."""
    X = rng.random((8 * n, d))
    density = 1 + height * np.prod(np.sin(2 * np.pi * periods * X), axis=1)
    return X[rng.random(len(X)) * (1 + height) < density][:n]


def normal(rng, d=10, n=N):
    return rng.standard_normal((n, d))


def correlated(rng, d=5, r=0.3):
    X = normal(rng, d)
    X[:, 1] = r * X[:, 0] + np.sqrt(1 - r**2) * X[:, 1]
    return X


ALTERNATIVES = {
    "mean of one of 10 columns": lambda rng: (normal(rng), normal(rng) + 0.3 * np.eye(10)[0]),
    "spread of one of 10 columns": lambda rng: (normal(rng), normal(rng) * np.r_[1.4, np.ones(9)]),
    "tails of 5 columns": lambda rng: (normal(rng, 5), rng.standard_t(5, (N, 5)) * np.sqrt(3 / 5)),
    "correlation of 2 of 5 columns": lambda rng: (normal(rng, 5), correlated(rng)),
    "2 waves in 1 column": lambda rng: (rng.random((N, 1)), waves(rng, 1, 0.3, 2)),
    "5 waves in 1 column": lambda rng: (rng.random((N, 1)), waves(rng, 1, 0.42, 5)),
    "waves in 2 columns": lambda rng: (rng.random((N, 2)), waves(rng, 2, 0.6, 1)),
    "nothing": lambda rng: (normal(rng, 5), normal(rng, 5)),
}


def more_rows(n):
    """Alternatives of n rows that are as far from the null hypothesis, in standard errors, as those of N."""
    size = np.sqrt(N / n)
    return {
        "mean of one of 10 columns": lambda rng: (normal(rng, n=n), normal(rng, n=n) + 0.3 * size * np.eye(10)[0]),
        "spread of one of 10 columns": lambda rng: (
            normal(rng, n=n),
            normal(rng, n=n) * np.r_[1 + 0.4 * size, np.ones(9)],
        ),
        "5 waves in 1 column": lambda rng: (rng.random((n, 1)), waves(rng, 1, 0.42 * size, 5, n)),
        "nothing": lambda rng: (normal(rng, 5, n), normal(rng, 5, n)),
    }


def goodpoints(X, Y, seed):
    """Whether the aggregated Compress Then Test rejects, at ten bandwidths around the median distance."""
    from goodpoints.ctt import actt

    rows = np.vstack([X, Y])[np.random.default_rng(seed).permutation(len(X) + len(Y))[:500]]
    bandwidths = np.median(pdist(rows)) * np.geomspace(0.1, 3, 10)
    weights = np.full(10, 0.1)
    with redirect_stdout(None):
        result = actt(X, Y, g=4, lam=bandwidths, weights=weights, null_seed=seed, statistic_seed=seed, alpha=0.05)
    return bool(result.rejects)


def linear_pvalues(X, Y, seed):
    """p-values of the tests whose time is linear in the rows; of goodpoints 0 or 1, by whether it rejects."""
    setting = {"n_resamples": RESAMPLES, "rng": seed}
    found = {
        "one bandwidth": bo.mmd_test(X, Y, **setting).pvalue,
        "aggregate": bo.mmd_test(X, Y, length_scale="aggregate", **setting).pvalue,
        "fuse": bo.mmd_test(X, Y, length_scale="fuse", **setting).pvalue,
    }
    return found | ({"goodpoints, aggregated": float(not goodpoints(X, Y, seed))} if find_spec("goodpoints") else {})


def exact_statistics(X, Y, seed):
    """Squared MMD (20, 1 + B) of the twenty kernels, by their matrices."""
    kernels = candidates("mmd_test", None, "fuse", (), X, Y, seed)
    relabelling = Relabelling((len(X), len(Y)), "permutation", RESAMPLES, seed)
    return np.array([GramPool.of(X, Y, kernel).squared_mmd(relabelling, "unbiased") for kernel in kernels])


def smallest_rank(statistics):
    """Minus the smallest rank of a relabelling over the kernels, the largest statistic having rank 1."""
    ranks = np.argsort(np.argsort(-statistics, axis=1), axis=1)
    return -ranks.min(axis=0).astype(float)


def pvalues(X, Y, seed):
    setting = {"n_resamples": RESAMPLES, "rng": seed}
    statistics = exact_statistics(X, Y, seed)
    return {
        "one bandwidth": bo.mmd_test(X, Y, **setting).pvalue,
        "aggregate": bo.mmd_test(X, Y, length_scale="aggregate", **setting).pvalue,
        "fuse": bo.mmd_test(X, Y, length_scale="fuse", **setting).pvalue,
        "exact, fused": p_value(fused(statistics), 1e-8),
        "exact, aggregated": p_value(smallest_rank(statistics), 0.0),
    }


def power(draw, repeats, pvalues=pvalues):
    counts: dict[str, int] = {}
    for repeat in range(repeats):
        found = pvalues(*draw(np.random.default_rng([5, repeat])), repeat)
        counts = {name: counts.get(name, 0) + int(value <= 0.05) for name, value in found.items()}
    return {name: count / repeats for name, count in counts.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true", help="three repeats; nothing is written")
    parser.add_argument("--rows", type=int, default=N)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--only", nargs="+", help="some of the alternatives: 10^5 rows take a minute each time")
    given = parser.parse_args()
    repeats, n = 3 if given.small else given.repeats, given.rows
    record = {"n": n, "resamples": RESAMPLES, "repeats": repeats, "level": 0.05, "power": {}}
    path = RESULTS / ("power.json" if n == N else f"power_{n}.json")
    if path.exists() and not given.small:
        known = json.loads(path.read_text())
        record["power"] = known["power"] if known["repeats"] == repeats else {}
    for name, draw in (ALTERNATIVES if n == N else more_rows(n)).items():
        if name not in record["power"] and name in (given.only or [name]):
            record["power"][name] = power(draw, repeats, pvalues if n == N else linear_pvalues)
            print(name, record["power"][name], flush=True)
            if not given.small:
                with redirect_stdout(None):
                    write(path.stem, record)


if __name__ == "__main__":
    main()

"""Power of two-sample tests at 500 rows of each sample: one bandwidth, five, twenty kernels, and the exact kernels.

Rejections at 0.05 on the same samples, 199 permutations. "exact, fused" is `length_scale="fuse"` with kernel matrices
in place of random features, "exact, aggregated" rejects by the smallest rank of the same twenty statistics, ranked
among those of the relabellings (MMDAgg with equal weights). Differences of 0.1 are noise at 30 repeats.

`--small` runs a few repeats, and nothing is written.
"""

from __future__ import annotations

import argparse

import numpy as np
from harness import write

import bochner as bo
from bochner.comparison.kernel_choice import candidates
from bochner.comparison.pool import GramPool
from bochner.comparison.resampling import Relabelling, fused, p_value

N, RESAMPLES = 500, 199


def waves(rng, d, height, periods):
    """Rows of density 1 + height * prod_j sin(2 pi periods x_j) on the unit cube."""
    X = rng.random((8 * N, d))
    density = 1 + height * np.prod(np.sin(2 * np.pi * periods * X), axis=1)
    return X[rng.random(len(X)) * (1 + height) < density][:N]


def normal(rng, d=10):
    return rng.standard_normal((N, d))


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


def power(draw, repeats):
    counts: dict[str, int] = {}
    for repeat in range(repeats):
        found = pvalues(*draw(np.random.default_rng([5, repeat])), repeat)
        counts = {name: counts.get(name, 0) + int(value <= 0.05) for name, value in found.items()}
    return {name: count / repeats for name, count in counts.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true", help="three repeats; nothing is written")
    small = parser.parse_args().small
    repeats = 3 if small else 30
    found = {}
    for name, draw in ALTERNATIVES.items():
        found[name] = power(draw, repeats)
        print(name, found[name], flush=True)
    if not small:
        write("power", {"n": N, "resamples": RESAMPLES, "repeats": repeats, "level": 0.05, "power": found})


if __name__ == "__main__":
    main()

"""Two-sample tests: against the exact kernel and peers at n = 8,000 per sample, and one million rows per sample.

- 999 permutations at n = 8,000, d = 10: `mmd_test` against the exact-kernel test (its kernel matrix computed once, all
  permutations in matrix products) and a loop over the permutations of a kernel matrix in memory, as peers have it.
  Powers on the same samples stand beside. hyppo, where it is installed, at n = 500.
- One million rows per sample, d = 10, D = 1024, float32, 999 permutations, against the two feature means alone; peak
  memory beyond the samples.

`--small` runs the same at sizes for a look.
"""

from __future__ import annotations

import argparse
import resource

import numpy as np
from harness import interleaved, once, write

import bochner as bo

RESAMPLES = 999
DIMENSION = 10
KERNEL = bo.Gaussian(float(np.sqrt(2 * DIMENSION)))
LOOPED = 20  # permutations of the loop that are timed


def samples(n, seed=0, shift=0.0, dtype=float):
    rng = np.random.default_rng(seed)
    X, Y = (rng.standard_normal((n, DIMENSION), dtype=dtype) for _ in range(2))
    Y[:, 0] += shift
    return X, Y


def looped(K, n, n_resamples, seed=0):
    """A pass over the kernel matrix for every permutation."""
    rng, signs = np.random.default_rng(seed), np.r_[np.ones(n), -np.ones(n)] / n
    observed = signs @ K @ signs
    null = [(s := signs[rng.permutation(2 * n)]) @ K @ s for _ in range(n_resamples)]
    return (1 + np.sum(np.array(null) >= observed)) / (1 + n_resamples)


def against_exact(n):
    X, Y = samples(n)
    setting = {"kernel": KERNEL, "n_resamples": RESAMPLES, "rng": 0}
    seconds = interleaved(
        {
            "ours": lambda: bo.mmd_test(X, Y, **setting),
            "ours, aggregated": lambda: bo.mmd_test(X, Y, length_scale="aggregate", **setting),
        },
        repeats=3,
    )
    seconds["exact statistic alone"] = once(lambda: bo.mmd(X, Y, kernel=KERNEL, n_components="exact"))
    seconds["exact, all permutations in one product"] = once(lambda: bo.mmd_test(X, Y, n_components="exact", **setting))
    K = KERNEL(np.vstack([X, Y]))
    seconds["exact, a pass for every permutation"] = RESAMPLES / LOOPED * once(lambda: looped(K, n, LOOPED))
    return {
        "n": n, "seconds": seconds, "looped_measured": LOOPED,
        "faster_than_exact": seconds["exact, all permutations in one product"] / seconds["ours"],
        "faster_than_looped": seconds["exact, a pass for every permutation"] / seconds["ours"],
    }  # fmt: skip


def against_hyppo(n):
    """hyppo's MMD test with one worker, where it is installed; at a size that it finishes."""
    try:
        from hyppo.ksample import MMD
    except ImportError:
        return None
    X, Y = samples(n)
    contestants = {
        "ours": lambda: bo.mmd_test(X, Y, kernel=KERNEL, n_resamples=RESAMPLES, rng=0),
        "hyppo": lambda: MMD(gamma=1 / (4 * DIMENSION)).test(X, Y, reps=RESAMPLES, workers=1, auto=False),
    }
    seconds = interleaved(contestants, repeats=1)
    return {"n": n, "seconds": seconds, "faster_than_hyppo": seconds["hyppo"] / seconds["ours"]}


def powers(n, shift, repeats):
    """Rejections at 0.05 of ours and of the exact kernel on the same samples, with 99 permutations."""
    counts = {"ours": 0, "exact": 0}
    for seed in range(repeats):
        X, Y = samples(n, seed, shift)
        for name, width in (("ours", "auto"), ("exact", "exact")):
            result = bo.mmd_test(X, Y, kernel=KERNEL, n_components=width, n_resamples=99, rng=seed)
            counts[name] += result.pvalue <= 0.05
    return {"n": n, "shift": shift, "repeats": repeats, **{name: count / repeats for name, count in counts.items()}}


def against_means(n, repeats):
    X, Y = samples(n, dtype=np.float32)
    like = bo.mean_map(X[:10], kernel=KERNEL, n_components=1024, rng=0)

    def means():
        return bo.mean_map(X, like=like), bo.mean_map(Y, like=like)

    def test():
        return bo.mmd_test(X, Y, kernel=KERNEL, n_components=1024, n_resamples=RESAMPLES, rng=0)

    means()  # loads and compiles what both use
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    test()
    growth = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    seconds = interleaved({"ours": test, "two feature means": means}, repeats)
    return {
        "n": n, "n_components": 1024, "dtype": "float32", "seconds": seconds,
        "times_feature_means": seconds["ours"] / seconds["two feature means"],
        "peak_growth_bytes": growth,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true", help="sizes for a look; nothing is written")
    small = parser.parse_args().small
    # The memory of the large samples is measured first: peaks only grow.
    large = against_means(50_000 if small else 1_000_000, repeats=1 if small else 3)
    record = {
        "d": DIMENSION, "resamples": RESAMPLES, "large": large,
        "against_exact": against_exact(800 if small else 8000),
        "hyppo": against_hyppo(100 if small else 500),
        "power": powers(400 if small else 8000, 0.2 if small else 0.05, 10 if small else 20),
    }  # fmt: skip
    if small:
        print(record)
    else:
        write("two_sample", record)


if __name__ == "__main__":
    main()

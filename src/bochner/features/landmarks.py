"""Choice of landmarks among candidate rows: uniform, by leverage, by pivoting, or centres of k-means."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bochner._typing import Array
from bochner.features.nystroem import KernelMap, leverage_of_rows
from bochner.features.pivoting import pivoted_rows

__all__ = ["LANDMARK_RULES", "choose_landmarks"]

LANDMARK_RULES = ("pivoted", "uniform", "leverage", "kmeans")
"""Names of the rules."""

_ITERATIONS = 30  # of k-means


def choose_landmarks(
    rule: str, candidates: Array, towards: Callable[[Array], KernelMap], size: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Landmarks (size, d), and candidates that are none, which tell how much of the kernel the landmarks see.

    Parameters
    ----------
    rule : {"pivoted", "uniform", "leverage", "kmeans"}
    candidates : array of shape (N, d), float64
        In random order.
    towards : callable
        Kernel values against points.
    size : int
        At most N. All candidates are landmarks if it is N.
    rng : Generator
    """
    if rule == "uniform" or size == len(candidates):
        return candidates[:size], candidates[size:]
    if rule == "kmeans":
        return _centres(candidates, towards, size, rng), candidates
    if rule == "pivoted":
        chosen = pivoted_rows(candidates, towards, size, rng)
    else:
        scores = leverage_of_rows(candidates, towards(candidates[:size]), max(1, size // 4))
        chosen = rng.choice(len(candidates), size, replace=False, p=scores / scores.sum())
    return candidates[chosen], np.delete(candidates, chosen, axis=0)


def _centres(rows: Array, towards: Callable[[Array], KernelMap], size: int, rng: np.random.Generator) -> Array:
    """Centres of k-means in the kernel's coordinates (Zhang, Tsang & Kwok 2008); rows in place of empty clusters."""
    from sklearn.cluster import MiniBatchKMeans

    profile = towards(rows[:1]).kernel.without_factor().of_distance()
    clusters = MiniBatchKMeans(
        size, random_state=int(rng.integers(2**31)), batch_size=max(1024, 2 * size), n_init=1, max_iter=_ITERATIONS
    )
    labels = clusters.fit_predict(rows if profile is None else profile.coordinates(rows))
    present, counts = np.unique(labels, return_counts=True)
    sums = np.zeros((size, rows.shape[1]))
    np.add.at(sums, labels, rows)
    empty = np.setdiff1d(np.arange(size), present)
    sums[empty] = rows[rng.choice(len(rows), len(empty), replace=False)]
    sums[present] /= counts[:, None]
    return sums

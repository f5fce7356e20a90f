"""Errors of random features in small problems whose truth is known: many independent draws at a time.

Frequencies come from the spectral measure itself, features are written out: nothing here is shared with the bounds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bochner.kernels import Gaussian, Stationary
from bochner.sampling import Orthogonal

Draws = Callable[[np.random.Generator, int], np.ndarray]
"""(generator, number of draws) -> one error of each draw."""

GAUSSIAN = Gaussian()
CLUSTERS = np.array([[0.0, 0.0], [0.05, 0.0], [3.0, 0.0], [3.0, 0.05]])
"""Two far clusters: mean maps have nothing to average out, and errors are as large as they get."""
POINTS = np.array([[0.0, 0.0], [0.05, 0.05], [1.5, -0.5], [-1.0, 2.0]])
LINE = np.linspace(-3, 3, 41)[:, None]
UNIT = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0], [-0.6, 0.0, 0.8]])


def frequencies(kernel: Stationary, size: int, m: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Independent frequencies, shape (size, m, d)."""
    measure = kernel.spectral_measure(d)
    points, uniforms = rng.standard_normal((size * m, measure.n_vectors, d)), rng.random((size * m, measure.n_uniforms))
    return measure.frequencies(points, uniforms).reshape(size, m, d)


def n_frequencies(width: int, embedding: str) -> int:
    return width // 2 if embedding == "paired" else width


def grams(kernel: Stationary, X: np.ndarray, width: int, embedding: str, rng, size: int) -> np.ndarray:
    """Random approximations of kernel(X), shape (size, n, n)."""
    m = n_frequencies(width, embedding)
    phases = np.einsum("nd,smd->snm", X, frequencies(kernel, size, m, X.shape[1], rng))
    if embedding == "paired":
        Z = np.concatenate([np.cos(phases), np.sin(phases)], axis=2) / np.sqrt(m)
    else:
        Z = np.sqrt(2 / m) * np.cos(phases + rng.uniform(0, 2 * np.pi, (size, 1, m)))
    return kernel.variance * Z @ Z.transpose(0, 2, 1)


def summands(kernel: Stationary, difference, width: int, embedding: str, rng, size: int) -> np.ndarray:
    """What is averaged over the frequencies at one difference, shape (size, m)."""
    m = n_frequencies(width, embedding)
    values = np.cos(frequencies(kernel, size, m, len(difference), rng) @ np.asarray(difference))
    return values if embedding == "paired" else values + np.cos(rng.uniform(0, 2 * np.pi, values.shape))


def at_a_pair(kernel: Stationary, difference, width: int, embedding: str) -> Draws:
    exact = kernel.at(np.asarray(difference))
    return lambda rng, size: np.abs(
        kernel.variance * summands(kernel, difference, width, embedding, rng, size).mean(axis=1) - exact
    )


def over_pairs(kernel: Stationary, X: np.ndarray, width: int, embedding: str) -> Draws:
    """The largest error over all pairs of points."""
    exact = kernel(X)
    return lambda rng, size: np.abs(grams(kernel, X, width, embedding, rng, size) - exact).max(axis=(1, 2))


def sketched(X: np.ndarray, width: int) -> Draws:
    """The largest error of a dot product of unit vectors after a linear sketch."""

    def draw(rng, size):
        Z = np.einsum("nd,smd->snm", X, rng.standard_normal((size, width, X.shape[1]))) / np.sqrt(width)
        return np.abs(Z @ Z.transpose(0, 2, 1) - X @ X.T).max(axis=(1, 2))

    return draw


def mean_square(kernel: Stationary, X: np.ndarray, width: int, embedding: str) -> Draws:
    exact = kernel(X)
    return lambda rng, size: np.mean((grams(kernel, X, width, embedding, rng, size) - exact) ** 2, axis=(1, 2))


def mean_map(width: int, embedding: str) -> Draws:
    exact = GAUSSIAN(CLUSTERS)[:2, 2:].mean()
    return lambda rng, size: np.abs(
        grams(GAUSSIAN, CLUSTERS, width, embedding, rng, size)[:, :2, 2:].mean(axis=(1, 2)) - exact
    )


def squared_mmd(width: int, embedding: str, unbiased: bool) -> Draws:
    """Error of the squared MMD between the two clusters of two rows each."""
    signs = np.array([0.5, 0.5, -0.5, -0.5])
    weights = np.outer(signs, signs)
    if unbiased:
        weights = np.where(weights > 0, 2 * weights, weights) * (1 - np.eye(4))
    exact = np.sum(weights * GAUSSIAN(CLUSTERS))
    return lambda rng, size: np.abs(
        np.sum(weights * grams(GAUSSIAN, CLUSTERS, width, embedding, rng, size), axis=(1, 2)) - exact
    )


def hsic(width: int) -> Draws:
    """Error of the biased HSIC of four pairs of numbers, with frequencies in pairs."""
    x, y, n = np.array([-1.5, -0.5, 0.5, 1.5]), np.array([-1.5, -0.5, 0.5, 1.5]), 4
    H = np.eye(n) - 1 / n
    exact = np.trace(GAUSSIAN(x[:, None]) @ H @ GAUSSIAN(y[:, None]) @ H) / n**2

    def draw(rng, size):
        omega, nu = rng.standard_normal((2, size, width // 2, 1))
        a, b = np.exp(1j * omega * x), np.exp(1j * nu * y)
        a, b = a - a.mean(axis=2, keepdims=True), b - b.mean(axis=2, keepdims=True)
        plus, minus = (a * b).mean(axis=2), (a * b.conj()).mean(axis=2)
        return np.abs(np.mean(np.abs(plus) ** 2 + np.abs(minus) ** 2, axis=1) / 2 - exact)

    return draw


def orbit(width: int, embedding: str, n_transforms: int | None) -> Draws:
    """Largest error of the orbit kernel of {1, -1} over points: averaged in full, or over sampled signs."""
    exact = (GAUSSIAN(POINTS) + GAUSSIAN(POINTS, -POINTS)) / 2

    def draw(rng, size):
        if n_transforms is None:
            share = np.full((size, 1), 0.5)
        else:
            share = rng.binomial(n_transforms, 0.5, (size, 1)) / n_transforms
        both = grams(GAUSSIAN, np.vstack([POINTS, -POINTS]), width, embedding, rng, size)
        average = np.concatenate([share * np.ones((1, 4)), (1 - share) * np.ones((1, 4))], axis=1)
        weighted = (average[:, :, None] * both * average[:, None, :]).reshape(size, 2, 4, 2, 4)
        return np.abs(weighted.sum(axis=(1, 3)) - exact).max(axis=(1, 2))

    return draw


def orthogonal(d: int, differences, *, m: int | None = None, kernel=GAUSSIAN) -> Draws:
    """Largest error at some differences with m orthogonal frequencies, one block of d by default, paired."""
    differences = np.atleast_2d(differences)
    measure, exact = kernel.spectral_measure(d), kernel.at(differences)

    def one(seed: int) -> float:
        omega = Orthogonal().draw(measure, m or d, d, seed).omega
        return float(np.abs(np.cos(omega @ differences.T).mean(axis=0) - exact).max())

    return lambda rng, size: np.array([one(int(seed)) for seed in rng.integers(2**32, size=size)])

"""Slow and obvious implementations, to compare with."""

from __future__ import annotations

import numpy as np


def fourier_features(projection, amplitude, phase, out):
    pairs = projection.shape[1] - len(phase)
    paired, phased = projection[:, :pairs], projection[:, pairs:]
    out[:, :pairs] = amplitude[:pairs] * np.cos(paired)
    out[:, pairs : 2 * pairs] = amplitude[:pairs] * np.sin(paired)
    out[:, 2 * pairs :] = amplitude[pairs:] * np.cos(phased + phase)


def narrow_fourier_features(X, omega_t, amplitude, phase, out, projection):
    fourier_features(X @ omega_t, amplitude, phase, out)


def absorb_gram(total, gram, mean, weight, shift, factor):
    lower = np.tril_indices(len(total))
    added = gram - weight * np.outer(mean, mean) + factor * np.outer(shift, shift)
    total[lower] += added[lower]


def moments(Z, Y, w):
    """Weight, means and centred second moments, from the definition."""
    Z, Y = np.asarray(Z, dtype=float), np.asarray(Y, dtype=float)
    weight = w.sum()
    z_mean, y_mean = w @ Z / weight, w @ Y / weight
    Zc, Yc = Z - z_mean, Y - y_mean
    return weight, z_mean, y_mean, (Zc * w[:, None]).T @ Zc, (Zc * w[:, None]).T @ Yc, w @ Yc**2


def ridge(Z, Y, w, alpha, intercept):
    """Coefficients and intercept of weighted ridge regression, by the normal equations."""
    _, z_mean, y_mean, G, c, _ = moments(Z, Y, w)
    if not intercept:
        G, c = (Z * w[:, None]).T @ Z, (Z * w[:, None]).T @ Y
        z_mean, y_mean = np.zeros_like(z_mean), np.zeros_like(y_mean)
    coef = np.linalg.solve(G + alpha * np.eye(len(G)), c)
    return coef, y_mean - z_mean @ coef


def leave_one_out(Z, Y, w, alpha, intercept):
    """Mean squared leave-one-out error by refitting: a weight counts copies, of which one is left out."""
    total = 0.0
    for i in range(len(Z)):
        rest = w.copy()
        rest[i] -= 1
        coef, offset = ridge(Z, Y, rest, alpha, intercept)
        total += w[i] * np.sum((Y[i] - offset - Z[i] @ coef) ** 2)
    return total / (w.sum() * Y.shape[1])


def log_evidence(Z, y, alpha, variance):
    """Log density of y under N(0, variance (Z Z'/alpha + I))."""
    covariance = variance * (Z @ Z.T / alpha + np.eye(len(Z)))
    _, log_det = np.linalg.slogdet(covariance)
    return -0.5 * (y @ np.linalg.solve(covariance, y) + log_det + len(y) * np.log(2 * np.pi))


def orbit_pairs(projection, amplitude, weights, out, cosine_at, sine_at):
    w = len(amplitude)
    moved = projection.reshape(len(projection), len(weights), w)
    out[:, cosine_at : cosine_at + w] = amplitude * np.einsum("g,ngw->nw", weights, np.cos(moved))
    out[:, sine_at : sine_at + w] = amplitude * np.einsum("g,ngw->nw", weights, np.sin(moved))


def orbit_phases(projection, amplitude, phase, weights, out, at):
    w = len(amplitude)
    moved = projection.reshape(len(projection), len(weights), w) + phase
    out[:, at : at + w] = amplitude * np.einsum("g,ngw->nw", weights, np.cos(moved))


def row_identity(X, Y, weight):
    """`RowIdentity` of dense rows, number by number."""
    from bochner.statistics import RowIdentity
    from bochner.statistics.identity import _keys

    mask = 2**64 - 1

    def mixed(h):
        h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & mask
        h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & mask
        return h ^ (h >> 31)

    def bits(value):
        return int(np.float64(value + 0.0).view(np.uint64))

    def hashed(values, keys):
        return sum((bits(v) ^ (bits(v) >> 32)) * int(key) for v, key in zip(values, keys)) & mask

    sums = [[0, 0], [0, 0], [0, 0]]
    for x, y, w in zip(X, Y, weight):
        if w == 0:
            continue
        for lane in (0, 1):
            row = mixed((hashed(x, _keys(X.shape[1], 0)[lane]) + lane + 1) & mask)
            weighted = mixed(row ^ mixed((bits(w) + lane + 1) & mask))
            labelled = mixed(weighted ^ mixed((hashed(y, _keys(Y.shape[1], 1)[lane]) + lane + 1) & mask))
            for total, added in zip(sums, (row, weighted, labelled)):
                total[lane] += added
    parts = [tuple(value & mask for value in pair) for pair in sums]
    return RowIdentity(int(np.count_nonzero(weight)), *parts)

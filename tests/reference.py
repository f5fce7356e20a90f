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


def leave_one_out(Z, Y, w, alpha, intercept, copies=True):
    """Mean squared leave-one-out error by refitting: a weight counts copies, of which one is left out, or does not."""
    total = 0.0
    for i in range(len(Z)):
        rest = w.copy()
        rest[i] -= 1 if copies else w[i]
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


def dual_sweep(
    Z,
    order,
    signs,
    targets,
    active,
    squares,
    diagonal,
    weight,
    upper,
    share,
    dual,
    W,
    bias,
    alpha,
    constant,
    first,
    last,
):
    for i in order:
        for c in range(first, last):
            if active[i, c]:
                y, old = signs[i, c], dual[i, c]
                slope = targets[i] - diagonal[i] * old - y * (Z[i] @ W[c] + bias[c])
                low, high = (share[c] - 1) * weight[i], share[c] * upper[i]
                dual[i, c] = np.clip(old + slope / (squares[i] / alpha + diagonal[i]), low, high)
                step = (dual[i, c] - old) * y / alpha
                W[c] += step * Z[i]
                bias[c] += constant * step


def class_scores(scores):
    """Scores of all classes: a column of zeros before a single one."""
    return np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores


def logistic_objective(Z, labels, w, alpha, coef, intercept):
    """sum_i w_i log(sum_c exp(s_ic) / exp(s_iy)) + alpha/2 ||coef||^2, row by row."""
    total = 0.5 * alpha * np.sum(coef**2)
    for s, y, weight in zip(class_scores(Z @ coef + intercept), labels, w):
        total += weight * (np.log(np.sum(np.exp(s - s.max()))) + s.max() - s[y])
    return total


def logistic_gradient(Z, labels, w, alpha, coef, intercept):
    """Gradient of `logistic_objective` in coef and in the intercept."""
    scores = class_scores(Z @ coef + intercept)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    residual = (w[:, None] * (p - np.eye(p.shape[1])[labels]))[:, -coef.shape[1] :]
    return Z.T @ residual + alpha * coef, residual.sum(axis=0)


def logistic_minimum(Z, labels, w, alpha, columns, intercept):
    """Minimiser of `logistic_objective` by SciPy: coef (D, k) and intercept (k,)."""
    from scipy.optimize import minimize

    D = Z.shape[1]

    def split(theta):
        theta = theta.reshape(D + 1, columns)
        return theta[:-1], theta[-1] * intercept

    def value_and_gradient(theta):
        coef, offset = split(theta)
        in_coef, in_offset = logistic_gradient(Z, labels, w, alpha, coef, offset)
        return logistic_objective(Z, labels, w, alpha, coef, offset), np.vstack(
            [in_coef, in_offset * intercept]
        ).ravel()

    start, options = np.zeros((D + 1) * columns), {"gtol": 1e-10, "ftol": 1e-16, "maxiter": 5000}
    return split(minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options=options).x)


def hinge_objective(Z, signs, w, alpha, coef, intercept, squared):
    """sum_i w_i max(0, 1 - y_i s_i)^p + alpha/2 (||coef||^2 + intercept^2) of every column."""
    violation = np.maximum(0, 1 - signs * (Z @ coef + intercept)) ** (2 if squared else 1)
    return w @ violation + 0.5 * alpha * (np.sum(coef**2, axis=0) + intercept**2)


def hinge_minimum(Z, y, w, alpha, intercept, squared):
    """The least objective of one column: the maximum of the dual, a quadratic in a box, by SciPy."""
    from scipy.optimize import minimize

    Z, y, w = Z[w > 0], y[w > 0], w[w > 0]
    signed = y[:, None] * np.column_stack([Z, np.full(len(Z), float(intercept))])
    Q = signed @ signed.T / alpha + np.diag(0.5 / w if squared else np.zeros(len(w)))
    box = [(0, None if squared else weight) for weight in w]
    options = {"gtol": 1e-12, "ftol": 1e-18, "maxiter": 20000, "maxfun": 10**6}
    loss = lambda beta: (0.5 * beta @ Q @ beta - beta.sum(), Q @ beta - 1)  # noqa: E731
    return -minimize(loss, np.zeros(len(w)), jac=True, bounds=box, method="L-BFGS-B", options=options).fun


def derivative(function, at, direction, step=1e-5):
    """Central difference along a direction: an error of order step^2, and rounding over step."""
    return (function(at + step * direction) - function(at - step * direction)) / (2 * step)


def additive_features(X, logs, frequencies, amplitude, phaseless, out):
    columns = []
    for k, frequency in enumerate(frequencies):
        height = amplitude[k] * np.sqrt(X)
        columns.append(height * np.cos(frequency * logs))
        if not (phaseless and k == 0):
            columns.append(height * np.sin(frequency * logs))
    out[...] = np.hstack(columns)


def multiply_factors(factors, counts, out):
    for count, part in zip(counts, np.split(factors, np.cumsum(counts)[:-1], axis=1)):
        out[:, :count] *= part


def differing_bits(first, second):
    return np.bitwise_count(first[:, None] ^ second[None]).sum(axis=2)

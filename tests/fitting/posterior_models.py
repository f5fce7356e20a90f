"""Small ridge models of every kind, and the posterior law that they should have, from dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

from bochner import FourierFeatures, Gaussian, GridFeatures, KernelRegressor, Matern, NystroemFeatures, WarpedFeatures
from bochner.features import transform

ALPHA = 0.1
WEIGHT = np.random.default_rng(3).uniform(0.5, 2.0, 40)

_DOUBLE = np.dtype(float)


def table(d=2):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (40, d))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, -1] + 0.1 * rng.standard_normal(40)


def fourier(**options):
    features = FourierFeatures(Gaussian(1.2), random_state=0, **{"n_components": 48, **options})
    return KernelRegressor(features=features, alpha=ALPHA)


def nystroem(kernel, **options):
    return KernelRegressor(features=NystroemFeatures(kernel, n_components=15, random_state=0), alpha=ALPHA, **options)


MODELS = {
    "paired": lambda: fourier(),
    "phase": lambda: fourier(embedding="phase"),
    "odd width": lambda: fourier(n_components=47),
    "orthogonal": lambda: fourier(sampling="orthogonal"),
    "structured": lambda: fourier(sampling="sorf"),
    "without intercept": lambda: fourier().set_params(fit_intercept=False),
    "scale a column": lambda: KernelRegressor(
        Matern(nu=2.5), features="fourier", n_components=48, length_scale=[1.0, 3.0], alpha=ALPHA, random_state=0
    ),
    "conjugate gradients": lambda: fourier().set_params(solver="iterative"),
    "landmarks": lambda: nystroem(Gaussian(1.0)),
    "rough landmarks": lambda: nystroem(Matern([1.0, 2.0], nu=1.5), fit_intercept=False),
    "exact": lambda: KernelRegressor(Gaussian(), features="exact", length_scale=1.0, alpha=ALPHA, random_state=0),
    "exact, no intercept": lambda: KernelRegressor(
        Matern(nu=1.5), features="exact", length_scale=1.0, alpha=ALPHA, fit_intercept=False, random_state=0
    ),
    "exact, iterative": lambda: KernelRegressor(
        Gaussian(), features="exact", length_scale=1.0, alpha=ALPHA, solver="iterative", random_state=0
    ),
    "warped columns": lambda: KernelRegressor(
        features=WarpedFeatures(FourierFeatures(Gaussian(1.0), n_components=48, random_state=0)), alpha=ALPHA
    ),
    "warped landmarks": lambda: KernelRegressor(
        features=WarpedFeatures(NystroemFeatures(Matern(1.0, nu=2.5), n_components=15, random_state=0)), alpha=ALPHA
    ),
}


def fitted(kind, weight=WEIGHT):
    return MODELS[kind]().fit(*table(), sample_weight=weight)


def grid_model(direct):
    """A model on a grid of frequencies, by its moments or by transforms, and its rows."""
    pytest.importorskip("finufft")
    X = np.random.default_rng(0).uniform(0, 4, (60, 1))
    if direct:
        model = KernelRegressor(features=GridFeatures(Gaussian(1.0)), alpha=ALPHA)
    else:
        model = KernelRegressor(Gaussian(), features="grid", length_scale=1.0, alpha=ALPHA, random_state=0)
    return model.fit(X, np.sin(2 * X[:, 0])), X


def dense_posterior(model, X, weight, at):
    """Mean-free law (cov (m, m) in units of the noise variance) of a model at rows, as a Gaussian process.

    Kriging with a constant of flat prior, k = z.z / alpha, and what landmarks leave of the kernel.
    """
    fit, alpha, exact = model.fitted_, model.alpha_, model.features == "exact"
    both = np.vstack([X, at])
    if exact:
        K = model.features_.kernel_(both)
    else:
        Z = transform(fit.feature_map, both, _DOUBLE)
        K = Z @ Z.T
    covariance = conditional(K / alpha, len(X), weight, model.fit_intercept)
    process = None if exact else fit.feature_map.residual_process(alpha)
    return covariance if process is None else covariance + process.covariance(at, Z[len(X) :])


def kriging_weights(K, n, weight, intercept):
    """H (m, n) such that predictions are H y, for the prior covariance K of n rows and m others."""
    C, cross = K[:n, :n] + np.diag(1 / weight), K[n:, :n]
    inverse = np.linalg.inv(C)
    if not intercept:
        return cross @ inverse
    u = inverse @ np.ones(n)
    return cross @ inverse + np.outer(1 - cross @ u, u) / u.sum()


def conditional(K, n, weight, intercept):
    """Posterior covariance (m, m) of the last rows: that of the errors f - H (f + noise)."""
    H = kriging_weights(K, n, weight, intercept)
    cross = H @ K[:n, n:]
    return K[n:, n:] - cross - cross.T + H @ (K[:n, :n] + np.diag(1 / weight)) @ H.T


def assert_law(draws, mean, covariance):
    """Draws (m, S) have this mean and covariance: 6 standard errors of every whitened entry, one in 10^8 each."""
    S = draws.shape[1]
    root = np.linalg.cholesky(covariance)
    white = np.linalg.solve(root, draws - mean[:, None])
    assert np.max(np.abs(white.mean(axis=1))) < 6 / np.sqrt(S)
    error = white @ white.T / S - np.eye(len(mean))
    assert np.max(np.abs(error - np.diag(np.diag(error)))) < 6 / np.sqrt(S)
    assert np.max(np.abs(np.diag(error))) < 6 * np.sqrt(2 / S)

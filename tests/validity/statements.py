"""Random models, every statement that they make, and the truth of each from a dense reference.

Statements with a probability are made at delta = 1e-9: one false statement in a study is then a defect.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

import bochner as bo
from bochner import groups
from bochner.errors import AssumptionError, BochnerError
from bochner.features import transform

DELTA = 1e-9
SLACK = 1e-8  # of the dense reference itself


@dataclass
class Checked:
    """One statement, what is true, and whether it holds."""

    setting: str
    bound: str
    value: float
    truth: float
    holds: bool


def kernels(rng, d):
    scales = np.exp(rng.normal(0, 0.5, d))
    return [
        bo.Gaussian(float(np.exp(rng.normal(0, 0.7)))),
        bo.Gaussian(scales),
        bo.Matern(float(scales[0]), nu=float(rng.choice([0.5, 1.5, 2.5]))),
        bo.Laplacian(2.0),
        bo.Cauchy(1.5),
        bo.RationalQuadratic(),
        2.5 * bo.Gaussian(1.3),
        bo.Gaussian(1.0) + bo.Matern(2.0, nu=1.5),
    ][rng.integers(8)]


def data(rng, n, d):
    """Rows in float32 or float64, some far from the origin, some duplicated, with weights or without."""
    offset = float(rng.choice([0, 0, 0, 100, 1e6]))
    X = rng.standard_normal((n, d)) * float(rng.choice([0.3, 1, 3])) + offset
    if rng.random() < 0.3:
        X[: n // 3] = X[n // 3 : 2 * (n // 3)]
    weight = [None, rng.integers(0, 3, n).astype(float), rng.exponential(size=n)][rng.integers(3)]
    if weight is not None and np.count_nonzero(weight) < 5:
        weight = None
    return X.astype(rng.choice([np.float32, np.float64])), weight


def feature_choice(rng, kernel, d, seed):
    """Keyword arguments of a model: Fourier features, landmarks, or orbits."""
    kind = rng.integers(6)
    width = int(rng.integers(4, 120))
    if kind == 0:
        return {"kernel": kernel, "features": "nystroem", "n_components": width}
    if kind == 1 and d > 1:
        base = bo.FourierFeatures(kernel, n_components=width, random_state=seed)
        return {"features": bo.OrbitFeatures(groups.SignFlips() if d < 4 else groups.CyclicShifts(), base)}
    sampling = str(rng.choice(["monte_carlo", "monte_carlo", "orthogonal", "qmc"]))
    return {"kernel": kernel, "n_components": width, "sampling": sampling}


def exact_matrix(features, X, Y=None):
    """The exact (orbit) kernel matrix, by definition."""
    X = np.asarray(X, dtype=float)
    Y = X if Y is None else np.asarray(Y, dtype=float)
    if not hasattr(features, "transforms_") or features.transforms_ is None:
        shift = X.mean(axis=0)  # a stationary kernel; digits of differences survive
        return features.kernel_(X - shift, Y - shift)
    kernel = features.base_.kernel_ if hasattr(features, "base_") else features.kernel_
    moved = features.transforms_
    return sum(a * b * kernel(x, y) for a, x in moved.of(X) for b, y in moved.of(Y))


def estimated(features, X, dtype):
    Z = transform(features.map_, X, np.dtype(dtype)).astype(float)
    return Z @ Z.T


class RidgeTruth:
    """Exact kernel ridge, and ridge on the features, by dense equations."""

    def __init__(self, model, X, Y, weight, X_new):
        keep = weight > 0
        self.X, self.Y, self.s = X[keep], Y[keep], np.sqrt(weight[keep])[:, None]
        self.model, self.X_new = model, X_new
        dtype = np.promote_types(X.dtype, model.precision_)
        self.K, self.approximate = exact_matrix(model.features_, self.X), estimated(model.features_, self.X, dtype)
        self.fitted, self.at_new = self._solve(self.K, exact_matrix(model.features_, X_new, self.X))
        self.on_features, _ = self._solve(self.approximate, self.approximate)
        predictions = np.reshape(model.predict(self.X), self.Y.shape).astype(float)
        self.difference = predictions - self.fitted
        self.rms = np.sqrt(np.sum(self.s**2 * self.difference**2) / np.sum(self.s**2) / Y.shape[1])
        new = np.reshape(model.predict(X_new), (len(X_new), -1)).astype(float)
        self.new = np.abs(new - self.at_new).max()

    def _solve(self, K, K_new):
        s, n = self.s, len(self.X)
        M = s * K * s.T + self.model.alpha_ * np.eye(n)
        shift = self.Y.mean(axis=0) if self.model.fit_intercept else np.zeros(self.Y.shape[1])
        right = s * (self.Y - shift)
        if self.model.fit_intercept:
            system = np.block([[M, s], [s.T, np.zeros((1, 1))]])
            found = np.linalg.solve(system, np.vstack([right, np.zeros((1, self.Y.shape[1]))]))
            dual, b = found[:n], found[n]
        else:
            dual, b = np.linalg.solve(M, right), 0.0
        return K @ (s * dual) + b + shift, K_new @ (s * dual) + b + shift

    def of(self, certificate):
        name = certificate.bound
        if name == "distance.RidgeDistance":
            return self.rms, np.abs(self.difference).max() <= certificate.details["largest"] * (1 + SLACK) + 1e-9
        if name in ("distance.AnyTargetDistance", "downstream.RidgePrediction"):
            gap = self.s * (self.on_features - self.fitted)
            if name == "downstream.RidgePrediction":
                return np.abs(gap / self.s).max(), True
            return np.sqrt(np.sum(gap**2) / np.sum(self.s**2) / gap.shape[1]), True
        if name == "distance.DistanceAtRows":
            return self.new, True
        if name == "a_posteriori.SpectralCloseness":
            ridge = self.model.alpha_ * np.eye(len(self.X))
            pair = (self.s * matrix * self.s.T + ridge for matrix in (self.approximate, self.K))
            return np.abs(eigh(*pair, eigvals_only=True) - 1).max(), True
        return None


def kernel_truth(features, X, dtype, certificate):
    """The largest kernel error over all pairs of rows, for bounds that limit it; None for others."""
    limits = ("a_posteriori.AllPairs", "a_posteriori.ResidualVariance", "supremum.GridSupremum")
    if certificate.bound in limits or certificate.bound.startswith(("finite_set", "uniform", "orthogonal", "orbit.")):
        if certificate.bound == "orbit.Invariance":
            return None
        return np.abs(estimated(features, X, dtype) - exact_matrix(features, X)).max()
    return None


def judged(setting, certificate, truth, extra=True):
    """Compare a statement with the truth: from above, and from below where it has two sides."""
    size = max(abs(truth), abs(certificate.value))
    above = truth <= certificate.value + SLACK * size + 1e-9
    below = certificate.at_least is None or certificate.at_least <= truth + SLACK * size + 1e-9
    return Checked(setting, certificate.bound, certificate.value, truth, bool(above and below and extra))


def unfolded(certificate):
    return [certificate, *certificate.others]


def regressor_statements(seed):
    """All statements of one random regressor, with their truth."""
    rng = np.random.default_rng([seed, 1])
    n, d, k = int(rng.integers(12, 90)), int(rng.integers(1, 5)), int(rng.integers(1, 3))
    X, weight = data(rng, n, d)
    Y = rng.standard_normal((n, k)) * float(rng.choice([1, 1, 1e-3])) + float(rng.choice([0, 0, 50]))
    n_present = n if weight is None else int(np.count_nonzero(weight))
    arguments = {
        **feature_choice(rng, kernels(rng, d), d, seed),
        "alpha": float(10 ** rng.uniform(-3, 2)),
        "fit_intercept": bool(rng.random() < 0.6),
        "random_state": int(seed),
        "interval": "conformal" if n_present > 50 and rng.random() < 0.2 else "normal",
    }
    if arguments.get("features") is None and arguments["interval"] == "normal" and rng.random() < 0.2:
        arguments |= {"solver": "iterative", "tol": 1e-10}
    streamed = arguments["interval"] == "normal" and "solver" not in arguments and rng.random() < 0.3
    setting = f"regressor {seed}: {arguments}, n={n}, d={d}, k={k}, {X.dtype}, streamed={streamed}"
    model = bo.KernelRegressor(**arguments)
    y = Y[:, 0] if k == 1 else Y
    if streamed:
        for part in (slice(0, n // 2), slice(n // 2, n)):
            model.partial_fit(X[part], y[part], sample_weight=None if weight is None else weight[part])
    else:
        model.fit(X, y, sample_weight=weight)
    X_new = (X[:7] + rng.standard_normal((7, d))).astype(X.dtype)
    used = np.ones(n) if weight is None else weight
    if model.interval == "conformal":
        from bochner.data import ArrayRows
        from bochner.fitting.intervals import calibration_split

        used = calibration_split(ArrayRows(X, Y, weight, X.dtype), model.seed_)[0].sample_weight
    truth = RidgeTruth(model, X, Y, used, X_new)
    dtype = np.promote_types(X.dtype, model.precision_)
    given = {"sample_weight": weight, "delta": DELTA}
    asked = [
        (truth.X, dtype, lambda: model.certify(X, y=y, X_new=X_new, **given)),
        (truth.X, dtype, lambda: model.certify(X, **given)),
        (X_new, dtype, lambda: model.certify(X_new, delta=DELTA)),
        (truth.X, np.float64, lambda: model.certify(delta=DELTA)),
    ]
    return list(_answers(setting, model.features_, asked, truth))


def _answers(setting, features, asked, truth):
    for rows, dtype, ask in asked:
        try:
            certificate = ask()
        except AssumptionError:
            continue
        for each in unfolded(certificate):
            known = truth.of(each) if rows is truth.X else None
            if known is None:
                error = kernel_truth(features, rows, dtype, each)
                known = None if error is None else (error, True)
            if known is not None:
                yield judged(setting, each, *known)


def exact_scores(K, labels, weight, alpha, loss, intercept, n_classes):
    """Scores of the exact kernel machine at the rows of K (m, n), the first n the training rows, by dense solvers."""
    n = K.shape[1]
    square = K[:n]
    L = np.linalg.cholesky(square + 1e-12 * np.trace(square) / n * np.eye(n))
    columns = [1] if n_classes == 2 else range(n_classes)
    if loss == "logistic":
        return _logistic(K, L, labels, weight, alpha, intercept, n_classes)
    return np.column_stack(
        [
            _margin(K, np.where(labels == c, 1.0, -1.0), weight, alpha, loss == "squared_hinge", intercept)
            for c in columns
        ]
    )


def _logistic(K, L, labels, weight, alpha, intercept, n_classes):
    n, k = len(labels), 1 if n_classes == 2 else n_classes
    onehot = (labels[:, None] == (np.array([1]) if k == 1 else np.arange(k))).astype(float)

    def objective(theta):
        W, b = theta[: n * k].reshape(n, k), theta[n * k :] * intercept
        h = L @ W + b
        if k == 1:
            value, p = np.logaddexp(0, h) - onehot * h, expit(h)
        else:
            value, p = logsumexp(h, axis=1, keepdims=True) - np.sum(onehot * h, axis=1, keepdims=True), None
            p = np.exp(h - logsumexp(h, axis=1, keepdims=True))
        residual = weight[:, None] * (p - onehot)
        gradient = np.concatenate([(L.T @ residual + alpha * W).ravel(), residual.sum(axis=0) * intercept])
        return float(np.sum(weight[:, None] * value) + alpha / 2 * np.sum(W**2)), gradient

    theta = np.zeros(n * k + k)
    for _ in range(3):
        theta = minimize(
            objective,
            theta,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 0, "gtol": 1e-11},
        ).x
    W, b = theta[: n * k].reshape(n, k), theta[n * k :] * intercept
    dual = np.linalg.solve(L.T, W)
    return K @ dual + b, b


def _margin(K, y, weight, alpha, squared, intercept):
    """Dual coordinate ascent on the dense kernel, to rounding."""
    n = len(y)
    Q = (K[:n] + intercept) * np.outer(y, y) / alpha
    diagonal = np.where(weight > 0, 0.5 / np.maximum(weight, 1e-300), 0) if squared else np.zeros(n)
    upper = np.where(weight > 0, np.inf, 0) if squared else weight
    beta, gradient = np.zeros(n), np.zeros(n)
    for _ in range(20_000):
        moved = 0.0
        for i in range(n):
            step = (
                np.clip(beta[i] + (1 - gradient[i] - diagonal[i] * beta[i]) / (Q[i, i] + diagonal[i]), 0, upper[i])
                - beta[i]
            )
            if step:
                beta[i] += step
                gradient += step * Q[:, i]
                moved = max(moved, abs(step))
        if moved < 1e-13 * max(1.0, beta.max()):
            break
    return (K + intercept) @ (y * beta) / alpha


def classifier_statements(seed):
    """All statements of one random classifier about its distance to the exact machine, with their truth."""
    rng = np.random.default_rng([seed, 2])
    n, d, classes = int(rng.integers(15, 45)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    X, weight = data(rng, n, d)
    centred = X.astype(float) - X.astype(float).mean(axis=0)
    labels = np.digitize(np.sin(2 * centred[:, 0]) + 0.5 * rng.standard_normal(n), np.linspace(-0.4, 0.4, classes - 1))
    labels[:classes] = np.arange(classes)
    if weight is not None:
        weight[:classes] = 1.0
    arguments = {
        **feature_choice(rng, kernels(rng, d), d, seed),
        "alpha": float(10 ** rng.uniform(-1, 1.5)),
        "loss": str(rng.choice(["logistic", "hinge", "squared_hinge"])),
        "fit_intercept": bool(rng.random() < 0.6),
        "class_weight": "balanced" if rng.random() < 0.3 else None,
        "random_state": int(seed),
        "tol": 1e-5,
    }
    setting = f"classifier {seed}: {arguments}, n={n}, d={d}, classes={classes}, {X.dtype}"
    model = bo.KernelClassifier(**arguments).fit(X, labels, sample_weight=weight)
    X_new = (X[:7] + rng.standard_normal((7, d))).astype(X.dtype)
    used = model._row_weights(labels, labels, np.ones(n) if weight is None else weight, None)
    keep = used > 0
    K = np.vstack([exact_matrix(model.features_, X[keep]), exact_matrix(model.features_, X_new, X[keep])])
    exact = exact_scores(K, labels[keep], used[keep], model.alpha_, model.loss, model.fit_intercept, classes)
    exact, b = exact if model.loss == "logistic" else (exact, 0.0)
    scores = np.vstack([model._scores(X[keep]), model._scores(X_new)]).astype(float)
    for tighten in (True, False):
        certificate = model.certify(X, y=labels, sample_weight=weight, X_new=X_new, delta=DELTA, tighten=tighten)
        for each in unfolded(certificate):
            apart = "without their intercepts" in each.statement
            gap = np.abs(scores - exact - (model.intercept_ - b if apart else 0.0)).max(axis=1)
            if each.bound == "distance.ClassifierDistance":
                yield judged(setting, each, gap[: keep.sum()].max() - 1e-5)
            if each.bound == "distance.DistanceAtRows":
                yield judged(setting, each, gap[keep.sum() :].max() - 1e-5)
    other = model.certify(X_new, delta=DELTA)
    for each in unfolded(other):
        error = kernel_truth(model.features_, X_new, X.dtype, each)
        if error is not None:
            yield judged(setting, each, error)


def study(n_regressors, n_classifiers, first=0):
    """Statements of many random models."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for make, many in ((regressor_statements, n_regressors), (classifier_statements, n_classifiers)):
            for seed in range(first, first + many):
                try:
                    found.extend(make(seed))
                except BochnerError as error:
                    raise AssertionError(f"{make.__name__}({seed}) was refused: {error}") from error
    return found

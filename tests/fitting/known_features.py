"""Settings of fits whose rows are their own features, and a solver of products: results are then known exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner.fitting import ClassifierSettings, DrawnFeatures, FeatureSettings, RidgeSettings
from bochner.solvers import DirectSolver, PenaltyRule, RidgeSolver, Solution
from tests.identity_features import Identity, identity_map
from tests.strategies import rows


class IdentityMaker:
    """A maker whose map is the identity."""

    nested = False
    exact = None
    looks_at_rows = False

    def draw(self, kernel, width, rows, seed, *, warped=False):
        return DrawnFeatures(Identity(), identity_map(rows.n_features))


FEATURES = FeatureSettings(scale=None, maker=IdentityMaker(), width=None, seed=0)


def ridge_settings(alpha, solver=None, *, alphas=None, intercept=True, **others):
    rule = PenaltyRule(alpha, alphas, intercept)
    return RidgeSettings("Test", FEATURES, solver or DirectSolver(), rule, **others)


def classifier_settings(alpha=1.0, **others):
    given = {"loss": "logistic", "alphas": None, "fit_intercept": True, "probability": False, "tol": 1e-10}
    given |= {"folds": lambda problem: problem.folds(3), "max_iter": 200}
    return ClassifierSettings(features=FEATURES, alpha=alpha, **{**given, **others})


def table(seed=0, n=200, D=6, k=2):
    """Features and targets off centre, and weights of which some are 0."""
    Z = rows(seed, n, D) + 0.5
    Y = Z @ rows(seed + 1, D, k) + 0.3 * rows(seed + 2, n, k) + 3
    return Z, Y, np.random.default_rng(seed).integers(0, 4, n).astype(float)


def long_table(n=3000, D=40):
    """More rows than a preconditioner has, and features of different size: several iterations."""
    Z = rows(0, n, D) * np.geomspace(1, 0.01, D)
    return Z, Z @ rows(1, D, 1) + 0.1 * rows(2, n, 1)


@dataclass(frozen=True)
class Bare(Solution):
    """A solution that knows nothing but its coefficients."""

    def dof_of(self, moments, *, fit_intercept):
        raise NotImplementedError

    def spread_of(self, moments, *, fit_intercept):
        raise NotImplementedError


class ByProducts(RidgeSolver):
    """Asks for all columns of G, and solves; keeps what it was given."""

    needs = "products"

    def solve(self, statistics, rule, context):
        self.statistics_, self.context_ = statistics, context
        begin, G = statistics.start(), statistics.product(np.eye(statistics.width))
        coef = np.linalg.solve(G + rule.alpha * np.eye(len(G)), begin.cross)
        intercept = (begin.y_mean - begin.z_mean @ coef) * rule.fit_intercept
        return Bare(float(rule.alpha), coef, intercept, np.ones(len(intercept)), float("nan"))


class ByMoments(RidgeSolver):
    """Solves the normal equations of the moments."""

    needs = "moments"

    def solve(self, statistics, rule, context):
        G = np.tril(statistics.zz) + np.tril(statistics.zz, -1).T
        coef = np.linalg.solve(G + rule.alpha * np.eye(len(G)), statistics.zy)
        intercept = statistics.y_mean - statistics.z_mean @ coef
        return Bare(float(rule.alpha), coef, intercept, np.ones(len(intercept)), float("nan"))

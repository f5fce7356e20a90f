"""The ridge path in the eigenbasis of G = Z'Z."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from scipy.linalg import eigh

from bochner._typing import Array, FloatType
from bochner.memory import fits
from bochner.solvers.problem import RidgePoint, RidgeProblem
from bochner.statistics.leave_one_out import RidgeBasis
from bochner.statistics.moments import Moments

__all__ = ["EigenRidge"]

_DIVIDE_AND_CONQUER = 32  # bytes for every entry of G that the faster driver holds, G and the result among them


class EigenRidge:
    """The ridge path of one problem: G = V diag(lam) V'.

    Parameters
    ----------
    problem : RidgeProblem

    Attributes
    ----------
    eigenvalues : array of shape (D,)
        Ascending; rounding errors below zero are set to zero.
    vectors : array of shape (D, D)
        V.
    cross : array of shape (D, t)
        V'c.
    """

    def __init__(self, problem: RidgeProblem) -> None:
        self.problem = problem
        eigenvalues, self.vectors = _eigh(problem.gram)
        self.eigenvalues = np.maximum(eigenvalues, 0.0)
        self.cross = self.vectors.T @ problem.cross

    def with_targets(self, cross: Array, energy: Array) -> EigenRidge:
        """The same features with other targets: c (D, t) and y'y (t,). The eigenbasis is shared."""
        other = copy(self)
        other.problem = replace(self.problem, cross=cross, energy=energy)
        other.cross = self.vectors.T @ cross
        return other

    def point(self, alpha: float) -> RidgePoint | None:
        """Residual, norm, degrees of freedom and determinant at a penalty; None where G + alpha I is singular."""
        shifted = self.eigenvalues + alpha
        if not shifted[0] > 0:
            return None
        w = self.cross / shifted[:, None]
        fit, penalty = np.sum(self.cross * w, axis=0), np.sum(w**2, axis=0)
        return RidgePoint(
            alpha=float(alpha),
            residual=np.maximum(self.problem.energy - fit - alpha * penalty, 0.0),
            penalty=penalty,
            dof=float(np.sum(self.eigenvalues / shifted) + self.problem.intercept),
            log_det=float(np.sum(np.log(shifted))),
        )

    def basis(self, alphas: Array, moments: Moments, dtype: FloatType) -> RidgeBasis:
        """The models of some penalties in the eigenbasis, in a float type: what a leave-one-out pass needs."""
        inverse = 1 / (self.eigenvalues[:, None] + alphas)
        centred = float(self.problem.intercept)
        return RidgeBasis(
            self.vectors.astype(dtype, copy=False),
            inverse.astype(dtype),
            self.cross,
            centred * moments.z_mean,
            centred * moments.y_mean,
            centred / self.problem.n,
        )

    def solve(self, alpha: float) -> Array:
        """Coefficients (D, t)."""
        solution: Array = self.vectors @ (self.cross / (self.eigenvalues + alpha)[:, None])
        return solution


def _eigh(gram: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors, by divide and conquer if its workspace is within the memory budget."""
    driver = "evd" if fits(_DIVIDE_AND_CONQUER * gram.size) else "evr"
    found: tuple[Array, Array] = eigh(gram, lower=True, driver=driver, check_finite=False)
    return found

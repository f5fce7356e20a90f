"""Direct solution at one penalty by the Cholesky factor of G + alpha I."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.linalg.lapack import dpotrf, dtrtri

from bochner._definite import raise_diagonal
from bochner._threads import threads_for_factor
from bochner._typing import Array
from bochner.solvers.problem import RidgeProblem

__all__ = ["RidgeFactor", "factorise"]


class RidgeFactor:
    """The Cholesky factor of G + alpha I: G + alpha I = U'U.

    Attributes
    ----------
    alpha : float
        The penalty that was factorised; larger than asked for if that one was singular to working precision.
    """

    def __init__(self, upper: Array, alpha: float) -> None:
        self.upper = upper
        self.alpha = alpha

    def solve(self, right: Array) -> Array:
        """(G + alpha I)^-1 right."""
        solution: Array = cho_solve((self.upper, False), right, check_finite=False)
        return solution

    def squared_norms(self, rows: Array) -> Array:
        """z'(G + alpha I)^-1 z for every row z; never negative."""
        return np.sum(self.half_solve(rows.T) ** 2, axis=0)

    def half_solve(self, right: Array) -> Array:
        """U'^-1 right in float64."""
        half: Array = solve_triangular(self.upper, right.astype(np.float64), trans=1, check_finite=False)
        return half

    def scale_normals(self, normals: Array) -> Array:
        """U^-1 e: columns drawn from N(0, (G + alpha I)^-1), from standard normal ones."""
        drawn: Array = solve_triangular(self.upper, normals, check_finite=False)
        return drawn

    def trace_of_inverse(self) -> float:
        """tr (G + alpha I)^-1 = ||U^-1||_F^2."""
        with threads_for_factor(len(self.upper)):
            inverse, _ = dtrtri(self.upper, lower=0)
        return float(np.sum(np.triu(inverse) ** 2))

    def log_det(self) -> float:
        """log det(G + alpha I)."""
        return float(2 * np.sum(np.log(np.diagonal(self.upper))))


def factorise(problem: RidgeProblem, alpha: float) -> RidgeFactor:
    """Factor G + alpha I, raising alpha to the noise floor of G, and tenfold from there, until it is definite."""

    def upper(shift: float) -> Array | None:
        matrix = problem.gram.copy().T  # column-major: its upper triangle is the lower one of gram
        matrix[np.diag_indices_from(matrix)] += shift
        with threads_for_factor(len(matrix)):
            factor, failed_at = dpotrf(matrix, lower=0, clean=0, overwrite_a=1)
        return factor if failed_at == 0 and np.all(np.isfinite(np.diagonal(factor))) else None

    return RidgeFactor(*raise_diagonal(upper, float(alpha), floor=problem.noise_floor()))

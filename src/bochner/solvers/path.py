"""Choice of the penalty along a path, by GCV or evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bochner._typing import Array
from bochner.solvers.criteria import gcv_score, log_evidence
from bochner.solvers.problem import RidgePoint, RidgeProblem

__all__ = [
    "best_of",
    "best_penalty",
    "cautious_penalties",
    "choose_penalty",
    "deepened",
    "default_penalties",
    "PathSolver",
    "path_of_state",
    "penalty_grid",
    "penalty_path",
    "RidgePath",
    "state_of_path",
]

_REFINEMENTS = 16
_TIE = 1e-5  # in the logarithm of GCV or in the log evidence: far above rounding, far below what matters


class PathSolver(Protocol):
    """A solver for every penalty of one problem."""

    problem: RidgeProblem

    def point(self, alpha: float) -> RidgePoint | None: ...

    def solve(self, alpha: float) -> Array: ...


@dataclass(frozen=True)
class RidgePath:
    """Criteria of all penalties tried, ascending in alpha; nan where G + alpha I is singular to working precision."""

    alphas: Array
    gcv: Array
    log_evidence: Array
    dof: Array

    def floor(self) -> float:
        """The smallest penalty at which the equations could be solved; infinite if there was none."""
        return float(np.min(self.alphas[np.isfinite(self.dof)], initial=np.inf))

    def losses(self, criterion: str) -> Array:
        """Log GCV or minus the log evidence: smaller is better, and differences of both are relative."""
        with np.errstate(divide="ignore"):
            return np.log(self.gcv) if criterion == "gcv" else -self.log_evidence


def default_penalties(problem: RidgeProblem, n: int = 25) -> Array:
    """Penalties from the noise floor of G (or 1e-9 of its trace) up to its trace, evenly spaced in the logarithm."""
    return penalty_grid(float(np.trace(problem.gram)), problem.noise_floor(), n)


def cautious_penalties(problem: RidgeProblem, n: int = 36) -> Array:
    """Penalties from the rounding floor of G up to a thousand times its trace, where predictions are the mean."""
    trace = float(np.trace(problem.gram))
    if not trace > 0:
        return np.ones(1)
    low = max(10 * problem.noise_floor(), 1e-13 * trace)
    return np.geomspace(min(low, 0.1 * trace), 1e3 * trace, n)


def penalty_grid(trace: float, noise_floor: float, n: int) -> Array:
    """`default_penalties` of a matrix of which only the trace and the noise floor are known."""
    if not trace > 0:
        return np.ones(1)  # constant features: every penalty gives the same model
    low = max(10 * noise_floor, 1e-9 * trace)
    return np.geomspace(min(low, 0.1 * trace), trace, n)


def penalty_path(solver: PathSolver, alphas: Array) -> RidgePath:
    """Both criteria and the degrees of freedom at every penalty."""
    points = [solver.point(alpha) for alpha in alphas]
    rows = [
        (np.nan, np.nan, np.nan)
        if point is None
        else (gcv_score(solver.problem, point), log_evidence(solver.problem, point), point.dof)
        for point in points
    ]
    gcv, evidence, dof = np.array(rows).T
    return RidgePath(np.asarray(alphas, dtype=float), gcv, evidence, dof)


def deepened(solver: PathSolver, path: RidgePath, criterion: str) -> RidgePath:
    """The path, continued down to the rounding floor of G if its smallest penalty is the best: data without noise.

    Not for a model that can interpolate, with a feature for every row: it has nothing to gain but rounding errors.
    """
    losses, lowest = path.losses(criterion), 10 * solver.problem.noise_floor()
    room = solver.problem.width < 0.9 * solver.problem.n and 0 < lowest < 0.5 * path.alphas[0]
    if not room or not np.isfinite(losses[0]) or best_of(losses) > 0:
        return path
    step = path.alphas[1] / path.alphas[0] if len(path.alphas) > 1 else 10.0
    count = 1 + int(np.log(path.alphas[0] / lowest) / np.log(step))
    deeper = penalty_path(solver, np.geomspace(lowest, path.alphas[0], count, endpoint=False))
    joined = ((getattr(deeper, name), getattr(path, name)) for name in ("alphas", "gcv", "log_evidence", "dof"))
    return RidgePath(*map(np.concatenate, joined))


def best_of(losses: Array) -> int:
    """Where losses along ascending penalties are smallest; the last place of those that differ by rounding."""
    return int(np.flatnonzero(losses <= np.nanmin(losses) + _TIE)[-1])


def choose_penalty(solver: PathSolver, path: RidgePath, criterion: str, *, refine: bool) -> float:
    """The best penalty by "gcv" or "evidence"; `refine` searches between the neighbours of the best one.

    Between losses that differ by rounding the larger penalty wins.
    """
    losses = path.losses(criterion)
    if not np.any(np.isfinite(losses)):
        return float(path.alphas[-1])  # fewer than two rows, say: the most cautious penalty
    best = best_of(losses)
    if not refine or best in (0, len(losses) - 1) or np.any(np.isnan(losses[best - 1 : best + 2])):
        return float(path.alphas[best])

    def loss(log_alpha: float) -> float:
        point = solver.point(float(np.exp(log_alpha)))
        if point is None:
            return np.inf
        if criterion == "gcv":
            return float(np.log(gcv_score(solver.problem, point)))
        return -log_evidence(solver.problem, point)

    low, high = np.log(path.alphas[best - 1]), np.log(path.alphas[best + 1])
    return float(np.exp(golden_section(loss, low, high, _REFINEMENTS)))


def golden_section(loss: Callable[[float], float], low: float, high: float, n_evaluations: int) -> float:
    """Minimiser of a unimodal loss on [low, high], to 0.618^(n - 1) of its length; ties go up."""
    ratio = (np.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    loss_a, loss_b = loss(a), loss(b)
    for _ in range(n_evaluations - 2):
        if loss_a < loss_b - _TIE:
            high, b, loss_b = b, a, loss_a
            a = high - ratio * (high - low)
            loss_a = loss(a)
        else:
            low, a, loss_a = a, b, loss_b
            b = low + ratio * (high - low)
            loss_b = loss(b)
    return a if loss_a < loss_b - _TIE else b


def best_penalty(path: RidgePath, *, refine: bool) -> float:
    """The penalty of least GCV; refined by the parabola in log-log scale through it and its neighbours."""
    with np.errstate(divide="ignore"):
        losses = np.log(path.gcv)
    if not np.any(np.isfinite(losses)):
        return float(path.alphas[-1])
    best = int(np.nanargmin(losses))
    if not refine or best in (0, len(losses) - 1) or not np.all(np.isfinite(losses[best - 1 : best + 2])):
        return float(path.alphas[best])
    left, middle, right = losses[best - 1 : best + 2]
    bend = left - 2 * middle + right
    shift = 0.5 * (left - right) / bend if bend > 0 else 0.0
    return float(path.alphas[best] * (path.alphas[best] / path.alphas[best - 1]) ** shift)


def state_of_path(path: RidgePath) -> dict[str, Array]:
    """The path as arrays, for checkpoints."""
    return {"path_alphas": path.alphas, "path_gcv": path.gcv, "path_dof": path.dof}


def path_of_state(state: Mapping[str, Array]) -> RidgePath | None:
    """The path of a state; None if there is none."""
    if "path_alphas" not in state:
        return None
    alphas = state["path_alphas"]
    return RidgePath(alphas, state["path_gcv"], np.full(len(alphas), np.nan), state["path_dof"])

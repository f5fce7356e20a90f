"""Fit of a penalised loss on features: width, penalty and solution, by held-out losses.

fit_penalised(rows, targets, problem, settings, progress) -> features and penalty, solution
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np

from bochner._typing import Array
from bochner.data import RowSource
from bochner.errors import MemoryBudgetError
from bochner.features import FeatureMap
from bochner.fitting.features import ChosenFeatures, FeatureSettings
from bochner.planning import landmark_numbers
from bochner.solvers import Fold, LinearProblem, LinearSolution, Progress, choose_penalty, default_penalties
from bochner.tuning import Targets

__all__ = ["PenalisedSettings", "PenalisedStep", "fit_penalised", "penalised_step"]

_PARTS = 5
_SMALLEST_GAIN = 0.01  # of the held-out loss, by more landmarks
_PATH_ITERATIONS = 300  # of the fits that compare penalties
_CV_TOL = 1e-3  # of the fits that compare penalties: differences of held-out losses are larger
_FURTHER, _MOST_PENALTIES = 10.0 ** np.array([-0.5, -1.0]), 20
_CLEARLY, _NOTHING = 0.1, 1e-3  # of the losses before, and of that of the largest penalty

Problem = TypeVar("Problem", bound=LinearProblem)
GivenProblem = TypeVar("GivenProblem", bound=LinearProblem, contravariant=True)


class PenalisedSettings(Protocol[GivenProblem]):
    """What a fit of any loss is told: features, penalties, folds and limits of the solver."""

    @property
    def features(self) -> FeatureSettings: ...

    @property
    def alpha(self) -> float | None: ...

    @property
    def alphas(self) -> Array | None: ...

    @property
    def folds(self) -> Callable[[GivenProblem], list[Fold]]: ...

    @property
    def tol(self) -> float: ...

    @property
    def max_iter(self) -> int: ...


@dataclass(frozen=True, eq=False)
class PenalisedStep(Generic[Problem]):
    """Features of one width, with the best penalty for them."""

    chosen: ChosenFeatures
    problem: Problem
    alpha: float
    alphas: Array | None
    losses: Array | None

    def held_out_loss(self, settings: PenalisedSettings[Problem], progress: Progress) -> float:
        """Of the best penalty; of the given one on a fifth of the rows."""
        losses = self.losses
        if losses is None:
            fold, tol = self.problem.folds(_PARTS)[:1], max(settings.tol, _CV_TOL)
            alphas = np.array([self.alpha])
            most, step = settings.max_iter, progress.within("held-out")
            losses = choose_penalty(self.problem, alphas, fold, tol=tol, max_iter=most, progress=step)[2]
        return float(np.min(losses.mean(axis=1)))


def fit_penalised(
    rows: RowSource,
    targets: Targets,
    problem: Callable[[FeatureMap], Problem],
    settings: PenalisedSettings[Problem],
    progress: Progress,
) -> tuple[PenalisedStep[Problem], LinearSolution]:
    """Features and penalty, and the solution on all rows. `targets` are those that length scales are learned from."""
    if settings.features.searched_by_refitting:
        step = _searched(rows, targets, problem, settings, progress)
    else:
        step = penalised_step(settings.features.choose(rows, targets), problem, settings, progress)
    last = progress.within("solution")
    return step, step.problem.solve(step.alpha, tol=settings.tol, max_iter=settings.max_iter, progress=last)


def penalised_step(
    chosen: ChosenFeatures,
    problem: Callable[[FeatureMap], Problem],
    settings: PenalisedSettings[Problem],
    progress: Progress,
) -> PenalisedStep[Problem]:
    """Features of one width, with the penalty that is given or the best one for them."""
    posed = problem(chosen.map)
    return PenalisedStep(chosen, posed, *_penalty(posed, settings, progress.within("penalties")))


def _searched(
    rows: RowSource,
    targets: Targets,
    problem: Callable[[FeatureMap], Problem],
    settings: PenalisedSettings[Problem],
    progress: Progress,
) -> PenalisedStep[Problem]:
    """More and more landmarks until held-out rows see no gain."""
    features = settings.features
    kernel, tuning = features.kernel_for(rows, targets)
    best, smallest = None, np.inf
    for width in landmark_numbers(rows.n_rows):
        own = progress.within(f"landmarks-{width}")
        try:
            chosen = ChosenFeatures(features.draw(kernel, width, rows, tuning), tuning)
            step = penalised_step(chosen, problem, settings, own)
        except MemoryBudgetError:
            if best is None:
                raise
            break
        loss = step.held_out_loss(settings, own)
        if best is not None and not loss < (1 - _SMALLEST_GAIN) * smallest:
            break
        best, smallest = step, loss
    assert best is not None
    return best


def _penalty(
    problem: Problem, settings: PenalisedSettings[Problem], progress: Progress
) -> tuple[float, Array | None, Array | None]:
    """The penalty, those that were tried, and their held-out losses."""
    if settings.alpha is not None:
        return settings.alpha, None, None
    tol, most = max(settings.tol, _CV_TOL), min(settings.max_iter, _PATH_ITERATIONS)
    choose = partial(choose_penalty, problem, folds=settings.folds(problem), tol=tol, max_iter=most)
    if settings.alphas is not None:
        return choose(settings.alphas, progress=progress)
    alpha, alphas, losses = choose(default_penalties(problem), progress=progress)
    while len(alphas) < _MOST_PENALTIES and not problem.has_classes and _still_falls(losses.mean(axis=1)):
        further = progress.within(f"further-{len(alphas)}")
        _, smaller, own = choose(alphas[-1] * _FURTHER, progress=further)
        alphas, losses = np.append(alphas, smaller), np.vstack([losses, own])
        alpha = float(alphas[np.argmin(losses.mean(axis=1))])
    return alpha, alphas, losses


def _still_falls(losses: Array) -> bool:
    """Whether the smallest of some penalties is clearly the best, and its loss not yet next to nothing: no noise."""
    return bool(_NOTHING * losses[0] < losses[-1] < (1 - _CLEARLY) * np.min(losses[:-1]))

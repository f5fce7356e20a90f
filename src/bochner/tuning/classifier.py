"""Tuning of a classifier: length scales by held-out log loss, from the evidence of least squares and the median."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bochner._threads import run_in_threads, single_threaded_blas
from bochner._typing import Array, Rows
from bochner.kernels import Stationary
from bochner.tuning.clock import Clock
from bochner.tuning.descent import quasi_newton, tuning_seed
from bochner.tuning.held_out_loss import HeldOutLoss
from bochner.tuning.labelled import LabelledRows, LabelledSample
from bochner.tuning.median import median_length_scale
from bochner.tuning.narrow_map import NarrowMap
from bochner.tuning.parameters import ClassifierParameters
from bochner.tuning.result import Stage, Tuning, rounded
from bochner.tuning.search import TUNING_ROWS, tune

__all__ = ["FEWEST_ROWS", "HELD_OUT_LOG_LOSS", "is_clear_gain", "tune_classifier"]

FEWEST_ROWS = 300
"""Rows below which held-out losses are too noisy to learn from."""

HELD_OUT_LOG_LOSS = "held-out log loss"

_EVIDENCE_ROWS = 2000
_KERNEL_CHOICE = 1500, 256  # rows, frequencies
_SEARCH = {False: (2000, 128), True: (TUNING_ROWS, 128)}  # by whether per feature: many scales need many rows
_REFINEMENTS = (TUNING_ROWS, 512), (TUNING_ROWS, 256), (3000, 256)
_ITERATIONS, _REFINEMENT_ITERATIONS, _PENALTY_ITERATIONS, _KERNEL_ITERATIONS = 15, 6, 5, 5
_SPREAD_OF_RATIOS = 0.5  # standard deviation of the prior of log scales around their start and a common factor
_SMALLEST_GAIN = 1e-5  # of the log loss, in an iteration
_REFINEMENT_SHARE = {False: 2.0, True: 1.0}  # of the work of the final fit: what a refinement may cost at most
_REACH = np.log(1e2)  # how far a scale may go from its start
_PENALTIES = np.log([1e-7, 1e-1])  # bounds of alpha / n
_FIRST_PENALTY = np.log(1e-4)
_FIT_STEPS, _REFINEMENT_STEPS = 7, 5  # Newton steps of a fit from zero, and of one from a neighbour with its gradient


def tune_classifier(
    X: Rows,
    labels: Array,
    kernels: list[Stationary],
    *,
    per_feature: bool,
    seed: int,
    sample_weight: Array | None = None,
    width: int = 4096,
    n_samples: int | None = None,
    penalty: float | None = None,
    time_budget: float | None = None,
) -> Tuning:
    """Learn the scales of the best of some kernels for a classifier, from rows in memory.

    The held-out log loss of multinomial logistic regression is descended from the scales of the largest evidence of
    least squares on the indicators of the classes (`tune`), and from the median heuristic, there as one scale for all
    features. The best of these is refined with more frequencies. Choices, also of a kernel (by one scale each), are
    made on rows that are reserved for them: a fifth, and those beyond 4,000. The median is kept unless what was found
    beats it there by more than the standard error of the difference.

    With fewer than 300 rows, or where no class has rows to hold out, the result is that of the evidence.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        A subsample of the rows, in random order.
    labels : array of int of shape (n,)
    kernels, per_feature, seed, sample_weight, time_budget
        As in `tune`.
    width, n_samples : int
        Size of the final fit: a refinement costs at most as much, or twice that for one scale, and no map has more
        frequencies.
    penalty : float, default=None
        alpha / n of the final fit, if it is given; None: learned too.

    Returns
    -------
    tuning : Tuning
        With criterion "held-out log loss".
    """
    clock = Clock(time_budget)
    data = LabelledSample.of(X, labels, sample_weight, tuning_seed(seed))
    with single_threaded_blas():  # small products: threads that wait for each other cost more than they bring
        if len(data.labels) < FEWEST_ROWS or not data.can_be_held_out(_KERNEL_CHOICE[0]):
            first = _by_evidence(data, kernels, per_feature=per_feature, seed=seed, time_budget=time_budget)
            return replace(first, seconds=clock.elapsed())
        searches = [_Search(data, kernel, tuning_seed(seed), penalty, width, per_feature, clock) for kernel in kernels]
        search = _best_kernel(searches) if len(kernels) > 1 else searches[0]
        first = _by_evidence(data, [search.kernel], per_feature=per_feature, seed=seed, time_budget=time_budget)
        stages, median = search.descend(np.log(np.atleast_1d(first.length_scale)))
        size = _refinement(data, width, n_samples or len(data.labels), per_feature)
        best, loss = search.refine_best(stages, median, size)
    scales = rounded(np.broadcast_to(_parameters(best).scales, np.shape(np.atleast_1d(first.length_scale))))
    scale: float | Array = scales if per_feature else float(scales[0])
    return Tuning(
        kernel=first.kernel.with_length_scale(scale),
        length_scale=scale,
        noise_variance=None,
        signal_variance=None,
        log_evidence=None,
        criterion=HELD_OUT_LOG_LOSS,
        stages=(*first.stages, *stages),
        n_rows=best.n_rows,
        n_frequencies=best.n_frequencies,
        n_restarts=2,
        seconds=clock.elapsed(),
        held_out_loss=loss,
    )


def _by_evidence(
    data: LabelledSample, kernels: list[Stationary], *, per_feature: bool, seed: int, time_budget: float | None
) -> Tuning:
    """The scales of the largest evidence of least squares on the indicators of the classes."""
    rows = slice(0, min(_EVIDENCE_ROWS, data.n_searched))
    return tune(
        data.X[rows],
        data.indicators()[rows],
        kernels,
        per_feature=per_feature,
        seed=seed,
        sample_weight=data.weight[rows],
        width=0,  # no fit is so small that a refinement is worth it
        n_restarts=1,
        time_budget=time_budget,
    )


def _best_kernel(searches: list[_Search]) -> _Search:
    """Search of the kernel that predicts the reserved rows best, each with one scale."""
    losses = np.empty(len(searches))

    def run(i: int, _: None) -> None:
        losses[i] = searches[i].loss_with_one_scale()

    run_in_threads(run, range(len(searches)), state=lambda: None)
    return searches[int(np.argmin(losses))]


def is_clear_gain(gains: Array, share: Array, n_errors: float = 1.0) -> bool:
    """Whether the mean of the rows' gains, by the shares of their weights, exceeds so many standard errors."""
    gain = float(gains @ share)
    return bool(gain > n_errors * np.sqrt(np.sum((share * (gains - gain)) ** 2)))


@dataclass(frozen=True)
class _Search:
    """Descents of the held-out log loss, and choices by reserved rows."""

    data: LabelledSample
    kernel: Stationary
    seed: int
    penalty: float | None
    width: int
    per_feature: bool
    clock: Clock

    def loss_with_one_scale(self) -> float:
        """On the reserved rows, after a short descent from the median."""
        rows, frequencies = _KERNEL_CHOICE
        criterion = self._criterion(self.data.to_descend(rows), frequencies)
        stage = self._run(criterion, self._start(self._log_median()), _KERNEL_ITERATIONS)
        return float(self._losses([stage], _KERNEL_CHOICE)[1][0])

    def descend(self, evidence: Array) -> tuple[list[Stage], Stage]:
        """From the scales of the largest evidence, and from the median, as one scale; and the median itself."""
        starts = [self._start(evidence), self._start(self._log_median())]
        found: list[list[Stage]] = [[], []]

        def run(i: int, _: None) -> None:
            rows, frequencies = _SEARCH[self.per_feature]
            criterion = self._criterion(self.data.to_descend(rows), frequencies)
            found[i].append(self._run(criterion, starts[i], _PENALTY_ITERATIONS, scales_fixed=True))
            found[i].append(self._run(criterion, _parameters(found[i][0]), _ITERATIONS))

        run_in_threads(run, range(2), state=lambda: None)
        return found[0] + found[1], found[1][0]

    def refine_best(self, stages: list[Stage], median: Stage, size: tuple[int, int] | None) -> tuple[Stage, float]:
        """The best stage, refined; or the median, if nothing is better by more than noise. And its loss."""
        if size is None or self.clock.is_over():
            return self._clearly_best(stages, median, _SEARCH[self.per_feature])
        best = stages[int(np.argmin(self._losses(stages, _SEARCH[self.per_feature])[1]))]
        criterion = self._criterion(self.data.to_descend(size[0]), size[1])
        refined = self._run(criterion, _parameters(best), _REFINEMENT_ITERATIONS)
        stages.append(refined)
        return self._clearly_best([best, refined], median, size)

    def _start(self, log_scales: Array) -> ClassifierParameters:
        return ClassifierParameters(log_scales, _FIRST_PENALTY if self.penalty is None else np.log(self.penalty))

    def _log_median(self) -> Array:
        return np.log([median_length_scale(self.data.X, self.kernel, self.seed)])

    def _criterion(self, rows: LabelledRows, n_frequencies: int) -> HeldOutLoss:
        m = max(16, min(n_frequencies, self.width // 2))
        return HeldOutLoss(rows, NarrowMap.draw(self.kernel, m, rows.X.shape[1], self.seed))

    def _run(
        self, criterion: HeldOutLoss, start: ClassifierParameters, iterations: int, *, scales_fixed: bool = False
    ) -> Stage:
        prior, theta = _Prior(criterion, start.log_scales), start.to_vector()
        reach = 0.0 if scales_fixed else _REACH
        scales = [(log_scale - reach, log_scale + reach) for log_scale in start.log_scales]
        bounds = [*scales, tuple(_PENALTIES) if self.penalty is None else (start.log_penalty, start.log_penalty)]
        end, losses = quasi_newton(
            prior, theta, prior(theta)[0], bounds, self.clock, iterations=iterations, smallest_gain=_SMALLEST_GAIN
        )
        return Stage(self.kernel, len(criterion.rows.labels), len(criterion.narrow.omega), losses, end)

    def _losses(self, stages: list[Stage], size: tuple[int, int]) -> tuple[Array, Array, Array]:
        """Losses of the stages (s, n) on the reserved rows, their weighted means, and the shares of the weights."""
        criterion = self._criterion(self.data.to_choose(size[0]), size[1])
        weight = criterion.rows.weight[criterion.rows.held_out]
        losses = np.array([criterion.losses(stage.theta) for stage in stages])
        return losses, losses @ weight / weight.sum(), weight / weight.sum()

    def _clearly_best(self, stages: list[Stage], median: Stage, size: tuple[int, int]) -> tuple[Stage, float]:
        """The stage of the smallest loss; the median, unless its loss is larger by more than a standard error."""
        losses, means, share = self._losses([*stages, median], size)
        best = int(np.argmin(means[:-1]))
        if is_clear_gain(losses[-1] - losses[best], share):
            return stages[best], float(means[best])
        return median, float(means[-1])


@dataclass(frozen=True)
class _Prior:
    """The criterion and minus the log density of scales, normal around their start in the ratios between them.

        L + sum_j (delta_j - mean delta)^2 / (2 n spread^2),     delta = log scales - their start,   n rows held out

    A common factor is free. Hundreds of scales would learn the held-out rows by heart.
    """

    criterion: HeldOutLoss
    start: Array

    def __call__(self, theta: Array) -> tuple[float, Array]:
        value, slope = self.criterion(theta)
        ratios = ClassifierParameters.from_vector(theta).log_scales - self.start
        ratios = ratios - ratios.mean()
        n = _SPREAD_OF_RATIOS**2 * np.count_nonzero(self.criterion.rows.held_out)
        return value + float(np.sum(ratios**2)) / (2 * n), slope + ClassifierParameters(ratios / n, 0.0).to_vector()


def _parameters(stage: Stage) -> ClassifierParameters:
    """Parameters at the end of a stage."""
    return ClassifierParameters.from_vector(stage.theta)


def _refinement(data: LabelledSample, width: int, n_samples: int, per_feature: bool) -> tuple[int, int] | None:
    """Rows and frequencies of the largest refinement that the final fit can bear; None: none is."""
    columns = data.indicators().shape[1]
    affordable = _REFINEMENT_SHARE[per_feature] * _FIT_STEPS * _newton_work(n_samples, width, columns)
    for rows, frequencies in _REFINEMENTS:
        step = _newton_work(min(rows, data.n_searched), min(2 * frequencies, width), columns)
        if _REFINEMENT_ITERATIONS * _REFINEMENT_STEPS * step <= affordable:
            return rows, frequencies
    return None


def _newton_work(n_rows: int, width: int, columns: int) -> float:
    """Multiplications of a Newton step: two passes, a preconditioner, and ten products with the Hessian of a pilot."""
    pilot = min(n_rows, max(4096, 4 * width))
    return 2 * n_rows * width * columns + max(1024, width / 2) * width**2 + 20 * pilot * width * columns

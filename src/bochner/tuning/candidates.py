"""Candidates of an automatic search: kernels whose scales or metric were learned on some rows, compared on others.

Scales are learned on some hundred rows, by the evidence of the exact kernel or by leave-one-out errors; a metric by the
gradients of the machine that these scales give (`bochner.tuning.gradients`). Candidates are compared by exact
leave-one-out errors of rows that none was learned from,

    e_i = a_i / (C^-1)_ii,     a = C^-1 y,     C = signal K + noise / weight.

Up to 300 rows all of them learn, and candidates are compared by their evidence less (number of scales) log(n) / 2
(Schwarz 1978): a weight of 2 is then a row given twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

import numpy as np

from bochner._threads import results_in_threads
from bochner._typing import Array
from bochner.kernels import Gaussian, Isotropic, Stationary
from bochner.tuning.clock import Clock
from bochner.tuning.columns import Columns
from bochner.tuning.descent import LEAVE_ONE_OUT, Descent, Size, TuningRows, starts
from bochner.tuning.gradients import gradient_outer_product, metric_root
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.parameters import EvidenceParameters
from bochner.tuning.result import Stage
from bochner.tuning.scale_prior import ScalePrior

__all__ = ["COMPARED", "METRIC", "MOST_ROWS", "MOST_SCALES", "Candidate", "CandidateSearch", "best_of"]

METRIC = "gradients"
"""Criterion of a metric from gradients; its scale is learned by leave-one-out errors."""

COMPARED = 2000
"""Rows of the comparison, with those of the search."""

MOST_SCALES = 512
"""Columns up to which each has a scale of its own, or a part in a metric."""

_LEARNED = {"evidence": 400, LEAVE_ONE_OUT: 600, METRIC: 1000}  # rows of the search
_REFINED = {"evidence": 800, LEAVE_ONE_OUT: 1000, METRIC: 2500}  # rows of the refinement

MOST_ROWS = max(COMPARED, *_REFINED.values())
"""Rows of the largest kernel matrix of a search."""

_FEW, _SHARE = 300, 0.6  # rows of which all learn; the share that does of some more
_SHORTER = (0.25, 0.06)
_LONG = 30.0  # times the median distance: a Gaussian kernel is then linear up to a thousandth
_COMMON, _PER_COLUMN, _OTHER_KERNEL, _LAST = 12, 25, 10, 8  # iterations
_LOST = 1.0  # minus log evidence per row by which a kernel that starts from another's scales has failed to
_TIE = 1e-5  # of the Schwarz criterion: less is rounding, and must not choose
_PRIOR = ScalePrior(0.5, 0.1)  # of the evidence: none costs fifty rows of five columns a seventh, by splits 0 to 4
_CLOSE = 0.025  # of an error, by which the best of the other kind may be worse
_MAY_CATCH_UP = 1.0  # of an error, by which one scale for all columns may be worse on the rows of the comparison
_CAUTION = 0.25  # standard errors by which a candidate must be better than a simpler one


@dataclass(frozen=True, eq=False)
class Candidate:
    """A kernel whose scales were learned, on columns of one kind.

    Attributes
    ----------
    columns : Columns
    stage : Stage
    criterion : str
    source : Candidate or None
        The candidate whose gradients gave the metric; None: there is no metric.
    """

    columns: Columns
    stage: Stage
    criterion: str
    source: Candidate | None = None

    @property
    def parameters(self) -> EvidenceParameters:
        return EvidenceParameters.from_vector(self.stage.theta)

    @property
    def is_metric(self) -> bool:
        return self.source is not None

    @property
    def kind(self) -> tuple[bool, str]:
        """Whether columns are ranked; and one scale, one of each column, or a metric."""
        shape = "metric" if self.is_metric else "scales" if len(self.parameters.log_scales) > 1 else "scale"
        return self.columns.warped, shape

    def log_evidence(self, n: float) -> float | None:
        """Log evidence per row, without the prior; None if the scales were learned by another criterion."""
        return _PRIOR(self.parameters, n)[0] - self.stage.loss if self.criterion == "evidence" else None

    def is_like(self, other: Candidate) -> bool:
        """Whether the number of scales and the criterion are the same, so that losses can be compared."""
        n_scales = len(self.parameters.log_scales), len(other.parameters.log_scales)
        return self.criterion == other.criterion and n_scales[0] == n_scales[1]

    def schwarz_criterion(self, n: float) -> float:
        """Minus the log evidence per row, with what as many scales gain by chance."""
        return self.stage.loss + len(self.parameters.log_scales) * np.log(max(n, 2.0)) / (2 * max(n, 1.0))


@dataclass(frozen=True)
class CandidateSearch:
    """Targets, weights, sizes, and gains at which descents end, that all candidates share. Rows are in random order."""

    Y: Array
    weight: Array | None
    seed: int
    penalty: float | None
    clock: Clock
    share_of_budget: float = 1.0
    settled: float = 0.0
    _known: dict[tuple[Candidate, int], Array] = field(default_factory=dict)  # errors, by the rows of the comparison

    @property
    def few(self) -> bool:
        """Whether all rows learn, and none compare."""
        return len(self.Y) <= _FEW

    def total_weight(self, n_rows: int) -> float:
        """Sum of the weights of the first rows."""
        return float(len(self.Y[:n_rows]) if self.weight is None else np.sum(self.weight[:n_rows]))

    def n_learned(self, criterion: str, n_compared: int | None = None) -> int:
        compared = self._n_compared if n_compared is None else n_compared
        return len(self.Y) if self.few else min(_LEARNED[criterion], int(_SHARE * compared))

    @property
    def _n_compared(self) -> int:
        """Rows of the comparison, with those of the search, that the memory budget has room for."""
        return min(len(self.Y), Size(COMPARED, None, 0).within(self.share_of_budget).rows)

    def descend(
        self,
        columns: Columns,
        kernel: Stationary,
        start: EvidenceParameters,
        iterations: int,
        criterion: str = "evidence",
        factors: tuple[float, ...] = (),
    ) -> Candidate:
        """Scales learned from a start, on few rows."""
        rows = self.n_learned(criterion)
        return self._descended(columns, kernel, start, Size(rows, None, iterations, factors), criterion)

    def _descended(
        self,
        columns: Columns,
        kernel: Stationary,
        start: EvidenceParameters,
        size: Size,
        criterion: str,
        prior: ScalePrior = _PRIOR,
    ) -> Candidate:
        rows = TuningRows(columns.X, self.Y, self.weight, np.ones(columns.X.shape[1]), len(start.log_scales) > 1)
        if criterion == "evidence":
            settled, own = 0.0, prior
        else:
            settled, own = self.settled, None  # errors have their own
        descent = Descent(rows, kernel, start, self.seed, criterion, self.penalty, self.clock, own, settled)
        return Candidate(columns, descent.run(size), criterion)

    def of_columns(self, columns: Columns, kernel: Stationary) -> list[Candidate]:
        """One scale for all columns, then one per column from there: by evidence, and by leave-one-out errors."""
        common = self.of_one_scale(columns, kernel)
        if not 1 < columns.n_columns <= MOST_SCALES:
            return [common]
        criteria = ["evidence"] if self.few else ["evidence", LEAVE_ONE_OUT]
        return [common, *(self.with_scale_per_column(common, each) for each in criteria)]

    def with_scale_per_column(self, common: Candidate, criterion: str) -> Candidate:
        """One scale per column, from a candidate with one for all."""
        log_scales = np.repeat(common.parameters.log_scales, common.columns.n_columns)
        start = replace(common.parameters, log_scales=log_scales)
        return self.descend(common.columns, common.stage.kernel, start, _PER_COLUMN, criterion)

    def of_one_scale(self, columns: Columns, kernel: Stationary) -> Candidate:
        """One scale for all columns, by evidence."""
        return self.descend(columns, kernel, self._start(columns, kernel), _COMMON, factors=_SHORTER)

    def of_long_scale(self, columns: Columns) -> Candidate:
        """A Gaussian kernel of so long a scale that its machine is ridge regression; the noise is left to learn.

        The signal is larger by the square of the factor, for the same slopes, and so is the centre of its prior.
        """
        start, further = self._start(columns, Gaussian()), np.log(_LONG)
        start = replace(start, log_scales=start.log_scales + further, log_signal=start.log_signal + 2 * further)
        size = Size(self.n_learned("evidence"), None, _COMMON)
        prior = replace(_PRIOR, centre=_PRIOR.centre - 2 * further)
        return self._descended(columns, Gaussian(), start, size, "evidence", prior)

    def _start(self, columns: Columns, kernel: Stationary) -> EvidenceParameters:
        """One scale, by the median distance."""
        distinct = np.unique(columns.X, axis=0)  # a row given twice is no closer to others
        rows = TuningRows(distinct, self.Y, None, np.ones(distinct.shape[1]), False)
        return starts(rows, kernel, self.seed, 1)[0]

    def metrics(self, common: Candidate, n_rounds: int) -> list[Candidate]:
        """Metrics from the gradients of a candidate with one scale, and of each other in turn."""
        found, source = list[Candidate](), common
        if not 1 < common.columns.n_columns <= MOST_SCALES:
            return found
        for _ in range(n_rounds):
            turned = self._turned(source, self.n_learned(METRIC))
            if turned is None:
                break
            start = replace(source.parameters, log_scales=np.mean(source.parameters.log_scales, keepdims=True))
            metric = self.descend(turned, source.stage.kernel, start, _COMMON, LEAVE_ONE_OUT, factors=(0.5,))
            source = replace(metric, source=source)
            found.append(source)
        return found

    def _turned(self, source: Candidate, n_rows: int) -> Columns | None:
        """Columns in the metric of a candidate's gradients at so many rows; None if it cannot be solved there."""
        columns, parameters, rows = source.columns, source.parameters, slice(0, n_rows)
        weight, kernel = None if self.weight is None else self.weight[rows], cast("Isotropic", source.stage.kernel)
        coef = KernelEvidence(columns.X[rows], self.Y[rows], weight, kernel).coefficients(parameters)
        if coef is None:
            return None
        unit = kernel.with_length_scale(1.0)
        outer = gradient_outer_product(unit, columns.X[rows] / parameters.scales, coef, weight)
        back = np.eye(len(columns.unit)) if columns.directions is None else columns.directions
        back = back / parameters.scales  # from scaled coordinates to the columns that directions are in
        return self._unturned(source).turned(metric_root(back @ outer @ back.T))

    def _unturned(self, candidate: Candidate) -> Columns:
        """The columns that a candidate's directions are in."""
        while candidate.source is not None:
            candidate = candidate.source
        return candidate.columns

    def with_kernel(self, candidate: Candidate, kernel: Stationary) -> Candidate:
        """The same columns and number of scales with another kernel; learned anew where it cannot start from there.

        Long scales of a rough kernel make the matrix of a smooth one singular, and its evidence has no slope there.
        """
        start = candidate.parameters.at_half_distance(candidate.stage.kernel, kernel)
        found = self.descend(candidate.columns, kernel, start, _OTHER_KERNEL, candidate.criterion)
        found = replace(found, source=candidate.source)
        if found.stage.loss < candidate.stage.loss + _LOST:
            return found
        anew = self._with_kernel_anew(candidate, kernel)
        return min([found, *anew], key=lambda each: each.stage.loss)

    def _with_kernel_anew(self, candidate: Candidate, kernel: Stationary) -> list[Candidate]:
        """Scales of another kernel from its own start, with as many scales by the same criterion."""
        columns = candidate.columns
        if candidate.source is None:
            return [each for each in self.of_columns(columns, kernel) if each.is_like(candidate)]
        start = self._start(columns, kernel)
        found = self.descend(columns, kernel, start, _PER_COLUMN, candidate.criterion, factors=_SHORTER)
        return [replace(found, source=candidate.source)]

    def refined(self, best: Candidate) -> Candidate:
        """The best candidate, learned on from more rows."""
        best = self._with_more_gradients(best)
        size = Size(_REFINED[best.criterion], None, _LAST).within(self.share_of_budget)
        found = self._descended(best.columns, best.stage.kernel, best.parameters, size, best.criterion)
        return replace(found, source=best.source)

    def _with_more_gradients(self, candidate: Candidate) -> Candidate:
        """A metric from the gradients at more rows, and those before it too, at the scales that were learned."""
        source = candidate.source
        if source is None:
            return candidate
        source = self._with_more_gradients(source)
        rows = Size(_REFINED[METRIC], None, 0).within(self.share_of_budget).rows
        turned = self._turned(source, rows)
        return candidate if turned is None else replace(candidate, columns=turned, source=source)

    def leaders(self, candidates: list[Candidate], most: int) -> list[Candidate]:
        """The candidate that predicts rows best that it was not learned from; of few rows, by the Schwarz criterion.

        And the best of each other kind that is close, `most` in all: a kernel may make up for a small difference.
        """
        if len(candidates) == 1:
            return candidates
        if self.few:
            n = self.total_weight(len(self.Y))
            criteria = np.array([each.schwarz_criterion(n) for each in candidates])
            return [candidates[int(np.flatnonzero(criteria <= np.min(criteria) + _TIE)[0])]]
        errors = self.compared(candidates)
        best, mean = best_of(errors), _means(errors)
        found = {candidates[best].kind: candidates[best]}
        for i in np.argsort(mean):
            if mean[i] <= (1 + _CLOSE) * mean[best]:
                found.setdefault(candidates[i].kind, candidates[i])
        return list(found.values())[:most]

    def best_refined(self, candidates: list[Candidate]) -> Candidate:
        """The best of candidates that were learned on from more rows, by all rows that none was learned from."""
        if len(candidates) == 1 or self._n_unseen == 0:
            return candidates[0]
        return candidates[best_of(self._errors_of_refined(candidates))]

    @property
    def _n_affordable(self) -> int:
        """Rows that the memory budget has room for."""
        return min(len(self.Y), Size(len(self.Y), None, 0).within(self.share_of_budget).rows)

    @property
    def _n_unseen(self) -> int:
        """Rows of these that no refinement was learned from."""
        return max(0, self._n_affordable - max(_REFINED.values()))

    def _errors_of_refined(self, candidates: list[Candidate]) -> list[Array]:
        """Squared leave-one-out errors of all affordable rows that no refinement was learned from."""
        rows = self._n_affordable
        of_rows = partial(self.errors, rows=rows, seen=min(rows, max(_REFINED.values())))
        return results_in_threads([partial(of_rows, each) for each in candidates])

    def rival(self, best: Candidate) -> Candidate | None:
        """One scale for all columns, if its error on the rows of the comparison is so close that it may catch up.

        It needs more rows than scales of columns or a metric do, and relies less on what rows near each other share.
        """
        if self._n_unseen == 0 or (not best.is_metric and len(best.parameters.log_scales) == 1):
            return None
        simple = self.of_one_scale(self._unturned(best), best.stage.kernel)
        mean = _means(self.compared([best, simple]))
        return simple if mean[1] <= (1 + _MAY_CATCH_UP) * mean[0] else None

    def compared(self, candidates: list[Candidate]) -> list[Array]:
        """Squared leave-one-out errors on the rows of the comparison, of each candidate once.

        All on the same rows: what the memory budget has room for may change from one moment to the next.
        """
        rows = self._n_compared
        of_rows = partial(self.errors, rows=rows, seen=self.n_learned(METRIC, rows))
        new = [each for each in candidates if (each, rows) not in self._known]
        found = results_in_threads([partial(of_rows, each) for each in new])
        self._known.update(zip(((each, rows) for each in new), found, strict=True))
        return [self._known[each, rows] for each in candidates]

    def errors(self, candidate: Candidate, rows: int, seen: int) -> Array:
        """Squared leave-one-out errors of the first rows but for those that were seen, summed over targets."""
        return self.process(candidate, rows).leave_one_out(candidate.parameters, len(self.Y[:rows]) - seen)

    def process(self, candidate: Candidate, rows: int) -> KernelEvidence:
        """The Gaussian process of a candidate and the first rows."""
        weight = None if self.weight is None else self.weight[:rows]
        return KernelEvidence(candidate.columns.X[:rows], self.Y[:rows], weight, candidate.stage.kernel)


def best_of(errors: list[Array]) -> int:
    """The candidate of the smallest mean error; the first one unless another is better beyond noise."""
    means = _means(errors)
    best = int(np.argmin(means))
    if not np.isfinite(means[0]):  # a matrix that is not definite, as of columns with numbers of all magnitudes
        return best
    gain = errors[0] - errors[best]
    noise = float(np.std(gain)) / np.sqrt(max(1, len(gain)))
    return best if np.mean(gain) > _CAUTION * noise else 0


def _means(errors: list[Array]) -> Array:
    """Mean errors, infinite where they are not numbers."""
    means = np.array([float(np.mean(each)) if len(each) else 0.0 for each in errors])
    return np.where(np.isfinite(means), means, np.inf)

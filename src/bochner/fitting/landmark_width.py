"""Landmarks or the exact machine: what leave-one-out errors say is worth its cost, on few rows where rows are few."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array
from bochner.data import ArrayRows, RowSource, sampled_index
from bochner.errors import MemoryBudgetError
from bochner.fitting.checkpoints import FitCheckpoint
from bochner.fitting.exact import ExactMachine, last_rows
from bochner.fitting.exact_iterative import fit_exact_iteratively
from bochner.fitting.exact_problem import ordered_rows, rows_of_exact
from bochner.fitting.features import ChosenFeatures, DrawnFeatures
from bochner.fitting.left_out import (
    LEFT_OUT_ROWS,
    LeftOut,
    errors_of_classes,
    held_out_errors,
    left_out_errors,
    mean_errors,
    rows_to_judge,
)
from bochner.fitting.linear_rival import bears_tails_better, beats_the_mean, is_as_good, linear_tuning, linear_width
from bochner.fitting.margin_landmarks import (
    FEW_ROWS,
    MARGIN_LANDMARKS,
    MARGIN_ROWS,
    SMALLEST_FALL,
    START,
    Counted,
    with_hard_rows,
)
from bochner.fitting.moments import MomentsFit, moments_bill
from bochner.fitting.products import solve_products
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.support_machine import fit_support_machine
from bochner.fitting.watch import Silent, Watch
from bochner.fitting.width_rule import WidthCurve, relative_gain
from bochner.kernels import Stationary
from bochner.memory import MemoryBill, fits, require_memory
from bochner.planning import (
    EXACT_ITERATIVE_ROWS,
    EXACT_ROWS,
    LANDMARKS,
    MANY_LANDMARKS,
    PILOT_ROWS,
    PRODUCT_ROWS,
    exact_fits_in_time,
    landmark_numbers,
)
from bochner.solvers import IterativeSolver, KernelSolver, kernel_matrix_bill
from bochner.tuning import Tuning

if TYPE_CHECKING:
    from bochner.fitting.ridge import Publish, RidgeSettings

__all__ = ["search_few_landmarks", "search_landmarks"]

_SMALLEST_GAIN = 0.01  # of the mean squared error
_CLEARLY = 2.0  # standard errors by which a simpler kernel must make more mistakes to be left
_LITTLE_SKILL = 0.9  # of the error of the mean, from which on ridge regression is tried: scales may be noise
_RIDGE_ERRORS = 2.0  # standard errors by which it may be worse: scales were learned from some of the rows that judge
_MEAN_ERRORS = 1.0  # by which it must be better than the mean: its penalty was chosen by rows that judge
_LEFT_OUT_SHARE = 10  # one of so many rows is left out at most
_TOL = 1e-4  # residual of many landmarks, whose iterations end when the error on rows that are left out has settled


def search_landmarks(
    rows: RowSource,
    kernel: Stationary,
    tuning: Tuning | None,
    settings: RidgeSettings,
    watch: Watch,
    publish: Publish,
    checkpoint: FitCheckpoint | None = None,
) -> tuple[FittedRidge, LeftOut]:
    """The fit that leave-one-out errors chose, and these errors: landmarks, or the exact machine of few rows.

    Up to 3,000 rows it is the exact machine. Up to 10,000 that or the fewest landmarks, whichever is worth it on 3,000
    of the rows. Of more rows, classes that few landmarks tell apart, most of them at small margins, are left at these.
    Else more and more landmarks: each number is compared with the best one before it on the same rows, and a gain of
    one standard error and one percent goes on to the next. Where the exact machine of 10,000 of the rows is better
    still, the exact machine of all by iterations, or 8,192 landmarks by products beyond 64,000 rows. At last, ridge
    regression, if it is as good. A checkpoint has the moments of each.
    """
    search = _Search(rows, kernel, tuning, settings, watch, publish, checkpoint)
    bill = kernel_matrix_bill(rows.n_rows, rows.n_features, rows.n_targets)
    few = rows.n_rows <= EXACT_ROWS and not search.has_rare_class
    if few and fits(bill.total) and exact_fits_in_time(rows.n_rows, rows.n_features, iterative=False):
        search.exact_or_fewest()
    elif not (settings.alike and search.is_easy()):
        for width in landmark_numbers(rows.n_rows):
            if not search.goes_on(width):
                break
        if search.exact_pays():
            search.of_many()
    search.try_ridge()
    return search.result()


def search_few_landmarks(
    rows: RowSource, tuning: Tuning, settings: RidgeSettings, watch: Watch, checkpoint: FitCheckpoint | None = None
) -> tuple[FittedRidge, LeftOut] | None:
    """The fit of few landmarks, most of them at small margins, and its leave-one-out errors; None if they do not do.

    They are searched for on 50,000 rows at most, and fitted to all.
    """
    if rows.n_rows <= FEW_ROWS:
        search = _Search(rows, tuning.kernel, tuning, settings, watch, lambda fit: None, None)
        return search.result() if search.is_easy() else None
    some = ArrayRows.sampled(rows, FEW_ROWS, settings.seed)
    search = _Search(some, tuning.kernel, tuning, settings, Silent(), lambda fit: None, None)
    if not search.is_easy():
        return None
    found, _ = search.result()
    of_all = _Search(rows, tuning.kernel, tuning, settings, watch, lambda fit: None, checkpoint)
    fit = of_all.fitted(DrawnFeatures(found.features, found.feature_map), "few-landmarks")
    return replace(fit, width_curve=found.width_curve), left_out_errors(fit, rows, settings.seed, MARGIN_ROWS)


class _Search:
    """The best fit so far, and the errors of the numbers that were tried."""

    def __init__(
        self,
        rows: RowSource,
        kernel: Stationary,
        tuning: Tuning | None,
        settings: RidgeSettings,
        watch: Watch,
        publish: Publish,
        checkpoint: FitCheckpoint | None,
    ) -> None:
        self._rows, self._kernel, self._settings = rows, kernel, settings
        self._tuning = None if tuning is None else replace(tuning, rivals=())
        self._rivals = () if tuning is None else tuning.rivals
        self._watch, self._publish, self._checkpoint = watch, publish, checkpoint
        self._variance = mean_errors(*rows.targets())
        self._reason = ""
        self._best: tuple[FittedRidge, LeftOut] | None = None
        self._alpha = 0.0
        self._pivots: FittedRidge | None = None
        self._n_left_out = rows_to_judge(rows, rare=settings.alike)
        self._judges = ArrayRows.sampled(rows, self._n_left_out, settings.seed)  # whose errors the best fit has
        self._steps = _Steps(cut=not self.has_rare_class)

    @property
    def has_rare_class(self) -> bool:
        """Whether nearly all rows are of one class: then more of them are left out, and landmarks serve them all."""
        return self._n_left_out > rows_to_judge(self._rows, rare=False)

    def goes_on(self, width: int) -> bool:
        """Fit so many landmarks; True if they are clearly better than the best before."""
        try:
            fit = self._landmarks(width)
        except MemoryBudgetError:
            if self._best is None:
                raise
            self._reason = f"{width:,} landmarks do not fit in the memory budget."
            return False
        left_out = left_out_errors(fit, self._judges, self._settings.seed, self._n_left_out)
        better = self._compared(width, fit, left_out, f"{width:,} landmarks")
        if better and width == LANDMARKS[-1]:
            self._reason = f"{width:,} landmarks are the most that are tried."
        return better

    def exact_or_fewest(self) -> None:
        """The exact kernel machine, unless the fewest landmarks are as good on some of the rows."""
        machine = ExactMachine.of(self._rows, self._kernel, self._tuning, self._settings)
        few = machine.few_rows()
        if machine.ordered.n_rows > few.n_rows and not self._pays(machine, few, LANDMARKS[0]):
            fit = self._landmarks(LANDMARKS[0])
            self._best = fit, left_out_errors(fit, self._judges, self._settings.seed, self._n_left_out)
            return
        on_block, finish = self._watch.begin(1)
        self._best = self._or_rival(machine.fit())
        self._judges = last_rows(machine.ordered, len(self._best[1].errors))
        self._publish(self._best[0])
        on_block(self._rows.n_rows)
        finish()

    def _or_rival(self, best: tuple[FittedRidge, LeftOut]) -> tuple[FittedRidge, LeftOut]:
        """The exact machine, or that of a simpler kernel if it is as good on all rows: of classes, by mistakes."""
        for rival in self._rivals:
            machine = ExactMachine.of(self._rows, rival.kernel, rival, self._settings)
            fit, left_out = machine.fit()
            if _is_as_good(left_out, best[1]):
                best = fit, left_out
        return best

    def is_easy(self) -> bool:
        """Whether few landmarks, more of them at small margins until mistakes settle, make few mistakes; then kept."""
        features, seed = self._settings.features, self._settings.seed
        first = features.draw(self._kernel, MARGIN_LANDMARKS[0], self._rows, self._tuning)
        best = self._counted(first)
        self._pivots = best.fit
        for width in MARGIN_LANDMARKS[1:]:
            if best.is_enough(width) or best.share > START:
                break
            drawn = with_hard_rows(best.drawn, self._rows, best.left_out, width // 2, seed)
            try:
                other = self._counted(drawn)
            except MemoryBudgetError:
                break
            settled = other.share > (1 - SMALLEST_FALL) * best.share
            best = min(best, other, key=lambda each: each.share)
            if settled:
                break
        if best.is_promising:
            self._keep_few(best)
        return best.is_promising

    def _counted(self, drawn: DrawnFeatures) -> Counted:
        fit = self.fitted(drawn, f"margins-{drawn.map.n_components}")
        return Counted(drawn, fit, left_out_errors(fit, self._rows, self._settings.seed, MARGIN_ROWS))

    def _keep_few(self, found: Counted) -> None:
        width, share = found.drawn.map.n_components, 100 * found.share
        self._steps.is_better(width, found.left_out.squares(self._variance), found.left_out.weight)
        self._best = found.fit, found.left_out
        self._publish(found.fit)
        self._reason = f"{width:,} landmarks make mistakes on {share:.2g} % of the rows that were left out."

    def exact_pays(self) -> bool:
        """Whether the exact machine of some of many rows is clearly better than the landmarks of all.

        Of as many rows as are factorised: where the exact machine of few rows ends, errors do not rise.
        """
        some = self._n_factorised()
        if some == 0 or self.has_rare_class:
            return False
        sample = ArrayRows.sampled(self._rows, some, self._settings.seed)
        machine = ExactMachine.of(sample, self._kernel, self._tuning, self._settings)
        self._alpha, exact = machine.alpha, machine.fit()[1]
        assert self._best is not None
        judges, width = last_rows(machine.ordered, len(exact.errors)), self._steps.best
        landmarks = left_out_errors(self._best[0], judges, self._settings.seed, judges.n_rows)
        better = self._steps.is_better(
            self._rows.n_rows, exact.squares(self._variance), exact.weight, landmarks.squares(self._variance)
        )
        clearly = "clearly" if better else "not clearly"
        self._reason = (
            f"The exact kernel machine of {sample.n_rows:,} rows is {clearly} better than {width:,} landmarks of all."
        )
        return better

    def _n_factorised(self) -> int:
        """Rows of the exact machine that landmarks are compared with, by the budgets; 0: there is none."""
        n, d = self._rows.n_rows, self._rows.n_features
        if n <= EXACT_ROWS or n > PRODUCT_ROWS or self._rows.arrays is None:
            return 0
        if n <= EXACT_ITERATIVE_ROWS and not exact_fits_in_time(n, d, iterative=True):
            return 0
        for some in (EXACT_ROWS, PILOT_ROWS):
            bill = kernel_matrix_bill(some, d, self._rows.n_targets)
            if fits(bill.total) and exact_fits_in_time(some, d, iterative=False):
                return some
        return 0

    def of_many(self) -> None:
        """The exact machine by iterations, or many landmarks by products, unless the landmarks before are better."""
        fewer, steps = self._best, self._steps.best
        fit, left_out, judges = self._exact_of_many() if self._rows.n_rows <= EXACT_ITERATIVE_ROWS else self._products()
        assert fewer is not None
        if len(left_out.errors) and fit.solution.hinge is None:  # whose errors are of another loss
            before = left_out_errors(fewer[0], judges, self._settings.seed, judges.n_rows)
            if is_as_good(before, left_out):
                self._reason = f"{steps:,} landmarks are as good as the exact kernel machine."
                return
        self._best, self._judges = (fit, left_out), judges

    def _exact_of_many(self) -> tuple[FittedRidge, LeftOut, ArrayRows]:
        """The exact machine of signs inside their margins, or by iterations; rows that are left out."""
        settings, rows = self._settings, self._rows
        found = fit_support_machine(rows, self._kernel, self._tuning, settings, self._alpha)
        if found is None:
            exact = replace(settings, solver=KernelSolver())
            kernel, tuning, searched = self._kernel, self._tuning, self._alpha
            found = fit_exact_iteratively(
                rows, kernel, tuning, exact, watch=self._watch, checkpoint=self._checkpoint, searched=searched
            )
        ordered = ordered_rows(rows_of_exact(rows), settings.seed)
        return *found, last_rows(ordered, len(found[1].errors))

    def _products(self) -> tuple[FittedRidge, LeftOut, ArrayRows]:
        """Many landmarks by products; rows that are left out."""
        settings, rows = self._settings, self._rows
        rule = replace(settings.rule, alpha=self._alpha)
        products = replace(settings, solver=IterativeSolver(_TOL), rule=rule)
        drawn = settings.features.draw(self._kernel, MANY_LANDMARKS, rows, self._tuning)
        size = min(LEFT_OUT_ROWS, rows.n_rows // _LEFT_OUT_SHARE)
        left_out = sampled_index(rows.n_rows, rows.targets()[1], size, settings.seed)
        chosen = ChosenFeatures(drawn, self._tuning, self._kernel)
        fit = solve_products(rows, chosen, products, watch=self._watch, checkpoint=self._checkpoint, left_out=left_out)
        errors_of = errors_of_classes if settings.alike else held_out_errors
        judges = ArrayRows.sampled(rows, size, settings.seed)
        return replace(fit, rule=settings.rule), errors_of(fit, rows, left_out), judges

    def try_ridge(self) -> None:
        """Take ridge regression if it predicts rows that were left out as well as a model that hardly has skill.

        Or if rows far from the others, to which it extrapolates, make the errors of many rows far smaller.
        """
        scale, best = self._settings.features.scale, self._best
        free = self._tuning is not None and scale is not None and scale.chooses_kernel and scale.length_scale == "auto"
        if not (free and isinstance(self._settings.rule.alpha, str)) or best is None or not len(best[1].errors):
            return
        little_skill = self.has_rare_class or (best[1].relative_error() or 0.0) >= _LITTLE_SKILL
        if not (little_skill or (len(best[1].errors) >= LEFT_OUT_ROWS and not self._settings.alike)):
            return
        tuning, width = linear_tuning(self._rows, self._settings.seed), linear_width(self._rows.n_features)
        drawn = self._settings.features.draw(tuning.kernel, min(width, LANDMARKS[-1]), self._rows, tuning)
        fit = self.fitted(drawn, "ridge", tuning)
        left_out = left_out_errors(fit, self._judges, self._settings.seed, self._judges.n_rows)
        if not (self.has_rare_class or beats_the_mean(left_out, _MEAN_ERRORS)):
            return
        if (little_skill and is_as_good(left_out, best[1], _RIDGE_ERRORS)) or bears_tails_better(left_out, best[1]):
            before = best[1].squares(self._variance)
            self._steps.take(drawn.map.n_components, left_out.squares(self._variance), left_out.weight, before)
            self._best = fit, left_out
            self._reason = (
                "A nearly linear model, a Gaussian kernel of very long scale, predicts rows that were left out as well."
            )
            self._publish(fit)

    def _pays(self, machine: ExactMachine, few: ArrayRows, width: int) -> bool:
        """Whether the exact machine of few rows is clearly better than so many landmarks, fitted to the same."""
        settings = self._settings
        drawn = settings.features.draw(self._kernel, width, few, self._tuning)
        begun = MomentsFit.drawn(drawn, self._tuning, few, settings.solver, settings.rule)
        fit, exact = begun.add(few, Silent()).solved(few, alike=settings.alike).fit, machine.errors_of_few()
        landmarks = left_out_errors(fit, last_rows(few, len(exact.errors)), settings.seed)
        self._steps.is_better(width, landmarks.squares(self._variance), landmarks.weight)
        better = self._steps.is_better(self._rows.n_rows, exact.squares(self._variance), exact.weight)
        self._reason = (
            f"The exact kernel machine is {'' if better else 'not '}clearly better than {width:,} landmarks, on "
            f"{few.n_rows:,} of the rows."
        )
        return better

    def result(self) -> tuple[FittedRidge, LeftOut]:
        assert self._best is not None
        fit, left_out = self._best
        return (replace(fit, width_curve=self._steps.curve(self._reason)) if self._steps.best else fit), left_out

    def _landmarks(self, width: int) -> FittedRidge:
        if self._pivots is not None and self._pivots.feature_map.n_components == width:
            return self._pivots
        drawn = self._settings.features.draw(self._kernel, width, self._rows, self._tuning)
        return self.fitted(drawn, f"landmarks-{width}")

    def fitted(self, drawn: DrawnFeatures, part: str, tuning: Tuning | None = None) -> FittedRidge:
        """The fit of drawn features to all rows; a checkpoint has its moments."""
        settings, rows, checkpoint = self._settings, self._rows, self._checkpoint
        self._require_room(moments_bill(rows, drawn.map, settings.rule)[1])
        ledger = None if checkpoint is None else checkpoint.moments(part)
        tuning, publish = (self._tuning, self._publish) if tuning is None else (tuning, lambda fit: None)
        gathered = MomentsFit.drawn(drawn, tuning, rows, settings.solver, settings.rule, publish=publish, ledger=ledger)
        judges = self._judges if self.has_rare_class else None
        return gathered.add(rows, self._watch, ledger=ledger).solved(rows, judges, alike=settings.alike).fit

    def _require_room(self, bill: MemoryBill) -> None:
        """Refuse a fit that does not fit in the memory budget beside the best one before it."""
        items = dict(bill.items)
        if self._best is not None:
            fit = self._best[0]
            kept = 0 if fit.moments is None else fit.moments.zz.nbytes
            items["best fit before"] = kept + fit.feature_map.n_bytes(self._rows.dtype)
        require_memory(MemoryBill(items), "Raise the budget with bochner.set_config(memory=...).")

    def _compared(self, width: int, fit: FittedRidge, left_out: LeftOut, what: str) -> bool:
        """Keep a fit that is clearly better than the best before it; True if it is."""
        if not self._steps.is_better(width, left_out.squares(self._variance), left_out.weight):
            self._reason = f"{what} are not clearly better than {self._steps.best:,} landmarks."
            return False
        self._best = fit, left_out
        self._publish(fit)
        return True


def _is_as_good(simple: LeftOut, other: LeftOut) -> bool:
    """Whether mistakes of rows that were left out are no more, up to two standard errors of the difference."""
    weight = simple.weight / simple.weight.sum()
    more = simple.mistakes() - other.mistakes()
    mean = float(weight @ more)
    return bool(mean <= _CLEARLY * np.sqrt(float(np.sum((weight * (more - mean)) ** 2))))


def _is_no_worse(errors: Array, before: Array, weight: Array) -> bool:
    """Whether squared errors are no larger with those of rows far from the others, which a gain leaves out."""
    return bool(np.average(errors, weights=weight) <= (1 + _SMALLEST_GAIN) * np.average(before, weights=weight))


class _Steps:
    """Errors of the numbers that were tried; the largest are those of a rare class, and not `cut` then."""

    def __init__(self, cut: bool) -> None:
        self.best, self._cut = 0, cut
        self._errors: Array = np.empty(0)
        self._rows: list[tuple[int, float, int, float, float]] = []

    def is_better(self, width: int, errors: Array, weight: Array, before: Array | None = None) -> bool:
        """Take the squared errors of the next number; True if it is clearly better than the best before it.

        `before`: those of the best on the same rows, if they are others than its own.
        """
        known = self._errors if before is None else before
        gain, std = self._record(width, errors, weight, before)
        better = not self.best or (gain > max(std, _SMALLEST_GAIN) and _is_no_worse(errors, known, weight))
        if better:
            self.best, self._errors = width, errors
        return better

    def take(self, width: int, errors: Array, weight: Array, before: Array) -> None:
        """Take the squared errors of a number that is the best, whatever its gain; `before` as in `is_better`."""
        self._record(width, errors, weight, before)
        self.best, self._errors = width, errors

    def _record(self, width: int, errors: Array, weight: Array, before: Array | None) -> tuple[float, float]:
        known = self._errors if before is None else before
        gain, std = (np.nan, np.nan)
        if self.best or before is not None:
            gain, std = relative_gain(known, errors, weight, cut=self._cut)
        mean = float(np.average(errors, weights=weight))
        self._rows.append((width, float(np.sqrt(mean)), self.best, gain, std))
        return gain, std

    def curve(self, reason: str) -> WidthCurve:
        widths, rmse, against, gain, std = (np.array(column) for column in zip(*self._rows, strict=True))
        return WidthCurve(widths, rmse, against, gain, std, self.best, len(self._errors), reason)

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
from bochner.fitting.features import ChosenFeatures, DrawnFeatures
from bochner.fitting.left_out import (
    LEFT_OUT_ROWS,
    LeftOut,
    errors_of_classes,
    held_out_errors,
    left_out_errors,
    mean_errors,
)
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
    of the rows. Of more rows, where the exact machine is clearly better than 1,024 landmarks on 3,000 of them, the
    exact machine by iterations, or 8,192 landmarks by products beyond 64,000 rows. Before that, classes that few
    landmarks tell apart, most of them at small margins, are left at these. Else more and more landmarks: each
    number is compared with the best one before it on the same rows, and a gain of one standard error and one percent
    goes on to the next. A checkpoint has the moments of each.
    """
    search = _Search(rows, kernel, tuning, settings, watch, publish, checkpoint)
    bill = kernel_matrix_bill(rows.n_rows, rows.n_features, rows.n_targets)
    few = rows.n_rows <= EXACT_ROWS
    if few and fits(bill.total) and exact_fits_in_time(rows.n_rows, rows.n_features, iterative=False):
        return search.exact_or_fewest()
    if settings.alike and search.is_easy():
        return search.result()
    if search.many_pay():
        return search.of_many()
    for width in landmark_numbers(rows.n_rows):
        if not search.goes_on(width):
            break
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
        self._steps, self._reason = _Steps(), ""
        self._best: tuple[FittedRidge, LeftOut] | None = None
        self._alpha = 0.0
        self._pivots: FittedRidge | None = None

    def goes_on(self, width: int) -> bool:
        """Fit so many landmarks; True if they are clearly better than the best before."""
        try:
            fit = self._landmarks(width)
        except MemoryBudgetError:
            if self._best is None:
                raise
            self._reason = f"{width:,} landmarks do not fit in the memory budget."
            return False
        left_out = left_out_errors(fit, self._rows, self._settings.seed)
        better = self._compared(width, fit, left_out, f"{width:,} landmarks")
        if better and width == LANDMARKS[-1]:
            self._reason = f"{width:,} landmarks are the most that are tried."
        return better

    def exact_or_fewest(self) -> tuple[FittedRidge, LeftOut]:
        """The exact kernel machine, unless the fewest landmarks are as good on some of the rows."""
        machine = ExactMachine.of(self._rows, self._kernel, self._tuning, self._settings)
        few = machine.few_rows()
        if machine.ordered.n_rows > few.n_rows and not self._pays(machine, few, LANDMARKS[0]):
            fit = self._landmarks(LANDMARKS[0])
            self._best = fit, left_out_errors(fit, self._rows, self._settings.seed)
            return self.result()
        on_block, finish = self._watch.begin(1)
        self._best = self._or_rival(machine.fit())
        self._publish(self._best[0])
        on_block(self._rows.n_rows)
        finish()
        return self.result() if self._steps.best else self._best

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

    def many_pay(self) -> bool:
        """Whether the exact machine of some of many rows is clearly better than 1,024 landmarks."""
        known, bill = self._rows.arrays, kernel_matrix_bill(PILOT_ROWS, self._rows.n_features, self._rows.n_targets)
        if known is None or not (self._in_time() and fits(bill.total)):
            return False
        some = ArrayRows.sampled(self._rows, PILOT_ROWS, self._settings.seed)
        machine = ExactMachine.of(some, self._kernel, self._tuning, self._settings)
        self._alpha = machine.alpha
        pays = self._pays(machine, machine.few_rows(), LANDMARKS[1])
        if not pays:
            self._steps = _Steps()  # those of all rows are others
        return pays

    def _in_time(self) -> bool:
        """Whether the exact machines of some rows, and of all if that may follow, fit in the time budget."""
        n, d = self._rows.n_rows, self._rows.n_features
        all_of_them = n > EXACT_ITERATIVE_ROWS or exact_fits_in_time(n, d, iterative=True)
        return all_of_them and exact_fits_in_time(PILOT_ROWS, d, iterative=False)

    def of_many(self) -> tuple[FittedRidge, LeftOut]:
        """The exact machine by iterations, or many landmarks by products."""
        settings, rows = self._settings, self._rows
        if rows.n_rows <= EXACT_ITERATIVE_ROWS:
            self._best = fit_support_machine(rows, self._kernel, self._tuning, settings, self._alpha)
            if self._best is not None:
                return self.result()
            exact = replace(settings, solver=KernelSolver())
            self._best = fit_exact_iteratively(
                rows,
                self._kernel,
                self._tuning,
                exact,
                watch=self._watch,
                checkpoint=self._checkpoint,
                searched=self._alpha,
            )
            return self.result()
        rule = replace(settings.rule, alpha=self._alpha)
        products = replace(settings, solver=IterativeSolver(_TOL), rule=rule)
        drawn = settings.features.draw(self._kernel, MANY_LANDMARKS, rows, self._tuning)
        size = min(LEFT_OUT_ROWS, rows.n_rows // _LEFT_OUT_SHARE)
        left_out = sampled_index(rows.n_rows, rows.targets()[1], size, settings.seed)
        chosen = ChosenFeatures(drawn, self._tuning, self._kernel)
        fit = solve_products(rows, chosen, products, watch=self._watch, checkpoint=self._checkpoint, left_out=left_out)
        errors_of = errors_of_classes if settings.alike else held_out_errors
        self._best = replace(fit, rule=settings.rule), errors_of(fit, rows, left_out)
        return self.result()

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
        return replace(fit, width_curve=self._steps.curve(self._reason)), left_out

    def _landmarks(self, width: int) -> FittedRidge:
        if self._pivots is not None and self._pivots.feature_map.n_components == width:
            return self._pivots
        drawn = self._settings.features.draw(self._kernel, width, self._rows, self._tuning)
        return self.fitted(drawn, f"landmarks-{width}")

    def fitted(self, drawn: DrawnFeatures, part: str) -> FittedRidge:
        """The fit of drawn features to all rows; a checkpoint has its moments."""
        settings, rows, checkpoint = self._settings, self._rows, self._checkpoint
        self._require_room(moments_bill(rows, drawn.map, settings.rule)[1])
        ledger = None if checkpoint is None else checkpoint.moments(part)
        gathered = MomentsFit.drawn(
            drawn, self._tuning, rows, settings.solver, settings.rule, publish=self._publish, ledger=ledger
        )
        return gathered.add(rows, self._watch, ledger=ledger).solved(rows, alike=settings.alike).fit

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


class _Steps:
    """Errors of the numbers that were tried."""

    def __init__(self) -> None:
        self.best = 0
        self._errors: Array = np.empty(0)
        self._rows: list[tuple[int, float, int, float, float]] = []

    def is_better(self, width: int, errors: Array, weight: Array) -> bool:
        """Take the squared errors of the next number; True if it is clearly better than the best before it."""
        gain, std = relative_gain(self._errors, errors, weight) if self.best else (np.nan, np.nan)
        mean = float(np.average(errors, weights=weight))
        self._rows.append((width, float(np.sqrt(mean)), self.best, gain, std))
        better = not self.best or gain > max(std, _SMALLEST_GAIN)
        if better:
            self.best, self._errors = width, errors
        return better

    def curve(self, reason: str) -> WidthCurve:
        widths, rmse, against, gain, std = (np.array(column) for column in zip(*self._rows, strict=True))
        return WidthCurve(widths, rmse, against, gain, std, self.best, len(self._errors), reason)

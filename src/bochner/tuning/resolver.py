"""Length scale rules "auto", "ard", "metric", "median" or numbers, resolved to a kernel, for all models and tests.

| length_scale | kernel | the scale is |
|---|---|---|
| a number or an array | any | that |
| "auto" | a kernel | its own |
| "auto" | a name | learned from targets, one or one per feature, if a learner does so; else that of the columns |
| "auto" | "auto" | learned, as is the kernel |
| "ard" | any | learned, one per feature |
| "metric" | one of distance | a matrix, learned from gradients |
| "median" | any | its own times the median distance between rows |

The scale of a column is its spread (`bochner.tuning.spread`) times the median distance between rows in units of the
spreads: a factor or an offset of a column changes nothing but rounding. The one scale of "median" depends on units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from bochner._typing import Array, ArrayLike, Rows
from bochner.data import RowSource
from bochner.errors import invalid_parameter
from bochner.kernels import Stationary, resolve_kernel
from bochner.kernels.base import check_scale
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.learners import ScaleLearner, ScaleSearch
from bochner.tuning.median import MEDIAN_ROWS, RowSample
from bochner.tuning.metric import METRIC_ROUNDS, MOST_DIRECTIONS
from bochner.tuning.result import Tuning
from bochner.tuning.sample import Targets
from bochner.tuning.search import candidate_kernels
from bochner.tuning.spread import row_blocks

__all__ = ["ScaleRule"]


@dataclass(frozen=True)
class ScaleRule:
    """Rule for kernel and length scale of a model: given, the kernel's own, median distance, or learned.

    Attributes
    ----------
    owner : str
        Name of the class or function whose parameters these are, for messages.
    kernel : str, Stationary or None
        A kernel, its name, None for the Gaussian kernel, or "auto": the best of some.
    length_scale : {"auto", "ard", "metric", "median"}, float or array of shape (n_features,)
    learner : ScaleLearner or None
        None: there are no targets to learn from, and "auto" is the scale of the columns.
    learns_one_scale : bool
        Whether "auto" of a named kernel is learned; else it is the scale of the columns.
    automatic : bool
        Whether "auto" chooses between one scale and one per column, in units of the columns' spreads
        (`tune_automatically`); else it is one scale.
    warps : bool
        Whether it may also choose a kernel of rank-warped columns (`Tuning.warped`).

    Examples
    --------
    >>> import numpy as np
    >>> from bochner.tuning import ScaleRule
    >>> rule = ScaleRule("mmd", "gaussian", "median")
    >>> rule.resolve_sample(np.array([[0.0], [1.0], [3.0]]), seed=0)
    Gaussian(length_scale=2.0)
    """

    owner: str
    kernel: str | Stationary | None
    length_scale: ArrayLike
    learner: ScaleLearner | None = None
    learns_one_scale: bool = True
    automatic: bool = False
    warps: bool = False

    @property
    def learns(self) -> bool:
        """Whether scales are learned from targets: not those of a kernel that was handed over, unless asked for."""
        if self.learner is None or not isinstance(self.length_scale, str) or self.length_scale == "median":
            return False
        return self.length_scale in ("ard", "metric") or self.chooses_kernel or (self._named and self.learns_one_scale)

    @property
    def passes(self) -> list[str]:
        """What passes over all targets or rows are for, before the fit, if scales are learned."""
        metric = self.length_scale == "metric" and getattr(self.learner, "exact", None) is False
        rounds = ["to learn the metric"] * METRIC_ROUNDS if metric else []
        return ["to look at the targets", *rounds] if self.learns else []

    @property
    def looks_at_rows(self) -> bool:
        """Whether the rows decide the scale."""
        return isinstance(self.length_scale, str) and not (self._keeps_own_scale and self._own_is_settled)

    def check(self) -> None:
        """Refuse an unknown rule, and a given scale for a kernel that is yet to choose."""
        rule = self.length_scale if isinstance(self.length_scale, str) else None
        if self.chooses_kernel and rule not in ("auto", "ard", "metric"):
            raise self._refusal("'auto', 'ard' or 'metric' for kernel='auto'")
        if rule is not None and rule not in self._rules:
            raise self._refusal(f"{', '.join(map(repr, self._rules))} or positive numbers")
        if rule == "metric" and not all(map(KernelEvidence.is_for, self.candidates())):
            raise self._refusal(f"another rule for kernel={self.kernel!r}: a metric is that of a kernel of distance")

    def resolve(
        self, rows: RowSource, *, seed: int, width: int, targets: Targets | None = None, rivals: bool = False
    ) -> tuple[Stationary, Tuning | None]:
        """The kernel with its scale for the rows of a source, and how it was learned, if it was.

        Parameters
        ----------
        rows : RowSource
        seed, width : int
            Of the final fit.
        targets : (array, array or None), default=None
            Targets and weights of all rows; None: those of the source.
        rivals : bool, default=False
            Whether simpler kernels that come close are told (`Tuning.rivals`).
        """
        self.check()
        if self.learner is not None and self.learns:
            search = self._search(rows, seed, width, rivals)
            tuning = self.learner.learn(rows, rows.targets() if targets is None else targets, search)
            if tuning is not None:
                return tuning.kernel, tuning
        kernel = self._unlearned(
            rows.n_features, lambda: RowSample.of(rows.sample(MEDIAN_ROWS, seed), seed, others=_blocks(rows))
        )
        return kernel, None

    def resolve_easily(self, rows: RowSource, targets: Targets, *, seed: int, width: int) -> Tuning | None:
        """How the kernel was learned by a short search, if one is enough; None: it is not, or nothing is searched."""
        self.check()
        if self.learner is None or not (self.learns and self.automatic and self.length_scale == "auto"):
            return None
        return self.learner.learn_easily(rows, targets, self._search(rows, seed, width))

    def _search(self, rows: RowSource, seed: int, width: int, rivals: bool = False) -> ScaleSearch:
        """What is learned, for a fit of some width and seed."""
        metric = self.length_scale == "metric"
        if metric and rows.n_features > MOST_DIRECTIONS:
            raise self._refusal(f"another rule for more than {MOST_DIRECTIONS:,} columns")
        per_feature = True if self.length_scale == "ard" else None if self.automatic or metric else False
        return ScaleSearch(self.candidates(), per_feature, seed, width, self.warps, metric, rivals)

    def resolve_sample(
        self, X: Rows, *, seed: int, sample_weight: Array | None = None, others: Iterable[Rows] | None = None
    ) -> Stationary:
        """The kernel with its scale for rows in memory, which have no targets; rows of weight 0 do not count.

        `others`: where X is a sample itself, blocks of what it was drawn from.
        """
        self.check()
        return self._unlearned(X.shape[1], lambda: RowSample.of(X, seed, sample_weight, others))

    def candidates(self) -> list[Stationary]:
        """Kernels to learn the scales of: one, or some to choose from."""
        return candidate_kernels() if self.chooses_kernel else [resolve_kernel(self.owner, self.kernel)]

    @property
    def _rules(self) -> tuple[str, ...]:
        return ("auto", "median") if self.learner is None else ("auto", "ard", "metric", "median")

    @property
    def _named(self) -> bool:
        return self.kernel is None or isinstance(self.kernel, str)

    @property
    def chooses_kernel(self) -> bool:
        """Whether the kernel is the best of some."""
        return isinstance(self.kernel, str) and self.kernel == "auto"

    @property
    def _own_is_settled(self) -> bool:
        return self._named or resolve_kernel(self.owner, self.kernel).is_settled

    @property
    def _keeps_own_scale(self) -> bool:
        return not self._named and isinstance(self.length_scale, str) and self.length_scale == "auto"

    def _unlearned(self, n_features: int, sample: Callable[[], RowSample]) -> Stationary:
        """The kernel with its scale where no targets teach it; the sample is asked for only if it decides."""
        kernel = resolve_kernel(self.owner, self.kernel)
        if not isinstance(self.length_scale, str):
            return kernel.with_length_scale(check_scale(self.owner, self.length_scale, n_features))
        if not self.looks_at_rows:
            return kernel
        rows = sample()
        if self._keeps_own_scale:
            return kernel.settled(rows.given)
        if self.length_scale == "median":
            return kernel.settled(rows.given).scaled_by(rows.median_distance(kernel))
        return kernel.with_length_scale(rows.column_scales(kernel))

    def _refusal(self, rule: str) -> Exception:
        return invalid_parameter(self.owner, "length_scale", rule, self.length_scale)


def _blocks(rows: RowSource) -> Iterable[Rows] | None:
    """Blocks of rows of positive weight, if they are in memory."""
    known = rows.arrays
    if known is None:
        return None
    return row_blocks(known.X, None if known.sample_weight is None else np.flatnonzero(known.sample_weight))

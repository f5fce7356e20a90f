"""Plan of a fit: width, certified error, memory, time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from bochner._axes import BLUE, GREEN, GREY, ORANGE, axes_or_new
from bochner._duration import in_words
from bochner._html import card, items, table
from bochner.config import get_config
from bochner.errors import AssumptionError
from bochner.memory import format_bytes
from bochner.planning.cluster import ClusterPlan
from bochner.statistics import PassPlan
from bochner.theory import FeatureCounts
from bochner.theory.certificate import confidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Alternative", "Machine", "Plan"]


@dataclass(frozen=True)
class Alternative:
    """A bound that was considered: the width it asks for, and why it was or was not used."""

    bound: str
    n_components: int | None
    verdict: str


@dataclass(frozen=True)
class Machine:
    """A way to fit the rows: its memory and time, and whether it is within the budgets."""

    name: str
    memory: int
    seconds: float
    fits: bool


@dataclass(frozen=True)
class Plan:
    """Plan of a fit: width, certified error, memory, time. Made by `bochner.plan`.

    Attributes
    ----------
    n_samples, n_features : int
    kernel : str
    n_components : int
        Features to use.
    reason : str
        What decided their number.
    certified_error : float
        Bound on the kernel error over all pairs of rows at that number, with probability 1 - delta.
    eps, delta : float
        The target, None if there is none, and the failure probability.
    bound : str
        The theorem behind it.
    block_rows, n_threads : int
    memory : int
        Bytes at the peak of the fit, beyond the data.
    memory_items : dict
    seconds : float
        Of the fit, with the tuning of length scales.
    memory_budget : int
    time_budget : float or None
    alternatives : tuple of Alternative
    warnings : tuple of str
    curve : tuple of (int, float)
        Certified error at a range of widths.
    counts : FeatureCounts or None
        What the spectrum of the data implies, if there are data: the rates that apply, and their counts.
    cluster : ClusterPlan or None
        Time and traffic on a Dask cluster, if `workers` was given.
    tuning_seconds : float
        Part of `seconds` in which length scales are learned.
    machines : tuple of Machine
        The ways to fit these rows that features="auto" chooses from, with their bills; empty for other plans.
    outcomes : tuple of str
        The models that the fit may end with, the likeliest first: what its choice is between.
    """

    n_samples: int
    n_features: int
    kernel: str
    n_components: int
    reason: str
    certified_error: float
    eps: float | None
    delta: float
    bound: str
    block_rows: int
    n_threads: int
    memory: int
    memory_items: dict[str, int]
    seconds: float
    memory_budget: int
    time_budget: float | None
    alternatives: tuple[Alternative, ...]
    warnings: tuple[str, ...]
    curve: tuple[tuple[int, float], ...]
    counts: FeatureCounts | None = None
    cluster: ClusterPlan | None = None
    tuning_seconds: float = 0.0
    machines: tuple[Machine, ...] = ()
    outcomes: tuple[str, ...] = ()

    @classmethod
    def without_bound(cls, shape: tuple[int, int], cut: PassPlan, memory_items: dict[str, int], **known: Any) -> Self:
        """Plan of features without a bound on their error before the fit; `known` are the other attributes."""
        return cls(
            n_samples=shape[0],
            n_features=shape[1],
            certified_error=float("nan"),
            eps=None,
            block_rows=cut.block_rows,
            n_threads=cut.n_threads,
            memory=sum(memory_items.values()),
            memory_items=memory_items,
            memory_budget=get_config().memory_budget(),
            time_budget=None,
            alternatives=(),
            warnings=(),
            curve=(),
            **known,
        )

    def verdict(self) -> str:
        """What to do, in a sentence: whether the fit has room, how long it takes, or what to change."""
        cost = f"about {in_words(self.seconds)} and {format_bytes(self.memory)} of memory"
        if self.warnings:
            return f"Not as asked: {self.warnings[0]}"
        if self.memory > self.memory_budget:
            return f"This fit takes {cost}, and the budget is {format_bytes(self.memory_budget)}: it would be refused."
        return f"This fit takes {cost}, which is within the budget of {format_bytes(self.memory_budget)}."

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data, ready for JSON."""
        return {**asdict(self), "counts": None if self.counts is None else self.counts.to_dict()}

    def __str__(self) -> str:
        rows = "\n".join(f"  {name:<12} {value}" for name, value in self._rows())
        considered = "\n".join(f"  - {a.bound}: {_count(a.n_components)} ({a.verdict})" for a in self.alternatives)
        cautions = "\n".join(f"  ! {warning}" for warning in self.warnings)
        parts = ["Plan", rows, *(["considered", considered] if considered else []), *([cautions] if cautions else [])]
        return "\n".join([*parts, *([] if self.counts is None else [str(self.counts)])])

    def _repr_html_(self) -> str:
        considered = [f"{a.bound}: {_count(a.n_components)} ({a.verdict})" for a in self.alternatives]
        counts = "" if self.counts is None else self.counts._repr_html_()
        return card("Plan", table(self._rows()), items(considered), items(self.warnings), counts)

    def _rows(self) -> list[tuple[str, str]]:
        budget = f"budget {format_bytes(self.memory_budget)}"
        tuning = f", {in_words(self.tuning_seconds)} of it to learn length scales" if self.tuning_seconds else ""
        blocks = f"{self.n_threads} threads, blocks of {self.block_rows:,} rows"
        within = "" if self.time_budget is None else f", budget {in_words(self.time_budget)}"
        return [
            ("data", f"{self.n_samples:,} rows, {self.n_features} features, {self.kernel}"),
            *([("model", " or ".join(self.outcomes))] if self.outcomes else []),
            ("features", f"{self.n_components:,} ({self.reason})"),
            ("certified", self._certified()),
            ("memory", f"{format_bytes(self.memory)} at the peak ({budget})"),
            ("time", f"{in_words(self.seconds)}{tuning}{within}; {blocks}"),
            *([] if self.cluster is None else [("cluster", _on_cluster(self.cluster))]),
            *(("or" if i else "by", _machine(machine)) for i, machine in enumerate(self.machines)),
        ]

    def _certified(self) -> str:
        if not self.curve:
            return self.bound
        return f"kernel error at most {self.certified_error:.3g}, probability {confidence(self.delta)} ({self.bound})"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Certified error against the number of features, with this plan and the budget drawn in.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        if not self.curve:
            raise AssumptionError(f"There is no certified error to draw: {self.bound}.")
        ax = axes_or_new(ax)
        widths, errors = zip(*self.curve, strict=True)
        affordable = max(width for width, _ in self.curve)
        ax.loglog(widths, errors, color=BLUE, label=f"certified ({self.bound})")
        ax.plot(self.n_components, self.certified_error, "o", color=ORANGE, label="this plan")
        ax.axvline(affordable, color=GREY, linestyle="--", label="budget")
        if self.eps is not None:
            ax.axhline(self.eps, color=GREEN, linestyle=":", label="eps")
        ax.set(xlabel="number of features", ylabel=f"kernel error, probability {confidence(self.delta)}")
        ax.legend(frameon=False, loc="lower left")
        return ax


def _machine(machine: Machine) -> str:
    refused = "" if machine.fits else ", beyond the memory budget"
    return f"{machine.name}: {format_bytes(machine.memory)}, {in_words(machine.seconds)}{refused}"


def _on_cluster(plan: ClusterPlan) -> str:
    threads = f" x {plan.threads_per_worker} threads" if plan.threads_per_worker > 1 else ""
    return (
        f"{in_words(plan.seconds)} on {plan.workers} workers{threads} ({100 * plan.efficiency:.0f} % of it work), "
        f"{format_bytes(plan.traffic)} of traffic, {format_bytes(plan.worker_memory)} on each worker"
    )


def _count(width: int | None) -> str:
    return "no width is enough" if width is None else f"{width:,} features"

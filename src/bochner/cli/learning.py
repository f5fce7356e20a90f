"""The steps of `bochner fit`: read and split the table, plan, fit the library's model, certify."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.pipeline import Pipeline

from bochner import KernelClassifier, KernelRegressor, plan
from bochner._typing import Array, JsonDict
from bochner.cli.exits import OverBudgetError
from bochner.cli.meter import Cost, measured
from bochner.cli.screen import Progress
from bochner.data import read_table
from bochner.errors import AssumptionError, InvalidDataError
from bochner.features import FourierShape
from bochner.kernels import Stationary
from bochner.planning import LANDMARK_ROWS, Plan, default_width
from bochner.solvers import classifier_bill
from bochner.tables import (
    SplitTable,
    TableEncoder,
    Target,
    Task,
    column_of_table,
    encode_rows,
    held_out_by_column,
    held_out_by_lot,
    read_target,
    read_weights,
    split_rows,
)
from bochner.theory import Certificate
from bochner.tuning import ScaleRule

__all__ = ["FitOptions", "Learned", "bill", "certify", "encode", "learn", "model_for", "plan_for", "read_rows"]

_CERTIFIED_ROWS = 2000
_DISTANCE_ROWS, _DISTANCE_SECONDS = 20_000, 10.0  # rows whose distance to exact kernel ridge is computed, and how long


@dataclass(frozen=True)
class FitOptions:
    """Options of `bochner fit`, by their names."""

    table: str
    target: str
    task: Task | None
    model_file: str
    report: str
    mark: str
    test_size: float
    split_column: str | None
    kernel: str | None
    features: int | None
    length_scale: float | str
    alpha: float | str
    weight: str | None
    drop: tuple[str, ...]
    identifier: tuple[str, ...]
    categorical: tuple[str, ...]
    drop_missing_target: bool
    eps: float | None
    delta: float
    memory: str | None
    time: float | None
    seed: int

    @property
    def width_is_free(self) -> bool:
        """Whether neither a number of features nor an accuracy was asked for."""
        return self.features is None and self.eps is None

    def is_automatic(self, task: Task, n_rows: int) -> bool:
        """Whether the model is left to the library, which takes landmarks for so many rows."""
        unlimited = self.width_is_free and self.time is None and self.memory is None
        return unlimited and n_rows <= LANDMARK_ROWS and (task == "regression" or self.alpha == "auto")


@dataclass(frozen=True)
class Learned:
    """A fitted model with its encoder, and what the fit cost."""

    encoder: TableEncoder
    model: KernelRegressor | KernelClassifier
    cost: Cost

    @property
    def pipeline(self) -> Pipeline:
        """Encoder and model in one scikit-learn pipeline, which takes tables: it is what is saved."""
        return Pipeline([("table", self.encoder), ("model", self.model)])


def read_rows(asked: FitOptions) -> SplitTable:
    """The rows to fit, the rows held out, and how many rows without a target were left out."""
    table = read_table(asked.table, dict.fromkeys(asked.categorical, "category"))
    column = column_of_table(table, asked.target, asked.table)
    absent = 0
    if asked.drop_missing_target:
        absent, table = column.null_count, table.filter(column.is_valid())
    target = read_target(table, asked.target, asked.table, asked.task)
    weight = read_weights(table, asked.weight, asked.table)
    if asked.split_column is None:
        held_out = held_out_by_lot(target, asked.test_size, asked.seed)
    else:
        held_out = held_out_by_column(table, asked.split_column, asked.table)
    return split_rows(table, target, weight, held_out, n_without_target=absent)


def encode(asked: FitOptions, rows: SplitTable) -> tuple[TableEncoder, Array]:
    """The encoder fitted to the training rows, and these rows encoded."""
    excluded = {*asked.drop, *asked.identifier, *filter(None, (asked.weight, asked.split_column))}
    encoder = TableEncoder(target=asked.target, drop=sorted(excluded), categorical=list(asked.categorical))
    encoded = encode_rows(encoder, rows.fit.inputs)
    encoder.origin_ = asked.mark  # in the model file: which fit may replace it
    return encoder, encoded


def plan_for(asked: FitOptions, X: Array, target: Target, y: Array) -> Plan:
    """Plan of the fit: width, memory, time; a width or an accuracy that the budget does not allow is refused.

    Without either, the width is that of the optimal learning rate, or what the budget allows.
    """
    if asked.is_automatic(target.task, len(X)):
        return plan(X, y if target.task == "regression" else None, features="auto", delta=asked.delta)
    if asked.time is not None and target.task == "classification":
        raise InvalidDataError("--time is for regression: the time of a classifier is not planned. Use -D.")
    settled = plan(
        X,
        None if target.task == "classification" else y,
        kernel=_planned_kernel(asked, X),
        n_components=default_width(len(X)) if asked.width_is_free else asked.features,
        eps=asked.eps,
        delta=asked.delta,
        memory=asked.memory,
        time=asked.time,
        random_state=asked.seed,
    )
    too_few = asked.features is not None and settled.n_components < asked.features
    short = asked.eps is not None and asked.features is None and settled.certified_error > asked.eps
    if too_few or short:
        raise OverBudgetError(f"{settled.warnings[0]} Raise --memory or --time, or ask for less (-D, --eps).")
    return settled


def _planned_kernel(asked: FitOptions, X: Array) -> Stationary | str | None:
    """The kernel with its scale, or its name, or None, if that will be learned."""
    if asked.length_scale in ("auto", "ard"):
        return asked.kernel
    return ScaleRule("fit", asked.kernel, asked.length_scale).resolve_sample(X, seed=asked.seed)


def bill(asked: FitOptions, plan: Plan, X: Array, target: Target) -> JsonDict:
    """Plan as plain data; for a classifier with its own memory bill, and without a time, which is not known before."""
    if target.task == "regression" or asked.is_automatic(target.task, len(X)):
        return plan.to_dict()
    shape = FourierShape(plan.n_components, X.shape[1])
    items = classifier_bill(shape, n_rows=len(X), n_classes=target.classes, dtype=X.dtype)
    return {**plan.to_dict(), "memory": items.total, "memory_items": items.items, "seconds": None}


def model_for(asked: FitOptions, plan: Plan, task: Task, n_rows: int) -> KernelRegressor | KernelClassifier:
    """The library's model: its own defaults, but for what was asked for, by options or by a budget.

    A width that nobody asked for, and that the budget has room for, is left to the model.
    """
    kind = KernelRegressor if task == "regression" else KernelClassifier
    enough = asked.is_automatic(task, n_rows) or plan.n_components >= default_width(n_rows)
    roomy = asked.width_is_free and asked.time is None and enough
    return kind(
        asked.kernel,
        n_components="auto" if roomy else plan.n_components,
        alpha=asked.alpha,
        length_scale=asked.length_scale,
        random_state=asked.seed,
    )


def learn(
    asked: FitOptions, encoder: TableEncoder, X: Array, rows: SplitTable, plan: Plan, progress: Progress
) -> Learned:
    """Fit the model; `progress` is told of every block."""
    model = model_for(asked, plan, rows.target.task, len(X))
    if progress.visible:
        model.set_callbacks(progress)
    with measured() as cost:
        model.fit(X, rows.fit.y, sample_weight=rows.fit.weight)
    model.set_callbacks()  # the bar is not part of the model
    return Learned(encoder, model, cost)


def certify(learned: Learned, X: Array, rows: SplitTable, delta: float) -> Certificate | str:
    """Certificate of the distance to the exact kernel machine, or the reason that there is none.

    Up to 20,000 rows a regression is compared with exact kernel ridge, for ten seconds; a classification on up to 2,000
    rows with the exact machine. Otherwise the kernel is compared with the exact one, on up to 2,000 held-out rows if
    there are any.
    """
    others = rows.held_out.inputs
    fresh = None if others is None or len(others) < 2 else learned.encoder.transform(others[:_CERTIFIED_ROWS])
    given: JsonDict = {"y": rows.fit.y, "sample_weight": rows.fit.weight, "X_new": fresh, "delta": delta}
    most = _CERTIFIED_ROWS
    if rows.target.task == "regression":
        most, given["time_limit"] = _DISTANCE_ROWS, _DISTANCE_SECONDS
    try:
        if len(X) <= most:
            return learned.model.certify(X, **given)
        return learned.model.certify(X[:_CERTIFIED_ROWS] if fresh is None else fresh, delta=delta)
    except AssumptionError as refusal:
        return str(refusal)

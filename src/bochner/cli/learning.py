"""From a table to a fitted model: the steps of `bochner fit`, without what is shown of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.pipeline import Pipeline

from bochner import KernelClassifier, KernelRegressor, TableEncoder, plan
from bochner._typing import Array
from bochner.cli.exits import OverBudgetError
from bochner.cli.meter import Cost, measured
from bochner.cli.tables import column_of_table, read_table
from bochner.cli.target import Target, read_target, read_weights
from bochner.cli.validation import held_out_by_column, held_out_by_lot
from bochner.errors import AssumptionError, InvalidDataError
from bochner.kernels import resolve_kernel
from bochner.planning import Plan, classifier_bill, default_width
from bochner.theory import Certificate

__all__ = ["FitOptions", "Learned", "Rows", "bill", "certify", "encode", "learn", "plan_for", "read_rows"]

_LARGE = 2**24
"""Numbers in a table from which float32 is used: half the memory, and twice the speed."""

_DIRECT_WIDTH = 4096  # beyond, the iterative solver may be quicker, and it has no leave-one-out
_CERTIFIED_ROWS = 2000
_DISTANCE_ROWS, _DISTANCE_SECONDS = 20_000, 10.0  # rows whose distance to exact kernel ridge is computed, and how long


@dataclass(frozen=True)
class FitOptions:
    """What a person asked `bochner fit` for: its options, by their names."""

    table: str
    target: str
    task: str | None
    model_file: str
    report: str
    test_size: float
    split_column: str | None
    kernel: str
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


@dataclass(frozen=True)
class Rows:
    """Some rows of the table: inputs as they stand in it, targets and weights."""

    inputs: Any
    y: Array
    weight: Array | None

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Learned:
    """A fitted model with its encoder, and what the fit cost."""

    pipeline: Pipeline
    cost: Cost

    @property
    def model(self) -> Any:
        return self.pipeline[-1]


def read_rows(asked: FitOptions) -> tuple[Target, Rows, Rows, int]:
    """The target, the rows to fit, the rows held out, and how many rows without a target were left out."""
    table = read_table(asked.table, dict.fromkeys(asked.categorical, "category"))
    column = column_of_table(table, asked.target, asked.table)
    left_out = 0
    if asked.drop_missing_target:
        left_out, table = column.null_count, table.filter(column.is_valid())
    target = read_target(table, asked.target, asked.table, asked.task)
    weight = read_weights(table, asked.weight, asked.table)
    if asked.split_column is None:
        held_out = held_out_by_lot(target, asked.test_size, asked.seed)
    else:
        held_out = held_out_by_column(table, asked.split_column, asked.table)

    def part(mask: Array) -> Rows:
        inputs = table.filter(mask) if mask.any() else None
        return Rows(inputs, target.values[mask], None if weight is None else weight[mask])

    return target, part(~held_out), part(held_out), left_out


def encode(asked: FitOptions, rows: Rows) -> tuple[TableEncoder, Array]:
    """The encoder of the rows to fit, and what it makes of them."""
    excluded = {*asked.drop, *asked.identifier, *filter(None, (asked.weight, asked.split_column))}
    encoder = TableEncoder(target=asked.target, drop=sorted(excluded), categorical=list(asked.categorical))
    encoder.fit(rows.inputs)
    if len(rows) * len(encoder.get_feature_names_out()) > _LARGE:
        encoder.set_params(dtype="float32")
    return encoder, encoder.transform(rows.inputs)


def plan_for(asked: FitOptions, X: Array, target: Target, y: Array) -> Plan:
    """What the fit will take; a width or an accuracy that the budget does not allow is refused.

    Without either, the width is that of the optimal learning rate, or what the budget allows.
    """
    if asked.time is not None and target.task == "classification":
        raise InvalidDataError("--time is for regression: the time of a classifier is not planned. Use -D.")
    kernel: Any = "gaussian" if asked.kernel == "auto" else asked.kernel
    if not isinstance(asked.length_scale, str):
        kernel = resolve_kernel("fit", kernel).with_length_scale(asked.length_scale)
    free = asked.features is None and asked.eps is None
    settled = plan(
        X,
        None if target.task == "classification" else y,
        kernel=kernel,
        n_components=default_width(len(X)) if free else asked.features,
        eps=asked.eps,
        delta=asked.delta,
        memory=asked.memory,
        time=asked.time,
        random_state=asked.seed,
    )
    short = asked.eps is not None and settled.certified_error > asked.eps and asked.features is None
    if (asked.features is not None and settled.n_components < asked.features) or short:
        raise OverBudgetError(f"{settled.warnings[0]} Raise --memory or --time, or ask for less (-D, --eps).")
    return settled


def bill(plan: Plan, X: Array, target: Target) -> dict[str, Any]:
    """The plan as plain data, with what a classifier holds in memory; how long it takes is not known before."""
    if target.task == "regression":
        return plan.to_dict()
    items = classifier_bill(
        n_rows=len(X), n_features=X.shape[1], n_components=plan.n_components, n_classes=target.classes, dtype=X.dtype
    )
    return {**plan.to_dict(), "memory": items.total, "memory_items": items.items, "seconds": None}


def learn(
    asked: FitOptions, encoder: TableEncoder, X: Array, rows: Rows, plan: Plan, task: str, progress: Any
) -> Learned:
    """Fit the model; `progress` is told of every block."""
    kind = KernelRegressor if task == "regression" else KernelClassifier
    model = kind(
        asked.kernel,
        n_components=plan.n_components,
        alpha=_automatic_alpha(task, plan.n_components) if asked.alpha == "auto" else asked.alpha,
        length_scale=asked.length_scale,
        random_state=asked.seed,
    )
    if progress.visible:
        model.set_callbacks(progress)
    with measured() as cost:
        model.fit(X, rows.y, sample_weight=rows.weight)
    model.set_callbacks()  # the bar is not part of the model
    return Learned(Pipeline([("table", encoder), ("model", model)]), cost)


def _automatic_alpha(task: str, width: int) -> str:
    """How the penalty is chosen.

    Leave-one-out sees the leverage of each row. Rows with a gap are few, far from the rest and noisy: GCV takes their
    leverage for the mean one and fits them at any price (tests/cli/test_commands.py).
    """
    if task == "classification":
        return "cv"
    return "loo" if width <= _DIRECT_WIDTH else "gcv"


def certify(learned: Learned, X: Array, rows: Rows, held_out: Rows, delta: float) -> Certificate | str:
    """How far the model is from the exact kernel machine, or why nobody can say.

    Up to 20,000 rows a regression is compared with exact kernel ridge, for ten seconds; a classification on up to 2,000
    rows with the exact machine. Otherwise the kernel is compared with the exact one, on up to 2,000 held-out rows if
    there are any.
    """
    fresh = learned.pipeline[0].transform(held_out.inputs[:_CERTIFIED_ROWS]) if len(held_out) > 1 else None
    try:
        given = {"y": rows.y, "sample_weight": rows.weight, "X_new": fresh, "delta": delta}
        if isinstance(learned.model, KernelRegressor) and len(X) <= _DISTANCE_ROWS:
            return learned.model.certify(X, **given, time_limit=_DISTANCE_SECONDS)
        if not isinstance(learned.model, KernelRegressor) and len(X) <= _CERTIFIED_ROWS:
            return learned.model.certify(X, **given)
        return learned.model.certify(X[:_CERTIFIED_ROWS] if fresh is None else fresh, delta=delta)
    except AssumptionError as refusal:
        return str(refusal)

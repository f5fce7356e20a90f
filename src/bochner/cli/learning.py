"""The steps of `bochner fit` with the rows: plan, fit the library's model, certify."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sklearn.pipeline import Pipeline

from bochner import (
    KernelClassifier,
    KernelHuberRegressor,
    KernelPoissonRegressor,
    KernelQuantileRegressor,
    KernelRegressor,
    plan,
)
from bochner._typing import Array, JsonDict
from bochner.cli.exits import OverBudgetError
from bochner.cli.meter import Cost, measured
from bochner.cli.screen import Progress
from bochner.cli.training import TrainingRows
from bochner.cli.wording import without_python
from bochner.errors import AssumptionError, InvalidDataError
from bochner.estimators.loss_regressor import LossRegressor
from bochner.features import FourierShape
from bochner.kernels import Stationary
from bochner.planning import FIRST_BYTES, Plan, classifier_seconds, default_width
from bochner.solvers import classifier_bill, linear_bill
from bochner.tables import TableEncoder, Task
from bochner.theory import Certificate
from bochner.tuning import ScaleRule

__all__ = ["FitOptions", "Learned", "bill", "certify", "learn", "model_for", "plan_for"]

_LOSSES = {
    "quantile": KernelQuantileRegressor,
    "huber": KernelHuberRegressor,
    "poisson": KernelPoissonRegressor,
}
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
    named: set[str]
    force: bool
    test_size: float
    split_column: str | None
    kernel: str | None
    features: int | None
    length_scale: float | str
    alpha: float | str
    loss: str | None
    quantile: float
    weight: str | None
    drop: tuple[str, ...]
    identifier: tuple[str, ...]
    categorical: tuple[str, ...]
    missing: tuple[str, ...]
    day_first: bool | None
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

    def exceeds(self, plan: Plan) -> bool:
        """Whether a plan falls short of the number of features or the accuracy that was asked for."""
        if self.features is not None:
            return plan.n_components < self.features
        return self.eps is not None and plan.certified_error > self.eps

    def is_automatic(self, task: Task) -> bool:
        """Whether the model is left to the library, which takes landmarks of rows in memory."""
        unlimited = self.width_is_free and self.time is None and self.memory is None
        return unlimited and (task == "regression" or self.alpha == "auto")


@dataclass(frozen=True)
class Learned:
    """A fitted model with its encoder, and what the fit cost."""

    encoder: TableEncoder
    model: KernelRegressor | KernelClassifier | LossRegressor
    cost: Cost

    @property
    def pipeline(self) -> Pipeline:
        """Encoder and model in one scikit-learn pipeline, which takes tables: it is what is saved."""
        return Pipeline([("table", self.encoder), ("model", self.model)])


def plan_for(asked: FitOptions, rows: TrainingRows) -> Plan:
    """Plan of the fit: width, memory, time; a width or an accuracy that the budget does not allow is refused.

    Without either, the width is that of the optimal learning rate, or what the budget allows.
    """
    task, whole = rows.target.task, rows.whole
    if whole is not None and asked.is_automatic(task):
        return plan(whole.X, whole.y if task == "regression" else None, features="auto", delta=asked.delta)
    if asked.time is not None and task == "classification":
        raise InvalidDataError("--time is for regression: the time of a classifier is not planned. Use -D.")
    settled = plan(
        None if whole is None else whole.X,
        n_samples=rows.n_fit,
        n_features=rows.sample.shape[1],
        kernel=_planned_kernel(asked, rows.sample),
        n_components=default_width(rows.n_fit) if asked.width_is_free else asked.features,
        eps=asked.eps,
        delta=asked.delta,
        time=asked.time,
        random_state=asked.seed,
    )
    if asked.exceeds(settled):
        raise OverBudgetError(f"{settled.warnings[0]} Raise --memory or --time, or ask for less (-D, --eps).")
    return settled


def _planned_kernel(asked: FitOptions, X: Array) -> Stationary | str | None:
    """The kernel with its scale, or its name, or None, if that will be learned."""
    if asked.length_scale in ("auto", "ard", "metric"):
        return asked.kernel
    return ScaleRule("fit", asked.kernel, asked.length_scale).resolve_sample(X, seed=asked.seed)


def bill(asked: FitOptions, plan: Plan, rows: TrainingRows) -> JsonDict:
    """Plan as plain data, with what the first fit of a process takes; other losses than squares have their own bills.

    Of these, only the time of classifiers is planned.
    """
    found, task, loss = plan.to_dict(), rows.target.task, asked.loss
    automatic = rows.whole is not None and loss is None and asked.is_automatic(task)
    if task == "classification" and loss is None:
        found["seconds"] = classifier_seconds(plan, rows.target.classes, rows.sample.dtype.name)
    if automatic:
        return found
    shape, n, dtype = FourierShape(plan.n_components, rows.sample.shape[1]), rows.n_fit, rows.sample.dtype
    items = found["memory_items"]
    if loss is not None:
        items, found["seconds"] = linear_bill(shape, n_rows=n, n_columns=1, dtype=dtype).items, None
    elif task == "classification":
        items = classifier_bill(shape, n_rows=n, n_classes=rows.target.classes, dtype=dtype).items
    items = {**FIRST_BYTES, **items}
    return {**found, "memory": sum(items.values()), "memory_items": items}


def model_for(asked: FitOptions, plan: Plan, rows: TrainingRows) -> KernelRegressor | KernelClassifier | LossRegressor:
    """The library's model: its own defaults, but for what was asked for, by options or by a budget.

    A width that nobody asked for, and that the budget has room for, is left to the model.
    """
    task = rows.target.task
    kind = KernelRegressor if task == "regression" else KernelClassifier
    enough = asked.is_automatic(task) or plan.n_components >= default_width(rows.n_fit)
    roomy = asked.width_is_free and asked.time is None and enough and rows.whole is not None
    given: JsonDict = {
        "n_components": "auto" if roomy else plan.n_components,
        "alpha": asked.alpha,
        "length_scale": asked.length_scale,
        "random_state": asked.seed,
    }
    if asked.loss is None:
        return kind(asked.kernel, **given)
    return _LOSSES[asked.loss](
        asked.kernel, **given | ({"quantile": asked.quantile} if asked.loss == "quantile" else {})
    )


def learn(asked: FitOptions, rows: TrainingRows, plan: Plan, progress: Progress) -> Learned:
    """Fit the model; `progress` is told of every block."""
    model = model_for(asked, plan, rows)
    with measured() as cost, _watched(model, progress):
        rows.fit(model)
    return Learned(rows.encoder, model, cost)


@contextmanager
def _watched(model: KernelRegressor | KernelClassifier | LossRegressor, progress: Progress) -> Iterator[None]:
    """The bar as a callback of the model, which it is no part of afterwards."""
    if progress.visible:
        model.set_callbacks(progress)
    try:
        yield
    finally:
        model.set_callbacks()


def certify(
    learned: Learned, rows: TrainingRows, delta: float, progress: Progress, loss: str | None = None
) -> Certificate | str:
    """Certificate of the distance to the exact kernel machine, or the reason that there is none.

    Up to 20,000 rows in memory a regression is compared with exact kernel ridge, for ten seconds; a classification on
    up to 2,000 rows with the exact machine. Otherwise, and for another loss of regression, the kernel is compared with
    the exact one, on up to 2,000 held-out rows if there are any.
    """
    others, whole = rows.held_out.inputs, rows.whole
    fresh = None if others is None or len(others) < 2 else learned.encoder.transform(others[: rows.most_certified])
    regression = rows.target.task == "regression"
    try:
        if loss is None and whole is not None and rows.n_fit <= (_DISTANCE_ROWS if regression else rows.most_certified):
            given: JsonDict = {"y": whole.y, "sample_weight": whole.weight, "X_new": fresh, "delta": delta}
            given |= {"time_limit": _DISTANCE_SECONDS} if regression else {}
            with _watched(learned.model, progress):
                return learned.model.certify(whole.X, **given)
        return learned.model.certify(rows.sample[: rows.most_certified] if fresh is None else fresh, delta=delta)
    except AssumptionError as refusal:
        return without_python(str(refusal))

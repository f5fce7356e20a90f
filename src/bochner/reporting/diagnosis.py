"""Which inputs matter, which rows are predicted worst, and where the errors are: for rows with targets.

Importance of an input is the growth of the error when its values are shuffled among the rows (permutation importance,
Breiman 2001, Section 10):

    importance_j = error with column j shuffled - error,     error as in `row_losses`

An input that the encoder of a pipeline turns into several columns is shuffled as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from bochner._typing import Array, JsonDict, MatrixLike
from bochner.reporting.numbers import number
from bochner.reporting.row_losses import error_of, row_losses
from bochner.reporting.view import ModelView, points_of, sample_rows
from bochner.tables import read_column
from bochner.tables.kinds import column_of
from bochner.tables.named_columns import NamedColumns
from bochner.tables.reading import missing

__all__ = ["diagnosis"]

_ROWS, _SHUFFLES, _MOST_INPUTS = 500, 3, 100
_WORST, _SEGMENTED, _LEVELS = 8, 3, 6


def diagnosis(view: ModelView, X: MatrixLike, y: Array, predicted: Array) -> JsonDict:
    """Importance of inputs, the worst rows and errors by segment; `predicted` are the model's answers for X."""
    predicted = points_of(predicted, y)
    errors = _errors(view, y, predicted)
    if errors is None:
        return {"missing": "Errors of single rows are shown for one target."}
    importance = _importance(view, X, y)
    named = [entry["name"] for entry in importance.get("inputs", [])]
    return {
        "importance": importance,
        "worst": _worst(y, predicted, errors),
        "segments": list(_segments(view, X, errors, named)),
    }


def _errors(view: ModelView, y: Array, predicted: Array) -> Array | None:
    """Losses of the rows; None for several targets."""
    return None if y.ndim > 1 and y.shape[1] > 1 else row_losses(view, y, predicted)


def _score(view: ModelView, y: Array, encoded: Array) -> float:
    errors = _errors(view, y, points_of(np.asarray(view.estimator.predict(encoded)), y))
    assert errors is not None
    return error_of(view, errors)


def _importance(view: ModelView, X: MatrixLike, y: Array) -> JsonDict:
    rows, targets, _ = sample_rows(X, y, None, most=_ROWS, seed=view.seed)
    encoded = view.inputs(rows)
    if not isinstance(encoded, np.ndarray) or len(encoded) < 2:
        return {"missing": "Which inputs matter is told for dense rows, at least two of them."}
    groups = list(_groups(view, encoded.shape[1]))
    if not 1 < len(groups) <= _MOST_INPUTS:
        return {"missing": f"Which inputs matter is told for 2 to {_MOST_INPUTS} inputs."}
    rng, base = np.random.default_rng(view.seed), _score(view, targets, encoded)
    found = []
    for name, columns in groups:
        losses = []
        for _ in range(_SHUFFLES):
            shuffled = encoded.copy()
            shuffled[:, columns] = encoded[rng.permutation(len(encoded))][:, columns]
            losses.append(_score(view, targets, shuffled) - base)
        found.append({"name": name, "loss": float(np.mean(losses))})
    return {"n_rows": len(encoded), "base": base, "inputs": sorted(found, key=lambda entry: -entry["loss"])}


def _groups(view: ModelView, width: int) -> Iterator[tuple[str, list[int]]]:
    """Inputs by name, with the columns of the estimator that each became."""
    states = getattr(view.steps[0][1], "columns_", None) if len(view.steps) == 1 else None
    if states is None:
        names = view.input_names if view.input_names and len(view.input_names) == width else None
        yield from ((names[at] if names else f"column {at}", [at]) for at in range(width))
        return
    places: dict[str, list[int]] = {}
    start = 0
    for column in map(column_of, states):
        end = start + len(column.outputs)
        places.setdefault(column.name, []).extend(range(start, end))  # a category may have target statistics, too
        start = end
    yield from places.items()


def _worst(y: Array, predicted: Array, errors: Array) -> list[JsonDict]:
    """The rows of the largest errors, counted from 1 in the order given."""
    order = np.argsort(-errors, kind="stable")[:_WORST]
    flat, answers = y.ravel(), predicted.ravel()
    return [
        {"row": int(at) + 1, "target": flat[at], "prediction": answers[at], "error": errors[at]}
        for at in order.tolist()
        if errors[at] > 0
    ]


def _segments(view: ModelView, X: MatrixLike, errors: Array, names: list[str]) -> Iterator[JsonDict]:
    """Errors by levels of a category, or by quarters of a number, for the inputs that matter most."""
    if not hasattr(X, "columns") and not hasattr(X, "column_names"):
        return
    table = NamedColumns.of(X)
    for name in [name for name in names if name in table][:_SEGMENTED]:
        parts = _parts(read_column(table.column(name), name))
        found = [_segment(view, label, errors[mask]) for label, mask in parts if mask.any()]
        if len(found) > 1:
            yield {"name": name, "parts": found}


def _segment(view: ModelView, label: str, errors: Array) -> JsonDict:
    return {"label": label, "n_rows": len(errors), "error": error_of(view, errors)}


def _parts(values: Array) -> Iterator[tuple[str, Array]]:
    """Masks of rows, with their names."""
    if values.dtype.kind == "O":
        texts = np.array(["(missing)" if value is None else value for value in values.tolist()])
        levels, counts = np.unique(texts, return_counts=True)
        yield from ((str(level), texts == level) for level in levels[np.argsort(-counts)][:_LEVELS])
        return
    absent = missing(values)
    if not absent.all():
        yield from _quarters(values, absent)
    if absent.any():
        yield "(missing)", absent


def _quarters(values: Array, absent: Array) -> Iterator[tuple[str, Array]]:
    """Rows between the quartiles of numbers or dates."""
    numbers = values.astype("datetime64[s]").astype(float) if values.dtype.kind == "M" else values
    limits = np.unique(np.quantile(numbers[~absent], [0.0, 0.25, 0.5, 0.75, 1.0]))
    for low, high in pairwise(limits):
        below = numbers <= high if high == limits[-1] else numbers < high
        inside = ~absent & (numbers >= low) & below
        yield _range(values[inside]), inside


def _range(values: Array) -> str:
    if not len(values):
        return ""
    if values.dtype.kind == "M":
        return f"{values.min().astype('datetime64[D]')} to {values.max().astype('datetime64[D]')}"
    low, high = number(values.min(), 4), number(values.max(), 4)
    return low if low == high else f"{low} to {high}"

"""Comparison of models on the same rows: scores side by side, and whether the difference is more than chance.

    d_i = loss of the other model on row i - loss of the best,     z = mean(d) / (std(d) / sqrt(n))

with squared errors for regression, pinball losses for a quantile, and 1 for a wrong class (McNemar's z, but for the
variance under equality).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from bochner._json import plain
from bochner._typing import Array, JsonDict
from bochner.errors import InvalidDataError
from bochner.reporting.numbers import count, number, percent
from bochner.reporting.rendering import render_page
from bochner.reporting.report import Report
from bochner.reporting.svg import Axis, Chart, Series
from bochner.solvers import pinball

__all__ = ["comparison_report"]

_CLEAR = 2.0
"""Standard errors from which a difference is called one."""
_DRAWN = 300


@dataclass(frozen=True)
class _Measure:
    """Score of a model: its name in a sentence and over a column, as a function of the mean loss, and as a text."""

    name: str
    heading: str
    of: Callable[[float], float]
    form: Callable[[float, int], str]
    more_is_better: bool = False


_MEASURES = {
    "regression": _Measure("RMS error", "RMS error", math.sqrt, number),
    "classification": _Measure("share of right rows", "Right", lambda loss: 1 - loss, percent, more_is_better=True),
}
_PINBALL = _Measure("pinball loss", "Pinball loss", float, number)


def comparison_report(
    predictions: Mapping[str, Array], y: Array, *, task: str, title: str, table: str, quantile: float | None = None
) -> Report:
    """Report on the predictions of two or more models for the same rows.

    Parameters
    ----------
    predictions : dict of arrays of shape (n_rows,)
        By the names of the models.
    y : array of shape (n_rows,)
    task : {"regression", "classification"}
    title, table : str
        Heading of the page, and where the rows are from.
    quantile : float, default=None
        The quantile that all models predict, if it is not the mean.
    """
    if len(predictions) < 2 or len(y) < 2:
        raise InvalidDataError("A comparison needs two models and two rows at least.")
    regression = task == "regression"
    losses = {name: _losses(found, y, regression, quantile) for name, found in predictions.items()}
    measure = _MEASURES[task] if quantile is None else _PINBALL
    scores = {name: measure.of(float(loss.mean())) for name, loss in losses.items()}
    best = min(losses, key=lambda name: float(losses[name].mean()))
    others = {name: _distance(loss - losses[best]) for name, loss in losses.items() if name != best}
    summary = plain(
        {
            "title": title,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "task": task,
            "table": table,
            "n_rows": len(y),
            "scores": scores,
            "best": best,
            "standard_errors_behind": others,
            "quantile": quantile,
            "verdict": _verdict(best, scores, others, measure),
        }
    )
    section = {
        "id": "comparison",
        "question": "Which model is better?",
        "answer": summary["verdict"],
        "blocks": [_table(summary, measure), *([_chart(predictions, y, quantile)] if regression else [])],
    }
    about = f"{len(predictions)} models on the {len(y):,} rows of {table}, whether they have seen them or not"
    return Report(summary | {"answers": {"comparison": summary["verdict"]}}, render_page(summary, [section], about))


def _losses(predicted: Array, y: Array, regression: bool, quantile: float | None) -> Array:
    if quantile is not None:
        return pinball(np.asarray(y, dtype=float).ravel() - np.ravel(predicted), np.array(quantile))
    if regression:
        return (np.asarray(predicted, dtype=float).ravel() - np.asarray(y, dtype=float).ravel()) ** 2
    return (np.asarray(predicted).astype(str).ravel() != np.asarray(y).astype(str).ravel()).astype(float)


def _distance(differences: Array) -> float:
    """Mean of the differences in standard errors; 0 for models that are alike."""
    spread = float(np.std(differences, ddof=1))
    return float(np.mean(differences) / (spread / np.sqrt(len(differences)))) if spread > 0 else 0.0


def _verdict(best: str, scores: JsonDict, others: JsonDict, measure: _Measure) -> str:
    second = min(others, key=lambda name: others[name])
    shown = _shown(scores, measure)
    own, its = shown[best], shown[second]
    pair = f"its {measure.name} is {own}, that of {second} {its}"
    if others[second] == 0 and scores[best] == scores[second]:
        return f"No difference: {best} and {second} have the same {measure.name}, {own}."
    if others[second] < _CLEAR:
        return f"No clear difference: {best} is ahead ({pair}), by no more than chance gives on so many rows."
    return f"{best} is better: {pair}, a difference of {others[second]:.1f} standard errors."


def _shown(scores: JsonDict, measure: _Measure) -> dict[str, str]:
    """Scores with as many digits as tell them apart, at most six."""
    several = len(set(scores.values()))
    texts = [{name: measure.form(score, digits) for name, score in scores.items()} for digits in range(3, 7)]
    return next((shown for shown in texts if len(set(shown.values())) == several), texts[0])


def _table(summary: JsonDict, measure: _Measure) -> JsonDict:
    shown = _shown(summary["scores"], measure)
    behind = summary["standard_errors_behind"]
    first = "best" if any(behind.values()) else ""  # of models that predict alike none is
    rows = [
        [name, shown[name], first if name == summary["best"] else f"{behind[name]:.1f} standard errors behind"]
        for name, _ in sorted(summary["scores"].items(), key=lambda item: item[1], reverse=measure.more_is_better)
    ]
    title = f"On {count(summary['n_rows'])} rows"
    return {"kind": "table", "title": title, "head": ["Model", measure.heading, ""], "rows": rows, "full": True}


def _chart(predictions: Mapping[str, Array], y: Array, quantile: float | None) -> JsonDict:
    """Targets against the predictions of every model, some rows of them."""
    step = max(1, len(y) // _DRAWN)
    shown = {name: np.asarray(found, dtype=float).ravel()[::step].tolist() for name, found in predictions.items()}
    target = np.asarray(y, dtype=float).ravel()[::step].tolist()
    ends = [min(target), max(target)]
    chart = Chart(
        "Predicted against actual",
        "On the line a prediction is exactly right."
        if quantile is None
        else f"About {percent(quantile)} of the rows of each model are to lie below the line.",
        Axis.over("prediction", [value for found in shown.values() for value in found]),
        Axis.over("target", target),
        [
            Series("exactly right", ends, ends, "guide", 3),
            *(Series(name, found, target, "points", at) for at, (name, found) in enumerate(shown.items())),
        ],
    )
    return chart.block()

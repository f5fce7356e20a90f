"""Comparison of models on the same rows: scores side by side, and whether the difference is more than chance.

    d_i = loss of the other model on row i - loss of the best,     z = mean(d) / (std(d) / sqrt(n))

with squared errors for regression, and 1 for a wrong class (McNemar's z, but for the variance under equality).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np

from bochner._json import plain
from bochner._typing import Array, JsonDict
from bochner.errors import InvalidDataError
from bochner.reporting.numbers import count, number, percent
from bochner.reporting.rendering import render_page
from bochner.reporting.report import Report
from bochner.reporting.svg import Axis, Chart, Series

__all__ = ["comparison_report"]

_CLEAR = 2.0
"""Standard errors from which a difference is called one."""
_DRAWN = 300


def comparison_report(predictions: Mapping[str, Array], y: Array, *, task: str, title: str, table: str) -> Report:
    """Report on the predictions of two or more models for the same rows.

    Parameters
    ----------
    predictions : dict of arrays of shape (n_rows,)
        By the names of the models.
    y : array of shape (n_rows,)
    task : {"regression", "classification"}
    title, table : str
        Heading of the page, and where the rows are from.
    """
    if len(predictions) < 2 or len(y) < 2:
        raise InvalidDataError("A comparison needs two models and two rows at least.")
    regression = task == "regression"
    losses = {name: _losses(found, y, regression=regression) for name, found in predictions.items()}
    scores = {name: float(np.sqrt(loss.mean()) if regression else 1 - loss.mean()) for name, loss in losses.items()}
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
            "verdict": _verdict(best, scores, others, regression=regression),
        }
    )
    section = {
        "id": "comparison",
        "question": "Which model is better?",
        "answer": summary["verdict"],
        "blocks": [_table(summary), *([_chart(predictions, y)] if regression else [])],
    }
    about = f"{len(predictions)} models on the {len(y):,} rows of {table}, whether they have seen them or not"
    return Report(summary | {"answers": {"comparison": summary["verdict"]}}, render_page(summary, [section], about))


def _losses(predicted: Array, y: Array, *, regression: bool) -> Array:
    if regression:
        return (np.asarray(predicted, dtype=float).ravel() - np.asarray(y, dtype=float).ravel()) ** 2
    return (np.asarray(predicted).astype(str).ravel() != np.asarray(y).astype(str).ravel()).astype(float)


def _distance(differences: Array) -> float:
    """Mean of the differences in standard errors; 0 for models that are alike."""
    spread = float(np.std(differences, ddof=1))
    return float(np.mean(differences) / (spread / np.sqrt(len(differences)))) if spread > 0 else 0.0


def _verdict(best: str, scores: JsonDict, others: JsonDict, *, regression: bool) -> str:
    form = number if regression else percent
    what = "RMS error" if regression else "share of right rows"
    second = min(others, key=lambda name: others[name])
    pair = f"its {what} is {form(scores[best])}, that of {second} {form(scores[second])}"
    if others[second] < _CLEAR:
        return f"No clear difference: {best} is ahead ({pair}), by no more than chance gives on so many rows."
    return f"{best} is better: {pair}, a difference of {others[second]:.1f} standard errors."


def _table(summary: JsonDict) -> JsonDict:
    regression = summary["task"] == "regression"
    form, what = (number, "RMS error") if regression else (percent, "Right")
    behind = summary["standard_errors_behind"]
    rows = [
        [name, form(score), "best" if name == summary["best"] else f"{behind[name]:.1f} standard errors behind"]
        for name, score in sorted(summary["scores"].items(), key=lambda item: item[1], reverse=not regression)
    ]
    title = f"On {count(summary['n_rows'])} rows"
    return {"kind": "table", "title": title, "head": ["Model", what, ""], "rows": rows, "full": True}


def _chart(predictions: Mapping[str, Array], y: Array) -> JsonDict:
    """Targets against the predictions of every model, some rows of them."""
    step = max(1, len(y) // _DRAWN)
    shown = {name: np.asarray(found, dtype=float).ravel()[::step].tolist() for name, found in predictions.items()}
    target = np.asarray(y, dtype=float).ravel()[::step].tolist()
    ends = [min(target), max(target)]
    chart = Chart(
        "Predicted against actual",
        "On the line a prediction is exactly right.",
        Axis.over("prediction", [value for found in shown.values() for value in found]),
        Axis.over("target", target),
        [
            Series("exactly right", ends, ends, "guide", 3),
            *(Series(name, found, target, "points", at) for at, (name, found) in enumerate(shown.items())),
        ],
    )
    return chart.block()

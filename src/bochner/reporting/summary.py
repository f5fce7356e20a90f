"""Report summary: one JSON dict of all that the page shows, from a fitted model and test rows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bochner._json import plain
from bochner._typing import ArrayLike, JsonDict, MatrixLike
from bochner.reporting.answers import answers
from bochner.reporting.approximation import approximation
from bochner.reporting.choices import choices
from bochner.reporting.cost import cost
from bochner.reporting.validation import scores
from bochner.reporting.view import GIVE_ROWS, ModelView, n_rows_of
from bochner.reporting.what_if import more
from bochner.reporting.words import in_words
from bochner.theory import Certificate

__all__ = ["FORMAT", "summarise"]

FORMAT = 1
"""Version of the dict; a change of the meaning of a key raises it."""


def summarise(
    model: Any,
    X: MatrixLike | None = None,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    held_out: bool = False,
    title: str | None = None,
    plan: Any = None,
    extra: JsonDict | None = None,
    certificate: Certificate | str | None = None,
    delta: float = 0.01,
) -> JsonDict:
    """The report as plain data; see `report` for the parameters.

    A part that cannot be told has the key "missing", which says why and what to do about it.
    """
    view = ModelView.of(model)
    name = type(view.estimator).__name__
    parts = plain(
        {
            "format": FORMAT,
            "title": title or f"{name} report",
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "model": {
                "name": name,
                "kind": view.kind,
                "rows": view.n_rows,
                "columns": view.n_inputs,
                "width": view.width,
                "input_names": view.input_names,
            },
            "preprocessing": in_words(view.steps),
            "held_out_rows": None if X is None else n_rows_of(X),
            "rows_held_out": held_out,
            "quality": _quality(view, X, y, sample_weight) | {"rows_held_out": held_out},
            "approximation": approximation(view, X, certificate=certificate, delta=delta),
            "more": more(view, X, y, held_out=held_out),
            "choices": choices(view),
            "cost": cost(view, plan, extra),
        }
    )
    return {**parts, "answers": answers(parts)}


def _quality(view: ModelView, X: MatrixLike | None, y: ArrayLike | None, sample_weight: ArrayLike | None) -> JsonDict:
    if X is None:
        return {"missing": f"No rows were given, so the score is unknown: {GIVE_ROWS}."}
    return scores(view, X, y, sample_weight)

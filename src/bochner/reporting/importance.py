"""Columns and directions that matter: shares of squared gradients of a fitted model."""

from __future__ import annotations

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.reporting.view import ModelView

__all__ = ["importance"]

_DIRECTIONS, _PARTS = 3, 4
_LEAST = 0.01  # share of a direction that is shown


def importance(view: ModelView) -> JsonDict:
    """Shares of the columns, the largest first, and the main directions: eigenvectors of the gradients' outer product.

    A direction is made of columns in units of their spreads; parts of its columns are squares, which add up to 1.
    """
    found = view.get("column_importance_")
    if found is None or not np.any(found.values > 0):
        return {"missing": "This model knows no gradients, or is constant: there are no importances of columns."}
    names, order = view.input_names, np.argsort(-found.values, kind="stable")
    deviations = None if found.deviations is None else found.deviations[order]
    shares, vectors = np.linalg.eigh(found.outer)
    return {
        "names": [names[i] for i in order],
        "shares": found.values[order],
        "standard_deviations": deviations,
        "directions": [
            {"share": float(share), "parts": _parts(names, vector)}
            for share, vector in zip(shares[::-1][:_DIRECTIONS], vectors.T[::-1])
            if share > _LEAST
        ],
    }


def _parts(names: list[str], vector: Array) -> list[JsonDict]:
    """The columns that most of a direction is made of; the largest has a positive sign."""
    largest = np.argsort(-np.abs(vector), kind="stable")[:_PARTS]
    signed = vector * np.sign(vector[largest[0]])
    return [{"name": names[i], "weight": float(signed[i])} for i in largest if signed[i] ** 2 > _LEAST]

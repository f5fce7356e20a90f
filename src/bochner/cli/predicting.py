"""Predictions of a saved model, piece by piece for a table that is too large for memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.cli.meter import give_back_memory
from bochner.cli.models import encoder_of, has_error_bars, inputs_of, read_inputs
from bochner.cli.output import Columns
from bochner.cli.training import file_to_stream
from bochner.config import get_config
from bochner.data import TableFile
from bochner.errors import InvalidDataError
from bochner.tables import NewValues, column_of_table, rows_counted

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Predictor"]

_PIECE_ROWS = 2**14


class Predictor:
    """Predictions of a model for the rows of a table, with columns of it that are copied.

    Parameters
    ----------
    model : estimator or pipeline
    path : str
        The table.
    identifier : tuple of str
        Columns to copy.
    std, proba : bool
        Whether to add standard deviations, or probabilities of classes.

    Attributes
    ----------
    streams : bool
        Whether the table is read in pieces.
    seen : NewValues
        What the rows so far have that training did not have.
    """

    def __init__(self, model: Any, path: str, identifier: tuple[str, ...], *, std: bool, proba: bool) -> None:
        self._model, self._path, self._identifier = model, path, identifier
        self._encoder = encoder_of(model)
        self._std, self._proba = std, proba
        self.seen = NewValues()
        _refuse_what_it_has_not(model, std=std, proba=proba)
        known: JsonDict = {}
        if self._encoder is not None:
            known = {"kinds": self._encoder.kinds(), "missing": self._encoder.missing}
        self._file = file_to_stream(path, get_config().memory_budget(), **known)

    @property
    def streams(self) -> bool:
        return self._file is not None

    def pieces(self) -> Iterator[Columns]:
        """Columns of predictions, for some rows after the other."""
        for start, rows in self._tables():
            copied = {name: column_of_table(rows, name, self._path) for name in self._identifier}
            with rows_counted(start + np.arange(rows.num_rows)):
                inputs = self._inputs(rows)
            yield copied | self._predicted(inputs)

    def _tables(self) -> Iterator[tuple[int, pa.Table]]:
        """Some rows after the other, with the number of the first."""
        if self._file is None:
            yield 0, read_inputs(self._model, self._path)
            return
        give_back_memory()
        n_rows = 0
        for _, rows in self._file.tables(self._columns(self._file)):
            for start in range(0, rows.num_rows, _PIECE_ROWS):
                yield n_rows + start, rows.slice(start, _PIECE_ROWS)
            n_rows += rows.num_rows
        if not n_rows:
            raise InvalidDataError(f"{self._path!r} has columns, and no rows.")

    def _columns(self, file: TableFile) -> list[str] | None:
        """The columns to read: those that are used, and those to copy; None, for a model without encoder: all."""
        if self._encoder is None:
            return None
        used, names = self._encoder.kinds(), file.schema.names
        known = {*self._encoder.feature_names_in_, *self._identifier, self._encoder.target, *self._encoder.drop}
        self.seen.add_columns(name for name in names if name not in known)
        return [name for name in names if name in used or name in self._identifier]

    def _inputs(self, rows: pa.Table) -> Array:
        if self._encoder is None:
            return inputs_of(self._model, rows, self._path)
        used = self._encoder.kinds()
        apart = [name for name in self._identifier if name not in used]
        return self._encoder.encode(rows.drop_columns(apart), self.seen)

    def _predicted(self, X: Array) -> JsonDict:
        model = self._model if self._encoder is None else self._model[1:]
        if self._std:
            mean, deviation = model.predict(X, return_std=True)
            return {"prediction": mean, "std": deviation}
        found: JsonDict = _named(np.asarray(model.predict(X)))
        if self._proba:
            chances = model.predict_proba(X)
            found |= {f"probability_{label}": chances[:, at] for at, label in enumerate(self._model.classes_)}
        return found


def _named(predictions: Array) -> JsonDict:
    """Predictions as a column, or as several of a model of several targets or quantiles, as Python can save it."""
    if predictions.ndim == 1:
        return {"prediction": predictions}
    return {f"prediction_{at}": column for at, column in enumerate(predictions.T, start=1)}


def _refuse_what_it_has_not(model: Any, *, std: bool, proba: bool) -> None:
    if std and hasattr(model, "classes_"):
        raise InvalidDataError("--std is for regression, and this model predicts classes. Use --proba.")
    if std and not has_error_bars(model):
        raise InvalidDataError(
            "--std needs a model of the mean. This one has another loss, and no standard deviations."
        )
    if proba and not hasattr(model, "predict_proba"):
        raise InvalidDataError("--proba needs a model that predicts classes with probabilities. This one does not.")

"""Saved models: loading them, and reading tables as their inputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.pipeline import Pipeline

from bochner import TableEncoder, load
from bochner._typing import Array
from bochner.data import read_table
from bochner.errors import InvalidDataError
from bochner.tables import column_of_table, read_column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Model", "encoder_of", "has_error_bars", "inputs_of", "load_model", "read_inputs"]

Model: TypeAlias = Any
"""Any estimator or pipeline that a model file can hold."""


def load_model(path: str) -> Model:
    """The model in a file."""
    if not Path(path).is_file():
        raise InvalidDataError(f"There is no model file {path!r}. `bochner fit` makes one.")
    return load(path)


def encoder_of(model: Model) -> TableEncoder | None:
    """The encoder that `bochner fit` put before the model; None for a model that was saved from Python without one."""
    first = model[0] if isinstance(model, Pipeline) else None
    return first if hasattr(first, "kinds") else None


def has_error_bars(model: Model) -> bool:
    """Whether predictions of the model have standard deviations."""
    return hasattr(type(model[-1] if isinstance(model, Pipeline) else model), "spread_")


def read_inputs(model: Model, path: str) -> pa.Table:
    """A table whose columns have the types that they had in training."""
    encoder = encoder_of(model)
    return read_table(path) if encoder is None else read_table(path, encoder.kinds(), encoder.missing)


def inputs_of(model: Model, table: pa.Table, path: str) -> pa.Table | Array:
    """Inputs of the model: the table if it has an encoder, else an array of its columns."""
    if encoder_of(model) is not None:
        return table
    import narwhals as nw

    names = [str(name) for name in getattr(model, "feature_names_in_", table.column_names)]
    columns = [nw.from_native(column_of_table(table, name, path), series_only=True) for name in names]
    return np.column_stack([read_column(column, name, "number") for column, name in zip(columns, names)])

"""Models in files, and tables as their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from bochner import TableEncoder, load
from bochner.cli.tables import column_of_table, read_table
from bochner.errors import InvalidDataError
from bochner.estimators.table_columns import read_column

__all__ = ["encoder_of", "inputs_of", "load_model", "read_inputs", "without_columns"]


def load_model(path: str) -> Any:
    """The model in a file."""
    if not Path(path).is_file():
        raise InvalidDataError(f"There is no model file {path!r}. `bochner fit` makes one.")
    return load(path)


def encoder_of(model: Any) -> TableEncoder | None:
    """The encoder that `bochner fit` put before the model; None for a model that was saved from Python without one."""
    first = model[0] if isinstance(model, Pipeline) else None
    return first if isinstance(first, TableEncoder) else None


def read_inputs(model: Any, path: str) -> Any:
    """A table whose columns are read as what they were in training."""
    encoder = encoder_of(model)
    return read_table(path, None if encoder is None else encoder.kinds())


def inputs_of(model: Any, table: Any, path: str) -> Any:
    """What the model takes: the table where it has an encoder, otherwise an array of its columns."""
    if encoder_of(model) is not None:
        return table
    import narwhals as nw

    names = [str(name) for name in getattr(model, "feature_names_in_", table.column_names)]
    columns = [nw.from_native(column_of_table(table, name, path), series_only=True) for name in names]
    return np.column_stack([read_column(column, name, "number") for column, name in zip(columns, names)])


def without_columns(model: Any, table: Any, names: Sequence[str]) -> Any:
    """The table without columns that were asked for by name, unless the model needs them."""
    encoder = encoder_of(model)
    return table if encoder is None else table.drop_columns([name for name in names if name not in encoder.kinds()])

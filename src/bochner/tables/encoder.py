"""Preprocessing of mixed tables: numbers standardised, categories one-hot, dates cyclic, missing values marked."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bochner._sklearn import Interval, StrOptions, validated
from bochner._typing import Array, Constraints, JsonDict, MatrixLike
from bochner.errors import InvalidDataError, TableWarning
from bochner.tables.columns import CategoryColumn, Column, DateColumn, NumberColumn, column_of
from bochner.tables.named_columns import NamedColumns, listed, quoted
from bochner.tables.new_values import NewValues
from bochner.tables.reading import missing, read_column

__all__ = ["TableEncoder"]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Numbers, categories and dates of a table, as columns of one scale.

    Numbers are standardised, with missing ones at the median and marked by a column of their own. A category becomes
    one column per level; rare levels share one, and missing is a level. A date becomes its year, and sine and cosine of
    month, weekday and hour. Columns without information are left out, and columns of texts that are all different are
    refused. Columns are known by name: later tables may have them in any order.

    Parameters
    ----------
    target : str, default=None
        Name of the target's column: not an input, even where the table has it.
    drop : sequence of str, default=()
        Further columns that are not inputs.
    categorical : sequence of str, default=()
        Columns of numbers that are categories.
    min_rows : int, default=3
        A level of a category with fewer rows is rare.
    max_levels : int, default=100
        Levels of a category that have a column of their own at most; the rest are rare.
    dtype : {"float64", "float32"}, default="float64"
        Float type of the result.

    Attributes
    ----------
    columns_ : list of dict
        What was learned of each input column, as plain values.
    dropped_ : dict
        Columns without information, and why.
    notes_ : list of str
        What a person should look at.
    feature_names_in_ : array of shape (n_features,)
        Columns of the table of `fit` that are not excluded by `target` and `drop`.
    n_features_in_ : int

    Examples
    --------
    >>> import pandas as pd
    >>> from bochner import TableEncoder
    >>> table = pd.DataFrame({"area": [40.0, 60.0, None, 80.0], "city": ["Bonn", "Bonn", "Kiel", "Kiel"]})
    >>> encoder = TableEncoder(min_rows=1).fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['area', 'area is missing', 'city=Bonn', 'city=Kiel']
    >>> encoder.transform(table[["city", "area"]])[2]
    array([0., 1., 0., 1.])
    """

    _parameter_constraints: Constraints = {
        "target": [str, None],
        "drop": ["array-like"],
        "categorical": ["array-like"],
        "min_rows": [Interval(Integral, 1, None, closed="left")],
        "max_levels": [Interval(Integral, 1, None, closed="left")],
        "dtype": [StrOptions({"float64", "float32"})],
    }

    def __init__(
        self,
        *,
        target: str | None = None,
        drop: Sequence[str] = (),
        categorical: Sequence[str] = (),
        min_rows: int = 3,
        max_levels: int = 100,
        dtype: str = "float64",
    ) -> None:
        self.target = target
        self.drop = drop
        self.categorical = categorical
        self.min_rows = min_rows
        self.max_levels = max_levels
        self.dtype = dtype

    @validated
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Learn the columns of a table.

        Parameters
        ----------
        X : frame (pandas, polars, pyarrow) or array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        table = NamedColumns.of(X)
        self._refuse_unknown_names(table)
        inputs = [name for name in table.names if name not in self._excluded()]
        self.columns_: list[JsonDict] = []
        self.dropped_: dict[str, str] = {}
        self.notes_: list[str] = []
        for name in inputs:
            self._learn(name, read_column(table.column(name), name, "category" if name in self.categorical else None))
        if not self.columns_:
            raise InvalidDataError(
                f"The table must have a column that varies. Got {table.n_rows:,} samples with "
                f"{quoted(self.dropped_) if self.dropped_ else 'no column beside those that are not inputs'}."
            )
        self.feature_names_in_ = np.array(inputs, dtype=object)
        self.n_features_in_ = len(inputs)
        return self

    def transform(self, X: MatrixLike) -> Array:
        """The columns of a table as numbers; what training did not have is said in a `TableWarning`.

        Parameters
        ----------
        X : frame or array
            With at least the columns of `fit` that are used; columns are found by their names.

        Returns
        -------
        array of shape (n_samples, n_outputs)
        """
        seen = NewValues()
        encoded = self.encode(X, seen)
        for sentence in seen.sentences():
            warnings.warn(sentence, TableWarning, stacklevel=2)
        return encoded

    def encode(self, X: MatrixLike, seen: NewValues) -> Array:
        """As `transform`, for a table that comes in parts: what training did not have is added to `seen`.

        Parameters
        ----------
        X : frame or array
        seen : NewValues

        Returns
        -------
        array of shape (n_samples, n_outputs)
        """
        check_is_fitted(self)
        table = NamedColumns.of(X)
        columns = list(self._columns())
        self._refuse_missing_columns(table, [column.name for column in columns])
        known = {*self.feature_names_in_, *self._excluded()}
        seen.add_columns(name for name in table.names if name not in known)
        out = np.empty((table.n_rows, sum(len(column.outputs) for column in columns)), dtype=self.dtype)
        start = 0
        for column in columns:
            values = read_column(table.column(column.name), column.name, column.kind)
            seen.add(column, column.unseen(values))
            end = start + len(column.outputs)
            column.write(values, out[:, start:end])
            start = end
        return out

    def get_feature_names_out(self, input_features: object = None) -> Array:
        """Names of the resulting columns."""
        check_is_fitted(self)
        return np.array([name for column in self._columns() for name in column.outputs], dtype=object)

    def kinds(self) -> dict[str, str]:
        """Kind of each column that is used: "number", "category" or "date"."""
        check_is_fitted(self)
        return {column.name: column.kind for column in self._columns()}

    def describe(self) -> list[str]:
        """Description of the encoding in words: one sentence for all columns that are treated alike."""
        check_is_fitted(self)
        alike: dict[str, list[str]] = {}
        for column in self._columns():
            alike.setdefault(column.sentence(), []).append(column.name)
        for name, reason in self.dropped_.items():
            alike.setdefault(f"left out: {reason}", []).append(name)
        return [f"{listed(names)}: {sentence}" for sentence, names in alike.items()]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _columns(self) -> Iterator[Column]:
        return (column_of(state) for state in self.columns_)

    def _excluded(self) -> set[str]:
        return {*self.drop, *([] if self.target is None else [self.target])}

    def _learn(self, name: str, values: Array) -> None:
        reason = _without_information(values)
        if reason:
            self.dropped_[name] = reason
            return
        if values.dtype.kind == "O":
            _refuse_texts(name, values)
            column: Column = CategoryColumn.learn(name, values, min_rows=self.min_rows, max_levels=self.max_levels)
        elif values.dtype.kind == "M":
            column = DateColumn.learn(name, values)
        else:
            column = NumberColumn.learn(name, values)
            if _counts_rows(values):
                self.notes_.append(f"Column {name!r} numbers the rows. If it says nothing about them, drop it.")
        self.columns_.append(column.to_dict())

    def _refuse_unknown_names(self, table: NamedColumns) -> None:
        unknown = [name for name in (*self.drop, *self.categorical) if name not in table]
        if unknown:
            raise InvalidDataError(f"The table has no column {quoted(unknown)}. It has {listed(table.names)}.")

    def _refuse_missing_columns(self, table: NamedColumns, wanted: list[str]) -> None:
        if not table.named and len(table.names) != self.n_features_in_:
            raise ValueError(  # scikit-learn's wording, which its users and checks know
                f"X has {len(table.names)} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input."
            )
        absent = [name for name in wanted if name not in table]
        if absent:
            raise InvalidDataError(f"The table must have the columns of training. It has no {quoted(absent)}.")


def _without_information(values: Array) -> str | None:
    absent = missing(values)
    if absent.all():
        return "no value"
    first = values[~absent][0]
    return "one value" if not absent.any() and bool((values == first).all()) else None


def _refuse_texts(name: str, values: Array) -> None:
    """Free text and identifiers: more different values than rows that repeat one."""
    present = [value for value in values.tolist() if value is not None]
    distinct = len(set(present))
    if distinct > len(present) / 2 and distinct > 2:
        raise InvalidDataError(
            f"Column {name!r} must be a number, a date or a category. Got texts: {distinct:,} different values in "
            f"{len(present):,} rows, such as {present[0]!r}. Drop it (drop={name!r}; --drop {name!r})."
        )


def _counts_rows(values: Array) -> bool:
    """Consecutive whole numbers, each once, in order: the number of the row."""
    return len(values) > 2 and bool(np.all(np.diff(values) == 1))

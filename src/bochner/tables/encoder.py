"""Preprocessing of mixed tables: numbers standardised, categories one-hot, dates cyclic, missing values marked."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Self, overload

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bochner._sklearn import Interval, StrOptions, validated
from bochner._typing import Array, Constraints, JsonDict, MatrixLike
from bochner.data import RowSource
from bochner.errors import InvalidDataError, TableWarning
from bochner.tables.cells import rows_counted
from bochner.tables.columns import CategoryColumn, Column, DateColumn, NumberColumn, column_of
from bochner.tables.dates import date_order, is_date, parse_dates
from bochner.tables.information import beyond_floats, number_remarks, numbers_rows, without_information
from bochner.tables.named_columns import NamedColumns, listed, no_column, quoted, shown
from bochner.tables.new_values import NewValues
from bochner.tables.reading import Series, is_aware, read_column
from bochner.tables.scan import EncodedScan, sample_of, scan_of
from bochner.tables.texts import hardly_repeat, is_number, level_remarks, numbers_of, refuse_nearly

__all__ = ["TableEncoder"]

_INDEX = ("", "Unnamed: 0", "__index_level_0__")


class TableEncoder(TransformerMixin, BaseEstimator):
    """Numbers, categories and dates of a table, as columns of one scale.

    Numbers are standardised, with missing ones at the median and marked by a column of their own. A category becomes
    one column per level; rare levels share one, and missing is a level. A date becomes its year, and sine and cosine of
    month, weekday and hour; texts such as "15/01/2020" are dates. Columns without information are left out, and so are,
    with a `TableWarning`, identifiers and free texts. A column that holds numbers or dates but for a few texts is
    refused with the first of them: `missing` says what they mean. Columns are known by name: later tables may have them
    in any order.

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
    missing : sequence of str, default=()
        Texts that mean a missing value, such as "?" and "unknown"; a column whose other texts are numbers is one of
        numbers.
    day_first : bool or None, default=None
        Whether texts such as "01/02/2020" are dates with the day first, or the month; None tells it from the other
        rows, and refuses what cannot be told.
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
        "missing": ["array-like"],
        "day_first": ["boolean", None],
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
        missing: Sequence[str] = (),
        day_first: bool | None = None,
        dtype: str = "float64",
    ) -> None:
        self.target = target
        self.drop = drop
        self.categorical = categorical
        self.min_rows = min_rows
        self.max_levels = max_levels
        self.missing = missing
        self.day_first = day_first
        self.dtype = dtype

    @validated
    def fit(self, X: MatrixLike | RowSource, y: object = None) -> Self:
        """Learn the columns of a table.

        Parameters
        ----------
        X : frame (pandas, polars, pyarrow), array of shape (n_samples, n_features), or scan of a table
            A scan (`scan_parquet`, `scan_csv`, `scan_frame`) is read once; columns are learned from a random sample of
            its rows, at most 50,000 and a twentieth of the memory budget, and from all where these are fewer.
        y : ignored

        Returns
        -------
        self
        """
        scan = scan_of(X)
        if scan is None:
            return self._learn_table(X)
        rows, numbers = sample_of(scan)
        with rows_counted(numbers):
            return self._learn_table(rows)

    def _learn_table(self, X: MatrixLike | RowSource) -> Self:
        table = NamedColumns.of(X)
        self._refuse_unknown_names(table)
        inputs = [name for name in table.names if name not in self._excluded()]
        if not inputs:
            raise InvalidDataError(f"No input is left: the table has only {quoted(table.names)}, and none is an input.")
        self.columns_: list[JsonDict] = []
        self.dropped_: dict[str, str] = {}
        self.notes_: list[str] = []
        for name in inputs:
            self._learn(name, table.column(name))
        if not self.columns_:
            raise InvalidDataError(
                f"The table must have a column that varies. Got {table.n_rows:,} samples with {quoted(self.dropped_)}."
            )
        self.feature_names_in_ = np.array(inputs, dtype=object)
        self.n_features_in_ = len(inputs)
        return self

    @overload
    def transform(self, X: RowSource) -> RowSource: ...

    @overload
    def transform(self, X: MatrixLike) -> Array: ...

    def transform(self, X: MatrixLike | RowSource) -> Array | RowSource:
        """The columns of a table as numbers; what training did not have is said in a `TableWarning`.

        Parameters
        ----------
        X : frame, array or scan
            With at least the columns of `fit` that are used; columns are found by their names.

        Returns
        -------
        array of shape (n_samples, n_outputs), or a scan of such rows with the targets and weights of X
        """
        scan = scan_of(X)
        if scan is not None:
            check_is_fitted(self)
            return EncodedScan(scan, self)
        seen = NewValues()
        encoded = self.encode(X, seen)
        for sentence in seen.sentences():
            warnings.warn(sentence, TableWarning, stacklevel=2)
        return encoded

    def encode(self, X: MatrixLike | RowSource, seen: NewValues) -> Array:
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
            values = column.read(table.column(column.name), self.missing)
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
            alike.setdefault(column.sentence(), []).append(shown(column.name))
        for name, reason in self.dropped_.items():
            alike.setdefault(f"left out: {reason}", []).append(shown(name))
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

    def _learn(self, name: str, raw: Array | Series) -> None:
        values = read_column(raw, name, "category" if name in self.categorical else None, self.missing)
        reason = without_information(values)
        if beyond_floats(raw, values):
            self._leave_out(name, "whole numbers beyond 2^53, which floats cannot tell apart: an identifier")
        elif reason:
            self.dropped_[name] = reason
        elif values.dtype.kind == "O" and name not in self.categorical:
            self._learn_texts(name, raw, values)
        elif values.dtype.kind == "O":
            self._keep(self._category(name, values))
        elif values.dtype.kind == "M":
            self._keep(DateColumn.learn(name, values, aware=is_aware(raw)))
        else:
            self._learn_numbers(name, values)

    def _learn_numbers(self, name: str, values: Array) -> None:
        if name in _INDEX and numbers_rows(values):
            self._leave_out(name, "an index without a name, as pandas writes it")
            return
        self._keep(NumberColumn.learn(name, values))
        self.notes_ += number_remarks(name, values)

    def _learn_texts(self, name: str, raw: Array | Series, values: Array) -> None:
        """Texts are dates, or categories; identifiers and free texts are left out."""
        texts = values.tolist()
        order = date_order(texts, name, self.day_first)
        if order is not None:
            self._keep(DateColumn.learn(name, parse_dates(texts, name, order), order=order, aware=is_aware(raw)))
            return
        _refuse_marks(name, values)
        reason = hardly_repeat(values)
        numbers = numbers_of(values) if reason else None
        if numbers is not None and not any(map(_has_leading_zero, texts)):
            self._keep(NumberColumn.learn(name, numbers))  # texts by a cell that is none, in rows not seen here
        elif reason:
            self._leave_out(
                name,
                reason,
                f"TableEncoder(categorical=[{name!r}]), or --categorical {name!r}, takes them as categories",
            )
        else:
            self._keep(self._category(name, values))

    def refuse_marks(self, X: MatrixLike) -> None:
        """Refuse texts such as "unknown" in columns of numbers or dates, as `fit` does, before rows are held out.

        Parameters
        ----------
        X : frame or array
        """
        table = NamedColumns.of(X)
        for name in table.names:
            if name not in self._excluded() and name not in self.categorical:
                values = read_column(table.column(name), name, None, self.missing)
                if values.dtype.kind == "O":
                    _refuse_marks(name, values)

    def _category(self, name: str, values: Array) -> CategoryColumn:
        self.notes_ += level_remarks(name, values)
        return CategoryColumn.learn(name, values, min_rows=self.min_rows, max_levels=self.max_levels)

    def _keep(self, column: Column) -> None:
        self.columns_.append(column.to_dict())

    def _leave_out(self, name: str, reason: str, remedy: str = "") -> None:
        """Leave a column out, and say so."""
        self.dropped_[name] = reason
        sentence = f"Column {name!r} is left out: {reason}.{f' {remedy}.' if remedy else ''}"
        self.notes_.append(sentence)
        warnings.warn(sentence, TableWarning, stacklevel=2)

    def _refuse_unknown_names(self, table: NamedColumns) -> None:
        unknown = [name for name in (*self.drop, *self.categorical) if name not in table]
        if unknown:
            raise no_column("The table", unknown[0], table.names)

    def _refuse_missing_columns(self, table: NamedColumns, wanted: list[str]) -> None:
        if not table.named and len(table.names) != self.n_features_in_:
            raise ValueError(  # scikit-learn's wording, which its users and checks know
                f"X has {len(table.names)} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input."
            )
        absent = [name for name in wanted if name not in table]
        if absent:
            raise InvalidDataError(f"The table must have the columns of training. It has no {quoted(absent)}.")


def _refuse_marks(name: str, values: Array) -> None:
    refuse_nearly(values, name, "numbers", is_number)
    refuse_nearly(values, name, "dates", is_date)


def _has_leading_zero(text: str | None) -> bool:
    """Whether digits are a code: 01234."""
    return text is not None and len(text) > 1 and text[0] == "0" and text[1].isdigit()

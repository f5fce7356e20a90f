"""Preprocessing of mixed tables: numbers standardised, categories one-hot, dates cyclic, missing values marked."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from types import MappingProxyType
from typing import Self, overload

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bochner._sklearn import Interval, StrOptions, validated
from bochner._typing import Array, ArrayLike, Constraints, JsonDict, MatrixLike
from bochner.data import RowSource
from bochner.errors import InvalidDataError, TableWarning
from bochner.tables.cells import rows_counted
from bochner.tables.columns import Column
from bochner.tables.kinds import column_of
from bochner.tables.learner import ColumnLearner, refuse_marks
from bochner.tables.named_columns import NamedColumns, listed, quoted, shown
from bochner.tables.new_values import NewValues
from bochner.tables.reading import read_column
from bochner.tables.scan import EncodedScan, sample_of, scan_of
from bochner.tables.target_means import targets_of_levels, with_target_means

__all__ = ["TableEncoder"]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Numbers, categories and dates of a table, as columns of one scale.

    Numbers are standardised, with missing ones at the median and marked by a column of their own. A category becomes
    one column per level; rare levels share one, and missing is a level. If many rows have rare levels, one more has
    the shrunken mean of the target of each (`target_statistics`). A level that training did not have is the mean of the
    levels, which `KernelRegressor` takes as their mixture: its error bars are as wide as levels differ. A date becomes
    its year, and sine and cosine of month, weekday and hour; texts such as "15/01/2020" are dates. Columns without
    information are left out, and so are, with a `TableWarning`, identifiers and free texts. A column that holds numbers
    or dates but for a few texts is refused with the first of them: `missing` says what they mean. Columns are known by
    name: later tables may have them in any order.

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
    target_statistics : "auto" or sequence of str, default="auto"
        Categories whose rare levels have the mean of the target, or the shares of its classes (two have one column,
        more one for each of the ten most frequent), shrunken to the mean of all rows. "auto": those with rare levels
        in a twentieth of the rows or more. They need y, and a table in memory: a scan has none. `fit_transform` gives
        the rows of the fit means of the other rows (five folds); `fit(X, y).transform(X)` has their own targets in it.
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
        "target_statistics": [StrOptions({"auto"}), "array-like"],
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
        target_statistics: str | Sequence[str] = "auto",
        missing: Sequence[str] = (),
        day_first: bool | None = None,
        dtype: str = "float64",
    ) -> None:
        self.target = target
        self.drop = drop
        self.categorical = categorical
        self.min_rows = min_rows
        self.max_levels = max_levels
        self.target_statistics = target_statistics
        self.missing = missing
        self.day_first = day_first
        self.dtype = dtype

    def fit(self, X: MatrixLike | RowSource, y: ArrayLike | None = None) -> Self:
        """Learn the columns of a table.

        Parameters
        ----------
        X : frame (pandas, polars, pyarrow), array of shape (n_samples, n_features), or scan of a table
            A scan (`scan_parquet`, `scan_csv`, `scan_frame`) is read once; columns are learned from a random sample of
            its rows, at most 50,000 and a twentieth of the memory budget, and from all where these are fewer.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            For `target_statistics`; nothing else is learned from it.

        Returns
        -------
        self
        """
        self.learn(X, y)
        return self

    def fit_transform(self, X: MatrixLike | RowSource, y: ArrayLike | None = None) -> Array | RowSource:
        """Learn the columns of a table, and give its rows as numbers: `fit` and `transform` in one.

        Target statistics are those of other rows: models learn from this, not from `fit(X, y).transform(X)`.
        """
        out_of_fold = self.learn(X, y)
        return self.transform(X) if scan_of(X) is not None else self.encode(X, NewValues(), out_of_fold)

    @validated
    def learn(self, X: MatrixLike | RowSource, y: ArrayLike | None = None) -> dict[int, Array]:
        """As `fit`: what the rows have out of fold, by the first of the resulting columns that it is for."""
        scan = scan_of(X)
        if scan is None:
            return self._learn_table(X, y)
        if self._named_statistics():
            raise InvalidDataError(
                "Target statistics are learned from tables in memory: the rows of a scan are encoded anew in every "
                "pass, and each would see its own target. Fit the encoder to a sample of other rows, with y."
            )
        rows, numbers = sample_of(scan)
        with rows_counted(numbers):
            return self._learn_table(rows, None)

    def _learn_table(self, X: MatrixLike | RowSource, y: ArrayLike | None) -> dict[int, Array]:
        table = NamedColumns.of(X)
        table.require([*self.drop, *self.categorical, *self._named_statistics()])
        inputs = [name for name in table.names if name not in self._excluded()]
        if not inputs:
            raise InvalidDataError(f"No input is left: the table has only {quoted(table.names)}, and none is an input.")
        learner = ColumnLearner(self.categorical, self.min_rows, self.max_levels, self.missing, self.day_first)
        for name in inputs:
            learner.learn(name, table.column(name))
        self.dropped_, self.notes_ = learner.dropped, learner.notes
        if not learner.columns:
            got = f"{table.n_rows:,} sample{'' if table.n_rows == 1 else 's'} with {quoted(self.dropped_)}"
            raise InvalidDataError(f"The table must have a column that varies. Got {got}.")
        self.feature_names_in_ = np.array(inputs, dtype=object)
        self.n_features_in_ = len(inputs)
        found = with_target_means(
            learner.columns,
            targets_of_levels(y, table.n_rows),
            None if self._automatic() else self._named_statistics(),
            lambda column: column.read(table.column(column.name), self.missing),
        )
        self.columns_: list[JsonDict] = [column.to_dict() for column in found.columns]
        return found.out_of_fold

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

    def encode(
        self, X: MatrixLike | RowSource, seen: NewValues, out_of_fold: Mapping[int, Array] = MappingProxyType({})
    ) -> Array:
        """As `transform`, for a table that comes in parts: what training did not have is added to `seen`.

        Parameters
        ----------
        X : frame or array
        seen : NewValues
        out_of_fold : mapping, default={}
            What `learn` has returned for the rows of the fit.

        Returns
        -------
        array of shape (n_samples, n_outputs)
        """
        check_is_fitted(self)
        table = NamedColumns.of(X)
        columns = list(self._columns())
        table.require_training((column.name for column in columns), self.n_features_in_)
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
        for start, numbers in out_of_fold.items():
            out[:, start : start + numbers.shape[1]] = numbers
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

    def _named_statistics(self) -> list[str]:
        return [] if self._automatic() else list(self.target_statistics)

    def _automatic(self) -> bool:
        return isinstance(self.target_statistics, str)  # the one word that is allowed

    def _excluded(self) -> set[str]:
        return {*self.drop, *([] if self.target is None else [self.target])}

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
                    refuse_marks(name, values)

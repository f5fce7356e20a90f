"""Columns by name of pandas, polars and Arrow frames and of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Self

from sklearn.utils import check_array

from bochner._plain import require_unmasked
from bochner._sklearn import refuse_lazy
from bochner._typing import Array, MatrixLike
from bochner.data import RowSource
from bochner.errors import InvalidDataError
from bochner.tables.reading import Series
from bochner.tables.texts import is_number

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NamedColumns", "column_of_table", "listed", "no_column", "quoted", "shown"]

_MOST = 8


class NamedColumns:
    """The columns of a frame or an array, by name; those of an array are x0, x1, ..."""

    def __init__(self, names: list[str], n_rows: int, columns: list[Array | Series], named: bool) -> None:
        self.names, self.n_rows, self.named = names, n_rows, named
        self._columns = columns
        self._place = {name: at for at, name in enumerate(names)}

    def __contains__(self, name: str) -> bool:
        return name in self._place

    @classmethod
    def of(cls, X: MatrixLike | RowSource) -> Self:
        """The columns of a table that a user handed over."""
        refuse_lazy(X)
        require_unmasked(X)
        if not hasattr(X, "columns") and not hasattr(X, "column_names"):
            array = check_array(X, dtype=None, ensure_all_finite=False, estimator="TableEncoder")
            if array.dtype.kind == "c":
                raise ValueError("Complex data not supported.")
            return cls([f"x{at}" for at in range(array.shape[1])], array.shape[0], list(array.T), False)
        import narwhals as nw

        try:
            frame = nw.from_native(X, eager_only=True)  # type: ignore[call-overload]
        except nw.exceptions.DuplicateError as error:
            listed = ", ".join(line.strip(" -") for line in str(error).splitlines()[1:])
            raise InvalidDataError(f"Names of columns must differ. Got {listed[:300]}.") from None
        names = [str(name) for name in frame.columns]
        if len(frame) == 0 or not names:
            raise InvalidDataError(
                f"The table must have rows and columns. Got {len(frame)} rows, {len(names)} columns."
            )
        return cls(names, len(frame), list(frame.iter_columns()), True)  # one by one costs a list of names each

    def column(self, name: str) -> Array | Series:
        """A column of an array, or a narwhals series."""
        return self._columns[self._place[name]]

    def require(self, names: Iterable[str]) -> None:
        """Refuse names that a parameter has, and no column."""
        unknown = [name for name in names if name not in self]
        if unknown:
            raise no_column("The table", unknown[0], self.names)

    def require_training(self, names: Iterable[str], n_features: int) -> None:
        """Refuse a table without the columns that training used; an array must have as many as then."""
        if not self.named and len(self.names) != n_features:
            raise ValueError(  # scikit-learn's wording, which its users and checks know
                f"X has {len(self.names)} features, but TableEncoder is expecting {n_features} features as input."
            )
        absent = [name for name in names if name not in self]
        if absent:
            raise InvalidDataError(f"The table must have the columns of training. It has no {quoted(absent)}.")


def column_of_table(table: pa.Table, name: str, path: str) -> pa.ChunkedArray:
    """One column of an Arrow table, or the error that lists those that there are."""
    if name not in table.column_names:
        raise no_column(repr(path), name, table.column_names)
    return table[name]


def no_column(table: str, name: str, names: Sequence[str]) -> InvalidDataError:
    """The error of a name that no column has, with those that are like it, or those that there are."""
    folded = {other.casefold(): other for other in names}
    close = [folded[match] for match in get_close_matches(name.casefold(), folded, n=3)]
    hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else f"It has {quoted(names)}."
    return InvalidDataError(f"{table} has no column {name!r}. {hint}{_about_names(names)}")


def _about_names(names: Sequence[str]) -> str:
    """What is wrong with the names themselves: numbers, as in a file without a line of names, or one name for all."""
    if len(names) > 1 and all(map(is_number, names)):
        return " These are numbers: the first line of a file must have the names of the columns."
    if len(names) == 1 and len(names[0].split()) > 1:
        return " Cells must be separated by commas, semicolons, tabs or bars."
    return ""


def shown(name: str) -> str:
    """A name in a sentence: in quotes if it is empty, or has blanks at its ends."""
    return name if name and name == name.strip() else repr(name)


def quoted(names: Iterable[str]) -> str:
    """Names in quotes, for a message."""
    return listed([repr(name) for name in names])


def listed(names: list[str], most: int = _MOST) -> str:
    """A list for people: the first of many, and how many more."""
    more = len(names) - most
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:most])} and {more:,} more"

"""Tables whose cells are not the numbers that NumPy would take them for: masked cells, dates, broken sparse matrices.

dicts, records    no tables: NumPy makes one object of a dict, and of a record neither a row nor numbers
masked arrays     np.asarray hands over what lies under the mask: a missing value would be fitted as a number
dates, durations  as numbers they depend on the unit of the clock, and a missing one (NaT) is -9.2e18
sparse matrices   compiled code trusts indices: one beyond the columns reads or writes foreign memory
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from bochner.errors import InvalidDataError

__all__ = ["require_plain", "require_unmasked"]


def require_plain(table: object, name: str = "X") -> None:
    """Refuse rows, targets or weights that are not what NumPy or SciPy would read; None and anything else passes."""
    require_unmasked(table, name)
    _require_table(table, name)
    for date in _dates(table):
        raise InvalidDataError(
            f"{name} must be numbers. Got {date}: as numbers, dates depend on their unit, and a missing one is "
            "-9.2e18. bochner.TableEncoder encodes columns of dates; make numbers of others, such as days since one."
        )
    if hasattr(table, "indptr") and hasattr(table, "check_format"):
        try:
            table.check_format(full_check=True)
        except (ValueError, IndexError) as error:
            raise InvalidDataError(f"{name} is no valid sparse matrix: {error}.") from None


def _require_table(table: object, name: str) -> None:
    """Refuse a dict and an array of records; one of SciPy's sparse formats is a dict with a shape."""
    records = getattr(getattr(table, "dtype", None), "names", None)
    if (isinstance(table, Mapping) and not hasattr(table, "shape")) or records is not None:
        kind = "an array of records" if records is not None else f"a {type(table).__name__}"
        raise InvalidDataError(f"{name} must be an array or a frame. Got {kind}: make a frame of it, pandas.DataFrame.")


def require_unmasked(table: object, name: str = "X") -> None:
    """Refuse an array with masked cells."""
    if not np.ma.isMaskedArray(table):
        return
    where = np.argwhere(np.ma.getmaskarray(table))
    if len(where):
        raise InvalidDataError(
            f"{name} must have no masked cells. Got {len(where):,}, the first in row {where[0][0]}. Drop such rows or "
            "impute them; bochner.TableEncoder marks what is missing in X.filled(np.nan)."
        )


def _dates(table: object) -> Iterator[str]:
    """Types of dates and durations in an array or in the columns of a frame, in words."""
    types = getattr(table, "dtypes", getattr(table, "dtype", ""))
    for each in types if hasattr(types, "__iter__") else (types,):
        temporal = getattr(each, "is_temporal", None)  # polars
        if getattr(each, "kind", "") in ("m", "M") or (temporal is not None and temporal()):
            yield str(each)

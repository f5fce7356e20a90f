"""What a table has that the table of training did not have, summed over its parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bochner.tables.columns import Column, Unseen
from bochner.tables.named_columns import quoted

__all__ = ["NewValues"]


class NewValues:
    """Levels, gaps and columns that training did not have."""

    def __init__(self) -> None:
        self._extra: dict[str, None] = {}
        self._unseen: dict[str, tuple[Column, Unseen]] = {}

    def add_columns(self, names: Iterable[str]) -> None:
        """Columns that are not used."""
        self._extra |= dict.fromkeys(names)

    def add(self, column: Column, unseen: Unseen) -> None:
        """Values of a part of a column."""
        if unseen.count:
            before = self._unseen.get(column.name, (column, Unseen()))[1]
            self._unseen[column.name] = column, before + unseen

    def sentences(self) -> Iterator[str]:
        """What there is, a sentence for each column."""
        if self._extra:
            one = len(self._extra) == 1
            what = f"Column {next(iter(self._extra))!r} was" if one else f"Columns {quoted(self._extra)} were"
            yield f"{what} not in training and {'is' if one else 'are'} not used."
        for name, (column, unseen) in self._unseen.items():
            yield f"Column {name!r} has {column.surprise(unseen)}."

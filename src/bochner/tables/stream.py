"""Row source of a table with mixed columns that is read from its file in every pass, encoded piece by piece."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array
from bochner.data import Block, TableFile
from bochner.data.pieces import PieceSource
from bochner.data.shape import Shape
from bochner.tables.cells import rows_counted
from bochner.tables.encoder import TableEncoder
from bochner.tables.new_values import NewValues
from bochner.tables.survey import ColumnRoles, Survey, column_values

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TableStream"]

_BLOCK_PIECES = 4


class TableStream(PieceSource):
    """The rows to fit of a table, encoded.

    Parameters
    ----------
    file : TableFile
    encoder : TableEncoder
        Fitted.
    roles : ColumnRoles
    found : Survey
    piece_bytes : int
        Bytes of a piece; some of them are held at a time.

    Attributes
    ----------
    seen : NewValues or None
        What the rows have that those of the encoder did not have, after the first whole pass.
    """

    def __init__(
        self, file: TableFile, encoder: TableEncoder, roles: ColumnRoles, found: Survey, *, piece_bytes: int
    ) -> None:
        self.file, self.encoder, self.roles = file, encoder, roles
        self.target, self.left_out = found.target, found.left_out
        self.seen: NewValues | None = None
        self._inputs = list(encoder.kinds())
        self._labels = {label: label for label in found.target.labels}
        width = len(encoder.get_feature_names_out())
        shape = Shape(
            n_features=width,
            n_targets=1,
            weighted=roles.weight is not None,
            dtype=np.dtype(encoder.dtype),
            target_dtype=np.dtype(object if self._labels else np.float64),
        )
        row_bytes = 8 * (2 * len(self._inputs) + width + 3)
        super().__init__(shape, found.n_fit, row_bytes=row_bytes, most_rows=max(1, piece_bytes // row_bytes))
        self.read_bytes += file.read_bytes

    def targets(self) -> tuple[Array, Array | None]:
        """Targets and weights by a pass over these columns alone."""
        Y, weight, start = np.empty((self.n_rows, 1), dtype=self.target_dtype), None, 0
        if self.weighted:
            weight = np.empty(self.n_rows)
        self.n_passes += 1
        with closing(self._chosen(self.roles.named)) as tables:
            for _, rows, _ in tables:
                end = start + rows.num_rows
                Y[start:end] = self._target_of(rows)
                if weight is not None:
                    weight[start:end] = self._weight_of(rows)
                start = end
        return Y, weight

    def _pieces(self) -> Iterator[Block]:
        seen = NewValues()
        with closing(self._chosen([*self._inputs, *self.roles.named])) as tables:
            for origin, rows, numbers in tables:
                for start in range(0, rows.num_rows, self.piece_rows):
                    with rows_counted(numbers[start:]):
                        block = self._block(rows.slice(start, self.piece_rows), origin, seen)
                    yield block
        self.seen = self.seen or seen

    def _cut(self, pieces: Iterator[Block], block_rows: int) -> Generator[Block, None, None]:
        return super()._cut(pieces, min(block_rows, _BLOCK_PIECES * self.piece_rows))  # few columns or many: in budget

    def _block(self, rows: pa.Table, origin: str, seen: NewValues) -> Block:
        X = self.encoder.encode(rows.select(self._inputs), seen)
        return Block(X, self._target_of(rows), self._weight_of(rows), 0, origin)

    def _chosen(self, columns: list[str]) -> Generator[tuple[str, pa.Table, Array], None, None]:
        """Rows to fit, those that are neither held out nor without a target, and their numbers in the table."""
        start = 0
        for origin, rows in self.file.tables(list(dict.fromkeys(columns))):
            keep = self.roles.with_target(rows) & ~self.roles.held_out(rows)
            low, high = np.searchsorted(self.left_out, [start, start + rows.num_rows])
            keep[self.left_out[low:high] - start] = False
            if keep.any():
                yield origin, rows.filter(keep), start + np.flatnonzero(keep)
            start += rows.num_rows

    def _target_of(self, rows: pa.Table) -> Array:
        values = column_values(rows, self.target.name)
        if not self._labels:
            return values.reshape(-1, 1)
        shared = np.empty((len(values), 1), dtype=object)
        shared[:, 0] = [self._labels[label] for label in self.target.cast(values).tolist()]  # one text for all its rows
        return shared

    def _weight_of(self, rows: pa.Table) -> Array | None:
        return None if self.roles.weight is None else column_values(rows, self.roles.weight)

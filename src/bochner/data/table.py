"""Row source of tables with named columns: Arrow batches to blocks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
from joblib import hash as object_hash
from numpy.typing import DTypeLike
from scipy.sparse import issparse

from bochner._typing import Array, JsonDict, Rows, Transformer
from bochner.data.arrow import label_column, number_column, number_columns, number_dtype
from bochner.data.encoding import encode, encoded_names
from bochner.data.layout import Layout
from bochner.data.pieces import PieceSource
from bochner.data.shape import Shape, computation_dtype
from bochner.data.source import Block
from bochner.errors import InvalidDataError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ALLOCATOR_BYTES", "TableSource"]

_HEAD_ROWS = 16
ALLOCATOR_BYTES = 3 * 2**24  # what Arrow's allocator keeps of buffers that are free again: 20 to 45 MB, measured


class TableSource(PieceSource):
    """A table whose rows come as Arrow batches.

    A kind of storage is one subclass: `_batches`.

    Parameters
    ----------
    layout : Layout
    encoder : fitted transformer or None
    dtype : dtype or None
    n_rows : int or None
    """

    def __init__(
        self, layout: Layout, *, encoder: Transformer | None, dtype: DTypeLike | None, n_rows: int | None
    ) -> None:
        self.layout = layout
        self.encoder = encoder
        head = None
        names: list[str] | None = layout.features
        width, numbers = len(layout.features), [number_dtype(layout.types[name]) for name in layout.features]
        if encoder is not None:
            head = self._encoded_head(encoder)
            width, numbers = int(head.shape[1]), [head.dtype]
            names = encoded_names(encoder, width)
        shape = Shape(
            n_features=width,
            n_targets=len(layout.targets),
            weighted=layout.weight is not None,
            dtype=computation_dtype(layout.owner, dtype, [number for number in numbers if number is not None]),
            target_dtype=layout.target_dtype,
            feature_names=names,
        )
        dense_width = 0 if head is not None and issparse(head) else width
        row_bytes = 8 * (len(layout.columns) + dense_width + shape.n_targets)
        super().__init__(shape, n_rows, row_bytes=row_bytes)
        self.read_bytes += ALLOCATOR_BYTES

    @abstractmethod
    def _batches(self, rows: int) -> Generator[tuple[str, pa.RecordBatch], None, None]:
        """Origins and Arrow batches of the layout's columns, of about `rows` rows."""

    def fingerprint(self) -> JsonDict:
        encoder = None if self.encoder is None else object_hash(self.encoder)
        return {**super().fingerprint(), **self.layout.fingerprint(), "encoder": encoder}

    def as_table(self) -> TableSource:
        return self if self.encoder is None else super().as_table()

    def tables(self) -> Iterator[tuple[str, pa.Table]]:
        """Origins and columns of features as they are stored, by one pass: what an encoder learns from."""
        import pyarrow as pa

        self.n_passes += 1
        with closing(self._batches(self.piece_rows)) as batches:
            for origin, batch in batches:
                yield origin, pa.Table.from_batches([batch]).select(self.layout.features)

    def encoded_pieces(self, encoded: Callable[[pa.Table], Array], rows: int) -> Iterator[Block]:
        """Pieces of at most `rows` rows, with the features that a function makes of the stored columns."""
        import pyarrow as pa

        with closing(self._batches(rows)) as batches:
            for origin, batch in batches:
                for start in range(0, batch.num_rows, rows):
                    part = batch.slice(start, rows)
                    X = encoded(pa.Table.from_batches([part]).select(self.layout.features))
                    yield Block(X, self._targets(part, origin), self._weight(part), 0, origin)

    def _pieces(self) -> Iterator[Block]:
        if self.encoder is None:
            self.layout.require_numbers()
        with closing(self._batches(self.piece_rows)) as batches:
            for origin, batch in batches:
                yield Block(self._features(batch, origin), self._targets(batch, origin), self._weight(batch), 0, origin)

    def _features(self, batch: pa.RecordBatch, origin: str) -> Rows:
        if self.encoder is None:
            return number_columns(batch, self.layout.features, self.dtype)
        X = encode(self.encoder, batch, self.layout.features, origin)
        if X.shape[1] != self.n_features:
            raise InvalidDataError(
                f"An encoder must give the same columns every time. Got {X.shape[1]} instead of {self.n_features} "
                f"in {origin}."
            )
        return X.astype(self.dtype, copy=False)

    def _targets(self, batch: pa.RecordBatch, origin: str) -> Array:
        targets = self.layout.targets
        if self.layout.labelled:
            return label_column(batch.column(targets[0]), targets[0], origin).reshape(-1, 1)
        return number_columns(batch, targets, np.dtype(np.float64))

    def _weight(self, batch: pa.RecordBatch) -> Array | None:
        if self.layout.weight is None:
            return None
        return number_column(batch.column(self.layout.weight)).astype(np.float64)

    def _encoded_head(self, encoder: Transformer) -> Rows:
        """The first rows, encoded: the width and type of what the encoder gives."""
        with closing(self._batches(_HEAD_ROWS)) as batches:
            for origin, batch in batches:
                if batch.num_rows:
                    return encode(encoder, batch.slice(0, _HEAD_ROWS), self.layout.features, origin)
        raise InvalidDataError("There are no rows: what an encoder gives is seen from the first of them.")

"""Streaming of polars LazyFrames."""

from __future__ import annotations

from collections.abc import Generator
from types import ModuleType
from typing import TYPE_CHECKING

from numpy.typing import DTypeLike

from bochner._typing import JsonDict, Transformer
from bochner.data.arrow import require_pyarrow
from bochner.data.files import reading
from bochner.data.layout import Layout, layout_of
from bochner.data.source import RowSource
from bochner.data.table import TableSource
from bochner.errors import InvalidDataError, MissingExtraError, invalid_parameter

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

__all__ = ["FrameSource", "scan_frame"]


def scan_frame(
    frame: pl.LazyFrame,
    *,
    target: str | list[str] | None = None,
    columns: list[str] | None = None,
    weight: str | None = None,
    encoder: Transformer | None = None,
    dtype: DTypeLike | None = None,
) -> RowSource:
    """Rows of a polars LazyFrame, for queries whose result is larger than memory.

    The query runs again for every pass, in polars' streaming engine; its rows must come in the same order each time.
    How many rows there are takes a query of its own. What polars holds while it runs is not in the memory budget. For
    a costly query `frame.sink_parquet("rows.parquet")` and `scan_parquet` run it once.

    Parameters
    ----------
    frame : polars.LazyFrame
    target, columns, weight, encoder, dtype
        As in `scan_parquet`.

    Returns
    -------
    source : RowSource
        Give it to `fit`, `predict` or `transform` in place of X and y.

    Examples
    --------
    >>> import polars as pl, bochner as bo
    >>> query = pl.LazyFrame({"a": [1.0, 2.0, 3.0], "price": [3.0, 4.0, 5.0]}).filter(pl.col("a") > 1)
    >>> source = bo.scan_frame(query, target="price")
    >>> source.n_rows, source.feature_names
    (2, ['a'])
    """
    pl = _require_polars()
    require_pyarrow()
    if not hasattr(frame, "collect_schema") or not hasattr(frame, "sink_parquet"):
        raise invalid_parameter("scan_frame", "frame", "a polars LazyFrame", type(frame).__name__)
    if not hasattr(frame, "collect_batches"):
        raise InvalidDataError(
            "This polars cannot stream a query in batches. Update polars, or run the query into a file: "
            "frame.sink_parquet('rows.parquet'), then scan_parquet('rows.parquet')."
        )
    with reading("The query"):
        schema = pl.DataFrame(schema=frame.collect_schema()).to_arrow().schema
    layout = layout_of("scan_frame", schema, target=target, columns=columns, weight=weight, encoder=encoder)
    return FrameSource(frame, layout, encoder=encoder, dtype=dtype)


def _require_polars() -> ModuleType:
    try:
        import polars
    except ImportError:
        raise MissingExtraError("polars", "polars") from None
    return polars


class FrameSource(TableSource):
    """Rows of a polars query."""

    def __init__(
        self,
        frame: pl.LazyFrame,
        layout: Layout,
        *,
        encoder: Transformer | None,
        dtype: DTypeLike | None,
    ) -> None:
        self.query = frame.select(layout.columns)
        super().__init__(layout, encoder=encoder, dtype=dtype, n_rows=None)

    def fingerprint(self) -> JsonDict:
        return {**super().fingerprint(), "query": self.query.explain(optimized=False)}

    def _batches(self, rows: int) -> Generator[tuple[str, pa.RecordBatch], None, None]:
        done = 0
        with reading("The query"):
            for frame in self.query.collect_batches(chunk_size=rows, maintain_order=True):
                for batch in frame.to_arrow().to_batches():
                    yield f"the query, from its row {done} on", batch
                    done += batch.num_rows

    def _count_rows(self) -> int:
        from polars import len as number_of_rows

        self.n_passes += 1
        with reading("The query"):
            return int(self.query.select(number_of_rows()).collect(engine="streaming").item())

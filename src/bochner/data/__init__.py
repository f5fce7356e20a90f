"""Row sources: blocks of rows from arrays, memory maps, sparse matrices, frames, CSV, Parquet and .npy files."""

from bochner.data.array_rows import ArrayRows, sampled_index
from bochner.data.codes import is_code
from bochner.data.csv import scan_csv
from bochner.data.excluded_rows import ExcludedRows
from bochner.data.frame import scan_frame
from bochner.data.iterables import scan_blocks
from bochner.data.near_copies import Collapsed, counted_once, near_copies
from bochner.data.npy import scan_npy
from bochner.data.parquet import scan_parquet
from bochner.data.source import READ_ROWS, Block, RowSource, checked_block
from bochner.data.table import TableSource
from bochner.data.table_files import TableFile, can_stream, open_table
from bochner.data.weights import left_out_weight, new_row_weight, weights_count_copies, without_copies
from bochner.data.whole_table import read_table, whole_bytes

__all__ = [
    "READ_ROWS",
    "Block",
    "ExcludedRows",
    "ArrayRows",
    "RowSource",
    "TableFile",
    "TableSource",
    "Collapsed",
    "can_stream",
    "checked_block",
    "counted_once",
    "is_code",
    "left_out_weight",
    "near_copies",
    "new_row_weight",
    "open_table",
    "read_table",
    "scan_blocks",
    "scan_csv",
    "scan_frame",
    "scan_npy",
    "scan_parquet",
    "whole_bytes",
    "sampled_index",
    "weights_count_copies",
    "without_copies",
]

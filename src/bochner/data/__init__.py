"""Blocks of rows from arrays, memory maps, sparse matrices, frames and files."""

from bochner.data.blocks import RowBlocks
from bochner.data.csv import scan_csv
from bochner.data.frame import scan_frame
from bochner.data.iterables import scan_blocks
from bochner.data.npy import scan_npy
from bochner.data.parquet import scan_parquet
from bochner.data.remainder import Remainder
from bochner.data.source import READ_ROWS, Block, RowSource, checked_block

__all__ = [
    "READ_ROWS",
    "Block",
    "Remainder",
    "RowBlocks",
    "RowSource",
    "checked_block",
    "scan_blocks",
    "scan_csv",
    "scan_frame",
    "scan_npy",
    "scan_parquet",
]

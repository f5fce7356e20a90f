"""Blocks of rows from arrays, memory maps, sparse matrices, frames and files."""

from bochner.data.blocks import RowBlocks
from bochner.data.source import Block, RowSource

__all__ = ["Block", "RowBlocks", "RowSource"]

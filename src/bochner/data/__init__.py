"""Blocks of rows from arrays, memory maps, sparse matrices, frames and files."""

from bochner.data.blocks import RowBlocks
from bochner.data.source import Block, RowSource, checked_block

__all__ = ["Block", "RowBlocks", "RowSource", "checked_block"]

"""Blocks of rows from arrays, memory maps, sparse matrices and frames."""

from bochner.data.blocks import Block, RowBlocks

__all__ = ["Block", "RowBlocks"]

"""Row source of blocks from user code: a list, a function that returns an iterator, or a one-shot iterator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import csr_matrix, issparse

from bochner._plain import require_plain
from bochner._typing import Array, ArrayLike, MatrixLike, Rows
from bochner.data.pieces import PieceSource
from bochner.data.rechunk import rechunked
from bochner.data.shape import Shape, computation_dtype, target_dtype
from bochner.data.source import Block, RowSource
from bochner.errors import InvalidDataError, invalid_parameter

__all__ = ["BlockSource", "OneShotSource", "scan_blocks"]

GivenBlock: TypeAlias = MatrixLike | tuple[MatrixLike | ArrayLike | None, ...]
"""X alone, (X, y) or (X, y, sample_weight), as a caller makes it."""

Blocks: TypeAlias = Sequence[GivenBlock] | Callable[[], Iterable[GivenBlock]] | Iterator[GivenBlock]


def scan_blocks(
    blocks: Blocks, *, n_features: int | None = None, n_rows: int | None = None, dtype: DTypeLike | None = None
) -> RowSource:
    """Rows from blocks (X, y) or (X, y, sample_weight) of any sizes, from wherever they come.

    Parameters
    ----------
    blocks : list, callable or iterator
        A list of blocks; a function without arguments that returns a new iterator of them for every pass; or an
        iterator or generator, which can be read once (`passes` is 1): what looks at the rows before the fit must then
        be given as numbers, `length_scale` and `n_components`. A block is a tuple of arrays, X dense or sparse, or X
        alone. The first block tells the columns and types of all.
    n_features : int or None, default=None
        The columns to expect. None: those of the first block.
    n_rows : int or None, default=None
        The rows to expect. None: counted, in a pass of their own for a callable; an iterator cannot be asked.
    dtype : float32, float64 or None, default=None
        The float type of the computation. None: float32 if that holds all values of the first block's type exactly,
        else float64.

    Returns
    -------
    source : RowSource
        Give it to `fit`, `predict` or `transform` in place of X and y.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> def blocks():
    ...     for month in range(12):
    ...         yield np.full((30, 2), month), np.full(30, month)
    >>> source = bo.scan_blocks(blocks)
    >>> source.n_rows, source.n_passes
    (360, 1)
    """
    if callable(blocks):
        return BlockSource(blocks, n_features=n_features, n_rows=n_rows, dtype=dtype)
    if isinstance(blocks, Iterator):
        return OneShotSource(blocks, n_features=n_features, n_rows=n_rows, dtype=dtype)
    if isinstance(blocks, (list, tuple)):
        tables = [_parts(block)[0] for block in blocks]
        counted = sum(X.shape[0] for X in tables) if n_rows is None else n_rows
        wide = computation_dtype("scan_blocks", dtype, [X.dtype for X in tables])
        return BlockSource(partial(iter, blocks), n_features=n_features, n_rows=counted, dtype=wide, n_made=0)
    raise invalid_parameter("scan_blocks", "blocks", "a list, a function without arguments or an iterator", blocks)


class BlockSource(PieceSource):
    """Rows from blocks that can be had again: `start()` begins a pass over them.

    `n_made` of them come to life by reading: the one in use, the one read ahead, the one in the making; none of a list.
    """

    def __init__(
        self,
        start: Callable[[], Iterable[GivenBlock]],
        *,
        n_features: int | None,
        n_rows: int | None,
        dtype: DTypeLike | None,
        n_made: int = 3,
    ) -> None:
        self._start = start
        first = next(iter(start()), None)
        if first is None:
            raise InvalidDataError("There must be at least one block. Got none.")
        X, Y, weight = _parts(first)
        shape = Shape(
            n_features=X.shape[1],
            n_targets=Y.shape[1],
            weighted=weight is not None,
            dtype=computation_dtype("scan_blocks", dtype, [X.dtype]),
            target_dtype=target_dtype(Y.dtype),
            feature_names=_names(first),
        )
        if n_features not in (None, shape.n_features):
            raise invalid_parameter("scan_blocks", "n_features", f"the {shape.n_features} of the blocks", n_features)
        self._exact = dtype is None
        block_bytes = _bytes(X)
        row_bytes = 2 * block_bytes // max(1, X.shape[0]) + 8 * (shape.n_targets + 1)
        super().__init__(shape, n_rows, row_bytes=row_bytes, most_rows=int(np.clip(X.shape[0], 2**10, 2**15)))
        self.read_bytes += n_made * block_bytes

    def _pieces(self) -> Iterator[Block]:
        for number, given in enumerate(self._start()):
            for piece in rechunked([self._block(given, f"block {number}")], self.piece_rows):
                X, Y = piece.X.astype(self.dtype, copy=False), piece.Y.astype(self.target_dtype, copy=False)
                yield replace(piece, X=X, Y=Y)

    def _count_rows(self) -> int:
        self.n_passes += 1
        return sum(_parts(given)[0].shape[0] for given in self._start())

    def _block(self, given: GivenBlock, origin: str) -> Block:
        X, Y, weight = _parts(given)
        found = (X.shape[1], Y.shape[1], weight is not None, target_dtype(Y.dtype))
        if found != (self.n_features, self.n_targets, self.weighted, self.target_dtype):
            raise InvalidDataError(
                f"All blocks must be alike. Got {X.shape[1]} features, {Y.shape[1]} targets ({Y.dtype}), "
                f"{'weights' if weight is not None else 'no weights'} in {origin}, unlike the first one."
            )
        if len({X.shape[0], len(Y), *([] if weight is None else [len(weight)])}) > 1:
            raise InvalidDataError(f"Rows, targets and weights of a block must be as many. Got others in {origin}.")
        if self._exact and not np.can_cast(X.dtype, self.dtype):
            raise InvalidDataError(
                f"{origin} has {X.dtype}, the first one was exact in {self.dtype}. Make all blocks of one type, or "
                "give dtype to scan_blocks."
            )
        return Block(X, Y, weight, 0, origin)


class OneShotSource(BlockSource):
    """Rows from an iterator, which runs once."""

    passes = 1

    def __init__(
        self, blocks: Iterator[GivenBlock], *, n_features: int | None, n_rows: int | None, dtype: DTypeLike | None
    ) -> None:
        first = list(islice(blocks, 1))
        super().__init__(lambda: first, n_features=n_features, n_rows=n_rows, dtype=dtype)
        self._rest: Iterator[GivenBlock] | None = chain(first, blocks)
        self._start = self._only_pass

    # Nothing can be read before the one pass: what the base class would read is refused.
    def take(self, index: Array) -> Any:
        raise _needs_another_pass("Rows of an iterator cannot be looked at before they are used")

    def sample(self, size: int, seed: int) -> Any:
        raise _needs_another_pass("Rows of an iterator cannot be looked at before they are used")

    def targets(self) -> tuple[Array, Array | None]:
        raise _needs_another_pass("Targets of an iterator cannot be looked at before they are used")

    def _count_rows(self) -> int:
        raise _needs_another_pass("Rows of an iterator cannot be counted before they are used; give n_rows")

    def _only_pass(self) -> Iterator[GivenBlock]:
        if self._rest is None:
            raise _needs_another_pass("An iterator can be read only once")
        blocks, self._rest = self._rest, None
        return blocks


def _needs_another_pass(reason: str) -> InvalidDataError:
    return InvalidDataError(
        f"{reason}. Give length_scale and n_components as numbers, so that one pass is enough, or give scan_blocks a "
        "function that returns a new iterator, so that there can be more."
    )


def _parts(given: GivenBlock) -> tuple[Rows, Array, Array | None]:
    """X (n, d), targets (n, t), t = 0 if there are none, and weights (n,) or None of a block as it was handed over."""
    parts = given if isinstance(given, (tuple, list)) else (given,)
    X, y, weight = [*parts, None, None][:3]
    for name, part in (("X", X), ("y", y), ("sample_weight", weight)):
        require_plain(part, name)
    X = csr_matrix(X) if issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf" or len(parts) not in (1, 2, 3):
        raise InvalidDataError(
            "A block must be X, (X, y) or (X, y, sample_weight) with X a table of numbers. "
            f"Got {len(parts)} parts, X of {X.dtype} with shape {X.shape}."
        )
    Y = np.empty((X.shape[0], 0)) if y is None else np.asarray(y)
    return (
        X,
        Y[:, None] if Y.ndim == 1 else Y,
        None if weight is None else np.asarray(weight, dtype=np.float64).reshape(-1),
    )


def _bytes(X: Any) -> int:
    return X.data.nbytes + X.indices.nbytes if issparse(X) else X.nbytes


def _names(given: GivenBlock) -> list[str] | None:
    X = given[0] if isinstance(given, (tuple, list)) else given
    columns = getattr(X, "columns", None)
    return None if columns is None else [str(name) for name in columns]

"""Bags of rows, the inputs of distribution regression, and their mean embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias, cast

import numpy as np

from bochner._dense import dense
from bochner._typing import Array, Frame, MatrixLike
from bochner.comparison.samples import check_rows
from bochner.errors import InvalidDataError, InvalidParameterError, invalid_parameter
from bochner.features import FeatureMap, transform
from bochner.memory import MemoryBill, require_memory, rows_within

__all__ = ["Bagged", "Bags", "IndexedFrame"]

_ROWS = 8192


class IndexedFrame(Frame, Protocol):
    """A frame with columns by name, as in pandas and polars."""

    def __getitem__(self, key: Any, /) -> Any: ...


Bagged: TypeAlias = Sequence[MatrixLike] | IndexedFrame
"""One table for each bag, or a frame of all rows with a column that names the bag of each."""


@dataclass(frozen=True)
class Bags:
    """Bags of rows of one width, end to end.

    Attributes
    ----------
    rows : array of shape (n_rows, d)
    ends : array of int, shape (n_bags,)
        Where each bag ends.
    """

    rows: Array
    ends: Array

    @classmethod
    def of(cls, X: Bagged, group: str | None) -> Self:
        """Bags from a list of arrays (n_i, d), or from a long frame whose column `group` says whose row it is.

        The bags of a frame are in the order in which their groups first appear.
        """
        if group is not None:
            return cls._of_frame(cast("IndexedFrame", X), group)
        if hasattr(X, "columns"):
            raise InvalidDataError("A frame of rows needs the name of its group column: give group=...")
        bags = [check_rows(bag, f"bag {i}") for i, bag in enumerate(X)]
        if not bags:
            raise InvalidDataError("There must be at least one bag. Got none.")
        _check_widths([bag.shape[1] for bag in bags])
        return cls(np.vstack([dense(bag) for bag in bags]), np.cumsum([bag.shape[0] for bag in bags]))

    @classmethod
    def _of_frame(cls, frame: IndexedFrame, group: str) -> Self:
        if not hasattr(frame, "columns") or group not in list(frame.columns):
            raise _no_group_column(frame, group)
        rows = check_rows(frame[[name for name in frame.columns if name != group]], "X", least=1)
        _, first, code = np.unique(np.asarray(frame[group]), return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first))[code]
        return cls(rows[np.argsort(rank, kind="stable")], np.cumsum(np.bincount(rank)))

    @property
    def n_bags(self) -> int:
        return len(self.ends)

    def mean_features(self, feature_map: FeatureMap) -> Array:
        """The mean embedding of every bag, shape (n_bags, D), in the float type of the rows; some rows at a time."""
        size = self.n_bags * feature_map.n_components * self.rows.dtype.itemsize
        require_memory(
            MemoryBill({"embeddings of the bags": size}), "Lower n_components, or embed fewer bags at a time."
        )
        means = np.empty((self.n_bags, feature_map.n_components), dtype=self.rows.dtype)
        starts, rows = np.r_[0, self.ends[:-1]], self._rows_at_once(feature_map)
        bag = 0
        while bag < self.n_bags:
            last = max(bag + 1, int(np.searchsorted(self.ends, starts[bag] + rows, side="right")))
            means[bag:last] = self._means(feature_map, starts[bag:last], self.ends[bag:last])
            bag = last
        return means

    def _rows_at_once(self, feature_map: FeatureMap) -> int:
        return rows_within(2 * feature_map.n_components * self.rows.dtype.itemsize, most=_ROWS)

    def _means(self, feature_map: FeatureMap, starts: Array, ends: Array) -> Array:
        rows = self._rows_at_once(feature_map)
        if len(starts) > 1 or ends[0] - starts[0] <= rows:
            Z = transform(feature_map, self.rows[starts[0] : ends[-1]], self.rows.dtype)
            return np.add.reduceat(Z, starts - starts[0], axis=0, dtype=float) / (ends - starts)[:, None]
        total = np.zeros(feature_map.n_components)
        for start in range(starts[0], ends[0], rows):  # one bag that is too long to hold
            Z = transform(feature_map, self.rows[start : min(start + rows, ends[0])], self.rows.dtype)
            total += Z.sum(axis=0, dtype=float)
        return (total / (ends[0] - starts[0]))[None]


def _check_widths(widths: list[int]) -> None:
    other = next((i for i, width in enumerate(widths) if width != widths[0]), None)
    if other is not None:
        raise InvalidDataError(
            f"All bags must have the same number of columns. Bag 0 has {widths[0]}, bag {other} {widths[other]}."
        )


def _no_group_column(frame: IndexedFrame, group: str) -> InvalidParameterError:
    columns = list(getattr(frame, "columns", []))
    return invalid_parameter(
        "Bags", "group", f"a column of the frame {columns}" if columns else "None without a frame", group
    )

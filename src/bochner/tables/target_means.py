"""Target statistics of categories with many levels: means of the target by level, shrunken to the mean of all rows.

They are for rare levels, which share one column otherwise. Rows of a fit have them from four fifths of the rows,
without their own (`LevelMeans.out_of_fold`): with its own target in its input, a row would be its own answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from bochner._typing import Array, ArrayLike, JsonDict
from bochner.errors import InvalidDataError
from bochner.tables.columns import Column, Unseen, level_order
from bochner.tables.level_means import LevelMeans

__all__ = ["LevelTargets", "TargetMeans", "WithMeans", "targets_of_levels", "with_target_means"]

_RARE_SHARE = 0.05
_FEW = 10  # classes whose shares are columns at most, and different whole numbers that are classes


@dataclass(frozen=True)
class LevelTargets:
    """Targets of a table as columns whose means by level are taken: (rows, 1) numbers, or one column a class."""

    values: Array
    classes: list[str]


def targets_of_levels(y: ArrayLike | None, n_rows: int) -> LevelTargets | None:
    """Columns of a target: of numbers as they are, of two classes one of 0 and 1, of more one for each of ten.

    Texts, true and false, and at most ten different whole numbers are classes. None: there is no target that varies.
    """
    if y is None:
        return None
    Y = np.asarray(y)
    if Y.ndim not in (1, 2) or len(Y) != n_rows:
        raise InvalidDataError(f"y must have one value or row for each of the {n_rows:,} rows. Got shape {Y.shape}.")
    Y = Y.reshape(n_rows, -1)
    if Y.dtype.kind == "f" or (Y.dtype.kind in "iu" and len(np.unique(Y)) > _FEW):
        return _numbers(Y.astype(float))
    return _classes(Y[:, 0].astype(str)) if Y.shape[1] == 1 else None


def _numbers(Y: Array) -> LevelTargets | None:
    return LevelTargets(Y, []) if np.isfinite(Y).all() and np.ptp(Y) > 0 else None


def _classes(labels: Array) -> LevelTargets | None:
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        return None
    shown = classes[1:] if len(classes) == 2 else np.sort(classes[np.argsort(-counts, kind="stable")[:_FEW]])
    return LevelTargets((labels[:, None] == shown).astype(float), shown.tolist())


@dataclass(frozen=True)
class TargetMeans(Column):
    """Means of the target by rare level of a category, shrunken, less the mean of all rows, in units of their spread.

    Other levels, which have columns of their own, are at 0, the mean of all rows, and so are those that training did
    not have. `means` has a list for each column of the target.
    """

    levels: list[str | None]
    means: list[list[float]]
    classes: list[str]

    kind: ClassVar[str] = "category"
    tag: ClassVar[str] = "target means"

    @classmethod
    def learn(
        cls, name: str, values: Array, targets: LevelTargets, common: Collection[str | None] = ()
    ) -> tuple[Self, Array]:
        """The column, and its numbers for the rows of training: out of fold, (rows, outputs).

        `common` are the levels that are not rare.
        """
        levels = sorted(set(values.tolist()), key=level_order)
        place = {level: at for at, level in enumerate(levels)}
        codes = np.fromiter((place[value] for value in values.tolist()), np.intp, len(values))
        rare = np.array([level not in common for level in levels])
        found = [LevelMeans.of(codes, rare, target) for target in targets.values.T]
        means = [each.scaled(each.shrunken())[rare].tolist() for each in found]
        out_of_fold = np.column_stack([each.scaled(each.out_of_fold(codes)) for each in found]) * rare[codes, None]
        return cls(name, [level for level in levels if level not in common], means, targets.classes), out_of_fold

    @property
    def outputs(self) -> list[str]:
        if self.classes:
            return [f"{self.name}: share of {label}" for label in self.classes]
        if len(self.means) == 1:
            return [f"{self.name}: mean of the target"]
        return [f"{self.name}: mean of target {at}" for at in range(len(self.means))]

    def write(self, values: Array, out: Array) -> None:
        place = {level: at for at, level in enumerate(self.levels)}
        places = np.fromiter((place.get(value, len(place)) for value in values.tolist()), np.intp, len(values))
        for at, means in enumerate(self.means):
            out[:, at] = np.append(means, 0.0)[places]

    def sentence(self) -> str:
        what = "shares of the classes" if self.classes else "mean of the target"
        return f"{what} for each of {len(self.levels):,} rare levels, shrunken; out of fold in the rows of the fit"

    def unseen(self, values: Array) -> Unseen:
        return Unseen()  # the one-hot column beside it counts them

    def surprise(self, unseen: Unseen) -> str:
        return ""

    def is_consistent(self) -> bool:
        width = len(self.classes) in (0, len(self.means)) and len(self.means) > 0
        numbers = all(len(means) == len(self.levels) and np.isfinite(means).all() for means in self.means)
        return width and numbers

    def to_dict(self) -> JsonDict:
        return {**super().to_dict(), "kind": self.tag}


class WithMeans(NamedTuple):
    """Columns of a table, some followed by target statistics, and these out of fold, by their first output."""

    columns: list[Column]
    out_of_fold: dict[int, Array]


def with_target_means(
    columns: list[Column],
    targets: LevelTargets | None,
    named: Collection[str] | None,
    read: Callable[[Column], Array],
) -> WithMeans:
    """Add target statistics of rare levels to the categories that are named, or have many rows of them (None).

    `read` gives the values of a column in the rows of training. Levels that do not differ add nothing.
    """
    _refuse_names(columns, targets, named)
    found = WithMeans([], {})
    width = 0
    for column in columns:
        found.columns.append(column)
        width += len(column.outputs)
        wanted = column.rare_share >= _RARE_SHARE if named is None else column.name in named
        if wanted and column.rare_share > 0 and targets is not None:
            means, out_of_fold = TargetMeans.learn(column.name, read(column), targets, column.common)
            if np.any(means.means):
                found.columns.append(means)
                found.out_of_fold[width] = out_of_fold
                width += len(means.outputs)
    return found


def _refuse_names(columns: list[Column], targets: LevelTargets | None, named: Collection[str] | None) -> None:
    """Refuse names that are no categories, and names without a target."""
    wrong = [name for name in named or () if name not in {each.name for each in columns if each.kind == "category"}]
    if wrong:
        raise InvalidDataError(f"Target statistics are for categories. Got {wrong[0]!r}, which is none here.")
    if named and targets is None:
        raise InvalidDataError("Target statistics need y, finite and not constant: fit_transform(X, y).")

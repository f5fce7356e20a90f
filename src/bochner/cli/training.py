"""Rows that `bochner fit` learns from: a table in memory, or one that is read in pieces because it is too large."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.cli.exits import OverBudgetError
from bochner.cli.meter import give_back_memory
from bochner.config import get_config, parse_bytes
from bochner.data import TableFile, can_stream, open_table, read_table, whole_bytes
from bochner.memory import format_bytes
from bochner.tables import (
    ColumnRoles,
    NewValues,
    SplitTable,
    TableEncoder,
    TableRows,
    TableStream,
    Target,
    column_of_table,
    encode_rows,
    held_out_by_column,
    held_out_by_lot,
    read_target,
    read_weights,
    rows_counted,
    rows_to_keep,
    split_rows,
    survey,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from bochner import KernelClassifier, KernelRegressor
    from bochner.cli.learning import FitOptions
    from bochner.estimators.loss_regressor import LossRegressor

__all__ = ["StreamedRows", "TrainingRows", "WholeRows", "file_to_stream", "read_training_rows"]

_WHOLE_SHARE = 1 / 3
"""Of the budget, that a table may take as it is read: beside it come its two parts and the encoded rows."""

_PIECE_SHARE, _LARGEST_PIECE, _SMALLEST_PIECE = 1 / 50, 2**24, 2**18
_UNBILLED_SHARE = 1 / 4  # of the budget: copies of pieces that are being parsed and encoded, buffers of BLAS
_LARGE = 2**24
_MOST_CERTIFIED = 2000


@dataclass(frozen=True)
class TrainingRows(ABC):
    """Rows to fit, encoded, and the rows held out.

    Attributes
    ----------
    encoder : TableEncoder
        Fitted.
    target : Target
    held_out : TableRows
    n_without_target : int
        Rows that were left out.
    """

    encoder: TableEncoder
    target: Target
    held_out: TableRows
    n_without_target: int

    @property
    @abstractmethod
    def n_fit(self) -> int:
        """Rows to fit."""

    @property
    @abstractmethod
    def sample(self) -> Array:
        """Some of them in random order, or all of them, encoded."""

    @property
    @abstractmethod
    def whole(self) -> WholeRows | None:
        """These rows, if they are in memory."""

    @property
    @abstractmethod
    def held_bytes(self) -> int:
        """Bytes that they take as long as the fit lasts."""

    @property
    @abstractmethod
    def most_certified(self) -> int:
        """Rows of which a certificate may hold a few matrices."""

    @property
    @abstractmethod
    def read_bytes(self) -> int:
        """Bytes that reading them again takes."""

    @abstractmethod
    def fit(self, model: KernelRegressor | KernelClassifier | LossRegressor) -> None:
        """Fit a model to them."""

    @abstractmethod
    def manner(self) -> str:
        """How they are read, in words; empty if there is nothing to say."""

    @abstractmethod
    def notes(self) -> list[str]:
        """What a person should look at."""

    def budget_left(self, memory: str | None, *, reading: int = 0) -> int | None:
        """Bytes that are left for the fit of a budget for all that is allocated; None: no budget was given."""
        if memory is None:
            return None
        left = parse_bytes(memory) - self.held_bytes - reading
        if left <= 0:
            raise OverBudgetError(
                f"The rows alone take {format_bytes(self.held_bytes + reading)} of memory, and the budget is {memory}: "
                "raise --memory, or leave columns out (--drop)."
            )
        return left


@dataclass(frozen=True)
class WholeRows(TrainingRows):
    """A table in memory."""

    X: Array
    y: Array
    weight: Array | None
    table_bytes: int

    @property
    def n_fit(self) -> int:
        return len(self.X)

    @property
    def sample(self) -> Array:
        return self.X

    @property
    def whole(self) -> WholeRows:
        return self

    @property
    def held_bytes(self) -> int:
        return self.X.nbytes + self.y.nbytes + self.table_bytes

    @property
    def most_certified(self) -> int:
        return _MOST_CERTIFIED

    @property
    def read_bytes(self) -> int:
        return 0

    def fit(self, model: KernelRegressor | KernelClassifier | LossRegressor) -> None:
        model.fit(self.X, self.y, sample_weight=self.weight)

    def manner(self) -> str:
        return ""

    def notes(self) -> list[str]:
        return [*self.target.notes, *self.encoder.notes_]


@dataclass(frozen=True)
class StreamedRows(TrainingRows):
    """A table that is read from its file in every pass, in pieces; the encoder has seen a random sample of it."""

    source: TableStream
    encoded_sample: Array
    n_test: int
    whole_bytes: int
    budget: int

    @property
    def n_fit(self) -> int:
        return self.source.n_rows

    @property
    def sample(self) -> Array:
        return self.encoded_sample

    @property
    def whole(self) -> None:
        return None

    @property
    def held_bytes(self) -> int:
        kept = 0 if self.held_out.inputs is None else self.held_out.inputs.nbytes
        return self.encoded_sample.nbytes + kept + int(_UNBILLED_SHARE * self.budget)

    @property
    def most_certified(self) -> int:
        return int(min(_MOST_CERTIFIED, max(2, (self.budget / 64) ** 0.5)))

    @property
    def read_bytes(self) -> int:
        return self.source.read_bytes

    def fit(self, model: KernelRegressor | KernelClassifier | LossRegressor) -> None:
        fitted: Any = model  # estimators take scans, which their types do not say
        fitted.fit(self.source)
        if self.target.task == "classification":
            fitted.classes_ = self.target.cast(fitted.classes_)  # whole numbers are read as floats

    def manner(self) -> str:
        size = f"{format_bytes(self.whole_bytes)} in memory, budget {format_bytes(self.budget)}"
        return f"read in pieces ({size}); encoded by a random sample of {len(self.encoded_sample):,} rows"

    def notes(self) -> list[str]:
        scored = len(self.held_out)
        part = f"The score is that of {scored:,} of {self.n_test:,} held-out rows, drawn at random."
        unseen = [] if self.source.seen is None else list(self.source.seen.sentences())
        told = [sentence.replace("training", "the sample") for sentence in unseen]
        return [*self.target.notes, *self.encoder.notes_, *([part] if scored < self.n_test else []), *told]


def read_training_rows(asked: FitOptions) -> TrainingRows:
    """The rows of a table, in memory if they take no more than a third of the budget."""
    budget = get_config().memory_budget() if asked.memory is None else parse_bytes(asked.memory)
    kinds = dict.fromkeys(asked.categorical, "category")
    file = file_to_stream(asked.table, budget, kinds, keep=asked.target, missing=asked.missing)
    if file is not None:
        give_back_memory()
        return _streamed(asked, file, budget)
    encoder = _new_encoder(asked)
    rows = _split(asked, encoder)
    with rows_counted(rows.numbers(held_out=False)):
        X = encode_rows(encoder, rows.fit.inputs, rows.fit.y)
    _look_at_held_out(encoder, rows.held_out, rows.numbers(held_out=True))
    encoder.origin_ = asked.mark
    tables = [part.inputs.nbytes for part in (rows.fit, rows.held_out) if part.inputs is not None]
    return WholeRows(
        encoder, rows.target, rows.held_out, rows.n_without_target, X, rows.fit.y, rows.fit.weight, sum(tables)
    )


def _look_at_held_out(encoder: TableEncoder, held_out: TableRows, numbers: Array) -> None:
    """Encode the held-out rows once, so that a bad cell among them is told before the fit."""
    if held_out.inputs is not None:
        with rows_counted(numbers):
            encoder.encode(held_out.inputs, NewValues())


def file_to_stream(
    path: str, budget: int, kinds: JsonDict | None = None, keep: str | None = None, missing: Sequence[str] = ()
) -> TableFile | None:
    """The file of a table that is too large for the budget as a whole; None: read it whole, or not at all."""
    too_large = can_stream(path) and whole_bytes(path) > _WHOLE_SHARE * budget
    return open_table(path, kinds, keep, missing) if too_large else None


def _split(asked: FitOptions, encoder: TableEncoder) -> SplitTable:
    """The rows to fit, the rows held out, and how many rows without a target were left out."""
    table = read_table(asked.table, dict.fromkeys(asked.categorical, "category"), asked.missing)
    column = column_of_table(table, asked.target, asked.table)
    encoder.refuse_marks(table)
    absent, kept = 0, None
    if asked.drop_missing_target and column.null_count < len(column):
        absent, kept = column.null_count, np.flatnonzero(column.is_valid())
        table = table.filter(column.is_valid())
    with rows_counted(np.arange(table.num_rows) if kept is None else kept):
        target = read_target(table, asked.target, asked.table, asked.task)
        weight = read_weights(table, asked.weight, asked.table)
    if asked.split_column is None:
        held_out = held_out_by_lot(target, asked.test_size, asked.seed)
    else:
        held_out = held_out_by_column(table, asked.split_column, asked.table)
    return split_rows(table, target, weight, held_out, n_without_target=absent, file_rows=kept)


def _new_encoder(asked: FitOptions) -> TableEncoder:
    excluded = {*asked.drop, *asked.identifier, *filter(None, (asked.weight, asked.split_column))}
    return TableEncoder(
        target=asked.target,
        drop=sorted(excluded),
        categorical=list(asked.categorical),
        missing=list(asked.missing),
        day_first=asked.day_first,
    )


def _streamed(asked: FitOptions, file: TableFile, budget: int) -> StreamedRows:
    if budget < file.read_bytes:
        raise OverBudgetError(
            f"{asked.table!r} would take {format_bytes(whole_bytes(asked.table))} in memory, and "
            f"{format_bytes(file.read_bytes)} to read it in pieces. The budget is {format_bytes(budget)}: "
            "raise --memory."
        )
    roles = ColumnRoles(asked.target, asked.weight, asked.split_column, asked.drop_missing_target)
    found = survey(
        file,
        roles,
        task=asked.task,
        test_size=asked.test_size,
        n_kept=rows_to_keep(_first_rows(file), budget),
        seed=asked.seed,
    )
    encoder = _new_encoder(asked)
    with rows_counted(found.sample_rows):
        encoder.fit(found.sample)
    _look_at_held_out(encoder, found.held_out, found.test_rows)
    if found.n_fit * len(encoder.get_feature_names_out()) > _LARGE:
        encoder.set_params(dtype="float32")
    encoder.origin_ = asked.mark
    piece = int(np.clip(_PIECE_SHARE * budget, _SMALLEST_PIECE, _LARGEST_PIECE))
    source = TableStream(file, encoder, roles, found, piece_bytes=piece)
    return StreamedRows(
        encoder,
        found.target,
        found.held_out,
        found.n_without_target,
        source,
        encoder.transform(found.sample),
        found.n_test,
        whole_bytes(asked.table),
        budget,
    )


def _first_rows(file: TableFile) -> pa.Table | None:
    return next((rows for _, rows in file.tables() if rows.num_rows), None)

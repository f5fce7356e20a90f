"""Opening the checkpoint of a fit: the seed and the state that an interrupted run left there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from bochner._typing import FilePath, JsonDict
from bochner.data import RowSource
from bochner.errors import CheckpointError, ClusterError
from bochner.fitting.journal import FitJournal
from bochner.statistics import CheckpointFile, FourierCheckpoint, MomentsCheckpoint, rows_checksum
from bochner.statistics.state_schema import StateSchema, split_state

__all__ = ["FitCheckpoint", "naming_checkpoint"]


@dataclass(frozen=True)
class FitCheckpoint:
    """Checkpoint of a fit: its file, which solvers of moments and of iterations use in their own ways."""

    file: CheckpointFile

    @classmethod
    def of_moments(cls, path: FilePath, identity: Mapping[str, str]) -> FitCheckpoint:
        """Checkpoint of a solver that needs moments or Fourier sums: it records which blocks of rows are in them."""
        return cls._opened(CheckpointFile(path, identity))

    @classmethod
    def of_iterations(cls, path: FilePath, identity: Mapping[str, str], rows: RowSource) -> FitCheckpoint:
        """Checkpoint of an iterative solver, tied to the checksum of all rows."""
        return cls._opened(CheckpointFile(path, {**identity, "checksum of the rows": rows_checksum(rows)}))

    @classmethod
    def _opened(cls, file: CheckpointFile) -> FitCheckpoint:
        if not file.path.parent.is_dir():
            raise CheckpointError(f"There is no folder {str(file.path.parent)!r} for the checkpoint. Make it first.")
        file.load()  # its notes have the seed
        return cls(file)

    def seed(self, seed: int, *, given: bool = False) -> int:
        """The seed of the fit: that of the interrupted run, if there was one; it must be the one that is given."""
        then = int(self.file.notes.setdefault("seed", seed))
        if given and then != seed:
            self.file.require(f"its seed is {then}, and that of this fit is {seed}")
        return then

    def moments(self, part: str = "") -> MomentsCheckpoint:
        """Record of a pass: of the only one, or of a part of a fit that has several."""
        return MomentsCheckpoint(self.file, part)

    def fourier_sums(self) -> FourierCheckpoint:
        """Record of the pass of a fit on a grid of frequencies."""
        return FourierCheckpoint(self.file)

    def journal(self) -> FitJournal:
        """Record of the solves of a fit that has many."""
        return FitJournal(self.file)

    def save_state(self, state: JsonDict) -> None:
        """Write the state of an iterative solver, if it is time."""
        if self.file.due:
            self.file.save(*split_state(state))

    def resumed_state(self, schema: StateSchema) -> JsonDict | None:
        """The state that an interrupted run of an iterative solver left; one that breaks the schema is refused."""
        return self.file.part("", schema)


@contextmanager
def naming_checkpoint(checkpoint: FitCheckpoint | None) -> Iterator[None]:
    """Let the error of a lost cluster say how the fit can go on."""
    try:
        yield
    except ClusterError as error:
        if checkpoint is None:
            advice = "With checkpoint='fit.checkpoint', a fit goes on from where it was."
        elif checkpoint.file.path.exists():
            advice = f"With the same parameters and rows, the fit goes on from {str(checkpoint.file.path)!r}."
        else:
            advice = f"It begins anew: nothing was in {str(checkpoint.file.path)!r} yet."
        raise ClusterError(f"{error} {advice}") from None

"""Opening the checkpoint of a fit: the seed and the state that an interrupted run left there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bochner._typing import FilePath, JsonDict
from bochner.data import RowSource
from bochner.statistics import CheckpointFile, MomentsCheckpoint, rows_checksum

__all__ = ["FitCheckpoint"]


@dataclass(frozen=True)
class FitCheckpoint:
    """Checkpoint of a fit: the file, and the moments in it if the solver needs moments."""

    file: CheckpointFile
    moments: MomentsCheckpoint | None

    @classmethod
    def of_moments(cls, path: FilePath, identity: Mapping[str, str]) -> FitCheckpoint:
        """Checkpoint of a solver that needs moments: it records which blocks of rows are in them."""
        moments = MomentsCheckpoint(CheckpointFile(path, identity))
        return cls(moments.file, moments)

    @classmethod
    def of_iterations(cls, path: FilePath, identity: Mapping[str, str], rows: RowSource) -> FitCheckpoint:
        """Checkpoint of an iterative solver, tied to the checksum of all rows."""
        file = CheckpointFile(path, {**identity, "checksum of the rows": rows_checksum(rows)})
        file.load()  # its notes have the seed
        return cls(file, None)

    def seed(self, seed: int) -> int:
        """The seed of the fit: that of the interrupted run, if there was one."""
        return int(self.file.notes.setdefault("seed", seed))

    def save_state(self, state: JsonDict) -> None:
        """Write the state of an iterative solver, if it is time."""
        if not self.file.due:
            return
        arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
        self.file.save({name: value for name, value in state.items() if name not in arrays}, arrays)

    def resumed_state(self) -> JsonDict | None:
        found = self.file.load()
        return None if found is None else {**found[0], **found[1]}

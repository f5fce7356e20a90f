"""Checkpoint of a pass that sums Fourier modes of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.statistics.fourier_sums import FourierSums
from bochner.statistics.identity import RowIdentity
from bochner.statistics.pass_checkpoint import MOST_ROWS, PassCheckpoint, identity_fault, pass_rules
from bochner.statistics.state_schema import ArrayRule, Schema

__all__ = ["FourierCheckpoint"]

_SUMS = ("y_sum", "yy", "low", "high")
_LARGEST = 1e100  # of a column or a scaled target: their squares are finite


def fourier_schema(modes: int | None = None, d: int | None = None, t: int | None = None) -> Schema:
    """Schema of the sums on a grid of d axes, with so many numbers of density and t targets; None: of any."""
    size = ArrayRule((t,), low=-(_LARGEST**2), high=_LARGEST**2)
    place = ArrayRule((d,), low=-_LARGEST, high=_LARGEST)
    return Schema(
        {
            **pass_rules(MOST_ROWS),
            "frame": ArrayRule((None,)),
            "density": ArrayRule((modes,)),
            "targets": ArrayRule((None,)),
            "y_sum": size,
            "yy": ArrayRule((t,), low=0, high=_LARGEST**2),
            "low": place,
            "high": place,
            "identity": ArrayRule((7,), "uint64", 0, 2**64),
        }
    )


class FourierCheckpoint(PassCheckpoint[FourierSums]):
    """A pass of Fourier sums that can go on where it stopped."""

    def schema(self) -> Schema:
        return fourier_schema()

    def restored(self, empty: FourierSums) -> FourierSums:
        """The sums of the interrupted pass, on the grid and with the units of empty ones; these if there was none."""
        d, t = len(empty.low), empty.n_targets
        state = self.file.part(self.part, fourier_schema(empty.density.size, d, t))
        if state is None:
            return empty
        self.file.require(_fault(state, empty) or identity_fault(state))
        found = replace(
            empty,
            density=state["density"].reshape(empty.density.shape),
            targets=state["targets"].reshape(empty.targets.shape),
            weight=float(state["weight"]),
            identity=RowIdentity.from_array(state["identity"]),
            **{name: state[name] for name in _SUMS},
        )
        self.file.hold(self._state(found), self.part)
        return found

    def sums(self, total: FourierSums) -> JsonDict:
        return {
            "weight": total.weight,
            "frame": _frame(total),
            "density": total.density.reshape(-1),
            "targets": total.targets.reshape(-1),
            **{name: getattr(total, name) for name in _SUMS},
            "identity": total.identity.to_array(),
        }


def _frame(sums: FourierSums) -> Array:
    """Grid and units of the targets, as one row of numbers."""
    grid = sums.grid
    return np.concatenate([grid.centre, grid.period, grid.extent, sums.reference, sums.unit]).astype(float)


def _fault(state: JsonDict, empty: FourierSums) -> str | None:
    """Whether numbers are those of another grid, or cannot be sums: no mode is larger than the weight."""
    frame = _frame(empty)
    if state["frame"].shape != frame.shape or not np.allclose(state["frame"], frame, rtol=1e-9, atol=0):
        return "its sums are on another grid of frequencies, or of other units of the targets"
    if state["targets"].size != empty.targets.size:
        return f"'targets' has {state['targets'].size} numbers, not {empty.targets.size}"
    most = 1.01 * np.sqrt(2) * state["weight"]  # Re + Im of a mode, with room for rounding
    if np.max(np.abs(state["density"])) > most:
        return "'density' has modes larger than the weight of the rows"
    targets = np.abs(state["targets"].reshape(len(empty.unit), -1)).max(axis=1)
    with np.errstate(over="ignore"):
        if np.any(targets > most * 1e-6 + 1.01 * np.sqrt(2) * np.sqrt(state["weight"]) * np.sqrt(state["yy"])):
            return "'targets' has modes larger than the targets"
    return None

"""Checkpoint of a pass that sums moments of features and targets."""

from __future__ import annotations

import numpy as np

from bochner._typing import JsonDict
from bochner.statistics.identity import RowIdentity
from bochner.statistics.moments import Moments
from bochner.statistics.pass_checkpoint import PassCheckpoint, identity_fault, pass_rules
from bochner.statistics.state_schema import ArrayRule, NumberRule, Rule, Schema

__all__ = ["MomentsCheckpoint"]

_SUMS = ("z_mean", "y_mean", "zz", "zy", "yy")
_LARGEST = 1e100  # feature, and 1e150 of a target: their squares and sums of squares are finite


def moments_schema(width: int | None = None, n_targets: int | None = None) -> Schema:
    """Schema of the moments of a map and its targets; None: of any."""
    D, t = width, n_targets
    needed: dict[str, Rule] = {
        **pass_rules(),
        "precision": NumberRule(0, 1e-3),
        "z_mean": ArrayRule((D,), low=-_LARGEST, high=_LARGEST),
        "y_mean": ArrayRule((t,), low=-1e150, high=1e150),
        "zz": ArrayRule((D, D), low=-(_LARGEST**2), high=_LARGEST**2),
        "zy": ArrayRule((D, t)),
        "yy": ArrayRule((t,), low=0, high=1e300),
    }
    return Schema(needed, {"identity": ArrayRule((7,), "uint64", 0, 2**64)})


class MomentsCheckpoint(PassCheckpoint[Moments]):
    """A moments pass that can go on where it stopped."""

    def schema(self) -> Schema:
        return moments_schema()

    def restore(self, total: Moments) -> None:
        """Put the moments of the interrupted pass into empty ones."""
        state = self.file.part(self.part, moments_schema(len(total.z_mean), len(total.y_mean)))
        if state is None:
            return
        self.file.require(_moments_fault(state) or identity_fault(state))
        for name in _SUMS:
            getattr(total, name)[...] = state[name]
        total.n_rows, total.weight, total.precision = state["n_rows"], float(state["weight"]), state["precision"]
        total.identity = RowIdentity.from_array(state["identity"]) if "identity" in state else None
        self.file.hold(self._state(total), self.part)  # what was read is as large as the moments

    def sums(self, total: Moments) -> JsonDict:
        identity = {} if total.identity is None else {"identity": total.identity.to_array()}
        return {
            "weight": total.weight,
            "precision": total.precision,
            **{name: getattr(total, name) for name in _SUMS},
            **identity,
        }


def _moments_fault(state: JsonDict) -> str | None:
    """Whether numbers cannot be moments: Cauchy and Schwarz's inequality, with room for rounding."""
    n, variance, zz = state["weight"], np.diag(state["zz"]), state["zz"]
    with np.errstate(over="ignore", invalid="ignore"):
        room = 0.01 * (np.max(np.abs(variance), initial=0.0) + n * np.max(state["z_mean"] ** 2, initial=0.0))
        most = np.sqrt(np.maximum(variance, 0.0)) * 1.01
        if not np.all(variance >= -room) or not np.isfinite(np.sum(variance)):
            return "'zz' has a negative or infinite variance"
        if not all(np.all(np.abs(row) <= size * most + room) for row, size in zip(zz, most)):
            return "'zz' is not a covariance"
        y_room = np.sqrt(room * state["yy"])
        if not np.all(np.abs(state["zy"]) <= np.outer(most, np.sqrt(state["yy"])) * 1.01 + y_room):
            return "'zy' is not a covariance"
    return None

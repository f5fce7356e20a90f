"""Plot of the evidence for drift over a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bochner._axes import BLUE, GREY, ORANGE, axes_or_new
from bochner._typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EVIDENCE_SIZE", "plot_evidence"]

EVIDENCE_SIZE = (8.0, 3.2)
"""Width and height of a new figure, in inches."""


def plot_evidence(
    rows: Array, evidence: Array, *, false_alarm_rate: float, detected_at: int | None, ax: Axes | None
) -> Axes:
    """Draw the decimal logarithm of the evidence after so many rows, the threshold and the alarm."""
    ax = axes_or_new(ax, EVIDENCE_SIZE)
    ax.plot(rows, evidence, color=BLUE, lw=1.4, label="evidence for drift")
    ax.axhline(
        -np.log10(false_alarm_rate), color=GREY, ls="--", lw=1,
        label=f"alarm: false with probability at most {false_alarm_rate:g}",
    )  # fmt: skip
    if detected_at is not None:
        ax.axvline(detected_at, color=ORANGE, lw=1.2, label=f"detected after {detected_at:,} rows")
    ax.set(xlabel="rows of the stream", ylabel="log10 of the evidence")
    ax.legend(frameon=False, loc="upper left")
    return ax

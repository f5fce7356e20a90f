"""Plot of the evidence for drift over a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array
from bochner.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_evidence"]


def plot_evidence(
    rows: Array, evidence: Array, *, false_alarm_rate: float, detected_at: int | None, axes: Axes | None
) -> Axes:
    """Draw the decimal logarithm of the evidence after so many rows, the threshold and the alarm."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    if axes is None:
        axes = Figure(figsize=(8, 3.2), layout="constrained").subplots()
    axes.plot(rows, evidence, color="#0072B2", lw=1.4, label="evidence for drift")
    axes.axhline(
        -np.log10(false_alarm_rate), color="#767676", ls="--", lw=1,
        label=f"alarm: false with probability at most {false_alarm_rate:g}",
    )  # fmt: skip
    if detected_at is not None:
        axes.axvline(detected_at, color="#D55E00", lw=1.2, label=f"detected after {detected_at:,} rows")
    axes.set(xlabel="rows of the stream", ylabel="log10 of the evidence")
    axes.legend(frameon=False, loc="upper left")
    return axes

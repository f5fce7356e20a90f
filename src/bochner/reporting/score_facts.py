"""Facts of the score of a regression: shares and pinball losses of quantiles, errors of a mean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bochner._typing import JsonDict
from bochner.reporting.numbers import number, percent

__all__ = ["of_mean", "of_quantiles"]


def of_quantiles(part: JsonDict) -> Iterator[tuple[str, str]]:
    """Share of the targets up to every quantile, and pinball losses."""
    for each in part["quantiles"]:
        limits = f"{percent(each['true_low'])} to {percent(each['true_high'])}"
        yield f"Targets up to the quantile {each['quantile']:g}", f"{percent(each['observed'])} ({limits})"
    own, constant = (np.mean([q[key] for q in part["quantiles"]]) for key in ("pinball_loss", "baseline_pinball_loss"))
    yield "Pinball loss", number(float(own))
    yield "Pinball loss of the quantiles of these targets", number(float(constant))


def of_mean(part: JsonDict) -> Iterator[tuple[str, str]]:
    """Errors beside those of the best constant."""
    yield from (
        ("R2", number(part["r2"])),
        ("Error (RMS)", f"{number(part['rmse'])} ± {number(part['rmse_standard_error'], 2)}"),
        ("Error (mean absolute)", number(part["mae"])),
        (f"Error of {part['baseline']} (RMS)", number(part["baseline_rmse"])),
    )

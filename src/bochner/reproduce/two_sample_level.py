"""The level of `mmd_test`: how often it rejects at 0.05 where both samples have one law.

For sizes, dimensions, laws and all choices of a kernel. With n_resamples = 19 the level is exactly 0.05 where there are
no ties, whatever the width of the features, so few of both suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

from bochner._typing import Array, JsonDict
from bochner.comparison import mmd_test
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["CHOICES", "EXPERIMENT", "LAWS", "limits", "rejections"]

LEVEL, _RESAMPLES, _WIDTH = 0.05, 19, 64

LAWS: dict[str, Callable[[np.random.Generator, int, int], Array]] = {
    "normal": lambda rng, n, d: rng.standard_normal((n, d)),
    "heavy tails": lambda rng, n, d: rng.standard_cauchy((n, d)),
    "integers": lambda rng, n, d: rng.poisson(1.0, (n, d)),
    "ties": lambda rng, n, d: np.repeat(rng.integers(0, 2, (n, 1)), d, axis=1),
}
CHOICES: dict[str, JsonDict] = {
    "fixed": {"length_scale": 1.0},
    "median": {"length_scale": "median"},
    "aggregate": {"length_scale": "aggregate"},
    "held out": {"length_scale": "held_out"},
    "wild bootstrap": {"length_scale": "median", "resampling": "wild"},
}


def rejections(law: str, choice: str, n_rows: int, n_features: int, n_repeats: int, seed: int) -> int:
    """Rejections at 0.05 among tests of two independent samples of one law."""
    count = 0
    for repeat in range(n_repeats):
        rng = np.random.default_rng([seed, n_rows, n_features, repeat])
        X, Y = (LAWS[law](rng, n_rows, n_features) for _ in range(2))
        result = mmd_test(X, Y, n_components=_WIDTH, n_resamples=_RESAMPLES, rng=rng, **CHOICES[choice])
        count += result.pvalue <= LEVEL
    return count


def limits(n_repeats: int, confidence: float) -> tuple[int, int]:
    """Binomial limits of the number of rejections of a test of level 0.05, at this probability."""
    low, high = binom.interval(confidence, n_repeats, LEVEL)
    return int(low), int(high)


def measure(n_rows: Sequence[int], n_features: Sequence[int], n_repeats: int, seed: int) -> Numbers:
    """Rejection rates in every setting, with the binomial limits that hold for all settings at once."""
    settings = list(product(LAWS, CHOICES, n_rows, n_features))
    low, high = limits(n_repeats, 1 - 0.01 / len(settings))
    rows = [
        {
            "law": law, "choice": choice, "n_rows": n, "n_features": d,
            "rate": rejections(law, choice, n, d, n_repeats, seed) / n_repeats,
        }
        for law, choice, n, d in settings
    ]  # fmt: skip
    return {"level": LEVEL, "n_repeats": n_repeats, "limits": [low / n_repeats, high / n_repeats], "rows": rows}


def draw(figure: Figure, numbers: Numbers) -> None:
    colours = dict(zip(CHOICES, (COLOURS[name] for name in ("truth", "paired", "phase", "ours", "old"))))
    panels = figure.subplots(1, len(LAWS), sharey=True)
    for axes, law in zip(panels, LAWS, strict=True):
        _panel(axes, [row for row in numbers["rows"] if row["law"] == law], colours)
        axes.axhspan(*numbers["limits"], color="#eeeeee", zorder=0)
        axes.axhline(numbers["level"], color=COLOURS["quiet"], lw=1)
        axes.set(title=law, xlabel="rows, columns")
    panels[0].set(ylabel="rejections at 0.05", ylim=(0, None))
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names))


def _panel(axes: Axes, rows: list[Numbers], colours: dict[str, str]) -> None:
    """Rejection rates of one law, side by side for the choices of a kernel."""
    labels = list(dict.fromkeys((row["n_rows"], row["n_features"]) for row in rows))
    for i, (choice, colour) in enumerate(colours.items()):
        own = {(row["n_rows"], row["n_features"]): row["rate"] for row in rows if row["choice"] == choice}
        where = np.arange(len(labels)) + 0.14 * (i - 2)
        axes.plot(where, [own[label] for label in labels], "o", ms=4, color=colour, label=choice)
    axes.set_xticks(range(len(labels)), [f"{n}\n{d}" for n, d in labels], fontsize=8)


EXPERIMENT = Experiment(
    title="level of the two-sample test for sizes, dimensions, laws and choices of a kernel",
    measure=measure,
    draw=draw,
    quick={"n_rows": (50,), "n_features": (1, 10), "n_repeats": 100, "seed": 0},
    full={"n_rows": (50, 500, 5000), "n_features": (1, 10, 100), "n_repeats": 1000, "seed": 0},
    size=(12.0, 3.8),
)

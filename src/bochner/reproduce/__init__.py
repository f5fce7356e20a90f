"""The papers' experiments: every figure and constant, recomputed beside the corrected bounds.

    python -m bochner.reproduce --list
    python -m bochner.reproduce sutherland-schneider --out figures

An experiment writes NAME.png and NAME.json; the JSON holds every number in the figure. The name of a paper stands for
all of its experiments.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from bochner._threads import single_threaded_blas
from bochner.errors import invalid_parameter
from bochner.reproduce import (
    counterexample,
    descent,
    figure1_variance,
    figure2_coefficients,
    figure3_radius,
    figure4_width,
    figure5_survival,
    figure6_mmd,
    figure7_entropy,
    mean_square,
    orbit_comparison,
    printed,
    rudi_rosasco,
    two_sample_level,
    two_sample_power,
)
from bochner.reproduce.experiment import Experiment, Numbers

__all__ = ["EXPERIMENTS", "Experiment", "names", "run"]

EXPERIMENTS: dict[str, Experiment] = {
    "sutherland-schneider-figure-1": figure1_variance.EXPERIMENT,
    "sutherland-schneider-figure-2": figure2_coefficients.EXPERIMENT,
    "sutherland-schneider-figure-3": figure3_radius.EXPERIMENT,
    "sutherland-schneider-figure-4": figure4_width.EXPERIMENT,
    "sutherland-schneider-figure-5": figure5_survival.EXPERIMENT,
    "sutherland-schneider-figure-6": figure6_mmd.EXPERIMENT,
    "sutherland-schneider-figure-7": figure7_entropy.EXPERIMENT,
    "sutherland-schneider-mean-square": mean_square.EXPERIMENT,
    "li-honorio-counterexample": counterexample.EXPERIMENT,
    "li-honorio-descent": descent.EXPERIMENT,
    "rudi-rosasco": rudi_rosasco.EXPERIMENT,
    "printed-against-corrected": printed.EXPERIMENT,
    **orbit_comparison.EXPERIMENTS,
    "two-sample-level": two_sample_level.EXPERIMENT,
    "two-sample-power": two_sample_power.EXPERIMENT,
}


def names(name: str) -> list[str]:
    """The experiments that a name stands for: itself, all of a paper (`"li-honorio"`), or `"all"`.

    Examples
    --------
    >>> names("li-honorio")
    ['li-honorio-counterexample', 'li-honorio-descent']
    """
    chosen = [known for known in EXPERIMENTS if name in ("all", known) or known.startswith(f"{name}-")]
    if not chosen:
        raise invalid_parameter("run", "name", f"one of {', '.join(EXPERIMENTS)}, the name of a paper or 'all'", name)
    return chosen


def run(
    name: str, setting: Literal["quick", "full"] = "quick", folder: str | Path = ".", **changes: Any
) -> dict[str, Numbers]:
    """Run an experiment, or all of a paper, and write its figure and its numbers.

    Parameters
    ----------
    name : str
        See `names`.
    setting : {"quick", "full"}, default="quick"
        Seconds, or the paper's own number of draws and widths (minutes).
    folder : path, default="."
        Where NAME.png and NAME.json are written; made if need be.
    **changes
        Parameters of the experiment that replace those of the setting, such as `n_draws` or `seed`.

    Returns
    -------
    dict
        The numbers of every experiment, by name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     numbers = run("sutherland-schneider-figure-2", folder=folder)
    >>> numbers["sutherland-schneider-figure-2"]["maximum"]["paired"]["dimension"]
    64
    """
    plans = {each: EXPERIMENTS[each].parameters(setting, changes) for each in names(name)}
    with single_threaded_blas():  # many small problems: threads would only wait for each other
        return {each: EXPERIMENTS[each].run(each, Path(folder), plan) for each, plan in plans.items()}

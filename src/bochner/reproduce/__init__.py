"""Reproduction of the papers' experiments: every figure and constant, beside the corrected bounds.

    python -m bochner.reproduce --list
    python -m bochner.reproduce sutherland-schneider --out figures

An experiment writes NAME.png and NAME.json; the JSON holds every number in the figure (the module `experiment` has its
fields). The name of a paper stands for all of its experiments. Of several, those whose data files are missing are
skipped with a notice, and one that fails does not stop the others.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Literal, TypeAlias

from bochner._typing import FilePath
from bochner.errors import BochnerError, BochnerWarning, invalid_parameter
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
    regimes,
    rudi_rosasco,
    rudi_rosasco_limit,
    two_sample_level,
    two_sample_power,
    zhu_li,
)
from bochner.reproduce.batch import Outcome, run_one, run_several, writable_folder
from bochner.reproduce.experiment import Experiment, Numbers

__all__ = ["EXPERIMENTS", "Experiment", "Outcome", "names", "outcomes", "run"]

Setting: TypeAlias = Literal["quick", "full"]

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
    "rudi-rosasco-figure-1": regimes.EXPERIMENT,
    "rudi-rosasco-exponents": rudi_rosasco.EXPERIMENT,
    "rudi-rosasco-limit": rudi_rosasco_limit.EXPERIMENT,
    **zhu_li.EXPERIMENTS,
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


def outcomes(name: str, setting: Setting = "quick", folder: FilePath = ".", **changes: object) -> Iterator[Outcome]:
    """Run what a name stands for, and tell how each experiment ended as it ends.

    The errors of a single experiment that is named itself are raised. Of several, one without its data files is skipped
    and one that fails is told of, and the rest run. Parameters as for `run`.
    """
    chosen = names(name)
    plans = {each: EXPERIMENTS[each].parameters(setting, changes) for each in chosen}
    place = writable_folder(folder)
    if chosen == [name]:
        return (run_one(each, EXPERIMENTS[each], place, plans[each]) for each in chosen)
    return run_several(EXPERIMENTS, plans, place)


def run(name: str, setting: Setting = "quick", folder: FilePath = ".", **changes: object) -> dict[str, Numbers]:
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
        The numbers of every experiment that ran, by name. Those skipped for want of data are warned of; if some failed,
        a `BochnerError` says which, after the others have run.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     numbers = run("sutherland-schneider-figure-2", folder=folder)
    >>> numbers["sutherland-schneider-figure-2"]["maximum"]["paired"]["dimension"]
    64
    """
    done: dict[str, Numbers] = {}
    failed: list[Outcome] = []
    for outcome in outcomes(name, setting, folder, **changes):
        if outcome.status == "skipped":
            warnings.warn(outcome.sentence, BochnerWarning, stacklevel=2)
        elif outcome.status == "failed":
            failed.append(outcome)
        else:
            done[outcome.experiment] = outcome.numbers or {}
    if failed:
        words = "; ".join(outcome.sentence for outcome in failed)
        raise BochnerError(f"{words}. The other {len(done)} are in {folder}.") from failed[0].error
    return done

"""Batch runs of experiments: those that cannot run are skipped, a failure does not stop the rest."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from errno import EACCES
from pathlib import Path
from typing import Literal

from bochner._threads import single_threaded_blas
from bochner._typing import FilePath
from bochner.errors import BochnerError, MissingExtraError
from bochner.reproduce.experiment import Experiment, Numbers, Parameters

__all__ = ["Outcome", "run_one", "run_several", "writable_folder"]


@dataclass(frozen=True)
class Outcome:
    """Outcome of one experiment of a batch.

    Attributes
    ----------
    experiment : str
    status : {"done", "skipped", "failed"}
    reason : str
        Of a skip or a failure, in one sentence; empty if done.
    seconds : float
    numbers : dict
        Empty unless done.
    error : Exception or None
        Of a failure.
    unexpected : bool
        Whether it is not an input error.
    """

    experiment: str
    status: Literal["done", "skipped", "failed"]
    reason: str = ""
    seconds: float = 0.0
    numbers: Numbers | None = None
    error: Exception | None = None
    unexpected: bool = False

    @property
    def sentence(self) -> str:
        """For a person, unless it is done."""
        return f"{self.experiment} {self.status}: it {self.reason}"

    @property
    def details(self) -> str:
        """The traceback of a failure that is not an input error: ours to mend."""
        return "".join(traceback.format_exception(self.error)) if self.unexpected else ""


def writable_folder(folder: FilePath) -> Path:
    """The folder, made if need be; an `OSError` before minutes of work rather than after."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if not os.access(place, os.W_OK):
        raise PermissionError(EACCES, "Files cannot be written to the folder", str(place))
    return place


def run_one(name: str, experiment: Experiment, folder: Path, parameters: Parameters) -> Outcome:
    """Run an experiment; its errors are raised."""
    start = time.perf_counter()
    with single_threaded_blas():  # many small problems: threads would only wait for each other
        numbers = experiment.run(name, folder, parameters)
    return Outcome(name, "done", seconds=time.perf_counter() - start, numbers=numbers)


def run_several(
    experiments: Mapping[str, Experiment], plans: Mapping[str, Parameters], folder: Path
) -> Iterator[Outcome]:
    """Run experiments one by one; each has written its files before the next begins, so an interrupt loses only one.

    A missing package stops them all, since it is missing for all.
    """
    for name, parameters in plans.items():
        obstacle = experiments[name].obstacle()
        if obstacle is not None:
            yield Outcome(name, "skipped", obstacle)
            continue
        start = time.perf_counter()
        try:
            yield run_one(name, experiments[name], folder, parameters)
        except MissingExtraError:
            raise
        except (BochnerError, OSError) as error:  # an input error: its sentence says all
            yield Outcome(name, "failed", _raised(error), time.perf_counter() - start, error=error)
        except Exception as error:  # of whatever kind: the next experiment has nothing to do with it
            seconds = time.perf_counter() - start
            yield Outcome(name, "failed", _raised(error), seconds, error=error, unexpected=True)


def _raised(error: Exception) -> str:
    return f"raised {type(error).__name__}: {error}"

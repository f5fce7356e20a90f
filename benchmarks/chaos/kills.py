"""Fits that are killed: SIGKILL at a random moment, again and again, then to the end.

One kill in five is uniform over the whole run of a command, of which imports are the longer part, the others over the
fit, in a process that is forked when imports are over (`warm`).

The model must be the one of a fit that was not interrupted, bit for bit or to its stated tolerance.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .children import Command, Ended, command, run
from .fits import TOLERANCES
from .record import Record, Trial
from .warm import WarmFit

KINDS = ("direct", "iterative", "classifier", "exact")
KILLS, PER_TRIAL = 200, 5
LATE = ("classifier", "exact")
"""Fits whose first checkpoint comes late, after a first solve: half of the kills within them wait for one."""

PATIENCE = 900.0
"""Seconds for the fit that nobody kills: the machine may be busy."""


class Moment(NamedTuple):
    """When to kill: so many seconds after the begin of the fit, of the whole run, or after its next checkpoint."""

    inside: bool
    seconds: float
    written: bool = False


@dataclass(frozen=True)
class Plain:
    """A fit that was not interrupted: its predictions, and the seconds of the whole run and of the fit alone."""

    found: np.ndarray
    seconds: float
    fit_seconds: float

    def moment(self, rng: random.Random, *, late: bool = False) -> Moment:
        inside = rng.random() < 0.8
        if inside and late and rng.random() < 0.5:
            return Moment(inside, rng.uniform(0, 0.3 * self.fit_seconds), written=True)
        return Moment(inside, rng.uniform(0, self.fit_seconds if inside else self.seconds))


_LOCK = threading.Lock()
_PLAIN: dict[str, Plain] = {}


def uninterrupted(kind: str) -> Plain:
    """The fit without a kill; the second of two, which is a warm one."""
    with _LOCK:
        if kind not in _PLAIN:
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "out.npy"
                ends = [run(command("fits", kind, out), PATIENCE) for _ in range(2)]
                if any(end.code for end in ends):
                    raise RuntimeError(f"The {kind} fit fails without any kill: {ends[-1].err[-2000:]}")
                plain, warm = np.load(out), WarmFit(kind, out, out.with_suffix(".checkpoint")).end()
                _PLAIN[kind] = Plain(plain, ends[1].seconds, warm.seconds)
    return _PLAIN[kind]


def trials(share: float) -> list[Trial]:
    count = max(1, round(share * KILLS / PER_TRIAL))
    return [Trial("kills", kind, number) for number in range(count) for kind in KINDS]


def perform(trial: Trial) -> Record:
    record, plain = Record(), uninterrupted(trial.name)
    rng = random.Random(trial.seed)
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "fit.checkpoint"
        out, pending = kept.with_name("out.npy"), 0
        for _ in range(PER_TRIAL):
            while not killed_once(trial.name, kept, plain.moment(rng, late=trial.name in LATE), record):
                compare(trial.name, out, plain, record, pending)
                kept.unlink(missing_ok=True)  # that model is done; the next one begins anew
                pending = 0
            pending += 1
        judge(trial.name, WarmFit(trial.name, out, kept).end(), out, plain, record, pending)
    return record


def begin(kind: str, out: Path, kept: Path | None, inside: bool, scheduler: Path | None = None) -> WarmFit | Command:
    """A fit that has begun, or a command at the begin of its imports."""
    if inside:
        return WarmFit(kind, out, kept, scheduler)
    options = {"--checkpoint": kept, "--scheduler": scheduler}
    given = [word for option, path in options.items() if path is not None for word in (option, path)]
    return Command(command("fits", kind, out, *given))


def killed_once(kind: str, kept: Path, moment: Moment, record: Record) -> bool:
    """One run that is killed at a moment, unless it has ended before."""
    process = begin(kind, kept.with_name("out.npy"), kept, moment.inside)
    clock = time.time()
    while moment.written and not is_written_since(kept, clock) and not process.ends_within(0.005):
        pass
    if not process.ends_within(moment.seconds):
        process.kill()
        note_loss(kept, clock, moment.inside, record)
        return True
    end = process.end()
    if end.code == 0:
        record.note("ended before the kill")
        return False
    record.fail("a run failed", f"{kind}: {end.last_line}")
    return True


def is_written_since(kept: Path, clock: float) -> bool:
    return kept.exists() and kept.stat().st_mtime > clock


def note_loss(kept: Path, clock: float, inside: bool, record: Record) -> None:
    """What a kill has cost: the work since the last checkpoint, or since the run began."""
    there = kept.exists()
    record.note("killed in the fit" if inside else "killed anywhere in the run")
    record.note("with a checkpoint" if there else "before the first checkpoint")
    if inside:
        since = max(clock, kept.stat().st_mtime) if there else clock
        record.measure("seconds of the fit lost", max(0.0, time.time() - since))


def judge(kind: str, end: Ended, out: Path, plain: Plain, record: Record, kills: int) -> None:
    """The model after the kills: the same, or not."""
    if end.code == 0:
        compare(kind, out, plain, record, kills)
        return
    record.fail(f"did not resume: {end.word}", f"{kind} after {kills} kills: {end.word}, {end.last_line}", kills)


def compare(kind: str, out: Path, plain: Plain, record: Record, kills: int) -> None:
    distance = float(np.abs(np.load(out) - plain.found).max() / np.abs(plain.found).max())
    record.measure("difference of predictions", distance)
    if distance <= TOLERANCES[kind]:
        record.count("the same model", kills)
        record.note("the same bits" if distance == 0 else "the same to rounding", kills)
        return
    sentence = f"{kind}: predictions differ by {distance:.2g} after {kills} kills (at most {TOLERANCES[kind]:.0e})"
    record.fail("another model", sentence, max(1, kills))

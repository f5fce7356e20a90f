"""Clocks that jump: `time.time` goes forth and back by up to a year at every call, and files come from the future.

Checkpoints must be written all the same, a fit must resume to the same bits, and what is shown of time must be sane.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .children import command, run
from .record import Record, Trial

ROUNDS = 20
CASES = ("a checkpoint is written", "a checkpoint from the future", "part of a living writer", "the meter and the bar")
YEAR = 365.25 * 86400


def trials(share: float) -> list[Trial]:
    return [Trial("clocks", case, number) for case in CASES for number in range(max(1, round(share * ROUNDS)))]


def perform(trial: Trial) -> Record:
    record = Record()
    end = run(command("clocks", trial.name, trial.seed))
    if end.code == 0:
        record.count("held")
    else:
        record.fail(end.word, f"{trial.name}: {end.word}, {end.last_line}")
    return record


# What runs in the child.


def jump(seed: str) -> None:
    """Replace the clock of the day by one that jumps; clocks that cannot go back stay as they are."""
    rng, real = random.Random(seed), time.time
    time.time = lambda: max(0.0, real() + rng.uniform(-YEAR, YEAR))  # type: ignore[assignment]
    time.time_ns = lambda: int(1e9 * time.time())  # type: ignore[assignment]


def fit(path: Path | None) -> np.ndarray:
    import bochner as bo

    X = np.random.default_rng(0).standard_normal((6000, 3))
    settings = {"n_components": 128, "alpha": 0.1, "random_state": 0, "checkpoint": path}
    return np.asarray(bo.KernelRegressor(bo.Gaussian(2.0), **settings).fit(X, np.sin(X.sum(axis=1))).predict(X[:50]))


def written(folder: Path, seed: str) -> None:
    plain = fit(None)
    jump(seed)
    assert np.array_equal(fit(folder / "c"), plain), "another model"
    assert (folder / "c").exists(), "no checkpoint"
    assert np.array_equal(fit(folder / "c"), plain), "another model after resuming"


def from_the_future(folder: Path, seed: str) -> None:
    """A checkpoint, and parts of killed writers, with times of change from the future or the far past."""
    plain, rng = fit(folder / "c"), random.Random(seed)
    part = folder / ".c.1-00000000.part"
    part.write_bytes(b"cut off")
    for path in (folder / "c", part):
        moment = time.time() + rng.choice([-30 * YEAR, -YEAR, YEAR, 30 * YEAR])
        os.utime(path, (moment, moment))
    jump(seed)
    assert np.array_equal(fit(folder / "c"), plain), "another model"


def living(folder: Path, seed: str) -> None:
    """A part whose lock is held belongs to a writer that lives: it stays. One without a lock was left by a kill."""
    part, left = folder / ".c.1-00000000.part", folder / ".c.2-00000000.part"
    left.write_bytes(b"of a killed writer")
    with part.open("xb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        jump(seed)
        fit(folder / "c")
        assert part.exists(), "the part of a living writer was removed"
        assert not left.exists(), "the part of a killed writer is still there"


def meter(folder: Path, seed: str) -> None:
    """`bochner fit` on a terminal: no negative or absurd times."""
    import contextlib
    import io

    from bochner.cli.main import main

    X = np.random.default_rng(0).standard_normal((500, 3))
    table = folder / "t.csv"
    np.savetxt(table, np.column_stack([X, X[:, 0]]), delimiter=",", header="a,b,c,y", comments="")
    os.environ |= {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "TERM": "xterm"}
    jump(seed)
    out, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        code = main(["fit", str(table), "--target", "y", "-D", "64", "--model-file", str(folder / "m.bochner"),
                     "--report", str(folder / "r.html")])  # fmt: skip
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue() + told.getvalue())
    assert code == 0, text[-300:]
    strange = re.findall(r"-\d[\d.,:]* ?(?:s|ms|min|h)\b|-\d+:\d\d|\b\d{3,}:\d\d:\d\d|\b\d{6,} ?s\b", text)
    assert not strange, f"times shown: {strange[:3]}"


CALLS: dict[str, Callable[[Path, str], None]] = dict(zip(CASES, (written, from_the_future, living, meter)))


def main(case: str, seed: str) -> None:
    from .fits import hasten_checkpoints

    hasten_checkpoints()
    with tempfile.TemporaryDirectory() as folder:
        CALLS[case](Path(folder), seed)
    print(json.dumps("held"))


if __name__ == "__main__":
    main(*sys.argv[1:])

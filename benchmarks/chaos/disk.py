"""Disks that are full: every file that is written, with a random amount of room for it, less than it needs.

The child works on a small disk of its own (tmpfs in a mount namespace, which ends with the child), or under a limit on
the size of files where none can be mounted. The old file must stay whole, nothing may lie beside it, and the error must
be one that says what happened. Standard output is /dev/full.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .children import command, run
from .record import Record, Trial

WRITERS = ("save", "checkpoint", "report", "to_onnx", "predict -o", "fit --model-file", "standard output")
TRIES, ROUNDS = 20, 5
DISK = "24m"
UNMOUNTABLE = 78
"""Exit code: no small disk could be mounted."""

MOUNT = f'mount -t tmpfs -o size={DISK} tmpfs "$1" || exit {UNMOUNTABLE}; shift; exec "$@"'


def trials(share: float) -> list[Trial]:
    rounds = max(1, round(share * ROUNDS))
    return [Trial("disk", name, number) for name in WRITERS for number in range(2 * rounds)]


def perform(trial: Trial) -> Record:
    """Even numbers have a full disk, odd ones a limit on the size of a file."""
    record = Record()
    with tempfile.TemporaryDirectory() as folder:
        line = command("disk", trial.name, folder, trial.seed)
        full = trial.number % 2 == 0 and trial.name != "standard output"
        end = run(on_small_disk(folder, [*line, "full"])) if full else run([*line, "limit"])
        if full and end.code == UNMOUNTABLE:
            record.note("no small disk can be mounted here: a limit on the size of files instead")
            end = run([*line, "limit"])
    if end.code != 0:
        record.fail(f"the process ended: {end.word}", f"{trial.name}: {end.word}, {end.last_line}", TRIES)
        return record
    for outcome, sentence in json.loads(end.out.splitlines()[-1]):
        record.fail(outcome, f"{trial.name}: {sentence}") if sentence else record.count(outcome)
    return record


def on_small_disk(folder: str, line: list[str]) -> list[str]:
    namespace = ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    return [*namespace, "sh", "-c", MOUNT, "sh", folder, *line] if shutil.which("unshare") else ["false"]


# What runs in the child.


@contextmanager
def little_room(folder: Path, how: str, n_bytes: int) -> Iterator[None]:
    """Room for so many bytes: of the disk, or of every file."""
    if how == "limit":
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        return
    filler = folder / "filler"
    filler.write_bytes(bytes(max(0, shutil.disk_usage(folder).free - n_bytes)))
    try:
        yield
    finally:
        filler.unlink()


def writers(folder: Path) -> dict[str, tuple[Path, Callable[[], str]]]:
    """The file of every writer, and a call that writes it; it returns what a person is told."""
    import numpy as np

    import bochner as bo

    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    y = X[:, 0] + 0.1 * rng.standard_normal(400)
    model = bo.KernelRegressor(bo.Gaussian(2.0), n_components=256, alpha=0.1, random_state=0).fit(X, y)
    table = folder / "t.csv"
    np.savetxt(table, np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="")
    source = folder / "model.bochner"
    fitting = ["fit", str(table), "--target", "y", "-D", "64", "--model-file", str(source)]
    fitting += ["--report", str(folder / "r.html")]

    def fitted_with_checkpoint() -> str:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            again = bo.KernelRegressor(bo.Gaussian(2.0), n_components=256, alpha=0.1, random_state=0,
                                       checkpoint=folder / "fit.checkpoint").fit(X, y)  # fmt: skip
        if not np.array_equal(again.predict(X), model.predict(X)):
            raise AssertionError("the model is another one")
        return " ".join(str(warning.message) for warning in caught)

    def commanded(*arguments: str) -> str:
        from bochner.cli.main import main

        told = io.StringIO()
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
            code = main(list(arguments))
        if "Traceback" in told.getvalue() or code not in (0, 2):
            raise AssertionError(f"exit code {code}: {told.getvalue()[-300:]}")
        return told.getvalue() if code else ""

    if not source.exists():
        commanded(
            "fit",
            str(table),
            "--target",
            "y",
            "-D",
            "64",
            "--model-file",
            str(source),
            "--report",
            str(folder / "r.html"),
        )
    out = folder / "out.csv"
    return {
        "save": (folder / "m.bochner", lambda: str(bo.save(model, folder / "m.bochner") or "")),
        "checkpoint": (folder / "fit.checkpoint", fitted_with_checkpoint),
        "report": (folder / "r2.html", lambda: str(bo.report(model, folder / "r2.html") and "")),
        "to_onnx": (folder / "m.onnx", lambda: str(bo.to_onnx(model, folder / "m.onnx") and "")),
        "predict -o": (out, lambda: commanded("predict", str(source), str(table), "-o", str(out))),
        "fit --model-file": (source, lambda: commanded(*fitting)),
        "standard output": (out, lambda: to_full_output(source, table)),
    }  # fmt: skip


def to_full_output(source: Path, table: Path) -> str:
    with open("/dev/full", "w") as full:
        line = [sys.executable, "-m", "bochner.cli.main", "predict", str(source), str(table)]
        end = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    if "Traceback" in end.stderr or end.returncode != 2:
        raise AssertionError(f"exit code {end.returncode}: {end.stderr[-300:]}")
    return end.stderr


def attempt(folder: Path, path: Path, write: Callable[[], str], how: str, n_bytes: int) -> tuple[str, str]:
    """One attempt: the outcome, and what did not hold, if anything."""
    before, beside = path.read_bytes(), sorted(os.listdir(folder))
    try:
        with little_room(folder, how, n_bytes):
            told = write()
    except OSError as error:
        told = str(error)
    except Exception as error:
        from bochner.errors import BochnerError

        if not isinstance(error, BochnerError):
            return "another error", f"{type(error).__name__}: {error}"
        told = str(error)
    if sorted(os.listdir(folder)) != beside:
        return "files left", f"beside it: {sorted(set(os.listdir(folder)) - set(beside))}"
    if path.read_bytes() != before and told:
        return "damaged", "it was told that nothing could be written, and the old file has changed"
    return ("refused, the old file is whole" if told else "written"), ""


def main(name: str, place: str, seed: str, how: str) -> None:
    folder, rng = Path(place), random.Random(seed)
    path, write = writers(folder)[name]
    if name == "standard output":
        path.write_text("old")
    else:
        told = write()
        if told:
            raise SystemExit(f"{name} does not write on an empty disk: {told}")
    size = path.stat().st_size
    tries = 2 if name == "standard output" else TRIES // ROUNDS if name == "fit --model-file" else TRIES
    found = [attempt(folder, path, write, how, rng.randrange(0, max(1, size * 9 // 10))) for _ in range(tries)]
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])

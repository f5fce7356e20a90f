"""Forged model files against `bochner.load`: every one is refused, or loads to a model that can be used.

    python -m benchmarks.chaos.forged_files --count 20000 --seed 0 --json FILE [--bytes] [--only NUMBER]

A worker process forges a file, loads it and, if that succeeds, asks everything of the model. It has a limit of memory
and a watch that ends it if a file takes too long; compiled loops check their bounds, so that a read beyond an array is
seen even where it does no harm. What may happen:

    refused              `FileFormatError` or `MemoryBudgetError` from `load`
    used                 loaded, and every question that the true model answers has an answer
    own error            loaded, and a question ends in an error of bochner's
    error: <type>        loaded, and a question ends in a plain exception that the true model does not have

and what may not: a crash of the process, a hang, an access out of bounds, another exception from `load`, a model that
was loaded and cannot be saved, an error of the interpreter itself.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from sklearn.exceptions import NotFittedError

from bochner.errors import BochnerError, FileFormatError, MemoryBudgetError

from .children import patience
from .forged_trees import Content, forged, mutated_bytes

__all__ = ["Study", "run", "tried"]

SECONDS, GIGABYTES = 60, 8
_OWN = "own error"
_NEVER = (SystemError, RecursionError, BufferError, UnboundLocalError, NameError)


@dataclass
class Study:
    """What came of the files."""

    tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    crashes: list[dict[str, Any]] = field(default_factory=list)
    hangs: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, record: dict[str, Any]) -> None:
        self.tried += 1
        self.outcomes[record["outcome"]] += 1
        kept = {"crash": self.crashes, "hang": self.hangs, "fault": self.errors}.get(record["outcome"])
        if kept is not None:
            kept.append(record)
            print(json.dumps(record), file=sys.stderr, flush=True)


def tried(name: str, raw: bytes, true: bytes) -> tuple[str, str]:
    """What comes of one file, forged from a true one, in this process: the outcome and its detail."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forged.bochner"
        try:
            model = _loaded(path, raw)
        except (FileFormatError, MemoryBudgetError) as error:
            return "refused", type(error).__name__
        except Exception:
            return "fault", f"load: {traceback.format_exc(limit=-4)}"
        answers = list(_answers(name, model))
    usual = _usual(name, true) if answers else frozenset()
    found = {outcome: detail for question, outcome, detail in answers if (question, outcome) not in usual}
    worst = next((each for each in ("fault", *sorted(found.keys() - {_OWN}), _OWN) if each in found), "used")
    return worst, found.get(worst, "")


@cache
def _usual(name: str, true: bytes) -> frozenset[tuple[str, str]]:
    """Questions that the true model answers with an error too: a classifier has no error bars."""
    with tempfile.TemporaryDirectory() as folder:
        model = _loaded(Path(folder) / "true.bochner", true)
        return frozenset((question, outcome) for question, outcome, _ in _answers(name, model))


def _loaded(path: Path, raw: bytes) -> Any:
    import bochner as bo

    path.write_bytes(raw)
    return bo.load(path)


def _answers(name: str, model: Any) -> Iterator[tuple[str, str, str]]:
    """Question, outcome and detail of everything that is asked and ends in an error."""
    from .forged_models import asked

    for question, call in asked(name, model):
        try:
            call()
        except Exception as error:
            beyond = type(error) is IndexError and str(error) == "index is out of bounds"  # numba's words
            bad = beyond or question == "save" or isinstance(error, _NEVER)
            own = _OWN if isinstance(error, (BochnerError, NotFittedError)) else f"error: {type(error).__name__}"
            yield question, "fault" if bad else own, f"{question}: {traceback.format_exc(limit=-4)}"


def _file(
    contents: list[tuple[str, bytes]], seed: int, number: int, *, as_bytes: bool
) -> tuple[str, bytes, bytes, list[str]]:
    """Name of the model behind a forged file, its bytes, those of the true one, and what was done to it."""
    from .forged_models import type_names

    rng = random.Random(f"{seed}/{number}")
    name, raw = rng.choice(contents)
    content, done = mutated_bytes(raw, rng) if as_bytes else forged(Content.of(raw, type_names()), rng)
    return name, content, raw, done


def _contents(folder: Path) -> list[tuple[str, bytes]]:
    listed = json.loads((folder / "corpus.json").read_text())
    return [(name, (folder / file).read_bytes()) for name, file in listed]


def work(folder: Path, seed: int, start: int, stop: int, *, as_bytes: bool) -> None:
    """Try the files of some numbers, in a worker: a line before each and one after it."""
    warnings.simplefilter("ignore")
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES * 2**30, GIGABYTES * 2**30))
    os.nice(10)
    contents = _contents(folder)
    for number in range(start, stop):
        print(json.dumps({"number": number}), flush=True)
        seconds = patience() * (300 if number == start else SECONDS)  # loops may compile first
        faulthandler.dump_traceback_later(seconds, exit=True)
        name, raw, true, done = _file(contents, seed, number, as_bytes=as_bytes)
        outcome, detail = tried(name, raw, true)
        faulthandler.cancel_dump_traceback_later()
        record = {"number": number, "model": name, "done": done, "outcome": outcome, "detail": detail}
        print(json.dumps(record), flush=True)


def run(count: int, seed: int, *, as_bytes: bool = False, names: list[str] | None = None) -> Study:
    """Try as many files in worker processes, one after the other; a worker that ends early is followed by another."""
    from .forged_models import corpus

    study, begin, number = Study(), time.monotonic(), 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        listed = [(name, path.name) for name, path in corpus(folder, names)]
        (folder / "corpus.json").write_text(json.dumps(listed))
        while number < count:
            number = _one_worker(study, folder, seed, number, count, as_bytes=as_bytes)
    study.seconds = round(time.monotonic() - begin, 1)
    return study


def _one_worker(study: Study, folder: Path, seed: int, start: int, stop: int, *, as_bytes: bool) -> int:
    """Add the records of one worker; the number of the file that comes next."""
    command = [sys.executable, "-m", "benchmarks.chaos.forged_files", "--work", str(folder), "--seed", str(seed)]
    command += ["--from", str(start), "--count", str(stop), *(["--bytes"] if as_bytes else [])]
    bounds = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(_cache()), "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as errors:
        worker = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, **bounds}
        )
        number, waiting = start, False
        for line in worker.stdout or ():
            record = json.loads(line)
            number, waiting = record["number"], "outcome" not in record
            if not waiting:
                study.add(record)
        code = worker.wait()
        errors.seek(0)
        said = errors.read()
    if code == 0:
        return stop
    if not waiting and number == start:
        raise RuntimeError(f"A worker could not begin: {said[-2000:]}")
    study.add(
        {"number": number, "outcome": "hang" if "Timeout (" in said else "crash", "code": code, "detail": said[-3000:]}
    )
    return number + 1


def _cache() -> Path:
    """Folder of compiled loops that check their bounds; those of the package do not."""
    folder = Path(tempfile.gettempdir()) / f"bochner-checked-loops-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def show(seed: int, number: int, *, as_bytes: bool) -> None:
    """Forge one file again, and print what was done to it and what comes of it."""
    from .forged_models import corpus

    with tempfile.TemporaryDirectory() as folder:
        contents = [(name, path.read_bytes()) for name, path in corpus(Path(folder))]
    name, raw, true, done = _file(contents, seed, number, as_bytes=as_bytes)
    Path(tempfile.gettempdir(), "forged.bochner").write_bytes(raw)
    print(name, done, "in", Path(tempfile.gettempdir(), "forged.bochner"), flush=True)
    print(*tried(name, raw, true), sep="\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the study; 1 if a file did what none may do."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos.forged_files", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=None, help="where to write the result")
    parser.add_argument("--bytes", action="store_true", help="mutate bytes instead of structure")
    parser.add_argument("--only", type=int, default=None, help="try the file of one number in this process")
    parser.add_argument("--work", type=Path, default=None, help=argparse.SUPPRESS)
    parser.add_argument("--from", type=int, default=0, dest="start", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.work is not None:
        work(chosen.work, chosen.seed, chosen.start, chosen.count, as_bytes=chosen.bytes)
        return 0
    if chosen.only is not None:
        show(chosen.seed, chosen.only, as_bytes=chosen.bytes)
        return 0
    study = run(chosen.count, chosen.seed, as_bytes=chosen.bytes)
    text = json.dumps(vars(study), indent=1)
    print(text)
    if chosen.json is not None:
        chosen.json.write_text(text + "\n", encoding="utf-8")
    return 1 if study.crashes or study.hangs or study.errors else 0


if __name__ == "__main__":
    sys.exit(main())

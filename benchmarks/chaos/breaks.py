"""Tests that can fail: the code is broken in a copy, once for every test of `found.toml`, which must fail then.

    python -m benchmarks.chaos.breaks [--again] [parts of names]

Without a break the test must pass in the same copy. What failed is written to benchmarks/results/breaks.json, and from
there to docs/robustness.md; a break that was seen to fail its test is not tried again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree, ignore_patterns

from .shown_by import BROKEN, ROOT, Shown, failed, found

COPIED = ("src", "tests", "benchmarks", "docs")
PASSED, FAILED, CRASHED = 0, 1, range(-64, 0)
"""Exit codes of pytest, and those of signals; others mean that nothing was tested."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos.breaks", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of tests; all unless given")
    parser.add_argument("--again", action="store_true", help="also those that were seen to fail")
    asked = parser.parse_args(arguments)
    listed = {shown.key for tests in found().values() for shown in tests}
    seen = failed() & listed
    held = True
    with copied() as folder:
        for shown in (Shown(*json.loads(key)) for key in sorted(listed)):
            chosen = not asked.names or any(part in shown.test for part in asked.names)
            if not chosen or (shown.key in seen and not asked.again):
                continue
            fails = is_seen_to_fail(folder, shown)
            seen = seen | {shown.key} if fails else seen - {shown.key}
            held = held and fails
            BROKEN.write_text(json.dumps(sorted(seen), indent=1) + "\n", encoding="utf-8")
            print(f"{'fails' if fails else 'DOES NOT FAIL':<14} {shown.test}: {shown.broken}", flush=True)
    return 0 if held else 1


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the project that may be broken, with its compiled loops."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in COPIED:
            copytree(ROOT / part, folder / part, ignore=ignore_patterns("_build", "*.journal"))
        for file in ("pyproject.toml", "README.md", "CHANGELOG.md"):
            (folder / file).write_bytes((ROOT / file).read_bytes())
        yield folder


def is_seen_to_fail(folder: Path, shown: Shown) -> bool:
    """Whether a test passes with the code as it is, and fails with the broken one."""
    path = folder / shown.source
    whole = path.read_text(encoding="utf-8")
    if whole.count(shown.old) != 1:
        print(f"{shown.source} has the text {whole.count(shown.old)} times:\n{shown.old}")
        return False
    if tested(folder, shown) != PASSED:
        print(f"{shown.test} does not pass as it is")
        return False
    path.write_text(whole.replace(shown.old, shown.new), encoding="utf-8")
    try:
        return tested(folder, shown) in (FAILED, *CRASHED)
    finally:
        path.write_text(whole, encoding="utf-8")


def tested(folder: Path, shown: Shown) -> int:
    """The exit code of pytest for one test."""
    line = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "slow or not slow"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (folder / "src", folder)))}
    chosen = [shown.file, "-k", f"test_{shown.name}"]
    done = subprocess.run([*line, *chosen], cwd=folder, env=environment, capture_output=True, timeout=900)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

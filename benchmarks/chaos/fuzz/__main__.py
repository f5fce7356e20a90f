"""Fuzz one reader: python -m benchmarks.chaos.fuzz NAME --seconds S [--folder DIR] [--json FILE].

Findings do not end the run: each is noted once, by the type of the error and the line that raised it, with the input
that made it. A crash, a hang of more than 20 s or more than 4 GB of memory end it, as libFuzzer does.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import traceback
from hashlib import sha256
from pathlib import Path

WORDS = ("nan", "inf", "1e308", "-0", "2020-01-01", "true", ";", "\\x0a", "\\x22", "\\xff\\xfe", "\\xef\\xbb\\xbf", "|")
LIMITS = ("-timeout=20", "-rss_limit_mb=4096", "-max_len=20000", "-print_final_stats=1", "-close_fd_mask=0")


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos.fuzz", description=__doc__)
    parser.add_argument("name", choices=("archive", "tables", "checkpoint"))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--folder", type=Path, default=None, help="where the corpus is kept between runs")
    parser.add_argument("--json", type=Path, default=None, help="file of the counts and findings")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


class Notes:
    """Counts and findings of a run, written every few seconds: libFuzzer does not give control back at its end."""

    def __init__(self, name: str, path: Path | None, folder: Path) -> None:
        self.path, self.folder, self.begin, self.written = path, folder, time.monotonic(), 0.0
        self.found: dict[str, dict[str, object]] = {}
        self.counts = {"target": name, "tried": 0, "read": 0, "refused": 0}

    def add(self, error: BaseException, data: bytes) -> None:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "bochner" in frame.filename]
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        key = f"{type(error).__name__} at {where}"
        if key not in self.found:
            name = f"finding-{sha256(data).hexdigest()[:12]}"
            (self.folder / name).write_bytes(data)
            self.found[key] = {"what": key, "message": str(error)[:300], "input": name, "times": 0}
            print(f"\nfound: {key}: {str(error)[:200]} ({name})", file=sys.stderr, flush=True)
        self.found[key]["times"] = int(str(self.found[key]["times"])) + 1

    def write(self) -> None:
        now = time.monotonic()
        if self.path is None or now - self.written < 2:
            return
        self.written = now
        seconds = round(now - self.begin, 1)
        self.path.write_text(json.dumps({**self.counts, "seconds": seconds, "findings": list(self.found.values())}))


def main() -> int:
    asked = parsed()
    try:
        import atheris
    except ImportError:
        print("atheris is not installed. Run: pip install --group chaos", file=sys.stderr)
        return 2
    from importlib import import_module

    with atheris.instrument_imports(include=["bochner._archive", "bochner.data", "bochner.tables", "bochner.statistics",
                                             "bochner.fitting"]):  # fmt: skip
        for module in ("bochner._archive", "bochner.data.csv", "bochner.data.whole_table", "bochner.tables",
                       "bochner.statistics", "bochner.fitting"):  # fmt: skip
            import_module(module)
    from bochner.errors import BochnerError

    from .sealed import mutate
    from .targets import TARGETS

    target = TARGETS[asked.name]
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(target.seeds()):
        (corpus / f"seed-{i}").write_bytes(seed)
    words = folder / "words"
    words.write_text("".join(f'"{word}"\n' for word in WORDS))
    notes = Notes(asked.name, asked.json, folder)

    def one(data: bytes) -> None:
        notes.counts["tried"] += 1
        try:
            target.run(data, folder)
            notes.counts["read"] += 1
        except BochnerError:
            notes.counts["refused"] += 1
        except Exception as error:
            notes.add(error, data)
        notes.write()

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        """A document is changed as a tree, three times in four; other bytes as libFuzzer does."""
        if target.documents and data.startswith(b"{") and seed % 4:
            try:
                return json.dumps(mutate(json.loads(data), seed)).encode()[:most]
            except (ValueError, TypeError, OverflowError, RecursionError):
                pass
        return atheris.Mutate(data, most)

    options = [
        f"-max_total_time={asked.seconds}",
        f"-artifact_prefix={folder}/",
        f"-dict={words}",
        f"-seed={asked.seed}",
    ]
    given = [sys.argv[0], *LIMITS, *options, str(corpus)]
    if target.documents:
        atheris.Setup(given, one, custom_mutator=mutated)
    else:
        atheris.Setup(given, one)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())

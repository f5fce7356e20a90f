"""Code metrics of a source tree against their limits: `make metrics`.

    python tools/metrics.py [--tree src/bochner] [--json FILE] [--list MEASURE]

Prints a table of measure, value and limit, and exits with 1 if a limit is broken. `--list` prints the places behind
one measure instead. Everything is read from the syntax trees of the files: nothing is imported, and the tree need not
run. The exact rule of each measure is the docstring of its counter.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path

if __package__ in (None, ""):  # run as a script: the folder beside this file is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.counters import coupling, size
from tools.counters.repetition import repetitions, repetitions_with_headers
from tools.counters.source import Place, Tree

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Measure:
    """A number of a tree, the largest allowed value (None: for information) and how its places are found."""

    name: str
    title: str
    limit: int | None
    places: Callable[[Tree], list[Place]]
    value: Callable[[list[Place]], int] = len


def total(places: list[Place]) -> int:
    """Sum of the numbers of the places."""
    return sum(place.number for place in places)


def quantile(level: float) -> Callable[[list[Place]], int]:
    """Quantile of the numbers of the places: the smallest number that at least a share `level` does not exceed."""

    def value(places: list[Place]) -> int:
        numbers = sorted(place.number for place in places)
        return numbers[max(1, ceil(level * len(numbers))) - 1] if numbers else 0

    return value


MEASURES = (
    Measure("takes-estimator", "functions below estimators/ that take an estimator", 0, coupling.estimator_arguments),
    Measure("isinstance", "isinstance on own classes", 12, coupling.type_checks),
    Measure("foreign-private", "reads of foreign private attributes", 10, coupling.foreign_privates),
    Measure("any", "occurrences of Any", 600, coupling.any_names),
    Measure("long-file", "files over 350 lines", 0, size.long_files),
    Measure("complexity", "functions of cyclomatic complexity over 10", 10, size.complex_functions),
    Measure("face", "lines of KernelRegressor", 250, size.face, total),
    Measure("repetition", "repeated runs of 6 or more code lines", 0, repetitions),
    Measure("helper-takes-estimator", "functions in estimators/ handed an estimator", None, coupling.helper_arguments),
    Measure("inner-isinstance", "isinstance without kernels, errors and shells", None, coupling.inner_type_checks),
    Measure("repetition-headers", "repeated runs, signatures compared too", None, repetitions_with_headers),
    Measure("function-median", "code lines of a function, median", None, size.function_lengths, quantile(0.5)),
    Measure("function-95", "code lines of a function, 95th percentile", None, size.function_lengths, quantile(0.95)),
    Measure("files", "files", None, size.files),
)


@dataclass(frozen=True)
class Result:
    """A measure taken on a tree."""

    measure: Measure
    value: int
    places: list[Place]

    @property
    def holds(self) -> bool:
        return self.measure.limit is None or self.value <= self.measure.limit


def measured(tree: Tree, measures: tuple[Measure, ...] = MEASURES) -> Iterator[Result]:
    """Each measure on a tree."""
    for measure in measures:
        places = measure.places(tree)
        yield Result(measure, measure.value(places), places)


def table(results: list[Result]) -> str:
    """The results as a Markdown table; a broken limit is marked."""
    rows = [("measure", "value", "limit", "")]
    for result in results:
        limit = "" if result.measure.limit is None else str(result.measure.limit)
        rows.append((result.measure.title, str(result.value), limit, "" if result.holds else "broken"))
    widths = [max(map(len, column)) for column in zip(*rows)]
    rows.insert(1, tuple("-" * width for width in widths))
    lines = (
        f"| {title:<{widths[0]}} | {value:>{widths[1]}} | {limit:>{widths[2]}} | {note:<{widths[3]}} |"
        for title, value, limit, note in rows
    )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Code metrics of a source tree against their limits.")
    parser.add_argument("--tree", type=Path, default=ROOT / "src" / "bochner", help="package folder to measure")
    parser.add_argument("--json", type=Path, help="also write values and limits to this file")
    parser.add_argument("--list", choices=[m.name for m in MEASURES], help="print the places behind one measure")
    options = parser.parse_args(arguments)
    tree = Tree.read(options.tree)
    if options.list:
        (result,) = measured(tree, tuple(m for m in MEASURES if m.name == options.list))
        print("\n".join(map(str, result.places)))
        print(f"{result.measure.title}: {result.value}")
        return 0
    results = list(measured(tree))
    print(table(results))
    if options.json:
        values = {r.measure.name: {"value": r.value, "limit": r.measure.limit, "holds": r.holds} for r in results}
        options.json.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    return int(not all(result.holds for result in results))


if __name__ == "__main__":
    sys.exit(main())

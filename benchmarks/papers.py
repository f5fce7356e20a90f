"""Run the papers' experiments at full size and keep numbers and figures for `docs/papers.md`.

    python benchmarks/papers.py                      all that lack a result, or whose settings have changed
    python benchmarks/papers.py NAME ...             these, whether or not they have one
    python benchmarks/papers.py --add [NAME ...]     only the methods that stored results of `raj` lack
    python benchmarks/papers.py --draw [NAME ...]    only the figures, from the stored numbers

Numbers go to benchmarks/results/papers, figures to docs/_static/papers.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bochner._json import plain
from bochner._threads import single_threaded_blas
from bochner.reproduce import EXPERIMENTS, names, run

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "papers"
FIGURES = ROOT / "docs" / "_static" / "papers"
PAPERS = ("sutherland-schneider", "li-honorio", "rudi-rosasco", "zhu-li", "raj")


def kept():
    """Names of the experiments whose full results are kept."""
    return [name for paper in PAPERS for name in names(paper)]


def is_current(name):
    """Whether there is a result with the parameters of today's full setting."""
    return has_result(name) and stored(name)["parameters"] == plain(EXPERIMENTS[name].full)


def has_result(name):
    return (RESULTS / f"{name}.json").exists()


def stored(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def measure(name):
    run(name, "full", RESULTS)
    keep_figure(name)


def add(name):
    """Measure the methods that a stored result lacks, at its parameters; what it has stays as it is."""
    if not is_current(name):
        raise SystemExit(f"{name} has no result at today's settings: python benchmarks/papers.py {name}")
    experiment, numbers = EXPERIMENTS[name], stored(name)["numbers"]
    with single_threaded_blas():
        lacking = experiment.measure(**experiment.full, without=tuple(numbers["methods"]))
    methods = {**numbers["methods"], **lacking["methods"]}
    experiment.write(name, RESULTS, experiment.full, {**numbers, "methods": methods})
    keep_figure(name)


def keep_figure(name):
    FIGURES.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.png").replace(FIGURES / f"{name}.png")


def draw(name):
    FIGURES.mkdir(parents=True, exist_ok=True)
    EXPERIMENTS[name].save_figure(stored(name)["numbers"], FIGURES / f"{name}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--add", action="store_true", help="only the methods that stored results of raj lack")
    only.add_argument("--draw", action="store_true", help="only the figures, from the stored numbers")
    options = parser.parse_args()
    chosen = [each for name in options.names for each in names(name)]
    if options.draw:
        for name in chosen or filter(has_result, kept()):
            draw(name)
        return
    lacking = names("raj") if options.add else [name for name in kept() if not is_current(name)]
    for name in chosen or lacking:
        obstacle = EXPERIMENTS[name].obstacle()
        print(name if obstacle is None else f"{name} skipped: it {obstacle}", flush=True)
        if obstacle is None:
            (add if options.add else measure)(name)


if __name__ == "__main__":
    main()

"""Run the papers' experiments at full size and keep numbers and figures for `docs/papers.md`.

    python benchmarks/papers.py                      all that lack a result, or whose settings have changed
    python benchmarks/papers.py NAME ...             these, whether or not they have one
    python benchmarks/papers.py --draw [NAME ...]    only the figures, from the stored numbers

Numbers go to benchmarks/results/papers, figures to docs/_static/papers.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bochner._json import plain
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
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return False
    return json.loads(path.read_text())["parameters"] == plain(EXPERIMENTS[name].full)


def measure(name):
    run(name, "full", RESULTS)
    FIGURES.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.png").replace(FIGURES / f"{name}.png")


def draw(name):
    FIGURES.mkdir(parents=True, exist_ok=True)
    numbers = json.loads((RESULTS / f"{name}.json").read_text())["numbers"]
    EXPERIMENTS[name].save_figure(numbers, FIGURES / f"{name}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--draw", action="store_true", help="only the figures, from the stored numbers")
    options = parser.parse_args()
    chosen = [each for name in options.names for each in names(name)]
    if options.draw:
        for name in chosen or [name for name in kept() if (RESULTS / f"{name}.json").exists()]:
            draw(name)
        return
    for name in chosen or [name for name in kept() if not is_current(name)]:
        obstacle = EXPERIMENTS[name].obstacle()
        print(name if obstacle is None else f"{name} skipped: it {obstacle}", flush=True)
        if obstacle is None:
            measure(name)


if __name__ == "__main__":
    main()

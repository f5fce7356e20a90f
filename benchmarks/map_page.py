"""The page on feature maps, docs/maps.md, made from the JSON of maps.py and map_speed.py: nobody types a number."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import bochner as bo
from bochner.errors import AssumptionError

Found = dict[str, Any]
CLOSE = 1.05
"""A map is close to the best if its error is larger by this factor at most."""
SAME = 0.02
"""A sampler brings nothing where the test error is that of Monte Carlo to this share."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def grid(found: Found) -> tuple[list[str], list[str], dict[tuple[str, str], Found]]:
    """Tables, maps, and the line of each pair."""
    cells = {(line["map"], line["table"]): line for line in found["rows"]}
    return list(dict.fromkeys(t for _, t in cells)), list(dict.fromkeys(m for m, _ in cells)), cells


def errors(found: Found, part: str, key: str) -> str:
    """A table of errors, the smallest of a column in bold; with widths where they differ by table."""
    tables, maps, cells = grid(found)
    values = {place: line[part][key] for place, line in cells.items() if line[part] is not None}
    best = {t: min(values[m, t] for m in maps if (m, t) in values) for t in tables}

    def cell(m: str, t: str) -> str:
        if (m, t) not in values:
            return "too wide"
        shown = f"{values[m, t]:.3g}"
        shown = f"**{shown}**" if values[m, t] == best[t] else shown
        return shown if part == "bytes" else f"{shown} ({cells[m, t][part]['width']:,})"

    return table(["map", *tables], [[m, *(cell(m, t) for t in tables)] for m in maps])


def places(found: Found, part: str) -> dict[str, tuple[list[str], list[str]]]:
    """For every map the tables on which its test error is the smallest, and those on which it is close to that."""
    tables, maps, cells = grid(found)
    result: dict[str, tuple[list[str], list[str]]] = {m: ([], []) for m in maps}
    for t in tables:
        values = {m: cells[m, t][part]["test_error"] for m in maps if cells[m, t][part] is not None}
        best = min(values.values())
        for m, value in values.items():
            if value <= CLOSE * best:
                result[m][value > best].append(t)
    return result


def verdicts(found: Found) -> str:
    """Where each map wins, where it is close, and that it is neither, at equal bytes and at equal seconds."""
    parts = {part: places(found, part) for part in ("bytes", "seconds")}

    def said(won: list[str], close: list[str]) -> str:
        words = [f"best on {', '.join(won)}"] if won else []
        words += [f"close on {', '.join(close)}"] if close else []
        return "; ".join(words) or "does not pay"

    rows = [[m, *(said(*parts[part][m]) for part in parts)] for m in parts["bytes"]]
    return table(["map", "equal bytes", "equal seconds"], rows)


def noise(found: Found) -> str:
    """How equal the seconds are, by a second measurement at the widths that were chosen."""
    tables, maps, cells = grid(found)
    taken = [
        cells[m, t]["seconds"]["microseconds"] / cells[maps[0], t]["seconds"]["microseconds"]
        for t in tables
        for m in maps[1:]
        if cells[m, t]["seconds"] is not None
    ]
    low, middle, high = np.quantile(taken, (0.1, 0.5, 0.9))
    return (
        f"Timed again at these widths, maps took {middle:.2f} times the seconds in the median, and from {low:.2f} to "
        f"{high:.2f} in four fifths of the cases: the machine was shared, and single widths are off by as much."
    )


def samplers(found: Found) -> tuple[str, str]:
    """Errors of other samplers over those of Monte Carlo, geometric means of the tables, by width; and in words."""
    tables, maps, cells = grid(found)
    first, *others = [m for m in maps if "widths" in cells[m, tables[0]]]
    widths = list(cells[first, tables[0]]["widths"])

    def ratio(m: str, width: str, key: str) -> float:
        pairs = [[cells[each, t]["widths"][width][key] for each in (m, first)] for t in tables]
        return float(np.exp(np.mean([np.log(a / b) for a, b in pairs])))

    rows, sentences = [], []
    for m in others:
        kernel, test = ([ratio(m, width, key) for width in widths] for key in ("kernel_error", "test_error"))
        rows.append([m, *(f"{a:.2f}, {b:.3f}" for a, b in zip(kernel, test))])
        sentences.append(sentence(m, widths, kernel, test))
    return table(["sampler", *(f"D = {int(width):,}" for width in widths)], rows), "\n".join(sentences)


def sentence(name: str, widths: Sequence[str], kernel: Sequence[float], test: Sequence[float]) -> str:
    """What a sampler brings at the narrowest and at the widest map, in words."""
    words = []
    for at in (0, -1):
        change = test[at] - 1
        gain = "the same" if abs(change) <= SAME else "smaller" if change < 0 else "larger"
        words.append(
            f"at D = {int(widths[at]):,} the test error is {gain} ({100 * change:+.1f} %, kernel error "
            f"{100 * (kernel[at] - 1):+.0f} %)"
        )
    return f"- {name}: {', '.join(words)}."


def speed(found: Found) -> str:
    rows = [
        [line["what"], line["dtype"], f"{line['d']:,}", f"{line['width']:,}", line["need"], f"{line['ratio']:.2f}",
         "yes" if line["met"] else "**no**"]
        for line in found["rows"]
    ]  # fmt: skip
    return table(["what", "type", "d", "width", "wanted", "measured", "met"], rows)


def constants() -> str:
    """kappa of every map on some histograms, or why it has none."""
    X = np.random.default_rng(0).dirichlet(np.ones(4), 50)
    maps = [
        ("Fourier features, pairs", bo.FourierFeatures(bo.Gaussian(), random_state=0)),
        ("Fourier features, phases", bo.FourierFeatures(bo.Gaussian(), embedding="phase", random_state=0)),
        ("Fourier features, orthogonal", bo.FourierFeatures(bo.Gaussian(), sampling="orthogonal", random_state=0)),
        ("Fourier features, SORF", bo.FourierFeatures(bo.Gaussian(), sampling="sorf", random_state=0)),
        ("signs", bo.SignFeatures(random_state=0)),
        ("binary codes", bo.SignFeatures(bo.Gaussian(), random_state=0)),
        ("arc-cosine of degree 0", bo.ArcCosineFeatures(bo.ArcCosine(0), random_state=0)),
        ("arc-cosine of degree 1, 2", bo.ArcCosineFeatures(random_state=0)),
        ("Laplace", bo.LaplaceFeatures(random_state=0)),
        ("Maclaurin, polynomial", bo.MaclaurinFeatures(bo.Polynomial(2), n_components=4096, random_state=0)),
        ("Maclaurin, exponential", bo.MaclaurinFeatures(bo.Exponential(), random_state=0)),
        ("positive", bo.PositiveFeatures(random_state=0)),
        ("TensorSketch", bo.TensorSketchFeatures(random_state=0)),
        ("additive", bo.AdditiveFeatures()),
        ("linear sketch", bo.SketchFeatures(random_state=0)),
    ]
    return table(["map", "kappa", "status"], [[name, *constant(each.fit(X), X)] for name, each in maps])


def constant(features: Any, X: np.ndarray) -> tuple[str, str]:
    try:
        bound = features.bounded_features(X)
    except AssumptionError as error:
        return "none", str(error)
    depends = abs(bound.kappa - features.bounded_features(X / 2).kappa) > 1e-9 * bound.kappa
    return "by the largest row" if depends else f"{bound.kappa:.4g}", bound.status.name


TEXT = """# Feature maps compared

Every map of the catalogue on equal bytes and on equal seconds. This page is written by `benchmarks/maps.py` from
`benchmarks/results/maps.json` and `map_speed.json`; do not edit it. {machine}, bochner {bochner}.

Ridge regression (of labels as signs, for classes) on {n_train:,} training rows, errors on {n_test:,} test rows,
means of the splits {splits}. Length scale, degree or kernel of a family, and the penalty, were chosen by split
{chosen_on}. Columns are standardised, in units of the root of their number; between 0 and 1 for histogram maps;
arc-cosine, signs and the linear sketch have a constant column. All Fourier maps and the landmarks share one Gaussian
kernel a table. The error of a regression is over that of the mean, of a classification the share of wrong labels.
Differences of a few per cent between maps are noise at these sizes.

## Where each map pays

*Best*: the smallest test error of a column below. *Close*: within {close:.0f} % of it. A map that is neither on any
table is said not to pay here; it may be wanted for another reason: bits, sparse rows, histograms, certificates.

{verdicts}

## Equal bytes

{kilobytes:g} KB of features a row: {width:,} numbers in float32, or {n_bits:,} bits for signs and codes. Additive
features have a fixed number for each column. Test error:

{bytes_test}

Error of the kernel, ||Z Z' - K|| / ||K|| in Frobenius' norm on {n_kernel} rows, each map against its own kernel:

{bytes_kernel}

## Equal seconds

As wide (in brackets) as the seconds of {width_of_seconds:,} Fourier features allow, {widest:,} at most: transform of
the training rows in float32, one thread. {noise} Test error:

{seconds_test}

Error of the kernel:

{seconds_kernel}

## Orthogonal, quasi-Monte Carlo and structured frequencies

Kernel error and test error over those of independent frequencies at the same width, geometric means of the tables:

{samplers}

{sampler_words}

Each sampler has a penalty of its own, chosen at D = 512; differences of a few per cent are noise. A smaller kernel
error need not be a smaller test error. SORF's kernel error does not fall to 0 with the width: its frequencies are not
normal.

Structured frequencies are for speed where there are many columns: see below. No rule of the library chooses them:
`sampling="sorf"` and `"fastfood"` are given by name.

## Speed

Processor seconds of one thread, ours and the peer in turn in one process, the smallest of several rounds
(`benchmarks/map_speed.py`).

{speed}

{speed_words}

## Constants of the theory

Rudi and Rosasco's theorems are for independent draws of a feature with $|\\psi| \\le \\kappa$, $z = \\psi/\\sqrt M$:
then $F_\\infty(\\lambda) \\le \\kappa^2/\\lambda$, and `theory.bounded.BoundedFeatures` has the count of the operator
bound, $8 (\\kappa^2/\\lambda + \\frac16) \\log(8 N(\\lambda)/\\delta)$. `features.bounded_features(X)` says kappa, or
why there is none; for kernels with $k(0) = 1$:

{constants}

A linear sketch has a bound of its own, `theory.sketch.JohnsonLindenstrauss` ([proof](theory.md#proofs)).
"""


def page(results: Path) -> str:
    """The whole page."""
    found, fast = (json.loads((results / f"{name}.json").read_text()) for name in ("maps", "map_speed"))
    by_width, words = samplers(found)
    return TEXT.format(
        **{key: found[key] for key in ("machine", "bochner", "n_train", "n_test", "n_kernel", "chosen_on", "width",
                                       "width_of_seconds", "widest")},
        splits=" and ".join(map(str, found["splits"])), close=100 * (CLOSE - 1), verdicts=verdicts(found),
        kilobytes=found["width"] * 4 / 1024, n_bits=found["width"] * found["bits"],
        bytes_test=errors(found, "bytes", "test_error"), bytes_kernel=errors(found, "bytes", "kernel_error"),
        seconds_test=errors(found, "seconds", "test_error"), seconds_kernel=errors(found, "seconds", "kernel_error"),
        noise=noise(found), samplers=by_width, sampler_words=words,
        speed=speed(fast), speed_words=missed(fast), constants=constants(),
    )  # fmt: skip


REASONS = {
    "over GEMM": "GEMM at few columns is bound by the memory that it writes: the second pass over a tile, the look at "
    "all entries of the input (not a number, too large to be squared) and the smaller tiles are what is above it. The "
    "more columns, the less.",
    "100 queries": "one GEMM for many queries reuses what it has loaded, and reaches many times the rate of one query; "
    "counts of bits gain nothing from a batch.",
}
"""Why a wanted ratio may be missed, by words in its name."""


def missed(found: Found) -> str:
    """The measured reasons of ratios that are not met."""
    named = [line["what"] for line in found["rows"] if not line["met"]]
    reasons = [f"- {words}: {why}" for words, why in REASONS.items() if any(words in name for name in named)]
    return "Where it is not met:\n\n" + "\n".join(reasons) if reasons else "All are met."

"""The page on the default call, made from the JSON of the defaults benchmark: nobody types a number.

`markdown(name, found)` is one table, `page(found)` the whole of docs/defaults.md. Losses are marked: errors above the
baseline are bold, and every table names the peers that are better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Found = dict[str, Any]
Table = tuple[Sequence[str], list[Sequence[str]]]
TITLES = {
    "trees": "boosted trees", "kernel_ridge": "kernel ridge", "svr": "SVR", "svc": "`SVC`", "gp": "GP, 1,000 rows",
    "linear": "linear",
}  # fmt: skip
PEERS = {
    "regression": ("trees", "kernel_ridge", "svr", "gp", "linear"),
    "classification": ("trees", "svc", "linear"),
}
CLOSE = 1.05
"""A peer is called better if its error is smaller by this factor."""


def percent(value: float | None, digits: int = 1) -> str:
    return "failed" if value is None else f"{100 * value:.{digits}f} %"


def number(value: float | None) -> str:
    return "failed" if value is None else f"{value:.3g}"


def met(value: bool | None) -> str:
    return {True: "yes", False: "**no**", None: "not measured"}[value]


def said(row: Found, words: Callable[[Found], str]) -> str:
    """The words of a summary row, if anything was measured."""
    return "" if row["met"] is None else words(row)


def reached(found: Found) -> Table:
    """The rows of the requirement, each with what was measured."""
    s = found["summary"]

    def worse(row: Found) -> str:
        return f"{row['worse']} of {row['fits']}"

    def spread(row: Found) -> str:
        return f"median {number(row['median'])}, worst {number(row['worst'])} ({row['worst_at']})"

    def trees(row: Found) -> str:
        return f"median {number(row['median'])}, better on {percent(row['share_better'], 0)} of {row['tables']}"

    def points(row: Found) -> str:
        worst = "failed" if row["worst"] is None else f"{row['worst']:+.2f}"
        return f"{row['within']} of {row['tables']}, worst {worst} points ({row['worst_at']})"

    def cover(row: Found) -> str:
        return f"{percent(row['least'])} to {percent(row['most'])}, {len(row['outside'])} of {row['tables']} outside"

    rows = [
        ("regression: fits worse than 1.01 times the mean", "0", worse, "worse_than_mean"),
        ("classification: fits worse than 1.01 times the majority", "0", worse, "worse_than_majority"),
        ("error over that of our own best rule", "median 1.10, worst 1.30", spread, "own_best"),
        ("error over that of boosted trees, raw tables", "median below 1, better on 60 %", trees, "trees"),
        ("the same, real tables", "", trees, "trees_real"),
        ("the same, synthetic tables", "", trees, "trees_synthetic"),
        ("classification: error at most 0.5 points above `SVC`", "all", points, "svc"),
        ("seconds of the default fit, 8,000 x 20", "8", lambda row: number(row["seconds"]), "times"),
        ("coverage of 90 % intervals", "85 to 95 % on every table", cover, "coverage"),
    ]
    lines: list[Sequence[str]] = [
        (what, need, said(s[key], words), met(s[key]["met"])) for what, need, words, key in rows
    ]
    times = s["times"]
    lines.append(("seconds over those of boosted trees, raw tables", "", spread(times) if times["tables"] else "", ""))
    return ("what", "at least", "reached", "met"), lines


def cells_of(found: Found, task: str) -> dict[str, dict[tuple[str, str], Found]]:
    """Rows of the JSON by table, then by (variant, method)."""
    tables: dict[str, dict[tuple[str, str], Found]] = {}
    for row in found["tables"]:
        if row["task"] == task:
            tables.setdefault(row["table"], {})[row["variant"], row["method"]] = row
    return tables


def get(cells: dict[tuple[str, str], Found], variant: str, method: str) -> Found | None:
    return cells.get((variant, method)) or cells.get(("scaled", method))


def size(name: str, cells: dict[tuple[str, str], Found]) -> str:
    first = next(iter(cells.values()))
    return f"{name} ({first['n']:,} x {first['d']})"


def error(row: Found | None, task: str) -> str:
    """A mean error, in bold if it is above the baseline's."""
    if row is None:
        return "not run"
    if row["mean_error"] is None:
        return "**failed**"
    shown = number(row["mean_error"]) if task == "regression" else percent(row["mean_error"], 2)
    above = row["mean_error"] > 1.01 * sum(row["baseline"]) / len(row["baseline"])
    return f"**{shown}**" if above else shown


def better_peers(cells: dict[tuple[str, str], Found], task: str) -> list[str]:
    """Peers with a smaller error than ours on the raw table, by 5 % at least; all that ran, if ours failed."""
    ours = cells.get(("raw", "ours"))
    if ours is None:
        return []
    named = [(name, get(cells, "raw", name)) for name in PEERS[task]]
    errors = {name: row["mean_error"] for name, row in named if row and row["mean_error"] is not None}
    own = ours["mean_error"]
    return [TITLES[name] for name, value in errors.items() if own is None or CLOSE * value < own]


def errors_of(found: Found, task: str) -> Table:
    """Ours raw and standardised beside the peers, and which of them are better."""
    peers, lines = PEERS[task], []
    for name, cells in cells_of(found, task).items():
        shown = [error(cells.get((variant, "ours")), task) for variant in ("raw", "standardised")]
        shown += [error(get(cells, "raw", peer), task) for peer in peers]
        lines.append((size(name, cells), *shown, ", ".join(better_peers(cells, task)) or "none"))
    return ("table", "ours, raw", "ours, standardised", *(TITLES[peer] for peer in peers), "better than ours"), lines


def regression(found: Found) -> Table:
    return errors_of(found, "regression")


def classification(found: Found) -> Table:
    """With the majority's error rate."""
    header, lines = errors_of(found, "classification")
    for position, cells in enumerate(cells_of(found, "classification").values()):
        rates = next(iter(cells.values()))["baseline"]
        lines[position] = (*lines[position][:-1], percent(sum(rates) / len(rates), 2), lines[position][-1])
    return (*header[:-1], "majority", header[-1]), lines


def own_rules(found: Found) -> Table:
    """Our own rules beside the default, and the ratio to the best of them."""
    rules = sorted({row["method"] for row in found["tables"] if row["method"].startswith("own_")})
    ratios, lines = found["summary"]["own_best"]["each"], []
    for name, cells in cells_of(found, "regression").items():
        for variant in ("raw", "standardised"):
            if (variant, "ours") in cells and f"{name}, {variant}" in ratios:
                shown = [error(cells.get((variant, rule)), "regression") for rule in ("ours", *rules)]
                lines.append((f"{name}, {variant}", *shown, number(ratios[f"{name}, {variant}"])))
    titles = [rule.removeprefix("own_").replace("_", ", ") for rule in rules]
    return ("table", "default", *titles, "default over best"), lines


def fits(found: Found) -> Table:
    """What the default chose, its seconds, its intervals and its warnings."""
    lines = []
    for task in PEERS:
        for name, cells in cells_of(found, task).items():
            trees = cells.get(("raw", "trees"))
            lines += [
                fit_line(f"{name}, {variant}", cells[variant, "ours"], trees)
                for variant in ("raw", "standardised")
                if (variant, "ours") in cells
            ]
    header = ("table", "kernel", "width", "alpha", "scales per column", "fit, s", "trees, s", "predict, s",
              "90 % intervals cover", "warnings")  # fmt: skip
    return header, lines


def fit_line(name: str, row: Found, trees: Found | None) -> Sequence[str]:
    covers = [value for value in row.get("coverage", []) if value is not None]
    return (
        name, counted(row.get("kernel", [])), span(row.get("width", [])), span(row.get("alpha", [])),
        f"{sum(bool(value) for value in row.get('per_column', []))} of {len(row['folds'])}",
        number(row["fit_seconds"]), "not run" if trees is None else number(trees["fit_seconds"]),
        number(row["predict_seconds"]), percent(sum(covers) / len(covers)) if covers else "",
        ", ".join(f"{warning} ({count})" for warning, count in row["warnings"].items()),
    )  # fmt: skip


def counted(names: Sequence[str | None]) -> str:
    """Different names, each once, in the order of the splits."""
    return "; ".join(dict.fromkeys(name for name in names if name is not None))


def span(values: Sequence[float | None]) -> str:
    """The smallest and the largest."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    ends = [f"{value:,}" if isinstance(value, int) else f"{value:.2g}" for value in (min(known), max(known))]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def worse(found: Found) -> Table:
    """Every single fit of ours that was worse than the mean or the majority."""
    rows = [row for key in ("worse_than_mean", "worse_than_majority") for row in found["summary"][key]["where"]]
    lines = [(table, variant, str(fold), number(value), number(base)) for table, variant, fold, value, base in rows]
    return ("table", "rows", "split", "error", "mean or majority"), lines or [("none", "", "", "", "")]


def left_out(found: Found) -> Table:
    return ("file", "why it is left out"), list(found["left_out"].items())


TABLES: dict[str, Callable[[Found], Table]] = {
    "reached": reached, "worse": worse, "regression": regression, "own_rules": own_rules,
    "classification": classification, "fits": fits, "left_out": left_out,
}  # fmt: skip


def markdown(name: str, found: Found) -> str:
    """One table as Markdown."""
    header, rows = TABLES[name](found)
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(str(part) for part in line)} |" for line in lines)


TEXT = """# The default call

What `KernelRegressor(random_state=0)` and `KernelClassifier(random_state=0)` do with nothing set, on raw and on
standardised tables. This page is written by `benchmarks/defaults.py` from `benchmarks/results/defaults.json`; do not
edit it. Splits {folds} of 5 to 9; 0 to 4 were used to choose the rules. Up to 8,000 training and 4,000 test rows; the
`mixed_*` tables go through `TableEncoder`, fitted to the training rows. Tables with a training and a test part keep to
it; others without folds are split at random. Targets are as in the files. {machine}, bochner {bochner}. {mixed}

{reached}

## Worse than the mean or the majority

{worse}

## Regression

Root mean squared error over that of the mean of the training rows, mean of the splits; bold above 1.01. *Better than
ours*: peers whose error is smaller than that of ours on raw rows by a twentieth at least. Kernel ridge, SVR (4,000 rows
at most) and the Gaussian process have scaled columns; the first two a small grid on held-out rows. Synthetic tables are
the last ones.

{regression}

## Against our own rules

The penalty rule and the scale rule given, all else by default.

{own_rules}

## Classification

Share of test rows that are wrong; bold above 1.01 times the majority's. `SVC` has scaled columns, and C of 1, 10 or 100
by a held-out quarter of the training rows.

{classification}

## What was chosen, time and intervals

Seconds are medians of the splits. Warnings are those of fit and predictions, with the number of splits that had them.

{fits}

## Left out

{left_out}
"""


def mixed(found: Found) -> str:
    """The state of the library that was measured, with a caution if there are several."""
    counts = found["libraries"]
    named = ", ".join(f"{name} ({count} fits)" for name, count in counts.items())
    if len(counts) < 2:
        return f"State of the sources: {named or 'none measured'}."
    return f"**Caution: fits of {len(counts)} states of the sources are mixed: {named}.**"


def page(found: Found) -> str:
    """The whole page."""
    tables = {name: markdown(name, found) for name in TABLES}
    folds = ", ".join(str(fold) for fold in found["folds"])
    state = f"{mixed(found)} {found.get('note', '')}".rstrip()
    return TEXT.format(folds=folds, machine=found["machine"], bochner=found["bochner"], mixed=state, **tables)

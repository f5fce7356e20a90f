"""The page on the peers, made from the JSON of the peers benchmark: nobody types a number, losses stand beside wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import sqrt
from statistics import fmean, geometric_mean, median
from typing import Any

Record = dict[str, Any]
TITLES = {
    "ours": "ours", "own_exact": "ours, exact", "own_metric": "ours, metric", "xrfm": "xRFM",
    "xrfm_draws": "xRFM, 16 draws", "trees": "boosted trees", "lightgbm": "LightGBM",
    "lightgbm_draws": "LightGBM, 16 draws", "svm": "SVM", "kernel_ridge": "kernel ridge", "linear": "linear",
}  # fmt: skip
PEERS = ("xrfm", "xrfm_draws", "trees", "lightgbm", "lightgbm_draws", "svm", "kernel_ridge", "linear")
OURS = ("ours", "own_exact", "own_metric")
TIE = 1.01
"""Errors within this factor are a tie."""
Z = 1.96


def summary(records: Iterable[Record]) -> list[Record]:
    """Every way of ours against every peer, over the tables that have both."""
    cells = defaultdict(dict)
    for record in records:
        cells[record["task"], record["table"], record["method"]][record["fold"]] = record
    found = []
    for task in ("regression", "classification"):
        for mine in OURS:
            for peer in PEERS:
                row = against(cells, task, mine, peer)
                if row["tables"]:
                    found.append({"task": task, "ours": mine, "peer": peer, **row})
    return found


def against(cells: dict[tuple[str, str, str], dict[int, Record]], task: str, mine: str, peer: str) -> Record:
    """Wins, ties and losses by the mean ratio of errors over the folds that both have; limits of the share of wins."""
    ratios, times = {}, []
    for table in sorted({name for kind, name, _ in cells if kind == task}):
        a, b = cells.get((task, table, mine), {}), cells.get((task, table, peer), {})
        both = [(a[fold], b[fold]) for fold in a.keys() & b.keys() if None not in (a[fold]["error"], b[fold]["error"])]
        if both:
            ratios[table] = geometric_mean(_error(x) / _error(y) for x, y in both)
            times.append(median(x["fit_seconds"] / y["fit_seconds"] for x, y in both))
    wins, losses = [t for t, r in ratios.items() if r < 1 / TIE], [t for t, r in ratios.items() if r > TIE]
    return {
        "tables": len(ratios), "wins": len(wins), "ties": len(ratios) - len(wins) - len(losses), "losses": len(losses),
        "lost": {table: ratios[table] for table in losses}, "median_ratio": median(ratios.values()) if ratios else None,
        "median_time": median(times) if times else None, "limits": wilson(len(wins), len(wins) + len(losses)),
    }  # fmt: skip


def _error(record: Record) -> float:
    """The error, at least half a row of the test rows, so that ratios of classifiers without an error are numbers."""
    return max(record["error"], 0.5 / record["n_test"])


def wilson(successes: int, n: int) -> tuple[float, float] | None:
    """95 % confidence limits of a share (Wilson 1927)."""
    if n == 0:
        return None
    share, z2 = successes / n, Z**2 / n
    middle, half = share + z2 / 2, Z * sqrt(share * (1 - share) / n + z2 / (4 * n))
    return (middle - half) / (1 + z2), (middle + half) / (1 + z2)


def table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def counted(found: Record, task: str) -> str:
    rows = [
        [
            TITLES[row["ours"]], TITLES[row["peer"]], str(row["wins"]), str(row["ties"]), str(row["losses"]),
            "" if row["limits"] is None else f"{100 * row['limits'][0]:.0f} to {100 * row['limits'][1]:.0f} %",
            f"{row['median_ratio']:.3f}", f"{row['median_time']:.2g}",
            ", ".join(f"{name} {ratio:.2f}" for name, ratio in row["lost"].items()),
        ]
        for row in found["summary"]
        if row["task"] == task
    ]  # fmt: skip
    head = ["", "against", "wins", "ties", "losses", "share of wins", "error ratio", "time ratio", "lost on (ratio)"]
    return table(head, rows)


def errors(found: Record, task: str) -> str:
    """Mean error of every method on every table, the best bold, with the seconds of a fit."""
    cells = defaultdict(list)
    for record in found["fits"]:
        if record["task"] == task:
            cells[record["table"], record["method"]].append(record)
    methods = [name for name in TITLES if any(method == name for _, method in cells)]
    rows = []
    for name in sorted({table for table, _ in cells}):
        means = {m: _mean(cells[name, m]) for m in methods if (name, m) in cells}
        best = min((value for value in means.values() if value is not None), default=None)
        texts = [_text(means.get(method), best, cells.get((name, method), [])) for method in methods]
        rows.append([name, *texts])
    return table(["table", *(TITLES[name] for name in methods)], rows)


def _mean(records: list[Record]) -> float | None:
    """Mean error over folds; None if one failed."""
    values = [record["error"] for record in records]
    return None if None in values else fmean(values)


def _text(mean: float | None, best: float | None, records: list[Record]) -> str:
    if not records:
        return ""
    if mean is None:
        return "failed"
    seconds = f"{median(record['fit_seconds'] for record in records):.3g} s"
    return f"**{mean:.4f}** ({seconds})" if mean == best else f"{mean:.4f} ({seconds})"


def page(found: Record) -> str:
    """docs/peers.md."""
    folds = sorted({record["fold"] for record in found["fits"]})
    most = max((record["n"] for record in found["fits"]), default=0)
    parts = [
        "# Against other methods",
        "",
        "<!-- made by benchmarks/peers.py from its JSON: do not edit -->",
        "",
        f"Raw tables, up to {most:,} training rows, folds {', '.join(map(str, folds))}, {found['machine']}; peers: "
        f"{', '.join(found['peers'])}. Every fit ran in a process of its own. Rules of ours were chosen on folds 0 to "
        "4. A win or a loss is a mean error ratio beyond 1 %; ratios are ours over the peer's, so that less is better; "
        "the share of wins has 95 % limits over tables. Machines with other work make times uncertain, and they are "
        "ratios for that reason. Methods that are not in a table were not run on it.",
        *(["", f"*{found['remark']}*"] if "remark" in found else []),
        "",
        '*ours* is the default call, *exact* `features="exact"`, *metric* also `length_scale="metric"`. xRFM has '
        "standardised columns and a fifth of the rows for validation, as it asks for; its draws are of "
        "exponent, bandwidth, penalty and shape of the metric of its l2 kernel (`benchmarks/peer_methods.py`), without "
        "the kernels that want a graphics card; their ranges are ours.",
    ]  # fmt: skip
    for task, unit in (("regression", "RMSE over that of the mean"), ("classification", "share that is wrong")):
        if any(record["task"] == task for record in found["fits"]):
            parts += ["", f"## {task.capitalize()}", "", counted(found, task), "", f"Errors ({unit}), and seconds:", ""]
            parts += [errors(found, task)]
    return "\n".join(parts) + "\n"

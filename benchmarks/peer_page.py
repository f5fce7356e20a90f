"""The page on the peers, made from the JSON of the peers benchmark: nobody types a number, losses stand beside wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import inf, sqrt
from statistics import fmean, geometric_mean, median
from typing import Any

import numpy as np
from peer_methods import NATIVE, OURS
from scipy.stats import rankdata

Record = dict[str, Any]
TITLES = {
    "ours": "ours", "own_exact": "ours, exact", "own_metric": "ours, metric", "xrfm": "xRFM",
    "xrfm_draws": "xRFM, 16 draws", "trees": "boosted trees", "lightgbm": "LightGBM",
    "lightgbm_draws": "LightGBM, 16 draws", "catboost": "CatBoost", "trees_native": "boosted trees, native categories",
    "catboost_native": "CatBoost, native categories", "svgp": "GPyTorch SVGP", "xgpr": "xGPR", "gpboost": "GPBoost",
    "svm": "SVM", "kernel_ridge": "kernel ridge", "linear": "linear",
}  # fmt: skip
PEERS = tuple(name for name in TITLES if name not in OURS)
RESAMPLES = 2000
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


def ranks(records: Iterable[Record], task: str) -> list[Record]:
    """Mean rank of every method that ran on all tables, with limits by resampling tables; a failed fit is the last.

    Errors within 1 % of each other are ties only if they are equal: a rank counts who is ahead, not by how much.
    """
    cells: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in records:
        if record["task"] == task and record["method"] not in NATIVE:
            cells[record["table"], record["method"]].append(inf if record["error"] is None else _error(record))
    tables = sorted({table for table, _ in cells})
    methods = [name for name in TITLES if all((table, name) in cells for table in tables)]
    if len(methods) < 2:
        return []
    errors = np.array([[fmean(cells[table, name]) for name in methods] for table in tables])
    each = rankdata(errors, axis=1)
    drawn = np.random.default_rng(0).integers(len(tables), size=(RESAMPLES, len(tables)))
    low, high = np.quantile(each[drawn].mean(axis=1), (0.025, 0.975), axis=0)
    found = zip(methods, each.mean(axis=0), low, high, (each == 1).sum(axis=0))
    return sorted(
        ({"method": m, "rank": float(r), "limits": [float(a), float(b)], "first": int(f)} for m, r, a, b, f in found),
        key=lambda row: row["rank"],
    )


def ranked(found: Record, task: str) -> list[str]:
    rows = [
        [
            TITLES[row["method"]],
            f"{row['rank']:.2f}",
            f"{row['limits'][0]:.2f} to {row['limits'][1]:.2f}",
            str(row["first"]),
        ]
        for row in ranks(found["fits"], task)
    ]
    if not rows:
        return []
    words = "Mean rank of the methods that ran on all tables (1 is the best; 95 % limits over tables):"
    return [words, "", table(["", "mean rank", "limits", "first on"], rows), ""]


def calibrated(found: Record) -> list[str]:
    """Coverage and width of 90 % intervals, over the tables of each method."""
    rows = []
    for name, title in TITLES.items():
        own = [record for record in found["fits"] if record["method"] == name and record.get("covers") is not None]
        if own:
            covers, width = [r["covers"] for r in own], median(r["interval_width"] for r in own)
            span = f"{100 * min(covers):.0f} to {100 * max(covers):.0f} %"
            rows.append([title, str(len(own)), f"{100 * median(covers):.1f} %", span, f"{width:.2f}"])
    if not rows:
        return []
    head = ["", "fits", "median coverage", "least and most", "median width over the target's deviation"]
    return ["90 % intervals of new targets:", "", table(head, rows), ""]


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


def short(value: float) -> str:
    """Two digits, without an exponent: 0.51, 13, 120."""
    return f"{float(f'{value:.2g}'):g}"


def counted(found: Record, task: str) -> str:
    """Wins and losses of ours against every peer; which of ours stands there if there are several."""
    rows = [
        [
            TITLES[row["ours"]], TITLES[row["peer"]], str(row["wins"]), str(row["ties"]), str(row["losses"]),
            "" if row["limits"] is None else f"{100 * row['limits'][0]:.0f} to {100 * row['limits'][1]:.0f} %",
            f"{row['median_ratio']:.3f}", short(row["median_time"]),
            ", ".join(f"{name} {ratio:.2f}" for name, ratio in row["lost"].items()),
        ]
        for row in found["summary"]
        if row["task"] == task
    ]  # fmt: skip
    head = ["", "against", "wins", "ties", "losses", "share of wins", "error ratio", "time ratio", "lost on (ratio)"]
    start = 0 if len({row[0] for row in rows}) > 1 else 1
    return table(head[start:], [row[start:] for row in rows])


def errors(found: Record, task: str) -> str:
    """Mean error of every method on every table, the best bold; tables are rows."""
    cells = defaultdict(list)
    for record in found["fits"]:
        if record["task"] == task:
            cells[record["table"], record["method"]].append(record)
    methods = [name for name in TITLES if any(method == name for _, method in cells)]
    rows = []
    for name in sorted({table for table, _ in cells}):
        means = {m: _mean(cells[name, m]) for m in methods if (name, m) in cells}
        best = min((value for value in means.values() if value is not None), default=None)
        rows.append([name, *(_text(means.get(method), best, cells.get((name, method), [])) for method in methods)])
    spent = [median(r["fit_seconds"] or 0.0 for key, rs in cells.items() if key[1] == m for r in rs) for m in methods]
    rows.append(["*median seconds*", *(short(value) for value in spent)])
    return table(["table", *(TITLES[name] for name in methods)], rows)


def _mean(records: list[Record]) -> float | None:
    """Mean error over folds; None if one failed."""
    values = [record["error"] for record in records]
    return None if None in values else fmean(values)


def _text(mean: float | None, best: float | None, records: list[Record]) -> str:
    if not records:
        return ""
    if mean is None:
        return "too long" if any("longer" in record.get("failed", "") for record in records) else "failed"
    return f"**{mean:.4f}**" if mean == best else f"{mean:.4f}"


def in_words(fits: list[Record]) -> str:
    """The folds of some fits: fold 5; folds 5 to 9; folds 5, 7."""
    folds = sorted({record["fold"] for record in fits})
    if len(folds) == 1:
        return f"fold {folds[0]}"
    whole = len(folds) > 2 and folds == list(range(folds[0], folds[-1] + 1))
    return f"folds {folds[0]} to {folds[-1]}" if whole else f"folds {', '.join(map(str, folds))}"


def page(found: Record) -> str:
    """docs/peers.md."""
    most = max((record["n"] for record in found["fits"]), default=0)
    parts = [
        "# Against other methods",
        "",
        "<!-- made by benchmarks/peers.py from its JSON: do not edit -->",
        "",
        f"Raw tables, up to {most:,} training rows, {in_words(found['fits'])}, {found['machine']}; peers: "
        f"{', '.join(found['peers'])}. Every fit ran in a process of its own. Rules of ours were chosen on folds 0 to "
        "4. A win or a loss is a mean error ratio beyond 1 %; ratios are ours over the peer's, so that less is better; "
        "the share of wins has 95 % limits over tables. Times are of the processor, over all threads. Methods that are "
        "not in a table were not run on it.",
        *(["", f"*{found['remark']}*"] if "remark" in found else []),
        "",
        '*ours* is the default call, *exact* `features="exact"`, *metric* also `length_scale="metric"`. xRFM has '
        "standardised columns and a fifth of the rows for validation, as it asks for; its draws are of "
        "exponent, bandwidth, penalty and shape of the metric of its l2 kernel (`benchmarks/peer_methods.py`), without "
        "the kernels that want a graphics card; their ranges are ours.",
    ]  # fmt: skip
    for task, unit in (("regression", "RMSE over that of the mean"), ("classification", "share that is wrong")):
        if any(record["task"] == task for record in found["fits"]):
            parts += ["", f"## {task.capitalize()}", "", counted(found, task), "", *ranked(found, task)]
            parts += calibrated(found) if task == "regression" else []
            parts += [f"Errors ({unit}), and the median processor seconds of a fit:", "", errors(found, task)]
    if found.get("mixed"):
        fits, words = found["mixed"], f"{in_words(found['mixed'])}. Ours sees the columns of `TableEncoder`."
        parts += ["", "## Mixed tables, up to 8,000 rows", "", words[0].upper() + words[1:], ""]
        for task in dict.fromkeys(record["task"] for record in fits):
            parts += [counted({"summary": summary(fits)}, task), "", errors({"fits": fits}, task), ""]
    return "\n".join(parts).rstrip("\n") + "\n"

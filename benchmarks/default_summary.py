"""Summary of the defaults benchmark: pure functions from the records of single fits to the rows of the issue's table.

A record is a dictionary with `table`, `task`, `synthetic`, `variant` ("raw", "standardised", or "scaled" for methods
that scale the columns themselves), `fold`, `method`, `error` (RMSE over that of the mean of the training rows; error
rate of a classifier; None if the fit failed), `baseline` (1, or the error rate of the majority), `n_test`,
`fit_seconds`, `predict_seconds`, `warnings`, and for ours `coverage` and what was chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import inf, isfinite
from statistics import fmean, median
from typing import Any

Record = dict[str, Any]
Cells = dict[tuple[str, str, str], list[Record]]
VARIANTS = ("raw", "standardised")
LIMITS = {
    "worse_than_mean": 1.01,
    "own_best_median": 1.10,
    "own_best_worst": 1.30,
    "trees_share": 0.60,
    "svc_points": 0.5,
    "seconds": 8.0,
    "coverage": (0.85, 0.95),
}
TIMED = "friedman"
"""The table of 8,000 rows and 20 columns."""


def cells_of(records: Iterable[Record]) -> Cells:
    """Records of all splits, by (table, variant, method)."""
    cells: Cells = {}
    for record in records:
        cells.setdefault((record["table"], record["variant"], record["method"]), []).append(record)
    return cells


def cell(cells: Cells, table: str, variant: str, method: str) -> list[Record]:
    """Records of a method on one variant of a table; for a method that scales by itself they serve both."""
    return cells.get((table, variant, method)) or cells.get((table, "scaled", method), [])


def mean_error(records: Sequence[Record]) -> float | None:
    """Mean over the splits: infinite if a fit failed, None if there is none."""
    if not records:
        return None
    return fmean(inf if record["error"] is None else record["error"] for record in records)


def shared(ours: Sequence[Record], theirs: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """The records of the splits that both have."""
    folds = {record["fold"] for record in ours} & {record["fold"] for record in theirs}
    return [r for r in ours if r["fold"] in folds], [r for r in theirs if r["fold"] in folds]


def ratio(ours: Sequence[Record], theirs: Sequence[Record]) -> float | None:
    """Mean error over mean error on shared splits, none below half a mistake of a classifier; None if theirs failed."""
    ours, theirs = shared(ours, theirs)
    mine, other = mean_error(ours), mean_error(theirs)
    if mine is None or other is None or not isfinite(other):
        return None
    classifies = ours[0]["task"] == "classification"
    floor = 0.5 / sum(record["n_test"] for record in ours) if classifies else 1e-12
    return max(mine, floor) / max(other, floor)


def places(cells: Cells, task: str | None = None, variants: Sequence[str] = VARIANTS) -> list[tuple[str, str]]:
    """(table, variant) of which there are fits of ours."""
    return [
        (table, variant)
        for (table, variant, method), records in cells.items()
        if method == "ours" and variant in variants and task in (None, records[0]["task"])
    ]


def worse_than_mean(cells: Cells, task: str = "regression") -> Record:
    """Fits of ours with an error above 1.01 times that of the mean (of the majority), or that failed."""
    fits = [record for place in places(cells, task) for record in cell(cells, *place, "ours")]
    limit = LIMITS["worse_than_mean"]
    bad = [r for r in fits if r["error"] is None or r["error"] > limit * r["baseline"]]
    where = [[r["table"], r["variant"], r["fold"], r["error"], r["baseline"]] for r in bad]
    return {"fits": len(fits), "worse": len(bad), "where": where, "met": not bad if fits else None}


def own_best(cells: Cells) -> Record:
    """Error of the default over that of the best of our own rules on the same table, by its mean over the splits."""
    rules = sorted({method for _, _, method in cells if method.startswith("own_")})
    found: dict[str, float] = {}
    for table, variant in places(cells, "regression"):
        mine = cell(cells, table, variant, "ours")
        ratios = [ratio(mine, cell(cells, table, variant, rule)) for rule in rules]
        measured = [value for value in ratios if value is not None]
        if measured:
            found[f"{table}, {variant}"] = max(measured)  # the best rule is the one that ours looks worst against
    met = centre_and_worst(found)
    within = None
    if found:
        within = met["median"] <= LIMITS["own_best_median"] and met["worst"] <= LIMITS["own_best_worst"]
    return met | {"met": within}


def centre_and_worst(found: dict[str, float]) -> Record:
    """Median and largest of named ratios."""
    if not found:
        return {"tables": 0, "median": None, "worst": None, "worst_at": None, "each": {}}
    worst = max(found, key=lambda name: found[name])
    return {
        "tables": len(found), "median": median(found.values()), "worst": found[worst], "worst_at": worst, "each": found,
    }  # fmt: skip


def against_trees(cells: Cells, kind: str = "all") -> Record:
    """Error of ours over that of boosted trees on raw tables: all, "real" or "synthetic" ones."""
    found: dict[str, float] = {}
    for table, variant in places(cells, variants=("raw",)):
        mine = cell(cells, table, variant, "ours")
        if kind != "all" and mine[0]["synthetic"] != (kind == "synthetic"):
            continue
        value = ratio(mine, cell(cells, table, variant, "trees"))
        if value is not None:
            found[table] = value
    share = sum(value < 1 for value in found.values()) / len(found) if found else None
    numbers = centre_and_worst(found) | {"share_better": share}
    met = None if share is None else share >= LIMITS["trees_share"] and numbers["median"] < 1
    return numbers | {"met": met}


def against_svc(cells: Cells) -> Record:
    """Error rate of ours less that of the scaled SVC, in points, on every classification table."""
    points: dict[str, float] = {}
    for table, variant in places(cells, "classification"):
        mine, theirs = shared(cell(cells, table, variant, "ours"), cell(cells, table, variant, "svc"))
        errors = mean_error(mine), mean_error(theirs)
        if None not in errors and isfinite(errors[1]):
            points[f"{table}, {variant}"] = 100 * (errors[0] - errors[1])
    numbers = centre_and_worst(points)
    within = sum(value <= LIMITS["svc_points"] for value in points.values())
    return numbers | {"within": within, "met": within == len(points) if points else None}


def times(cells: Cells) -> Record:
    """Seconds of the default fit over those of boosted trees on raw tables, and seconds at 8,000 x 20."""
    found: dict[str, float] = {}
    for table, variant in places(cells, variants=("raw",)):
        pair = shared(cell(cells, table, variant, "ours"), cell(cells, table, variant, "trees"))
        own, trees = (median_of(records, "fit_seconds") for records in pair)
        if own is not None and trees:
            found[table] = own / trees
    seconds = median_of(cell(cells, TIMED, "raw", "ours"), "fit_seconds")
    met = None if seconds is None else seconds <= LIMITS["seconds"]
    return centre_and_worst(found) | {"seconds": seconds, "met": met}


def median_of(records: Sequence[Record], field: str) -> float | None:
    """Median of a field over the splits that have it."""
    values = [record[field] for record in records if record.get(field) is not None]
    return median(values) if values else None


def coverage(cells: Cells) -> Record:
    """How often 90 % intervals held the target, for every table: least, most, and the tables outside the limits."""
    each: dict[str, float] = {}
    for table, variant in places(cells, "regression"):
        values = [r["coverage"] for r in cell(cells, table, variant, "ours") if r.get("coverage") is not None]
        if values:
            each[f"{table}, {variant}"] = fmean(values)
    low, high = LIMITS["coverage"]
    outside = {name: value for name, value in each.items() if not low <= value <= high}
    return {
        "tables": len(each), "least": min(each.values(), default=None), "most": max(each.values(), default=None),
        "outside": outside, "each": each, "met": not outside if each else None,
    }  # fmt: skip


def summary(records: Iterable[Record]) -> Record:
    """All rows of the issue's table."""
    cells = cells_of(records)
    return {
        "worse_than_mean": worse_than_mean(cells),
        "worse_than_majority": worse_than_mean(cells, "classification"),
        "own_best": own_best(cells),
        "trees": against_trees(cells),
        "trees_real": against_trees(cells, "real"),
        "trees_synthetic": against_trees(cells, "synthetic"),
        "svc": against_svc(cells),
        "times": times(cells),
        "coverage": coverage(cells),
    }


def per_table(records: Iterable[Record]) -> list[Record]:
    """One row for every table, variant and method, over its splits."""
    return [row(group) for group in cells_of(records).values()]


def row(records: Sequence[Record]) -> Record:
    """Splits of one method on one variant of a table: errors in the order of the folds, medians of the times."""
    records = sorted(records, key=lambda record: record["fold"])
    first, same = records[0], ("table", "task", "synthetic", "variant", "method", "n", "d", "n_test")
    kept = {
        name: [record.get(name) for record in records]
        for name in ("error", "baseline", "coverage", "kernel", "width", "alpha", "per_column", "failed")
        if any(record.get(name) is not None for record in records)
    }
    seconds = {name: median_of(records, name) for name in ("fit_seconds", "predict_seconds")}
    warned = Counter(name for record in records for name in record["warnings"])
    return {name: first[name] for name in same} | {
        "folds": [record["fold"] for record in records], "mean_error": mean_error(records), **kept, **seconds,
        "warnings": dict(warned),
    }  # fmt: skip


def records_of(rows: Iterable[Record]) -> list[Record]:
    """Records whose `per_table` the rows are, but for times, of which only the medians are known."""
    return [record for each in rows for record in _splits_of(each)]


def _splits_of(each: Record) -> list[Record]:
    same = {name: value for name, value in each.items() if not isinstance(value, (list, dict)) and name != "mean_error"}
    lists = {name: value for name, value in each.items() if isinstance(value, list) and name != "folds"}
    warned = [[name for name, count in each["warnings"].items() if i < count] for i in range(len(each["folds"]))]
    return [
        same | {"fold": fold, "warnings": warned[i]} | {name: values[i] for name, values in lists.items()}
        for i, fold in enumerate(each["folds"])
    ]

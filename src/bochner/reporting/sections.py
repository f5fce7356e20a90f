"""Layout of the report page: five sections, each with an answer and blocks of facts, figures and tables."""

from __future__ import annotations

from collections.abc import Iterator

from bochner._typing import JsonDict
from bochner.kernels.text import short_text
from bochner.reporting import column_blocks, figures
from bochner.reporting.answers import beside_the_error, guarantees, in_plain_words
from bochner.reporting.numbers import count, number, percent, seconds, size
from bochner.reporting.score_facts import of_mean, of_quantiles
from bochner.reporting.svg import Chart

__all__ = ["Block", "sections"]

Block = JsonDict

_WRONG = "share of wrong rows"


def sections(summary: JsonDict) -> list[JsonDict]:
    """The sections of the page, in their order."""
    parts = [
        ("quality", "Is the model good?", _quality(summary["quality"])),
        (
            "approximation",
            "Is the approximation good?",
            _approximation(summary["approximation"], summary["quality"]),
        ),
        (
            "more",
            "What would more features, rows or memory buy?",
            _more(summary["more"], summary["approximation"]["curve"]),
        ),
        ("choices", "What was chosen, and why?", _choices(summary["choices"], summary["preprocessing"])),
        ("cost", "What did it cost?", _cost(summary["cost"])),
    ]
    return [
        {"id": key, "question": question, "answer": summary["answers"][key], "blocks": list(blocks)}
        for key, question, blocks in parts
    ]


def _figure(chart: Chart) -> Block:
    return chart.block()


def _facts(*items: tuple[str, str]) -> Block:
    return {"kind": "facts", "entries": items}


def _note(part: JsonDict) -> Block:
    return {"kind": "note", "text": part["missing"]}


def _quality(part: JsonDict) -> Iterator[Block]:
    if "missing" in part:
        return
    if part["kind"] == "pca":
        yield _figure(figures.components_chart(part))
    elif part["kind"] == "classifier":
        yield from _classification(part)
    else:
        yield from _regression(part)


def _whose(part: JsonDict) -> str:
    return "Held-out rows" if part["rows_held_out"] else "Rows given"


def _regression(part: JsonDict) -> Iterator[Block]:
    yield _facts(*(of_quantiles(part) if part["quantiles"] else of_mean(part)), (_whose(part), count(part["n_rows"])))
    yield _figure(figures.prediction_chart(part))
    if not part["quantiles"]:
        yield _figure(figures.residual_chart(part))
    yield from _rows(part["rows"], part["error_of_rows"])
    yield _figure(figures.histogram_chart(part))
    covered = part["coverage"]
    if not part["quantiles"]:
        yield _note(covered) if "missing" in covered else _figure(figures.coverage_chart(covered))
    if covered.get("regions"):
        yield _regions(covered["regions"])
    if part["targets"]:
        rows = [[target["name"], number(target["r2"]), number(target["rmse"])] for target in part["targets"]]
        yield {"kind": "table", "title": "Every target", "head": ["Target", "R2", "Error (RMS)"], "rows": rows}


def _regions(regions: list[JsonDict]) -> Block:
    """Table of the coverage of 90 % intervals by fifths of the predictions."""
    rows = [
        [
            f"{number(each['low'])} to {number(each['high'])}",
            count(each["n_rows"]),
            number(each["mean_std"]),
            f"{percent(each['observed'])}, {_judged(each)}",
        ]
        for each in regions
    ]
    head = ["Predictions", "Rows", "Mean error bar", "Inside 90 % intervals"]
    return {"kind": "table", "title": "Do the error bars hold everywhere?", "head": head, "rows": rows}


def _judged(region: JsonDict) -> str:
    if region["true_low"] <= 0.9 <= region["true_high"]:
        return "compatible with 90 %"
    return "too wide" if region["observed"] > 0.9 else "too narrow"


def _classification(part: JsonDict) -> Iterator[Block]:
    facts = [
        ("Accuracy", f"{percent(part['accuracy'])} ± {percent(part['accuracy_standard_error'], 2)}"),
        ("Most frequent class", percent(part["baseline_accuracy"])),
    ]
    if "log_loss" in part:
        facts += [("Log loss", number(part["log_loss"])), ("Log loss of shares", number(part["baseline_log_loss"]))]
    facts.append((_whose(part), count(part["n_rows"])))
    if part["n_unknown"]:
        facts.append(("Rows of unknown classes", count(part["n_unknown"])))
    yield _facts(*facts)
    if part["confusion"] is not None:
        yield _matrix(part["classes"], part["confusion"])
    elif part["most_confused"]:
        rows = [[p["true"], p["predicted"], number(p["n_rows"])] for p in part["most_confused"]]
        yield {"kind": "table", "title": "Most often confused", "head": ["True", "Predicted", "Rows"], "rows": rows}
    curve = part["reliability"]
    yield _note(curve) if "missing" in curve else _figure(figures.reliability_chart(curve))
    yield from _rows(part["rows"], _WRONG)
    yield {
        "kind": "table",
        "title": "Every class",
        "head": ["Class", "Rows", "Precision", "Recall", "F1"],
        "rows": [
            [c["name"], count(c["n_rows"]), percent(c["precision"]), percent(c["recall"]), number(c["f1"])]
            for c in part["per_class"]
        ],
    }


def _rows(part: JsonDict, what: str) -> Iterator[Block]:
    """Inputs that matter, errors by segment, and the worst rows."""
    if "missing" in part:
        yield _note(part)
        return
    form, matter = percent if what == _WRONG else number, part["importance"]
    yield _note(matter) if "missing" in matter else column_blocks.growth_of_error(matter, what, form)
    if part["segments"]:
        lines = [
            [f"{segment['name']}: {entry['label']}", count(entry["n_rows"]), form(entry["error"])]
            for segment in part["segments"]
            for entry in segment["parts"]
        ]
        yield {"kind": "table", "title": "Where the errors are", "head": ["Rows with", "Rows", what], "rows": lines}
    if part["worst"]:
        lines = [[f"row {w['row']:,}", _cell(w["target"]), _cell(w["prediction"])] for w in part["worst"]]
        yield {"kind": "table", "title": "The worst rows", "head": ["Row", "Target", "Prediction"], "rows": lines}


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else number(float(value), 4)


def _matrix(classes: list[str], confusion: list[list[float]]) -> Block:
    """The confusion matrix: every cell with its share of the row, which shades it."""
    rows = []
    for name, line in zip(classes, confusion):
        total = sum(line) or 1
        cells = [
            {
                "text": number(value, 4),
                "share": value / total,
                "tip": f"{percent(value / total)} of true {name}: {other}",
            }
            for other, value in zip(classes, line)
        ]
        rows.append({"name": name, "cells": cells})
    right = sum(line[i] for i, line in enumerate(confusion)) / (sum(map(sum, confusion)) or 1)
    return {
        "kind": "matrix",
        "title": "What is taken for what",
        "message": f"Rows are true classes, columns predictions; {percent(right)} lie on the diagonal.",
        "classes": classes,
        "rows": rows,
    }


def _approximation(part: JsonDict, quality: JsonDict) -> Iterator[Block]:
    curve = part["curve"]
    yield _note(curve) if "missing" in curve else _figure(figures.kernel_error_chart(curve))
    certificate = part["certificate"]
    if "missing" in certificate:
        yield _note(certificate)
    else:
        yield {
            "kind": "certificate",
            "certificate": certificate,
            "plain": in_plain_words(certificate, quality),
            "verdict": beside_the_error(certificate, quality) or "The kernel is certified, predictions are not.",
            "guarantees": guarantees(certificate, quality),
        }
    bounds = part["bounds"]
    yield _note(bounds) if "missing" in bounds else {"kind": "calculator", "bounds": bounds}


def _more(part: JsonDict, kernel_error: JsonDict) -> Iterator[Block]:
    widths, rows, bills = part["widths"], part["rows"], part["bills"]
    if "missing" in widths:
        if widths["missing"] != kernel_error.get("missing"):  # which was said before
            yield _note(widths)
    else:
        yield _figure(figures.width_chart(widths, part["width"])) | {"note": widths["how"]}
    if "missing" not in rows:
        yield _figure(figures.rows_chart(rows))
    if "missing" in bills:
        yield _note(bills)
        return
    yield _figure(figures.memory_chart(bills, part["width"], part["memory_budget"]))
    if bills["seconds"]:
        yield _figure(figures.seconds_chart(bills, part["width"]))
    yield _alternatives(part, kernel_error)


def _alternatives(part: JsonDict, kernel_error: JsonDict) -> Block:
    """Cheaper and wider models side by side."""
    bills, widths, budget = part["bills"], part["widths"], part["memory_budget"]
    columns = {"Features": [f"{count(w)}{' (this model)' if w == part['width'] else ''}" for w in bills["widths"]]}
    if "missing" not in widths:
        columns["Error"] = _matched(bills["widths"], widths["widths"], widths["held_out"] or widths["gcv"])
    if "missing" not in kernel_error:
        found = _matched(bills["widths"], kernel_error["widths"], kernel_error["largest"])
        columns["Largest kernel error"] = found
    columns["Memory of a fit"] = [f"{size(m)}{', over the budget' if m > budget else ''}" for m in bills["memory"]]
    if bills["seconds"]:
        columns["Time of a fit"] = list(map(seconds, bills["seconds"]))
    rows = list(map(list, zip(*columns.values())))
    return {"kind": "table", "title": "Cheaper and wider alternatives", "head": list(columns), "rows": rows}


def _matched(wanted: list[int], widths: list[int], values: list[float | None]) -> list[str]:
    """The values at the wanted widths, as text."""
    known = dict(zip(widths, values))
    return [number(known[width]) if width in known else "not measured" for width in wanted]


def _choices(part: JsonDict, preprocessing: list[str]) -> Iterator[Block]:
    yield _settings(part)
    if preprocessing:
        yield {"kind": "list", "title": "What happens to the columns first", "entries": preprocessing}
    if "names" in part["importance"]:
        yield from column_blocks.shares_of_slopes(part["importance"])
    if "names" in part["bandwidths"]:
        yield column_blocks.length_scales(part["bandwidths"])
    for chart in (figures.path_chart(part["penalty"]), figures.evidence_chart(part["penalty"])):
        if chart is not None:
            yield _figure(chart)
    spectrum = part["spectrum"]
    yield _note(spectrum) if "missing" in spectrum else _figure(figures.spectrum_chart(spectrum))
    if part["tuning"]:
        yield _tuning(part["tuning"])
    if part["width_curve"]:
        yield _width_curve(part["width_curve"])
    yield {
        "kind": "table",
        "title": "What was asked for",
        "head": ["Parameter", "Value"],
        "rows": list(map(list, part["asked"].items())),
        "closed": True,
    }


def _settings(part: JsonDict) -> Block:
    facts: list[tuple[str, str]] = [
        ("Kernel", part["kernel_in_words"]),
        ("Rows in the kernel expansion" if part["exact"] else "Features", count(part["width"])),
        ("Frequencies", f"{part['sampling']}, {part['embedding']}") if part["sampling"] else ("Map", part["features"]),
        ("Seed", "unknown" if part["seed"] is None else str(part["seed"])),
    ]
    found = {
        "Penalty alpha": part["penalty"].get("alpha"),
        "Effective dimension": part["dof"],
        "Noise (standard deviation)": part["noise"],
    }
    return _facts(*facts, *((name, number(value)) for name, value in found.items() if value is not None))


def _tuning(part: JsonDict) -> Block:
    plain = {name: value for name, value in part.items() if not isinstance(value, dict) and value not in (None, [], "")}
    descents = plain.pop("stages", [])
    told = [[name.replace("_", " "), _short(value)] for name, value in plain.items()]
    told.append(["descents", f"{count(len(descents))}, of {count(_kernels(descents))} kernels"])
    return {"kind": "table", "title": "How the bandwidths were learned", "head": ["What", "Value"], "rows": told}


def _kernels(descents: list[JsonDict]) -> int:
    """How many different kernels were descended with."""
    return len({str(each["kernel"]) for each in descents})


def _width_curve(curve: JsonDict) -> Block:
    """The widths that a search tried, and what held-out rows said of them."""
    gains = [
        "" if gain is None else f"{100 * gain:.1f} ± {100 * std:.1f} % over {count(against)}"
        for gain, std, against in zip(curve["gain"], curve["gain_std"], curve["against"])
    ]
    rows = [list(row) for row in zip(map(count, curve["widths"]), map(number, curve["rmse"]), gains)]
    head = ["Features", "Error on held-out rows (standard deviations of the target)", "Gain"]
    return {"kind": "table", "title": f"How the width was found: {curve['reason']}", "head": head, "rows": rows}


def _short(value: object) -> str:
    if isinstance(value, list):
        shown = ", ".join(_short(item) for item in value[:8])
        return f"{shown}, ... ({len(value)} in all)" if len(value) > 8 else shown
    return number(value) if isinstance(value, float) else short_text(str(value))


def _cost(part: JsonDict) -> Iterator[Block]:
    known = (("Passes over the rows", part["passes"]), ("Iterations", part["iterations"]))
    effort = [(name, count(value)) for name, value in known if value is not None][:1]
    yield _facts(
        ("Rows", count(part["rows"])),
        ("Columns", count(part["columns"])),
        *effort,
        ("Threads where this page was made", count(part["threads"])),
    )
    plan = part["plan"]
    if plan or part["seconds"] is not None or part["memory"] is not None:
        planned = plan or {}
        yield {
            "kind": "table",
            "title": "Plan against what happened",
            "head": ["", "Planned", "Actual"],
            "rows": [
                ["Time", seconds(planned.get("seconds")), seconds(part["seconds"])],
                ["Memory beyond the data", size(planned.get("memory")), size(part["memory"])],
            ],
        }
    if part["extra"]:
        rows = [[name.replace("_", " "), _short(value)] for name, value in part["extra"].items()]
        yield {"kind": "table", "title": "Also recorded", "head": ["What", "Value"], "rows": rows}
    versions = [[name, version] for name, version in part["versions"].items()]
    yield {
        "kind": "table",
        "title": "Versions where this page was made",
        "head": ["Package", "Version"],
        "rows": versions,
        "closed": True,
    }

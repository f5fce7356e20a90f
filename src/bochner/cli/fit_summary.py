"""Result of `bochner fit`: one JSON document, and the same as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from bochner._duration import in_words
from bochner._typing import JsonDict
from bochner.cli.learning import FitOptions, Learned
from bochner.cli.screen import Part, paragraph, table
from bochner.cli.training import TrainingRows
from bochner.kernels.text import in_one_line
from bochner.memory import format_bytes
from bochner.reporting.answers import beside_the_error
from bochner.tables import TableRows
from bochner.tables.target import RULE
from bochner.theory import Certificate

__all__ = ["about", "found", "parts", "scored_rows"]


def about(asked: FitOptions, rows: TrainingRows, learned: Learned) -> JsonDict:
    """Facts for the report that the model does not hold: table, task, measured time and memory."""
    return {
        "seconds": learned.cost.seconds,
        "memory": learned.cost.memory,
        "table": asked.table,
        "target": rows.target.name,
        "task": f"{rows.target.task}: {rows.target.reason}",
        "rows_to_fit": rows.n_fit,
        "rows_held_out": len(rows.held_out),
        "rows_without_target": rows.n_without_target,
        "identity": asked.mark,
    }


def scored_rows(held_out: TableRows) -> JsonDict:
    """The rows that the report scores the model on, as its arguments."""
    if not len(held_out):
        return {}
    return {"X": held_out.inputs, "y": held_out.y, "sample_weight": held_out.weight}


def found(
    asked: FitOptions, rows: TrainingRows, learned: Learned, summary: JsonDict, certificate: Certificate | str
) -> JsonDict:
    """Result document of a fit, ready for JSON; `summary` is that of the report."""
    model, encoder, target = learned.model, learned.encoder, rows.target
    return {
        "table": asked.table,
        "target": target.name,
        "task": target.task,
        "task_reason": target.reason,
        "task_rule": RULE,
        "rows": {"fit": rows.n_fit, "held_out": len(rows.held_out), "without_target": rows.n_without_target},
        "read_in_pieces": rows.whole is None,
        "preprocessing": encoder.describe(),
        "columns": encoder.get_feature_names_out(),
        "dtype": encoder.dtype,
        "model": {
            "class": type(model).__name__,
            "kernel": in_one_line(model.features_.kernel_),
            "features": model.features_.n_components_,
            "exact": model.is_exact,
            "alpha": model.alpha_,
            "seed": asked.seed,
        },
        "score": summary["quality"],
        "certificate": None if isinstance(certificate, str) else certificate.to_dict(),
        "no_certificate_because": certificate if isinstance(certificate, str) else None,
        "cost": {"memory": learned.cost.memory, "seconds": learned.cost.seconds},
        "plan": summary["cost"]["plan"],
        "files": {"model": asked.model_file, "report": asked.report},
    }


def parts(found: JsonDict) -> Iterator[Part]:
    """Result document as texts and tables for people."""
    yield table("", list(_lines(found)))
    yield ""
    score = found["score"]
    if "missing" in score:
        yield "No rows were held out, so there is no score (--test-size)."
    else:
        yield from _regression(score, found["target"]) if score["kind"] == "regressor" else _classification(score)
    yield from ("", _certificate(found), "", _cost(found), "")
    yield table("Files", [("model", found["files"]["model"]), ("report", found["files"]["report"])])


def _lines(found: JsonDict) -> Iterator[tuple[str, str]]:
    rows, model = found["rows"], found["model"]
    without = f", {rows['without_target']:,} left out (no target)" if rows["without_target"] else ""
    pieces = ", read in pieces" if found["read_in_pieces"] else ""
    yield "table", f"{found['table']}: {rows['fit']:,} rows to fit, {rows['held_out']:,} held out{without}{pieces}"
    yield "target", f"{found['target']}: {found['task']} ({found['task_reason']}; --task overrides)"
    for at, sentence in enumerate(found["preprocessing"]):
        yield "" if at else "inputs", sentence
    width = len(found["columns"])
    yield "", f"in all {width:,} column{'' if width == 1 else 's'} of {found['dtype']}"
    size = f"exact on {model['features']:,} rows" if model["exact"] else f"{model['features']:,} features"
    yield "model", f"{model['class']}, {model['kernel']}, {size}, alpha {model['alpha']:.3g}"


def _quantiles(score: JsonDict, target: str) -> Iterator[Part]:
    levels = [f"{each['quantile']:g}" for each in score["quantiles"]]
    lines = [
        (f"pinball loss, in units of {target}", _digits(each["pinball_loss"]), _digits(each["baseline_pinball_loss"]))
        for each in score["quantiles"]
    ]
    baseline = f"baseline: the quantile {', '.join(levels)} of these targets"
    yield table(_title(score), lines, ("", "model", baseline))
    for level, each in zip(levels, score["quantiles"]):
        limits = f"{100 * each['true_low']:.1f} to {100 * each['true_high']:.1f} %"
        yield (
            f"{100 * each['observed']:.1f} % of the held-out targets are up to the quantile {level}: compatible with "
            f"true shares of {limits}."
        )


def _regression(score: JsonDict, target: str) -> Iterator[Part]:
    if score["quantiles"]:
        yield from _quantiles(score, target)
        return
    lines = [
        (f"RMSE, in units of {target}", _digits(score["rmse"]), _digits(score["baseline_rmse"])),
        (f"MAE, in units of {target}", _digits(score["mae"]), ""),
        ("R2", _digits(score["r2"]), ""),
    ]
    yield table(_title(score), lines, ("", "model", f"baseline: {score['baseline']}"))
    coverage = score["coverage"]
    if "levels" in coverage:
        at = coverage["levels"].index(0.9)
        yield f"90 % intervals hold {100 * coverage['observed'][at]:.1f} % of the held-out targets."


def _classification(score: JsonDict) -> Iterator[Part]:
    lines = [
        ("accuracy", _digits(score["accuracy"]), _digits(score["baseline_accuracy"])),
        ("log loss", _digits(score["log_loss"]), _digits(score["baseline_log_loss"])),
    ]
    yield table(_title(score), lines, ("", "model", f"baseline: {score['baseline']}"))
    if score["confusion"] is not None:
        labels = score["classes"]
        counts = [(label, *(f"{count:g}" for count in row)) for label, row in zip(labels, score["confusion"])]
        yield ""
        yield table("Held-out rows by class (down) and prediction (across)", counts, ("", *labels))


def _title(score: JsonDict) -> str:
    n = score["n_rows"]
    return f"Score on {n:,} held-out row{'' if n == 1 else 's'}"


def _digits(value: float | None) -> str:
    """Four digits of a large number, four decimals of a small one, three digits of a very small one."""
    if value is None:
        return "unknown"
    if 0 < abs(value) < 1e-3:
        return f"{value:.3g}"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def _certificate(found: JsonDict) -> Part:
    certificate = found["certificate"]
    if certificate is None:
        return paragraph("Certificate", f"none: {found['no_certificate_because']}")
    meaning = beside_the_error(certificate, found["score"])
    return paragraph("Certificate", f"{certificate['statement']} {meaning} [{certificate['bound']}]".replace("  ", " "))


def _cost(found: JsonDict) -> Part:
    plan, cost = found["plan"], found["cost"]
    time = "not planned" if plan["seconds"] is None else in_words(plan["seconds"])
    lines = [
        ("memory on top of the data", format_bytes(plan["memory"]), format_bytes(cost["memory"])),
        ("time", time, in_words(cost["seconds"])),
        ("the whole command, with reading, certificate and report", "", in_words(cost["command_seconds"])),
    ]
    return table("Cost of the fit", lines, ("", "planned", "measured"))

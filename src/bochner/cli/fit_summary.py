"""What `bochner fit` found: one plain document, and the same for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bochner import TableEncoder
from bochner._typing import Array
from bochner.cli.learning import Asked, Learned, Rows, planned_memory
from bochner.cli.screen import paragraph, table
from bochner.cli.target import RULE, Target
from bochner.planning import Plan, format_bytes
from bochner.theory import Certificate

__all__ = ["document", "parts"]

_SHOWN_CLASSES = 12


def document(
    asked: Asked,
    target: Target,
    rows: Rows,
    left_out: int,
    encoder: TableEncoder,
    plan: Plan,
    X: Array,
    learned: Learned,
    scores: dict[str, Any] | None,
    certificate: Certificate | str,
) -> dict[str, Any]:
    """Everything that is said about a fit, ready for JSON."""
    model, regression = learned.model, target.task == "regression"
    return {
        "table": asked.table,
        "target": target.name,
        "task": target.task,
        "task_reason": target.reason,
        "task_rule": RULE,
        "rows": {"fit": len(rows), "held_out": len(target.values) - len(rows), "without_target": left_out},
        "preprocessing": encoder.describe(),
        "inputs": encoder.n_features_in_,
        "columns": X.shape[1],
        "dtype": str(X.dtype),
        "model": {
            "class": type(model).__name__,
            "kernel": _short(repr(model.features_.kernel_)),
            "features": model.features_.n_components_,
            "alpha": model.alpha_,
            "seed": asked.seed,
        },
        "score": scores,
        "certificate": None if isinstance(certificate, str) else certificate.to_dict(),
        "no_certificate_because": certificate if isinstance(certificate, str) else None,
        "cost": {
            "memory": {"planned": planned_memory(plan, X, target), "measured": learned.cost.memory},
            "seconds": {"planned": plan.seconds if regression else None, "measured": learned.cost.seconds},
        },
        "plan": plan.to_dict(),
        "files": {"model": asked.model_file, "report": asked.report},
    }


def _short(text: str) -> str:
    """Numbers of a text with four digits."""
    return re.sub(r"\d+\.\d{5,}(e-?\d+)?", lambda number: f"{float(number[0]):.4g}", text)


def parts(found: dict[str, Any]) -> Iterator[Any]:
    """The document for people, part by part."""
    yield table("", list(_about(found)))
    if found["score"] is None:
        yield "\nNo rows were held out, so there is no score (--test-size)."
    else:
        yield ""
        yield from _score(found["score"], found["target"])
    yield from ("", _certificate(found), "", _cost(found["cost"]), "")
    yield table("Files", [("model", found["files"]["model"]), ("report", found["files"]["report"])])


def _about(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    rows, model = found["rows"], found["model"]
    without = f", {rows['without_target']:,} left out (no target)" if rows["without_target"] else ""
    yield "table", f"{found['table']}: {rows['fit']:,} rows to fit, {rows['held_out']:,} held out{without}"
    yield "target", f"{found['target']}: {found['task']} ({found['task_reason']}; --task overrides)"
    for at, sentence in enumerate(found["preprocessing"]):
        yield "" if at else "inputs", sentence
    yield "", f"in all {found['columns']:,} columns of {found['dtype']}"
    yield "model", f"{model['class']}, {model['kernel']}, {model['features']:,} features, alpha {model['alpha']:.3g}"


def _digits(value: float) -> str:
    """Four digits of a large number, four decimals of a small one."""
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def _score(scores: dict[str, Any], target: str) -> Iterator[Any]:
    names = {"R2": "R2", "RMSE": f"RMSE, in units of {target}", "MAE": f"MAE, in units of {target}"}
    lines = [
        (names.get(name, name), _digits(value), _digits(scores["baseline"][name]))
        for name, value in scores["model"].items()
    ]
    baseline = "mean of the target" if "error_bars" in scores else "shares of the classes"
    yield table(f"Score on {scores['rows']:,} held-out rows", lines, ("", "model", f"baseline ({baseline})"))
    if "error_bars" in scores:
        bars = scores["error_bars"]
        yield f"{100 * bars['nominal']:.0f} % error bars hold {100 * bars['observed']:.1f} % of the held-out targets."
    elif len(scores["labels"]) <= _SHOWN_CLASSES:
        labels = [str(label) for label in scores["labels"]]
        counts = [(label, *(f"{count:g}" for count in row)) for label, row in zip(labels, scores["confusion"])]
        yield ""
        yield table("Held-out rows by class (down) and prediction (across)", counts, ("", *labels))


def _certificate(found: dict[str, Any]) -> Any:
    certificate = found["certificate"]
    if certificate is None:
        return paragraph("Certificate", f"none: {found['no_certificate_because']}")
    return paragraph("Certificate", f"{certificate['statement']} [{certificate['bound']}]")


def _cost(cost: dict[str, Any]) -> Any:
    memory, seconds = cost["memory"], cost["seconds"]
    planned = "not planned" if seconds["planned"] is None else f"{seconds['planned']:.2g} s"
    lines = [
        ("memory on top of the data", format_bytes(memory["planned"]), format_bytes(memory["measured"])),
        ("time", planned, f"{seconds['measured']:.2g} s"),
    ]
    return table("Cost of the fit", lines, ("", "planned", "measured"))

"""`bochner bounds`: number of random features that each theorem asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from bochner.cli import options
from bochner.cli.screen import Screen, screen_options, table

if TYPE_CHECKING:
    from bochner._typing import JsonDict

__all__ = ["bounds"]


@click.command(short_help="Features that each theorem asks for.")
@click.option("--dim", "n_features", type=options.WholeNumber(1, 10**6), required=True, help="Dimension of the inputs.")
@click.option("--eps", type=options.Number(0, min_open=True), required=True, help="Error that is allowed.")
@options.delta
@click.option("--n-points", type=options.WholeNumber(1), default=1000, show_default=True, help="Rows.")
@click.option(
    "--diameter",
    type=options.Number(0, min_open=True),
    help="Of the inputs.  [default: sqrt(12 dim), a cube of variance 1]",
)
@options.kernel
@click.option(
    "--length-scale", type=options.Number(0, min_open=True), default=1.0, show_default=True, help="Of the kernel."
)
@click.option("--embedding", type=click.Choice(["paired", "phase"]), default="paired", show_default=True)
@click.option("--all", "everything", is_flag=True, help="Also results that give no number of features.")
@screen_options
def bounds(as_json: bool, quiet: bool, **given: Any) -> None:
    """How many random features each theorem asks for, with its status and source.

    VALID is true as stated, CORRECTED is proved after a repair, ASYMPTOTIC has no constants, UNPROVED is neither proved
    nor refuted, REFUTED is false as printed. Only VALID and CORRECTED bounds ask for features; the others are formulas
    as printed and rates, which --all lists. Bounds differ in what they cover: one pair of points, all pairs of some
    points, or a whole region.

    \b
    Examples:
      bochner bounds --dim 10 --eps 0.1
      bochner bounds --dim 3 --eps 0.05 --n-points 100000 --kernel matern
      bochner bounds --dim 10 --eps 0.1 --all --json
    """
    from bochner import theory
    from bochner.kernels import resolve_kernel

    eps, delta = given["eps"], given["delta"]
    setting = {
        "kernel": resolve_kernel("bounds", given["kernel"]).with_length_scale(given["length_scale"]),
        "embedding": given["embedding"],
        "n_features": given["n_features"],
        "n_points": given["n_points"],
        "diameter": (12 * given["n_features"]) ** 0.5 if given["diameter"] is None else given["diameter"],
    }
    found = [_needed(claim, setting, eps, delta) for claim in theory.bounds()]
    found.sort(key=lambda row: (row["features"] is None, row["features"] or 0))
    shown = [row for row in found if given["everything"] or row["features"] is not None]
    screen = Screen(as_json=as_json, quiet=quiet)
    document = {**setting, "kernel": repr(setting["kernel"]), "eps": eps, "delta": delta, "bounds": found}
    document["verdict"] = _verdict(document)
    lines = [(row["name"], _label(row), _count(row), row["bounds"], _citation(row["source"])) for row in shown]
    hidden = len(found) - len(shown)
    rest = [f"\n{hidden} results give no number of features in this setting: --all shows them too."] if hidden else []
    header = ("bound", "status", "features", "bounds", "source")
    screen.show(document, f"{document['verdict']}\n", _heading(document), table("", lines, header), *rest)


_WITHOUT_FEATURES = {
    "Bound": "it gives no number of features for an error",
    "Rate": "a rate, without constants",
    "Published": "as printed: not a bound",
}


def _needed(claim: Any, setting: JsonDict, eps: float, delta: float) -> JsonDict:
    """The claim in this setting: its number of features, or why there is none."""
    from bochner.errors import BochnerError

    about = claim.describe()
    row = {**about, "bounds": getattr(claim, "quantity", about["statement"]), "features": None, "why_none": None}
    if not claim.counts_features:
        return row | {"why_none": _WITHOUT_FEATURES[about["kind"]]}
    required, known = _parameters(claim)
    absent = [name for name in required if name not in setting]
    if absent:
        return row | {"why_none": f"it needs {', '.join(absent)}"}
    try:
        bound = claim(**{name: value for name, value in setting.items() if name in known})
        return row | {"features": bound.features_needed(eps, delta)}
    except BochnerError as refusal:
        return row | {"why_none": str(refusal)}


def _parameters(claim: Any) -> tuple[list[str], list[str]]:
    """Fields of a claim without a default, and all of them."""
    from dataclasses import MISSING, fields

    required = [field for field in fields(claim) if field.default is MISSING and field.default_factory is MISSING]
    return [field.name for field in required], [field.name for field in fields(claim)]


_WIDEST = {  # what a user wants to hold: quantity of a bound -> in words
    "the largest kernel error over all pairs of the points": "between all {n_points:,} rows",
    "the largest kernel error over the region": "everywhere in a region of diameter {diameter:.3g}",
    "the kernel error at a fixed pair": "between two given rows",
}


def _verdict(document: JsonDict) -> str:
    """How many features to take, by the proved bound that asks for the fewest."""
    for quantity, where in _WIDEST.items():
        known = [row for row in document["bounds"] if row["bounds"] == quantity and row["features"] is not None]
        if known:
            best = min(known, key=lambda row: row["features"])
            return (
                f"Take {best['features']:,} features: kernel values {where.format(**document)} are then off by at most "
                f"{document['eps']:g}, except with probability {document['delta']:g} ({best['name']})."
            )
    return "No proved bound gives a number of features in this setting."


def _label(row: JsonDict) -> str:
    """The status, and of which part of a printed statement it speaks."""
    return f"{row['status']} ({row['scope']})" if row.get("scope") else str(row["status"])


def _count(row: JsonDict) -> str:
    return row["why_none"] if row["features"] is None else f"{row['features']:,}"


def _citation(source: str) -> str:
    """Authors, year and number, without the title."""
    return re.sub(r"(\(\d{4}\)), .*, ", r"\1, ", source)


def _heading(document: JsonDict) -> str:
    from bochner.theory.certificate import confidence

    return (
        f"Features for an error of at most {document['eps']:g} with probability {confidence(document['delta'])}: "
        f"{document['kernel']}, {document['embedding']}, d = {document['n_features']}, "
        f"{document['n_points']:,} points, diameter {document['diameter']:.3g}\n"
    )

"""Answers of the report: model quality, approximation error, gains of width, choices and cost in a sentence each."""

from __future__ import annotations

from bochner._typing import JsonDict
from bochner.reporting.numbers import count, number, percent, seconds, size

__all__ = ["answers", "beside_the_error", "guarantees", "in_plain_words"]

_FLAT = 0.02
"""Halving the width changes the error by less: width has stopped helping."""


def answers(summary: JsonDict) -> dict[str, str]:
    """One answer for every section of a summary."""
    return {
        "quality": _quality(summary["quality"]),
        "approximation": _approximation(summary["approximation"]),
        "more": _more(summary["more"]),
        "choices": _choices(summary["choices"], summary["model"]["kind"]),
        "cost": _cost(summary["cost"]),
    }


def _quality(part: JsonDict) -> str:
    if "missing" in part:
        return str(part["missing"])
    rows = f"on {count(part['n_rows'])} held-out rows" if part["rows_held_out"] else f"on the {_given(part['n_rows'])}"
    if part["kind"] == "pca":
        kept, own = part["held_out_share"][-1], part["training_share"][-1]
        return (
            f"{count(len(part['held_out_share']))} components keep {percent(kept)} of the variance of the features "
            f"{rows}, {percent(own)} on the training rows."
        )
    if part["kind"] == "classifier":
        return (
            f"It is right for {percent(part['accuracy'])} of the rows ± {percent(part['accuracy_standard_error'], 2)}, "
            f"{rows}; {part['baseline']}, is right for {percent(part['baseline_accuracy'])}."
        )
    if part.get("quantiles"):
        return " ".join(_of_quantile(each, rows) for each in part["quantiles"])
    return (
        f"Its error is {number(part['rmse'])} ± {number(part['rmse_standard_error'], 2)} (root mean square) {rows}; "
        f"predicting {part['baseline']} has {number(part['baseline_rmse'])}. R2 is {number(part['r2'])}. "
        + _error_bars(part["coverage"])
    )


def _of_quantile(part: JsonDict, rows: str) -> str:
    level, low, high = part["quantile"], part["true_low"], part["true_high"]
    verdict = "" if low <= level <= high else ", too few" if high < level else ", too many"
    place = "not among them" if verdict else "among them"
    own, constant = number(part["pinball_loss"]), number(part["baseline_pinball_loss"])
    return (
        f"{percent(part['observed'])} of the targets are up to the quantile {level:g}{verdict}, {rows}: so many are "
        f"compatible with true shares from {percent(low)} to {percent(high)}, {percent(level)} {place}. Its pinball "
        f"loss is {own}; one number for all rows has {constant} at best."
    )


def _error_bars(part: JsonDict) -> str:
    if "missing" in part:
        return ""
    at = part["levels"].index(0.9)
    observed, low, high = part["observed"][at], part["true_low"][at], part["true_high"][at]
    verdict = "" if low <= 0.9 <= high else ", too few" if observed < 0.9 else ", more than they need to"
    place = "not among them" if verdict else "among them"
    return (
        f"Its 90 % intervals hold {percent(observed)} of the targets{verdict}: {count(part['n_rows'])} rows are "
        f"compatible with true shares from {percent(low)} to {percent(high)}, 90 % {place}."
    )


def _given(n_rows: int) -> str:
    """Rows that were handed in; only who made the fit knows whether it has seen them."""
    return f"{count(n_rows)} rows that were given" if n_rows != 1 else "row that was given"


def _approximation(part: JsonDict) -> str:
    curve, certificate = part["curve"], part["certificate"]
    if "missing" not in curve:
        at = curve["widths"].index(curve["width"])
        return (
            f"With {count(curve['width'])} features, kernel values between {count(curve['n_rows'])} rows are wrong by "
            f"at most {number(curve['largest'][at])}, and by {number(curve['root_mean_square'][at])} in root mean "
            f"square, where the kernel of a row with itself is {number(curve['k_zero'])}."
        )
    return str(certificate["statement"] if "missing" not in certificate else curve["missing"])


def in_plain_words(certificate: JsonDict, quality: JsonDict) -> str:
    """The certificate for a person who does not know kernels."""
    value = number(certificate["value"])
    if not _speaks_of_predictions(certificate):
        return (
            "The model rests on the similarity of two rows, from 0 (none) to 1 (the same), which it approximates. That "
            f"number is off by at most {value}, as the statement below says for which rows and how surely."
        )
    off = "at most" if certificate["bound"] == "distance.ClassifierDistance" else "a root mean square of at most"
    units = "in units of the target (of the decision values for classes)"
    if certificate["details"].get("exact"):
        return (
            "This model is the exact kernel machine. Computed without rounding, its answers on the training rows would "
            f"differ by {off} {value} from those it gives, {units}."
        )
    return (
        "Without the approximation, the exact kernel machine with the same settings would differ in its answers on the "
        f"training rows by {off} {value}, {units}."
    )


def guarantees(certificate: JsonDict, quality: JsonDict) -> bool:
    """Whether it guarantees something of predictions: a distance below their error, where that is known."""
    error = quality.get("rmse")
    return _speaks_of_predictions(certificate) and (error is None or bool(certificate["value"] < error))


def _speaks_of_predictions(certificate: JsonDict) -> bool:
    """Whether it bounds a distance to the exact kernel machine, not an error of the kernel."""
    return certificate["bound"].split(".")[0] in ("distance", "sampled_distance")


def beside_the_error(certificate: JsonDict, quality: JsonDict) -> str:
    """What a distance to the exact machine means beside the error of a regression; empty without these."""
    if not _speaks_of_predictions(certificate):
        return ""
    error, exact = quality.get("rmse"), certificate["details"].get("exact")
    if error is None:
        return "The model is exact." if exact else ""
    if certificate["value"] >= error:
        return f"No guarantee, because {_why_far(certificate)}: that is more than its error, {number(error)}."
    share = percent(certificate["value"] / error, 2)
    if exact:
        return f"Exact: rounding is within {share} of its error, {number(error)}."
    return f"Within {share} of its error, {number(error)}."


def _why_far(certificate: JsonDict) -> str:
    """Why the distance is no smaller."""
    alpha = number(certificate["details"]["alpha"])
    if 2 * (certificate["at_least"] or 0) > certificate["value"]:
        return "the exact kernel machine with this penalty is another model, better or worse"
    return f"the penalty, {alpha}, is too small to follow the exact kernel machine more closely in this time"


def _more(part: JsonDict) -> str:
    told = [_more_features(part["widths"]), _more_rows(part["rows"]), _more_memory(part["bills"], part["width"])]
    sentences = [sentence for sentence in told if sentence]
    return " ".join(sentences) or str(part["widths"].get("missing", "Nothing can be told without rows."))


def _more_features(part: JsonDict) -> str:
    gain = _gain_of_the_last_step(part)
    if gain is None:
        return ""
    before, after = map(count, part["widths"][-2:])
    way = "lower" if gain >= 0 else "higher"
    refits = part["n_refits"]
    where = f" of {count(refits)} models, refitted for this report to a part of the rows given," if refits else ""
    last = f"From {before} to {after} features the error{where} is {way} by {percent(abs(gain))}"
    if abs(gain) < _FLAT:
        return f"{last}: more features would buy little."
    if gain <= 0:
        return f"{last}: a narrower map is enough."
    if part.get("searched"):
        return f"{last}. The width was chosen by predictions of rows that were left out."
    return f"{last}: a wider map may well be better still."


def _gain_of_the_last_step(part: JsonDict) -> float | None:
    """Share of the error that the last doubling of the width took away; None where it is not known."""
    errors = [] if "missing" in part else part["held_out"] or part["gcv"]
    if len(errors) < 2 or None in errors[-2:] or errors[-2] <= 0:
        return None
    return float(1 - errors[-1] / errors[-2])


def _more_rows(part: JsonDict) -> str:
    now = 0 if "missing" in part else len(part["rmse"]) // 2
    if now == 0 or not part["rmse"][now]:
        return ""
    gain = 1 - part["rmse"][now + 1] / part["rmse"][now]
    return f"Twice the rows would lower the error by about {percent(gain)}, as the model itself expects."


def _more_memory(part: JsonDict, width: int) -> str:
    if "missing" in part:
        return ""
    takes = f"Twice the features would take {size(part['memory'][part['widths'].index(width) + 1])} of memory"
    allowed = f"; the budget here allows {count(part['largest_width'])} features" if part["largest_width"] else ""
    return f"{takes}{allowed}."


def _choices(part: JsonDict, kind: str) -> str:
    model = "the exact kernel machine on {} training rows" if part["exact"] else "with {} features"
    told = f"{part['kernel_in_words']}, {model.format(count(part['width']))}."
    penalty = part["penalty"]
    if "alpha" not in penalty:
        return told
    how = {
        "gcv": "chosen by generalised cross-validation",
        "evidence": "chosen by the marginal likelihood",
        "loo": "chosen by leave-one-out",
        "cv": "chosen by cross-validation",
        "auto": "chosen by predictions of rows that were left out",
    }.get(penalty["asked"], "as given")
    if how == "as given" and float(penalty["asked"]) != penalty["alpha"]:
        how = f"raised from {penalty['asked']}, at which the equations are singular"
    told += f" Penalty alpha = {number(penalty['alpha'])}, {how}"
    if part["dof"] is not None:
        told += f"; the model then has {number(part['dof'])} effective degrees of freedom"
    return told + "."


def _cost(part: JsonDict) -> str:
    rows = "" if part["rows"] is None else f"{count(part['rows'])} rows of {count(part['columns'])} columns"
    passes = "" if part["passes"] is None else f", read {_times(part['passes'])}"
    spent = [seconds(part["seconds"])] if part["seconds"] is not None else []
    spent += [size(part["memory"])] if part["memory"] is not None else []
    took = f"The fit took {' and '.join(spent)}." if spent else "What the fit took was not recorded."
    return f"{rows}{passes}. {took}" if rows else took


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{count(n)} times")

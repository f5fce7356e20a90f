"""Charts of the report: one function for each part of the summary."""

from __future__ import annotations

from bochner._typing import JsonDict
from bochner.reporting.numbers import count, number, percent, seconds, size
from bochner.reporting.svg import Axis, Chart, Rule, Series

__all__ = [
    "CRITERIA",
    "components_chart",
    "coverage_chart",
    "criterion_chart",
    "evidence_chart",
    "histogram_chart",
    "kernel_error_chart",
    "memory_chart",
    "path_chart",
    "prediction_chart",
    "reliability_chart",
    "residual_chart",
    "rows_chart",
    "seconds_chart",
    "spectrum_chart",
    "width_chart",
]


def prediction_chart(part: JsonDict) -> Chart:
    """Targets against predictions."""
    points = part["residuals"]
    actual = [fitted + residual for fitted, residual in zip(points["fitted"], points["residual"])]
    ends = [min(points["fitted"], default=0.0), max(points["fitted"], default=1.0)]
    quantile, on_line = part["drawn_quantile"], "exactly right"
    message = "On the line a prediction is exactly right; the farther from it, the worse."
    if quantile is not None:
        on_line = f"quantile {quantile:g}"
        message = f"The line is the quantile {quantile:g}: about {percent(quantile)} of the rows are to lie below it."
    return Chart(
        "Predicted against actual",
        message,
        Axis.over("prediction", points["fitted"]),
        Axis.over("target", actual),
        [Series(on_line, ends, ends, "guide", 3), Series("row", points["fitted"], actual, "points")],
    )


def residual_chart(part: JsonDict) -> Chart:
    """Residuals against predictions."""
    points = part["residuals"]
    return Chart(
        "Residuals against predictions",
        "A cloud around zero without a pattern means that nothing simple is left to learn; "
        f"{count(len(points['fitted']))} rows are shown.",
        Axis.over("prediction", points["fitted"]),
        Axis.over("target - prediction", points["residual"], include=[0.0]),
        [Series("row", points["fitted"], points["residual"], "points")],
        [Rule("no error", 0.0, vertical=False)],
    )


def histogram_chart(part: JsonDict) -> Chart:
    """Histogram of residuals."""
    points = part["residuals"]
    return Chart(
        "How large the residuals are",
        f"Their root mean square is {number(part['rmse'])}, their mean absolute value {number(part['mae'])}.",
        Axis.over("target - prediction", points["edges"]),
        Axis.over("rows", points["counts"], include=[0.0], form=count),
        [Series("rows", points["edges"], points["counts"], "bars")],
        [Rule("no error" if part["drawn_quantile"] is None else f"quantile {part['drawn_quantile']:g}", 0.0)],
    )


def coverage_chart(coverage: JsonDict) -> Chart:
    """Nominal against observed coverage of the error bars."""
    at = coverage["levels"].index(0.9)
    return Chart(
        "Do the error bars hold what they promise?",
        f"90 % intervals hold {percent(coverage['observed'][at])} of {count(coverage['n_rows'])} targets. On the "
        "diagonal they hold exactly what they promise; below it they are too narrow.",
        Axis("promised share", 0.0, 1.0, form=percent),
        Axis("observed share", 0.0, 1.0, form=percent),
        [
            Series("what chance allows", coverage["levels"], coverage["low"], "band", 1, high=coverage["high"]),
            Series("exactly as promised", [0.0, 1.0], [0.0, 1.0], "guide", 3),
            Series("observed", coverage["levels"], coverage["observed"]),
        ],
    )


def reliability_chart(curve: JsonDict) -> Chart:
    """Reliability diagram: predicted probabilities against observed frequencies."""
    return Chart(
        "Are the probabilities right?",
        f"The mean distance from the diagonal is {percent(curve['ece'])}: of rows given a probability p, a share p "
        "should be hits.",
        Axis(curve["of"], 0.0, 1.0, form=percent),
        Axis("observed share", 0.0, 1.0, form=percent),
        [
            Series("what chance allows", curve["predicted"], curve["low"], "band", 1, high=curve["high"]),
            Series("exactly as predicted", [0.0, 1.0], [0.0, 1.0], "guide", 3),
            Series("observed", curve["predicted"], curve["observed"]),
        ],
    )


def components_chart(part: JsonDict) -> Chart:
    """Explained variance of the first components."""
    ranks = list(range(1, len(part["training_share"]) + 1))
    return Chart(
        "Variance that the components keep",
        f"All {count(len(ranks))} keep {percent(part['held_out_share'][-1])} on the {_whose(part)}.",
        Axis.over("components", ranks, form=count, include=[1.0]),
        Axis("share of the variance", 0.0, 1.0, form=percent),
        [
            Series(_whose(part), ranks, part["held_out_share"]),
            Series("training rows", ranks, part["training_share"], style=1),
        ],
    )


def kernel_error_chart(curve: JsonDict) -> Chart:
    """Kernel error by width."""
    at, widths = curve["widths"].index(curve["width"]), curve["widths"]
    series = [
        Series("largest, measured", widths, curve["largest"]),
        Series("root mean square, measured", widths, curve["root_mean_square"], style=1),
    ]
    if curve["guaranteed"] is not None:
        promise = f"largest, guaranteed (probability 1 - {curve['delta']:g})"
        series.append(Series(promise, widths, curve["guaranteed"], style=2))
    values = [v for s in series for v in s.y]
    return Chart(
        "Kernel error against the number of features",
        f"At {count(curve['width'])} features the largest error over {count(curve['n_rows'])} rows is "
        f"{number(curve['largest'][at])}."
        + (" Four times the features halve it, about." if curve["guaranteed"] is not None else ""),
        Axis.over("features", widths, log=True, form=count),
        Axis.over("kernel error", values, log=True),
        series,
        [Rule("this model", curve["width"])],
    )


def width_chart(part: JsonDict, width: int) -> Chart:
    """Prediction error by width."""
    series = []
    if part["held_out"]:
        series.append(Series(f"{count(part['n_rows'])} {_whose(part)}", part["widths"], part["held_out"]))
    if part["gcv"]:
        series.append(Series("estimated from the training rows (GCV)", part["widths"], part["gcv"], style=1))
    values = [v for s in series for v in s.y]
    return Chart(
        "What more features buy",
        f"From {count(part['widths'][0])} to {count(part['widths'][-1])} features the {part['measure']} goes from "
        f"{number(series[0].y[0])} to {number(series[0].y[-1])}.",
        Axis.over("features", part["widths"], log=True, form=count),
        Axis.over(part["measure"], values, log=_all_positive(values)),
        series,
        [Rule("this model", width)],
    )


def rows_chart(part: JsonDict) -> Chart:
    """Expected error by number of rows."""
    return Chart(
        "What more rows buy",
        f"The model expects {number(part['rmse'][len(part['rmse']) // 2])} with the rows it has, and never less than "
        f"its noise, {number(part['noise'])}.",
        Axis.over("training rows", part["n_rows"], log=True, form=count),
        Axis.over("expected error (RMS)", part["rmse"], include=[part["noise"]]),
        [Series("expected by the model", part["n_rows"], part["rmse"])],
        [Rule("this model", part["now"]), Rule("noise", part["noise"], vertical=False, style=2)],
    )


def memory_chart(bills: JsonDict, width: int, budget: int) -> Chart:
    """Memory of a fit by width, with the budget."""
    return Chart(
        "What memory a fit takes, beyond the data",
        f"The budget on this machine is {size(budget)}.",
        Axis.over("features", bills["widths"], log=True, form=count),
        Axis.over("memory", [*bills["memory"], budget], log=True, form=size),
        [Series("memory", bills["widths"], bills["memory"])],
        [Rule("this model", width), Rule("budget", budget, vertical=False, style=2)],
    )


def seconds_chart(bills: JsonDict, width: int) -> Chart:
    """Time of a fit by width."""
    return Chart(
        "What time a fit takes",
        "Estimated for this machine, where the report was made.",
        Axis.over("features", bills["widths"], log=True, form=count),
        Axis.over("time", bills["seconds"], log=True, form=seconds),
        [Series("time", bills["widths"], bills["seconds"])],
        [Rule("this model", width)],
    )


CRITERIA = {
    "gcv": "estimated squared error (GCV)",
    "loo": "squared leave-one-out error",
    "cv": "cross-validated loss",
    "log_evidence": "log evidence",
    "dof": "effective degrees of freedom",
}
"""What can be shown along the penalties, and its name."""

_MESSAGES = {
    "log_evidence": "The logarithm of the probability of the targets under the model: higher is better.",
    "dof": "How many parameters the model has in effect.",
}


def criterion_chart(part: JsonDict) -> Chart:
    """A criterion along the penalties, and the penalty that was chosen."""
    name, values = CRITERIA[part["criterion"]], part["values"]
    chosen = (
        f"alpha = {number(part['alpha'])} was chosen. To the left the model follows the noise, to the right it is too "
        "smooth."
    )
    return Chart(
        "How plausible each penalty is" if part["criterion"] == "log_evidence" else "Which penalty",
        _MESSAGES.get(part["criterion"], chosen),
        Axis.over("penalty alpha", part["alphas"], log=True),
        Axis.over(name, values, log=part["criterion"] not in _MESSAGES and _all_positive(values)),
        [Series(name, part["alphas"], values, style=int(part["criterion"] == "log_evidence"))],
        [Rule("chosen", part["alpha"])],
    )


def path_chart(penalty: JsonDict) -> Chart | None:
    """The error along the penalties; None where there is no path."""
    return _criterion(penalty, "loo", "cv", "gcv")


def evidence_chart(penalty: JsonDict) -> Chart | None:
    """The log evidence along the penalties; None where there is none."""
    return _criterion(penalty, "log_evidence")


def _criterion(penalty: JsonDict, *names: str) -> Chart | None:
    for name in names:
        if penalty.get(name) is not None:
            return criterion_chart({**penalty, "criterion": name, "values": penalty[name]})
    return None


def spectrum_chart(part: JsonDict) -> Chart:
    """Eigenvalues of the features' second moment."""
    rules, message = [], f"The {count(part['width'])} features vary in {count(part['rank'][-1])} directions."
    if part["penalty"]:
        rules.append(Rule("penalty alpha / n", part["penalty"], vertical=False, style=2))
        message = f"{count(part['n_above_penalty'])} of {count(part['width'])} directions stand above the penalty."
    return Chart(
        "The spectrum of the data",
        f"{message} The faster it falls, the fewer features are needed.",
        Axis.over("rank", part["rank"], log=True, form=count),
        Axis.over("eigenvalue", [*part["eigenvalue"], part["penalty"]], log=True),
        [Series("eigenvalue", part["rank"], part["eigenvalue"])],
        rules,
    )


def _whose(part: JsonDict) -> str:
    return "held-out rows" if part["rows_held_out"] else "rows given"


def _all_positive(values: list[float | None]) -> bool:
    return all(value is None or value > 0 for value in values)

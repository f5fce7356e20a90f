"""Every printed bound beside its correction, in one setting each, with the truth where it is known exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers
from bochner.theory import Status, expectation, generalization, mean_square, published, uniform
from bochner.theory.base import Embedding, Published

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENT"]

_KERNEL = Gaussian()
_PAIRED: Embedding = "paired"
_PHASE: Embedding = "phase"
_MARKERS = {
    "printed": ("X", COLOURS["printed"], "printed"),
    "corrected": ("o", COLOURS["paired"], "corrected"),
    "ours": ("D", COLOURS["ours"], "ours"),
    "truth": ("|", COLOURS["truth"], "truth at least"),
}
_WIDTHS = (20_000, 50_000, 100_000, 200_000)
_TITLES = {
    "probability": "probability of failure, at most",
    "expected supremum": "expected largest error, at most",
    "features": "features that are enough",
}


def measure() -> Numbers:
    """Rows of result, setting, printed, corrected, and where there is one, our tightest value and the truth.

    Rows of quantity "counterexample", one for each refuted claim, are not drawn: some of their values are 0 or 1e-50.
    """
    drawn = [*_tails(), *_concentration(), *_refuted(), *_expectations(), *_feature_counts()]
    return {"rows": [*drawn, *_counterexamples()]}


def _row(quantity: str, claim: Published, setting: str, corrected: float | None, **others: float) -> Numbers:
    return {
        "quantity": quantity,
        "result": f"{claim.source.paper.split(',')[0]}, {claim.source.result}",
        "setting": setting,
        "status": claim.status.name,
        "printed": claim.value(),
        **({} if corrected is None else {"corrected": corrected}),
        **others,
        "correction": claim.correction,
    }


def _tails() -> list[Numbers]:
    """Propositions 1 and 2 at d = 1, ell = 6."""
    rows = []
    for D, printed, repaired, embedding in (
        (4000, published.SutherlandSchneiderProp1, uniform.SutherlandSchneiderProp1, _PAIRED),
        (8000, published.SutherlandSchneiderProp2, uniform.SutherlandSchneiderProp2, _PHASE),
    ):
        claim = printed(D=D, d=1, eps=0.2, ell=6.0, sigma_p=1.0)
        bound = repaired(kernel=_KERNEL, n_features=1, diameter=6.0, embedding=embedding)
        setting = f"D = {D}, d = 1, ε = 0.2, ℓ = 6"
        rows.append(_row("probability", claim, setting, bound.probability(0.2, n_components=D)))
    return rows


def _concentration() -> list[Numbers]:
    """Propositions 5 to 8."""
    rows = []
    for five_or_six, mean, embedding in (
        (published.SutherlandSchneiderProp5, 0.04, _PAIRED),
        (published.SutherlandSchneiderProp6, 0.05, _PHASE),
    ):
        around = expectation.Concentration(kernel=_KERNEL, mean=mean, embedding=embedding)
        claim, setting = five_or_six(D=2000, mean=mean, eps=0.08), f"D = 2000, mean {mean}, ε = 0.08"
        rows.append(_row("probability", claim, setting, around.probability(0.08, n_components=2000)))
    for seven_or_eight, D, embedding in (
        (published.SutherlandSchneiderProp7, 1000, _PAIRED),
        (published.SutherlandSchneiderProp8, 4000, _PHASE),
    ):
        squared = mean_square.SquaredNormMcDiarmid(kernel=_KERNEL, embedding=embedding)
        corrected = squared.probability(0.5, n_components=D)
        rows.append(_row("probability", seven_or_eight(D=D, eps=0.5), f"D = {D}, ε = 0.5", corrected))
    return rows


def _refuted() -> list[Numbers]:
    """Claims that a computation contradicts: the printed value is below the truth."""
    m, d, R = 40, 100, 3.0
    theorem = published.LiHonorioTheorem1(m=m, R=R, eps=1.0)
    raj = published.RajTheorem31Pointwise(n_transforms=100, eps=0.2)
    cover = uniform.AnchoredCover(kernel=_KERNEL, n_features=d, diameter=R)
    ours, setting = cover.probability(1.0, n_components=2 * m), f"m = {m}, d = {d}, R = {R:g}, ε = 1"
    truths = [claim.counterexample().true_at_least for claim in (theorem, raj)]
    return [
        _row("probability", theorem, setting, None, ours=ours, truth=truths[0]),
        _row("probability", raj, "r = 100, ε = 0.2", raj.corrected(), truth=truths[1]),
    ]


def _counterexamples() -> list[Numbers]:
    """Every refuted claim in the setting of its counterexample."""
    claims = [getattr(published, name) for name in published.__all__]
    rows = []
    for claim in claims:
        if getattr(claim, "status", None) is Status.REFUTED:
            found = claim.counterexample()
            rows.append(
                {
                    "quantity": "counterexample",
                    "result": f"{claim.source.paper.split(',')[0]}, {claim.source.result}",
                    "setting": found.setting,
                    "status": claim.status.name,
                    "of": found.quantity,
                    "printed": found.claimed,
                    "truth": found.true_at_least,
                    "exact": found.exact,
                    "correction": claim.correction,
                }
            )
    return rows


def _expectations() -> list[Numbers]:
    """Propositions 3 and 4 and Li & Honorio's Corollary 1 at d = 1, ell = 6, D = 1000."""
    D, ell, quantity, setting = 1000, 6.0, "expected supremum", "D = 1000, d = 1, ℓ = 6"
    region = {
        name: expectation.IntegratedCover(kernel=_KERNEL, n_features=1, diameter=ell, embedding=name).mean(D)
        for name in (_PAIRED, _PHASE)
    }
    three = expectation.DudleyPaired(kernel=_KERNEL, n_features=1, diameter=ell).unclipped(D)
    four = expectation.DudleyPhase(kernel=_KERNEL, n_features=1, diameter=ell, ball=True).unclipped(D)
    corollary = published.LiHonorioCorollary1(m=D // 2, R=ell)
    return [
        _row(quantity, published.SutherlandSchneiderProp3(D=D, d=1, ell=ell), setting, three, ours=region["paired"]),
        _row(
            quantity,
            published.SutherlandSchneiderProp4(D=D, d=1, ell=ell, gamma=0.803),
            setting,
            four,
            ours=region["phase"],
        ),
        _row(
            quantity,
            corollary,
            setting,
            None,
            ours=region["paired"],
            integral_of_theorem_1=corollary.integral_of_theorem1(),
        ),
    ]


def _feature_counts() -> list[Numbers]:
    """Propositions 1 and 2 at d = 10, ell = 10, eps = 0.1, delta = 0.05; Zhu Li's at d_tau = 1000, d(lambda) = 20."""
    rows = []
    for printed, repaired, embedding in (
        (published.SutherlandSchneiderProp1, uniform.SutherlandSchneiderProp1, _PAIRED),
        (published.SutherlandSchneiderProp2, uniform.SutherlandSchneiderProp2, _PHASE),
    ):
        claim = printed(D=1, d=10, eps=0.1, ell=10.0, sigma_p=float(np.sqrt(10)))
        bound = repaired(kernel=_KERNEL, n_features=10, diameter=10.0, embedding=embedding)
        cover = uniform.AnchoredCover(kernel=_KERNEL, n_features=10, diameter=10.0, embedding=embedding)
        row = _row("features", claim, "d = 10, ε = 0.1, δ = 0.05, ℓ = 10", bound.real_width(0.1, 0.05))
        rows.append({**row, "printed": claim.real_width(0.05), "ours": cover.features_needed(0.1, 0.05)})
    needed = generalization.features_for_operator_bound(1000, 20, 0.05)
    for count in (published.ZhuLiFeatures, published.ZhuLiCorollaryFeatures):
        printed_count = count(d_tau=1000, d_lambda=20, delta=0.05)
        rows.append(_row("features", printed_count, "d_τ = 1000, d(λ) = 20, δ = 0.05", needed))
    return rows


def draw(figure: Figure, numbers: Numbers) -> None:
    groups = {quantity: [row for row in numbers["rows"] if row["quantity"] == quantity] for quantity in _TITLES}
    panels = figure.subplots(len(groups), 1, height_ratios=[1 + len(rows) for rows in groups.values()])
    for axes, (quantity, rows) in zip(panels, groups.items()):
        _panel(axes, rows, largest=1.0 if quantity == "probability" else np.inf)
        axes.set_title(_TITLES[quantity])
    panels[-1].minorticks_off()
    panels[-1].set_xticks(_WIDTHS, [_short(width) for width in _WIDTHS])
    for marker, colour, label in _MARKERS.values():
        panels[0].scatter([], [], marker=marker, color=colour, label=label)
    figure.legend(loc="outside upper center", ncols=len(_MARKERS))


def _panel(axes: Axes, rows: list[Numbers], largest: float) -> None:
    for place, row in enumerate(rows):
        values = {name: min(row[name], largest) for name in _MARKERS if name in row}
        axes.plot([min(values.values()), max(values.values())], [place, place], color=COLOURS["quiet"], lw=1, zorder=1)
        for name, value in values.items():
            marker, colour, _ = _MARKERS[name]
            axes.scatter(value, place, marker=marker, s=90 if marker == "|" else 34, color=colour, zorder=2)
        summary = ",  ".join(f"{_MARKERS[name][2]} {_short(value)}" for name, value in values.items())
        axes.annotate(summary, (1.02, place), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    labels = [f"{row['result']}  ({row['status'].lower()})\n{row['setting']}" for row in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=8)
    axes.set(xscale="log", ylim=(len(rows) - 0.5, -0.5))
    axes.grid(axis="y", visible=False)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


EXPERIMENT = Experiment(
    title="printed bounds beside their corrections", measure=measure, draw=draw, quick={}, full={}, size=(11.0, 8.5)
)

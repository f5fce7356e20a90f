"""The directive `{papers} name`: the numbers of a paper beside ours, and the figure, from the stored results.

A table is made from benchmarks/results/papers/NAME.json when the page is built: no number of it is typed.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "papers"
FIGURES = "_static/papers"


def load(name):
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def interval(limits, digits=3):
    low, high = limits
    return f"{low:.{digits}f} to {high:.{digits}f}".replace("-", "−")


def number(value, digits=3):
    return f"{value:.{digits}f}".replace("-", "−")


def estimate(slope, digits=2):
    """A slope with its interval, or the words for none."""
    if slope is None:
        return "not reached"
    return f"{number(slope['estimate'], digits)} ({interval(slope['interval'], digits)})"


def overlap(one, other):
    return "intervals overlap" if max(one[0], other[0]) <= min(one[1], other[1]) else "intervals are apart"


def contains(limits, value):
    return "inside the interval" if limits[0] <= value <= limits[1] else "outside the interval"


def variance(found, _):
    at = found["radius"].index(1.0)
    largest = max(
        abs(value - found[name][found["radius"].index(radius)])
        for name in ("paired", "phase")
        for radius, value in zip(found["simulated_radius"], found[f"simulated_{name}"], strict=True)
        if radius in found["radius"]
    )
    rows = [
        (f"D × variance at distance 1, {name}", "curve", number(found[name][at], 6), "exact")
        for name in ("paired", "phase")
    ]
    return [*rows, ("largest distance of simulated from exact", "none given", number(largest, 4), "simulated")]


def coefficients(found, _):
    rows = []
    for name, peak in found["paper"].items():
        ours = found["maximum"][name]
        same = ours["dimension"] == peak["dimension"] and abs(ours["value"] - peak["value"]) < 1e-9
        rows.append((f"largest coefficient, {name}", f"{peak['value']:g} at d = {peak['dimension']}",
                     f"{ours['value']:g} at d = {ours['dimension']}", "equal" if same else "different"))  # fmt: skip
    return rows


def radius(found, _):
    return [
        (f"E sup at b = {found['half_width'][-1]:g}, D = {curve['n_components']}, {curve['embedding']}", "curve",
         f"{number(curve['mean'][-1], 4)} ± {number(2 * curve['standard_error'][-1], 4)}", "± two standard errors")
        for curve in found["curves"]
    ]  # fmt: skip


def width(found, _):
    rows = []
    for name in ("paired", "phase"):
        own = found[name]
        ours, theirs = own["slope"]["interval"], own["paper_slope_interval"]
        rows.append((f"exponent of D, {name}, 95 %", interval(theirs), interval(ours), overlap(ours, theirs)))
    at = found["n_components"].index(1000)
    for name in ("paired", "phase"):
        own = found[name]
        rows.append((f"E sup at D = 1,000, {name}", "curve", number(own["mean"][at], 4), "simulated"))
        for bound, values in own["integrated"].items():
            words = f"{bound}, repaired" if bound in ("tight", "loose") else bound
            rows.append((f"bound on it: {words}; {name}", "curve", number(values[at], 4),
                         f"{values[at] / own['mean'][at]:.1f}x the simulated"))  # fmt: skip
    return rows


def survival(found, parameters):
    rows = []
    for name in ("paired", "phase"):
        own = found[name]
        draws = f"{parameters['n_draws']:,} draws, paper 1,000"
        rows.append((f"mean of sup, {name}", "curve", number(own["mean"], 4), draws))
        for bound, values in own["bounds"].items():
            words = {"tight": "repaired 1, 2", "tight, printed": "printed 1, 2"}.get(bound, bound)
            below = sum(b < s for b, s in zip(values, own["survival"], strict=True))
            rows.append((f"ε where the bound ({words}) is below 1 %, {name}", "curve",
                         _first_below(found["eps"], values),
                         f"below the simulated at {below} of {len(values)} ε"))  # fmt: skip
        rows.append(
            (f"ε where the simulated is below 1 %, {name}", "curve", _first_below(found["eps"], own["survival"]), "")
        )
    return rows


def _first_below(eps, values, level=0.01):
    small = [e for e, value in zip(eps, values, strict=True) if value < level]
    return number(small[0], 3) if small else f"above {eps[-1]:g}"


def mmd(found, _):
    rows = []
    for name in ("paired", "phase"):
        own = found[name]
        ours, theirs = own["slope"]["interval"], own["paper_slope_interval"]
        rows.append((f"exponent of D, {name}, 95 %", interval(theirs), interval(ours), overlap(ours, theirs)))
    return rows


def entropy(found, _):
    return [
        (f"γ′ at ℓ/ρ = {place}", f"{value}; its formula gives {number(found['printed'][at])}",
         number(found["corrected"][at], 6), f"quadrature {number(found['quadrature'][at], 6)}")
        for (place, value), at in zip(found["paper"].items(), (0, -1), strict=True)
    ]  # fmt: skip


def mean_square(found, _):
    rows = []
    for name in ("paired", "phase"):
        own = found[name]
        away = (own["pooled"] - own["exact"]) / own["pooled_standard_error"]
        rows.append((f"D × mean squared error, {name}", f"{own['paper']}", f"exact {number(own['exact'], 6)}",
                     "equal to two digits" if round(own["exact"], 2) == own["paper"] else "different"))  # fmt: skip
        rows.append((f"the same, simulated, {name}", "not given",
                     f"{number(own['pooled'], 4)} ± {number(2 * own['pooled_standard_error'], 4)}",
                     f"{number(away, 1)} standard errors from exact"))  # fmt: skip
    return rows


def counterexample(found, _):
    rows = []
    for curve in found["curves"]:
        for at, share in zip(curve["simulated_n_frequencies"], curve["simulated"], strict=True):
            index = curve["n_frequencies"].index(at)
            if 0.2 < at / curve["n_features"] < 0.55:
                claimed, least = curve["claimed"][index], curve["lower_bound"][index]
                rows.append((f"P(sup ≥ 1), d = {curve['n_features']}, m = {at}", f"at most {claimed:.3g}",
                             f"at least {least:.4f}, found in {share:.1%} of draws",
                             "refuted" if least > claimed else "not refuted here"))  # fmt: skip
    return rows


def descent(found, parameters):
    d, m, R = (parameters[name] for name in ("n_features", "n_frequencies", "radius"))
    return [
        (f"P(sup ≥ {found['eps']}), d = {d}, m = {m}, R = {R:g}",
         f"at most {found['claimed_at_eps']:.3g}", f"{found['draws_above_eps']} of {found['n_draws']} draws",
         f"errors found {number(found['reached']['min'])} to {number(found['reached']['max'])}"),
    ]  # fmt: skip


def regimes(found, _):
    rows = []
    for place in found["named"]:
        where = f"r = {place['r']:g}, γ = {place['gamma']:g}"
        exponents_ = f"plain {place['plain']:g}, by leverage {place['leverage']:g}"
        rows.append((f"exponent of the features, {where}", "map", exponents_, "of n, times log n"))
    return rows


def exponents(found, _):
    rows = []
    for study in found["problems"]:
        words = f"(r, γ) = ({study['r']:g}, {study['gamma']:g})"
        risk, penalty = study["risk"], study["penalty"]
        for name, curve in risk["curves"].items():
            rows.append(_exponent(f"excess risk, {name}, {words}", risk["predicted"], curve["slope"]))
        rows.append(_exponent(f"best penalty, {words}", penalty["predicted"], penalty["slope"]))
        rows.append(_exponent(f"excess risk at it, {words}", risk["predicted"], penalty["risk_slope"]))
        for name, own in study["features"].items():
            rows.append(_exponent(f"fewest features, {name}, {words}", own["predicted"], own["slope"], enough=True))
    return rows


def _exponent(words, predicted, slope, *, enough=False):
    verdict = f"{contains(slope['interval'], predicted)}, {abs(slope['estimate'] - predicted):.2f} apart"
    if enough and slope["interval"][1] < predicted:
        verdict = "fewer than the theorem's are enough"
    return words, number(predicted), f"{number(slope['estimate'])} ({interval(slope['interval'])})", verdict


def limit(found, _):
    rows = []
    for study in found["problems"]:
        words = f"(r, γ) = ({study['r']:g}, {study['gamma']:g})"
        curves = {"best penalty": study["penalty"], "excess risk at it": study["risk"]}
        curves |= {f"fewest features, {name}": curve for name, curve in study["features"].items()}
        for name, curve in curves.items():
            early = [slope for n, slope in zip(found["n"][1:], curve["local_slopes"], strict=True) if n < 20_000]
            rows.append((f"{name}, {words}", number(curve["predicted"]), number(curve["slope_of_the_upper_half"]),
                         f"below n = 10,000 locally {interval((min(early), max(early)), 2)}"))  # fmt: skip
    return rows


def classification(found, _):
    rows = []
    for study in found["problems"]:
        words = f"{study['spectrum']}, r = {study['r']:g}"
        for name, curve in study["risk"]["curves"].items():
            ratio = curve["mean"][-1] / study["risk"]["curves"]["exact"]["mean"][-1]
            with_ = "" if name == "exact" else f", {curve['width'][0]:,} to {curve['width'][-1]:,} features"
            against = "" if name == "exact" else f"{ratio:.2f}x exact at the largest n"
            rows.append((f"excess risk, {words}, {name}{with_}", f"at most {number(study['risk']['claimed'], 2)}",
                         estimate(curve["slope"]), against))  # fmt: skip
        for name, own in study["features"].items():
            claimed = own["claimed"]
            printed = f"{claimed['features'].replace('gamma', 'γ')}: {number(claimed['slope_with_logarithms'], 2)}"
            for kind, meaning in (("strict", "nothing lost"), ("rate", "rate kept")):
                found_ = own[kind]
                rows.append((f"fewest features, {words}, {name}, {meaning}", printed, estimate(found_["slope"]),
                             _counts(found_["smallest"])))  # fmt: skip
    return rows


def _counts(smallest):
    first, last = ("none of the widths" if value is None else f"{value:,.0f}" for value in (smallest[0], smallest[-1]))
    return f"{first} at the smallest n, {last} at the largest"


def orbits(found, parameters):
    unit = 100 if found["measure"] == "wrong labels" else 1
    sign = " %" if unit == 100 else " kcal/mol"
    rows = []
    for name, own in found["methods"].items():
        width = own.get("widths", [parameters["n_components"]])[-1]
        at = f"{found['sizes'][-1]:,} rows, D = {width:,}"
        low, high = (unit * value for value in own["interval"][-1])
        last = f"{unit * own['error'][-1]:.2f}{sign} ({low:.2f} to {high:.2f})"
        first = f"{unit * own['error'][0]:.2f}{sign} with {found['sizes'][0]:,} rows"
        rows.append((f"{found['measure']}, {name}, {at}", "not in our copy", last, first))
    return rows


TABLES = {
    "sutherland-schneider-figure-1": variance,
    "sutherland-schneider-figure-2": coefficients,
    "sutherland-schneider-figure-3": radius,
    "sutherland-schneider-figure-4": width,
    "sutherland-schneider-figure-5": survival,
    "sutherland-schneider-figure-6": mmd,
    "sutherland-schneider-figure-7": entropy,
    "sutherland-schneider-mean-square": mean_square,
    "li-honorio-counterexample": counterexample,
    "li-honorio-descent": descent,
    "rudi-rosasco-figure-1": regimes,
    "rudi-rosasco-exponents": exponents,
    "rudi-rosasco-limit": limit,
    "zhu-li-logistic": classification,
    "zhu-li-hinge": classification,
    "raj-rotated-digits": orbits,
    "raj-translated-digits": orbits,
    "raj-fashion": orbits,
    "raj-signals": orbits,
    "raj-molecules": orbits,
}


def markdown(name):
    """Figure, table and settings as Markdown, or a sentence if there is no result."""
    found = load(name)
    if found is None:
        return f"*Not measured yet: `python benchmarks/papers.py {name}` will fill this place.*"
    rows = TABLES[name](found["numbers"], found["parameters"])
    lines = [("", "paper", "bochner", ""), ["---"] * 4, *rows]
    table = "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
    settings = ", ".join(f"{key} {_setting(value)}" for key, value in found["parameters"].items())
    return f"![{found['title']}]({FIGURES}/{name}.png)\n\n{table}\n\n`{name}`: {settings}."


def _setting(value):
    if isinstance(value, list) and len(value) > 4 and not isinstance(value[0], list):
        return f"{value[0]:,} ... {value[-1]:,} ({len(value)} values)"
    if isinstance(value, list):
        return "; ".join(" ".join(map(str, each)) if isinstance(each, list) else f"{each:,}" for each in value)
    return f"{value:,}"


class Papers(SphinxDirective):
    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(RESULTS / f"{self.arguments[0]}.json"))
        parent = nodes.Element()
        text = markdown(self.arguments[0])
        self.state.nested_parse(StringList(text.splitlines(), source="benchmarks/results/papers"), 0, parent)
        return parent.children


def setup(app):
    app.add_directive("papers", Papers)
    return {"parallel_read_safe": True}

"""The directive `{conclusions} name`: sentences about the reproductions of papers, made from their stored results.

A sentence counts and names what holds: which exponents exceed a theorem's, at how many sizes which method needs fewer.
No number of it is typed, and no verdict either, so that a new result changes the sentence.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import papers
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

_SETTLED = 0.02  # of a local exponent to the last ones


def numbers(name):
    return papers.load(name)["numbers"]


def listed(parts, none):
    """a, b and c; `none` where there are none."""
    parts = list(parts)
    return none if not parts else " and ".join([", ".join(parts[:-1]), parts[-1]][len(parts) == 1 :])


def span(values, digits=2):
    low, high = min(values), max(values)
    return papers.number(low, digits) if low == high else papers.interval((low, high), digits)


def place(study):
    return f"({Fraction(study['r']).limit_denominator(32)}, {Fraction(study['gamma']).limit_denominator(32)})"


# Sutherland & Schneider, Li & Honorio


def sutherland_schneider():
    pairs = [
        numbers(f"sutherland-schneider-figure-{figure}")[embedding]
        for figure in (4, 6)
        for embedding in ("paired", "phase")
    ]
    alike = sum(
        papers.overlap(own["slope"]["interval"], own["paper_slope_interval"])[-7:] == "overlap" for own in pairs
    )
    squares = numbers("sutherland-schneider-mean-square")
    equal = sum(round(squares[name]["exact"], 2) == squares[name]["paper"] for name in ("paired", "phase"))
    entropy = numbers("sutherland-schneider-figure-7")
    wrong = sum(
        abs(printed / entropy["quadrature"][at] - 1) > 0.01
        for at, printed in zip((0, -1), entropy["paper"].values(), strict=True)
    )
    yield (
        f"**Sutherland and Schneider**: {alike} of the {len(pairs)} exponents that the paper gives with intervals "
        f"overlap ours, and {equal} of 2 constants of the mean squared error come out as printed. {wrong} of the 2 "
        "values of Figure 7 are not those of its integral."
    )


def li_honorio():
    descent = numbers("li-honorio-descent")
    yield (
        "**Li and Honorio** have no experiment. Their Theorem 1, for more than one dimension, is refuted by a "
        f"construction and by gradient descent, which finds errors above {descent['eps']} in "
        f"{descent['draws_above_eps']} of {descent['n_draws']} draws, where it claims a probability of at most "
        f"{descent['claimed_at_eps']:.2g}."
    )


# Rudi & Rosasco


def rudi_rosasco():
    fitted, limit = numbers("rudi-rosasco-exponents")["problems"], numbers("rudi-rosasco-limit")
    away = max(
        abs(curve["slope"]["estimate"] - study["risk"]["predicted"])
        for study in fitted
        for curve in study["risk"]["curves"].values()
    )
    above = [
        f"{name} for (r, γ) = {place(study)}, {papers.estimate(own['slope'])} where it is {own['predicted']:.2f}"
        for study in fitted
        for name, own in study["features"].items()
        if own["slope"]["estimate"] > own["predicted"]
    ]
    sizes = papers.load("rudi-rosasco-exponents")["parameters"]["sizes"]
    yield (
        f"**Rudi and Rosasco**: the fitted exponents of the risk are within {away:.2f} of the theorems'. Those of the "
        f"fewest features exceed them over {sizes[0]:,} to {sizes[-1]:,} rows in {listed(above, 'no case')}. In the "
        f"limit of large n they are {listed(_limits(limit), '')}."
    )


def _limits(limit):
    for study in limit["problems"]:
        for name, own in study["features"].items():
            last = own["slope_of_the_upper_half"]
            yield f"{last:.2f} ({name}, {place(study)}; the theorem's is {own['predicted']:.2f})"


def rudi_rosasco_limit():
    limit = numbers("rudi-rosasco-limit")
    for study in limit["problems"]:
        curves = {"best penalty": study["penalty"], "risk": study["risk"]}
        curves |= {f"{name} features": own for name, own in study["features"].items()}
        settled = [f"the {name} from n = {_power(_settled(limit['n'], own))} on" for name, own in curves.items()]
        yield (
            f"For (r, γ) = {place(study)} the local exponents stay within {_SETTLED} of those of the largest n: "
            f"{listed(settled, '')}."
        )


def _settled(n, curve):
    """The n from which on no local exponent is farther than 0.02 from that of the upper half of all n."""
    far = [abs(slope - curve["slope_of_the_upper_half"]) > _SETTLED for slope in curve["local_slopes"]]
    return n[max((at + 2 for at, each in enumerate(far) if each), default=1)]


def _power(n):
    return f"10<sup>{np.log10(n):.1f}</sup>".replace(".0<", "<")


# Zhu Li


def studies():
    """(loss, problem in words, study) of all problems, with the numbers of rows."""
    for loss in ("logistic", "hinge"):
        found = numbers(f"zhu-li-{loss}")
        for study in found["problems"]:
            yield loss, f"{loss} loss, {study['spectrum']}, r = {study['r']:g}", study


def counts():
    """(problem and sampling in words, kind, needed counts, the table's exponent) of all that were measured."""
    for _, words, study in studies():
        for sampling, own in study["features"].items():
            yield f"{words}, {sampling}", own


def zhu_li_in_short():
    above = _above("rate")
    yield (
        "**Zhu Li** has no experiment; we made one. To keep the rate, the fewest features grow faster than the table's "
        f"count in {listed(above, 'none')} of {len(list(counts()))} cases; their exponents are {span(_slopes('rate'))}."
    )


def zhu_li():
    slopes = [
        curve["slope"]["estimate"]
        for *_, study in studies()
        for name, curve in study["risk"]["curves"].items()
        if name != "exact"
    ]
    yield (
        f"With the table's counts the excess risk falls with exponents of {span(slopes)}; −0.50 is claimed. Over that "
        f"of the exact machine it is {listed(_losses(), '')}."
    )
    faster = _above("rate")
    shrinking = sum(slope < 0 for slope in _slopes("rate"))
    yield (
        f"*Rate kept*: the exponent of the count that is needed is above the table's, with its 95 % interval, in "
        f"{listed(faster, 'no case')}; in {shrinking} of {len(list(counts()))} cases the count shrinks with n, because "
        "the excess risk falls faster than n^(−1/2) and the theorem's allowance becomes generous. The table has no "
        "constants; with ours, 1, the smallest n needs "
        f"{listed(_first_ratios(), '')} times its count."
    )
    growing = [own["strict"]["slope"]["interval"][0] > 0 for _, own in counts() if own["strict"]["slope"]]
    yield (
        f"*Nothing lost*: counts grow, with their 95 % interval, in {sum(growing)} of {len(growing)} cases; faster "
        f"than the table's exponent in {listed(_above('strict'), 'none')}, where the theorem does not promise this."
    )
    yield f"Leverage needs fewer features than plain sampling, nothing lost: {listed(_by_leverage(), '')}."


def _slopes(kind):
    return [own[kind]["slope"]["estimate"] for _, own in counts() if own[kind]["slope"]]


def _above(kind):
    return [
        f"{words}: {papers.estimate(own[kind]['slope'])} for {own['claimed']['slope_with_logarithms']:.2f}"
        for words, own in counts()
        if own[kind]["slope"] and own[kind]["slope"]["interval"][0] > own["claimed"]["slope_with_logarithms"]
    ]


def _losses():
    for loss in ("logistic", "hinge"):
        for sampling in ("plain", "leverage"):
            ratios = [
                mean / exact
                for each, _, study in studies()
                if each == loss
                for mean, exact in zip(
                    study["risk"]["curves"][sampling]["mean"], study["risk"]["curves"]["exact"]["mean"], strict=True
                )
            ]
            yield f"{span(ratios)} times as large ({loss} loss, {sampling})"


def _first_ratios():
    for loss in ("logistic", "hinge"):
        ratios = [
            own["rate"]["smallest"][0] / study["risk"]["curves"][sampling]["width"][0]
            for each, _, study in studies()
            if each == loss
            for sampling, own in study["features"].items()
        ]
        yield f"{min(ratios):.2g} to {max(ratios):.3g} ({loss} loss)"


def _by_leverage():
    for _, words, study in studies():
        plain, leverage = (study["features"][name]["strict"]["smallest"] for name in ("plain", "leverage"))
        fewer = sum(ours < theirs for ours, theirs in zip(leverage, plain, strict=True))
        yield f"at {fewer} of {len(plain)} n ({words}; {leverage[-1]:,.0f} against {plain[-1]:,.0f} at the largest)"


# Raj and others

_PROBLEMS = {
    "turned digits": "raj-rotated-digits",
    "moved digits": "raj-translated-digits",
    "clothes": "raj-fashion",
    "signals": "raj-signals",
    "molecules": "raj-molecules",
}


def raj():
    found = {words: numbers(name) for words, name in _PROBLEMS.items()}
    smaller = sum(_always_smaller(each["methods"], "orbit", "plain") for each in found.values())
    last = sum(
        each["methods"]["orbit"]["interval"][-1][1] < each["methods"]["augmentation"]["interval"][-1][0]
        for each in found.values()
    )
    ahead = [
        f"{words} with {listed((f'{size:,}' for size in sizes), '')} rows"
        for words, each in found.items()
        if (sizes := _augmentation_ahead(each))
    ]
    images = [each["methods"] for each in found.values() if "patches" in each["methods"]]
    best = sum(
        all(_always_smaller(methods, "patches", other) for other in methods if other != "patches") for methods in images
    )
    yield (
        "**Raj and others**: features that average over the symmetry have a smaller error than plain ones at every "
        f"size in {smaller} of {len(found)} problems, and at the largest size than augmentation, with 95 % intervals "
        f"apart, in {last}. Augmentation is ahead of orbit features for {listed(ahead, 'no problem and size')}. "
        "Patches, which the paper does not have, have the smallest error at every size in "
        f"{best} of {len(images)} problems with images."
    )


def _always_smaller(methods, one, other):
    return all(ours < theirs for ours, theirs in zip(methods[one]["error"], methods[other]["error"], strict=True))


def _augmentation_ahead(found):
    methods = found["methods"]
    return [
        size
        for size, orbit, augmented in zip(
            found["sizes"], methods["orbit"]["error"], methods["augmentation"]["error"], strict=True
        )
        if augmented < orbit
    ]


def raj_sizes():
    tests = {words: papers.load(name)["parameters"]["n_test"] for words, name in _PROBLEMS.items()}
    usual = max(tests.values())
    others = [f"{size:,} of the {words}" for words, size in tests.items() if size != usual]
    yield f"Sizes are ours: {usual:,} test rows, {listed(others, 'everywhere')}."


def in_short():
    for each in (sutherland_schneider, li_honorio, rudi_rosasco, zhu_li_in_short, raj):
        yield from each()


CONCLUSIONS = {
    "in-short": in_short,
    "rudi-rosasco-limit": rudi_rosasco_limit,
    "zhu-li": zhu_li,
    "raj-sizes": raj_sizes,
}


def markdown(name):
    """The sentences as a list, or one as a paragraph."""
    sentences = list(CONCLUSIONS[name]())
    return sentences[0] if len(sentences) == 1 else "\n".join(f"- {sentence}" for sentence in sentences)


class Conclusions(SphinxDirective):
    required_arguments = 1

    def run(self):
        for path in papers.RESULTS.glob("*.json"):
            self.env.note_dependency(str(path))
        parent = nodes.Element()
        text = markdown(self.arguments[0])
        self.state.nested_parse(StringList(text.splitlines(), source="benchmarks/results/papers"), 0, parent)
        return parent.children


def setup(app):
    app.add_directive("conclusions", Conclusions)
    return {"parallel_read_safe": True}

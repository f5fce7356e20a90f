"""docs/theory.md is kept honest: its tables are those of the package and of the benchmark.

`python tests/reproduce/test_theory_page.py` rewrites the tables.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bochner import theory
from bochner.theory.sources import BOCHNER

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "theory.md"
TIGHTNESS = ROOT / "benchmarks" / "results" / "tightness.json"


def claims():
    """Those of the package; a test may define its own."""
    return [claim for claim in theory.bounds() if claim.__module__.startswith("bochner.")]


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def short_source(claim):
    """Authors, year and result; the titles are listed once, at the end of the page."""
    paper = "this page" if claim.source.paper == BOCHNER else re.sub(r"(\(\d{4}\)),[^;]*", r"\1", claim.source.paper)
    return f"{paper}: {claim.source.result}"


def claims_table(kind):
    rows = [
        (f"`{description['name']}`", short_source(claim), description["status"], description["evidence"])
        for claim in claims()
        if (description := claim.describe())["kind"] == kind
    ]
    return table(("name", "source", "status", "evidence"), sorted(rows))


def label(description):
    """The status, and the part of the statement that it speaks of."""
    return plain(f"{description['status']} ({description['scope']})" if description["scope"] else description["status"])


def published_table():
    rows = [
        (f"`{description['name']}`", short_source(claim), label(description), plain(claim.correction))
        for claim in claims()
        if (description := claim.describe())["kind"] == "Published"
    ]
    return table(("name", "source", "status", "why, and what to use"), sorted(rows))


def counterexamples_table():
    rows = []
    for claim in claims():
        if claim.status is theory.Status.REFUTED:
            found = claim.counterexample()
            how = "computed" if found.exact else "simulated"
            numbers = (f"{found.claimed:.3g}", f"{found.true_at_least:.3g}, {how}")
            rows.append((f"`{claim.__name__}`", plain(found.setting), plain(found.quantity), *numbers))
    return table(("claim", "setting", "quantity", "claimed: at most", "true: at least"), sorted(rows))


def plain(text):
    """Text as it is: no rules of Markdown inside a table."""
    return re.sub(r"([|*_<>~$\\])", r"\\\1", text)


def tightness_table():
    record = json.loads(TIGHTNESS.read_text())
    bounds = [
        ("finite_set", "DataAware", ""),
        ("finite_set", "UnionSubGaussian", ""),
        ("finite_set", "UnionHoeffding", ""),
        ("uniform", "AnchoredCover", ""),
        ("uniform", "AnchoredCover", ", Bernstein"),
        ("uniform", "SutherlandSchneiderProp1", ""),
    ]
    rows = []
    for module, name, variant in bounds:
        own, truth = record[module][name + variant], record[module]["truth"]["value"]
        low, high = own["ratio_interval"]
        ratio = f"{own['ratio']:.2f} ({low:.2f} to {high:.2f})"
        rows.append((f"`{module}.{name}`{variant}", f"{own['certificate']:.3f}", f"{truth:.3f}", ratio))
    return table(("bound", "certificate", "true 95 % quantile", "ratio (95 % interval)"), rows)


def features_table():
    record = json.loads(TIGHTNESS.read_text())
    rows = [
        (
            f"all pairs of {row['n_points']:,} points, ε = {row['eps']}, δ = {row['delta']}",
            f"{row['paired']:,}",
            f"{row['paired_hoeffding']:,} (Hoeffding)",
        )
        for row in record["finite_set_features"]
    ]
    rows += [
        (
            f"all ‖x − y‖ ≤ {row['diameter']:g} for d = {row['d']}, ε = {row['eps']}, δ = {row['delta']}",
            f"{row['anchored_cover']:,}",
            f"{row['proposition_1_corrected']:,} (Proposition 1, corrected), {row['rahimi_recht']:,} (Rahimi & Recht)",
        )
        for row in record["uniform_features"]
    ]
    return table(("guarantee, Gaussian kernel, paired", "features", "instead of"), rows)


BLOCKS = {
    "bounds": lambda: claims_table("Bound"),
    "rates": lambda: claims_table("Rate"),
    "published": published_table,
    "counterexamples": counterexamples_table,
    "tightness": tightness_table,
    "features": features_table,
}


def with_current_table(name, text):
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    before, rest = text.split(begin)
    return f"{before}{begin}\n{BLOCKS[name]()}\n\n{end}{rest.split(end)[1]}"


@pytest.mark.parametrize("name", list(BLOCKS))
def test_table_is_current(name):
    text = PAGE.read_text()
    assert with_current_table(name, text) == text, f"run python {Path(__file__).relative_to(ROOT)}"


def test_every_result_of_our_own_is_proved_on_the_page():
    text = PAGE.read_text().lower()
    proofs = text.split("## proofs")[1]
    for claim in claims():
        if claim.source.paper == BOCHNER:
            assert f"`{claim.describe()['name'].lower()}`" in proofs, claim.describe()["name"]


def test_every_counterexample_is_on_the_page():
    false = PAGE.read_text().split("## What is false")[1].split("## Every claim")[0]
    refuted = [claim.__name__ for claim in claims() if claim.status is theory.Status.REFUTED]
    assert len(refuted) >= 13
    for name in refuted:
        assert f"`{name}`" in false, name


def test_labels_in_the_text_are_those_of_the_code():
    """Where the text labels a claim it writes `Name` (STATUS); every printed proposition and theorem is labelled so."""
    by_name = {claim.__name__: claim.status.name for claim in claims() if issubclass(claim, theory.Published)}
    labels = re.findall(r"`(?:published\.)?(\w+)`\s\((VALID|CORRECTED|ASYMPTOTIC|UNPROVED|REFUTED)\)", PAGE.read_text())
    for name, label in labels:
        assert by_name[name] == label, name
    refuted_or_open = {name for name, status in by_name.items() if status in ("REFUTED", "UNPROVED")}
    assert refuted_or_open <= {name for name, _ in labels}


def test_every_label_is_explained():
    text = PAGE.read_text() + (ROOT / "docs" / "glossary.md").read_text()
    for status in theory.Status:
        assert f"{status.name}: " in text, status


def test_benchmark_targets_are_met():
    record = json.loads(TIGHTNESS.read_text())
    targets = [
        own
        for part in ("finite_set", "uniform")
        for own in record[part].values()
        if isinstance(own, dict) and "met" in own
    ]
    assert len(targets) == 4
    assert all(own["met"] for own in targets)
    assert record["finite_set"]["n_draws"] >= 300 <= record["uniform"]["n_draws"]


def test_feature_counts_of_the_benchmark_are_those_of_the_derivation():
    record = json.loads(TIGHTNESS.read_text())
    assert [(row["paired"], row["phase"]) for row in record["finite_set_features"]] == [
        (2762, 2766),
        (3684, 3685),
        (5528, 5527),
    ]
    derived = [(2512, 2832, 10914), (20194, 22738, 86601), (49138, 61436, 259554)]
    for row, counts in zip(record["uniform_features"], derived, strict=True):
        ours = (row["anchored_cover"], row["anchored_cover_bernstein"], row["proposition_1_corrected"])
        assert ours == pytest.approx(counts, rel=1e-3)


def rewrite():
    text = PAGE.read_text()
    for name in BLOCKS:
        text = with_current_table(name, text)
    PAGE.write_text(text)


if __name__ == "__main__":
    rewrite()

"""The directive `{validity} family`: a table of the validity study, made from its JSON when the page is built."""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
FAMILIES = ("two_sample", "independence", "drift", "coverage", "bounds", "certificates")


def load(family):
    path = RESULTS / f"validity_{family}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def rate(value):
    return "0" if value == 0 else f"{value:.2g}" if value < 0.1 else f"{value:.3g}"


def words(setting):
    """The options of a setting: names as they are, numbers with their names."""

    def word(key, value):
        if value is True:
            return key
        return f"{key} = {value:,}" if isinstance(value, int) else str(value)

    return ", ".join(word(key, value) for key, value in setting.items())


def row(record):
    low, high = record["limits"]
    promised = f"<= {rate(record['promised'])}" if record["exact"] else f"about {rate(record['promised'])}"
    return (
        words(record["setting"]),
        record["promise"],
        promised,
        f"{record['violations']:,} of {record['repeats']:,}",
        f"{rate(low)} to {rate(high)}",
    )


def table(family):
    """The records of one family as Markdown, or a sentence if there are none."""
    found = load(family)
    if found is None:
        return "*Not measured yet: `make validate` will fill this table.*"
    header = ("setting", "promise", "promised rate", "broken", "95 % limits")
    lines = [header, ["---"] * len(header), *(row(record) for record in found["records"])]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def reasons():
    """Bounds without a simulation, as a list."""
    found = load("bounds")
    if found is None:
        return "*Not measured yet.*"
    return "\n".join(f"- `{name}`: {reason}." for name, reason in found["not_simulated"].items())


def summary():
    """One line for every family: how much was tried, and the promise that came nearest to being refuted."""
    header = ("family", "promises", "trials", "exact limits above the promise, at 95 %", "processor time")
    rows = []
    for family in FAMILIES:
        found = load(family)
        if found is None:
            rows.append((family, "not measured yet", "", "", ""))
            continue
        records = found["records"]
        exact = [record for record in records if record["exact"]]
        above = sum(record["limits"][0] > record["promised"] for record in exact)
        trials = sum(record["repeats"] for record in records)
        minutes = found["processor_seconds"] / 60
        rows.append((family, f"{len(records):,}", f"{trials:,}", f"{above} of {len(exact)}", f"{minutes:.1f} min"))
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


class Validity(SphinxDirective):
    required_arguments = 1

    def run(self):
        for family in FAMILIES:
            self.env.note_dependency(str(RESULTS / f"validity_{family}.json"))
        name, parent = self.arguments[0], nodes.Element()
        text = {"summary": summary, "reasons": reasons}.get(name, lambda: table(name))()
        self.state.nested_parse(StringList(text.splitlines(), source="benchmarks/results"), 0, parent)
        return parent.children


def setup(app):
    app.add_directive("validity", Validity)
    return {"parallel_read_safe": True}

"""Report page of a two-sample test: verdict, columns that changed, and the statistic among those of chance."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from bochner._json import plain
from bochner._typing import Array, JsonDict
from bochner.reporting.numbers import count, number, percent
from bochner.reporting.rendering import render_page
from bochner.reporting.report import Report
from bochner.reporting.svg import Axis, Chart, Rule, Series

__all__ = ["drift_report"]

_SHOWN = 15


def drift_report(found: JsonDict, null: Array, *, title: str) -> Report:
    """The result of `bochner test` as a page.

    Parameters
    ----------
    found : dict
        What the command found, as it prints it with --json.
    null : array
        Statistics of relabelled rows.
    title : str
    """
    summary = plain({**found, "title": title, "made": datetime.now(UTC).isoformat(timespec="seconds")})
    section = {
        "id": "drift",
        "question": "Have the data changed?",
        "answer": summary["verdict"],
        "blocks": [
            {
                "kind": "facts",
                "entries": [
                    ("p-value", number(found["pvalue"])),
                    ("Rows before", count(found["before"]["rows"])),
                    ("Rows after", count(found["after"]["rows"])),
                    ("Relabellings", count(found["resamples"])),
                ],
            },
            _columns(found["columns_changed"], changed=not summary["verdict"].startswith("No ")),
            _null_chart(np.asarray(null, dtype=float), float(found["statistic"])).block(),
        ],
    }
    about = f"{found['before']['table']} against {found['after']['table']}"
    return Report(summary | {"answers": {"drift": summary["verdict"]}}, render_page(summary, [section], about))


def _columns(shares: JsonDict, *, changed: bool) -> JsonDict:
    largest = max(shares.values(), default=0.0) or 1.0
    return {
        "kind": "bars",
        "title": "Which columns changed" if changed else "Where the tables differ by chance",
        "message": "Share of each column in the difference"
        + (
            ". One that only goes with a changed column has a share, too."
            if changed
            else ", which is no more than chance gives: they are shares of noise."
        ),
        "head": ["Column", "Share"],
        "entries": [
            {"name": name, "share": share / largest, "text": percent(share)}
            for name, share in list(shares.items())[:_SHOWN]
        ],
    }


def _null_chart(null: Array, statistic: float) -> Chart:
    counts, edges = np.histogram(null, bins=min(30, max(8, int(np.sqrt(len(null))))))
    return Chart(
        "Is the difference more than chance?",
        "Bars are differences after the rows were relabelled at random; the line is the one that was found.",
        Axis.over("difference", [*edges.tolist(), statistic]),
        Axis.over("relabellings", counts.tolist(), include=[0.0], form=count),
        [Series("relabelled", edges.tolist(), counts.tolist(), "bars")],
        [Rule("found", statistic)],
    )

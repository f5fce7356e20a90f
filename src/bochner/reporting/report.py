"""HTML report of a fitted model: test scores, approximation error, choices and cost on one offline page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from bochner._files import replacing
from bochner._typing import ArrayLike, FilePath, JsonDict, MatrixLike
from bochner.errors import invalid_parameter
from bochner.reporting.rendering import render
from bochner.reporting.summary import summarise
from bochner.theory import Certificate

__all__ = ["Report", "report"]


@dataclass(frozen=True)
class Report:
    """A report, made by `bochner.report`. In a notebook it shows itself.

    Attributes
    ----------
    summary : dict
        All that the page shows, as plain data.
    html : str
        The page: one file without links to others.
    """

    summary: JsonDict
    html: str

    def save(self, path: FilePath) -> Path:
        """Write the page, or the summary if the name ends in .json; an interrupt leaves the old file or the new one.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        path : Path
        """
        path = Path(path)
        text = json.dumps(self.summary, indent=2, allow_nan=False) if path.suffix == ".json" else self.html
        with replacing(path) as file:
            file.write(text.encode())
        return path

    def __repr__(self) -> str:
        return f"<Report {self.summary['title']!r}, {len(self.html) / 1000:.0f} kB>"

    def __str__(self) -> str:
        return "\n".join(f"{name}: {answer}" for name, answer in self.summary["answers"].items())

    def _repr_html_(self) -> str:
        frame = "width:100%;height:80vh;border:1px solid #8888;border-radius:6px"
        return f'<iframe title="{escape(self.summary["title"])}" style="{frame}" srcdoc="{escape(self.html)}"></iframe>'


def report(
    model: Any,
    path: FilePath | None = None,
    *,
    X: MatrixLike | None = None,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    held_out: bool = False,
    title: str | None = None,
    plan: Any = None,
    extra: JsonDict | None = None,
    certificate: Certificate | str | None = None,
    delta: float = 0.01,
) -> Report:
    """HTML report of a fitted model: scores, approximation error, gains of width, choices and cost.

    One page of HTML that opens offline, in light and dark, on a phone and on paper.

    Parameters
    ----------
    model : estimator
        A fitted `KernelRegressor`, `KernelClassifier`, `KernelPCA` or `FourierFeatures`, or a scikit-learn pipeline
        that ends in one.
    path : str or Path, default=None
        Where to write the page; a name that ends in .json gets the numbers alone. None: it is not written.
    X : array-like or frame of shape (n_samples, n_columns), default=None
        Rows to score the model on, as `model.predict` takes them; those of a test set, for an honest score. Without
        them the page says what it cannot tell.
    y : array-like, default=None
        Their targets.
    sample_weight : array-like of shape (n_samples,), default=None
        Their weights, for scores and coverage.
    held_out : bool, default=False
        Whether these rows were held out of the fit and of every choice before it. The report cannot know; it calls them
        held out only if you say so.
    title : str, default=None
    plan : Plan or dict, default=None
        What `bochner.plan` said before the fit.
    extra : dict, default=None
        What else to show. "seconds" and "memory" (bytes) are what the fit took, and stand beside the plan.
    certificate : Certificate or str, default=None
        The certificate, if `model.certify` has made one already, or why there is none. None: one is made, on up to
        1,000 of the rows.
    delta : float, default=0.01
        Failure probability of the certificate that is made, and of the bounds.

    Returns
    -------
    Report

    Examples
    --------
    >>> import numpy as np
    >>> import bochner as bo
    >>> X = np.random.default_rng(0).uniform(-3, 3, (600, 1))
    >>> y = np.sin(2 * X[:, 0])
    >>> model = bo.KernelRegressor(random_state=0).fit(X[:400], y[:400])
    >>> made = bo.report(model, X=X[400:], y=y[400:], title="Waves")
    >>> made.summary["quality"]["n_rows"], made.html.startswith("<!DOCTYPE html>")
    (200, True)
    """
    if extra is not None and not isinstance(extra, dict):
        raise invalid_parameter("report", "extra", "a dict or None", extra)
    summary = summarise(
        model,
        X,
        y,
        sample_weight,
        held_out=held_out,
        title=title,
        plan=plan,
        extra=extra,
        certificate=certificate,
        delta=delta,
    )
    made = Report(summary, render(summary))
    if path is not None:
        made.save(path)
    return made

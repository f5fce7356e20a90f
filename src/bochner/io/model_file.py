"""Model files: one file, no code in it, the same predictions bit for bit."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import sklearn
from sklearn.base import BaseEstimator

from bochner._archive import read_archive, write_archive
from bochner.errors import FileFormatError, UnsupportedModelError, invalid_parameter
from bochner.features import FourierMap
from bochner.io.checks import check_object, places
from bochner.io.codec import Decoder, Encoder
from bochner.io.frequencies import SeededMap, seeded
from bochner.io.statistics import MomentsSummary, PackedMoments, PenaltySummary, SpreadSummary
from bochner.solvers import LinearSolution, LowRankSpread, QuadraticPenalty
from bochner.statistics import Moments

__all__ = ["load", "save"]

_KIND = "model"
_VERSION = 1


def save(model: Any, path: str | Path, *, frequencies: str = "auto", statistics: bool = True) -> None:
    """Write a model to one file that `load` reads. It holds data only: loading it runs no code from it.

    Parameters
    ----------
    model : estimator, transformer, kernel, sampler or group
        Any of bochner's, fitted or not, or a scikit-learn `Pipeline`, `ColumnTransformer` or
        `TransformedTargetRegressor` of those and common preprocessing steps. Parts that are functions of yours are
        refused: a file without code cannot have them.
    path : str or Path
        An existing file is replaced at the end, or stays as it was if anything goes wrong.
    frequencies : {"auto", "stored"}, default="auto"
        "auto" leaves frequencies out where drawing them again from the seed gives the same bits. "stored" keeps them.
    statistics : bool, default=True
        Whether to keep the moments of the rows: D^2 / 2 numbers, most of the file. Without them the loaded model
        predicts and transforms, and refuses what needs them: error bars, certificates, `partial_fit`.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> import bochner as bo
    >>> X = np.random.default_rng(0).standard_normal((500, 3))
    >>> model = bo.KernelRegressor(n_components=64, random_state=0).fit(X, X[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bo.save(model, pathlib.Path(folder) / "model.bochner")
    ...     again = bo.load(pathlib.Path(folder) / "model.bochner")
    >>> bool(np.all(again.predict(X) == model.predict(X)))
    True
    """
    if frequencies not in ("auto", "stored"):
        raise invalid_parameter("save", "frequencies", "'auto' or 'stored'", frequencies)
    encoder = Encoder(_StandIns(redraw=frequencies == "auto", statistics=statistics))
    encoded = encoder.encode(model, "model")
    if not isinstance(encoded, dict) or "object" not in encoded:
        raise UnsupportedModelError(f"A model file holds a model. Got {type(model).__name__}.")
    header = {"model": encoded, "scikit-learn": sklearn.__version__}
    write_archive(path, kind=_KIND, version=_VERSION, header=header, arrays=encoder.arrays)


def load(path: str | Path) -> Any:
    """Read a model that `save` wrote.

    Only types of a fixed table are made, and nothing in the file is executed. A file that is damaged, altered, too new
    or something else is refused with a `FileFormatError` that says which.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    model
        With the same attributes and, bit for bit, the same predictions.
    """
    _, header, arrays = read_archive(path, kind=_KIND, version=_VERSION)
    try:
        return Decoder(arrays, _finished).decode(header["model"])
    except FileFormatError as error:
        raise FileFormatError(f"{path} {error}") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # Checksums hold, so this is no accident: whatever a forged tree leads to is one error.
        then, now = str(header.get("scikit-learn"))[:20], sklearn.__version__
        reason = "was altered" if then == now else f"was altered, or is for scikit-learn {then} (this is {now})"
        raise FileFormatError(f"{path} {reason}: {type(error).__name__}: {str(error)[:200]}") from error


class _StandIns:
    """What is written in place of an object: something smaller, or without the places of a fit's files."""

    def __init__(self, *, redraw: bool, statistics: bool) -> None:
        self._redraw = redraw
        self._statistics = statistics

    def __call__(self, value: Any) -> Any:
        if not self._statistics and hasattr(value, "_solved") and hasattr(value, "moments_"):
            value._solved()  # after partial_fit the equations are solved when they are needed: now
        if places(value):
            value = copy(value)
            vars(value).update(dict.fromkeys(places(value)))
        if self._redraw and isinstance(value, FourierMap):
            return seeded(value) or value
        if isinstance(value, LinearSolution):
            return replace(value, dual=None)  # a number for every training row, for the solver alone
        if type(value) is Moments:
            return PackedMoments.of(value) if self._statistics else _without(value, "zz", MomentsSummary)
        if not self._statistics and type(value) is LowRankSpread:
            return SpreadSummary()
        if not self._statistics and type(value) is QuadraticPenalty and value.matrix is not None:
            return _without(value, "matrix", PenaltySummary)
        return value


def _without(value: Any, name: str, summary: type) -> Any:
    made: Any = object.__new__(summary)
    made.__dict__.update({key: part for key, part in vars(value).items() if key != name})
    return made


def _finished(value: Any) -> Any:
    if isinstance(value, BaseEstimator):
        _add_new_parameters(value)
    if isinstance(value, SeededMap):
        value = value.draw()
    elif isinstance(value, PackedMoments):
        value = value.unpacked()
    check_object(value)
    return value


def _add_new_parameters(value: BaseEstimator) -> None:
    """Parameters that a class has gained since the file was written have their defaults."""
    for name, parameter in signature(type(value)).parameters.items():
        if parameter.default is not parameter.empty:
            vars(value).setdefault(name, parameter.default)

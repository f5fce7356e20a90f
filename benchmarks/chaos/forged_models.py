"""Models behind forged files: one of every kind, and everything that a user asks of one."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from inspect import getattr_static
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, TargetEncoder

import bochner as bo
from bochner.io.types import types_by_name
from tests.io.fitted_models import BAGS, FITTED, FRAME, LABELS, SIZES, X, Y, classifier, regressor

__all__ = ["MODELS", "asked", "corpus", "type_names"]

CODES = np.round(np.abs(X[:, :3])).astype(int)
EXACT = partial(bo.KernelRegressor, bo.Gaussian(2.0), features="exact", alpha=0.1, random_state=0)

MODELS: dict[str, Callable[[], Any]] = {
    **FITTED,
    "KernelRegressor, iterative": lambda: regressor(solver="iterative", alpha=0.1).fit(X, Y),
    "KernelRegressor, conformal": lambda: regressor(interval="conformal").fit(X, Y),
    "KernelRegressor, learned noise": lambda: regressor(noise="learned", alpha=0.1).fit(X, Y),
    "KernelRegressor, exact iterative": lambda: EXACT(solver="iterative").fit(X, Y),
    "KernelClassifier, exact": lambda: bo.KernelClassifier(features="exact", random_state=0, alpha=0.1).fit(X, LABELS),
    "OneHotEncoder": lambda: OneHotEncoder(drop="first", max_categories=3, sparse_output=False).fit(CODES),
    "OneHotEncoder, rare": lambda: OneHotEncoder(min_frequency=9, handle_unknown="infrequent_if_exist").fit(CODES),
    "TargetEncoder": lambda: TargetEncoder(random_state=0).fit(CODES, LABELS),
    "Pipeline of codes": lambda: make_pipeline(OneHotEncoder(handle_unknown="ignore"), classifier()).fit(CODES, LABELS),
    "mean map": lambda: bo.mean_map(X, n_components=16, rng=0),
    "kernel": lambda: bo.Gaussian(np.ones(4)) * bo.Matern(nu=2.5) + 2 * bo.Spline(order=4),
    "group": lambda: bo.groups.Product([bo.groups.SignFlips(), bo.groups.CyclicShifts()]),
}
_OF_FRAMES = ("Pipeline on a frame", "TableEncoder", "Pipeline with a TableEncoder")
_OF_CODES = ("OneHotEncoder", "TargetEncoder", "Pipeline of codes")


def type_names() -> list[str]:
    """Names of all types that files may have."""
    return sorted(types_by_name())


def corpus(folder: Path, names: list[str] | None = None) -> list[tuple[str, Path]]:
    """Files of all models: with seeds, with frequencies, and without statistics."""
    found = []
    for i, (name, make) in enumerate(MODELS.items()):
        if names is not None and name not in names:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make()
            variants = {"stored": {"frequencies": "stored"}, "seeds": {}, "summary": {"statistics": False}}
            for variant, options in variants.items():
                path = folder / f"{i:03}-{variant}.bochner"
                bo.save(model, path, **options)
                found.append((name, path))
    return found


def asked(name: str, model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Everything that is asked of a model that was forged from the one of a name, one by one."""
    yield "repr", lambda: repr(model)
    yield "save", lambda: _saved_again(model)
    if hasattr(type(model), "get_params"):
        yield "get_params", lambda: model.get_params()
        yield "clone", lambda: clone(model)
    for rows, label in _rows(name):
        yield from _about_rows(model, rows, label)
    for method, call in _more(model):
        if _has(model, method):
            yield method, call


def _has(model: Any, method: str) -> bool:
    """Whether a model has a method, or says why it has not: a pipeline has those of its last step."""
    of_class = getattr_static(type(model), method, None)
    return of_class is not None and (not hasattr(of_class, "check") or hasattr(model, method))


def _saved_again(model: Any) -> None:
    """What was loaded can be saved, and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        bo.save(model, Path(folder) / "again", frequencies="stored")
        bo.load(Path(folder) / "again")


def _rows(name: str) -> list[tuple[Any, Any]]:
    """Rows that the model takes, with their labels or targets."""
    if name.startswith("Distribution"):
        return [(BAGS, SIZES)]
    if name.startswith(_OF_CODES):
        return [(CODES, LABELS)]
    if name in _OF_FRAMES:
        return [(FRAME, LABELS)]
    return [(X, Y), (X.astype(np.float32), LABELS), (csr_array(np.where(np.abs(X) > 1, X, 0.0)), Y)]


def _about_rows(model: Any, rows: Any, labels: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    for method in ("transform", "predict", "predict_proba", "decision_function"):
        if _has(model, method):
            yield method, lambda method=method: _materialised(getattr(model, method)(rows))
    if _has(model, "predict"):
        yield "predict with std", lambda: model.predict(rows, return_std=True)
        yield "score", lambda: model.score(rows, labels)
    if callable(model):
        yield "call", lambda: model(rows)
    if _has(model, "inverse_transform"):
        yield "inverse_transform", lambda: model.inverse_transform(model.transform(rows))


def _materialised(answer: Any) -> Any:
    """Every number of an answer is looked at: a sparse matrix becomes dense, and values beyond the end are read."""
    return np.sum(answer.toarray() if hasattr(answer, "toarray") else np.asarray(answer) == 0)


def _more(model: Any) -> list[tuple[str, Callable[[], Any]]]:
    return [
        ("predict_interval", lambda: model.predict_interval(X)),
        ("update", lambda: model.update(X)),
        ("mmk", lambda: model.mmk()),
        ("contributions", lambda: model.contributions(X[:20])),
        ("certify", lambda: model.certify(X[:20])),
        ("elements", lambda: model.elements(4)),
        ("get_feature_names_out", lambda: model.get_feature_names_out()),
        ("partial_fit", lambda: model.partial_fit(X, LABELS if hasattr(type(model), "predict_proba") else Y)),
        ("dof_", lambda: model.dof_),
        ("coef_", lambda: model.coef_),
    ]

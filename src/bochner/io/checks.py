"""Checks of the objects of a model: the schema of the type, the shapes of its arrays, no paths of a fit.

`save` and `load` make the same ones, so that a file that was written can be read.
"""

from __future__ import annotations

import re
from typing import Any

from sklearn.base import BaseEstimator

from bochner._sklearn import validate_parameter_constraints
from bochner.io import catalogue_shapes as catalogue_shapes  # registers its rules
from bochner.io import encoders as encoders  # so does this
from bochner.io import fit_shapes as fit_shapes  # registers its rules
from bochner.io import novelty_shapes as novelty_shapes  # registers its rules
from bochner.io.estimator_shapes import columns_fit
from bochner.io.hints import accepts
from bochner.io.schema import schema_of
from bochner.io.shapes import fits

__all__ = ["places", "problem_of"]

_PLACES = ("checkpoint", "memory")
_WIDEST = 2**26
_is_integer = accepts(int)
_WIDTH = re.compile(r"_?n_.*(features|components)|_width")


def places(value: object) -> set[str]:
    """Parameters of an estimator that are paths for the files of a fit: checkpoints and caches.

    Model files have none: they are no part of the model, and the next fit would read whatever is in that place.
    """
    if not isinstance(value, BaseEstimator):
        return set()
    return {name for name in _PLACES if vars(value).get(name) is not None}


def problem_of(value: object) -> str | None:
    """What is wrong with an object, if anything is: "has no 'omega'"."""
    for name in places(value):
        return f"has a {name!r}, which models in files have not"
    schema, state = schema_of(value), vars(value)
    kept = {name: state[name] for name in state if name not in schema.parameters}
    return schema.problem(state) or _wrong_width(kept) or _wrong_parameter(value) or _misfit(value)


def _misfit(value: object) -> str | None:
    """Parts that are right by themselves, and do not fit each other."""
    if not fits(value):
        return "has arrays or numbers that do not fit each other"
    if isinstance(value, BaseEstimator) and not columns_fit(value):
        return "has columns that do not fit each other, or not all that its fit leaves"
    return None


def _wrong_parameter(value: object) -> str | None:
    """A parameter that the `fit` of a fitted estimator would have refused; those who are not fitted have no say yet."""
    rules = getattr(type(value), "_parameter_constraints", None)
    if not isinstance(value, BaseEstimator) or not rules or not _is_fitted(value):
        return None
    given = {name: each for name, each in vars(value).items() if name in rules and rules[name] != "no_validation"}
    try:
        validate_parameter_constraints(rules, given, type(value).__name__)
    except ValueError as error:
        return f"has parameters that its fit refuses. {str(error)[:200].rstrip('.')}"
    return None


def _is_fitted(value: BaseEstimator) -> bool:
    return any(name.endswith("_") and not name.startswith("_") for name in vars(value))


def _wrong_width(state: dict[str, Any]) -> str | None:
    """Numbers of columns that nothing in the file stands for: a list of their names would fill the memory."""
    for name, value in state.items():
        if _WIDTH.match(name) and _is_integer(value) and not 0 <= value <= _WIDEST:
            return f"has a {name!r} of {str(value)[:20]}, and such files have from 0 to {_WIDEST:,}"
    return None

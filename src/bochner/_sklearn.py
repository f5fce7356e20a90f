"""Private and experimental parts of scikit-learn (parameter validation, callbacks), wrapped once; its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from numbers import Real
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import _fit_context
from sklearn.callback import CallbackSupportMixin
from sklearn.callback import with_callbacks as _with_callbacks
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.metaestimators import available_if as _available_if
from sklearn.utils.validation import _check_sample_weight

from bochner._magnitude import largest_number, refuse_huge
from bochner._plain import require_plain
from bochner.errors import InvalidDataError

__all__ = [
    "LEARNED_LENGTH_SCALE_RULE",
    "LENGTH_SCALE_RULE",
    "OUR_WORDS",
    "SEED_RULE",
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "OurWords",
    "StrOptions",
    "available_if",
    "check_sample_weight",
    "fit_method",
    "naming_the_encoder",
    "refuse_lazy",
    "validate_parameter_constraints",
    "validated",
    "with_callbacks",
]


_LEAST_WEIGHT = 1e-150
"""Largest of the weights of some rows: its square is a number."""

SEED_RULE: list[Any] = ["random_state", np.random.Generator]
"""What `random_state` may be."""

_LENGTH_SCALES: list[Any] = [Interval(Real, 0, None, closed="neither"), "array-like"]

LENGTH_SCALE_RULE: list[Any] = [*_LENGTH_SCALES, StrOptions({"auto", "median"})]
"""What `length_scale` may be where there are no targets to learn it from."""

LEARNED_LENGTH_SCALE_RULE: list[Any] = [*_LENGTH_SCALES, StrOptions({"auto", "ard", "metric", "median"})]
"""What `length_scale` may be where targets can teach it."""

OUR_WORDS = {
    "C": "alpha, the penalty: 1 / C",
    "n_jobs": "bochner.set_config(n_threads=...)",
    "verbose": "set_callbacks(...) of an estimator with a long fit, or the log: logging.getLogger('bochner')",
    "gamma": "length_scale: 1 / sqrt(2 gamma), or kernel=bochner.Gaussian(gamma=...)",
    "epsilon": "nothing: no loss here has an insensitive zone",
    "degree": "nothing: kernels here are stationary, and have no degree",
}
"""Words of scikit-learn's kernel machines, and what to write in their place."""

Method = TypeVar("Method", bound=Callable[..., Any])


class OurWords:
    """Constructors of subclasses meet a word of scikit-learn's that they do not have with a TypeError that names ours.

    The signature, which scikit-learn reads parameters from, stays that of the subclass.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            cls.__init__ = _naming_our_words(cls.__init__)  # type: ignore[method-assign]


def _naming_our_words(init: Method) -> Method:
    known = signature(init).parameters

    @wraps(init)
    def checked(self: object, *args: Any, **kwargs: Any) -> None:
        for word in kwargs.keys() & (OUR_WORDS.keys() - known):
            name = type(self).__name__
            raise TypeError(f"{name} has no parameter {word!r}. In its place there is {OUR_WORDS[word]}.")
        init(self, *args, **kwargs)

    return cast(Method, checked)


def validated(method: Method) -> Method:
    """Check the constructor's parameters against `_parameter_constraints` before the method runs."""
    return cast(Method, _fit_context(prefer_skip_nested_validation=True)(method))


def with_callbacks(method: Method) -> Method:
    """scikit-learn's `with_callbacks`, typed: a fit that callbacks may watch."""
    return cast(Method, _with_callbacks(method))


def fit_method(method: Method) -> Method:
    """Decorator of `fit`: parameters are checked, callbacks may watch, and a fit that fails changes nothing.

    A failed or interrupted fit leaves the model as it was: neither a mixture nor one of some of the rows.
    """
    watched = with_callbacks(validated(method))  # inside: callbacks are torn down by what the failed fit had set

    @wraps(watched)
    def fit(self: object, *args: object, **kwargs: object) -> object:
        before = vars(self).copy()
        try:
            return watched(self, *args, **kwargs)
        except BaseException:  # Ctrl-C, too
            vars(self).update(before)
            for name in vars(self).keys() - before.keys():
                delattr(self, name)
            raise

    return cast(Method, fit)


def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """scikit-learn's `available_if`, typed: a method that an object has only if a check holds."""
    return cast(Callable[[Method], Method], _available_if(check))


def check_sample_weight(sample_weight: Any, X: Any) -> Any:
    """Weights in float64: finite, not negative, not all zero, neither too large nor too small to be added; or None."""
    if sample_weight is None:
        return None
    require_plain(sample_weight, "sample_weight")
    checked = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    refuse_huge(checked, "sample_weight", largest_number(checked.dtype))
    if checked.max() < _LEAST_WEIGHT:
        raise InvalidDataError(
            f"sample_weight must have weights of {_LEAST_WEIGHT:g} at least: sums of smaller ones are rounding errors. "
            f"Got {checked.max():.3g} as the largest. Multiply all by one number, and alpha with them."
        )
    return checked


@contextmanager
def naming_the_encoder(taker: str, remedy: str, rows: str = "X") -> Iterator[None]:
    """scikit-learn's errors of texts and missing values in rows, with the remedy that this library has."""
    try:
        yield
    except OverflowError as error:
        raise InvalidDataError(f"{taker} takes numbers that float64 has: {error}.") from error
    except ValueError as error:
        problem = str(error).splitlines()[0]
        if not ("could not convert string to float" in problem or f"{rows} contains NaN" in problem):
            raise
        raise InvalidDataError(
            f"{problem.rstrip('.')}. {taker} takes numbers, none missing. bochner.TableEncoder encodes texts and "
            f"dates and marks what is missing{remedy}."
        ) from error


def refuse_lazy(X: Any, name: str = "X") -> None:
    """Refuse a lazy frame, with the remedy, which scikit-learn's message does not have."""
    if hasattr(X, "collect") and not hasattr(X, "__array__"):
        raise InvalidDataError(
            f"{name} must be a table in memory. Got a {type(X).__name__}: call its collect() first, or give "
            "bochner.scan_frame(..., target=...) to an estimator that takes scans."
        )

"""Errors: one tree, drawn as it is, with the built-in classes that callers catch, and one wording."""

import re

import pytest

import bochner as bo
from bochner import errors
from bochner.errors import BochnerError, BochnerWarning, MissingExtraError, invalid_parameter

CLASSES = [getattr(errors, name) for name in errors.__all__ if name != "invalid_parameter"]


def test_every_class_is_exported_once_and_sorted():
    assert errors.__all__ == sorted(errors.__all__)
    defined = {
        name for name, value in vars(errors).items() if isinstance(value, type) and value.__module__ == errors.__name__
    }
    assert defined == {cls.__name__ for cls in CLASSES}


@pytest.mark.parametrize(
    "cls", [c for c in CLASSES if c not in (BochnerError, BochnerWarning)], ids=lambda c: c.__name__
)
def test_the_tree_in_the_docstring_is_the_tree(cls):
    drawn = re.search(rf"── {cls.__name__}\b(?: +\(also an? (\w+)\))?", errors.__doc__)
    assert drawn, "not in the drawing"
    if issubclass(cls, BochnerWarning):
        assert issubclass(cls, UserWarning)
    else:
        assert issubclass(cls, BochnerError)
        assert drawn[1] in {base.__name__ for base in cls.__mro__}


def test_a_parameter_error_names_owner_rule_and_value():
    for owner in (bo.KernelRegressor(), "KernelRegressor"):
        error = invalid_parameter(owner, "alpha", "positive", -1.0)
        assert str(error) == "The 'alpha' parameter of KernelRegressor must be positive. Got -1.0 instead."
        assert isinstance(error, ValueError)


def test_a_missing_package_comes_with_the_command_that_installs_it():
    error = MissingExtraError("jinja2", "report")
    assert str(error) == "jinja2 is not installed. Run: pip install 'bochner[report]'"
    assert isinstance(error, ImportError)

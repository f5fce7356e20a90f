"""The reference is complete, and docstrings have the shape that numpydoc asks for."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc

import bochner as bo

REFERENCE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "index.md").read_text(encoding="utf-8")
LISTED = set(re.findall(r"^   ([\w.]+)$", REFERENCE, re.M))
PUBLIC = sorted(bo._HOME)


def test_every_public_name_is_in_the_reference():
    assert set(PUBLIC) <= LISTED


@pytest.mark.parametrize("module", ["groups", "testing"])
def test_every_name_of_these_modules_is_in_the_reference(module):
    public = {f"{module}.{name}" for name in import_module(f"bochner.{module}").__all__}
    assert {name for name in public if name not in ("groups.Action", "groups.act")} <= LISTED


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_is_documented(name):
    """Sections parse, and name the parameters of the signature."""
    thing = getattr(bo, name)
    doc = ClassDoc(thing) if inspect.isclass(thing) else FunctionDoc(thing)
    assert doc["Summary"], f"{name} has no summary"
    if name.endswith("Display") or name == "Moments":
        return  # made by class methods, not called
    documented = [part.strip().lstrip("*") for each in doc["Parameters"] for part in each.name.split(",")]
    assert sorted(documented) == sorted(inspect.signature(thing).parameters)

"""Formulas of docstrings on the pages: what is read as mathematics, and what is shown as it stands."""

import importlib.util
from pathlib import Path

import pytest

PLACE = Path(__file__).resolve().parents[2] / "docs" / "_ext" / "formulas.py"


@pytest.fixture(scope="module")
def formulas():
    found = importlib.util.spec_from_file_location("formulas", PLACE)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("k = exp(-||x - y||^2 / 2)", r"k = \exp (-\|x - y\|^{2} / 2)"),
        ("a = sqrt(2 nu) t^(1-nu)", r"a = \sqrt{2 \nu } t^{1-\nu }"),
        ("omega_j ~ N(0, I / length_scale^2)", r"\omega _{j} \sim  N(0, I / \mathrm{length\_scale}^{2})"),
        ("f^(x) <= f*", r"\hat{f}(x) \le  f^{*}"),
        ("w_i = a row of A^-1", r"w_{i} = \text{ a row of }A^{-1}"),
        ("minimise_w,w_0  sum_i e_i", r"\operatorname*{minimise}_{w, w_{0}} \sum _{i} e_{i}"),
    ],
)
def test_formulas_are_mathematics(formulas, text, latex):
    assert formulas.formula([text])[3].strip() == rf"& {latex} \\"


@pytest.mark.parametrize("text", ["a = sqrt(b", "call(x=`a.b`)", "no relation at all", "x = 'text' @ y"])
def test_what_is_no_formula_is_shown_as_it_stands(formulas, text):
    lines = ["A sentence.", "", f"    {text}", "", "More."]
    formulas.formulas_as_mathematics(None, "class", "name", None, None, lines)
    assert lines[2:5] == ["::", "", f"    {text}"]


def test_parameters_and_examples_are_left_alone(formulas):
    lines = [
        "A law.",
        "",
        "    k = 1",
        "",
        "Parameters",
        "----------",
        "n : int",
        "    A number, n = 3.",
        "",
        "    More of it.",
    ]
    given = [*lines]
    formulas.formulas_as_mathematics(None, "class", "name", None, None, lines)
    assert lines[-6:] == given[-6:]
    assert ".. math::" in lines

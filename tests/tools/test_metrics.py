"""Code metrics: each counter on a made-up tree whose answer is known, and the table of the package itself."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from textwrap import dedent

import pytest

from tools import metrics
from tools.counters import coupling, repetition, size
from tools.counters.source import Tree

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "bochner"


@pytest.fixture
def tree_of(tmp_path):
    """Writes files {path: text} below a package folder and reads them as a tree."""

    def write(files):
        folder = tmp_path / "toy"
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(dedent(text), encoding="utf-8")
        return Tree.read(folder)

    return write


def lines(places):
    return [(place.file, place.line) for place in places]


ESTIMATORS = """
    from sklearn.base import BaseEstimator

    class Base(BaseEstimator): ...

    class Ridge(Base):
        def fit(self, X, other: Ridge): ...

    class Report: ...

    def helper(model): ...

    def shown(report: Report): ...
"""


def test_a_function_below_that_takes_an_estimator_counts(tree_of):
    tree = tree_of(
        {
            "estimators/ridge.py": ESTIMATORS,
            "solvers/direct.py": """
                def a(x: int, model): ...
                def b(fitted: "Ridge | None"): ...
                def c(x, *, estimator: Any = None): ...
                def d(model: FeatureMap, estimator: str): ...
                class Solver:
                    def e(self, reports: list[Report]): ...
                    def f(self, X): ...
            """,
            "memory.py": "def g(estimator: BaseEstimator): ...",
            "io/file.py": "def h(model): ...",
            "testing.py": "def i(estimator): ...",
        }
    )
    assert lines(coupling.estimator_arguments(tree)) == [
        ("memory.py", 1),
        *(("solvers/direct.py", n) for n in (2, 3, 4, 7)),
    ]


def test_a_helper_beside_the_faces_that_takes_an_estimator_counts(tree_of):
    tree = tree_of({"estimators/ridge.py": ESTIMATORS})
    assert [place.text for place in coupling.helper_arguments(tree)] == ["helper(model)", "fit(other)"]


def test_isinstance_counts_each_own_class_once(tree_of):
    tree = tree_of(
        {
            "kernels/base.py": "class Kernel: ...\nclass Path: ...",
            "errors.py": "class ToyError(Exception): ...",
            "data/rows.py": """
                from pathlib import Path
                from toy.errors import ToyError
                from toy.kernels import Kernel, base

                class Rows: ...
                BOTH = (Rows, Kernel)

                def ask(x):
                    a = isinstance(x, Rows)
                    b = isinstance(x, (Rows, int, Kernel))
                    c = isinstance(x, int | Rows)
                    d = isinstance(x, BOTH) and issubclass(type(x), base.Kernel)
                    e = isinstance(x, Path) or isinstance(x, (str, bytes))
                    f = isinstance(x, ToyError)
                    match x:
                        case Rows():
                            return a, b, c, d, e, f
            """,
            "cli/main.py": "from ..data.rows import Rows\nisinstance(1, Rows)",
        }
    )
    every = lines(coupling.type_checks(tree))
    assert (
        every.count(("data/rows.py", 10)) == every.count(("data/rows.py", 12)) == every.count(("data/rows.py", 17)) == 1
    )
    assert every.count(("data/rows.py", 11)) == 2
    assert every.count(("data/rows.py", 13)) == 3
    assert ("data/rows.py", 14) not in every  # pathlib's Path, although the tree has a class of that name
    assert len(every) == 10
    assert len(coupling.inner_type_checks(tree)) == 5


def test_private_attributes_of_others_are_foreign(tree_of):
    tree = tree_of(
        {
            "kernels/_loops.py": "def _loop(): ...",
            "kernels/base.py": """
                import numpy as np
                from sklearn import metrics
                from toy.kernels import _loops

                class Kernel:
                    def __init__(self, other):
                        self._a = other._b
                        super()._c()
                        self.__dict__, other.__class__
                        self.inner._d
                        other._replace(x=np._core, y=np.linalg._umath, z=metrics._base)
                        _loops._loop()
                        Kernel._e
                        other._f = 1
            """,
        }
    )
    found = [place.text for place in coupling.foreign_privates(tree)]
    assert sorted(found) == ["Kernel._e", "other._b", "other._f", "self.inner._d"]


def test_any_counts_in_code_and_imports(tree_of):
    tree = tree_of(
        {
            "a.py": '''
                """Any."""
                import typing
                from typing import Any  # Any

                def f(x: Any, y: dict[str, Any]) -> typing.Any:
                    return "Any"
            '''
        }
    )
    assert len(coupling.any_names(tree)) == 4


def test_files_over_the_limit_are_long(tree_of):
    tree = tree_of({"a.py": "x = 1\n" * 350, "b.py": "x = 1\n" * 351})
    assert [(p.file, p.number) for p in size.long_files(tree)] == [("b.py", 351)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", 1),
        ("if a:\n  pass\nelif b:\n  pass\nelse:\n  pass", 3),
        ("for i in a:\n  pass\nelse:\n  pass", 3),
        ("while a:\n  pass", 2),
        ("try:\n  pass\nexcept A:\n  pass\nexcept B:\n  pass\nelse:\n  pass\nfinally:\n  pass", 4),
        ("with a:\n  pass", 1),
        ("return a and b and c or d", 4),
        ("return a if b else c", 2),
        ("return [i for i in a if b if c for j in d]", 5),
        ("assert a and b", 2),
        ("match a:\n  case 1:\n    pass\n  case 2 | 3:\n    pass\n  case _:\n    pass", 3),
        ("def inner():\n  if a:\n    pass\nreturn inner", 1),
        ("return lambda: a or b", 2),
    ],
)
def test_complexity_follows_radon(body, expected):
    function = ast.parse("def f():\n" + "\n".join(f"  {line}" for line in body.splitlines())).body[0]
    assert size.complexity(function) == expected


def test_complex_functions_are_those_above_ten(tree_of):
    ten = "def f(a):\n" + "    if a: pass\n" * 9
    tree = tree_of({"a.py": ten, "b.py": ten + "    if a: pass\n"})
    assert [(p.file, p.number) for p in size.complex_functions(tree)] == [("b.py", 11)]


def test_length_of_a_function_is_its_code(tree_of):
    tree = tree_of(
        {
            "a.py": '''
                def f(
                    x,
                ):
                    """Twice.

                    Lines of a docstring.
                    """
                    # a comment

                    return """a text
                    of two lines"""  # a comment
            '''
        }
    )
    assert [place.number for place in size.function_lengths(tree)] == [5]


def test_the_face_is_the_whole_class_statement(tree_of):
    tree = tree_of(
        {"estimators/regressor.py": "@final\nclass KernelRegressor:\n    '''Text.'''\n\n    x = 1\n\ny = 2\n"}
    )
    assert metrics.total(size.face(tree)) == 5


RUN = "".join(f"    {name} = {name}()\n" for name in "abcdef")


def test_six_equal_lines_are_a_repetition(tree_of):
    spaced = RUN.replace("c = c()", "c  =  c()  # why")
    tree = tree_of(
        {
            "a.py": f"def one():\n{RUN}    g = 1\n",
            "b.py": f"import x\n\n\ndef two():\n    '''Text.'''\n{spaced}\n    g = 1\n",
            "c.py": f"def three():\n{RUN.replace('c', 'k')}",
        }
    )
    (found,) = repetition.repetitions(tree)
    assert (found.file, found.line, found.number) == ("a.py", 2, 7)
    assert found.text.endswith("b.py:6")


def test_signatures_and_export_lists_are_no_repetition(tree_of):
    signature = "(\n" + "".join(f"    {name}=None,\n" for name in "abcdef") + "):\n"
    exports = "__all__ = [\n" + "".join(f"    '{name}',\n" for name in "abcdef") + "]\n"
    tree = tree_of(dict.fromkeys(("a.py", "b.py"), f"{exports}def f{signature}    return 1\n"))
    assert not repetition.repetitions(tree)
    assert len(repetition.repetitions_with_headers(tree)) == 1


def test_three_places_are_three_pairs_and_a_run_does_not_overlap_itself(tree_of):
    tree = tree_of({"a.py": f"def f():\n{RUN}", "b.py": f"def f():\n{RUN}", "c.py": f"def f():\n{RUN}"})
    assert len(repetition.repetitions(tree)) == 3
    assert not repetition.repetitions(
        tree_of({n: "x = 1\n" * (9 if n == "a.py" else 1) for n in ("a.py", "b.py", "c.py")})
    )


def test_the_command_tells_broken_limits(tree_of, tmp_path, capsys):
    tree_of({"a.py": "x = 1\n" * 400})
    arguments = ["--tree", str(tmp_path / "toy")]
    assert metrics.main([*arguments, "--json", str(tmp_path / "out.json")]) == 1
    assert "broken" in capsys.readouterr().out
    values = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert values["long-file"] == {"value": 1, "limit": 0, "holds": False}
    assert metrics.main([*arguments, "--list", "long-file"]) == 0
    assert "a.py:1: 400 lines" in capsys.readouterr().out
    tree_of({"a.py": "x = 1\n"})
    assert metrics.main(arguments) == 0


def test_the_package_is_measured(capsys):
    """Thermometers: they print, and reading decides."""
    metrics.main(["--tree", str(PACKAGE)])
    printed = capsys.readouterr().out
    assert all(measure.title in printed for measure in metrics.MEASURES)

"""The public face: names, import cost, the demonstration."""

import ast
import inspect
import subprocess
import sys

import bochner as bo


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_every_public_name_exists_and_is_listed():
    assert bo.__all__ == list(dict.fromkeys(bo.__all__))
    for name in bo.__all__:
        assert getattr(bo, name) is not None
    assert set(bo.__all__) <= set(dir(bo))


def names_for_type_checkers():
    """{name: module it is imported from} under `if TYPE_CHECKING:`, in the order of the file."""
    tree = ast.parse(inspect.getsource(bo))
    (block,) = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {alias.asname: node.module for node in block.body for alias in node.names if alias.asname == alias.name}


def test_type_checkers_see_the_names_that_are_loaded_lazily():
    seen = names_for_type_checkers()
    assert seen == {**dict.fromkeys(bo._MODULES, "bochner"), **bo._HOME}


def test_lists_of_names_are_sorted():
    assert list(bo._HOME) == sorted(bo._HOME)
    assert list(bo._MODULES) == sorted(bo._MODULES)
    seen = names_for_type_checkers()
    assert list(seen) == sorted(seen, key=lambda name: (seen[name], not name.isupper(), name))  # as ruff has them


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(bo, "RandomForest")


def test_import_loads_nothing_heavy():
    loaded = run("import sys, bochner; print(' '.join(m.split('.')[0] for m in sys.modules))").split()
    assert not {"numba", "dask", "pandas", "matplotlib", "scipy", "sklearn"} & set(loaded)


def test_using_an_estimator_loads_numba_only_when_it_computes():
    code = "import sys, bochner; bochner.KernelRegressor(); print(' '.join(m.split('.')[0] for m in sys.modules))"
    assert not {"numba", "dask", "matplotlib"} & set(run(code).split())


def test_versions_are_shown(capsys):
    bo.show_versions()
    assert "scikit-learn" in capsys.readouterr().out


def test_the_demonstration_runs_and_tells_the_truth(monkeypatch, capsys):
    from bochner.cli import demonstration

    monkeypatch.setattr(demonstration, "_TRAIN", 3000)
    monkeypatch.setattr(demonstration, "_TEST", 500)
    monkeypatch.setattr(demonstration, "_SUBSAMPLE", 300)
    demonstration.main()
    printed = capsys.readouterr().out
    for word in ("time", "memory", "error", "error bars", "Exact kernel ridge on 300"):
        assert word in printed

"""The public face: names, import cost, the demonstration."""

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

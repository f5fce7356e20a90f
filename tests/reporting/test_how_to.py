"""The code of docs/report.md runs as it stands."""

import re
from pathlib import Path

import matplotlib
import numpy as np

import bochner as bo

matplotlib.use("Agg")


def test_the_code_of_the_how_to_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 2))
    y = np.sin(X[:, 0])
    detector = bo.DriftDetector(random_state=0).fit(X)
    detector.update(X[:100])
    names = {"X_train": X[:300], "y_train": y[:300], "X_test": X[300:], "y_test": y[300:]}
    names |= {"X": X[:200], "Y": X[200:] + 1, "detector": detector}
    text = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.S):
        exec(block, names)
    assert (tmp_path / "report.html").stat().st_size > 50_000
    assert (tmp_path / "report.json").exists()
    matplotlib.pyplot.close("all")

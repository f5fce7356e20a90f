"""docs/deploy.md: its code runs, in its order."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bochner

PAGE = Path(__file__).resolve().parents[2] / "docs" / "deploy.md"


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    for package in ("onnx", "onnxruntime", "skops"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X, X_new = rng.standard_normal((300, 3)), rng.standard_normal((20, 3))
    names = {"np": np, "bochner": bochner, "make_pipeline": make_pipeline, "StandardScaler": StandardScaler}
    names |= {"X": X, "y": X[:, 0], "X_new": X_new, "y_new": X_new[:, 0]}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        exec(block, names)
    np.testing.assert_allclose(names["mean"][:, 0], names["model"].predict(X_new), atol=1e-4)

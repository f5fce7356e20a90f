"""The searches of docs/tuning.md run as they are printed."""

import re
from pathlib import Path

import numpy as np
import pytest

import bochner as bo
from tests.strategies import rows

PAGE = Path(__file__).parents[1] / "docs" / "tuning.md"


@pytest.mark.parametrize("name", ["GridSearchCV", "optuna"])
def test_the_search_of_the_page_runs(name):
    pytest.importorskip("optuna") if name == "optuna" else None
    code = next(block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if name in block)
    X = rows(0, 120, 2)
    scope = {"bo": bo, "X": X, "y": np.sin(X[:, 0])}
    exec(code.replace("n_trials=50", "n_trials=3"), scope)
    if name == "optuna":
        assert scope["study"].best_value > 0

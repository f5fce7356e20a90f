"""docs/larger-than-memory.md is kept honest: its code runs."""

import re
from pathlib import Path

import numpy as np
import pandas as pd

PAGE = Path(__file__).resolve().parents[2] / "docs" / "larger-than-memory.md"


def write_tables():
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame({"area": rng.normal(size=n), "rooms": rng.integers(1, 6, n)})
    frame["price"] = np.sin(frame["area"]) + frame["rooms"]
    towns = frame.assign(town=rng.choice(["Ulm", "Bern"], n))
    for name, table in {"sales": frame, "shops": towns}.items():
        Path(name).mkdir()
        for i in range(2):
            table[i * 300 : (i + 1) * 300].to_parquet(f"{name}/part-{i}.parquet", index=False)
    frame.drop(columns="price")[:10].to_parquet("new.parquet", index=False)


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tables()
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        exec(code, names)
    assert names["price"].shape == (10,)
    assert (names["sales"].n_passes, names["once"].n_passes) == (3, 1)
    assert len(names["shops"].feature_names) == 4

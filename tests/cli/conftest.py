"""The command as people run it, and tables to run it on."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

SOURCES = os.pathsep.join(path for path in sys.path if path)
ENVIRONMENT = {**os.environ, "PYTHONPATH": SOURCES, "OMP_NUM_THREADS": "1", "COLUMNS": "100", "NO_COLOR": "1"}
BOCHNER = [sys.executable, "-m", "bochner.cli.main"]


@pytest.fixture
def bochner(tmp_path):
    """Run the command in an empty folder: bochner("fit", "houses.csv") -> the finished process."""

    def run(*arguments, folder=tmp_path, **more):
        return subprocess.run(
            [*BOCHNER, *map(str, arguments)],
            cwd=folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            **more,
        )

    return run


def make_houses(n=400, seed=0):
    """Houses with a category, a date, and gaps in both and in a number."""
    rng = np.random.default_rng(seed)
    area = rng.uniform(30, 200, n)
    rooms = np.clip(np.round(area / 30 + rng.normal(0, 1, n)), 1, 8).astype(int)
    city = rng.choice(["Bonn", "Kiel", "Ulm"], n, p=[0.5, 0.3, 0.2])
    sold = np.datetime64("2019-01-01") + rng.integers(0, 1800, n).astype("timedelta64[D]")
    price = 2 * area * (1 + 0.3 * (city == "Bonn")) + 15 * rooms + rng.normal(0, 10, n)
    table = pd.DataFrame({"area": area.round(1), "rooms": rooms, "city": city, "sold": sold, "price": price.round(1)})
    table.loc[rng.random(n) < 0.05, "area"] = np.nan
    table.loc[rng.random(n) < 0.03, "city"] = None
    table.loc[rng.random(n) < 0.03, "sold"] = pd.NaT
    return table


@pytest.fixture
def houses(tmp_path):
    """houses.csv in the folder of the command."""
    table = make_houses()
    table.to_csv(tmp_path / "houses.csv", index=False)
    return table


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    """A folder with houses.csv, and the model and the report that `bochner fit` made of it; what it printed."""
    folder = tmp_path_factory.mktemp("fitted")
    make_houses().to_csv(folder / "houses.csv", index=False)
    done = subprocess.run(
        [*BOCHNER, "fit", "houses.csv", "--target", "price"],
        cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return folder, done

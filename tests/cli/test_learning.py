"""The model that the options of `bochner fit` ask for."""

import inspect

import numpy as np
import pytest

from bochner.cli.exits import OverBudgetError
from bochner.cli.fit import _stem
from bochner.cli.learning import FitOptions, model_for, plan_for
from bochner.cli.training import WholeRows
from bochner.config import config_context
from bochner.tables import TableEncoder, TableRows, Target

X = np.random.default_rng(0).standard_normal((300, 3))
TARGET = Target("y", "regression", "", X[:, 0])
ROWS = WholeRows(TableEncoder(), TARGET, TableRows(None, X[:0, 0], None), 0, X, X[:, 0], None, 0)


def options(**given):
    parameters = inspect.signature(FitOptions).parameters
    defaults = dict.fromkeys(parameters) | {
        "length_scale": "auto", "alpha": "auto", "delta": 0.01, "seed": 7, "drop": (),
    }  # fmt: skip
    return FitOptions(**defaults | given)


def asked_for(**given):
    asked = options(**given)
    with config_context(memory=asked.memory, n_threads=1):
        return model_for(asked, plan_for(asked, ROWS), ROWS), asked


def test_nothing_asked_leaves_the_width_to_the_library():
    model, _ = asked_for()
    library = type(model)(random_state=7)
    assert model.get_params() == library.get_params()


def test_a_width_an_accuracy_and_a_time_decide_the_width():
    assert asked_for(features=100)[0].n_components == 100
    assert asked_for(eps=0.5)[0].n_components >= 100
    assert isinstance(asked_for(time=60.0)[0].n_components, int)


def test_a_small_budget_narrows_the_map_and_a_width_beyond_it_is_refused():
    model, _ = asked_for(memory="3MB")
    assert model.n_components < 256
    with pytest.raises(OverBudgetError, match="ask for less"):
        asked_for(memory="3MB", features=5000)


@pytest.mark.parametrize(
    ("table", "stem"),
    [("data/houses.v2.csv.gz", "houses.v2"), ("houses.parquet", "houses"), ("-", "model"), (".csv", "csv")],
)
def test_files_are_named_after_the_table(table, stem):
    assert _stem(table) == stem

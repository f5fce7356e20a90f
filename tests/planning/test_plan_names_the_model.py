"""A plan of rows and targets names the model that the default fit takes, or the ones that its choice is between."""

import numpy as np
import pytest

import bochner as bo
from bochner.planning import PRODUCT_ROWS
from bochner.planning.automatic import EXACT


def table(seed):
    """Rows, and targets or labels, of a kind and a size that the seed decides."""
    n, d, kind = ((60, 2, 0), (200, 5, 1), (320, 3, 2), (500, 1, 0), (700, 8, 1),
                  (900, 2, 2), (1300, 4, 3), (2000, 2, 0), (3200, 1, 0), (3300, 2, 1))[seed]  # fmt: skip
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(n, d)) if kind == 2 else rng.standard_normal((n, d))
    y = np.sin(2 * X[:, 0]) + (X[:, -1] > 0.5) + 0.3 * rng.standard_normal(n)
    return X, y if kind in (0, 3) else (y > 0.5).astype(int)


def name_of(model):
    return EXACT if model.is_exact else f"{model.features_.n_components_:,} landmarks"


@pytest.mark.parametrize("seed", range(10))
def test_the_plan_names_the_model_of_the_default_fit(seed):
    X, y = table(seed)
    plan = bo.plan(X, y)
    kind = bo.KernelClassifier if y.dtype == int else bo.KernelRegressor
    model = kind(random_state=0).fit(X, y)
    assert any(outcome.startswith(name_of(model)) for outcome in plan.outcomes), (name_of(model), plan.outcomes)
    assert len(plan.outcomes) <= 2
    assert " or ".join(plan.outcomes) in str(plan)


def test_landmarks_are_the_outcome_where_the_exact_machine_has_no_room():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 2))
    y = np.sin(X[:, 0])
    with bo.config_context(memory="30MB"):
        plan = bo.plan(X, y)
        model = bo.KernelRegressor(random_state=0).fit(X, y)
    assert plan.outcomes == ("256 to 1,500 landmarks",)
    assert not model.is_exact
    assert 256 <= model.features_.n_components_ <= 1500


def test_outcomes_of_many_rows_are_two_and_then_landmarks_alone():
    names = [bo.plan(np.zeros((n, 2)) + np.arange(2), np.zeros(n)).outcomes for n in (20_000, 70_000)]
    assert names == [
        ("256 to 2,048 landmarks", f"{EXACT} by iterations"), ("256 to 2,048 landmarks", "8,192 landmarks")
    ]  # fmt: skip
    rows = np.random.default_rng(0).standard_normal((PRODUCT_ROWS + 1, 4))
    assert bo.plan(rows, rows[:, 0]).outcomes == ("256 to 2,048 landmarks",)


ASKED = {"features": "fourier", "eps": 0.1, "n_components": 512, "embedding": "phase", "workers": 2}


@pytest.mark.parametrize("asked", [{name: value} for name, value in ASKED.items()], ids=str)
def test_what_asks_for_random_features_has_them(asked):
    X, y = table(0)
    assert bo.plan(X, y, **asked).outcomes == ()
    assert bo.plan(X).outcomes == ()  # no targets, no model


def test_a_kernel_that_is_given_is_in_the_plan_and_takes_no_search():
    X, y = table(2)
    given, named, free = (bo.plan(X, y, kernel=kernel) for kernel in (bo.Gaussian(2.0), "gaussian", None))
    assert given.tuning_seconds == 0 < named.tuning_seconds < free.tuning_seconds
    assert "Gaussian(length_scale=2" in given.kernel
    assert free.kernel == "chosen by the data"
    assert given.outcomes == free.outcomes == (EXACT,)

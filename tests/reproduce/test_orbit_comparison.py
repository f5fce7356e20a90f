"""Orbit features beside plain ones and augmentation, on problems with a symmetry."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from bochner.errors import InvalidDataError
from bochner.reproduce import EXPERIMENTS, run
from bochner.reproduce.orbit_comparison import measure
from bochner.reproduce.orbit_patches import DIGITS, TURNED_DIGITS
from bochner.reproduce.orbit_problems import NoisySort, molecules, rotated_digits, signals


@pytest.fixture
def with_data(data_folder, monkeypatch):
    monkeypatch.setenv("BOCHNER_DATA", str(data_folder))


def errors(name, folder, **changes):
    numbers = run(name, folder=folder, **changes)[name]
    return {method: own["error"] for method, own in numbers["methods"].items()}


@pytest.mark.slow
def test_orbit_features_learn_waveforms_from_fewer_rows(tmp_path):
    error = errors("raj-signals", tmp_path, sizes=(200, 1000), n_test=1000, n_components=512)
    assert error["orbit"][1] < 0.6 * error["plain"][1]
    assert error["orbit"][1] < 0.7 * error["augmentation"][1]
    assert error["orbit Nystroem"][0] < error["plain"][1]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        pytest.param(
            "raj-rotated-digits", {"sizes": (300,), "n_test": 500, "n_components": 256}, marks=pytest.mark.slow
        ),
        pytest.param("raj-fashion", {"sizes": (1000,), "n_test": 4000, "n_components": 512}, marks=pytest.mark.slow),
        ("raj-molecules", {"sizes": (300,), "n_test": 500, "n_components": 256}),
    ],
)
def test_orbit_features_are_better_on_real_data(name, changes, with_data, tmp_path):
    error = errors(name, tmp_path, **changes)
    assert error["orbit"][0] < error["plain"][0]
    assert error["orbit"][0] < error["augmentation"][0]
    assert EXPERIMENTS[name].needs_data


@pytest.mark.parametrize(("patches", "sees"), [(TURNED_DIGITS, False), (DIGITS, True)])
def test_patches_on_rings_do_not_see_quarter_turns(patches, sees):
    images = np.random.default_rng(0).random((30, 28, 28))
    features = patches.features(images.reshape(30, -1), seed=0).fit(images.reshape(30, -1))
    turned = np.rot90(images, axes=(1, 2)).reshape(30, -1)
    difference = np.linalg.norm(features.transform(turned) - features.transform(images.reshape(30, -1)))
    assert (difference > 1) == sees
    assert sees or difference < 1e-6


def test_patches_read_few_digits_better_than_orbit_features(with_data):
    found = measure("translated digits", (300,), 500, 256, 1, without=("plain", "augmentation", "orbit Nystroem"))
    error = {name: own["error"][0] for name, own in found["methods"].items()}
    assert set(error) == {"orbit", "patches"}
    assert error["patches"] < 0.7 * error["orbit"]
    assert found["methods"]["patches"]["widths"] == [300]


@pytest.mark.parametrize("methods", [("plain", "orbit"), ("plain", "orbit", "patches")])
def test_a_figure_has_the_methods_that_were_measured(methods):
    one = {"error": [0.2, 0.1], "interval": [[0.1, 0.3], [0.05, 0.2]], "seconds": [1.0, 2.0]}
    figure = Figure()
    numbers = {"sizes": [100, 200], "measure": "wrong labels", "methods": dict.fromkeys(methods, one)}
    EXPERIMENTS["raj-fashion"].draw(figure, numbers)
    assert [len(axes.lines) for axes in figure.axes] == 2 * [len(methods)]
    assert len(figure.legends[0].get_texts()) == len(methods)


def test_rotated_digits_keep_their_ink(with_data):
    problem = rotated_digits(50, 10, 0)
    assert (problem.X.shape, problem.X_test.shape) == ((50, 784), (10, 784))
    assert problem.X.min() >= 0
    assert problem.X.max() <= 1.0001
    assert len(problem.classes) == 10


def test_sorted_molecules_do_not_know_the_order_of_their_atoms(with_data):
    problem = molecules(20, 5, 0)
    C = problem.X.reshape(20, 23, 23)
    order = np.random.default_rng(1).permutation(23)
    permuted = C[:, order][:, :, order].reshape(20, -1)
    for _, rows in problem.group.elements(529).of(problem.X[:3]):
        assert rows.shape == (3, 529)
    for function in problem.group.functions[:4]:
        np.testing.assert_array_equal(np.sort(function(permuted)), np.sort(problem.X))
        np.testing.assert_allclose(np.diagonal(function(permuted).reshape(20, 23, 23), axis1=1, axis2=2),
                                   np.diagonal(function(problem.X).reshape(20, 23, 23), axis1=1, axis2=2))  # fmt: skip


def test_a_sort_without_noise_orders_rows_by_norm():
    C = np.diag([1.0, 3.0, 2.0])[None]
    np.testing.assert_array_equal(NoisySort(np.zeros(3))(C.reshape(1, 9)).reshape(3, 3), np.diag([3.0, 2.0, 1.0]))


def test_signals_are_the_same_for_the_same_seed():
    a, b = signals(10, 5, 3), signals(10, 5, 3)
    np.testing.assert_array_equal(a.X, b.X)
    assert set(a.y) <= set(range(6))


def test_without_a_data_folder_the_remedy_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("BOCHNER_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InvalidDataError, match="Set BOCHNER_DATA to their folder"):
        rotated_digits(10, 10, 0)

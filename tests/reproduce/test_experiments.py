"""Every experiment at a small setting: files are written, and the numbers are the papers' or their corrections."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from bochner.errors import InvalidParameterError, MissingExtraError
from bochner.reproduce import EXPERIMENTS, names, run
from bochner.reproduce.__main__ import main

SMALL = {
    "sutherland-schneider-figure-1": {"n_frequencies": 20_000},
    "sutherland-schneider-figure-3": {"n_points": 101, "n_draws": 60, "n_radii": 10, "widths": (50, 500)},
    "sutherland-schneider-figure-4": {"n_points": 121, "n_draws": 100, "widths": (50, 200, 500, 1000)},
    "sutherland-schneider-figure-5": {"n_points": 121, "n_draws": 1000},
    "sutherland-schneider-figure-6": {"n_draws": 30, "widths": (50, 100, 200, 500, 1000)},
    "two-sample-level": {"n_features": (2,), "n_repeats": 10},
    "two-sample-power": {"n_rows": 150, "stretch": 5.0, "n_repeats": 5, "n_resamples": 19},
    "sutherland-schneider-mean-square": {"n_points": 121, "n_draws": 500, "widths": (50, 500)},
    "rudi-rosasco-exponents": {"sizes": (500, 2000, 10_000), "n_draws": 4, "n_waves": 40},
    "rudi-rosasco-limit": {"decades": (3.0, 3.5, 4.0, 7.0, 8.0), "n_waves": 60},
    "zhu-li-logistic": {"sizes": (250, 1000), "n_draws": 4},
    "zhu-li-hinge": {"sizes": (250, 1000), "n_draws": 4},
    "li-honorio-counterexample": {"dimensions": (100,), "n_draws": 100, "n_ratios": 4},
    "raj-signals": {"sizes": (100, 300), "n_test": 500, "n_components": 256},
}
SLOW = {"two-sample-level", "two-sample-power", "sutherland-schneider-figure-4"}
WITHOUT_DATA = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
    for name, experiment in EXPERIMENTS.items()
    if not experiment.needs_data
]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """The folder of an experiment, run once, and its record as read back from its JSON."""
    figures = tmp_path_factory.mktemp("figures")

    @cache
    def run_small(name):
        run(name, folder=figures / name, **SMALL.get(name, {}))
        return figures / name, json.loads((figures / name / f"{name}.json").read_text())

    return run_small


@pytest.fixture
def numbers(experiment):
    return lambda name: experiment(name)[1]["numbers"]


@pytest.mark.parametrize("name", WITHOUT_DATA)
def test_an_experiment_writes_a_figure_and_its_numbers(experiment, name):
    folder, record = experiment(name)
    assert {path.name for path in folder.iterdir()} == {f"{name}.png", f"{name}.json"}
    assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert record["experiment"] == name
    assert record["title"] == EXPERIMENTS[name].title
    assert record["numbers"]


def test_the_same_seed_gives_the_same_file(tmp_path):
    name = "sutherland-schneider-figure-3"
    for folder in ("a", "b"):
        run(name, folder=tmp_path / folder, **{**SMALL[name], "n_draws": 5})
    assert (tmp_path / "a" / f"{name}.json").read_text() == (tmp_path / "b" / f"{name}.json").read_text()


def test_figure_1_variances(numbers):
    figure = numbers("sutherland-schneider-figure-1")
    one = figure["radius"].index(1.0)
    assert figure["paired"][one] == pytest.approx(0.399576, abs=1e-6)
    assert figure["phase"][one] == pytest.approx(0.699788, abs=1e-6)
    assert np.all(np.array(figure["paired"]) <= np.array(figure["phase"]))
    for name in ("paired", "phase"):
        exact = np.interp(figure["simulated_radius"], figure["radius"], figure[name])
        assert figure[f"simulated_{name}"] == pytest.approx(exact, abs=0.05)


def test_figure_2_maxima_are_the_papers(numbers):
    figure = numbers("sutherland-schneider-figure-2")
    for name, peak in figure["paper"].items():
        assert figure["maximum"][name]["dimension"] == peak["dimension"]
        assert figure["maximum"][name]["value"] == pytest.approx(peak["value"], rel=1e-12)


def test_figure_3_error_grows_with_the_interval_and_shrinks_with_the_width(numbers):
    curves = {
        (c["n_components"], c["embedding"]): c["mean"] for c in numbers("sutherland-schneider-figure-3")["curves"]
    }
    assert all(np.all(np.diff(curve) >= 0) for curve in curves.values())
    assert curves[50, "paired"][0] < 0.8 * curves[50, "phase"][0]
    for embedding in ("paired", "phase"):
        ratio = curves[50, embedding][-1] / curves[500, embedding][-1]
        assert ratio == pytest.approx(np.sqrt(10), rel=0.3)


@pytest.mark.parametrize(("embedding", "at_500"), [("paired", 0.0708), ("phase", 0.0923)])
def test_figure_4_error_decays_as_one_over_the_root_of_the_width(numbers, embedding, at_500):
    figure = numbers("sutherland-schneider-figure-4")
    own, index = figure[embedding], figure["n_components"].index(500)
    assert own["slope"]["estimate"] == pytest.approx(-0.5, abs=0.05)
    assert own["mean"][index] == pytest.approx(at_500, abs=6 * own["standard_error"][index])
    assert own["integrated"]["anchored cover"][index] == pytest.approx(
        {"paired": 0.1966, "phase": 0.28}[embedding], rel=0.02
    )
    for bound in own["integrated"].values():
        assert np.all(np.array(bound) > np.array(own["mean"]))
    assert np.all(np.array(own["integrated"]["anchored cover"]) < np.array(own["integrated"]["tight"]))


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_figure_5_no_bound_is_below_the_simulated_survival(numbers, embedding):
    own = numbers("sutherland-schneider-figure-5")[embedding]
    assert own["mean"] < own["mean_upper_limit"] < 1.1 * own["mean"]
    for name, bound in own["bounds"].items():
        assert np.all(np.array(bound) >= np.array(own["survival"])), name


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_figure_6_error_of_the_mmd_decays_as_one_over_the_root_of_the_width(numbers, embedding):
    own = numbers("sutherland-schneider-figure-6")[embedding]
    assert own["slope"]["estimate"] == pytest.approx(-0.5, abs=0.2)  # 30 draws at 5 widths: a standard error below 0.04
    assert np.all(np.array(own["largest_error_squared"]) <= own["bound_squared"])


@pytest.mark.slow
def test_every_two_sample_test_keeps_its_level_and_finds_strong_alternatives(numbers):
    level = numbers("two-sample-level")
    assert len(level["rows"]) == 20
    assert all(row["rate"] <= 0.6 for row in level["rows"])
    power = numbers("two-sample-power")["alternatives"]
    assert set(power) == {"mean", "scale", "covariance", "mixture", "tails"}
    for test in ("features, median", "features, aggregated", "exact kernel, median", "energy distance"):
        assert power["mixture"]["power"][test][-1] >= 0.8


def test_figure_7_corrected_coefficient_is_the_integral(numbers):
    figure = numbers("sutherland-schneider-figure-7")
    assert figure["corrected"] == pytest.approx(figure["quadrature"], rel=1e-8)
    assert (figure["corrected"][0], figure["corrected"][-1]) == pytest.approx((1.735664, 0.963941), abs=1e-6)
    assert np.all(np.array(figure["printed"]) < np.array(figure["quadrature"]))


@pytest.mark.parametrize(("embedding", "exact", "paper"), [("paired", 0.659734, 0.66), ("phase", 0.829867, 0.83)])
def test_mean_square_constants(numbers, embedding, exact, paper):
    own = numbers("sutherland-schneider-mean-square")[embedding]
    assert own["exact"] == pytest.approx(exact, abs=1e-6)
    assert round(own["exact"], 2) == own["paper"] == paper
    assert own["pooled"] == pytest.approx(exact, abs=5 * own["pooled_standard_error"])


def test_counterexample_probabilities(numbers):
    (curve,) = numbers("li-honorio-counterexample")["curves"]
    at_40 = curve["n_frequencies"].index(40)
    assert curve["lower_bound"][at_40] == pytest.approx(0.951982, abs=1e-6)
    assert curve["claimed"][at_40] == pytest.approx(0.0650929, abs=1e-6)
    exact = np.interp(curve["simulated_n_frequencies"], curve["n_frequencies"], curve["lower_bound"])
    assert curve["simulated"] == pytest.approx(exact, abs=0.25)


def test_descent_refutes_the_claim_with_more_frequencies_than_dimensions(numbers):
    figure = numbers("li-honorio-descent")
    assert figure["draws_above_eps"] == figure["n_draws"] == 10
    assert figure["reached"]["min"] >= 0.66
    assert figure["claimed_at_eps"] == pytest.approx(1.57e-3, rel=3e-3)


def test_rudi_rosasco_exponents_are_the_predicted_ones(numbers):
    study = numbers("rudi-rosasco-exponents")
    predicted = {(11 / 16, 1 / 8): (11 / 12, 2 / 3, 1 / 3), (7 / 8, 1 / 4): (7 / 8, 1 / 2, 1 / 2)}
    assert {(p["r"], p["gamma"]) for p in study["problems"]} == set(predicted)
    for problem in study["problems"]:
        risk, penalty, features = predicted[problem["r"], problem["gamma"]]
        assert problem["risk"]["predicted"] == pytest.approx(-risk)
        for name, curve in problem["risk"]["curves"].items():
            assert curve["slope"]["estimate"] == pytest.approx(-risk, abs=0.15), name
        assert problem["penalty"]["predicted"] == pytest.approx(-penalty)
        assert problem["penalty"]["slope"]["estimate"] == pytest.approx(-penalty, abs=0.15)
        assert problem["penalty"]["risk_slope"]["estimate"] == pytest.approx(-risk, abs=0.15)
        assert problem["features"]["spline"]["predicted"] == pytest.approx(features)
        ratio = (
            np.array(problem["risk"]["curves"]["leverage"]["mean"]) / problem["risk"]["curves"]["kernel ridge"]["mean"]
        )
        assert np.all(ratio < 1.5)
        assert problem["features"]["leverage"]["smallest"][-1] < problem["features"]["plain"]["smallest"][-1] / 3


def test_local_exponents_wander_below_ten_thousand_rows_and_settle_later(numbers):
    rough, smooth = numbers("rudi-rosasco-limit")["problems"]
    assert rough["penalty"]["local_slopes"][0] < -0.75  # from 10^3 to 10^3.5, where the theorem has -0.667
    assert rough["penalty"]["local_slopes"][-1] == pytest.approx(-2 / 3, abs=0.01)
    assert smooth["penalty"]["local_slopes"] == pytest.approx([-0.5] * 4, abs=0.01)
    for study in (rough, smooth):
        assert study["risk"]["local_slopes"][-1] == pytest.approx(study["risk"]["predicted"], abs=0.01)
        for own in study["features"].values():
            assert own["local_slopes"][-1] < own["predicted"] + 0.05  # the theorem's counts are enough


def test_map_of_regimes_at_its_corners(numbers):
    figure = numbers("rudi-rosasco-figure-1")
    corners = {(place["r"], place["gamma"]): (place["plain"], place["leverage"]) for place in figure["named"]}
    assert corners == {(0.5, 1.0): (0.5, 0.5), (1.0, 0.0): (0.5, 0.5), (0.5, 0.0): (1.0, 0.0)}
    plain, leverage = (np.array(figure["features"][name]) for name in ("plain", "leverage"))
    assert np.all(leverage <= plain)
    assert np.all(np.array(figure["nystroem"]["leverage"]) <= leverage)
    assert plain[0, 0] == 1.0  # rows by gamma, columns by r


@pytest.mark.parametrize("name", ["zhu-li-logistic", "zhu-li-hinge"])
def test_features_by_the_table_lose_little_against_the_exact_machine(numbers, name):
    study = numbers(name)
    for problem in study["problems"]:
        curves = problem["risk"]["curves"]
        assert curves["exact"]["slope"]["estimate"] < -0.4  # at least the rate n^(-1/2), with 4 draws
        for sampling in ("plain", "leverage"):
            assert np.all(np.array(curves[sampling]["mean"]) < 3 * np.array(curves["exact"]["mean"]))
            smallest = problem["features"][sampling]
            for strict, rate in zip(smallest["strict"]["smallest"], smallest["rate"]["smallest"]):
                assert strict is None or rate <= strict * (1 + 1e-12)


def test_printed_values_stand_beside_their_corrections(numbers):
    rows = {
        (row["result"].split(", ", 1)[1], row["quantity"]): row for row in numbers("printed-against-corrected")["rows"]
    }
    for key, printed, corrected in (
        (("Proposition 1", "probability"), 9.00704e-4, 1.2355e-3),
        (("Proposition 2", "probability"), 1.80211e-5, 2.97336e-5),
        (("Proposition 7", "probability"), 0.283937, 0.0402316),
        (("Proposition 8", "probability"), 0.283937, 0.0620959),
        (("Proposition 3, eq 8", "expected supremum"), 22.527, 12.9705),
        (("Proposition 1", "features"), 85102.891, 86600.204),
        (("Proposition 2", "features"), 168763.679, 173389.149),
        (("Theorems 1 and 2", "features"), 71897.575, 64578.010),
        (("Corollaries 1 and 2", "features"), 43820.266, 64578.010),
    ):
        assert (rows[key]["printed"], rows[key]["corrected"]) == pytest.approx((printed, corrected), rel=1e-4)
    for result in ("Theorem 1", "proof of Theorem 3.1, bounding B"):
        row = rows[result, "probability"]
        assert row["printed"] < row["truth"] <= row.get("corrected", row.get("ours"))
    refuted = [row for row in numbers("printed-against-corrected")["rows"] if row["quantity"] == "counterexample"]
    assert len(refuted) >= 13
    assert all(row["printed"] < row["truth"] and row["status"] == "REFUTED" for row in refuted)


def test_names_of_papers_stand_for_their_experiments():
    assert names("li-honorio") == ["li-honorio-counterexample", "li-honorio-descent"]
    assert names("all") == list(EXPERIMENTS)
    assert len(names("sutherland-schneider")) == 8
    with pytest.raises(InvalidParameterError, match="'name' parameter of run must be one of sutherland"):
        names("nobody")


def test_unknown_settings_and_parameters_are_refused(tmp_path):
    with pytest.raises(InvalidParameterError, match="must be 'quick' or 'full'"):
        run("li-honorio-descent", "slow", tmp_path)
    with pytest.raises(
        InvalidParameterError, match="'n_points' parameter of run must be a parameter of this experiment"
    ):
        run("li-honorio-descent", folder=tmp_path, n_points=3)
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_nothing_is_measured(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bochner\[plot\]'"):
        run("sutherland-schneider-figure-2", folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_command_line(tmp_path, capsys):
    assert main(["--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in EXPERIMENTS)
    assert main(["sutherland-schneider-figure-2", "--out", str(tmp_path)]) == 0
    assert "sutherland-schneider-figure-2.png" in capsys.readouterr().out
    assert main(["nobody"]) == 2
    assert "Got 'nobody' instead" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([])

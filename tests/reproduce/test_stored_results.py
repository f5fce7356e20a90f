"""The stored full-size results: of today's settings, on the page, and in agreement with the papers as they should."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import papers as runs
from bochner._json import plain
from bochner.reproduce import EXPERIMENTS, names
from bochner.reproduce.experiment import SCHEMA
from bochner.theory import sources

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import conclusions  # noqa: E402
import papers  # noqa: E402

PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
FIGURES = ROOT / "docs" / papers.FIGURES
KEPT = [
    name for paper in ("sutherland-schneider", "li-honorio", "rudi-rosasco", "zhu-li", "raj") for name in names(paper)
]


def stored(name):
    return json.loads((papers.RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def numbers(name):
    return stored(name)["numbers"]


def test_every_experiment_of_the_papers_is_kept_and_nothing_else():
    assert sorted(papers.TABLES) == sorted(KEPT)
    assert {path.stem for path in papers.RESULTS.glob("*.json")} == set(KEPT)
    assert {path.stem for path in FIGURES.glob("*.png")} == set(KEPT)


@pytest.mark.parametrize("name", KEPT)
def test_a_stored_result_has_the_full_setting_of_today(name):
    record = stored(name)
    assert record["schema"] == SCHEMA
    assert record["setting"] == "full"
    assert record["experiment"] == name
    assert record["title"] == EXPERIMENTS[name].title
    assert record["parameters"] == plain(EXPERIMENTS[name].full), "run python benchmarks/papers.py"


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_figures_are_small_and_can_be_drawn_from_the_stored_numbers(name, tmp_path):
    assert (FIGURES / f"{name}.png").stat().st_size <= 150_000
    EXPERIMENTS[name].save_figure(numbers(name), tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", KEPT)
def test_every_table_is_on_the_page_and_made_of_a_file(name, monkeypatch, tmp_path):
    assert PAGE.count(f"```{{papers}} {name}\n```") == 1
    record = stored(name)
    rows = papers.TABLES[name](record["numbers"], record["parameters"])
    assert rows
    assert all(len(row) == 4 for row in rows)
    text = papers.markdown(name)
    assert text.count("\n| ") == len(rows) + 1 + 1  # header and rule, of which the first follows an empty line
    assert f"({papers.FIGURES}/{name}.png)" in text
    monkeypatch.setattr(papers, "RESULTS", tmp_path)
    assert "Not measured yet" in papers.markdown(name)


def test_a_table_follows_its_file(monkeypatch, tmp_path):
    record = stored("sutherland-schneider-figure-4")
    record["numbers"]["paired"]["slope"]["interval"] = [-0.25, -0.125]
    (tmp_path / "sutherland-schneider-figure-4.json").write_text(json.dumps(record))
    monkeypatch.setattr(papers, "RESULTS", tmp_path)
    text = papers.markdown("sutherland-schneider-figure-4")
    assert "| −0.250 to −0.125 | intervals are apart |" in text


@pytest.mark.parametrize("figure", [4, 6])
@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_the_exponents_of_sutherland_and_schneider_overlap_theirs(figure, embedding):
    own = numbers(f"sutherland-schneider-figure-{figure}")[embedding]
    low, high = own["slope"]["interval"]
    their_low, their_high = own["paper_slope_interval"]
    assert max(low, their_low) <= min(high, their_high)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_no_stored_bound_is_below_what_was_simulated(embedding):
    width, survival = (numbers(f"sutherland-schneider-figure-{figure}")[embedding] for figure in (4, 5))
    for bound in width["integrated"].values():
        assert np.all(np.array(bound) > width["mean"])
    for kind in ("tight", "loose"):
        assert np.all(np.array(width["integrated"][kind]) >= width["integrated"][f"{kind}, printed"])
    for bound in survival["bounds"].values():
        assert np.all(np.array(bound) >= survival["survival"])


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_the_constants_of_the_mean_square_are_the_printed_ones(embedding):
    own = numbers("sutherland-schneider-mean-square")[embedding]
    assert round(own["exact"], 2) == own["paper"]
    assert own["pooled"] == pytest.approx(own["exact"], abs=5 * own["pooled_standard_error"])


def test_the_printed_entropy_integral_is_not_the_integral():
    figure = numbers("sutherland-schneider-figure-7")
    for at, printed in zip((0, -1), figure["paper"].values(), strict=True):
        assert figure["corrected"][at] == pytest.approx(figure["quadrature"][at], rel=1e-8)
        assert printed < figure["printed"][at] < figure["quadrature"][at]


def test_theorem_1_of_li_and_honorio_is_refuted_in_every_draw_of_the_descent():
    descent = numbers("li-honorio-descent")
    assert descent["draws_above_eps"] == descent["n_draws"] == 200
    assert descent["claimed_at_eps"] < 0.002
    for curve in numbers("li-honorio-counterexample")["curves"]:
        exact = np.interp(curve["simulated_n_frequencies"], curve["n_frequencies"], curve["lower_bound"])
        assert curve["simulated"] == pytest.approx(exact, abs=0.08)  # five standard deviations of 1,000 draws


def test_the_exponents_of_rudi_and_rosasco():
    for study in numbers("rudi-rosasco-exponents")["problems"]:
        for curve in study["risk"]["curves"].values():
            assert curve["slope"]["estimate"] == pytest.approx(study["risk"]["predicted"], abs=0.05)
    for study in numbers("rudi-rosasco-limit")["problems"]:
        assert study["penalty"]["slope_of_the_upper_half"] == pytest.approx(study["penalty"]["predicted"], abs=0.005)
        assert study["risk"]["slope_of_the_upper_half"] == pytest.approx(study["risk"]["predicted"], abs=0.005)
        for own in study["features"].values():
            assert own["slope_of_the_upper_half"] <= own["predicted"] + 0.005


@pytest.mark.parametrize("name", ["zhu-li-logistic", "zhu-li-hinge"])
def test_the_counts_of_zhu_li_are_enough_for_their_rate(name):
    for study in numbers(name)["problems"]:
        for curve in study["risk"]["curves"].values():
            assert curve["slope"]["interval"][1] < study["risk"]["claimed"]
        for own in study["features"].values():
            assert own["rate"]["slope"]["interval"][0] <= own["claimed"]["slope_with_logarithms"]


@pytest.mark.parametrize("name", names("raj"))
def test_orbit_features_have_the_smaller_error(name):
    methods = numbers(name)["methods"]
    assert np.all(np.array(methods["orbit"]["error"]) < methods["plain"]["error"])
    assert methods["orbit"]["interval"][-1][1] < methods["augmentation"]["interval"][-1][0]


@pytest.mark.parametrize("name", ["raj-rotated-digits", "raj-translated-digits", "raj-fashion"])
def test_patches_have_the_smallest_error_of_images(name):
    found = numbers(name)
    methods = dict(found["methods"])
    patches = methods.pop("patches")
    highest = np.array(patches["interval"])[:, 1]
    assert all(np.all(highest < np.array(other["interval"])[:, 0]) for other in methods.values())
    assert patches["widths"] == [min(size, 4096) for size in found["sizes"]]


def test_only_the_methods_that_a_result_lacks_are_measured_anew(monkeypatch, tmp_path):
    name = "raj-signals"
    small = replace(EXPERIMENTS[name], full={"seed": 1, "sizes": (40, 80), "n_test": 50, "n_components": 32})
    for place, value in {"EXPERIMENTS": {name: small}, "RESULTS": tmp_path, "FIGURES": tmp_path / "figures"}.items():
        monkeypatch.setattr(runs, place, value)
    with pytest.raises(SystemExit, match="no result at today's settings"):
        runs.add(name)
    small.run(name, tmp_path, small.full)
    record = runs.stored(name)
    lost = record["numbers"]["methods"].pop("orbit")
    (tmp_path / f"{name}.json").write_text(json.dumps(record))
    runs.add(name)
    after = runs.stored(name)
    found = after["numbers"]["methods"].pop("orbit")
    assert after == record  # seconds, too
    assert {**found, "seconds": None} == {**lost, "seconds": None}
    assert (tmp_path / "figures" / f"{name}.png").exists()


@pytest.mark.parametrize("name", conclusions.CONCLUSIONS)
def test_every_conclusion_is_on_the_page_once(name):
    assert PAGE.count(f"```{{conclusions}} {name}\n```") == 1
    assert all(sentence.endswith(".") for sentence in conclusions.CONCLUSIONS[name]())


def changed(monkeypatch, tmp_path, name, change):
    """The results, with a change in one file."""
    for path in papers.RESULTS.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    record = stored(name)
    change(record["numbers"])
    (tmp_path / f"{name}.json").write_text(json.dumps(record))
    monkeypatch.setattr(papers, "RESULTS", tmp_path)


def test_conclusions_of_orbits_follow_the_errors(monkeypatch, tmp_path):
    assert "molecules with 500 and 1,000 rows" in conclusions.markdown("in-short")

    def change(found):
        found["methods"]["orbit"]["error"] = [2 * error for error in found["methods"]["plain"]["error"]]

    changed(monkeypatch, tmp_path, "raj-signals", change)
    text = conclusions.markdown("in-short")
    assert "plain ones at every size in 4 of 5 problems" in text
    assert "signals with 100, 250, 500, 1,000, 2,500, 5,000 and 10,000 rows" in text


def test_conclusions_on_leverage_follow_the_counts(monkeypatch, tmp_path):
    assert "at 6 of 7 n (logistic loss, finite rank, r = 1; 86 against 121 at the largest)" in conclusions.markdown(
        "zhu-li"
    )

    def change(found):
        found["problems"][0]["features"]["leverage"]["strict"]["smallest"] = [1000.0] * 7

    changed(monkeypatch, tmp_path, "zhu-li-logistic", change)
    assert "at 0 of 7 n (logistic loss, finite rank, r = 1; 1,000 against 121 at the largest)" in conclusions.markdown(
        "zhu-li"
    )


def test_conclusions_on_exponents_follow_the_slopes(monkeypatch, tmp_path):
    assert "plain for (r, γ) = (11/16, 1/8), 1.08 (0.69 to 1.47) where it is 0.70" in conclusions.markdown("in-short")

    def change(found):
        for study in found["problems"]:
            study["features"]["plain"]["slope"]["estimate"] = 0.1

    changed(monkeypatch, tmp_path, "rudi-rosasco-exponents", change)
    assert "over 500 to 10,000 rows in no case" in conclusions.markdown("in-short")


def test_local_exponents_are_called_settled_only_where_all_later_ones_are_close():
    n, slopes = [1.0, 2.0, 3.0, 4.0, 5.0], [0.5, 0.9, 0.5, 0.51]
    assert conclusions._settled(n, {"slope_of_the_upper_half": 0.5, "local_slopes": slopes}) == 4.0


def test_papers_have_the_years_of_the_sources():
    for source in (sources.SUTHERLAND_SCHNEIDER, sources.LI_HONORIO, sources.RUDI_ROSASCO, sources.ZHU_LI, sources.RAJ):
        first, year = source.split()[0], source.split("(")[1][:4]
        headings = [line for line in PAGE.splitlines() if line.startswith(f"## {first}")]
        assert headings, source
        assert all(f"({year})" in line for line in headings), source

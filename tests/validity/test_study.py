"""The validity study itself: it covers what the library offers, it can fail, and an interrupt costs nothing."""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

import bochner as bo
from benchmarks.validity import __main__ as command
from benchmarks.validity import bounds, check, independence, runner, two_sample
from benchmarks.validity.setting import Setting, limits, refuted, stream

CHEAP = {
    "two_sample": {"option": "fixed scale", "law": "normal", "n": 50},
    "independence": {"option": "fixed scale", "law": "normal", "n": 50},
    "drift": {"option": "narrow", "law": "normal", "types": "float32", "reference": 400, "window": 10, "stream": 100},
    "coverage": {"interval": "conformal", "model": "fixed", "noise": "Cauchy", "n": 40},
    "bounds": {"bound": "downstream.HSIC", "simulation": "HSIC"},
    "certificates": {"of": "hsic", "name": "gaussian"},
}


def test_every_bound_is_simulated_or_has_a_reason():
    without = bounds.without_simulation()
    assert all(without.values()), [name for name, reason in without.items() if not reason]
    assert set(bounds.REASONS) == set(without), "a reason for a bound that is simulated, or does not exist"


@pytest.mark.parametrize(("function", "study"), [(bo.mmd_test, two_sample), (bo.hsic_test, independence)])
def test_every_parameter_of_a_test_is_in_some_setting(function, study):
    parameters = set(inspect.signature(function).parameters) - {"X", "Y", "rng", "delta"}  # delta: in `certificates`
    used = {name for option in study.OPTIONS.values() for name in option()}
    assert parameters <= used
    assert {setting.options["option"] for setting in study.settings()} == set(study.OPTIONS)


@pytest.mark.parametrize("family", runner.FAMILIES)
def test_settings_are_plain_distinct_and_large_enough(family):
    settings = runner.settings_of(family)
    assert len(settings) == len(import_module(f"benchmarks.validity.{family}").settings())
    for key, setting in settings.items():
        assert json.loads(key) == [family, dict(setting.options)]
        assert all(0 <= rate < 1 for rate in setting.promised.values())
        if family in ("two_sample", "independence"):
            assert setting.repeats >= 2000
            assert {each.options["n"] for each in settings.values()} == {50, 500, 5000}


def test_the_certificates_have_a_hundred_thousand_trials():
    settings = runner.settings_of("certificates").values()
    assert sum(setting.repeats * len(setting.promised) for setting in settings) >= 10**5


@pytest.mark.parametrize("family", runner.FAMILIES)
def test_a_setting_gives_one_count_for_every_promise(family):
    setting = next(each for each in runner.settings_of(family).values() if dict(each.options) == CHEAP[family])
    _, counts, _ = runner.perform(runner.Task(setting.key, 0, 5))
    assert len(counts) == len(setting.promised)
    assert all(0 <= count <= 5 for count in counts)


def test_an_error_names_the_setting_and_the_repeats():
    key = json.dumps(["drift", {"option": "no such option"}])
    with pytest.raises(KeyError) as error:
        runner.perform(runner.Task(key, 20, 30))
    assert error.value.__notes__ == [f"in repeats 20 to 29 of {key}"]


def test_limits_are_those_of_clopper_and_pearson():
    low, high = limits(7, 100)
    assert binom.sf(6, 100, low) == pytest.approx(0.025)
    assert binom.cdf(7, 100, high) == pytest.approx(0.025)
    assert limits(0, 50)[0] == 0
    assert limits(50, 50)[1] == 1


@pytest.mark.parametrize(("violations", "promised", "expected"), [
    (0, 0.0, False), (1, 0.0, True), (50, 0.05, False), (100, 0.05, True), (1000, 0.05, True),
])  # fmt: skip
def test_a_promise_is_refuted_by_counts_that_it_makes_all_but_impossible(violations, promised, expected):
    record = {"violations": violations, "repeats": 1000, "promised": promised, "exact": True}
    assert refuted(record, 100) is expected
    assert not refuted({**record, "exact": False}, 100)


def test_a_test_that_rejects_too_often_is_found(monkeypatch):
    monkeypatch.setattr(bo, "mmd_test", lambda X, Y, rng, **options: SimpleNamespace(
        pvalue=np.random.default_rng(rng).random() / 4))  # fmt: skip
    options = CHEAP["two_sample"]
    counts = two_sample.violations(options, range(1000))
    records = Setting("two_sample", options, two_sample.LEVELS, 1000, 1000).records(counts, 1000)
    assert len(check.failures(records)) == 2


def test_nulls_that_share_their_rows_have_the_statistics_of_the_test():
    options = {"option": "exact kernel", "law": "normal", "n": 12, "m": 6, "n_resamples": 19, "shared rows": True}
    pvalues = two_sample.shared_kernel_pvalues(options, range(20))
    rows, labels, values = two_sample.shared_kernel_nulls(options, range(20))
    for own, value in zip(labels[::40], values.ravel()[::40], strict=True):
        X, Y = rows[own == 1], rows[own == 0]
        result = bo.mmd_test(X, Y, n_components="exact", length_scale=1.0, n_resamples=1, rng=0)
        assert result.statistic == pytest.approx(value, rel=1e-9, abs=1e-12)
    ranks = [np.mean(each >= each[0] - 1e-9) for each in values]
    np.testing.assert_allclose(pvalues, ranks)


def study_of_two_settings(monkeypatch, calls):
    """A family in place of the real ones: repeat i of a setting breaks its promise if i is a multiple of 7."""

    def violations(options, repeats):
        calls.append((options["name"], repeats.start))
        return [sum(repeat % 7 == 0 for repeat in repeats)]

    settings = [Setting("drift", {"name": name}, {"promise": 0.5}, 100, 30) for name in ("first", "second")]
    module = SimpleNamespace(settings=lambda: settings, violations=violations)
    monkeypatch.setattr(runner, "import_module", lambda name: module)
    monkeypatch.setattr(runner, "settings_of", lambda family, quick=1: {each.key: each for each in settings})


def test_an_interrupted_study_goes_on_where_it_was(monkeypatch, tmp_path):
    calls: list[tuple[str, int]] = []
    study_of_two_settings(monkeypatch, calls)
    runner.run(["drift"], tmp_path / "whole", workers=1)
    whole = json.loads((tmp_path / "whole" / "validity_drift.json").read_text())["records"]
    assert [record["violations"] for record in whole] == [15, 15]
    assert not list((tmp_path / "whole").glob("*.journal"))

    done = calls[:5]
    journal = runner.Journal.of("drift", tmp_path)
    for name, start in done:
        key = json.dumps(["drift", {"name": name}])
        journal.add(*runner.perform(runner.Task(key, start, min(start + 30, 100))))
    journal.path.write_text(journal.path.read_text() + '\n["drift", 1')  # cut off while it was written
    calls.clear()
    runner.run(["drift"], tmp_path, workers=1)
    assert len(calls) == 3
    assert not set(calls) & set(done)
    assert json.loads((tmp_path / "validity_drift.json").read_text())["records"] == whole


def test_repeats_do_not_depend_on_how_they_are_batched():
    options = CHEAP["independence"]
    whole = independence.violations(options, range(40))
    parts = [independence.violations(options, part) for part in (range(15), range(15, 40))]
    assert whole == [sum(counts) for counts in zip(*parts)]
    first, second = (stream("drift", {"a": 1}, repeat).random() for repeat in (0, 1))
    assert first != second


def test_the_command_says_what_was_not_tested(tmp_path, capsys):
    assert command.main(["--check", "--family", "certificates", "--into", str(tmp_path)]) == 1
    assert "MISSING" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command.main(["--family", "no such family"])
    with pytest.raises(SystemExit):
        command.main(["--workers", "0"])
    assert "Got 0" in capsys.readouterr().err


def test_a_quick_run_of_one_family_leaves_records_and_no_journal(monkeypatch, tmp_path, capsys):
    study_of_two_settings(monkeypatch, [])
    assert command.main(["--quick", "--family", "drift", "--into", str(tmp_path), "--workers", "1"]) == 0
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["validity_drift.json"]
    assert "2 promises, 0 refuted" in capsys.readouterr().out


def test_results_that_are_kept_refute_nothing():
    folder = Path(runner.RESULTS)
    records = check.load(folder, runner.FAMILIES)
    if not records:
        pytest.skip("the study has not been run")
    assert not check.failures(records)

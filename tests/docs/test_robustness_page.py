"""The page on robustness is made from the file of the chaos suite, and an interrupted suite goes on."""

import json
from contextlib import suppress

import pytest

from benchmarks.chaos import breaks, files, page, runner, shown_by
from benchmarks.chaos.record import Record, Trial, total


def found():
    return json.loads((runner.RESULTS / "chaos.json").read_text(encoding="utf-8"))


def test_the_page_is_that_of_the_file():
    assert page.PAGE.read_text(encoding="utf-8") == page.page(found())


def test_every_part_has_words_and_trials():
    assert set(page.TITLES) == set(page.TEXTS) == set(runner.PARTS)
    for part in runner.PARTS:
        trials = runner.module_of(part).trials(0.01)
        assert trials
        assert len(set(trials)) == len(trials)
        assert all(trial.part == part for trial in trials)


def test_what_did_not_hold_is_on_the_page():
    record = Record()
    record.count("the same model", 3)
    record.fail("another model", "predictions differ by 1 after 2 kills", 2)
    part = {"share": 0.5, "seconds": 60.0, "rows": {"direct": record.summary()}}
    text = page.page({"machine": "m", "python": "3", "parts": {"kills": part}})
    assert "| [Kills of a fit](#kills-of-a-fit) | 5 | **2** | 1.0 min |" in text
    assert "predictions differ by 1" in text
    assert "Kills of a fit (50%)" in text
    assert "not run yet" in text


@pytest.mark.parametrize("what", shown_by.found())
def test_every_finding_has_tests_that_were_seen_to_fail(what):
    root, seen = shown_by.ROOT, shown_by.failed()
    for shown in shown_by.found()[what]:
        assert f"def test_{shown.name}" in (root / shown.file).read_text(encoding="utf-8"), shown.name
        assert (root / shown.source).read_text(encoding="utf-8").count(shown.old) == 1, shown.old
        assert shown.key in seen, f"python -m benchmarks.chaos.breaks {shown.name}"


def test_a_break_is_seen_if_the_test_passes_before_and_fails_after(tmp_path, monkeypatch):
    (tmp_path / "source.py").write_text("answer = 42\n")
    shown = shown_by.Shown("a::b", "the answer is another", "source.py", "42", "41")
    monkeypatch.setattr(breaks, "tested", lambda folder, _: int("42" not in (folder / "source.py").read_text()))
    assert breaks.is_seen_to_fail(tmp_path, shown)
    assert (tmp_path / "source.py").read_text() == "answer = 42\n"
    assert not breaks.is_seen_to_fail(tmp_path, shown._replace(new="42 "))  # the test does not see it
    assert not breaks.is_seen_to_fail(tmp_path, shown._replace(old="43"))  # the text is gone
    monkeypatch.setattr(breaks, "tested", lambda folder, _: 1)
    assert not breaks.is_seen_to_fail(tmp_path, shown)  # fails anyway


def test_records_add_up():
    one, other = Record(), Record()
    one.count("a", 2)
    other.fail("b", "why")
    other.measure("seconds", 3.0)
    both = total([one, other])
    assert (both.tried, both.failed, both.outcomes) == (3, 1, {"a": 2, "b": 1})
    assert both.summary()["measures"]["seconds"] == {"count": 1, "median": 3.0, "worst": 3.0}


def test_an_interrupted_run_goes_on_where_it_was(tmp_path, monkeypatch):
    done = []

    class Part:
        @staticmethod
        def trials(share):
            return [Trial("clocks", "a", number) for number in range(4)]

        @staticmethod
        def perform(trial):
            if len(done) == 2:
                raise KeyboardInterrupt
            done.append(trial)
            record = Record()
            record.count("held")
            return record

    monkeypatch.setattr(runner, "module_of", lambda part: Part)
    with suppress(KeyboardInterrupt):
        runner.run(["clocks"], tmp_path, workers=1)
    assert len(done) == 2
    part = runner.so_far(["clocks"], tmp_path)["parts"]["clocks"]
    assert (part["share"], part["seconds"], part["rows"]["a"]["tried"]) == (0.5, None, 2)
    with (tmp_path / "chaos_clocks.journal").open("a") as journal:
        journal.write('\n["clocks", "a", 3, {"tri')  # cut off
    done += [None] * 2
    found = runner.run(["clocks"], tmp_path, workers=1)
    assert found["parts"]["clocks"]["rows"]["a"]["tried"] == 4
    assert len(done) == 6
    assert not (tmp_path / "chaos_clocks.journal").exists()


def test_crashes_hangs_faults_and_wrong_models_of_forged_files_did_not_hold():
    record = Record()
    outcomes = {"refused": 7, "used": 2, "crash": 1, "wrong": 3}
    files.read({"outcomes": outcomes, "crashes": [{"detail": "SIGSEGV"}]}, Trial("files", "models", 4), record)
    assert (record.tried, record.failed) == (13, 4)
    assert "SIGSEGV" in record.failures[0]

"""Sections of the page: every question has its answer, and what is missing is a note."""

from bochner.reporting import summarise
from bochner.reporting.sections import sections


def test_five_questions_with_answers_and_blocks(waves):
    found = sections(summarise(waves.regressor, waves.X, waves.y))
    assert [section["id"] for section in found] == ["quality", "approximation", "more", "choices", "cost"]
    assert all(section["answer"] and section["blocks"] for section in found)
    kinds = {block["kind"] for section in found for block in section["blocks"]}
    assert kinds >= {"facts", "figure", "table", "certificate", "calculator"}


def test_alternatives_have_a_line_for_every_width(waves):
    summary = summarise(waves.regressor, waves.X, waves.y)
    more = next(section for section in sections(summary) if section["id"] == "more")
    table = next(block for block in more["blocks"] if block.get("title") == "Cheaper and wider alternatives")
    assert table["head"] == ["Features", "Error", "Largest kernel error", "Memory of a fit", "Time of a fit"]
    assert [row[0] for row in table["rows"]].count("128 (this model)") == 1
    assert len(table["rows"]) == len(summary["more"]["bills"]["widths"])


def test_without_rows_the_page_says_what_it_needs(waves):
    found = {section["id"]: section for section in sections(summarise(waves.classifier))}
    notes = [block["text"] for block in found["more"]["blocks"] if block["kind"] == "note"]
    assert any("needs rows and targets" in note for note in notes)

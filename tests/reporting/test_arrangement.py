"""Blocks of a section in two columns of about the same height."""

import pytest

from bochner.reporting.arrangement import arranged
from bochner.reporting.rendering import render_page


def bars(n):
    return {"kind": "bars", "title": f"{n}", "message": "", "head": ["a", "b"],
            "entries": [{"name": "x", "share": 1.0, "text": "1"}] * n}  # fmt: skip


def titles(column):
    return [block["title"] for _, block in column]


def test_a_long_block_has_the_short_ones_beside_it():
    (row,) = arranged([bars(30), bars(9), bars(9), bars(8)])
    assert [titles(column) for column in row["columns"]] == [["30"], ["9", "9", "8"]]


def test_a_block_without_a_neighbour_has_the_full_width():
    note = {"kind": "note", "text": "so"}
    rows = arranged([note, bars(3), note, bars(1), bars(1)])
    assert ["columns" in row for row in rows] == [False, False, False, True]
    assert rows[1]["blocks"] == [(1, bars(3))]
    assert arranged([]) == []


def test_a_matrix_of_many_classes_has_the_full_width():
    matrices = [{"kind": "matrix", "title": "", "rows": [{}] * n} for n in (3, 12)]
    assert ["columns" in row for row in arranged([bars(3), matrices[0]])] == [True]
    assert ["columns" in row for row in arranged([bars(3), matrices[1]])] == [False, False]


@pytest.mark.parametrize("n", [2, 5, 12, 13, 40])
def test_every_block_is_there_once_in_its_order(n):
    (row,) = arranged([bars(1 + i % 5) for i in range(n)])
    left, right = row["columns"]
    assert sorted(place for place, _ in left + right) == list(range(n))
    assert left[0][0] == 0
    assert right
    for column in (left, right):
        assert [place for place, _ in column] == sorted(place for place, _ in column)


def test_a_note_that_repeats_the_answer_is_left_out():
    section = {"id": "s", "question": "What?", "answer": "Nothing more. See above.",
               "blocks": [{"kind": "note", "text": "Nothing more."}, {"kind": "note", "text": "Else."}]}  # fmt: skip
    summary = {"title": "t", "made": "2020-01-01T00:00:00"}
    page = render_page(summary, [section], "about")
    assert page.count("Nothing more.") == 1
    assert "Else." in page

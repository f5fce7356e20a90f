"""Dates in texts: the order that the values tell, times of twelve hours, time zones, and what is no date."""

import numpy as np
import pytest

from bochner.errors import InvalidDataError
from bochner.tables.cells import CellError, rows_counted
from bochner.tables.dates import are_aware, date_order, parse_dates


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["15/01/2020", "01/02/2020", None], "dmy"),
        (["01/15/2020", "01/02/2020"], "mdy"),
        (["2020-01-15", "2020-12-31T23:59"], "ymd"),
        (["01.02.2020"], "dmy"),
        (["15/13/2020"], None),
        (["30/02/2020"], None),
        (["15/01/2020", "01/15/2020"], None),
        (["15/01/2020 25:00"], None),
        (["15/01/2020 13:00 PM"], None),
        (["yes"], None),
        (["15/01-2020"], None),
        ([None], None),
    ],
)
def test_the_order_is_the_one_in_which_all_texts_are_dates(texts, order):
    assert date_order(texts, "d") == order


def test_an_order_that_cannot_be_told_is_asked_for():
    with pytest.raises(InvalidDataError, match="--day-first or --month-first"):
        date_order(["01/02/2020"], "d")
    assert date_order(["01/02/2020"], "d", True) == "dmy"
    assert date_order(["01/02/2020"], "d", False) == "mdy"
    assert date_order(["15/02/2020"], "d", False) == "dmy"  # the values know better


@pytest.mark.parametrize(
    ("text", "order", "moment"),
    [
        ("15/01/2020", "dmy", "2020-01-15T00:00"),
        ("01/15/2020 12:00 AM", "mdy", "2020-01-15T00:00"),
        ("01/15/2020 12:30 pm", "mdy", "2020-01-15T12:30"),
        ("1/5/2020 1:05:09 PM", "mdy", "2020-01-05T13:05:09"),
        ("29.02.2020 23:59:59.250", "dmy", "2020-02-29T23:59:59.250"),
        ("2020-01-15T01:00:00+02:00", "ymd", "2020-01-14T23:00"),
        ("2020-01-15 10:00Z", "ymd", "2020-01-15T10:00"),
        ("2020-01-15 10:00 -0530", "ymd", "2020-01-15T15:30"),
    ],
)
def test_texts_are_moments(text, order, moment):
    (found, absent) = parse_dates([text, None], "d", order)
    assert found == np.datetime64(moment, "us")
    assert np.isnat(absent)


def test_what_is_no_date_is_named_with_its_row():
    with pytest.raises(CellError, match=r"'d' must hold dates.*Got 'soon' in row 3"):
        parse_dates(["15/01/2020", None, "soon"], "d", "dmy")
    with pytest.raises(CellError, match="Got '31/04/2020' in row 1"):
        parse_dates(["31/04/2020"], "d", "dmy")
    with pytest.raises(CellError, match=r"a time zone in all dates or in none. It has one in row 2"):
        parse_dates(["2020-01-15 10:00", "2020-01-15 10:00Z"], "d", "ymd")
    with pytest.raises(CellError, match="row 1,001"), rows_counted(np.array([7, 1000])):
        parse_dates(["15/01/2020", "soon"], "d", "dmy")


def test_time_zones_are_seen():
    assert are_aware([None, "2020-01-15 10:00Z"])
    assert not are_aware([None, "2020-01-15 10:00"])
    assert not are_aware(["", None])

"""Numbers for people."""

import numpy as np
import pytest

from bochner.kernels.text import short_text
from bochner.reporting.diagnosis import _range
from bochner.reporting.numbers import count, number, percent, seconds, size


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.123456, "0.123"),
        (1234.5, "1,230"),
        (123456, "123,000"),
        (1e-7, "1e-7"),
        (2.5e9, "2.5e9"),
        (None, "unknown"),
    ],
)
def test_three_digits_with_thousands(value, shown):
    assert number(value) == shown


def test_counts_shares_durations_and_sizes():
    assert (count(1234.6), percent(0.1234), size(1500)) == ("1,235", "12.3 %", "1.5 kB")
    assert [seconds(value) for value in (0.05, 1.5, 300, 10_000)] == ["50 ms", "1.5 s", "5 min", "2.78 h"]
    assert {form(None) for form in (count, percent, seconds, size)} == {"unknown"}


def test_parts_of_a_column_are_told_without_powers_of_ten():
    assert _range(np.array([7756.0, 19930.2])) == "7756 to 19,930"
    assert _range(np.array([1952.0, 2006.0])) == "1952 to 2006"


def test_kernels_are_told_in_one_short_line():
    text = "Gaussian(length_scale=array([21.9 , 10.05562993,\n       10.40159947]))"
    assert short_text(text) == "Gaussian(length_scale=[21.9, 10.06, 10.4])"

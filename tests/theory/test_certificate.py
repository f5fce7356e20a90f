"""A certificate renders its sentence from its fields, with numbers rounded outwards."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bochner.theory import Certificate
from bochner.theory.certificate import rounded_down, rounded_up

SOME = Certificate(value=0.123456, delta=0.01, claim="the error is {value}", bound="a", source="b")


@given(st.floats(1e-300, 1e300))
def test_numbers_are_rounded_outwards_and_not_by_much(value):
    assert float(rounded_down(value)) <= value <= float(rounded_up(value))
    assert float(rounded_up(value)) <= value * 1.0011 + 5e-324
    assert float(rounded_down(value)) >= value * 0.999


@given(st.floats(1e-300, 0.999999))
def test_a_probability_is_never_printed_larger_than_it_is(delta):
    printed = re.search(r"at least (1 - )?([0-9.e+-]+) over", replace(SOME, delta=delta).statement)
    if printed[1]:
        assert float(printed[2]) >= delta  # 1 - (something not smaller)
    else:
        assert float(printed[2]) <= 1 - delta + 1e-16


def test_a_tiny_delta_is_not_printed_as_certainty():
    assert "at least 1 - 1e-16 over" in replace(SOME, delta=1e-16).statement


def test_a_choice_multiplies_delta_and_the_sentence_follows():
    chosen = SOME.of_a_choice(6)
    assert chosen.delta == pytest.approx(0.06)
    assert "at least 0.94 over" in chosen.statement
    assert replace(SOME, delta=0.0).of_a_choice(6).delta == 0


def test_two_sides_lower_limits_and_reasons_are_said():
    assert replace(SOME, delta=0.0, at_least=0.1).statement == "The error is between 0.1 and 0.1235."
    assert replace(SOME, delta=0.0, from_below=True).statement == "The error is at least 0.1234."
    only = replace(SOME, delta=0.0, instead="no rows").statement
    assert only == "Only the kernel is certified, not the predictions (no rows): the error is at most 0.1235."


def test_plain_data_has_the_sentence_and_all_others():
    plain = replace(SOME, others=(SOME,)).to_dict()
    assert plain["statement"] == SOME.statement == plain["others"][0]["statement"]
    assert SOME.widened(0.1, "rounding").value > 0.223456

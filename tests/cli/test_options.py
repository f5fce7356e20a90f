"""Options that are a positive number or a word."""

import click
import pytest

from bochner.cli.options import NumberOr


def test_a_word_or_a_positive_number_is_taken():
    kind = NumberOr("auto", "median")
    assert kind.convert("auto", None, None) == "auto"
    assert kind.convert("2.5e-3", None, None) == 0.0025


@pytest.mark.parametrize("value", ["-1", "0", "nan", "inf", "large"])
def test_anything_else_is_refused_with_the_words(value):
    with pytest.raises(click.BadParameter, match="not a positive number nor one of auto, median"):
        NumberOr("auto", "median").convert(value, None, None)

"""A kernel in one line, for people: numbers with four digits, many length scales as their range, no matrices."""

from __future__ import annotations

import re

import numpy as np

from bochner.kernels.base import Stationary

__all__ = ["in_one_line", "short_text", "without_matrices"]

_SHOWN = 6  # length scales


def in_one_line(kernel: Stationary) -> str:
    """Text of a kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner.kernels import Matern
    >>> in_one_line(Matern(np.array([1.23456, 20.0])))
    'Matern(length_scale=[1.235, 20])'
    >>> in_one_line(Matern(np.arange(1.0, 13.0)))
    'Matern, 12 length scales from 1 to 12'
    >>> from bochner.kernels import Metric
    >>> in_one_line(Metric(Matern(), np.eye(12)))
    'Metric(directions=a matrix, kernel=Matern())'
    >>> in_one_line(Metric(Matern(), np.eye(300)))  # NumPy ends it in shape=(300, 300)
    'Metric(directions=a matrix, kernel=Matern())'
    """
    if kernel.has_scale_per_feature and np.size(kernel.scales()) > _SHOWN:
        scales = np.asarray(kernel.scales())
        return f"{type(kernel).__name__}, {len(scales)} length scales from {scales.min():.4g} to {scales.max():.4g}"
    return short_text(repr(kernel))


def short_text(text: str) -> str:
    """A text of kernels and scales in one line: four digits a number, lists without the word of NumPy, no matrices."""
    one_line = " ".join(without_matrices(text).split())
    rounded = re.sub(r"\d+\.\d{5,}(e[-+]?\d+)?", lambda number: f"{float(number[0]):.4g}", one_line)
    return re.sub(r"array\(\[([^]]*)\](?:, dtype=\w+)?\)", _as_list, rounded)


def _as_list(array: re.Match[str]) -> str:
    """Numbers of an array without blanks and points that line them up."""
    return f"[{', '.join(number.strip().removesuffix('.') for number in array[1].split(','))}]"


def without_matrices(text: str) -> str:
    """The text of a kernel with a word in place of every matrix."""
    return re.sub(r"array\(\[\[.*?\]\](?:,\s+\w+=[^()]*(?:\([^()]*\))?)*\)", "a matrix", text, flags=re.DOTALL)

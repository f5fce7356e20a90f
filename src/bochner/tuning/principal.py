"""Wide columns in fewer coordinates: as many principal directions as predict best, all columns if these do.

    k(x, y) = kappa(||A'(x - y)|| / l),      A = the first r principal directions (Pearson 1901)

Of pixels, words and spectra the directions of little variance are mostly noise, and a kernel value takes r operations
in place of d. Directions are those of the rows that metrics are learned from; how many there should be is told by
leave-one-out errors of others; of about equal numbers it is the largest, since more rows than those of the search tell
finer directions apart. Then they are learned again from all rows of the search.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from bochner._threads import results_in_threads
from bochner.tuning.candidates import METRIC, Candidate, CandidateSearch

__all__ = ["in_principal_directions"]

_WIDTHS = (256, 128, 96, 64, 48, 32)
_ITERATIONS = 12  # of its one scale
_ROWS_OF_A_DIRECTION = 3  # at least
_EQUAL = 0.025  # of the smallest error


def in_principal_directions(search: CandidateSearch, best: Candidate) -> list[Candidate]:
    """The best number of principal directions for a candidate of wide columns, and all numbers that were tried."""
    n_learned = search.n_learned(METRIC)
    widths = [width for width in _WIDTHS if width * _ROWS_OF_A_DIRECTION <= n_learned]
    tried = results_in_threads([partial(_turned, search, best, width, n_learned) for width in widths])
    of_all, *errors = map(np.mean, search.compared([best, *tried]))
    if not min(errors, default=np.inf) < of_all:
        return [best, *tried]
    most = next(each for each, error in zip(tried, errors, strict=True) if error <= (1 + _EQUAL) * min(errors))
    return [_learned_again(search, most), *tried]


def _turned(search: CandidateSearch, best: Candidate, width: int, n_learned: int) -> Candidate:
    """The candidate in so many directions, with a scale of its own."""
    columns = best.columns.principal(width, n_learned, search.weight)
    return search.descend(columns, best.stage.kernel, best.parameters, _ITERATIONS)


def _learned_again(search: CandidateSearch, found: Candidate) -> Candidate:
    """The candidate in as many directions of all rows."""
    columns = found.columns
    return replace(found, columns=columns.principal(columns.X.shape[1], len(search.Y), search.weight))

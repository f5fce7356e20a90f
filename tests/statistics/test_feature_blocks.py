"""Blocks of features in threads: every row once, in order, until someone asks for an end."""

import numpy as np
import pytest

from bochner.features import draw_fourier_map, transform
from bochner.kernels import Gaussian
from bochner.sampling import MonteCarlo
from bochner.statistics import PassPlan, for_each_block
from tests.identity_features import identity_map, rows_of
from tests.strategies import rows

X = rows(0, 101, 3)


def blocks_of(plan, feature_map=None, finish=None, dtype=float, **options):
    """First row and features of every block, in the order in which they are finished."""
    found = []
    for_each_block(
        rows_of(X, dtype=dtype),
        feature_map or identity_map(3),
        plan,
        lambda block, own: (block.start, own[0][: block.n_rows].copy()),
        finish or (lambda part: found.append(part)),
        **{"extra": lambda: np.empty(0), **options},
    )
    return found


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("block_rows", [1, 10, 101, 500])
def test_every_row_comes_once_and_in_order(block_rows, threads):
    found = blocks_of(PassPlan(block_rows, threads, 0))
    assert [start for start, _ in found] == list(range(0, 101, block_rows))
    np.testing.assert_array_equal(np.vstack([Z for _, Z in found]), X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_features_are_those_of_the_map_in_the_type_of_the_rows(dtype):
    drawn = draw_fourier_map(Gaussian(), MonteCarlo(), n_features=3, n_components=16, embedding="paired", seed=0)
    Z = np.vstack([part for _, part in blocks_of(PassPlan(7, 2, 0), drawn, dtype=dtype)])
    assert Z.dtype == dtype
    np.testing.assert_allclose(Z, transform(drawn, X.astype(dtype), np.dtype(dtype)), atol=1e-6)


def test_true_ends_the_pass():
    ended = []

    def finish(part):
        ended.append(part[0])
        return len(ended) == 3

    blocks_of(PassPlan(10, 3, 0), finish=finish)
    assert ended == [0, 10, 20]


def test_blocks_can_be_left_out():
    found = blocks_of(PassPlan(10, 2, 0), skip=lambda block: block.start in (0, 50))
    assert [start for start, _ in found] == [10, 20, 30, 40, 60, 70, 80, 90, 100]


def test_a_thread_keeps_its_extra_array():
    made, used = [], set()

    def extra():
        made.append(np.zeros(1))
        return made[-1]

    def work(block, own):
        used.add(id(own[1]))
        return 0

    for_each_block(rows_of(X), identity_map(3), PassPlan(1, 2, 0), work, lambda part: None, extra=extra)
    assert used <= {id(array) for array in made}
    assert len(made) < 101


def test_an_error_in_a_block_is_that_of_the_pass():
    def work(block, own):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        for_each_block(rows_of(X), identity_map(3), PassPlan(9, 2, 0), work, print, extra=lambda: np.empty(0))

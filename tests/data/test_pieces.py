"""Sources of pieces: cut into blocks, numbered, counted, and held to the number of rows they have stated."""

import numpy as np
import pytest

from bochner.data import Block
from bochner.data.pieces import PieceSource
from bochner.data.shape import Shape
from bochner.errors import InvalidDataError

TABLE = np.random.default_rng(0).standard_normal((30, 2))
SHAPE = Shape(n_features=2, n_targets=1, weighted=False, dtype=np.dtype(float), target_dtype=np.dtype(float))


class Pieces(PieceSource):
    """Rows of a table, cut at some places; counted by looking if their number is not stated."""

    def __init__(self, cuts=(4, 5, 21), stated=30, table=TABLE, **options):
        super().__init__(SHAPE, stated, **{"row_bytes": 24, **options})
        self.parts, self.n_looks = np.split(table, cuts), 0

    def _pieces(self):
        for part in self.parts:
            yield Block(part, part[:, :1], None, -1, "a piece")

    def _count_rows(self):
        self.n_looks += 1
        return sum(len(part) for part in self.parts)


@pytest.mark.parametrize("cuts", [(), (4, 5, 21), (10, 10, 20), tuple(range(1, 30))])
@pytest.mark.parametrize("block_rows", [1, 7, 30, 100])
def test_any_pieces_become_equal_blocks_in_order(cuts, block_rows):
    blocks = list(Pieces(cuts).blocks(block_rows))
    np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), TABLE)
    assert [block.start for block in blocks] == list(range(0, 30, block_rows))
    assert all(block.n_rows == block_rows for block in blocks[:-1])


def test_passes_are_counted_when_they_begin():
    source = Pieces()
    assert source.n_passes == 0
    for _ in range(2):
        list(source.read(10))
    next(source.blocks(10))
    assert source.n_passes == 3


def test_a_stated_number_of_rows_costs_no_look():
    source = Pieces()
    assert (source.known_rows, source.n_rows, source.n_looks) == (30, 30, 0)


def test_an_unstated_number_is_counted_once_or_learned_by_a_pass():
    counted, passed = Pieces(stated=None), Pieces(stated=None)
    assert counted.known_rows is None
    assert (counted.n_rows, counted.n_rows, counted.n_looks) == (30, 30, 1)
    list(passed.blocks(10))
    assert (passed.n_rows, passed.n_looks) == (30, 0)


@pytest.mark.parametrize(("stated", "message"), [(31, "must be 31.*Got 30"), (29, "must be 29.*Got at least 30")])
def test_more_or_fewer_rows_than_stated_are_an_error(stated, message):
    with pytest.raises(InvalidDataError, match=message):
        list(Pieces(stated=stated).blocks(10))


def test_a_source_that_changes_between_passes_is_an_error():
    source = Pieces(stated=None)
    list(source.blocks(10))
    source.parts.append(TABLE)
    with pytest.raises(InvalidDataError, match="as stated or found before"):
        list(source.blocks(10))


def test_bad_numbers_name_their_row_and_origin():
    bad = TABLE.copy()
    bad[17, 1] = np.nan
    with pytest.raises(InvalidDataError, match=r"row 17, a piece"):
        list(Pieces(table=bad).blocks(10))
    assert len(list(Pieces(table=bad).read(10))) == 3


@pytest.mark.parametrize(("row_bytes", "piece_rows"), [(1, 1000), (2**24, 1), (2**30, 1), (2**22, 4)])
def test_a_piece_has_some_megabytes_and_at_least_a_row(row_bytes, piece_rows):
    source = Pieces(row_bytes=row_bytes, most_rows=1000)
    assert source.piece_rows == piece_rows
    assert source.read_bytes == row_bytes * min(30, 5 * piece_rows)


def test_what_was_found_is_no_part_of_the_fingerprint():
    source = Pieces(stated=None)
    before = source.fingerprint()
    list(source.blocks(10))
    assert source.fingerprint() == before
    assert before["n_rows"] is None

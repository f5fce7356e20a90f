"""An engine of one's own: every block is pickled, sent nowhere, unpickled and reduced, as a cluster would."""

import pickle

import numpy as np

from bochner.data import Block, RowSource
from bochner.engines import Engine


class Parcels(Engine):
    """One block after the other; what a reduction holds makes the way through pickle and back."""

    def __init__(self):
        self.sent = 0

    @property
    def in_process(self):
        return False

    def reduce(self, rows, reduction, total, *, on_part=None, ledger=None):
        for block in rows.blocks(rows.block_rows):
            total = reduction.merge(total, self._reduced(block, reduction))
            if on_part is not None and on_part(block.n_rows):
                break
        return total

    def parts(self, rows, reduction):
        for block in rows.blocks(rows.block_rows):
            yield self._reduced(block, reduction)

    def ship(self, feature_map):
        return feature_map

    def hold(self, rows):
        return

    def apply(self, rows, function, shape, dtype):
        return np.concatenate([pickle.loads(pickle.dumps(function))(block.X) for block in rows.blocks(rows.block_rows)])

    def _reduced(self, block, reduction):
        own = reduction.restricted(slice(block.start, block.start + block.n_rows))
        parcel = pickle.dumps((own, Block(block.X, block.Y, block.sample_weight, 0)))
        self.sent += len(parcel)
        there, rows = pickle.loads(parcel)
        scratch = there.scratch(rows.n_rows)
        return there.add(there.empty(), there.part(rows, scratch))


class ParcelRows(RowSource):
    """Arrays that name this engine."""

    dtype = np.dtype(float)

    def __init__(self, X, y, block_rows=100):
        self.X_, self.y_, self.block_rows = X, np.asarray(y, dtype=float).reshape(len(X), -1), block_rows
        self.engine = Parcels()

    @property
    def n_rows(self):
        return len(self.X_)

    @property
    def n_features(self):
        return self.X_.shape[1]

    @property
    def n_targets(self):
        return self.y_.shape[1]

    def read(self, block_rows):
        for start in range(0, len(self.X_), block_rows):
            rows = slice(start, start + block_rows)
            yield Block(self.X_[rows], self.y_[rows], None, start)

"""A group of one's own: the identity and the reversal of all columns."""

import numpy as np
from scipy.sparse import csr_array

from bochner.groups import Group


class Reversal(Group):
    """x_j -> x_(d - j)."""

    closed = True
    unitary = True

    def order(self, n_features=None):
        return 2

    def _list(self, d):
        return [csr_array(np.eye(d)), csr_array(np.eye(d)[::-1])]

    def _draw(self, n, d, rng):
        both = self._list(d)
        return [both[i] for i in rng.integers(2, size=n)]

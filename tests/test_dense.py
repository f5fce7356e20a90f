"""Dense rows from arrays, lists and sparse matrices of both kinds."""

import numpy as np
import pytest
from scipy import sparse

from bochner._dense import dense
from tests.strategies import rows

X = rows(0, 5, 3)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_array])
def test_sparse_rows_become_an_array(kind):
    found = dense(kind(X), np.float32)
    assert type(found) is np.ndarray
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, X.astype(np.float32))


def test_an_array_of_the_type_is_handed_back_as_it_is():
    assert dense(X) is X
    assert dense(X, float) is X
    assert dense(X, np.float32) is not X
    np.testing.assert_array_equal(dense([[1, 2]], float), [[1.0, 2.0]])

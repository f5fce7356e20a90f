"""Transformers in a stream: Arrow batches in, numbers out."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import issparse
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from bochner.data.encoding import encode, encoded_names
from bochner.errors import InvalidDataError

BATCH = pa.record_batch({"a": [0.0, 2.0], "kind": ["x", "y"]})


def test_dense_and_sparse_results_and_their_names():
    scaler = StandardScaler().fit(BATCH.select(["a"]).to_pandas())
    np.testing.assert_array_equal(encode(scaler, BATCH, ["a"], "f"), [[-1], [1]])
    assert encoded_names(scaler, 1) == ["a"]
    one_hot = OneHotEncoder().fit(BATCH.select(["kind"]).to_pandas())
    assert issparse(encode(one_hot, BATCH, ["kind"], "f"))
    assert encoded_names(one_hot, 2) == ["kind_x", "kind_y"]


def test_a_transformer_of_arrays_gets_an_array():
    scaler = StandardScaler().fit(np.array([[0.0], [2.0]]))
    np.testing.assert_array_equal(encode(scaler, BATCH, ["a"], "f"), [[-1], [1]])


def test_failures_and_texts_are_refused_with_their_place():
    with pytest.raises(InvalidDataError, match="The encoder failed on f"):
        encode(StandardScaler().fit([[0.0]]), BATCH, ["kind"], "f")
    with pytest.raises(InvalidDataError, match="must give a table of numbers"):
        encode(FunctionTransformer().fit(BATCH.to_pandas()), BATCH, ["kind"], "f")

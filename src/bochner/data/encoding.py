"""Column encoding batch by batch: Arrow batches through a fitted scikit-learn transformer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix, issparse

from bochner._typing import Rows, Transformer
from bochner.errors import InvalidDataError, MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["encode", "encoded_names"]


def encode(encoder: Transformer, batch: pa.RecordBatch, columns: list[str], origin: str) -> Rows:
    """The columns of an Arrow batch as the transformer's numbers: a C-ordered array or a CSR matrix."""
    frame = _frame(batch.select(columns))
    try:
        # A transformer that has been fitted on an array wants one, without names.
        X = encoder.transform(frame if hasattr(encoder, "feature_names_in_") else frame.to_numpy())
    except Exception as failure:
        raise InvalidDataError(f"The encoder failed on {origin}: {failure}") from failure
    X = csr_matrix(X) if issparse(X) else np.ascontiguousarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InvalidDataError(f"An encoder must give a table of numbers. Got {X.dtype} of shape {X.shape}.")
    return X


def encoded_names(encoder: Transformer, n_features: int) -> list[str] | None:
    """The transformer's own names of its output, if it has them."""
    if not hasattr(encoder, "get_feature_names_out"):
        return None
    names = [str(name) for name in encoder.get_feature_names_out()]
    return names if len(names) == n_features else None


def _frame(batch: pa.RecordBatch) -> pd.DataFrame:
    try:
        return batch.to_pandas()
    except ImportError:
        raise MissingExtraError("pandas", "io") from None

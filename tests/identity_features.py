"""Rows that are their own features: what a solver or a sum gets is then known exactly."""

from __future__ import annotations

import numpy as np

from bochner.data import ArrayRows
from bochner.engines import engine_of
from bochner.features import TransformerMap
from bochner.statistics.feature_stream import FeatureStream
from bochner.statistics.leave_one_out import LeaveOneOut


class Identity:
    def transform(self, X):
        return X


def identity_map(width):
    return TransformerMap(Identity(), width)


def rows_of(Z, Y=None, weight=None, dtype=float):
    """A row source of features Z, targets (None: zeros) and weights."""
    Y = np.zeros(Z.shape[0]) if Y is None else Y
    return ArrayRows(Z.astype(dtype), Y, weight, np.dtype(dtype))


def stream_of(Z, dtype=float, keep=None):
    """The stream of features Z that iterative solvers read."""
    return FeatureStream(rows_of(Z, dtype=dtype), identity_map(Z.shape[1]), keep=keep)


def leave_one_out(solver, rows, plan, moments, alphas):
    """Mean squared leave-one-out errors of an `EigenRidge`, for rows that are their own features."""
    basis = solver.basis(alphas, moments, rows.dtype)
    reduction = LeaveOneOut(identity_map(rows.n_features), rows.dtype, basis, plan)
    return engine_of(rows).reduce(rows, reduction, reduction.empty()) / (moments.weight * rows.n_targets)

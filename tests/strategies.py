"""Hypothesis strategies: kernels of every kind, and data."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import bochner as bo

positive = st.floats(0.2, 5.0)
seeds = st.integers(0, 2**32 - 1)


def simple_kernels(d):
    scale = st.one_of(positive, st.lists(positive, min_size=d, max_size=d).map(np.array))
    return st.one_of(
        st.builds(bo.Gaussian, scale),
        st.builds(bo.Laplacian, scale),
        st.builds(bo.Matern, scale, nu=st.sampled_from([0.3, 0.5, 1.0, 1.5, 2.2, 2.5, 4.0])),
        st.builds(bo.Cauchy, scale),
        st.builds(bo.RationalQuadratic, scale, alpha=positive),
        st.builds(bo.PowerExponential, scale, exponent=st.floats(0.3, 2.0)),
        st.builds(_metric, st.integers(1, d + 1), seeds, st.just(d)),
        st.builds(bo.Spline, scale, order=st.sampled_from([1.5, 2, 2.4, 3, 4, 5.5, 8])),
    )


def _metric(rank, seed, d):
    return bo.Metric(bo.Matern(1.3, nu=1.5), np.random.default_rng(seed).standard_normal((d, rank)))


def kernels(d):
    return st.recursive(
        simple_kernels(d),
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
            st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
            st.tuples(positive, inner).map(lambda pair: pair[0] * pair[1]),
        ),
        max_leaves=3,
    )


def rows(seed, n, d, dtype=float):
    return np.random.default_rng(seed).standard_normal((n, d)).astype(dtype)

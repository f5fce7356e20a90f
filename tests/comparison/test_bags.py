"""Bags of rows, from lists and frames, and their mean embeddings."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import bochner as bo
from bochner.comparison.bags import Bags
from bochner.comparison.kernel_features import KernelFeatures
from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.features import transform

RNG = np.random.default_rng(0)
SIZES = (3, 1, 40, 7)
BAGS = [RNG.standard_normal((n, 2)) for n in SIZES]
FOURIER = KernelFeatures.draw(bo.Gaussian(), 2, 16, embedding="paired", sampling="monte_carlo", seed=0).fourier


def test_mean_features_are_means_over_every_bag(monkeypatch):
    expected = [transform(FOURIER, bag, np.dtype(float)).mean(axis=0) for bag in BAGS]
    for rows in (8192, 5):  # a bag of 40 rows is then too long to hold
        monkeypatch.setattr("bochner.comparison.bags._ROWS", rows)
        np.testing.assert_allclose(Bags.of(BAGS, None).mean_features(FOURIER), expected, atol=1e-14)


def test_frames_and_sparse_tables_are_the_same_bags():
    frame = pd.DataFrame(np.vstack(BAGS), columns=["a", "b"]).assign(bag=np.repeat([9, 4, 7, 1], SIZES))
    for other in (Bags.of(frame, "bag"), Bags.of([csr_matrix(bag) for bag in BAGS], None)):
        np.testing.assert_array_equal(other.rows, np.vstack(BAGS))
        np.testing.assert_array_equal(other.ends, np.cumsum(SIZES))
    shuffled = Bags.of(frame.iloc[::-1], "bag")
    np.testing.assert_array_equal(shuffled.ends, np.cumsum(SIZES[::-1]))


def test_what_is_no_bag_is_refused():
    with pytest.raises(InvalidDataError, match="Bag 0 has 2, bag 2 3"):
        Bags.of([BAGS[0], BAGS[1], np.ones((2, 3))], None)
    with pytest.raises(InvalidDataError, match="at least one bag"):
        Bags.of([], None)
    with pytest.raises(InvalidDataError, match="group"):
        Bags.of(pd.DataFrame({"a": [1.0]}), None)
    with pytest.raises(InvalidParameterError, match="a column of the frame"):
        Bags.of(pd.DataFrame({"a": [1.0]}), "b")
    with pytest.raises(InvalidParameterError, match="None without a frame"):
        Bags.of(BAGS, "b")

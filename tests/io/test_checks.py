"""Checks of objects of a model: schema, shapes, paths."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, TargetEncoder

import bochner as bo
from bochner.features import FourierMap, RankWarp
from bochner.features.nystroem import KernelMap, NystroemMap
from bochner.groups import Transforms
from bochner.io.checks import places, problem_of
from bochner.sampling import DenseProjection
from bochner.solvers.preconditioner import SubsampleGram
from bochner.statistics import BlockMoments


def fourier(m=4, d=2, phases=0):
    return FourierMap.dense(np.ones((m, d)), np.ones(m), np.ones(phases))


def nystroem(L=3):
    return NystroemMap(KernelMap(bo.Gaussian(), np.ones((L, 2))), np.eye(L))


def warp():
    return RankWarp(np.ones((2, 5)), np.ones((2, 5)), np.array([1.0, np.inf]))


class Array(np.ndarray):
    """A subclass of NumPy's arrays, whose methods are its own."""


def test_good_objects_pass():
    good = [fourier(), fourier(phases=4), nystroem(), warp(), bo.Moments.empty(3, 2), SubsampleGram(np.ones((3, 2)))]
    for value in (
        *good,
        Transforms((csr_array(np.eye(2)),), np.ones(1)),
        bo.Gaussian(np.ones(3)),
        bo.KernelRegressor(),
    ):
        assert problem_of(value) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 3, 500])
def test_moments_with_rounding_errors_pass(n, dtype):
    """Constant columns, equal columns, one row: products of nothing but rounding."""
    rng = np.random.default_rng(0)
    column = rng.standard_normal((n, 1))
    for Z in (np.full((n, 3), 1e4 / 3), np.hstack([column, column, 1e-9 * column]) + 300, 1e-3 * rng.random((n, 4))):
        moments = bo.Moments.empty(Z.shape[1], 1)
        for _ in range(5):
            moments.update(Z.astype(dtype), column)
        assert problem_of(moments) is None


@pytest.mark.parametrize(
    "value",
    [
        lambda: replace(fourier(), amplitude=np.ones(3)),
        lambda: replace(fourier(), amplitude=np.full(4, np.nan)),
        lambda: replace(fourier(), amplitude=np.ones(4).view(Array)),
        lambda: replace(fourier(), amplitude=[1.0] * 4),
        lambda: replace(fourier(), projection=DenseProjection(np.ones((4, 2), dtype=np.float32))),
        lambda: replace(fourier(), projection=DenseProjection(np.ones((4, 2), dtype=object))),
        lambda: replace(fourier(), projection=bo.Gaussian()),
        lambda: replace(fourier(), phase=np.ones(5)),
        lambda: replace(nystroem(), factor=np.ones((2, 2))),
        lambda: replace(nystroem(), factor=np.asfortranarray(np.eye(3) + np.eye(3, k=1))),
        lambda: replace(nystroem(), factor=np.full((3, 3), np.inf)),
        lambda: replace(warp(), scores=np.ones((2, 4))),
        lambda: replace(warp(), reach=np.array([1.0, np.nan])),
        lambda: SubsampleGram(np.ones((3, 2), dtype=int)),
        lambda: SubsampleGram(np.ones(3)),
        lambda: replace(bo.Moments.empty(3, 2), z_mean=np.zeros(4)),
        lambda: replace(bo.Moments.empty(3, 2), zz=np.zeros((3, 4))),
        lambda: replace(bo.Moments.empty(3, 2), zz=np.full((3, 3), np.nan)),
        lambda: replace(bo.Moments.empty(3, 2), zz=np.zeros((3, 3), order="F")[:, ::-1]),
        lambda: replace(bo.Moments.empty(3, 2), zz=-np.eye(3)),
        lambda: replace(bo.Moments.empty(3, 2), zz=np.eye(3) + 1e300 * np.eye(3, k=-1)),
        lambda: replace(bo.Moments.empty(3, 2), precision=0.0),
        lambda: replace(bo.Moments.empty(3, 2), n_rows=2.5),
        lambda: replace(BlockMoments.of(np.ones((4, 3)), np.ones((4, 1))), gram=np.ones((1, 1))),
        lambda: Transforms((np.abs, np.negative), np.ones(1)),
        lambda: Transforms((3,), np.ones(1)),
        lambda: Transforms((), np.ones(0)),
        lambda: Transforms([csr_array(np.eye(2))], np.ones(1)),
        lambda: Transforms((np.abs,), [1.0]),
        lambda: bo.Gaussian(np.ones((2, 2))),
        lambda: bo.Gaussian(np.array(["a"])),
    ],
)
def test_arrays_that_do_not_fit_are_refused(value):
    assert problem_of(value())


def encoder(**changed):
    codes = np.arange(60)[:, None] % 7
    made = OneHotEncoder(drop="first", max_categories=4, sparse_output=False).fit(codes)
    vars(made).update(changed)
    return made


@pytest.mark.parametrize(
    "changed",
    [
        {"_n_features_outs": [1]},
        {"categories_": [np.arange(7)[::-1]]},
        {"categories_": [list(range(7))]},
        {"_infrequent_indices": [np.array([10**9])]},
        {"_default_to_infrequent_mappings": [np.full(7, 10**9)]},
        {"_default_to_infrequent_mappings": [None]},
        {"_drop_idx_after_grouping": np.array([-5], dtype=object)},
        {"_infrequent_enabled": False},
    ],
    ids=str,
)
def test_one_hot_encoders_that_would_write_out_of_bounds_are_refused(changed):
    assert problem_of(encoder()) is None
    assert problem_of(encoder(**changed)) == "has arrays or numbers that do not fit each other"


def test_encoders_that_would_hand_out_memory_as_it_is_are_refused():
    polynomial = PolynomialFeatures(2).fit(np.ones((3, 4)))
    target = TargetEncoder().fit(np.arange(40)[:, None] % 4, np.arange(40.0))
    for good, name, bad in ((polynomial, "_n_out_full", 100), (target, "encodings_", [])):
        assert problem_of(good) is None
        setattr(good, name, bad)
        assert problem_of(good)


@pytest.mark.parametrize("categories", [["mid", "low", "high"], ["1", "10", "9"]])
def test_categories_in_any_order_are_fine_if_they_are_not_searched_by_bisection(categories):
    assert problem_of(OneHotEncoder(categories=[categories]).fit(np.array(categories)[:, None])) is None


def test_paths_of_a_fit_are_no_part_of_a_model(tmp_path):
    model = bo.KernelRegressor(checkpoint=tmp_path / "checkpoint")
    assert places(model) == {"checkpoint"}
    assert places(Pipeline([], memory="cache")) == {"memory"}
    assert places(bo.KernelRegressor()) == places("text") == set()
    assert problem_of(model) == "has a 'checkpoint', which models in files have not"

"""Consistency of objects from files."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.pipeline import Pipeline

import bochner as bo
from bochner.errors import FileFormatError
from bochner.features import FourierMap
from bochner.groups import Transforms
from bochner.io.checks import check_object, fits, places
from bochner.sampling import DenseProjection


def fourier(m=4, d=2, phases=0):
    return FourierMap.dense(np.ones((m, d)), np.ones(m), np.ones(phases))


def test_good_objects_pass():
    for value in (fourier(), fourier(phases=4), bo.Moments.empty(3, 2), Transforms((np.abs,), np.ones(1)), "text"):
        check_object(value)


@pytest.mark.parametrize(
    "value",
    [
        lambda: replace(fourier(), amplitude=np.ones(3)),
        lambda: replace(fourier(), projection=DenseProjection(np.ones((4, 2), dtype=np.float32))),
        lambda: replace(fourier(), phase=np.ones(5)),
        lambda: replace(bo.Moments.empty(3, 2), z_mean=np.zeros(4)),
        lambda: replace(bo.Moments.empty(3, 2), zz=np.zeros((3, 4))),
        lambda: replace(bo.Moments.empty(3, 2), zz=np.zeros((3, 3), order="F")[:, ::-1]),
        lambda: Transforms((np.abs, np.negative), np.ones(1)),
        lambda: Transforms((3,), np.ones(1)),
        lambda: Transforms([csr_array(np.eye(2))], np.ones(1)),
        lambda: Transforms((np.abs,), [1.0]),
    ],
)
def test_arrays_that_do_not_fit_are_refused(value):
    made = object.__new__(type(value()))
    made.__dict__.update(vars(value()))
    assert not fits(made)


def test_paths_of_a_fit_are_no_part_of_a_model(tmp_path):
    model = bo.KernelRegressor(checkpoint=tmp_path / "checkpoint")
    assert places(model) == {"checkpoint"}
    assert places(Pipeline([], memory="cache")) == {"memory"}
    assert places(bo.KernelRegressor()) == places("text") == set()
    with pytest.raises(FileFormatError, match="has a 'checkpoint'"):
        check_object(model)

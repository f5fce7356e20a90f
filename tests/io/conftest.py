"""Fitted models, once."""

import functools
import warnings

import pytest

from bochner.errors import FirstBlockWarning
from tests.io.fitted_models import FITTED


@functools.cache
def fitted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FirstBlockWarning)
        return FITTED[name]()


@pytest.fixture(params=FITTED)
def model(request):
    return fitted(request.param)


@pytest.fixture
def make():
    return fitted

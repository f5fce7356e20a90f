"""Every group of the package obeys the laws of groups: subclasses are found, not listed."""

import inspect

import numpy as np
import pytest

from bochner.groups import Group, SignFlips
from bochner.testing import check_group, concrete_subclasses

GIVEN = {"groups": [SignFlips(None)], "matrices": [np.eye(16)], "functions": [np.negative], "shape": (4, 4)}


@pytest.mark.parametrize("cls", concrete_subclasses(Group, "bochner."), ids=lambda cls: cls.__name__)
def test_every_group_obeys_the_laws_on_sixteen_columns(cls):
    given = {name: GIVEN[name] for name in inspect.signature(cls).parameters if name in GIVEN}
    check_group(cls(**given), n_features=16, seed=2)


def test_the_base_class_is_no_group():
    with pytest.raises(TypeError, match="abstract"):
        Group()

"""Every sampler of the package obeys the laws of samplers: subclasses are found, not listed."""

import pytest

from bochner.sampling import SAMPLERS, Sampler
from bochner.testing import check_sampler, concrete_subclasses

EVERY = concrete_subclasses(Sampler, "bochner.")


@pytest.mark.parametrize("cls", [cls for cls in EVERY if not cls.uses_pilot], ids=lambda cls: cls.__name__)
def test_every_sampler_without_a_pilot_obeys_the_laws(cls):
    check_sampler(cls(), n_features=2, seed=8)


def test_every_sampler_has_a_name():
    assert set(SAMPLERS.values()) == set(EVERY)


def test_the_base_class_is_no_sampler():
    with pytest.raises(TypeError, match="abstract"):
        Sampler()

"""Every tail bound of the package has a setting in which its laws are tested: subclasses are found, not listed."""

from bochner.testing import concrete_subclasses
from bochner.theory import TailBound
from tests.theory.tail_settings import ALL

# It counts whole blocks of frequencies, so it is not monotone in the width: test_orthogonal_bounds has its own tests.
ELSEWHERE = {"Chebyshev"}


def test_every_tail_bound_is_tried():
    tried = {type(build()).__name__ for build in ALL.values()}
    every = {cls.__name__ for cls in concrete_subclasses(TailBound, "bochner.")}
    assert every - tried == ELSEWHERE

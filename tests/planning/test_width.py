"""The default width rule."""

import numpy as np
import pytest

from bochner.planning import default_width


@pytest.mark.parametrize("n", [1, 100, 5000, 50_000, 10**5, 10**9])
def test_it_is_root_n_log_n_rounded_up_within_its_limits(n):
    width, rule = default_width(n), np.sqrt(n) * np.log(max(n, 2))
    assert width % 64 == 0
    assert width == np.clip(width, 256, 4096)
    assert width in (256, 4096) or rule <= width < rule + 64


def test_it_never_falls():
    assert np.all(np.diff([default_width(n) for n in range(1, 200_000, 997)]) >= 0)

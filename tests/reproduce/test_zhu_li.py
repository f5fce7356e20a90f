"""Smallest widths of the study of Zhu Li's feature counts."""

from __future__ import annotations

import numpy as np
import pytest

from bochner.reproduce.zhu_li import _crossing


def test_the_smallest_width_is_the_last_that_falls_below():
    widths = [4, 8, 16, 32]
    lost = np.array([[[3.0, 0.5, 2.0, 0.5]]])  # one resample, one draw: enough at 8 by luck, then not, then enough
    assert 16 < _crossing(widths, lost, 1.0)[0] < 32
    assert _crossing(widths, lost, 4.0)[0] == 4
    assert np.isnan(_crossing(widths, lost, 0.1)[0])
    assert _crossing(widths, np.array([[[4.0, 4.0, 4.0, 0.25]]]), 1.0)[0] == pytest.approx(16 * np.sqrt(2))

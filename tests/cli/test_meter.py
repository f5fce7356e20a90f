"""Measured time and memory."""

import time

import numpy as np

from bochner.cli.meter import measured


def test_time_and_peak_memory_of_a_block_are_measured():
    with measured() as cost:
        time.sleep(0.05)
        np.ones(2**23).sum()  # 64 MB
    assert 0.05 <= cost.seconds < 30
    assert cost.memory > 2**25

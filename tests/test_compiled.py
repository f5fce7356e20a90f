"""Compiled loops where nothing can be cached: the code is compiled in the process, and works."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import numba.core.caching as caching
{change}
import numpy as np
from bochner.kernels._loops import exp_of_minus_half
values = np.array([[0.0, 2.0]])
exp_of_minus_half(values)
print(np.round(values, 6))
"""

FULL_DISK = """
def full(self, *args):
    raise OSError(28, "No space left on device")

caching.IndexDataCacheFile.save = full
caching.IndexDataCacheFile.load = lambda self, *args: None
"""

CHANGES = {"no folder": "caching.CompileResultCacheImpl._locator_classes = []", "full disk": FULL_DISK}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_to_cache_in(change):
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(change=change)], capture_output=True, text=True, timeout=300, check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "[[1.       0.367879]]"

"""Fits run under a hard limit of the operating system close to their bill, and what does not fit is refused before."""

import os
import subprocess
import sys

import numpy as np
import pytest

import bochner as bo
from bochner.errors import MemoryBudgetError

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs RLIMIT_AS and /proc")

LIMITED = """
import resource, sys, numpy as np, bochner as bo
from bochner import memory
from bochner._blas_buffers import reserve_blas_buffers

bills = []
original = memory.require_memory
def noted(bill, remedy):
    bills.append(bill.total)
    original(bill, remedy)
import bochner.fitting.{module} as module
module.require_memory = noted

def size():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmSize"))

X = np.load(sys.argv[1], mmap_mode="r")
y = np.sin(X[:, 0]) {labels}
def blocks():
    for i in range(0, len(X), 1000):
        yield np.array(X[i:i + 1000]), y[i:i + 1000]

model = bo.{estimator}
model.fit(np.array(X[:50]), y[:50])          # libraries, threads and compiled loops are there
reserve_blas_buffers(3)                      # and what BLAS takes once, for as many threads
bills.clear()
before = size()
limit = before + int({bill}) + {slack}
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
bo.set_config(memory=int({bill}), n_threads=2)
model.fit(bo.scan_blocks(blocks, n_rows=len(X)))
assert bills and max(bills) <= {bill}, bills
print("fitted", max(bills) / {bill})
"""

CASES = {
    "direct": {
        "module": "moments",
        "labels": "",
        "estimator": "KernelRegressor(length_scale=2.0, n_components=1024, alpha=1.0, random_state=0)",
        "bill": 60e6,
    },
    "direct with a path of penalties": {
        "module": "moments",
        "labels": "",
        "estimator": "KernelRegressor(length_scale=2.0, n_components=1024, random_state=0)",
        "bill": 60e6,
    },
    "iterative": {
        "module": "products",
        "labels": "",
        "estimator": "KernelRegressor(length_scale=2.0, n_components=1024, alpha=1.0, solver='iterative', tol=1e-4)",
        "bill": 60e6,
    },
    "classifier": {
        "module": "classifier",
        "labels": "> 0",
        "estimator": "KernelClassifier(length_scale=2.0, n_components=512, random_state=0)",
        "bill": 45e6,
    },
}
SLACK = 110_000_000  # buffers of 32 MB that OpenBLAS takes for a thread it had not used before, stacks, one block


@pytest.mark.parametrize("case", CASES)
def test_a_fit_stays_within_its_bill_under_a_hard_limit(tmp_path, case):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).standard_normal((30_000, 4)).astype(np.float32))
    code = LIMITED.format(**CASES[case], slack=SLACK)
    found = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "X.npy")],
        capture_output=True,
        text=True,
        env={**os.environ, "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "2"},
    )
    assert found.returncode == 0, found.stderr[-2000:]
    assert "fitted" in found.stdout


def test_what_does_not_fit_is_refused_with_the_bill_before_a_row_is_read():
    def blocks():
        yield np.zeros((10, 2)), np.zeros(10)
        pytest.fail("rows were read")

    rows = bo.scan_blocks(blocks, n_rows=10_000)
    with bo.config_context(memory="20MB"), pytest.raises(MemoryBudgetError, match="moments"):
        bo.KernelRegressor(length_scale=1.0, n_components=4096).fit(rows)

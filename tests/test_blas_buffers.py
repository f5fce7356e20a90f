"""Buffers of BLAS in a process whose address space is limited: an error with a name, never the end of the process."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a limit of the address space that holds")

BEGIN = """
import resource, threading
from pathlib import Path
import numpy as np
import bochner as bo
from bochner._blas_buffers import _buffers, reserve_blas_buffers
from bochner.errors import MemoryBudgetError

def held():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()

def limit(megabytes):
    most = resource.RLIM_INFINITY if megabytes is None else held() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))

def multiply(n_threads):
    A, begin = np.ones((300, 300)), threading.Barrier(n_threads)
    def work():
        begin.wait()
        for _ in range(20):
            A @ A
    threads = [threading.Thread(target=work) for _ in range(n_threads)]
    for each in threads: each.start()
    for each in threads: each.join()

if not _buffers():
    print("held")  # another BLAS
    raise SystemExit
"""


def run(code):
    return subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, timeout=300)


def test_buffers_that_were_reserved_serve_threads_under_a_limit():
    done = run("""
threading.stack_size(2**18)
reserve_blas_buffers(4)
before = held()
reserve_blas_buffers(4)
assert held() == before
limit(20)
multiply(4)
print("held")
""")
    assert done.stdout == "held\n", done.stderr


def test_a_reservation_beyond_the_limit_is_an_error_with_a_remedy():
    done = run("""
reserve_blas_buffers(1)
limit(20)
for _ in range(2):
    try:
        reserve_blas_buffers(3)
    except MemoryBudgetError as refused:
        assert "set_config(n_threads=1)" in str(refused), refused
        print("refused")
limit(None)
reserve_blas_buffers(3)
print("held")
""")
    assert done.stdout.split() in (["refused", "refused", "held"], ["held"]), done.stderr


@pytest.mark.parametrize("megabytes", [24, 150])
def test_a_fit_under_a_limit_ends_with_a_model_or_a_bill(megabytes):
    done = run(f"""
rng = np.random.default_rng(0)
X = rng.standard_normal((6_000, 8))
model = bo.KernelRegressor(bo.Gaussian(2.5), n_components=512, alpha=0.1, random_state=0)
bo.set_config(n_threads=4)
model.fit(X[:300], X[:300, 0])
limit({megabytes})
try:
    model.fit(X, X[:, 0])
except MemoryError as refused:
    assert isinstance(refused, MemoryBudgetError), refused
print("held")
""")
    assert done.stdout == "held\n", done.stderr

"""Memory that the process may still take: the machine, control groups of both versions, limits of the process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bochner as bo
from bochner import _limits, config
from bochner._limits import available_memory
from bochner.errors import MemoryBudgetError

GB = 10**9


@pytest.fixture(autouse=True)
def unlimited_process(monkeypatch):
    """What this process was started with must not decide the tests of files."""
    monkeypatch.setattr(_limits, "_process", lambda root: iter(()))


def tree(root: Path, files: dict[str, object]) -> Path:
    """A folder that looks like / to `available_memory`."""
    machine = {"proc/meminfo": "MemTotal: 99000000 kB\nMemAvailable:   20000000 kB\n"}
    for name, content in {**machine, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(str(content))
    return root


def test_without_other_limits_the_machine_decides(tmp_path):
    assert available_memory(tree(tmp_path, {})) == 20_000_000 * 1024


def test_a_group_of_version_2_has_its_limit_less_its_use_and_its_idle_cache_is_free(tmp_path):
    files = {
        "proc/self/cgroup": "0::/job\n",
        "sys/fs/cgroup/job/memory.max": 4 * GB,
        "sys/fs/cgroup/job/memory.current": 3 * GB,
        "sys/fs/cgroup/job/memory.stat": f"anon 5\ninactive_file {2 * GB}\nactive_file 7\n",
    }
    assert available_memory(tree(tmp_path, files)) == 3 * GB


def test_every_group_above_counts(tmp_path):
    files = {
        "proc/self/cgroup": "0::/pod/job/step\n",
        "sys/fs/cgroup/pod/job/step/memory.max": "max\n",
        "sys/fs/cgroup/pod/job/memory.max": 8 * GB,
        "sys/fs/cgroup/pod/memory.max": 6 * GB,
        "sys/fs/cgroup/pod/memory.current": 5 * GB,  # by other jobs
    }
    assert available_memory(tree(tmp_path, files)) == GB


def test_the_limit_at_which_a_group_is_slowed_down_counts(tmp_path):
    files = {
        "proc/self/cgroup": "0::/job\n",
        "sys/fs/cgroup/job/memory.max": 9 * GB,
        "sys/fs/cgroup/job/memory.high": 2 * GB,
    }
    assert available_memory(tree(tmp_path, files)) == 2 * GB


@pytest.mark.parametrize("own", ["/docker/abc", "/"])
def test_in_a_container_the_mount_is_the_group_whatever_its_path_on_the_host(tmp_path, own):
    files = {"proc/self/cgroup": f"0::{own}\n", "sys/fs/cgroup/memory.max": GB, "sys/fs/cgroup/memory.current": 100}
    assert available_memory(tree(tmp_path, files)) == GB - 100


def test_groups_of_version_1_and_those_above_them(tmp_path):
    files = {
        "proc/self/cgroup": "5:cpu,memory:/slurm/job_1\n3:pids:/\n0::/\n",
        "sys/fs/cgroup/memory/slurm/job_1/memory.limit_in_bytes": 9223372036854771712,
        "sys/fs/cgroup/memory/slurm/memory.limit_in_bytes": 5 * GB,
        "sys/fs/cgroup/memory/slurm/memory.usage_in_bytes": 4 * GB,
        "sys/fs/cgroup/memory/slurm/memory.stat": f"inactive_file 1\ntotal_inactive_file {GB}\n",
    }
    assert available_memory(tree(tmp_path, files)) == 2 * GB


def test_a_group_beyond_its_limit_leaves_nothing(tmp_path):
    files = {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/memory.max": GB,
        "sys/fs/cgroup/memory.current": 2 * GB,
    }
    assert available_memory(tree(tmp_path, files)) == 0


def test_damaged_files_are_no_limits(tmp_path):
    files = {
        "proc/self/cgroup": "\n:::\n0\n0::/job\n",
        "sys/fs/cgroup/job/memory.max": "much",
        "sys/fs/cgroup/memory.max": "",
    }
    assert available_memory(tree(tmp_path, files)) == 20_000_000 * 1024


def test_without_proc_the_system_is_asked_and_without_an_answer_a_small_machine_is_assumed(tmp_path, monkeypatch):
    assert available_memory(tmp_path) > 0
    monkeypatch.delattr(_limits.os, "sysconf", raising=False)
    assert available_memory(tmp_path) == 4 * GB


LIMITED = """
import resource, sys
import numpy as np
import bochner as bo

with open("/proc/self/status") as lines:
    used = next(int(line.split()[1]) * 1024 for line in lines if line.startswith(sys.argv[2]))
limit = used + 1_500_000_000
resource.setrlimit(getattr(resource, sys.argv[1]), (limit, limit))
budget = bo.get_config().memory_budget()
assert 0.4e9 < budget <= 1.2e9, budget
X = np.zeros((100, 2))
try:
    bo.KernelRegressor(n_components=20_000, length_scale=1.0, solver="direct").fit(X, X[:, 0])
except bo.errors.MemoryBudgetError as error:
    print("refused:", str(error).splitlines()[0])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc and setrlimit")
@pytest.mark.parametrize(("limit", "field"), [("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData")])
def test_the_budget_is_within_the_limits_of_the_process(limit, field):
    ran = subprocess.run([sys.executable, "-c", LIMITED, limit, field], capture_output=True, text=True, env=os.environ)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.startswith("refused: This needs ")


def test_a_prediction_of_one_row_does_not_ask_the_system_what_is_left(monkeypatch):
    """Nine files are read for the answer: three times as long as the prediction takes."""
    X = np.random.default_rng(0).standard_normal((200, 2))
    given = {"n_components": 32, "alpha": 1.0, "length_scale": 1.0, "random_state": 0}
    regressor = bo.KernelRegressor(**given).fit(X, X[:, 0])
    classifier = bo.KernelClassifier(loss="logistic", **given).fit(X, X[:, 0] > 0)
    monkeypatch.setattr(config, "available_memory", lambda: pytest.fail("It was asked."))
    regressor.predict(X[:1])
    classifier.predict_proba(X[:1])
    with bo.config_context(memory=4), pytest.raises(MemoryBudgetError):
        regressor.predict(X[:1])

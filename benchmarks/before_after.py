"""Two versions of the package in one run: transform, ridge, classifier and wide fits, call by call in turn.

    git worktree add ../before REVISION
    python benchmarks/before_after.py ../before/src

Each version runs in a process of its own, warmed up. They take turns call by call, in changing order, so that the noise
of the machine meets both alike. For each work: the least time of either version, their ratio after / before, and the
median of the ratios of neighbouring calls.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from harness import write

ROUNDS = 25
HERE = Path(__file__).resolve().parents[1] / "src"

WORKER = """
import sys, time
import numpy as np
import bochner as bo

rng = np.random.default_rng(0)
X = rng.standard_normal((50_000, 20)).astype(np.float32)
y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(len(X)).astype(np.float32)
labels = y > 0
kernel = bo.Gaussian(4.0)
features = bo.FourierFeatures(kernel, n_components=1024, random_state=0).fit(X)
ridge = bo.KernelRegressor(kernel, n_components=1024, alpha="gcv", random_state=0).fit(X, y)
classifier = bo.KernelClassifier(kernel, n_components=512, alpha=1.0, random_state=0)
wide = bo.KernelRegressor(kernel, n_components=2048, alpha=1.0, solver="iterative", tol=1e-4, random_state=0)
work = {
    "transform": lambda: features.transform(X),
    "ridge": lambda: bo.KernelRegressor(kernel, n_components=1024, alpha="gcv", random_state=0).fit(X, y),
    "predict with error bars": lambda: ridge.predict(X[:4000], return_std=True),
    "classifier": lambda: classifier.fit(X[:20_000], labels[:20_000]),
    "wide": lambda: wide.fit(X[:10_000], y[:10_000]),
}
for each in work.values():
    each()
print(*work, sep=";", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    work[line.strip()]()
    print(time.perf_counter() - start, flush=True)
"""


class Version:
    """A version of the package in a process of its own."""

    def __init__(self, source: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
        self._process = subprocess.Popen([sys.executable, "-c", WORKER], **pipes)
        self.work = self._process.stdout.readline().strip().split(";")

    def seconds(self, work: str) -> float:
        self._process.stdin.write(f"{work}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def main(before: Path) -> None:
    versions = {"before": Version(before), "after": Version(HERE)}
    table = {}
    for work in versions["before"].work:
        times = {name: [] for name in versions}
        for i in range(ROUNDS):
            for name in list(versions)[:: 1 if i % 2 else -1]:
                times[name].append(versions[name].seconds(work))
        old, new = np.array(times["before"]), np.array(times["after"])
        table[work] = {
            "before": float(old.min()),
            "after": float(new.min()),
            "ratio of least": float(new.min() / old.min()),
            "median ratio": float(np.median(new / old)),
        }
        print(work, table[work], flush=True)
    for version in versions.values():
        version.close()
    write("before_after", {"rounds": ROUNDS, "work": table})


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())

"""Timing in one process: ours, the peers and the limit in turn, so that noise meets them alike; JSON out."""

from __future__ import annotations

import json
import platform
import time
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"


def interleaved(contestants, repeats):
    """Median seconds of each contestant, run in turn `repeats` times after one warm-up round."""
    times = {name: [] for name in contestants}
    for round_ in range(repeats + 1):
        for name, run in contestants.items():
            start = time.perf_counter()
            result = run()
            seconds = time.perf_counter() - start
            del result  # giving memory back is not part of the work
            if round_ > 0:
                times[name].append(seconds)
    return {name: float(np.median(seconds)) for name, seconds in times.items()}


def once(run):
    """Seconds of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def write(name, payload):
    """Write the result of one benchmark, with the machine it ran on."""
    RESULTS.mkdir(exist_ok=True)
    record = {"machine": f"{platform.machine()}, {len_cores()} cores", "python": platform.python_version(), **payload}
    (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n")
    print(json.dumps(record, indent=2))


def len_cores():
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()

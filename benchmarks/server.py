"""The server of docs/deploy.md under load: latency against a bare `predict`, and memory over 100,000 requests.

    python benchmarks/server.py [--requests N]

64 clients, each with one connection, send the next request when they have the answer. *Bare* is the same in one process
and without HTTP and JSON: 64 tasks, each of which waits for `predict` of the same rows in a pool of as many threads as
the server has. Both are run in turn, in pieces, so that a busy machine slows both. Latency is what a client waits for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from harness import write

import bochner as bo

ROOT = Path(__file__).resolve().parents[1]
CLIENTS, THREADS, WIDTH, COLUMNS = 64, 2, 1024, 8
SIZES, PIECES, PER_PIECE = (1, 16, 64), 6, 1_000


def fitted():
    X = np.random.default_rng(0).standard_normal((4000, COLUMNS))
    settings = {"n_components": WIDTH, "alpha": 0.1, "random_state": 0}
    return bo.KernelRegressor(bo.Gaussian(3.0), **settings).fit(X, np.sin(X[:, :3].sum(axis=1)))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """uvicorn with the example, as a process."""

    def __init__(self, model, folder):
        bo.save(model, folder / "model.bochner")
        bo.to_onnx(model, folder / "model.onnx")
        self.port = free_port()
        options = [
            "--factory",
            "serve:application",
            "--app-dir",
            str(ROOT / "docs" / "server"),
            "--port",
            str(self.port),
        ]
        options += ["--ws", "none", "--no-access-log", "--log-level", "warning"]
        self.process = subprocess.Popen([sys.executable, "-m", "uvicorn", *options], cwd=folder)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError("The server did not start.")

    def held_bytes(self):
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

    def close(self):
        self.process.terminate()
        self.process.wait()


async def asked(reader, writer, request):
    """The answer to one request, its status checked."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode())
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    return await reader.readexactly(length)


async def over_http(port, rows, requests):
    """Seconds of every request of 64 clients, and the answer to the last one."""
    body = json.dumps({"rows": rows.tolist()}).encode()
    head = (
        f"POST /predict HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    request, seconds, left = head.encode() + body, [], iter(range(requests))
    answer = b""

    async def client():
        nonlocal answer
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            begin = time.perf_counter()
            answer = await asked(reader, writer, request)
            seconds.append(time.perf_counter() - begin)
        writer.close()

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return seconds, json.loads(answer)["predictions"]


async def bare(model, rows, requests, pool):
    """Seconds of every call of 64 tasks, without HTTP and JSON."""
    seconds, left, loop = [], iter(range(requests)), asyncio.get_running_loop()

    async def task():
        for _ in left:
            begin = time.perf_counter()
            await loop.run_in_executor(pool, model.predict, rows)
            seconds.append(time.perf_counter() - begin)

    await asyncio.gather(*(task() for _ in range(CLIENTS)))
    return seconds


def latency(server, model, n_rows):
    """Milliseconds at the median and the 99th percentile, of both."""
    rows = np.random.default_rng(1).standard_normal((n_rows, COLUMNS))
    found = {"server": [], "bare": []}
    with ThreadPoolExecutor(THREADS) as pool:
        for piece in range(PIECES + 1):
            http, answer = asyncio.run(over_http(server.port, rows, PER_PIECE))
            alone = asyncio.run(bare(model, rows, PER_PIECE, pool))
            if piece:  # the first one warms both
                found["server"] += http
                found["bare"] += alone
    np.testing.assert_array_equal(answer, model.predict(rows))
    row = {f"{name}_{key}_ms": 1e3 * float(np.quantile(values, level)) for name, values in found.items()
           for key, level in (("median", 0.5), ("p99", 0.99))}  # fmt: skip
    return {
        "rows": n_rows,
        "requests": len(found["server"]),
        **row,
        "p99_ratio": row["server_p99_ms"] / row["bare_p99_ms"],
    }


def growth(server, requests):
    """Bytes of the server after every tenth of the requests."""
    rows = np.random.default_rng(2).standard_normal((4, COLUMNS))
    held, begin = [], time.perf_counter()
    for _ in range(10):
        asyncio.run(over_http(server.port, rows, requests // 10))
        held.append(server.held_bytes())
    seconds = time.perf_counter() - begin
    return {"requests": requests, "seconds": seconds, "held_bytes": held, "growth_bytes": held[-1] - held[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    asked_for = parser.parse_args()
    model = fitted()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(model, Path(folder))
        try:
            rows = [latency(server, model, n) for n in SIZES]
            load = os.getloadavg()[0]  # a busy machine has long tails
            memory = growth(server, asked_for.requests)
        finally:
            server.close()
    write("server", {"clients": CLIENTS, "threads": THREADS, "d": COLUMNS, "n_components": WIDTH, "latency": rows,
                     "memory": memory, "load_average": load})  # fmt: skip


if __name__ == "__main__":
    main()

"""The server of docs/deploy.md, over HTTP: many clients at once, and bodies that nobody should send."""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import bochner as bo

uvicorn = pytest.importorskip("uvicorn", reason="needs the group 'test'")
pytest.importorskip("onnxruntime", reason="needs the group 'test'")

DOCS = Path(__file__).resolve().parents[2] / "docs"
CLIENTS, EACH = 64, 6


def load_example():
    spec = importlib.util.spec_from_file_location("serve", DOCS / "server" / "serve.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


serve = load_example()


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).standard_normal((400, 3))
    return bo.KernelRegressor(length_scale=2.0, n_components=128, random_state=0).fit(X, np.sin(X.sum(axis=1)))


@pytest.fixture(scope="module")
def port(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    bo.save(model, folder / "model.bochner")
    bo.to_onnx(model, folder / "model.onnx")
    app = serve.application(folder / "model.bochner", folder / "model.onnx")
    config = uvicorn.Config(app, port=0, log_level="critical", http="h11", ws="none", loop="asyncio")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()
    app.pool.shutdown()


def ask(connection, body, path="/predict", method="POST"):
    connection.request(method, path, body)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


@pytest.fixture
def client(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    yield connection
    connection.close()


def body_of(X):
    return json.dumps({"rows": X.tolist()})


def test_many_clients_at_once_get_the_bits_of_predict(port, model):
    def one(number):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        rng = np.random.default_rng(number)
        found = []
        for _ in range(EACH):
            X = rng.standard_normal((int(rng.integers(1, 120)), 3))
            status, answer = ask(connection, body_of(X))
            found.append((X, status, answer))
        connection.close()
        return found

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = [each for found in pool.map(one, range(CLIENTS)) for each in found]
    assert len(answers) == CLIENTS * EACH
    for X, status, answer in answers:
        assert status == 200
        np.testing.assert_array_equal(answer["predictions"], model.predict(X))


def test_the_graph_beside_it_agrees(client, model):
    X = np.random.default_rng(5).standard_normal((50, 3))
    status, answer = ask(client, body_of(X), "/onnx")
    assert status == 200
    np.testing.assert_allclose(answer["predictions"], model.predict(X), atol=1e-4)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b"{}", b'{"rows": []}', b'{"rows": 3}', b'{"rows": {"a": 1}}',
        b'{"rows": [[1, 2]]}', b'{"rows": [[1, 2, 3], [1, 2]]}', b'{"rows": [["a", "b", "c"]]}',
        b'{"rows": [[NaN, 1, 2]]}', b'{"rows": [[1e999, 1, 2]]}', b'{"rows": [[null, 1, 2]]}',
        b'{"rows": [[true, false, true]]}', b'{"rows": [[' + b"9" * 400 + b", 1, 2]]}",
        b'{"rows": [[' + b"9" * 5000 + b", 1, 2]]}", b'{"rows": ' + b"[" * 5000,
        b'{"rows": ' + b"[" * 60 + b"1" + b"]" * 60 + b"}", os.urandom(2000),
    ],
)  # fmt: skip
def test_a_malformed_body_is_the_clients_fault_and_says_why(client, body):
    status, answer = ask(client, body)
    assert status == 400
    assert answer["error"]
    assert "Traceback" not in answer["error"]
    assert ask(client, body_of(np.zeros((1, 3))))[0] == 200  # and the next one is served


def test_a_huge_body_is_refused_with_the_limit(client):
    status, answer = ask(client, b"[" + b"1," * 2_000_000 + b"1]")
    assert status == 413
    assert f"{serve.MOST_BYTES:,}" in answer["error"]


def test_other_paths_and_methods_are_refused(client):
    assert ask(client, b"", "/elsewhere")[0] == 404
    assert ask(client, None, "/predict", "GET")[0] == 405


def test_the_page_shows_the_file_itself():
    page = (DOCS / "deploy.md").read_text(encoding="utf-8")
    assert "```{literalinclude} server/serve.py" in page
    assert "class Predictions" not in page

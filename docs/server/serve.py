"""A model behind an ASGI server: uvicorn --factory serve:application."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import bochner as bo

MOST_BYTES = 2**20  # of a body
FEW_ROWS = 64  # that are predicted at once: on a busy machine the way to a thread and back takes longer than the work


class Predictions:
    """ASGI application: POST {"rows": [[...], ...]} to a path, and get {"predictions": [...]}."""

    def __init__(self, functions, n_features):
        self.functions, self.n_features = functions, n_features
        self.pool = ThreadPoolExecutor(2)  # as many as cores: more would only wait for each other

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            status, answer = await self.answer(scope, receive)
            body = json.dumps(answer).encode()
            headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})

    async def answer(self, scope, receive):
        """Status and content of the answer to one request."""
        predict = self.functions.get(scope["path"])
        if predict is None:
            return 404, {"error": f"There is no {scope['path'][:100]!r}. There are {', '.join(self.functions)}."}
        if scope["method"] != "POST":
            return 405, {"error": "Send rows by POST."}
        body = await self.body(receive)
        if body is None:
            return 413, {"error": f"A body has at most {MOST_BYTES:,} bytes. Send fewer rows at a time."}
        try:
            X = self.rows(body)
            found = predict(X) if len(X) <= FEW_ROWS else await self.in_thread(predict, X)
        except (ValueError, RecursionError) as error:  # bochner's errors about rows are ValueErrors
            return 400, {"error": str(error)}
        return 200, {"predictions": found.tolist()}

    def in_thread(self, predict, X):
        """A prediction that takes a while: others are answered meanwhile."""
        return asyncio.get_running_loop().run_in_executor(self.pool, predict, X)

    async def body(self, receive):
        """The body; None if it is too long: what is over is read, so that the client hears the answer, and dropped."""
        parts, size, more = [], 0, True
        while more and size < 64 * MOST_BYTES:
            message = await receive()
            part, more = message.get("body", b""), message.get("more_body", False)
            size += len(part)
            parts = [*parts, part] if size <= MOST_BYTES else []
        return b"".join(parts) if size <= MOST_BYTES else None

    def rows(self, body):
        """The rows of a body as numbers; a ValueError says what is wrong with it."""
        document = json.loads(body)
        rows = document.get("rows") if isinstance(document, dict) else None
        if not isinstance(rows, list) or not rows:
            raise ValueError('A body is {"rows": [[...], ...]} with at least one row.')
        X = np.asarray(rows)
        if X.dtype.kind not in "iuf" or X.shape != (len(rows), self.n_features):
            raise ValueError(f"Each row must have {self.n_features} numbers.")
        return X.astype(float, copy=False)


def application(model="model.bochner", graph="model.onnx"):
    """The application for a saved model, and its ONNX graph beside it."""
    import onnxruntime

    loaded, session = bo.load(model), onnxruntime.InferenceSession(graph)

    def by_graph(X):
        return session.run(None, {"X": X.astype(np.float32)})[0][:, 0]

    return Predictions({"/predict": loaded.predict, "/onnx": by_graph}, loaded.n_features_in_)

"""Loss of a Dask cluster in mid-computation, as one clear error."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from bochner.errors import BochnerError, ClusterError

__all__ = ["one_error_if_lost"]

_LOOK = 10.0  # seconds between two looks at the workers
_PATIENCE = 30  # looks without any worker, after there were some: five minutes


@contextmanager
def one_error_if_lost(client: Any, futures: list[Any]) -> Iterator[None]:
    """Around the wait for results: a scheduler that is gone, or workers that do not come back, are a `ClusterError`.

    Errors of the tasks themselves are left as they are. Without workers, Dask would wait for ever: futures are
    cancelled then. A cluster that has not had any worker yet may wait for its first one as long as it likes.
    """
    if client is None:
        yield
        return
    over, deserted = Event(), Event()
    Thread(target=_watch, args=(client, futures, over, deserted), daemon=True).start()
    try:
        yield
    except Exception as error:
        if deserted.is_set():
            raise ClusterError(_message("it has had no worker for five minutes")) from None
        if not _is_loss(client, error):
            raise
        reason = f"{type(error).__name__}: {str(error).splitlines()[0][:200] if str(error) else ''}"
        raise ClusterError(_message(reason.rstrip(": "))) from None
    finally:
        over.set()


def _message(reason: str) -> str:
    return f"The Dask cluster was lost ({reason}). Start it again, connect a new Client, and call again."


def _is_loss(client: Any, error: Exception) -> bool:
    """Whether an error comes from the cluster, not from a task."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    kinds = set(type(error).__mro__)
    gone = getattr(client, "status", "running") != "running"
    return BochnerError not in kinds and (gone or not kinds.isdisjoint((CancelledError, KilledWorker, CommClosedError)))


def _watch(client: Any, futures: list[Any], over: Event, deserted: Event) -> None:
    """Cancel the futures after many looks in a row at a cluster that has lost all of its workers."""
    seen, missing = False, 0
    while not over.wait(_LOOK):
        with suppress(Exception):  # a scheduler that is gone is told by the futures
            present = bool(client.nthreads())
            seen, missing = seen or present, 0 if present else missing + 1
            if seen and missing >= _PATIENCE:
                deserted.set()
                client.cancel([future for future in futures if future is not None])
                return

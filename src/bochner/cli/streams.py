"""Interrupts and the standard streams of a command: closed ones, and ones that cannot say every letter."""

from __future__ import annotations

import io
import os
import signal
import sys
import textwrap
import threading
from types import FrameType, TracebackType
from typing import Any, Self, TextIO

__all__ = ["Interrupts", "data_output", "text_width", "told", "usable_streams"]

_PIPE_WIDTH = 100
_AGAIN_SECONDS = 0.05


class Interrupts:
    """Ctrl-C as `KeyboardInterrupt`, which comes again until it is heard: callbacks and imports may swallow it.

    What it set going, such as the removal of half a file, is left to end. A second Ctrl-C ends that too.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None
        self._later: threading.Timer | None = None
        self._repeated = False

    def __enter__(self) -> Self:
        self._hook = sys.unraisablehook
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored (nohup), or a test's
            try:
                self._before = signal.signal(signal.SIGINT, self._interrupt)
                sys.unraisablehook = self._unraisable
            except ValueError:  # not in the main thread
                self._before = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        sys.unraisablehook = self._hook
        if self._before is not None:
            # First nothing, for a repetition that is on its way.
            signal.signal(signal.SIGINT, lambda number, frame: None)
            if self._later is not None:
                self._later.cancel()
                self._later.join()
            signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        repeated, self._repeated = self._repeated, False
        self.came = True
        self._later = threading.Timer(_AGAIN_SECONDS, self._repeat)
        self._later.daemon = True
        self._later.start()
        if not (repeated and _is_heard(sys.exc_info()[1])):
            raise KeyboardInterrupt

    def _repeat(self) -> None:
        self._repeated = True
        os.kill(os.getpid(), signal.SIGINT)

    def _unraisable(self, lost: sys.UnraisableHookArgs) -> None:
        """Say nothing of an interrupt in a place that cannot raise it, such as a callback of C code."""
        if lost.exc_type is not KeyboardInterrupt:
            self._hook(lost)


def _is_heard(error: BaseException | None) -> bool:
    """Whether the error that is being handled is an interrupt, or came of one."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


class _NoReader(io.TextIOBase):
    """Standard output that was closed before the start (`>&-`): as a pipe that nobody reads."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        raise BrokenPipeError("Standard output is closed.")

    def isatty(self) -> bool:
        return False


def usable_streams() -> None:
    """Replace standard streams that were closed; letters that the output cannot say become escapes."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115  # takes the number 0, so that no file of ours does
    if sys.stdout is None:
        _occupy(1)
        sys.stdout = _NoReader()  # type: ignore[assignment]
    if sys.stderr is None:
        _occupy(2)
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if type(stream) is io.TextIOWrapper and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _occupy(number: int) -> None:
    """Take the number of a closed stream, so that no file that is opened gets it and is written to by mistake."""
    if os.open(os.devnull, os.O_RDWR) != number:
        os.dup2(os.open(os.devnull, os.O_RDWR), number)


def data_output() -> TextIO:
    """Standard output for tables: in UTF-8, as files are, whatever the terminal speaks."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        return sys.stdout
    return io.TextIOWrapper(binary, encoding="utf-8", newline="")


def text_width() -> int:
    """Columns of a text for people: those of the terminal or of the variable COLUMNS, else 100."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    for stream in (sys.stdout, sys.stderr):
        try:
            return os.get_terminal_size(stream.fileno()).columns or _PIPE_WIDTH
        except (OSError, ValueError, AttributeError):
            continue
    return _PIPE_WIDTH


def told(sentence: str) -> None:
    """Print a note or an error: wrapped for a terminal, in one line for programs."""
    if sys.stderr.isatty():
        sentence = "\n".join(textwrap.fill(line, text_width()) for line in sentence.splitlines())
    print(sentence, file=sys.stderr)

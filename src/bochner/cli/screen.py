"""Output of the commands: tables on standard output, notes and progress bars on standard error, or JSON."""

from __future__ import annotations

import io
import json
import re
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import click

from bochner._json import plain
from bochner.cli.streams import text_width, told
from bochner.cli.wording import in_options, without_python

if TYPE_CHECKING:  # nothing heavy: --help is to be quick
    from rich.console import RenderableType
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from bochner._typing import JsonDict

__all__ = ["Part", "Progress", "Screen", "Verbatim", "paragraph", "screen_options", "table"]

Part: TypeAlias = "RenderableType"
Command = TypeVar("Command", bound=Callable[..., object])

_LABEL = re.compile(r" *([-!] |\S+ {2,})?")


def screen_options(command: Command) -> Command:
    """The options --json and --quiet."""
    quiet = click.option("--quiet", "-q", is_flag=True, help="No progress and no notes.")
    machine = click.option(
        "--json", "as_json", is_flag=True, help="One JSON document on standard output, for machines."
    )
    return quiet(machine(command))


class Verbatim(str):
    """A text that is to be copied: it stays in one line."""

    __slots__ = ()


class Screen:
    """Result of a command, shown once at its end, and its notes."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.notes: list[str] = []
        self._started = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the command began."""
        return time.perf_counter() - self._started

    def note(self, sentence: str) -> None:
        """Something to know that is not a result; said once, and without what is for Python."""
        sentence = without_python(sentence)
        if sentence in self.notes:
            return
        self.notes.append(sentence)
        if not self.quiet:
            told(f"note: {sentence}")

    @contextmanager
    def noting_warnings(self) -> Iterator[None]:
        """Warnings become notes, each once."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            yield
        command = click.get_current_context().info_name or ""
        for sentence in dict.fromkeys(str(warning.message) for warning in caught):
            self.note(in_options(sentence, [command]))

    def show(self, document: JsonDict, *parts: Part, written: Sequence[str] = ()) -> None:
        """The result: the document as JSON, or its parts (texts and rich tables) for people.

        If it cannot be shown, the files that were written are named on standard error.
        """
        if self.as_json:
            text = json.dumps(plain(document | {"notes": self.notes}), indent=2, allow_nan=False) + "\n"
        else:
            text = _rendered(parts, terminal=sys.stdout.isatty())
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError as error:
            if written:
                told(f"The result could not be shown ({error.strerror or error}). Written: {', '.join(written)}")
            raise

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Steps of the work with bars and the time left; silent unless standard error is a terminal."""
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        visible = console.is_terminal and not self.quiet
        bars = Bars(*columns, console=console, transient=True, disable=not visible)
        with bars if visible else nullcontext():  # rich 13 ends bars that it does not show with an empty line
            yield Progress(bars, visible=visible)


class FitTask(Protocol):
    """scikit-learn's record of a task of a fit."""

    max_subtasks: int | None
    parent: FitTask | None


class Progress:
    """The step that is under way, as a bar; it is also a callback for scikit-learn's estimators."""

    def __init__(self, bars: Bars, *, visible: bool) -> None:
        self._bars, self.visible = bars, visible
        self._task: TaskID | None = None

    def step(self, name: str) -> None:
        """Begin a step; the one before is over."""
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(name, total=None)

    # scikit-learn's protocol for callbacks: the blocks of a pass are subtasks of the fit.

    def setup(self, estimator: object, context: FitTask) -> None:
        """Nothing to prepare."""

    def teardown(self, estimator: object, context: FitTask) -> None:
        """Nothing to put away."""

    def on_fit_task_begin(self, estimator: object, context: FitTask, **more: object) -> None:
        """The length of the bar."""
        if context.max_subtasks and self._task is not None:
            self._bars.update(self._task, total=context.max_subtasks, completed=0)

    def on_fit_task_end(self, estimator: object, context: FitTask, **more: object) -> bool:
        """One block more."""
        if context.parent is not None and self._task is not None:
            self._bars.advance(self._task)
        return False


def table(title: str, rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> Part:
    """A rich table of texts; with a header, columns of numbers are aligned right."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, show_header=bool(header), pad_edge=False, padding=(0, 3, 0, 0) if header else (0, 2, 0, 0))
    for at, name in enumerate(header or [""] * len(rows[0])):
        right = bool(header) and _is_numbers(rows, at)
        grid.add_column(name, justify="right" if right else "left", no_wrap=at == 0)
    for row in rows:
        grid.add_row(*row)
    return Group(Text(title, style="bold"), grid) if title else grid


def _is_numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    return column > 0 and all(row[column][:1] in "-0123456789" for row in rows)


def paragraph(title: str, text: str) -> Part:
    """A title, and a text that is wrapped."""
    from rich.console import Group
    from rich.text import Text

    return Group(Text(title, style="bold"), Text(text))


def _rendered(parts: Sequence[Part], *, terminal: bool) -> str:
    """Parts as text: with colours for a terminal, without escape codes for a pipe; no line is wider than it may be."""
    from rich.console import Console

    width = text_width()
    console = Console(
        file=io.StringIO(), force_terminal=terminal, width=width, highlight=False, markup=False, emoji=False
    )
    for part in parts:
        if isinstance(part, str):
            console.print(part if isinstance(part, Verbatim) else _wrapped(part, width), soft_wrap=True)
        else:
            console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def _wrapped(text: str, width: int) -> str:
    """A text whose long lines go on below the second of their columns, or below their indent."""
    return "\n".join(_folded(line, width) for line in text.split("\n"))


def _folded(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    label = _LABEL.match(line)
    hang = len(label[0]) if label and 3 * len(label[0]) < 2 * width else 2
    return textwrap.fill(line, width, subsequent_indent=" " * hang)

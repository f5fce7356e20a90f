"""Entry point of `bochner`: runs a command and turns its errors into an exit code and one sentence.

0    done
1    the answer is no (`bochner test --fail-below`)
2    wrong usage or bad input
3    refused: more memory or time than the budget
70   an error in bochner itself, with a traceback
130  interrupted
141  nobody reads the output any more
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TextIO

from bochner.cli.exits import BAD_INPUT, DEFECT, INTERRUPTED, NO_READER, OVER_BUDGET, OverBudgetError
from bochner.cli.streams import Interrupts, told, usable_streams
from bochner.cli.wording import in_options, without_python
from bochner.errors import BochnerError, MemoryBudgetError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for; the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    tell = partial(_told, arguments=given)
    with Interrupts() as interrupts:  # before anything heavy is imported
        try:
            usable_streams()
            return _run(given, tell)
        except KeyboardInterrupt:
            return _interrupted()
        except BrokenPipeError:
            _close_output()
            return NO_READER
        except (MemoryBudgetError, OverBudgetError) as refusal:
            return tell(f"Refused: {refusal}", OVER_BUDGET)
        except MemoryError:
            advice = "Give a smaller --memory, so that the table is read in pieces, or a smaller -D."
            return tell(f"Refused: the machine has no more memory. {advice}", OVER_BUDGET)
        except (BochnerError, OSError) as error:
            return tell(f"Error: {error}", BAD_INPUT)
        except Exception as error:
            # An interrupt in the middle of an import may come as any error: a module that could not be loaded, say.
            return _interrupted() if interrupts.came else _defect(error, tell)


def _run(arguments: list[str], tell: Callable[[str, int], int]) -> int:
    """Run a command; wrong usage is explained by click."""
    try:
        import click
        import rich  # noqa: F401
    except ModuleNotFoundError as absent:
        return tell(f"Error: {absent.name} is not installed. Run: pip install 'bochner[cli]'", BAD_INPUT)
    from bochner.cli.app import app

    warnings.showwarning = _as_note
    try:
        with app.make_context("bochner", arguments) as context:
            app.invoke(context)
        sys.stdout.flush()
    except click.Abort:
        return _interrupted()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as usage:
        if "--json" in arguments:
            return tell(f"Error: {usage.format_message()}", BAD_INPUT)
        usage.show()
        return BAD_INPUT
    return 0


def _interrupted() -> int:
    """The exit code of an interrupt, told."""
    # CPython notes an interrupt that leaves the `exec` of a text (dataclasses are made by it), and then ends by the
    # signal whatever the exit code; the next `exec` takes the note away.
    exec("")
    return _told("\nInterrupted.", INTERRUPTED)


def _told(sentence: str, code: int, *, arguments: Sequence[str] = ()) -> int:
    """Print the message of an error, also as JSON on standard output if a machine reads it; returns the exit code."""
    sentence = in_options(sentence, arguments)
    told(sentence)
    if "--json" in arguments:
        kind, _, message = sentence.partition(": ")
        json.dump({"error": {"kind": kind.lower(), "message": message, "exit_code": code}}, sys.stdout)
        sys.stdout.write("\n")
    return code


def _defect(error: Exception, tell: Callable[[str, int], int]) -> int:
    """Print the traceback of an internal error (of a refused parameter the message); returns the exit code."""
    if type(error).__name__ == "InvalidParameterError":
        return tell(f"Error: {error}", BAD_INPUT)
    import traceback

    traceback.print_exception(error)
    return tell("Error: bochner failed. Please report it, with the lines above.", DEFECT)


def _as_note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as a note, without the line of code that gave it."""
    if issubclass(category, UserWarning):
        told(f"note: {without_python(str(message))}")


def _close_output() -> None:
    """Redirect a closed standard output to the null device, so that the interpreter does not fail at exit."""
    with suppress(OSError):  # it was closed before the start
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())

"""Messages of the library in the words of the command line: options in place of parameters of Python."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["in_options", "without_python"]

_PARAMETER = re.compile(r"The '(\w+)' parameter of [\w.]+ must be (.*)\. Got (.*) instead\.", re.DOTALL)
_IN_PYTHON = re.compile(r" In Python: [^\n]*")
_OTHER_NAMES = {"n_components": "features", "random_state": "seed", "rng": "seed"}
_REMEDIES = {  # words of the library: the parameter that a command must have, words of the command line
    "bochner.set_config(memory=...)": ("memory", "--memory"),
    "or KernelHuberRegressor if": ("loss", "or --loss huber if"),
    "Lower n_components": ("features", "Lower -D"),
    "bochner.save writes such files": ("as_json", "`bochner fit` writes them, and a model is named before a table"),
}


def without_python(message: str) -> str:
    """The message without its last sentence, which says what to do in Python."""
    return _IN_PYTHON.sub("", message)


def in_options(message: str, arguments: Sequence[str]) -> str:
    """The message of an error, with the options that the command of these arguments has."""
    message = without_python(message)
    if not any(word in message for word in (" parameter of ", *_REMEDIES)):
        return message
    known = _options_of(arguments)
    for remedy, (name, option) in _REMEDIES.items():
        message = message.replace(remedy, option) if name in known else message
    found = _PARAMETER.search(message)
    written = "" if found is None else known.get(_OTHER_NAMES.get(found[1], found[1]), "")
    if found is None or not written:
        return message
    rule = found[2].removesuffix(" or None")
    return f"{message[: found.start()]}{written} must be {rule}. Got {found[3]}.{message[found.end() :]}"


def _options_of(arguments: Sequence[str]) -> dict[str, str]:
    """Options of the command of these arguments as they are written, by the names of their parameters."""
    from bochner.cli.app import app

    command = app.commands.get(next((word for word in arguments if word in app.commands), ""))
    return {} if command is None else {str(each.name): _written(each.opts) for each in command.params}


def _written(names: Sequence[str]) -> str:
    """An option as it is shown: -D, --memory; an argument in capitals: NAME."""
    return names[0] if names[0].startswith("-") else names[0].upper()

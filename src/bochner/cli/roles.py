"""Roles of columns: options of a command that give a column two that contradict each other are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bochner._typing import JsonDict

__all__ = ["require_one_role"]

_OPTIONS = {"identifier": "--id", "split_column": "--split-column"}
_NO_TARGET = ("drop", "identifier", "weight", "split_column", "categorical")
_NO_INPUT = ("drop", "identifier", "weight", "split_column")


def require_one_role(given: JsonDict) -> None:
    """Refuse a target that is left out or is something else, and a category that is no input."""
    for name in _NO_TARGET:
        _require_apart(given, "target", name)
    for name in _NO_INPUT:
        _require_apart(given, name, "categorical")
    _require_apart(given, "weight", "split_column")


def _require_apart(given: JsonDict, one: str, other: str) -> None:
    both = [column for column in _columns(given, one) if column in _columns(given, other)]
    if both:
        hint = " For classes, give --task classification." if (one, other) == ("target", "categorical") else ""
        raise click.UsageError(
            f"{_option(one)} and {_option(other)} cannot both name column {both[0]!r}: it has one role.{hint}"
        )


def _columns(given: JsonDict, name: str) -> tuple[str, ...]:
    named = given.get(name)
    return () if named is None else (named,) if isinstance(named, str) else tuple(named)


def _option(name: str) -> str:
    return _OPTIONS.get(name, f"--{name}")

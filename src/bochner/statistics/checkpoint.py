"""Checkpoints for resuming a fit that was interrupted.

A checkpoint belongs to one fit. It knows the parameters that decide its content and checksums of its rows, and is
refused where either differs, or where its content breaks the schema of the fit (`state_schema`). It is written beside
and renamed (see `bochner._archive`), so that at any moment the file is a whole one, and so seldom that writing takes
about 1 % of the time.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bochner._archive import ForeignFileError, read_archive, write_archive
from bochner._typing import Array, FilePath, JsonDict
from bochner.errors import CheckpointError, CheckpointWarning, FileFormatError, MemoryBudgetError
from bochner.statistics.state_schema import NumberRule, Schema, StateSchema, split_state

__all__ = ["CheckpointFile"]

_KIND, _VERSION = "checkpoint", 1
_SHORTEST = 1.0  # seconds between two writes
_REST = 100  # times the length of the last write, at least


class CheckpointFile:
    """A file with the state of a fit, in one part or in named parts that are written together.

    Parameters
    ----------
    path : str or Path
    identity : dict of str to str
        What the fit is: a checkpoint with another identity is refused, and the first difference is named.

    Attributes
    ----------
    notes : dict
        Choices of the fit that a resumed one must repeat, such as its seed; those of the file once it is loaded.
    """

    def __init__(self, path: FilePath, identity: Mapping[str, str]) -> None:
        self.path, self.identity = Path(path), dict(identity)
        self.notes: dict[str, Any] = {}
        self.seconds_writing = 0.0
        self._parts: dict[str, JsonDict] | None = None
        self._next = time.monotonic() + _SHORTEST  # a clock that nobody can set

    def load(self) -> tuple[dict[str, Any], dict[str, Array]] | None:
        """The state that was saved and its arrays; None if there is no file."""
        if not self.path.exists():
            return None
        header, arrays = self._read()
        self._require_identity(header["identity"])
        self.notes, self._parts = header["notes"], {}
        for name, value in (*header["state"].items(), *arrays.items()):
            part, _, own = name.rpartition(".")
            self._parts.setdefault(part, {})[own] = value
        return header["state"], arrays

    def part(self, name: str, schema: StateSchema) -> JsonDict | None:
        """The state of a part, as it was saved; None if there is none. One that breaks its schema is refused."""
        if self._parts is None:
            self.load()
        state = (self._parts or {}).get(name)
        if state is not None:
            self.require(schema.fault(state))
        return state

    def hold(self, state: JsonDict | None, part: str) -> None:
        """Take the state of a part, to be written with the next one that is saved; None: it is not needed any more."""
        self._parts = self._parts or {}
        self._parts.pop(part, None)
        if state is not None:
            self._parts[part] = state

    def save(self, state: Mapping[str, Any], arrays: Mapping[str, Array], part: str = "") -> None:
        """Replace the state of a part, and the file.

        A full disk costs the checkpoint, not the fit: the old file stays, with a warning.
        """
        self.hold({**state, **arrays}, part)
        start = time.monotonic()
        try:
            self._write()
        except OSError as error:
            warnings.warn(
                f"The checkpoint {str(self.path)!r} could not be written ({error}). The fit goes on, and what the file "
                "held before is still there.",
                CheckpointWarning,
                stacklevel=2,
            )
        end = time.monotonic()
        self.seconds_writing += end - start
        self._next = end + max(_SHORTEST, _REST * (end - start))

    @property
    def due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() >= self._next

    def require(self, fault: str | None) -> None:
        """An error if there is a fault in what the file holds."""
        if fault is not None:
            raise CheckpointError(
                f"The checkpoint {str(self.path)!r} was altered, or is of another version of bochner: {fault}. "
                "Delete it to start anew."
            )

    def _read(self) -> tuple[JsonDict, dict[str, Array]]:
        try:
            _, header, arrays = read_archive(self.path, kind=_KIND, version=_VERSION)
        except ForeignFileError as error:
            raise CheckpointError(f"{error} It is left as it is: give the checkpoint another path.") from error
        except (FileFormatError, MemoryBudgetError) as error:
            raise CheckpointError(f"{error} Delete it to start anew.") from error
        except OSError as error:
            raise CheckpointError(
                f"The checkpoint {str(self.path)!r} cannot be read ({error.strerror or error}). Give another path."
            ) from error
        self.require(_HEADER.fault(header))
        self.require(_NOTES.fault(header["notes"]))
        return header, arrays

    def _require_identity(self, then: Mapping[str, str]) -> None:
        names, shared = self.identity.keys() | then.keys(), self.identity.keys() & then.keys()
        # Causes before their consequences: parameters before checksums.
        for name in sorted(names, key=lambda name: (name not in shared, name.startswith("checksum"), name)):
            if then.get(name) != self.identity.get(name):
                raise CheckpointError(
                    f"The checkpoint {str(self.path)!r} belongs to another fit: {name} was {then.get(name)}, and is "
                    f"{self.identity.get(name)} now. Delete it, or give another path."
                )

    def _write(self) -> None:
        whole = {
            f"{part}.{name}" if part else name: value
            for part, state in (self._parts or {}).items()
            for name, value in state.items()
        }
        state, arrays = split_state(whole)
        header = {"identity": self.identity, "notes": self.notes, "state": state}
        write_archive(self.path, kind=_KIND, version=_VERSION, header=header, arrays=arrays)


class _Texts:
    """Rule of a dict of texts."""

    def fault(self, value: object) -> str | None:
        texts = type(value) is dict and all(type(text) is str for text in value.values())
        return None if texts else "is not a table of texts"


class _Table:
    """Rule of a dict; what it may hold is for another schema."""

    def fault(self, value: object) -> str | None:
        return None if type(value) is dict else "is not a table"


_HEADER = Schema({"identity": _Texts(), "notes": _Table(), "state": _Table()})
_NOTES = Schema({}, {"seed": NumberRule(0, 2**32 - 1, integer=True)})

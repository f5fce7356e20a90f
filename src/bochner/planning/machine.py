"""Calibration file: the constants of this machine, measured once and kept in the user's cache folder.

The folder is that of the environment variable BOCHNER_CACHE, else XDG_CACHE_HOME/bochner, else ~/.cache/bochner;
BOCHNER_CACHE=off keeps nothing. A file is named by a digest of what its numbers depend on: processor, cores, threads,
versions of NumPy, BLAS, numba and bochner, float type. A file that cannot be read or written, or that is damaged, is
ignored, and the machine is measured again; so it is when the file is removed.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from math import isfinite
from pathlib import Path

from threadpoolctl import threadpool_info

from bochner._files import replacing
from bochner._versions import installed
from bochner.config import get_config

__all__ = ["cache_folder", "keep", "kept", "machine"]

_LARGEST_FILE = 65_536


def cache_folder() -> Path | None:
    """Folder of the calibration files; None: nothing is kept."""
    given = os.environ.get("BOCHNER_CACHE", "")
    if given.lower() == "off":
        return None
    try:
        if given:
            return Path(given).expanduser()
        shared = os.environ.get("XDG_CACHE_HOME", "")
        return (Path(shared) if shared else Path.home() / ".cache") / "bochner"
    except RuntimeError:  # no home folder
        return None


def machine(dtype_name: str) -> dict[str, str]:
    """What measured times depend on."""
    blas = {f"{each['internal_api']} {each['version']}" for each in threadpool_info() if each["user_api"] == "blas"}
    versions = installed()
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "threads": str(get_config().threads()),
        "blas": ", ".join(sorted(blas)),
        **{name: versions[name] for name in ("bochner", "numpy", "scipy", "numba") if name in versions},
        "float type": dtype_name,
    }


def kept(setting: Mapping[str, str], names: frozenset[str]) -> dict[str, float] | None:
    """The constants of these names that a file has for a setting: finite and not negative; None if there is no such."""
    path = _path(setting)
    if path is None:
        return None
    with suppress(OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):  # absent or damaged
        with path.open("rb") as file:
            found = json.loads(file.read(_LARGEST_FILE))
        constants = {name: float(value) for name, value in found["constants"].items()}
        usable = all(isfinite(value) and value >= 0 for value in constants.values())
        if found["machine"] == dict(setting) and constants.keys() == names and usable:
            return constants
    return None


def keep(setting: Mapping[str, str], constants: Mapping[str, float]) -> None:
    """Write the constants of a setting; a folder that cannot be written is left alone."""
    path = _path(setting)
    if path is None:
        return
    with suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(json.dumps({"machine": dict(setting), "constants": dict(constants)}, indent=1).encode())


def _path(setting: Mapping[str, str]) -> Path | None:
    folder = cache_folder()
    digest = sha256(json.dumps(dict(setting), sort_keys=True).encode()).hexdigest()[:16]
    return None if folder is None else folder / f"machine-{digest}.json"


def _processor() -> str:
    """Model of the processor: Linux keeps it in a file, others tell it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()

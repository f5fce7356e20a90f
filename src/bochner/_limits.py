"""Memory that this process may still take: limits of the process, of its control groups, and of the machine.

    room = min( machine:   MemAvailable
                groups:    limit - (usage - inactive file cache), of the group and of all above it (cgroup v1 and v2)
                process:   RLIMIT_AS - address space in use,   RLIMIT_DATA - data in use )

A limit that cannot be read is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

__all__ = ["addresses_are_limited", "available_memory"]

_UNKNOWN_MACHINE = 4 * 10**9
_UNLIMITED = 2**62  # version 1 writes "no limit" as the largest multiple of a page
_THREAD_ADDRESSES = 72 * 2**20  # of one thread: the heap that malloc reserves for it, and its stack
_GROUPS = {  # where the controllers are mounted, and the names of limits, usage and cache
    "": (("sys/fs/cgroup", "sys/fs/cgroup/unified"), ("memory.max", "memory.high"), "memory.current", "inactive_file"),
    "memory": (("sys/fs/cgroup/memory",), ("memory.limit_in_bytes",), "memory.usage_in_bytes", "total_inactive_file"),
}


def available_memory(root: Path = Path("/")) -> int:
    """Bytes that this process can still take without swapping or being killed; `root` is where /proc and /sys are."""
    return max(0, min([_machine(root), *_groups(root), *_process(root)]))


def addresses_are_limited() -> bool:
    """Whether the process was started with a limit of its address space or data (ulimit -v, -d)."""
    try:
        import resource
    except ImportError:  # Windows
        return False
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in kinds)


def _machine(root: Path) -> int:
    """Bytes that the machine can give, with what others use taken off."""
    known = _table(root / "proc/meminfo").get("MemAvailable")
    if known is not None:
        return 1024 * known
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # neither Linux nor a Unix that tells
        return _UNKNOWN_MACHINE


def _groups(root: Path) -> Iterator[int]:
    """Room in the control groups of this process and in all above them, for either version of the interface."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        for name in set(controllers.split(",")) & _GROUPS.keys():
            mounts, limits, usage, cache = _GROUPS[name]
            for folder in _lineage(root, mounts, path):
                bounds = [bound for bound in (_number(folder / limit) for limit in limits) if bound is not None]
                if bounds and min(bounds) < _UNLIMITED:
                    taken = (_number(folder / usage) or 0) - _table(folder / "memory.stat").get(cache, 0)
                    yield min(bounds) - max(0, taken)


def _lineage(root: Path, mounts: tuple[str, ...], path: str) -> Iterator[Path]:
    """Folders of a group and of those above it; in a container the path may be the host's, and the mount the group."""
    group = PurePosixPath(path.lstrip("/"))
    for mount in mounts:
        yield from (root / mount / each for each in (group, *group.parents))


def _process(root: Path) -> Iterator[int]:
    """Room below the limits that the process was started with (ulimit)."""
    try:
        import resource
    except ImportError:  # Windows
        return
    threads = _THREAD_ADDRESSES * (os.cpu_count() or 1)
    for limit, field, reserved in ((resource.RLIMIT_AS, "VmSize", threads), (resource.RLIMIT_DATA, "VmData", 0)):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            room = most - 1024 * _table(root / "proc/self/status").get(field, 0)
            yield max(room // 2, room - reserved)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # no such file, or not for us to read
        return ""


def _number(path: Path) -> int | None:
    """The number in a file; None if there is none ("max")."""
    text = _text(path).strip()
    return int(text) if text.isdigit() else None


def _table(path: Path) -> dict[str, int]:
    """Lines such as "MemAvailable: 123 kB" or "inactive_file 123"."""
    cells = (line.replace(":", " ").split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in cells if len(row) > 1 and row[1].isdigit()}

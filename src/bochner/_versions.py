"""Installed versions of Python, bochner and its dependencies, for bug reports."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["installed", "show_versions"]

_PACKAGES = ("bochner", "numpy", "scipy", "scikit-learn", "numba", "pandas", "polars", "pyarrow", "rich", "matplotlib")


def installed() -> dict[str, str]:
    """Versions of Python, bochner and the packages it can use; those that are not installed are left out."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def show_versions() -> None:
    """Print the versions of Python, bochner and the packages it can use."""
    found = installed()
    print(f"python {found['python']}, {platform.platform()}")
    for package in _PACKAGES:
        print(f"{package} {found.get(package, 'not installed')}")

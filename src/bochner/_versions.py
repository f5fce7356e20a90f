"""What is installed, for bug reports."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["show_versions"]

_PACKAGES = ("bochner", "numpy", "scipy", "scikit-learn", "numba", "pandas", "polars", "pyarrow", "rich", "matplotlib")


def show_versions() -> None:
    """Print the versions of Python, bochner and the packages it can use."""
    print(f"python {platform.python_version()}, {platform.platform()}")
    for package in _PACKAGES:
        try:
            print(f"{package} {version(package)}")
        except PackageNotFoundError:
            print(f"{package} not installed")

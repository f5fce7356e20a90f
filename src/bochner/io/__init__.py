"""Models as files: a safe format of our own, ONNX, and what other formats need to know."""

from typing import Any

from bochner.io.model_file import load, save
from bochner.io.onnx import register_skl2onnx, to_onnx

__all__ = ["TRUSTED_TYPES", "load", "register_skl2onnx", "save", "to_onnx"]


def __getattr__(name: str) -> Any:
    if name == "TRUSTED_TYPES":
        from bochner.io.types import trusted_types

        return trusted_types()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Saving and loading models: bochner's own safe format, ONNX export, and the types that skops has to trust."""

from bochner.io.model_file import load, save
from bochner.io.onnx import register_skl2onnx, to_onnx

__all__ = ["TRUSTED_TYPES", "load", "register_skl2onnx", "save", "to_onnx"]


def __getattr__(name: str) -> list[str]:
    if name == "TRUSTED_TYPES":
        from bochner.io.types import trusted_types

        return trusted_types()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

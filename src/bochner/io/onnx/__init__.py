"""ONNX export."""

from bochner.io.onnx.export import to_onnx
from bochner.io.onnx.pipelines import register_skl2onnx

__all__ = ["register_skl2onnx", "to_onnx"]

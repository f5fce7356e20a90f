"""Before a fit: bandwidths, width, memory, time."""

from bochner.planning.bandwidth import median_length_scale
from bochner.planning.memory import MemoryBill, format_bytes, require_memory
from bochner.planning.width import default_width

__all__ = ["MemoryBill", "default_width", "format_bytes", "median_length_scale", "require_memory"]

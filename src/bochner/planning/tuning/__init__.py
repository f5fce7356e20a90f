"""Bandwidths learned from data."""

from bochner.planning.tuning.search import Stage, Tuning, candidate_kernels, tune
from bochner.planning.tuning.surface import Surface, evidence, gcv

__all__ = ["Stage", "Surface", "Tuning", "candidate_kernels", "evidence", "gcv", "tune"]

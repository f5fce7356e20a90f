"""Bandwidths learned from data."""

from bochner.planning.tuning.search import TUNING_ROWS, Stage, Tuning, candidate_kernels, tune
from bochner.planning.tuning.surface import Surface, evidence, gcv

__all__ = ["TUNING_ROWS", "Stage", "Surface", "Tuning", "candidate_kernels", "evidence", "gcv", "tune"]

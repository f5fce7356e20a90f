"""Bandwidths learned from data."""

from bochner.planning.tuning.choice import COMPARED_ROWS
from bochner.planning.tuning.classifier import FEWEST_ROWS, tune_classifier
from bochner.planning.tuning.exact import KernelSurface
from bochner.planning.tuning.held_out import HeldOutLoss
from bochner.planning.tuning.labelled import LabelledRows
from bochner.planning.tuning.result import Stage, Tuning
from bochner.planning.tuning.search import TUNING_ROWS, candidate_kernels, tune
from bochner.planning.tuning.surface import Surface, evidence, gcv

__all__ = [
    "COMPARED_ROWS",
    "FEWEST_ROWS",
    "TUNING_ROWS",
    "HeldOutLoss",
    "KernelSurface",
    "LabelledRows",
    "Stage",
    "Surface",
    "Tuning",
    "candidate_kernels",
    "evidence",
    "gcv",
    "tune",
    "tune_classifier",
]

"""Kernels and length scales learned from rows: median heuristic, evidence, held-out loss."""

from bochner.tuning.automatic import search_bytes, tune_automatically
from bochner.tuning.choice import COMPARED_ROWS
from bochner.tuning.classifier import FEWEST_ROWS, is_clear_gain, tune_classifier
from bochner.tuning.descent import tuning_seed
from bochner.tuning.feature_evidence import FeatureEvidence, evidence, gcv
from bochner.tuning.grid_evidence import GridChoice, best_penalty, searched_modes, tune_on_grid, windows
from bochner.tuning.held_out_loss import HeldOutLoss
from bochner.tuning.kernel_evidence import KernelEvidence
from bochner.tuning.labelled import LabelledRows
from bochner.tuning.learners import ClassifierScales, RidgeScales, ScaleLearner, spread_of
from bochner.tuning.median import MEDIAN_ROWS, median_length_scale
from bochner.tuning.outliers import outlier_limits
from bochner.tuning.resolver import ScaleRule
from bochner.tuning.result import Stage, Tuning
from bochner.tuning.sample import Targets
from bochner.tuning.search import TUNING_ROWS, candidate_kernels, tune
from bochner.tuning.spread import column_spreads, row_blocks

__all__ = [
    "COMPARED_ROWS",
    "FEWEST_ROWS",
    "MEDIAN_ROWS",
    "TUNING_ROWS",
    "ClassifierScales",
    "FeatureEvidence",
    "GridChoice",
    "HeldOutLoss",
    "KernelEvidence",
    "LabelledRows",
    "RidgeScales",
    "ScaleLearner",
    "ScaleRule",
    "Stage",
    "Targets",
    "Tuning",
    "best_penalty",
    "candidate_kernels",
    "column_spreads",
    "evidence",
    "gcv",
    "is_clear_gain",
    "median_length_scale",
    "outlier_limits",
    "row_blocks",
    "spread_of",
    "tune",
    "tune_automatically",
    "tune_classifier",
    "search_bytes",
    "searched_modes",
    "tune_on_grid",
    "tuning_seed",
    "windows",
]

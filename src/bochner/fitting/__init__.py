"""Fits as values: rows and settings in, a fitted model out. Nothing here knows scikit-learn's estimators."""

from bochner.fitting.checkpoints import FitCheckpoint
from bochner.fitting.classifier import (
    ClassifierSettings,
    FittedClassifier,
    Labels,
    add_labelled_rows,
    fit_classifier,
)
from bochner.fitting.deviations import DeviationPower
from bochner.fitting.far import missing_variance, variance_far_out
from bochner.fitting.features import ROWS_FOR_FEATURES, ChosenFeatures, DrawnFeatures, FeatureSettings, MapMaker
from bochner.fitting.grid import fills_its_box
from bochner.fitting.importance import ColumnImportance
from bochner.fitting.intervals import ConformalScores, calibration_split, normal_half_widths
from bochner.fitting.noise import NoiseFunction
from bochner.fitting.novelty import FittedNovelty, fit_novelty, squared_norms
from bochner.fitting.products import left_out_rows
from bochner.fitting.regression import FittedRegression, Observed, RegressionSettings, fit_regression
from bochner.fitting.reservoir import RowReservoir
from bochner.fitting.ridge import RidgeSettings, add_rows, fit_ridge, require_moments
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.watch import Pass, Silent, Watch
from bochner.fitting.width_rule import WIDTHS, WidthCurve, WidthSearch

__all__ = [
    "ROWS_FOR_FEATURES",
    "WIDTHS",
    "ChosenFeatures",
    "ClassifierSettings",
    "ColumnImportance",
    "ConformalScores",
    "DeviationPower",
    "DrawnFeatures",
    "FeatureSettings",
    "FitCheckpoint",
    "FittedClassifier",
    "FittedNovelty",
    "FittedRegression",
    "FittedRidge",
    "Labels",
    "MapMaker",
    "NoiseFunction",
    "Observed",
    "Pass",
    "RegressionSettings",
    "RidgeSettings",
    "RowReservoir",
    "Silent",
    "Watch",
    "WidthCurve",
    "WidthSearch",
    "add_labelled_rows",
    "add_rows",
    "calibration_split",
    "fills_its_box",
    "fit_classifier",
    "fit_novelty",
    "fit_regression",
    "fit_ridge",
    "left_out_rows",
    "normal_half_widths",
    "missing_variance",
    "require_moments",
    "squared_norms",
    "variance_far_out",
]

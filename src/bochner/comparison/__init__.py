"""Comparing distributions: mean maps, the maximum mean discrepancy, and tests with valid p-values in linear time."""

from bochner.comparison.conditional import ci_test
from bochner.comparison.discrepancy import MMD, mmd
from bochner.comparison.embedding import MeanMap, mean_map
from bochner.comparison.independence import hsic_test
from bochner.comparison.kernel_features import KernelFeatures, default_components
from bochner.comparison.result import ConditionalTestResult, KernelTestResult
from bochner.comparison.two_sample import mmd_test

__all__ = [
    "MMD",
    "ConditionalTestResult",
    "KernelFeatures",
    "KernelTestResult",
    "MeanMap",
    "ci_test",
    "default_components",
    "hsic_test",
    "mean_map",
    "mmd",
    "mmd_test",
]

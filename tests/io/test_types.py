"""The fixed table of types: its names are a file format."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from bochner.io.types import name_of, trusted_types, types_by_name

# Names of the table of version 0.1.0 that models have inside; a class that moves or is renamed keeps its name here.
NAMES_OF_0_1_0 = [
    "comparison.ConformalEvidence",
    "estimators.DistributionClassifier",
    "estimators.DistributionRegressor",
    "estimators.DriftDetector",
    "estimators.FourierFeatures",
    "estimators.KernelClassifier",
    "estimators.KernelPCA",
    "estimators.KernelRegressor",
    "estimators.NystroemFeatures",
    "estimators.OrbitFeatures",
    "estimators.PreImages",
    "estimators.ScoreMap",
    "estimators.SplineFeatures",
    "features.FourierMap",
    "features.FourierRecipe",
    "features.KernelMap",
    "features.NystroemMap",
    "features.OrbitFourierMap",
    "features.OrbitMap",
    "features.SplineMap",
    "features.TransformerMap",
    "groups.FromMatrices",
    "groups.ImageRotations",
    "groups.Product",
    "groups.Transforms",
    "groups._Composed",
    "io.MomentsSummary",
    "io.PackedMoments",
    "io.PenaltySummary",
    "io.SeededMap",
    "io.SpreadSummary",
    "kernels.Cauchy",
    "kernels.Gaussian",
    "kernels.Laplacian",
    "kernels.Matern",
    "kernels.Product",
    "kernels.RationalQuadratic",
    "kernels.Scaled",
    "kernels.Spline",
    "kernels.Sum",
    "planning.Stage",
    "planning.Tuning",
    "sampling.Leverage",
    "sampling.MonteCarlo",
    "sampling.Orthogonal",
    "sampling.PilotRecord",
    "sampling.Quadrature",
    "sampling.QuasiMonteCarlo",
    "sklearn.ColumnTransformer",
    "sklearn.OneHotEncoder",
    "sklearn.Pipeline",
    "sklearn.StandardScaler",
    "solvers.LinearSolution",
    "solvers.LowRankSpread",
    "solvers.QuadraticPenalty",
    "solvers.RidgeSolution",
    "statistics.Moments",
]


def test_names_of_earlier_versions_are_known():
    assert set(NAMES_OF_0_1_0) <= types_by_name().keys()


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "files").glob("*.bochner")), ids=lambda p: p.name)
def test_names_in_files_of_earlier_versions_are_known(path):
    with zipfile.ZipFile(path) as archive:
        model = json.dumps(json.loads(archive.read("header.json"))["header"]["model"])
    names = set(re.findall(r'"(?:object": |enum": \[)"([^"]+)"', model))
    assert names
    assert names <= types_by_name().keys()


def test_a_type_has_one_name():
    table = types_by_name()
    for name, type_ in table.items():
        assert table[name_of(type_)] is type_
        assert ":" not in name


def test_trusted_types_are_those_of_the_table():
    ours = {f"{each.__module__}.{each.__qualname__}" for each in types_by_name().values()}
    assert set(trusted_types()) - ours == {"numpy.dtype", "scipy.sparse._csr.csr_array"}
    assert not any(name.startswith("sklearn.") for name in trusted_types())

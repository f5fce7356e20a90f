"""One setting for every tail bound, so that the laws they share are tested once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bochner.kernels import Gaussian, Laplacian, Matern
from bochner.theory import (
    TailBound,
    downstream,
    expectation,
    finite_set,
    line,
    mean_square,
    orbit,
    orthogonal,
    pointwise,
    sketch,
    uniform,
)

POINTS = np.random.default_rng(0).standard_normal((12, 3))
GAUSSIAN = Gaussian(length_scale=1.5)

PAIRED: dict[str, Callable[[], TailBound]] = {
    "Hoeffding": lambda: pointwise.Hoeffding(kernel=Laplacian()),
    "SubGaussian": lambda: pointwise.SubGaussian(kernel=GAUSSIAN),
    "ChernoffKL": lambda: pointwise.ChernoffKL(kernel=GAUSSIAN, difference=[0.7, 0.2]),
    "Bernstein": lambda: pointwise.Bernstein(kernel=Matern(nu=1.5), difference=[0.7, 0.2]),
    "Cramer": lambda: pointwise.Cramer(kernel=Laplacian(), difference=[0.7, 0.2]),
    "SubGaussianMixture": lambda: pointwise.SubGaussian(kernel=Laplacian() + Matern(nu=1.5)),
    "UnionHoeffding": lambda: finite_set.UnionHoeffding(kernel=Laplacian(), n_points=50),
    "UnionSubGaussian": lambda: finite_set.UnionSubGaussian(kernel=GAUSSIAN, n_points=50, n_test=7),
    "DataAwareCramer": lambda: finite_set.DataAware(kernel=GAUSSIAN, X=POINTS),
    "DataAwareBernstein": lambda: finite_set.DataAware(kernel=Laplacian(), X=POINTS, method="bernstein"),
    "AnchoredCover": lambda: uniform.AnchoredCover(kernel=GAUSSIAN, n_features=2, diameter=3.0),
    "AnchoredCoverBernstein": lambda: uniform.AnchoredCover(
        kernel=GAUSSIAN, n_features=2, diameter=3.0, tail="bernstein"
    ),
    "Prop1": lambda: uniform.SutherlandSchneiderProp1(kernel=Matern(nu=2.5), n_features=3, diameter=3.0),
    "RahimiRecht": lambda: uniform.RahimiRecht(kernel=GAUSSIAN, n_features=3, diameter=3.0),
    "LineSupremum": lambda: line.LineSupremum(kernel=GAUSSIAN, n_features=1, diameter=3.0),
    "LineSupremumMatern": lambda: line.LineSupremum(kernel=Matern(nu=2.5), n_features=1, diameter=3.0),
    "SriperumbudurSzabo": lambda: uniform.SriperumbudurSzabo(kernel=GAUSSIAN, n_features=3, diameter=3.0),
    "Concentration": lambda: expectation.Concentration(kernel=GAUSSIAN, mean=0.1),
    "McDiarmid": lambda: expectation.McDiarmid(kernel=Laplacian()),
    "SquaredNorm": lambda: mean_square.SquaredNormMcDiarmid(kernel=GAUSSIAN, mass=2.0),
    "HilbertNorm": lambda: mean_square.HilbertNorm(kernel=GAUSSIAN, bracket=0.6),
    "MeanMapKernel": lambda: downstream.MeanMapKernel(kernel=GAUSSIAN),
    "MMDSquared": lambda: downstream.MMDSquared(kernel=Laplacian()),
    "HSIC": lambda: downstream.HSIC(kernel=GAUSSIAN),
    "SampledOrbitHoeffding": lambda: orbit.SampledOrbitHoeffding(kernel=GAUSSIAN, n_points=20, n_transforms=10**8),
    "FullOrbitHoeffding": lambda: orbit.FullOrbitHoeffding(kernel=GAUSSIAN, n_points=20),
    "BlockHoeffding": lambda: orthogonal.BlockHoeffding(kernel=GAUSSIAN, n_features=5),
    "OrthogonalBlocks": lambda: orthogonal.OrthogonalBlocks(kernel=GAUSSIAN, difference=[0.7, 0.2, 0.1]),
    "OrthogonalPoints": lambda: orthogonal.OrthogonalPoints(
        kernel=Matern(nu=2.5), n_points=20, n_features=4, diameter=1.5
    ),
}

PHASE: dict[str, Callable[[], TailBound]] = {
    "Hoeffding": lambda: pointwise.Hoeffding(kernel=Laplacian(), embedding="phase"),
    "SubGaussian": lambda: pointwise.SubGaussian(kernel=GAUSSIAN, embedding="phase"),
    "Bernstein": lambda: pointwise.Bernstein(kernel=GAUSSIAN, difference=[0.7, 0.2], embedding="phase"),
    "Cramer": lambda: pointwise.Cramer(kernel=GAUSSIAN, difference=[0.7, 0.2], embedding="phase"),
    "UnionHoeffding": lambda: finite_set.UnionHoeffding(kernel=Laplacian(), n_points=50, embedding="phase"),
    "UnionSubGaussianMixture": lambda: finite_set.UnionSubGaussian(
        kernel=Matern(nu=0.5), n_points=50, embedding="phase"
    ),
    "MeanMapKernel": lambda: downstream.MeanMapKernel(kernel=Matern(nu=1.5), embedding="phase"),
    "FullOrbitHoeffding": lambda: orbit.FullOrbitHoeffding(kernel=Laplacian(), n_points=20, embedding="phase"),
    "DataAware": lambda: finite_set.DataAware(kernel=Laplacian(), X=POINTS, X_test=POINTS + 1, embedding="phase"),
    "AnchoredCover": lambda: uniform.AnchoredCover(kernel=GAUSSIAN, n_features=2, diameter=3.0, embedding="phase"),
    "Prop2": lambda: uniform.SutherlandSchneiderProp2(kernel=GAUSSIAN, n_features=2, diameter=3.0),
    "Concentration": lambda: expectation.Concentration(kernel=GAUSSIAN, mean=0.1, embedding="phase"),
    "HilbertNorm": lambda: mean_square.HilbertNorm(kernel=GAUSSIAN, bracket=0.8, embedding="phase"),
    "MMDSquared": lambda: downstream.MMDSquared(kernel=GAUSSIAN, embedding="phase"),
    "SampledOrbit": lambda: orbit.SampledOrbit(kernel=GAUSSIAN, n_features=2, diameter=2.0, n_transforms=10**8),
    "BlockHoeffding": lambda: orthogonal.BlockHoeffding(kernel=GAUSSIAN, n_features=5, embedding="phase"),
    "OrthogonalPoints": lambda: orthogonal.OrthogonalPoints(
        kernel=GAUSSIAN, n_points=20, n_features=4, diameter=1.0, embedding="phase"
    ),
    "JohnsonLindenstrauss": lambda: sketch.JohnsonLindenstrauss(),
    "JohnsonLindenstraussPoints": lambda: sketch.JohnsonLindenstrauss(n_points=50),
}

ALL: dict[str, Callable[[], TailBound]] = {
    **{f"{name}-paired": build for name, build in PAIRED.items()},
    **{f"{name}-phase": build for name, build in PHASE.items()},
}

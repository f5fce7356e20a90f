"""Grids of frequencies: the bound contains the error of the kernel, for every kernel that has a density."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo
from bochner.errors import AssumptionError, InvalidDataError
from bochner.features import GridMap, transform
from bochner.sampling import choose_grid

KERNELS = {
    "Gaussian": bo.Gaussian(0.3),
    "Gaussian, two scales": bo.Gaussian(np.array([0.2, 0.5])),
    "Matern 1/3": bo.Matern(0.4, nu=1 / 3),
    "Matern 1/2": bo.Matern(0.4, nu=0.5),
    "Matern 3/2": bo.Matern(0.4, nu=1.5),
    "Matern 2.2": bo.Matern(0.4, nu=2.2),
    "Laplacian": bo.Laplacian(0.4),
    "Cauchy": bo.Cauchy(0.2),
    "RationalQuadratic": bo.RationalQuadratic(0.2, alpha=3.0),
    "sum and multiple": 2.0 * bo.Gaussian(0.2) + bo.Matern(0.5, nu=2.5),
}
MOST = 6_000


def kernel_error(kernel, grid, width, seed=0):
    """The largest error over differences in the box: random ones, near 0 and at its ends."""
    rng, d = np.random.default_rng(seed), len(width)
    delta = np.vstack([rng.uniform(-1, 1, (60, d)) * width, np.eye(d) * width, np.full((1, d), 1e-3) * width, [width]])
    delta = np.vstack([delta, np.zeros((1, d))])
    rows = np.vstack([grid.centre + delta / 2, grid.centre - delta / 2])
    Z = transform(GridMap(kernel, grid), rows, np.dtype(float))
    return np.max(np.abs(np.einsum("ij,ij->i", Z[: len(delta)], Z[len(delta) :]) - kernel.at(delta)))


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("name", KERNELS)
def test_the_bound_contains_the_error_of_the_kernel_at_every_tolerance(name, d):
    kernel = KERNELS[name]
    if kernel.get_params(deep=False).get("length_scale") is not None and np.ndim(kernel.length_scale) and d == 1:
        kernel = bo.Gaussian(0.2)
    low, high, density = np.zeros(d), np.linspace(1.0, 1.5, d), kernel.spectral_density(d)
    for eps in (1e-1, 1e-4, 1e-10):
        grid = choose_grid(density, low, high, eps=eps, most=MOST)
        bound = grid.error(density, high - low).total
        error = kernel_error(kernel, grid, high - low)
        assert error <= bound
        assert bound <= eps * kernel.variance or grid.n_modes > MOST / 3  # or rough, and as good as the budget
        assert bound <= 20 * error + 1e-11  # and no more than it must be


@settings(max_examples=8, deadline=None)
@given(
    scale=st.floats(0.1, 3.0),
    nu=st.floats(0.4, 4.0),
    exponent=st.integers(1, 6),
    offset=st.floats(-1e3, 1e3),
    stretch=st.floats(0.5, 3.0),
)
def test_the_bound_holds_for_any_scale_and_box(scale, nu, exponent, offset, stretch):
    kernel, low = bo.Matern(scale, nu=nu), np.array([offset])
    density = kernel.spectral_density(1)
    grid = choose_grid(density, low, low + stretch, eps=10.0**-exponent, most=MOST)
    assert kernel_error(kernel, grid, np.array([stretch])) <= grid.error(density, np.array([stretch])).total


FAMILIES = {
    "Gaussian": lambda scale, shape: bo.Gaussian(scale),
    "Matern": lambda scale, shape: bo.Matern(scale, nu=shape),
    "Laplacian": lambda scale, shape: bo.Laplacian(scale),
    "Cauchy": lambda scale, shape: bo.Cauchy(scale),
    "RationalQuadratic": lambda scale, shape: bo.RationalQuadratic(scale, alpha=1.1 + shape),
    "sum": lambda scale, shape: bo.Gaussian(scale) + bo.Matern(2 * scale, nu=shape),
    "multiple": lambda scale, shape: 7.0 * bo.Matern(scale, nu=shape),
}


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=6, deadline=None)
@given(
    scale=st.floats(0.1, 3.0),
    shape=st.floats(0.4, 4.0),
    exponent=st.integers(3, 10),
    d=st.integers(1, 2),
    stretch=st.floats(0.5, 2.0),
)
def test_the_bound_contains_the_error_on_a_fine_grid_of_differences(family, scale, shape, exponent, d, stretch):
    kernel, width = FAMILIES[family](scale, shape), np.linspace(1.0, stretch, d)
    density = kernel.spectral_density(d)
    grid = choose_grid(density, -width / 2, width / 2, eps=10.0**-exponent, most=MOST // 3)
    axes = [np.linspace(-w, w, 201 if d == 1 else 15) for w in width]
    delta = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, d)
    rows = np.vstack([grid.centre + delta / 2, grid.centre - delta / 2])
    Z = transform(GridMap(kernel, grid), rows, np.dtype(float))
    errors = np.einsum("ij,ij->i", Z[: len(delta)], Z[len(delta) :]) - kernel.at(delta)
    assert np.max(np.abs(errors)) <= grid.error(density, width).total


def test_three_axes_have_a_bound_too():
    kernel, width = bo.Matern(0.8, nu=2.5), np.array([1.0, 0.5, 2.0])
    density = kernel.spectral_density(3)
    grid = choose_grid(density, -width, np.zeros(3), eps=1e-2, most=MOST)
    assert kernel_error(kernel, grid, width) <= grid.error(density, width).total <= 1e-2


def test_a_density_integrates_to_the_kernel_at_zero():
    omega = np.linspace(-400, 400, 400_001)[:, None]
    for kernel in (bo.Gaussian(0.5), bo.Matern(0.5, nu=2.5), bo.Cauchy(0.5), bo.RationalQuadratic(0.5, alpha=2.0)):
        total = np.sum(kernel.spectral_density(1).at(omega)) * (omega[1, 0] - omega[0, 0])
        assert total == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (bo.PowerExponential(1.0), "not known in closed form"),
        (bo.RationalQuadratic(1.0, alpha=1.0), "decays too slowly"),
        (bo.Gaussian(1.0) * bo.Matern(1.0), "not known in closed form"),
    ],
)
def test_kernels_without_a_density_are_refused_with_the_reason(kernel, reason):
    with pytest.raises(AssumptionError, match=reason):
        kernel.spectral_density(2)


def test_four_columns_and_boxes_of_millions_of_length_scales_are_refused():
    density = bo.Gaussian(1.0).spectral_density(4)
    with pytest.raises(AssumptionError, match="at most 3 columns"):
        choose_grid(density, np.zeros(4), np.ones(4), eps=1e-2, most=100)
    with pytest.raises(InvalidDataError, match="length scales wide"):
        choose_grid(bo.Gaussian(1.0).spectral_density(2), np.zeros(2), np.full(2, 1e9), eps=1e-2, most=10_000)


def test_a_box_without_width_has_a_grid():
    density = bo.Gaussian(1.0).spectral_density(2)
    grid = choose_grid(density, np.ones(2), np.ones(2), eps=1e-6, most=10_000)
    assert grid.error(density, np.zeros(2)).total <= 1e-6

"""Products of the exact kernel matrix are right to within the rounding that they state, for any kernel and any rows."""

import tracemalloc

import numpy as np
import pytest

import bochner as bo
from bochner import groups
from bochner.errors import AssumptionError
from bochner.kernels import Metric
from bochner.statistics import kernel_product
from bochner.statistics._tile_loops import add_tile_products
from bochner.statistics.kernel_product import ExactKernel, KernelProduct
from tests.strategies import rows

KERNELS = [
    bo.Gaussian(1.3),
    bo.Gaussian([0.5, 2.0, 4.0]),
    bo.Matern(1.0, nu=0.5),
    bo.Matern(2.0, nu=2.5),
    bo.Laplacian(1.5),
    2.5 * bo.Cauchy(0.7),
    bo.Gaussian() + bo.Matern(nu=1.5),
    bo.Gaussian() * bo.RationalQuadratic(),
]


def long_matrix(kernel, X, Y):
    """The kernel matrix from differences in extended precision: the reference for rounding."""
    difference = X.astype(np.longdouble)[:, None] - Y.astype(np.longdouble)[None]
    return kernel.at(difference.astype(float))


def small_tiles(monkeypatch):
    """Tiles so small that 90 rows need many, and the last ones are not full."""
    monkeypatch.setattr(kernel_product, "_ROWS", 8)
    monkeypatch.setattr(kernel_product, "_COLUMNS", 16)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_a_product_is_that_of_the_matrix_to_its_stated_rounding(kernel, offset, monkeypatch):
    small_tiles(monkeypatch)
    X, V, new = rows(0, 90, 3) + offset, rows(1, 90, 4) * [1, 1e3, 1e-3, 0], rows(2, 20, 3) + offset
    product = KernelProduct(kernel, X)
    for found, exact, bound in (
        (product.times(V), long_matrix(kernel, X, X) @ V, product.rounding(V)),
        (product.cross_times(new, V), long_matrix(kernel, new, X) @ V, product.rounding(V, new)),
    ):
        assert np.all(np.abs(found - exact) <= bound + 1e-13 * np.abs(V).sum(axis=0))
        assert np.all(bound <= 1e-6 * np.abs(V).sum(axis=0))
    assert product.n_products == 1
    np.testing.assert_allclose(product.matrix(), long_matrix(kernel, X, X), atol=product.value_rounding() + 1e-13)


def test_rows_far_apart_are_not_left_to_cancellation():
    X = np.vstack([rows(0, 40, 2), 1e8 + rows(1, 40, 2)])  # inner products would lose all digits of small distances
    product = KernelProduct(bo.Gaussian(), X)
    np.testing.assert_allclose(product.matrix(), bo.Gaussian()(X), atol=1e-7)
    assert product.value_rounding() < 1e-6


@pytest.mark.parametrize("group", [groups.SignFlips(), groups.CyclicShifts()])
def test_orbit_kernels_are_averaged_over_both_sides(group):
    X, V, kernel = rows(0, 30, 3), rows(1, 30, 2), bo.Gaussian(1.5)
    features = bo.OrbitFeatures(group, bo.FourierFeatures(kernel, n_components=8, random_state=0)).fit(X)
    moved = features.transforms_
    exact = sum(a * b * kernel(x, y) for a, x in moved.of(X) for b, y in moved.of(X))
    product = features.exact_kernel().of(X)
    assert np.all(np.abs(product.times(V) - exact @ V) <= product.rounding(V) + 1e-12)
    np.testing.assert_allclose(product.diagonal(), np.diagonal(exact))


def test_a_product_has_the_same_bits_every_time():
    X, V = rows(0, 3000, 3), rows(1, 3000, 1)
    product = ExactKernel(bo.Gaussian()).of(X)
    assert all(np.array_equal(product.times(V), product.times(V)) for _ in range(3))


def test_a_kernel_without_a_lipschitz_constant_is_refused():
    with pytest.raises(AssumptionError, match="not Lipschitz"):
        KernelProduct(bo.Matern(nu=0.3), rows(0, 10, 2))
    with pytest.raises(AssumptionError, match=r"Metric\(directions=a matrix, kernel=.*\) is so steep"):
        KernelProduct(Metric(bo.Matern(nu=0.3), np.eye(20) / 3), rows(0, 10, 20))


@pytest.mark.parametrize(
    "kernel", [*KERNELS, bo.Matern(1.0, nu=0.7), 0.5 * bo.Matern([1.0, 2.0, 3.0], nu=1.5)], ids=repr
)
@pytest.mark.parametrize(("precision", "error"), [(np.float32, 3e-6), (np.float64, 1e-13)])
def test_tiles_without_bounds_are_right_to_their_float_type(kernel, precision, error, monkeypatch):
    small_tiles(monkeypatch)
    X, V, new = rows(0, 90, 3) + 100, rows(1, 90, 4) * [1, 1e3, 1e-3, 0], rows(2, 21, 3) + 100
    product = KernelProduct(kernel, X, precision=np.dtype(precision))
    size = kernel.variance * np.abs(V).sum(axis=0)
    assert np.all(np.abs(product.times(V) - kernel(X) @ V) <= error * size)
    assert np.all(np.abs(product.cross_times(new, V) - kernel(new, X) @ V) <= error * size)
    assert product.times(V).dtype == np.float64


def test_sums_in_extended_precision_are_those_of_exact_arithmetic_within_their_bound():
    X, V = rows(0, 700, 3), rows(1, 700, 2) * 1e6
    product = KernelProduct(bo.Gaussian(1.0), X)
    precise, bound = product.precise_times(V)
    wide = X.astype(np.longdouble)
    K = np.exp(-np.sum((wide[:, None] - wide[None]) ** 2, axis=2) / 2)
    assert np.all(np.abs(precise - (K @ V.astype(np.longdouble)).astype(float)) <= bound)
    np.testing.assert_allclose(precise, product.times(V), atol=float(product.rounding(V).max()))
    assert product.n_products == 2
    if np.finfo(np.longdouble).eps < 1e-18:
        assert np.all(bound < 0.5 * product.rounding(V))


def test_the_diagonal_of_a_rough_kernel_is_exact_in_float32():
    X = 30 * rows(0, 700, 4)  # squared norms of thousands: float32 distances of a row from itself are 0.01 and more
    kernel = bo.Matern(1.0, nu=0.5)
    V = np.eye(700)[:, [3, 600]]
    found = KernelProduct(kernel, X, precision=np.dtype(np.float32)).times(V)
    assert found[3, 0] == found[600, 1] == 1


def test_symmetric_products_of_float32_tiles_are_symmetric():
    X = rows(0, 1300, 3)
    product = KernelProduct(bo.Gaussian(), X, precision=np.dtype(np.float32))
    V = np.eye(1300)[:, [0, 300, 511, 512, 1299]]
    K = product.times(V)[[0, 300, 511, 512, 1299]]
    np.testing.assert_allclose(K, K.T, atol=1e-7)


@pytest.mark.parametrize("shape", [(8, 40), (7, 33), (3, 5)])
@pytest.mark.parametrize("mirrored", [True, False])
def test_tiles_of_any_height_are_multiplied_on_both_sides(shape, mirrored):
    (r, m), tile, V, found = shape, rows(0, *shape), rows(1, 3, 100), rows(2, 3, 100)
    expected = found.copy()
    expected[:, 10 : 10 + r] += V[:, 50 : 50 + m] @ tile.T
    if mirrored:
        expected[:, 50 : 50 + m] += V[:, 10 : 10 + r] @ tile
    add_tile_products(tile, V, 10, 50, mirrored, found)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("n_columns", [1, 3, 12])
@pytest.mark.parametrize("room", [1, 40 * 8 * 16 * 4, 10**9])
@pytest.mark.parametrize("kernel", [bo.Matern(1.0, nu=1.5), bo.Laplacian(2.0)], ids=repr)
def test_tiles_that_are_kept_change_no_bit(kernel, n_columns, room, monkeypatch):
    small_tiles(monkeypatch)
    X, V = rows(0, 90, 3), rows(1, 90, n_columns)
    fresh, kept = (KernelProduct(kernel, X, precision=np.dtype(float), room=size) for size in (0, room))
    expected = fresh.times(V)
    assert all(np.array_equal(kept.times(V), expected) for _ in range(3))
    np.testing.assert_allclose(expected, kernel(X) @ V, atol=1e-12)


def test_kept_tiles_are_not_computed_again(monkeypatch):
    small_tiles(monkeypatch)
    product = KernelProduct(bo.Gaussian(), rows(0, 90, 3), precision=np.dtype(float), room=10**9)
    first = product.times(rows(1, 90, 1))
    monkeypatch.setattr(type(product._values), "tile", None)
    assert np.array_equal(product.times(rows(1, 90, 1)), first)


def test_tiles_take_no_more_than_their_room():
    n = 1300
    assert kernel_product.symmetric_tile_bytes(n) == 12 * 256 * 512 * 4
    product = KernelProduct(bo.Gaussian(), rows(0, n, 2), precision=np.dtype(np.float32), room=5 * 256 * 512 * 4 + 1)
    tracemalloc.start()
    product.times(rows(1, n, 1))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 5 * 256 * 512 * 4 <= kept < 6 * 256 * 512 * 4

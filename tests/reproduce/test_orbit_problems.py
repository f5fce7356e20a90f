"""Data sets with a symmetry: those that are made, and the parts of those that are read."""

import numpy as np

from bochner.reproduce.orbit_problems import NoisySort, _coulomb, signals


def test_signals_are_shifted_waveforms_in_noise():
    problem = signals(30, 20, seed=0)
    assert problem.X.shape == (30, 64)
    assert problem.X_test.shape == (20, 64)
    assert problem.group.order(64) == 64
    np.testing.assert_array_equal(problem.X, signals(30, 20, seed=0).X)
    # One part signal, two parts noise.
    assert abs(np.mean(signals(2000, 1, seed=1).X ** 2) - 3) < 0.1


def test_sorting_does_not_see_the_order_of_atoms():
    rng = np.random.default_rng(0)
    C = rng.standard_normal((5, 4, 4))
    C = C + np.swapaxes(C, 1, 2)
    order = rng.permutation(4)
    sort = NoisySort(rng.standard_normal(4))
    shuffled = C[:, order][:, :, order]
    np.testing.assert_allclose(sort(shuffled.reshape(5, -1)), sort(C.reshape(5, -1)))
    plain = NoisySort(np.zeros(4))(C.reshape(5, -1)).reshape(5, 4, 4)
    assert np.all(np.diff(np.linalg.norm(plain, axis=2), axis=1) <= 1e-12)


def test_coulomb_matrices_are_the_formula():
    Z, R = np.array([[6.0, 1.0, 0.0]]), np.array([[[0.0, 0, 0], [0, 0, 2.0], [0, 0, 0]]])
    expected = [[0.5 * 6**2.4, 3.0, 0.0], [3.0, 0.5, 0.0], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(_coulomb(Z, R)[0], expected)

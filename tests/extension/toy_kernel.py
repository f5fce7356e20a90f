"""A kernel of one's own: the mean of two Gaussian kernels of distance, by its profile."""

import numpy as np

from bochner.kernels import Isotropic
from bochner.kernels.measure import SpectralMeasure


class TwoScales(Isotropic):
    """k(r) = exp(-r^2 / 2) / 2 + exp(-r^2 / 8) / 2: omega is normal with scale 1 or 1/2, each half of the time."""

    def __init__(self, length_scale=1.0):
        self.length_scale = length_scale

    def profile(self, r):
        return (np.exp(-(r**2) / 2) + np.exp(-(r**2) / 8)) / 2

    def steepest_slope(self):
        r = np.linspace(0, 10, 100_001)
        return float(np.max(r * np.exp(-(r**2) / 2) / 2 + r * np.exp(-(r**2) / 8) / 8)) * (1 + 1e-6)

    def spectral_measure(self, d):
        return _TwoNormals(self.scales(d))

    def second_moments(self, d):
        return np.broadcast_to((1 + 1 / 4) / 2 / np.square(self.scales(d)), (d,)).copy()


class _TwoNormals(SpectralMeasure):
    n_vectors, n_uniforms = 1, 1

    def __init__(self, scale):
        self.scale = scale

    def frequencies(self, normals, uniforms):
        return normals[:, 0] * np.where(uniforms < 0.5, 1.0, 0.5) / self.scale

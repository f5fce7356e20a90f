"""A structured sampler of one's own: frequencies as products of Hadamard matrices and signs, never a matrix."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import hadamard
from scipy.sparse import issparse

from bochner.sampling import Frequencies, Projection, Sampler


@dataclass(frozen=True)
class SignedHadamard(Projection):
    """x -> r_i (H D_1 H D_2 H D_3 x)_i in blocks of d, with random signs D_1, D_2, D_3 and lengths r of the measure."""

    signs: np.ndarray
    lengths: np.ndarray

    @property
    def n_frequencies(self):
        return len(self.lengths)

    @property
    def n_features(self):
        return self.signs.shape[2]

    def project(self, X, out):
        rows = np.asarray(X.toarray() if issparse(X) else X, dtype=out.dtype)
        d = self.n_features
        H = (hadamard(d) / np.sqrt(d)).astype(out.dtype)
        blocks = []
        for three in self.signs:
            block = rows
            for signs in three:
                block = (block * signs.astype(out.dtype)) @ H
            blocks.append(block)
        out[...] = np.hstack(blocks)[:, : self.n_frequencies] * self.lengths.astype(out.dtype)
        return out

    def matrix(self):
        out = np.empty((self.n_features, self.n_frequencies))
        return self.project(np.eye(self.n_features), out).T.copy()

    def first(self, m):
        return SignedHadamard(self.signs, self.lengths[:m])

    def n_bytes(self, dtype):
        return self.signs.nbytes + self.lengths.nbytes


class Structured(Sampler):
    """One Hadamard product a block; the number of columns is a power of 2."""

    independent = False
    nested = False

    def points(self, m, d, n_vectors, n_uniforms, seed):
        rng = np.random.default_rng(seed)
        return rng.standard_normal((m, n_vectors, d)), rng.random((m, n_uniforms))

    def draw(self, measure, n_frequencies, n_features, seed, pilot=None):
        rng = np.random.default_rng(seed)
        dense = measure.frequencies(
            *self.points(n_frequencies, n_features, measure.n_vectors, measure.n_uniforms, seed)
        )
        signs = rng.choice([-1.0, 1.0], size=(-(-n_frequencies // n_features), 3, n_features))
        return Frequencies(SignedHadamard(signs, np.linalg.norm(dense, axis=1)))

"""Features of random linear units as scikit-learn transformers: ReLUs, signs and binary codes, linear sketches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bochner._threads import run_in_threads
from bochner._typing import Array, Constraints, Rows
from bochner.errors import AssumptionError, InvalidDataError, invalid_parameter
from bochner.estimators.certification import COMPUTED_ROWS, tightest_first
from bochner.estimators.kernel_features import WIDTH_CONSTRAINTS, KernelFeatures
from bochner.estimators.map_transformer import CertificateContext
from bochner.features import ArcCosineMap, FeatureMap, SignMap, SketchMap, draw_code_map, draw_units
from bochner.features.maclaurin import squared_norms
from bochner.kernels import Angular, ArcCosine, BinaryCode, Kernel, Linear, Stationary
from bochner.theory import Certificate
from bochner.theory.sketch import JohnsonLindenstrauss

__all__ = ["ArcCosineFeatures", "SignFeatures", "SketchFeatures"]

_WITHOUT_ROUNDING = "features are computed without rounding errors"


class ArcCosineFeatures(KernelFeatures):
    """Random ReLU features: E z(x).z(y) is the arc-cosine kernel of Cho & Saul (2009).

        z_i(x) = sqrt(2 / D) relu(omega_i . x)^degree,        omega_i normal,        i = 1 ... D

    For degrees 1 and 2 they grow with the row: theorems for bounded features (Rudi & Rosasco 2017, kappa) hold only
    for rows of bounded norm and directions that are cut off, and are not claimed here.

    Parameters
    ----------
    kernel : ArcCosine, default=None
        None: `ArcCosine()`, of degree 1.
    n_components : int, default=1024
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : ArcCosine
    map_ : ArcCosineMap
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import ArcCosineFeatures
    >>> X = np.random.default_rng(0).standard_normal((5, 3))
    >>> features = ArcCosineFeatures(n_components=50_000, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(np.abs(Z @ Z.T - features.kernel_(X)).max() < 0.2)
    True
    """

    _parameter_constraints: Constraints = {"kernel": [ArcCosine, None], **WIDTH_CONSTRAINTS}

    _default = ArcCosine
    kernel_: ArcCosine

    def _draw(self, X: Rows) -> FeatureMap:
        self.kernel_.checked_degree()
        return ArcCosineMap(draw_units(X.shape[1], self.n_components, self.seed_), self.kernel_)


class SketchFeatures(KernelFeatures):
    """A linear sketch (Johnson & Lindenstrauss 1984): random projections that keep dot products.

        z(x) = (omega_1 . x, ..., omega_D . x) / sqrt(D),        omega_i normal,        E z(x).z(y) = x.y

    The degenerate case of random features: the kernel is linear, so it pays only where there are more columns than
    features. For one pair of rows, z(x).z(y) is off x.y by eps ||x|| ||y|| or more with probability
    2 exp(-D (eps - log(1 + eps)) / 2) at most (`theory.sketch.JohnsonLindenstrauss`); `certify` uses it.

    Parameters
    ----------
    kernel : Linear, default=None
    n_components : int, default=1024
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : Linear
    map_ : SketchMap
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import SketchFeatures
    >>> X = np.random.default_rng(0).standard_normal((5, 300))
    >>> Z = SketchFeatures(n_components=20_000, random_state=0).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T - X @ X.T).max() < 15)
    True
    """

    _parameter_constraints: Constraints = {"kernel": [Linear, None], **WIDTH_CONSTRAINTS}

    _default = Linear

    def _draw(self, X: Rows) -> FeatureMap:
        return SketchMap(draw_units(X.shape[1], self.n_components, self.seed_))

    def certify_kernel(self, X: Rows, delta: float, context: CertificateContext) -> Certificate:
        """The largest error over all pairs of rows: computed up to 4,000 rows, and bounded before looking."""
        found = [super().certify_kernel(X, delta, context)] if X.shape[0] <= COMPUTED_ROWS else []
        if context.independent:
            largest = float(np.max(squared_norms(X, np.ones(X.shape[1])), initial=0.0))
            relative = self._johnson_lindenstrauss(X.shape[0], delta, context)
            claim = f"the largest error of a dot product over all pairs of these {X.shape[0]:,} rows is {{value}} "
            found.append(replace(relative, value=relative.value * largest, claim=claim + "in exact arithmetic"))
        if not found:
            raise AssumptionError(
                f"No certificate: the features were seen by tuning, and {X.shape[0]:,} rows are too many to compute "
                f"errors of all pairs. Certify {COMPUTED_ROWS:,} rows."
            )
        return tightest_first(found, [])

    def certify_rows_of_fit(self, n_rows: int, delta: float, context: CertificateContext) -> Certificate:
        if not context.independent:
            raise AssumptionError("Without X there is no certificate: the features were seen by tuning. Give rows.")
        relative = self._johnson_lindenstrauss(n_rows, delta, context)
        claim = f"|z(x).z(y) - x.y| over ||x|| ||y|| for all pairs of the {n_rows:,} training rows is {{value}} "
        return replace(relative, claim=claim + "in exact arithmetic")

    def _johnson_lindenstrauss(self, n_rows: int, delta: float, context: CertificateContext) -> Certificate:
        """The bound on |z(x).z(y) - x.y| / (||x|| ||y||), for all widths that were tried."""
        bound = JohnsonLindenstrauss(n_points=n_rows)
        found = bound.certificate(self.map_.n_components, delta / context.n_widths).of_a_choice(context.n_widths)
        return replace(found, over="the draw of the directions", assumptions=(*found.assumptions, _WITHOUT_ROUNDING))


class SignFeatures(KernelFeatures):
    """One-bit features: signs of random projections, or binary codes of a stationary kernel.

        kernel=None or Angular():    z_i(x) = sign(omega_i . x) / sqrt(D),                   omega_i normal
        a stationary kernel:         z_i(x) = sign(cos(omega_i . x + b_i) + t_i) / sqrt(D)   (Raginsky & Lazebnik 2009)

    E z(x).z(y) is the angular kernel 1 - 2 theta / pi, or `BinaryCode(kernel)`, a falling function of what the kernel
    falls with. `codes` packs the signs to bits, D / 8 bytes a row: the Hamming distance h of two codes estimates the
    kernel, k = 1 - 2 h / D, and `nearest` searches by it. All features have the size 1 / sqrt(D): kappa = 1 in the
    theorems of Rudi & Rosasco (2017).

    Parameters
    ----------
    kernel : Stationary or Angular, default=None
    n_components : int, default=1024
        Number of bits D.
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : Angular or BinaryCode
    map_ : SignMap or BinaryCodeMap
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Charikar (2002), Similarity estimation techniques from rounding algorithms. Raginsky & Lazebnik (2009),
    Locality-sensitive binary codes from shift-invariant kernels.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import SignFeatures
    >>> X = np.random.default_rng(0).standard_normal((5, 3))
    >>> features = SignFeatures(n_components=4096, random_state=0).fit(X)
    >>> codes = features.codes(X)
    >>> codes.shape
    (5, 64)
    >>> estimates = 1 - 2 * features.distances(codes, codes) / 4096
    >>> bool(np.abs(estimates - features.kernel_(X)).max() < 0.1)
    True
    """

    _parameter_constraints: Constraints = {"kernel": [Stationary, Angular, None], **WIDTH_CONSTRAINTS}

    _default = Angular

    def _draw(self, X: Rows) -> FeatureMap:
        if type(self.kernel_) is Angular:
            return SignMap(draw_units(X.shape[1], self.n_components, self.seed_))
        kernel: Any = self.kernel_
        self.kernel_: Kernel = BinaryCode(kernel)
        return draw_code_map(kernel, n_features=X.shape[1], n_components=self.n_components, seed=self.seed_)

    def codes(self, X: Any) -> Array:
        """The signs of the features as bits: an array (n_samples, n_words) of uint64, the last word padded with 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        """
        bits = np.packbits(self.transform(X) > 0, axis=1)
        padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
        padded[:, : bits.shape[1]] = bits
        return padded.view(np.uint64)

    @staticmethod
    def distances(first: Array, second: Array) -> Array:
        """Number of bits in which two sets of `codes` differ.

        Parameters
        ----------
        first, second : arrays of uint64 of shapes (n, w) and (m, w)

        Returns
        -------
        distances : array of int32 of shape (n, m)
        """
        from bochner.features import _sketch_loops

        first, second = _checked_codes(first, second)
        distances = np.empty((len(first), len(second)), dtype=np.int32)
        _sketch_loops.differing_bits(first, second, distances)
        return distances

    @staticmethod
    def nearest(queries: Array, codes: Array, n_neighbors: int = 10) -> tuple[Array, Array]:
        """The codes that differ from each query in the fewest bits, the nearest first; of equal ones the first.

        Parameters
        ----------
        queries, codes : arrays of uint64 of shapes (q, w) and (n, w)
        n_neighbors : int, default=10
            At most n.

        Returns
        -------
        indices, distances : arrays of int64 and int32 of shape (q, n_neighbors)
        """
        from bochner.features import _sketch_loops

        queries, codes = _checked_codes(queries, codes)
        if not 1 <= n_neighbors <= len(codes):
            raise invalid_parameter("nearest", "n_neighbors", f"from 1 to the {len(codes)} codes", n_neighbors)
        shape = (len(queries), int(n_neighbors))
        indices, distances = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int32)

        def search(start: int, room: tuple[Array, Array]) -> None:
            part = slice(start, start + _QUERIES)
            _sketch_loops.nearest_codes(queries[part], codes, *room, indices[part], distances[part])

        run_in_threads(
            search, range(0, len(queries), _QUERIES),
            state=lambda: (np.empty(len(codes), dtype=np.int32), np.empty(64 * codes.shape[1] + 1, dtype=np.int64)),
        )  # fmt: skip
        return indices, distances


_QUERIES = 16
"""Queries that one thread searches at a time."""


def _checked_codes(first: Array, second: Array) -> tuple[Array, Array]:
    """Two sets of codes of one width, contiguous."""
    a, b = np.ascontiguousarray(first), np.ascontiguousarray(second)
    if any(each.dtype != np.uint64 or each.ndim != 2 for each in (a, b)) or a.shape[1] != b.shape[1]:
        shapes = " and ".join(f"{each.dtype} {each.shape}" for each in (a, b))
        raise InvalidDataError(f"Codes must be two arrays of uint64 with as many columns. Got {shapes}.")
    return a, b

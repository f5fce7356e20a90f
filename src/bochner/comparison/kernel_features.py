"""Random Fourier features of a kernel, or those of a transformer, for mean embeddings and tests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from numbers import Real
from typing import Self, TypeGuard

import numpy as np

from bochner._typing import Array, MatrixLike, Rows, Transformer
from bochner.comparison.samples import check_rows
from bochner.errors import invalid_parameter
from bochner.features import FeatureMap, FourierMap, draw_fourier_map, linear_response, map_of
from bochner.features.fourier import Embedding
from bochner.kernels import Stationary
from bochner.sampling import Sampler, resolve_sampler
from bochner.theory import Certificate
from bochner.theory.base import check_delta
from bochner.theory.downstream import MMDSquared

__all__ = [
    "KernelFeatures",
    "SampleFeatures",
    "TransformerFeatures",
    "check_even_width",
    "check_width",
    "default_components",
    "feature_witness",
]


class SampleFeatures(ABC):
    """Abstract base of feature maps for comparing samples."""

    @property
    @abstractmethod
    def feature_map(self) -> FeatureMap: ...

    @property
    @abstractmethod
    def variance(self) -> float:
        """k(0), the unit of a squared MMD."""

    @property
    @abstractmethod
    def diagonal(self) -> float | None:
        """z(x).z(x), if it is the same for every x."""

    @abstractmethod
    def certify_mmd(
        self, sizes: tuple[int, int], estimator: str, delta: float, n_kernels: int = 1
    ) -> Certificate | None:
        """The bound on the error of the squared MMD, at once for `n_kernels` kernels of one k(0), if there is one."""

    @property
    def n_components(self) -> int:
        return self.feature_map.n_components


@dataclass(frozen=True)
class KernelFeatures(SampleFeatures):
    """Random Fourier features of a kernel on R^d.

    Attributes
    ----------
    kernel : Stationary
    fourier : FourierMap
    embedding : {"paired", "phase"}
    independent : bool
        Whether the frequencies are independent draws, as every bound on the error assumes.
    """

    kernel: Stationary
    fourier: FourierMap
    embedding: Embedding
    independent: bool

    @classmethod
    def draw(
        cls,
        kernel: Stationary,
        n_features: int,
        n_components: int | str,
        *,
        embedding: str,
        sampling: str | Sampler,
        seed: int,
        owner: str = "mmd",
    ) -> Self:
        """Draw the frequencies. `owner` has the parameters, for messages."""
        width, kind = check_width(owner, n_components, embedding)
        sampler = resolve_sampler(sampling)
        fourier = draw_fourier_map(
            kernel,
            sampler,
            n_features=n_features,
            n_components=width,
            embedding=kind,
            seed=seed,
        )
        return cls(kernel, fourier, kind, sampler.independent)

    @property
    def feature_map(self) -> FeatureMap:
        return self.fourier

    @property
    def n_features(self) -> int:
        """Columns of the rows."""
        return self.fourier.n_features

    @property
    def variance(self) -> float:
        return self.kernel.variance

    @property
    def diagonal(self) -> float | None:
        """k(0) for pairs of cosine and sine; with phases it varies."""
        return self.variance if self.embedding == "paired" else None

    def same_map(self, other: KernelFeatures) -> bool:
        """Whether both have the same frequencies, amplitudes and phases."""
        ours, theirs = self.fourier, other.fourier
        return all(np.array_equal(getattr(ours, n), getattr(theirs, n)) for n in ("omega", "amplitude", "phase"))

    def certify_mmd(
        self, sizes: tuple[int, int], estimator: str, delta: float, n_kernels: int = 1
    ) -> Certificate | None:
        if not self.independent:
            return None
        bound = MMDSquared(
            kernel=self.kernel,
            embedding=self.embedding,
            unbiased_sizes=sizes if estimator == "unbiased" else None,
        )
        certificate = bound.certificate(self.n_components, check_delta(delta) / n_kernels)
        if n_kernels == 1:
            return certificate
        claim = f"for each of the {n_kernels} kernels, {certificate.claim}"
        return replace(certificate.of_a_choice(n_kernels), delta=delta, claim=claim)


@dataclass(frozen=True)
class TransformerFeatures(SampleFeatures):
    """Features of a fitted scikit-learn transformer; nothing bounds how far they are from a kernel.

    Attributes
    ----------
    transformer : Transformer
    own_map : FeatureMap
    """

    transformer: Transformer
    own_map: FeatureMap

    @classmethod
    def of(cls, transformer: Transformer, X: Rows) -> Self:
        """Features of a fitted transformer, for rows such as X."""
        return cls(transformer, map_of(transformer, X))

    @property
    def feature_map(self) -> FeatureMap:
        return self.own_map

    @property
    def variance(self) -> float:
        return 1.0

    @property
    def diagonal(self) -> float | None:
        return None

    def certify_mmd(
        self, sizes: tuple[int, int], estimator: str, delta: float, n_kernels: int = 1
    ) -> Certificate | None:
        return None


def feature_witness(features: SampleFeatures, direction: Array, points: MatrixLike) -> Array:
    """z(t).direction at the points t."""
    rows = check_rows(points, "points", huge=True)
    return linear_response(features.feature_map, rows, direction[:, None], np.zeros(1), rows.dtype)[:, 0]


def default_components(n_rows: int) -> int:
    """512 + 8 sqrt(n) columns for n rows in all, rounded up to a multiple of 64.

    It must grow: with a fixed number of features there are alternatives that no sample size detects (Choi & Kim 2024,
    arXiv 2407.08976). The constant keeps the power of small samples at that of the exact kernel
    (docs/decisions/011-permuting-blocks.md).
    """
    return int(64 * np.ceil((512 + 8 * np.sqrt(n_rows)) / 64))


def check_width(owner: str, n_components: int | str, embedding: str) -> tuple[int, Embedding]:
    """Width and embedding as they are asked for, if there is such a map."""
    if embedding not in ("paired", "phase"):
        raise invalid_parameter(owner, "embedding", "'paired' or 'phase'", embedding)
    if not _is_integer(n_components) or n_components < 1:
        raise invalid_parameter(owner, "n_components", "an integer >= 1 or 'auto'", n_components)
    if embedding == "paired" and n_components % 2:
        raise invalid_parameter(owner, "n_components", "even for the paired embedding", n_components)
    return int(n_components), "paired" if embedding == "paired" else "phase"


def check_even_width(owner: str, name: str, value: int | str) -> int:
    """A width of pairs of waves, as it is asked for."""
    if not _is_integer(value) or value < 2 or value % 2:
        raise invalid_parameter(owner, name, "an even integer >= 2 or 'auto'", value)
    return int(value)


def _is_integer(value: object) -> TypeGuard[float]:
    return not isinstance(value, bool) and isinstance(value, Real) and float(value).is_integer()

"""Nested feature maps: narrower and wider maps of the same seed, and their moments, without a new pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bochner._typing import Array
from bochner.features import FourierMap, draw_fourier_map
from bochner.reporting.view import ModelView
from bochner.statistics import Moments

__all__ = ["narrower", "narrower_moments", "nested_widths", "wider", "why_not_nested"]

_HALVINGS = 6
_NARROWEST = 16


def why_not_nested(view: ModelView) -> str | None:
    """Why the map has no narrower versions, or None if it has."""
    if view.is_exact:
        return "the exact kernel machine uses every training row: only more rows can improve it"
    if view.fourier is None or view.sampler is None:
        return f"narrower models are known for Fourier features. This one has {type(view.features).__name__}"
    if view.sampler.uses_pilot:
        return f"{type(view.sampler).__name__} chooses its frequencies together: a part of them is not a map"
    return None


def nested_widths(width: int, *, doublings: int = 0) -> list[int]:
    """width / 2^j, down to 16 at least, and width * 2^j; even, ascending."""
    candidates = [width // 2**j for j in range(1, _HALVINGS + 1)]
    narrow = sorted({w - w % 2 for w in candidates if w >= _NARROWEST})
    return [*narrow, width, *(2 * max(1, width // 2) * 2**j for j in range(1, doublings + 1))]


def narrower(fourier: FourierMap, width: int) -> FourierMap:
    """The map of the first frequencies: those that a draw of this width with the same seed would have."""
    return fourier.narrowed(width)


def narrower_moments(moments: Moments, fourier: FourierMap, width: int) -> tuple[Moments, Array, float]:
    """Moments of the narrower map, its columns in the wide one, and their factor: no row is read again."""
    columns, scale = fourier.columns_of(width)
    return (
        replace(
            moments,
            z_mean=moments.z_mean[columns] * scale,
            zz=moments.zz[np.ix_(columns, columns)] * scale**2,  # columns ascend: the lower triangle stays below
            zy=moments.zy[columns] * scale,
        ),
        columns,
        scale,
    )


def wider(view: ModelView, width: int) -> FourierMap | None:
    """The map of this width that begins with the frequencies of the model; None if its sampler has none."""
    if view.sampler is None or not view.sampler.nested or view.kernel is None or view.fourier is None:
        return None
    drawn = draw_fourier_map(
        view.kernel,
        view.sampler,
        n_features=view.n_inputs,
        n_components=width,
        embedding=view.embedding,
        seed=int(view.features.seed_),
    )
    return drawn if drawn.begins_with(view.fourier) else None

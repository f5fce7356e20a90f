"""Witness display: where two samples differ, by the MMD witness function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import check_array

from bochner._axes import BLUE, GREY, ORANGE
from bochner._typing import Array, MatrixLike
from bochner.comparison import MMD, KernelTestResult, mmd
from bochner.errors import invalid_parameter
from bochner.reporting.displays.base import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["WitnessDisplay"]

_SHOWN_ROWS = 400


@dataclass(eq=False)
class WitnessDisplay(Display):
    """mean k(x_i, t) - mean k(y_j, t) along one or two columns: positive where the first sample has more rows.

    The other columns are held at their medians over both samples.

    Attributes
    ----------
    grid : tuple of arrays
        Values of the column, or of the two columns.
    values : array of shape (n,) or (n_second, n_first)
    names : tuple of str
    samples : (array, array)
        Some rows of both samples, in these columns.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import numpy as np
    >>> import bochner as bo
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(1, 1, (500, 1)), rng.normal(-1, 1, (500, 1))
    >>> display = bo.WitnessDisplay.from_samples(X, Y, rng=0)
    >>> bool(display.grid[0][display.values.argmax()] > 0)
    True
    """

    grid: tuple[Array, ...]
    values: Array
    names: tuple[str, ...]
    samples: tuple[Array, Array]

    @classmethod
    def from_samples(
        cls,
        X: MatrixLike,
        Y: MatrixLike,
        *,
        columns: int | tuple[int, int] | None = None,
        n_points: int = 80,
        ax: Axes | None = None,
        **mmd_: Any,
    ) -> Self:
        """Embed both samples and draw their witness.

        Parameters
        ----------
        X, Y : array-like of shapes (n, d) and (m, d)
        columns : int, or pair of ints, default=None
            None: the first two, or the only one.
        n_points : int, default=80
            Points of the grid in each direction.
        ax : matplotlib Axes, default=None
        **mmd_
            Parameters of `mmd`: kernel, length_scale, n_components, rng, ...

        Returns
        -------
        display : WitnessDisplay
        """
        return cls.from_result(mmd(X, Y, **mmd_), X, Y, columns=columns, n_points=n_points, ax=ax)

    @classmethod
    def from_result(
        cls,
        result: MMD | KernelTestResult,
        X: MatrixLike,
        Y: MatrixLike,
        *,
        columns: int | tuple[int, int] | None = None,
        n_points: int = 80,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the witness of a result of `mmd` or `mmd_test` on these samples.

        Parameters
        ----------
        result : MMD or KernelTestResult
        X, Y, columns, n_points, ax
            As in `from_samples`.

        Returns
        -------
        display : WitnessDisplay
        """
        known = getattr(X, "columns", None)
        first = check_array(X, dtype=np.float64, input_name="X")
        second = check_array(Y, dtype=np.float64, input_name="Y")
        chosen = _columns(columns, first.shape[1])
        pooled = np.vstack([first, second])
        low, high = np.quantile(pooled[:, chosen], [0.005, 0.995], axis=0)
        grid = tuple(np.linspace(*ends, n_points) for ends in zip(low, high))
        mesh = np.meshgrid(*grid)
        points = np.repeat(np.median(pooled, axis=0)[None], mesh[0].size, axis=0)
        for j, values in zip(chosen, mesh):
            points[:, j] = values.ravel()
        names = tuple(f"column {j}" if known is None else str(known[j]) for j in chosen)
        shown = tuple(rows[:: max(1, len(rows) // _SHOWN_ROWS)][:, chosen] for rows in (first, second))
        return cls(grid, result.witness(points).reshape(mesh[0].shape), names, shown).plot(ax)  # type: ignore[arg-type]

    def _draw(self, ax: Axes) -> None:
        (self._surface if len(self.grid) == 2 else self._curve)(ax)

    def _curve(self, ax: Axes) -> None:
        grid, values = self.grid[0], self.values.ravel()
        ax.axhline(0, color=GREY, lw=1)
        ax.plot(grid, values, color="black", lw=1.6, label="witness")
        ax.fill_between(grid, values, 0, where=values > 0, color=BLUE, alpha=0.3, label="more of the first sample")
        ax.fill_between(
            grid, values, 0, where=values < 0, color=ORANGE, alpha=0.3, hatch="//", label="more of the second"
        )
        ax.set(xlabel=self.names[0], ylabel="witness", xlim=(grid[0], grid[-1]))
        ax.legend(frameon=False)

    def _surface(self, ax: Axes) -> None:
        limit = float(np.max(np.abs(self.values))) or 1.0
        levels = np.linspace(-limit, limit, 13)
        drawn = ax.contourf(*self.grid, self.values, levels=levels, cmap="RdBu")
        ax.contour(*self.grid, self.values, levels=[0.0], colors="black", linewidths=0.8)
        for rows, marker, name in zip(self.samples, ("o", "x"), ("first sample", "second sample")):
            ax.scatter(rows[:, 0], rows[:, 1], s=9, marker=marker, color="0.15", alpha=0.5, lw=0.7, label=name)
        ax.set(
            xlabel=self.names[0],
            ylabel=self.names[1],
            xlim=(self.grid[0][0], self.grid[0][-1]),
            ylim=(self.grid[1][0], self.grid[1][-1]),
        )
        ax.figure.colorbar(drawn, ax=ax, label="positive where the first has more", format="%.2g")
        ax.legend(loc="upper left")


def _columns(columns: int | tuple[int, int] | None, d: int) -> list[int]:
    chosen = list(range(min(d, 2))) if columns is None else np.atleast_1d(columns).tolist()
    if not 1 <= len(chosen) <= 2 or len(set(chosen)) != len(chosen) or not all(j in range(d) for j in chosen):
        raise invalid_parameter("WitnessDisplay", "columns", f"one or two different columns of {d}", columns)
    return [int(j) for j in chosen]

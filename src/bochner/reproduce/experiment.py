"""What an experiment is: numbers measured in a setting, a figure drawn from them, and both written to a folder.

The figure is drawn from the numbers alone, so NAME.json holds everything that NAME.png shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bochner.errors import MissingExtraError, invalid_parameter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "Experiment", "Numbers", "legend_outside"]

Numbers: TypeAlias = dict[str, Any]

# Okabe & Ito: distinguishable with every common colour blindness, and in grey by lightness.
COLOURS = {
    "paired": "#0072B2",
    "phase": "#D55E00",
    "ours": "#009E73",
    "printed": "#CC79A7",
    "old": "#E69F00",
    "light": "#56B4E9",
    "truth": "#000000",
    "quiet": "#767676",
}

_STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.8,
}


@dataclass(frozen=True)
class Experiment:
    """One figure or table of a paper.

    Attributes
    ----------
    title : str
        What is shown, in one line.
    measure : callable
        Parameters of a setting -> plain numbers, ready for JSON. Deterministic: seeds are parameters.
    draw : callable
        (figure, numbers) -> None.
    quick, full : mapping
        Parameters for a look (seconds) and for the paper's own setting (minutes).
    size : (width, height) in inches
    needs_data : bool
        Reads files from the folder BOCHNER_DATA. Training times are then among the numbers, and are not repeatable.
    """

    title: str
    measure: Callable[..., Numbers]
    draw: Callable[[Figure, Numbers], None]
    quick: Mapping[str, Any]
    full: Mapping[str, Any]
    size: tuple[float, float] = (8.0, 4.0)
    needs_data: bool = False

    def parameters(self, setting: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of a setting, some of them changed."""
        if setting not in ("quick", "full"):
            raise invalid_parameter("run", "setting", "'quick' or 'full'", setting)
        base = self.quick if setting == "quick" else self.full
        unknown = sorted(set(changes) - set(base))
        if unknown:
            known = ", ".join(map(repr, sorted(base))) or "none"
            raise invalid_parameter("run", unknown[0], f"a parameter of this experiment ({known})", changes[unknown[0]])
        return {**base, **changes}

    def run(self, name: str, folder: Path, parameters: Mapping[str, Any]) -> Numbers:
        """Measure, write `name`.png and `name`.json to `folder`, and give back the numbers."""
        figure = _new_figure(self.size)
        numbers = self.measure(**parameters)
        folder.mkdir(parents=True, exist_ok=True)
        record = {"experiment": name, "title": self.title, "parameters": dict(parameters), "numbers": numbers}
        _replace(folder / f"{name}.json", lambda path: path.write_text(json.dumps(record, indent=2) + "\n"))
        self._save(figure, numbers, folder / f"{name}.png")
        return numbers

    def _save(self, figure: Figure, numbers: Numbers, path: Path) -> None:
        from matplotlib import rc_context

        with rc_context(_STYLE):
            self.draw(figure, numbers)
            _replace(path, lambda beside: figure.savefig(beside, dpi=160, format="png"))


def legend_outside(figure: Figure, *panels: Axes) -> None:
    """One legend for all panels, right of them."""
    entries = {
        label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(list(entries.values()), list(entries), loc="outside right upper")


def _new_figure(size: tuple[float, float]) -> Figure:
    """A figure that belongs to no window and to no global state."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    return Figure(figsize=size, layout="constrained")


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write beside, then rename: an interrupt leaves the old file or the new one."""
    beside = path.with_name(f".{path.name}.part")
    write(beside)
    beside.replace(path)

"""What an experiment is: numbers measured in a setting, a figure drawn from them, and both written to a folder.

The figure is drawn from the numbers alone, so NAME.json holds everything that NAME.png shows. A file NAME.json is

    schema        1; raised when one of these fields changes its meaning
    experiment    NAME
    title         what is shown, in one line
    setting       "quick" or "full": the setting whose parameters were used; "changed" if some were replaced
    parameters    of the measurement, its seed among them: the same parameters give the same numbers
    numbers       of the experiment; its module says what they are

Numbers are plain JSON: objects, lists, texts, booleans and finite numbers, without NaN or infinity.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bochner._archive import replacing
from bochner.errors import MissingExtraError, invalid_parameter
from bochner.reproduce.data_folder import missing_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "SCHEMA", "Experiment", "Numbers", "legend_outside", "plain"]

SCHEMA = 1

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
_DPI = 120


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
    data : tuple of str
        Files that it reads from the folder BOCHNER_DATA.
    """

    title: str
    measure: Callable[..., Numbers]
    draw: Callable[[Figure, Numbers], None]
    quick: Mapping[str, Any]
    full: Mapping[str, Any]
    size: tuple[float, float] = (8.0, 4.0)
    data: tuple[str, ...] = ()

    @property
    def needs_data(self) -> bool:
        """Whether it reads files that do not come with bochner."""
        return bool(self.data)

    def obstacle(self) -> str | None:
        """Why the experiment cannot run here, with the remedy; None if it can."""
        return missing_files(self.data)

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

    def setting_of(self, parameters: Mapping[str, Any]) -> str:
        """The name of the setting that has these parameters, or "changed"."""
        settings = {"quick": self.quick, "full": self.full}
        return next((name for name, own in settings.items() if dict(own) == dict(parameters)), "changed")

    def run(self, name: str, folder: Path, parameters: Mapping[str, Any]) -> Numbers:
        """Measure, write `name`.png and `name`.json to `folder`, and give back the numbers."""
        _require_matplotlib()
        numbers = self.measure(**parameters)
        record = {
            "schema": SCHEMA,
            "experiment": name,
            "title": self.title,
            "setting": self.setting_of(parameters),
            "parameters": dict(parameters),
            "numbers": numbers,
        }
        text = _json(record)
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / f"{name}.json") as file:
            file.write(text.encode())
        # Drawn from what was written, so that the figure shows nothing that the file does not have.
        self.save_figure(json.loads(text)["numbers"], folder / f"{name}.png")
        return numbers

    def save_figure(self, numbers: Numbers, path: Path) -> None:
        """Draw the numbers of a file to a PNG."""
        _require_matplotlib()
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        with rc_context(_STYLE), replacing(path) as file:
            figure = Figure(figsize=self.size, layout="constrained")  # belongs to no window and to no global state
            self.draw(figure, numbers)
            figure.savefig(file, dpi=_DPI, format="png")


def legend_outside(figure: Figure, *panels: Axes) -> None:
    """One legend for all panels, right of them."""
    entries = {
        label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(list(entries.values()), list(entries), loc="outside right upper")


def plain(value: Any) -> Any:
    """The value as JSON gives it back: tuples as lists."""
    return json.loads(json.dumps(value))


def _require_matplotlib() -> None:
    """Before hours of work, not after."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None


def _json(record: Mapping[str, Any]) -> str:
    """Indented, but every list of plain values on a line of its own: thousands of numbers stay readable."""
    text = json.dumps(record, indent=1, allow_nan=False)
    return re.sub(r"\[[^][{}\"]*\]", lambda found: " ".join(found[0].split()), text) + "\n"

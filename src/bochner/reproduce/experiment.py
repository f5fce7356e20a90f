"""Base class of experiments: numbers measured in a setting, a figure of them, and both written to a folder.

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

import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bochner._files import replacing
from bochner._typing import JsonDict
from bochner.errors import MissingExtraError, invalid_parameter
from bochner.reproduce.data_folder import missing_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image

__all__ = ["COLOURS", "SCHEMA", "Experiment", "Numbers", "Parameters", "legend_outside", "readable_logarithms"]

SCHEMA = 1

Numbers: TypeAlias = JsonDict
"""Plain numbers, texts, lists and dicts, ready for JSON."""

Parameters: TypeAlias = Mapping[str, object]
"""Of a measurement, by name."""

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

_STYLE = {
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
_DPI = 144
_DIGITS: tuple[tuple[float, tuple[float, ...]], ...] = (
    (0.7, (1, 1.5, 2, 3, 5, 7)), (1.7, (1, 2, 5)), (2.7, (1, 3)), (np.inf, (1,))
)  # fmt: skip


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
    quick: Parameters
    full: Parameters
    size: tuple[float, float] = (8.0, 4.0)
    data: tuple[str, ...] = ()

    @property
    def needs_data(self) -> bool:
        """Whether it reads files that do not come with bochner."""
        return bool(self.data)

    def obstacle(self) -> str | None:
        """Error message if the experiment cannot run here, with the remedy; None if it can."""
        return missing_files(self.data)

    def parameters(self, setting: str, changes: Parameters) -> dict[str, object]:
        """The parameters of a setting, some of them changed."""
        if setting not in ("quick", "full"):
            raise invalid_parameter("run", "setting", "'quick' or 'full'", setting)
        base = self.quick if setting == "quick" else self.full
        unknown = sorted(set(changes) - set(base))
        if unknown:
            known = ", ".join(map(repr, sorted(base))) or "none"
            raise invalid_parameter("run", unknown[0], f"a parameter of this experiment ({known})", changes[unknown[0]])
        return {**base, **changes}

    def setting_of(self, parameters: Parameters) -> str:
        """The name of the setting that has these parameters, or "changed"."""
        settings = {"quick": self.quick, "full": self.full}
        return next((name for name, own in settings.items() if dict(own) == dict(parameters)), "changed")

    def run(self, name: str, folder: Path, parameters: Parameters) -> Numbers:
        """Measure, write `name`.png and `name`.json to `folder`, and give back the numbers."""
        _require_matplotlib()
        numbers = self.measure(**parameters)
        self.write(name, folder, parameters, numbers)
        return numbers

    def write(self, name: str, folder: Path, parameters: Parameters, numbers: Numbers) -> None:
        """Write numbers and their figure as `name`.json and `name`.png."""
        record = {
            "schema": SCHEMA,
            "experiment": name,
            "title": self.title,
            "setting": self.setting_of(parameters),
            "parameters": dict(parameters),
            "numbers": numbers,
        }
        text = _json(record)
        with replacing(folder / f"{name}.json") as file:
            file.write(text.encode())
        # Drawn from what was written, so that the figure shows nothing that the file does not have.
        self.save_figure(json.loads(text)["numbers"], folder / f"{name}.png")

    def save_figure(self, numbers: Numbers, path: Path) -> None:
        """Draw the numbers of a file to a PNG."""
        _require_matplotlib()
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        figure = Figure(figsize=self.size, layout="constrained")  # belongs to no window and to no global state
        with rc_context(_STYLE):  # type: ignore[arg-type]
            self.draw(figure, numbers)
            image = _palette_image(figure)
        with replacing(path) as file:
            image.save(file, format="png", optimize=True)


def legend_outside(figure: Figure, *panels: Axes) -> None:
    """One legend for all panels, right of them."""
    entries = {
        label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(list(entries.values()), list(entries), loc="outside right upper")


def readable_logarithms(*panels: Axes) -> None:
    """Few round ticks on logarithmic axes, written out, whatever the range; call when all is drawn."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    for axis in (axis for axes in panels for axis in (axes.xaxis, axes.yaxis) if axis.get_scale() == "log"):
        low, high = sorted(axis.get_view_interval())
        axis.set_major_locator(FixedLocator([tick for tick in _ticks(low, high) if low <= tick <= high]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: _written(value)))
        axis.set_minor_locator(NullLocator())


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers of the decades that a range touches: the fewer to a decade, the more decades there are."""
    decades = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    span = np.log10(high / low)
    digits = next(digits for most, digits in _DIGITS if span < most)
    step = max(1, int(np.ceil(span / 7)))
    return [digit * 10.0**decade for decade in decades[::step] for digit in digits]


def _written(value: float) -> str:
    power = int(np.floor(np.log10(value) + 1e-9))
    if -4 <= power <= 4:
        return f"{value:,.6g}" if value < 1000 else f"{value:,.0f}"
    digit = round(value / 10.0**power)
    return (f"{digit}·" if digit != 1 else "") + f"$10^{{{power}}}$"


def _palette_image(figure: Figure) -> Image:
    """The drawn figure in 128 colours: a third of the bytes of full colour, and no difference to the eye."""
    from PIL.Image import open as open_image  # matplotlib depends on it

    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=_DPI, format="png")
    return open_image(buffer).convert("RGB").quantize(128)


def _require_matplotlib() -> None:
    """Before hours of work, not after."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None


def _json(record: Parameters) -> str:
    """Indented, but every list of plain values on a line of its own: thousands of numbers stay readable."""
    text = json.dumps(record, indent=1, allow_nan=False)
    return re.sub(r"\[[^][{}\"]*\]", lambda found: " ".join(found[0].split()), text) + "\n"

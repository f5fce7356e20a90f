"""Saving and loading models in one file without code: the same predictions bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, cast

import sklearn

from bochner._archive import read_archive, write_archive
from bochner._typing import Array, FilePath
from bochner.errors import FileFormatError, MemoryBudgetError, UnsupportedModelError, invalid_parameter
from bochner.features import FourierMap
from bochner.features.nystroem import NystroemMap
from bochner.fitting import FittedRidge
from bochner.io.checks import places, problem_of
from bochner.io.decoder import Decoder
from bochner.io.encoder import Encoder
from bochner.io.forms import Json
from bochner.io.frequencies import SeededMap, seeded
from bochner.io.landmarks import LandmarkMap, without_factor
from bochner.io.schema import schema_of
from bochner.io.statistics import MomentsSummary, PackedMoments, PenaltySummary, SpreadSummary
from bochner.io.types import name_of, types_by_name
from bochner.io.user_types import UserTypes, check_user_object, handed_over, require_types
from bochner.solvers import LandmarkSpread, LinearSolution, LowRankSpread, QuadraticPenalty
from bochner.statistics import Moments

__all__ = ["load", "save"]

_KIND = "model"
_STAND_INS = (SeededMap, LandmarkMap, PackedMoments)
_VERSION = 1


def save(model: object, path: FilePath, *, frequencies: str = "auto", statistics: bool = True) -> None:
    """Write a model to one file that `load` reads. It holds data only: loading it runs no code from it.

    Parameters
    ----------
    model : estimator, transformer, kernel, sampler or group
        Any of bochner's, fitted or not, or a scikit-learn `Pipeline`, `ColumnTransformer` or
        `TransformedTargetRegressor` of those and common preprocessing steps. Kernels, samplers, groups, transformers
        and other parts may be of classes of yours, scikit-learn estimators or dataclasses whose attributes are data:
        the file has the name of the class, "module:Class", and `load` wants the class itself. Functions are refused: a
        file without code cannot have them.
    path : str or Path
        An existing file is replaced at the end, or stays as it was if anything goes wrong.
    frequencies : {"auto", "stored"}, default="auto"
        "auto" leaves frequencies out where drawing them again from the seed gives the same bits, and the L^2 numbers
        that whiten kernel values against L landmarks where computing them again does. "stored" keeps them.
    statistics : bool, default=True
        Whether to keep the moments of the rows: D^2 / 2 numbers, most of the file. Without them the loaded model
        predicts and transforms, and refuses what needs them: error bars, certificates, `partial_fit`.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> import bochner as bo
    >>> X = np.random.default_rng(0).standard_normal((500, 3))
    >>> model = bo.KernelRegressor(n_components=64, length_scale=2.0, random_state=0).fit(X, X[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bo.save(model, pathlib.Path(folder) / "model.bochner")
    ...     again = bo.load(pathlib.Path(folder) / "model.bochner")
    >>> bool(np.all(again.predict(X) == model.predict(X)))
    True
    """
    if frequencies not in ("auto", "stored"):
        raise invalid_parameter("save", "frequencies", "'auto' or 'stored'", frequencies)
    encoder = Encoder(_StandIns(redraw=frequencies == "auto", statistics=statistics))
    encoded = encoder.encode(model, "model")
    if not isinstance(encoded, dict) or "object" not in encoded:
        raise UnsupportedModelError(f"A model file holds a model. Got {type(model).__name__}.")
    header = {"model": encoded, "scikit-learn": sklearn.__version__}
    write_archive(path, kind=_KIND, version=_VERSION, header=header, arrays=encoder.arrays)


def load(path: FilePath, *, types: UserTypes = ()) -> Any:
    """Read a model that `save` wrote.

    Only types of a fixed table and those of `types` are made, nothing is imported by a name from the file, and nothing
    in the file is executed. A file that is damaged, altered, too new or something else is refused with a
    `FileFormatError` that says which.

    Parameters
    ----------
    path : str or Path
    types : list of classes, or dict of classes by name, default=()
        Classes of yours that the file may have objects of, such as `[MyKernel]`: those that you trust with the content
        of the file. Neither `__init__` nor `__post_init__` runs: attributes are set, or given to your `__setstate__`. A
        class that has moved since is given by its old name, `{"__main__:MyKernel": MyKernel}`.

    Returns
    -------
    model
        With the same attributes and, bit for bit, the same predictions.
    """
    given = handed_over(types)
    _, header, arrays = read_archive(path, kind=_KIND, version=_VERSION)
    try:
        require_types(header["model"], given)
        return _decoded(header["model"], arrays, given)
    except FileFormatError as error:
        raise FileFormatError(f"{path} {error}") from None
    except MemoryBudgetError:
        raise
    except MemoryError as error:
        raise MemoryBudgetError(f"There is not enough memory for the model in {path}.") from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # Checksums hold, so this is no accident: whatever a forged tree leads to is one error.
        then, now = str(header.get("scikit-learn"))[:20], sklearn.__version__
        reason = "was altered" if then == now else f"was altered, or is for scikit-learn {then} (this is {now})"
        raise FileFormatError(f"{path} {reason}: {type(error).__name__}: {str(error)[:200]}") from error


def _decoded(tree: Json, arrays: dict[str, Array], given: dict[str, type]) -> object:
    """The model behind the tree of a file, which is an object of a known type, as `save` wants it."""
    if not isinstance(tree, dict) or "object" not in tree:
        raise FileFormatError("holds no model: what it has is no object of a type of bochner's.")
    users = frozenset(given.values())
    return Decoder(arrays, {**given, **types_by_name()}, _Finish(users), users).decode(tree)


class _StandIns:
    """Replaces an object before it is written: by a smaller one, or one without the paths of a fit's files."""

    def __init__(self, *, redraw: bool, statistics: bool) -> None:
        self._statistics = statistics
        self._by_type: dict[type, Callable[[Any], object]] = {LinearSolution: _without_dual, FittedRidge: _settled}
        if redraw:
            self._by_type[FourierMap] = lambda value: seeded(value) or value
            self._by_type[NystroemMap] = lambda value: without_factor(value) or value
        if statistics:
            self._by_type[Moments] = PackedMoments.of
        else:
            self._by_type |= {Moments: MomentsSummary.of, LowRankSpread: SpreadSummary.in_place_of}
            self._by_type[LandmarkSpread] = SpreadSummary.in_place_of
            self._by_type[QuadraticPenalty] = PenaltySummary.of

    def __call__(self, value: object) -> object:
        if not self._statistics and hasattr(value, "moments_"):
            # After partial_fit the equations are solved, and thresholds set, when they are needed: now.
            getattr(value, "coef_", None), getattr(value, "offset_", None)
        if found := places(value):
            value = copy(value)
            vars(value).update(dict.fromkeys(found))
        known = name_of(type(value)) is not None and hasattr(value, "__dict__")  # the encoder refuses what is not
        if known and (problem := problem_of(value)):
            raise UnsupportedModelError(f"A {type(value).__qualname__} {problem}: a model file cannot hold it.")
        replace_by = self._by_type.get(type(value))
        return value if replace_by is None else replace_by(value)


def _without_dual(solution: LinearSolution) -> LinearSolution:
    """A number for every training row, which a compiled loop trusts to be as many: for the solver of a fit alone."""
    return replace(solution, dual=None)


def _settled(fit: FittedRidge) -> FittedRidge:
    """The fit with its solution, if that has been found since."""
    return replace(fit, found=fit.solution) if "solution" in vars(fit) else fit


class _Finish:
    """Last step of making an object: stand-ins are replaced by what they stand for, and the result is checked."""

    def __init__(self, user_types: frozenset[type]) -> None:
        self._user_types = user_types

    def __call__(self, value: object) -> object:
        schema_of(value).complete(vars(value))
        if type(value) in self._user_types:
            check_user_object(value)
        _require_sound(value)
        if type(value) in _STAND_INS:
            value = cast(SeededMap | LandmarkMap | PackedMoments, value).restored()
            _require_sound(value)
        return _without_dual(value) if type(value) is LinearSolution else value


def _require_sound(value: object) -> None:
    if problem := problem_of(value):
        raise FileFormatError(f"was altered: a {type(value).__qualname__} {problem}.")

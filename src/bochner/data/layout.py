"""Column roles of a table: features, targets, weight, and their Arrow types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bochner._typing import JsonDict, Transformer
from bochner.data.arrow import is_text, number_dtype
from bochner.errors import InvalidDataError, invalid_parameter

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Layout", "layout_of"]

Names: TypeAlias = str | Sequence[str] | None


@dataclass(frozen=True)
class Layout:
    """Column roles of a table (features, targets, weight), and their Arrow types.

    Attributes
    ----------
    owner : str
        The function that was called, for messages.
    features, targets : list of str
    weight : str or None
    types : dict of str to Arrow type
        Of all columns that are read, in the order in which they are.
    """

    owner: str
    features: list[str]
    targets: list[str]
    weight: str | None
    types: dict[str, pa.DataType]

    @cached_property
    def columns(self) -> list[str]:
        return list(self.types)

    @property
    def labelled(self) -> bool:
        """Whether the target is a column of texts: labels of classes."""
        return len(self.targets) == 1 and is_text(self.types[self.targets[0]])

    @property
    def target_dtype(self) -> np.dtype[Any]:
        return np.dtype(object if self.labelled else np.float64)

    def require_numbers(self) -> None:
        """Refuse features that only an encoder makes numbers of."""
        others = [f"{name!r} ({self.types[name]})" for name in self.features if number_dtype(self.types[name]) is None]
        if others:
            raise InvalidDataError(
                f"Features must be numbers. Got {_listed(others)}. Leave such columns out with columns=[...], or "
                "encode them: TableEncoder().fit_transform(scan), or make_pipeline(TableEncoder(), ...).fit(scan). "
                f"Another fitted transformer is given as {self.owner}(..., encoder=transformer)."
            )

    def compare(self, schema: pa.Schema, origin: str) -> None:
        """Raise an error if a column of another schema is missing or has another type."""
        for name, kind in self.types.items():
            found = schema.field(name).type if name in schema.names else None
            if found != kind:
                got = "no such column" if found is None else f"type {found}"
                raise InvalidDataError(
                    f"All files must have the same columns. Got {got} for {name!r} in {origin}; it is {kind} in the "
                    "first file. Cast or rewrite that file, or leave it out."
                )

    def fingerprint(self) -> JsonDict:
        types = {name: str(kind) for name, kind in self.types.items()}
        return {"features": self.features, "targets": self.targets, "weight": self.weight, "schema": types}


def layout_of(
    owner: str, schema: pa.Schema, *, target: Names, columns: Names, weight: str | None, encoder: Transformer | None
) -> Layout:
    """The layout of a table whose target, feature and weight columns are given by name."""
    targets, weights, features = _names(target), _names(weight), _names(columns)
    others = [*targets, *weights]
    if columns is None:
        known = getattr(encoder, "feature_names_in_", _columns_of(schema))
        features = [str(name) for name in known if name not in others]
    for parameter, names in (("target", targets), ("weight", weights), ("columns", features)):
        _check_names(owner, parameter, names, schema.names)
    if not features or set(features) & set(others):
        raise invalid_parameter(owner, "columns", "at least one column, neither target nor weight", columns)
    layout = Layout(
        owner,
        features,
        targets,
        weight,
        {name: schema.field(name).type for name in dict.fromkeys([*features, *others])},
    )
    _check_types(layout)
    return layout


def _names(given: Names) -> list[str]:
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


def _columns_of(schema: pa.Schema) -> list[str]:
    """All columns but those in which pandas has written its index."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in schema.names if name not in index]


def _check_names(owner: str, parameter: str, names: list[str], known: list[str]) -> None:
    missing = [name for name in names if name not in known]
    if missing:
        raise invalid_parameter(owner, parameter, f"among the columns {_listed(known)}", missing[0])
    given, present = Counter(names), Counter(known)
    repeated = [name for name in names if given[name] > 1 or present[name] > 1]
    if repeated:
        raise invalid_parameter(owner, parameter, "names that occur once", repeated[0])


def _check_types(layout: Layout) -> None:
    refused = {name: kind for name, kind in layout.types.items() if number_dtype(kind) is None}
    if not layout.labelled:
        _refuse_targets({name: kind for name, kind in refused.items() if name in layout.targets})
    if layout.weight in refused:
        raise InvalidDataError(f"Weights must be numbers. Got {layout.weight!r} ({refused[layout.weight]}).")


def _refuse_targets(targets: dict[str, pa.DataType]) -> None:
    for name, kind in targets.items():
        rule = "numbers, or one column of labels" if is_text(kind) else "numbers or texts"
        raise InvalidDataError(f"Targets must be {rule}. Got {name!r} ({kind}).")


def _listed(names: list[str]) -> str:
    shown = [str(name) for name in names[:20]]
    return ", ".join(shown) + (f" and {len(names) - 20} more" if len(names) > 20 else "")

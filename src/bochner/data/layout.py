"""Which columns of a table are features, targets and weights."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bochner.data.arrow import is_text, number_dtype
from bochner.errors import InvalidDataError, invalid_parameter

__all__ = ["Layout", "layout_of"]


@dataclass(frozen=True)
class Layout:
    """The parts that the columns of a table play, and their Arrow types.

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
    types: dict[str, Any]

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

    def compare(self, schema: Any, origin: str) -> None:
        """Raise an error if a column of another schema is missing or has another type."""
        for name, kind in self.types.items():
            found = schema.field(name).type if name in schema.names else None
            if found != kind:
                got = "no such column" if found is None else f"type {found}"
                raise InvalidDataError(
                    f"All files must have the same columns. Got {got} for {name!r} in {origin}; it is {kind} in the "
                    "first file. Cast or rewrite that file, or leave it out."
                )

    def fingerprint(self) -> dict[str, Any]:
        types = {name: str(kind) for name, kind in self.types.items()}
        return {"features": self.features, "targets": self.targets, "weight": self.weight, "schema": types}


def layout_of(owner: str, schema: Any, *, target: Any, columns: Any, weight: Any, encoder: Any) -> Layout:
    """The layout of a table whose target, feature and weight columns are given by name."""
    targets = [] if target is None else [target] if isinstance(target, str) else list(target)
    others = [*targets, *([] if weight is None else [weight])]
    if columns is None:
        known = getattr(encoder, "feature_names_in_", _columns_of(schema))
        features = [str(name) for name in known if name not in others]
    else:
        features = [columns] if isinstance(columns, str) else list(columns)
    for parameter, names in (("target", targets), ("weight", others[len(targets) :]), ("columns", features)):
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
    _check_types(layout, encoded=encoder is not None)
    return layout


def _columns_of(schema: Any) -> list[str]:
    """All columns but those in which pandas has written its index."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in schema.names if name not in index]


def _check_names(owner: str, parameter: str, names: list[Any], known: list[str]) -> None:
    missing = [name for name in names if name not in known]
    if missing:
        raise invalid_parameter(owner, parameter, f"among the columns {_listed(known)}", missing[0])
    often = [name for name, times in Counter(names).items() if times > 1]
    twice = [name for name in names if known.count(name) > 1]
    if often or twice:
        raise invalid_parameter(owner, parameter, "names that occur once", (often or twice)[0])


def _check_types(layout: Layout, *, encoded: bool) -> None:
    refused = {name: kind for name, kind in layout.types.items() if number_dtype(kind) is None}
    features = {name: kind for name, kind in refused.items() if name in layout.features}
    if features and not encoded:
        raise InvalidDataError(
            f"Features must be numbers. Got {_listed([f'{name!r} ({kind})' for name, kind in features.items()])}. "
            f"Leave such columns out with columns=[...], or encode them: fit a scikit-learn transformer on a sample, "
            f"encoder = make_column_transformer((OneHotEncoder(handle_unknown='ignore'), {list(features)}), "
            f"remainder='passthrough').fit(sample), and give {layout.owner}(..., encoder=encoder)."
        )
    for name in layout.targets:
        if name in refused and not layout.labelled:
            rule = "numbers, or one column of labels" if is_text(refused[name]) else "numbers or texts"
            raise InvalidDataError(f"Targets must be {rule}. Got {name!r} ({refused[name]}).")
    if layout.weight in refused:
        raise InvalidDataError(f"Weights must be numbers. Got {layout.weight!r} ({refused[layout.weight]}).")


def _listed(names: list[str]) -> str:
    shown = [str(name) for name in names[:20]]
    return ", ".join(shown) + (f" and {len(names) - 20} more" if len(names) > 20 else "")

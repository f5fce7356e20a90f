"""JSON forms of the values in a model file, shared by encoder and decoder.

    null, true, 1, 2.5, "text", [...]         themselves
    {"object": "kernels.Gaussian", "state": {...}}   an object, by the name of its type and its attributes
    {"enum": ["solvers.Ending", "CONVERGED"]} a member of an enumeration
    {"same": 3}                               the third object above, again
    {"array": "model.coef"}                   an array of the archive
    {"tuple": ...}, {"dict": ...}, ...        what JSON does not have

Names of types are looked up in `bochner.io.types` and among the classes that were handed to `load`; nothing is imported
or called by a name from the file.
"""

from __future__ import annotations

from typing import TypeAlias

from scipy import sparse

__all__ = ["GENERATORS", "NUMPY_TYPES", "SPARSE", "Json"]

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
NUMPY_TYPES = {"bool", "object"} | {f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)}
SPARSE = {
    f"{format_}_{kind}": getattr(sparse, f"{format_}_{kind}")
    for format_ in ("csr", "csc")
    for kind in ("array", "matrix")
}

"""BLAS and LAPACK routines that release the GIL and work on sub-matrices in place.

SciPy's own wrappers hold the GIL and copy sub-matrices. These call the same library through the function pointers that
`scipy.linalg.cython_blas` and `cython_lapack` export. Products go there too where they alternate with them: NumPy
brings a BLAS of its own, and the idle threads of one slow down the other. Matrices are column-major views (first
stride one element); the transpose of a C-ordered array is one. Cholesky factors L are in the lower triangle, in either
order, and what is in the upper one is left as it is.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from bochner._typing import Array

__all__ = [
    "cholesky",
    "cross_gram",
    "gram_of_factor",
    "householder_qr",
    "inverse_from_cholesky",
    "lower_gram",
    "lower_inverse",
    "product",
    "solve_cholesky",
    "solve_lower",
    "symmetric_gram",
    "symmetric_product",
    "symmetric_rank_2_update",
]

_PREFIX = {np.dtype(np.float32): ("s", ctypes.c_float), np.dtype(np.float64): ("d", ctypes.c_double)}


def lower_gram(Z: Array, out: Array) -> None:
    """Write the lower triangle of Z'Z to `out` (D, D); the upper triangle of `out` is left as it is.

    `Z` (n, D) has contiguous columns within a row; both are C-ordered and of one float type.
    """
    prefix, real = _PREFIX[Z.dtype]
    n, width = Z.shape
    # In column-major eyes Z is its transpose A (D, n), and the lower triangle of `out` the upper one of A A'.
    _call(f"{prefix}syrk", b"U", b"N", width, n, real(1.0), *_matrix(Z.T), real(0.0), *_matrix(out.T))


def cross_gram(A: Array, B: Array, out: Array) -> None:
    """Write A'B to `out`; all are C-ordered, or blocks of columns of C-ordered arrays, and of one float type."""
    prefix, real = _PREFIX[A.dtype]
    sizes = B.shape[1], A.shape[1], len(A)
    # In column-major eyes this is out' = B'A, with A and B seen as their transposes.
    _call(f"{prefix}gemm", b"N", b"T", *sizes, real(1.0), *_matrix(B.T), *_matrix(A.T), real(0.0), *_matrix(out.T))


def cholesky(matrix: Array) -> bool:
    """Overwrite the lower triangle of a matrix by its Cholesky factor L; False if it is not definite.

    The transpose of a C-ordered one is the upper triangular, column-major factor that SciPy's `cho_solve` takes.
    """
    done = _on_triangle("potrf", matrix)
    return done and bool(np.all(np.isfinite(np.diagonal(matrix))))


def solve_cholesky(factor: Array, right: Array) -> Array:
    """(L L')^-1 right, a new column-major array of (n, k)."""
    solution, info = np.array(right, dtype=factor.dtype, order="F"), ctypes.c_int(0)
    prefix, triangle, view = _triangle(factor)
    _call(f"{prefix}potrs", triangle, len(factor), right.shape[1], *_matrix(view), *_matrix(solution), info)
    return solution


def inverse_from_cholesky(factor: Array) -> None:
    """Overwrite L by the lower triangle of (L L')^-1."""
    _on_triangle("potri", factor)


def lower_inverse(factor: Array) -> None:
    """Overwrite L by L^-1."""
    _on_triangle("trtri", factor, b"N")


def gram_of_factor(factor: Array) -> None:
    """Overwrite L by the lower triangle of L'L: a third of the work of a product that sees the zeros."""
    _on_triangle("lauum", factor)


def solve_lower(factor: Array, rows: Array) -> None:
    """Overwrite every row k of `rows` (n, D) by L^-1 k, for the lower triangle L of `factor` (D, D).

    Both are C-ordered and of one float type.
    """
    prefix, real = _PREFIX[rows.dtype]
    n, width = rows.shape
    # In column-major eyes `rows` holds its rows as columns, and `factor` is L', upper: solve with its transpose.
    _call(f"{prefix}trsm", b"L", b"U", b"T", b"N", width, n, real(1.0), *_matrix(factor.T), *_matrix(rows.T))


def product(A: Array, B: Array, *, transpose_a: bool = False) -> Array:
    """A B or A'B, a new column-major array; all column-major float64."""
    rows, inner = A.shape[::-1] if transpose_a else A.shape
    out = np.empty((rows, B.shape[1]), order="F")
    one, zero = ctypes.c_double(1.0), ctypes.c_double(0.0)
    flag = b"T" if transpose_a else b"N"
    _call("dgemm", flag, b"N", rows, B.shape[1], inner, one, *_matrix(A), *_matrix(B), zero, *_matrix(out))
    return out


def householder_qr(A: Array) -> tuple[Array, Array]:
    """(V, T) of the QR factorisation A = (I - V T V') [R; 0] of a column-major float64 A (n, k), k <= n.

    R is left in the upper triangle of A; V is unit lower trapezoidal, T upper triangular.
    """
    n, k = A.shape
    T, info = np.zeros((k, k), order="F"), ctypes.c_int(0)
    _call("dgeqrt3", n, k, *_matrix(A), *_matrix(T), info)
    V = np.asfortranarray(np.tril(A, -1))
    V[np.diag_indices(k)] = 1.0
    return V, T


def symmetric_gram(V: Array, out: Array) -> None:
    """out = V V' on the lower triangle; both column-major float64."""
    n, k = V.shape
    one, zero = ctypes.c_double(1.0), ctypes.c_double(0.0)
    _call("dsyrk", b"L", b"N", n, k, one, *_matrix(V), zero, *_matrix(out))


def symmetric_product(S: Array, V: Array, out: Array) -> None:
    """out = S V, with S given by its lower triangle; all column-major float64."""
    n, k = V.shape
    one, zero = ctypes.c_double(1.0), ctypes.c_double(0.0)
    _call("dsymm", b"L", b"L", n, k, one, *_matrix(S), *_matrix(V), zero, *_matrix(out))


def symmetric_rank_2_update(S: Array, V: Array, W: Array) -> None:
    """S -= V W' + W V' on the lower triangle, in place; all column-major float64."""
    n, k = V.shape
    minus, one = ctypes.c_double(-1.0), ctypes.c_double(1.0)
    _call("dsyr2k", b"L", b"N", n, k, minus, *_matrix(V), *_matrix(W), one, *_matrix(S))


def _on_triangle(routine: str, matrix: Array, *options: bytes) -> bool:
    """Work on the lower triangle of a square matrix in place; whether LAPACK has done it."""
    prefix, triangle, view = _triangle(matrix)
    info = ctypes.c_int(0)
    _call(f"{prefix}{routine}", triangle, *options, len(matrix), *_matrix(view), info)
    return info.value == 0


def _triangle(matrix: Array) -> tuple[str, bytes, Array]:
    """The type's letter, and where column-major eyes see the lower triangle of a matrix: in its transpose, above."""
    prefix, _ = _PREFIX[matrix.dtype]
    return (prefix, b"U", matrix.T) if matrix.strides[1] == matrix.itemsize else (prefix, b"L", matrix)


def _matrix(view: Array) -> tuple[ctypes.c_void_p, int]:
    """Pointer and leading dimension of a column-major view."""
    leading = view.strides[1] // view.itemsize if view.shape[1] > 1 else view.shape[0]
    return ctypes.c_void_p(view.ctypes.data), max(leading, 1)


def _call(name: str, *arguments: Any) -> None:
    """Call a BLAS routine: Fortran takes everything by reference."""
    _routine(name)(*(_reference(a) for a in arguments))


def _reference(argument: Any) -> Any:
    if isinstance(argument, ctypes.c_void_p):
        return argument
    if isinstance(argument, bytes):
        return ctypes.c_char_p(argument)
    return ctypes.byref(ctypes.c_int(argument) if isinstance(argument, int) else argument)


@cache
def _routine(name: str) -> Any:
    from scipy.linalg import cython_blas, cython_lapack

    capsule = (cython_blas.__pyx_capi__ | cython_lapack.__pyx_capi__)[name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return ctypes.CFUNCTYPE(None)(address)

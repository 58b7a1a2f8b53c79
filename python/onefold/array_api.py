"""The Array API's namespace over NumPy, with exact reductions: xp = onefold.array_api.

Everything else is NumPy's own. Complex arrays, and orders of norms that are not 0, 1, 2 or inf, are
NumPy's too. `namespace(x)` is the same over torch and CuPy, by array-api-compat.
"""

import numpy as _numpy
from numpy import *  # noqa: F401,F403
from numpy import bool, linalg as _numpy_linalg  # noqa: A004,F401

import onefold as _onefold

__array_api_version__ = _numpy.__array_api_version__
__array_namespace_info__ = _numpy.__array_namespace_info__


def _is_ours(x):
    return x.dtype.kind in "biuf"


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    if not _is_ours(x) or (dtype is not None and _numpy.dtype(dtype).kind == "c"):
        return _numpy.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)
    if dtype is not None and _numpy.dtype(dtype).kind in "iu":
        # Sums of integers have only the types int64 and uint64.
        answer = _onefold.sum(x.astype("u8" if _numpy.dtype(dtype).kind == "u" else "i8"),
                              axis=axis, keepdims=keepdims)
        info = _numpy.iinfo(dtype)
        if _numpy.any((answer < info.min) | (answer > info.max)):
            raise _onefold.OverflowError(f"sum: the exact value does not fit {dtype}")
        return answer.astype(dtype)
    return _onefold.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    if not _is_ours(x):
        return _numpy.mean(x, axis=axis, keepdims=keepdims)
    return _onefold.mean(x, axis=axis, keepdims=keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    return _onefold.var(x, axis=axis, correction=correction, keepdims=keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return _onefold.std(x, axis=axis, correction=correction, keepdims=keepdims)


def min(x, /, *, axis=None, keepdims=False):
    return _onefold.min(x, axis=axis, keepdims=keepdims)


def max(x, /, *, axis=None, keepdims=False):
    return _onefold.max(x, axis=axis, keepdims=keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    return _onefold.argmin(x, axis=axis, keepdims=keepdims)


def argmax(x, /, *, axis=None, keepdims=False):
    return _onefold.argmax(x, axis=axis, keepdims=keepdims)


def any(x, /, *, axis=None, keepdims=False):
    if not _is_ours(x):
        return _numpy.any(x, axis=axis, keepdims=keepdims)
    return _onefold.any(x, axis=axis, keepdims=keepdims)


def all(x, /, *, axis=None, keepdims=False):
    if not _is_ours(x):
        return _numpy.all(x, axis=axis, keepdims=keepdims)
    return _onefold.all(x, axis=axis, keepdims=keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    if not _is_ours(x):
        return _numpy.count_nonzero(x, axis=axis, keepdims=keepdims)
    return _onefold.count_nonzero(x, axis=axis, keepdims=keepdims)


def vecdot(x1, x2, /, *, axis=-1):
    common = _numpy.result_type(x1, x2)
    if common.kind not in "iuf" or x1.dtype.kind == "b" or x2.dtype.kind == "b":
        return _numpy.vecdot(x1, x2, axis=axis)
    # The result has the inputs' type, as the standard says. It is exact, so a value that is too large is an error.
    answer = _onefold.vecdot(x1.astype(common), x2.astype(common), axis=axis)
    if common.kind == "f" or answer.dtype == common:
        return answer
    info = _numpy.iinfo(common)
    if _numpy.any((answer < info.min) | (answer > info.max)):
        raise _onefold.OverflowError(f"vecdot: the exact value does not fit {common}")
    return answer.astype(common)


class _Linalg:
    """numpy.linalg, with our functions in it."""

    vecdot = staticmethod(vecdot)

    @staticmethod
    def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
        if x.dtype.kind != "f" or ord not in (0, 1, 2, float("inf")):
            return _numpy_linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
        return _onefold.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)

    def __getattr__(self, name):
        return getattr(_numpy_linalg, name)


linalg = _Linalg()

_ours = ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all",
         "count_nonzero", "vecdot", "linalg")


def namespace(x):
    """The namespace of x's library, with the reductions that Onefold has for its arrays."""
    if isinstance(x, (_numpy.ndarray, _numpy.generic)):
        import sys

        return sys.modules[__name__]
    import types

    import array_api_compat

    base = array_api_compat.array_namespace(x)
    made = types.SimpleNamespace(**{n: getattr(base, n) for n in dir(base) if n[0] != "_"})
    for name in ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all",
                 "count_nonzero"):
        setattr(made, name, getattr(_onefold, name))
    return made

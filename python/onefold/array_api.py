"""The Array API's namespace over NumPy, with exact reductions: xp = onefold.array_api.

Everything else is NumPy's own. Orders of norms that are not 0, 1, 2 or inf (of complex numbers 0 or 2),
and corrections of more digits than ddof has (docs/numerics.md) are NumPy's too, with an InexactWarning. `namespace(x)` is the same over torch and CuPy, by array-api-compat.
"""

import numpy as _numpy
from numpy import *  # noqa: F401,F403
from numpy import bool, linalg as _numpy_linalg  # noqa: A004,F401

import onefold as _onefold
from onefold import errors
from onefold.errors import warn_of_numpy as _warn_of_numpy
from onefold.operands.numbers import is_short as _is_short, truncated as _truncated

__array_api_version__ = _numpy.__array_api_version__
__array_namespace_info__ = _numpy.__array_namespace_info__


def _reduce(name, x, **keywords):
    """Onefold's answer, or NumPy's for types that Onefold does not fold."""
    _check_kind(name, x)
    x = _numpy.asarray(x) if isinstance(x, _numpy.complexfloating) else x
    dtype = keywords.get("dtype")
    if x.dtype.kind == "c" and name in ("sum", "mean", "var", "std", "any", "all", "count_nonzero") and (
            dtype is None or _numpy.dtype(dtype).kind == "c"):
        return getattr(_onefold, name)(x, **keywords)
    if x.dtype.kind in "biuf" and (dtype is None or _numpy.dtype(dtype).kind in "iuf"):
        if dtype is not None and x.dtype.kind == "f" and _numpy.dtype(dtype).kind in "iu":
            x = _truncated(name, _numpy, x, dtype)
        if dtype is not None:
            keywords["dtype"] = _numpy.dtype(dtype)  # "i8" means int64 in NumPy
        return getattr(_onefold, name)(x, **keywords)
    if name not in ("any", "all", "count_nonzero", "min", "max", "argmin", "argmax"):
        _warn_of_numpy(name, x, stacklevel=4)
    return getattr(_numpy, name)(x, **keywords)


def _check_kind(name, *arrays):
    for x in arrays:
        if not hasattr(getattr(x, "dtype", None), "kind"):
            raise errors.make(
                "type_mismatch", f"{name}: this is NumPy's namespace, and {type(x).__module__}.{type(x).__name__} is not a NumPy "
                f"array; for x's own library call onefold.array_api.namespace(x); onefold.{name} takes any array")


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    return _reduce("sum", x, axis=axis, dtype=dtype, keepdims=keepdims)


def _reduction(name):
    def function(x, /, *, axis=None, keepdims=False):
        return _reduce(name, x, axis=axis, keepdims=keepdims)

    def spread(x, /, *, axis=None, correction=0.0, keepdims=False):
        if not _is_short(correction):
            _warn_of_numpy(name, x, stacklevel=3)
            return getattr(_numpy, name)(x, axis=axis, correction=correction, keepdims=keepdims)
        return _reduce(name, x, axis=axis, correction=correction, keepdims=keepdims)

    made = spread if name in ("var", "std") else function
    made.__name__ = made.__qualname__ = name
    return made


_reductions = ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero")
globals().update({name: _reduction(name) for name in _reductions[1:]})


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    _check_kind("cumulative_sum", x)
    if x.dtype.kind not in "biufc" or (dtype is not None and (_numpy.dtype(dtype).kind not in "iuf" or x.dtype.kind == "c")):
        _warn_of_numpy("cumulative_sum", x, stacklevel=3)
        return _numpy.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)
    if dtype is not None and x.dtype.kind == "f" and _numpy.dtype(dtype).kind in "iu":
        x = _truncated("cumulative_sum", _numpy, x, dtype)
    sums = _onefold.cumsum(x, axis, dtype=None if dtype is None else _numpy.dtype(dtype))
    if not include_initial:
        return sums
    shape = list(sums.shape)
    shape[axis or 0] = 1
    return _numpy.concatenate([_numpy.zeros(shape, sums.dtype), sums], axis or 0)


def _products(name, x1, x2, **keywords):
    """Onefold's sums of products in the inputs' common type, or NumPy's for types that Onefold does not fold."""
    _check_kind(name, x1, x2)
    common = _numpy.result_type(x1, x2)
    if common.kind == "c" and common.itemsize <= 16:
        return getattr(_onefold, name)(x1, x2, **keywords)
    if common.kind not in "iuf" or x1.dtype.kind == "b" or x2.dtype.kind == "b":
        return getattr(_numpy, name)(x1, x2, **keywords)
    ours = getattr(_onefold, name)
    if common.kind == "f" and not x1.dtype.kind == x2.dtype.kind == "f":
        return ours(x1, x2, **keywords)  # which refuses integers beside floats: they would be rounded
    # The result has the inputs' type, as the standard says. It is exact, so a value that is too large is an error.
    answer = ours(x1.astype(common, copy=False), x2.astype(common, copy=False), **keywords)
    if common.kind == "f" or answer.dtype == common:
        return answer
    info = _numpy.iinfo(common)
    if _numpy.any((answer < info.min) | (answer > info.max)):
        raise _onefold.OverflowError(f"{name}: the exact value does not fit {common}")
    return answer.astype(common)


def vecdot(x1, x2, /, *, axis=-1):
    return _products("vecdot", x1, x2, axis=axis)


def matmul(x1, x2, /):
    return _products("matmul", x1, x2)


def tensordot(x1, x2, /, *, axes=2):
    return _products("tensordot", x1, x2, axes=axes)


class _Linalg:
    """numpy.linalg, with our functions in it."""

    vecdot, matmul, tensordot = staticmethod(vecdot), staticmethod(matmul), staticmethod(tensordot)

    @staticmethod
    def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
        _check_kind("linalg.vector_norm", x)
        x = _numpy.asarray(x) if isinstance(x, _numpy.complexfloating) else x
        if x.dtype.kind not in "fc" or (x.dtype.kind == "c" and ord not in (0, 2)) or ord not in (0, 1, 2, float("inf")):
            _warn_of_numpy("vector_norm", x, stacklevel=3)
            return _numpy_linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
        return _onefold.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)

    def __getattr__(self, name):
        return getattr(_numpy_linalg, name)


linalg = _Linalg()

def namespace(x):
    """The namespace of x's library, with the reductions that Onefold has for its arrays."""
    if isinstance(x, (_numpy.ndarray, _numpy.generic)):
        import sys

        return sys.modules[__name__]
    import types

    import array_api_compat

    base = array_api_compat.array_namespace(x)
    made = types.SimpleNamespace(**{n: getattr(base, n) for n in dir(base) if n[0] != "_"})
    for name in _reductions:
        setattr(made, name, getattr(_onefold, name))
    return made

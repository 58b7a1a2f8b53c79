"""Products and norms, exact: the names of numpy.linalg and the Array API."""

from . import _arrays, _core, _errors
from ._found import unsupported


def _two_arrays(x1, x2):
    import numpy

    found = [_arrays.find("vecdot", x) for x in (x1, x2)]
    if any(f is None or f.mask is not None or isinstance(f.array, _core.View) for f in found):
        raise unsupported("vecdot", "two arrays of NumPy, without masks, are folded")
    a, b = (numpy.asarray(f.array) for f in found)
    if a.dtype != b.dtype:
        common = numpy.result_type(a.dtype, b.dtype)
        for side in (a, b):
            if side.dtype.kind != common.kind and side.dtype.kind != "b":
                raise _errors.make(
                    "type_mismatch",
                    f"vecdot: {a.dtype} and {b.dtype} have no common type that is exact; convert "
                    "one of them")
        a, b = a.astype(common), b.astype(common)
    return a, b


def vecdot(x1, x2, /, *, axis=-1):
    """Sums of products along an axis, of arrays that broadcast: exact, rounded once."""
    import numpy

    a, b = _two_arrays(x1, x2)
    if a.ndim == 0 or b.ndim == 0:
        raise _errors.make("shape_mismatch", "vecdot: both arrays need at least one axis")
    smaller = min(a.ndim, b.ndim)
    if not -smaller <= axis < 0 and not (a.ndim == b.ndim and 0 <= axis < smaller):
        raise _errors.make(
            "bad_axis",
            f"vecdot: axis {axis} is out of range for shapes {a.shape} and {b.shape}; legal axes "
            f"are -{smaller}..-1")
    a, b = numpy.moveaxis(a, axis, -1), numpy.moveaxis(b, axis, -1)
    if a.shape[-1] != b.shape[-1]:
        raise _errors.make(
            "shape_mismatch", f"vecdot: {a.shape[-1]} elements along the axis and {b.shape[-1]}")
    try:
        a, b = numpy.broadcast_arrays(a, b)
    except ValueError:
        raise _errors.make(
            "shape_mismatch", f"vecdot: shapes {a.shape} and {b.shape} do not broadcast") from None
    return _core.dot(a, b, axis=-1)


_norms = {1: "norm1", 2: "norm2", float("inf"): "norminf"}


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of order 0 (count of what is not 0), 1, 2 or inf, exact and rounded once."""
    if ord == 0:
        count = _core.count_nonzero(x, axis=axis, keepdims=keepdims)
        dtype = getattr(x, "dtype", None)
        return count.astype(dtype) if dtype is not None and dtype.kind == "f" else count * 1.0
    name = _norms.get(ord)
    if name is None:
        raise _errors.make("bad_option", f"vector_norm: ord={ord!r} is not one of 0, 1, 2, inf")
    return getattr(_core, name)(x, axis=axis, keepdims=keepdims)

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
        known = all(side.dtype.kind in "biuf" for side in (a, b))
        common = numpy.result_type(a.dtype, b.dtype) if known else None
        for side in (a, b):
            if common is None or side.dtype.kind not in (common.kind, "b"):
                raise _errors.make(
                    "type_mismatch",
                    f"vecdot: {a.dtype} and {b.dtype} have no common type that is exact; convert "
                    "one of them")
        a, b = a.astype(common), b.astype(common)
    return a, b, found[0]


def vecdot(x1, x2, /, *, axis=-1):
    """Sums of products along an axis, of arrays that broadcast: exact, rounded once.

    returns  as dot: of floats the wider type of both, of integers int64 or uint64; a scalar of NumPy
             where no axis is left, of Python's numbers one of Python, else an ndarray
    """
    import numpy

    axis = _errors.integer("vecdot", "axis", axis, "type_mismatch")
    a, b, found = _two_arrays(x1, x2)
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
    return found.wrap(_core.dot(a, b, axis=-1))


_norms = {0: "count_nonzero", 1: "norm1", 2: "norm2", float("inf"): "norminf"}


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of order 0 (count of what is not 0), 1, 2 or inf, exact and rounded once.

    returns  as count_nonzero, norm1, norm2 and norminf; of order 0 with the type of norm2
    """
    try:
        name = _norms.get(ord)
    except (TypeError, ValueError):  # it has no hash, and is no number
        name = None
    if name is None:
        raise _errors.make("bad_option", f"vector_norm: ord={_errors.shown(ord)} is not one of 0, 1, 2, inf")
    more = {}
    if ord == 0:
        found = _arrays.find("vector_norm", x)
        dtype = str(x.dtype) if found is None else _arrays.dtype_of(found.array)
        dtype = _core.dtype_name(dtype.removeprefix("torch."))
        more["dtype"] = dtype if "f" in dtype else "f64"
    return getattr(_core, name)(x, axis=axis, keepdims=keepdims, **more)

"""Products and norms, exact: the names of numpy.linalg and the Array API."""

from .. import _core, _ops, errors
from ..operands import complex_numbers, find, giver, in_memory, kind_of, shape_of
from ..operands.found import dtype_of, library_of, on_device
from ..operands.small import widened
from ..reduce import run
from ..reduce.request import Request
from .products import matmul, narrower, no_common_type, of_one_type, tensordot  # noqa: F401


def vecdot(x1, x2, /, *, axis=-1, nan=None):
    """Sums of products along an axis, of arrays that broadcast: exact, rounded once. Complex numbers of x1 are conjugated.

    nan      "propagate" (None); "omit" leaves out pairs in which one is NaN; "raise"
    returns  the type of dot: for floats the wider type of both, for integers int64 or uint64. A scalar of
             NumPy if no axis remains (for Python's numbers a Python number), otherwise an ndarray
    """
    if nan is None and type(axis) is int and axis == -1 and type(x1).__module__ == "numpy" and type(x1) is type(x2) and (
            x1.dtype is x2.dtype and x1.dtype.kind in "biuf" and x1.shape == x2.shape != ()):
        return _core.dot(x1, x2, -1)
    axis = errors.integer("vecdot", "axis", axis, "type_mismatch")
    x1, x2 = in_memory("vecdot", x1), in_memory("vecdot", x2)
    if complex_numbers.is_complex(x1) or complex_numbers.is_complex(x2):
        return _of_complex(x1, x2, axis, nan)
    if on_device(x1) or on_device(x2) or all(library_of(x) == "torch" for x in (x1, x2)):
        return _of_tensors(x1, x2, axis, nan)
    import numpy

    a, b, found = of_one_type("vecdot", x1, kind_of(x1).agreeing("vecdot", "x2", x1, x2))
    _check_shapes(a.shape, b.shape, axis)
    a, b = numpy.moveaxis(a, axis, -1), numpy.moveaxis(b, axis, -1)
    a, b = numpy.broadcast_arrays(a, b)
    try:
        kept = narrower(giver(x1, x2), a)
        answer = _core.dot(a, b, axis=-1, nan=nan, **({} if kept is None else {"dtype": kept}))
    except errors.Error as error:
        raise errors.renamed(error, "dot", "vecdot") from None
    return found.wrap(answer, _ops.ops["dot"].types[dtype_of(a)])


def _check_shapes(a, b, axis):
    if not a or not b:
        raise errors.make("shape_mismatch", "vecdot: both arrays need at least one axis")
    smaller = min(len(a), len(b))
    if not -smaller <= axis < 0 and not (len(a) == len(b) and 0 <= axis < smaller):
        raise errors.make(
            "bad_axis",
            f"vecdot: axis {axis} is out of range for shapes {a} and {b}; legal axes are -{smaller}..-1")
    if a[axis] != b[axis]:
        raise errors.make(
            "shape_mismatch", f"vecdot: the arrays have {a[axis]} and {b[axis]} elements along the axis; both must be equal")
    kept = [[n for d, n in enumerate(s) if d != axis % len(s)] for s in (a, b)]
    if any(m != n and 1 not in (m, n) for m, n in zip(*map(reversed, kept))):
        raise errors.make("shape_mismatch", f"vecdot: shapes {a} and {b} do not broadcast")


def _of_complex(x1, x2, axis, nan):
    """Does the same for complex numbers."""
    if not (hasattr(x1, "dtype") and hasattr(x2, "dtype")):
        import numpy

        x1, x2 = numpy.asarray(x1), numpy.asarray(x2)
    _check_shapes(tuple(x1.shape), tuple(x2.shape), axis)
    return complex_numbers.vecdot(Request(kind_of(x1), "vecdot", x1, x2, None, None, nan=nan), run.fold, axis)


def _of_tensors(x1, x2, axis, nan):
    """Does the same for two arrays on a device, or of torch."""
    from ..reduce import device

    x1, x2 = widened(x1), widened(x2)
    if len({device.kind_of(x) for x in (x1, x2)} - {"b"}) > 1:
        raise no_common_type("vecdot", x1.dtype, x2.dtype)
    _check_shapes(*(shape_of("vecdot", x) for x in (x1, x2)), axis)
    return _core.dot(*device.broadcast("vecdot", (x1, x2), axis), axis=-1, nan=nan)


_norms = {0: "count_nonzero", 1: "norm1", 2: "norm2", float("inf"): "norminf"}


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of order 0 (count of what is not 0), 1, 2 or inf, exact and rounded once.

    returns  as count_nonzero, norm1, norm2 and norminf; of order 0 with the type of norm2
    """
    try:
        name = _norms.get(ord)
    except (TypeError, ValueError):  # such an ord cannot be hashed, and is no number
        name = None
    if name is None:
        raise errors.make("bad_option", f"vector_norm: ord={errors.shown(ord)} is not one of 0, 1, 2, inf")
    more = {}
    if ord == 0:
        if complex_numbers.is_complex(x):
            return getattr(_core, name)(x, axis=axis, keepdims=keepdims, dtype=f"f{4 * x.dtype.itemsize}")
        found = find("vector_norm", x)
        dtype = _core.dtype_name(x.dtype) if found.there else dtype_of(found.array)
        more["dtype"] = dtype if "f" in dtype else "f64"
    return getattr(_core, name)(x, axis=axis, keepdims=keepdims, **more)


__all__ = ["matmul", "tensordot", "vecdot", "vector_norm"]

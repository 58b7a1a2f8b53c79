"""Two arrays of different types or shapes: pairs of elements; and weights= of average, of x's shape or along axes,
with NumPy's result types."""

from . import _core, _errors
from ._arrays import dtype_of
from ._found import Found, numpy_for, unsupported
from ._masks import as_ndarray, beside
from ._numbers import is_exact


def weighed(x, given, weights, axis, result):
    """The elements and the weights, in one type and with equally many axes, and the answer's type.

    x       the array that `given` was converted to
    result  the type that the caller asks for; None: that of numpy.average, which depends on types only
    raises  type_mismatch: no type holds all of these elements and weights
    """
    plain = beside("average", "weights=", weights)
    if dtype_of(plain) == dtype_of(x) and tuple(plain.shape) == tuple(x.shape):
        return x, plain, result
    numpy = numpy_for("average", "weights=")
    x = numpy.from_dlpack(given) if isinstance(x, _core.View) else numpy.asarray(x)
    weights = along(x.shape, as_ndarray("average", "weights=", weights), axis)
    if weights.dtype == x.dtype or any(a.dtype.kind not in "biuf" for a in (x, weights)):
        return x, weights, result
    return _of_one_type(numpy, x, weights, result)


def paired(ops, found):
    """Two converted arrays with one shape, in NumPy's common type of both. Those of dot do not broadcast, as in
    NumPy's dot.

    raises  type_mismatch: that type does not hold these elements
    """
    arrays = [f.array for f in found]
    types = [dtype_of(a) for a in arrays]
    shapes = [tuple(a.shape) for a in arrays]
    if types[0] == types[1] and shapes[0] == shapes[1]:
        return found
    if any(isinstance(a, _core.View) for a in arrays) or (shapes[0] != shapes[1] and "dot" in ops.split(",")):
        if types[0] != types[1]:
            raise _errors.make("type_mismatch", f"{ops}: the arrays are {types[0]} and {types[1]}; they must be of one type")
        raise _errors.make("shape_mismatch", f"{ops}: the arrays have shapes {shapes[0]} and {shapes[1]}; they must agree")
    numpy = numpy_for(ops, "arrays of other types or shapes")
    arrays = [numpy.asarray(a) for a in arrays]
    for a in arrays:
        if a.dtype.kind not in "biuf":
            raise unsupported(ops, f"an array of dtype {a.dtype} cannot be folded")
    common = numpy.result_type(*(a.dtype for a in arrays))
    for a in arrays:
        if not is_exact(numpy, a, common):
            raise _errors.make("type_mismatch", f"{ops}: the arrays are {types[0]} and {types[1]}, and {common} does not "
                               f"hold all of these {a.dtype}; convert one of them")
    try:
        both = numpy.broadcast_arrays(*(a.astype(common, copy=False) for a in arrays))
    except ValueError:
        raise _errors.make("shape_mismatch", f"{ops}: the arrays have shapes {shapes[0]} and {shapes[1]}, which do not "
                           "broadcast") from None
    masks = [None if f.mask is None else numpy.broadcast_to(f.mask, both[0].shape) for f in found]
    return [Found(a, f.wrap, m) for f, a, m in zip(found, both, masks)]


def along(shape, weights, axis):
    """Weights along one or several axes, reshaped to broadcast to this shape, as numpy.average does."""
    rank, own = len(shape), tuple(weights.shape)
    if len(own) in (0, rank):  # the fold broadcasts these
        return weights
    if axis is None:
        raise _errors.make("shape_mismatch", f"average: the weights have shape {own} "
                           f"and the array {shape}; they agree, or lie along an axis")
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = [_errors.integer("average", "axis", a, "type_mismatch") for a in axes]
    if any(not -rank <= a < rank for a in axes):
        return weights  # the fold reports the error
    axes = [a % rank for a in axes]
    extents = tuple(shape[a] for a in axes)
    if own != extents:
        raise _errors.make(
            "shape_mismatch", f"average: the weights have shape {own}, and along axis "
            f"{axis} the array has {extents}")
    permuted = getattr(weights, "permute", weights.transpose)  # torch's name for it
    return permuted(sorted(range(len(axes)), key=axes.__getitem__)).reshape(
        [n if a in axes else 1 for a, n in enumerate(shape)])


def _of_one_type(numpy, x, weights, result):
    """Elements and weights in a type that holds both; the answer does not depend on which one."""
    common = numpy.result_type(x.dtype, weights.dtype)
    answer = common if x.dtype.kind == "f" else numpy.result_type(common, "f8")
    for t in (answer, x.dtype, weights.dtype, common):
        if is_exact(numpy, x, t) and is_exact(numpy, weights, t):
            return (x.astype(t, copy=False), weights.astype(t, copy=False),
                    answer.name if result is None else result)
    raise _errors.make(
        "type_mismatch", f"average: no type holds these {x.dtype} elements and {weights.dtype} weights "
        "exactly; convert one of them, to the other's type or to float64")

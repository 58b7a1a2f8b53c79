"""weights= of average: of x's shape or along axes, with NumPy's result types."""

from . import _core, _errors
from ._arrays import dtype_of
from ._found import numpy_for
from ._masks import as_ndarray, beside
from ._numbers import is_exact


def weighed(x, given, weights, axis, result):
    """The elements and the weights, of one type and with as many axes, and the answer's type.

    x       the array that was found of `given`
    result  what the caller asks for; None: the type of numpy.average, which the types alone decide
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


def along(shape, weights, axis):
    """Weights of one axis or several with the axes of this shape, as numpy.average takes them."""
    rank, own = len(shape), tuple(weights.shape)
    if len(own) in (0, rank):  # the fold broadcasts these
        return weights
    if axis is None:
        raise _errors.make("shape_mismatch", f"average: the weights have shape {own} "
                           f"and the array {shape}; they agree, or lie along an axis")
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = [_errors.integer("average", "axis", a, "type_mismatch") for a in axes]
    if any(not -rank <= a < rank for a in axes):
        return weights  # the fold says it
    axes = [a % rank for a in axes]
    extents = tuple(shape[a] for a in axes)
    if own != extents:
        raise _errors.make(
            "shape_mismatch", f"average: the weights have shape {own}, and along axis "
            f"{axis} the array has {extents}")
    permuted = getattr(weights, "permute", weights.transpose)  # as torch calls it
    return permuted(sorted(range(len(axes)), key=axes.__getitem__)).reshape(
        [n if a in axes else 1 for a, n in enumerate(shape)])


def _of_one_type(numpy, x, weights, result):
    """Both in a type that holds them: which one that is, no answer shows."""
    common = numpy.result_type(x.dtype, weights.dtype)
    answer = common if x.dtype.kind == "f" else numpy.result_type(common, "f8")
    for t in (answer, x.dtype, weights.dtype, common):
        if is_exact(numpy, x, t) and is_exact(numpy, weights, t):
            return (x.astype(t, copy=False), weights.astype(t, copy=False),
                    answer.name if result is None else result)
    raise _errors.make(
        "type_mismatch", f"average: no type holds these {x.dtype} elements and {weights.dtype} weights "
        "exactly; convert one of them, to the other's type or to float64")

"""The arrays of a request as _core takes them: pairs of elements of different types or shapes; masks; and weights=, of
x's shape or along axes, with NumPy's result types."""

import sys

from .. import _core, errors
from . import find
from .found import Found, dtype_of, ndarray_of, numpy_for, unsupported
from .frameworks import framework_of
from .masks import as_ndarray, beside, mask_of
from .numbers import common_type, is_exact
from .wrap import as_is, as_python


def elements_of(request, axis, each_row=False):
    """The Found of x, the elements, those of the second array (or None), and the request with converted masks and weights.
    If an array is on a device, nothing is converted.

    axis      along which weights may lie
    each_row  fweights may have one for each row
    """
    kind, ops, x, y, result = request.kind, request.ops, request.x, request.y, request.result
    arrays = [x] if y is None else [x, kind.agreeing(ops, "y", x, y)]
    found = [kind.found(ops, x), *[find(ops, a) for a in arrays[1:]]]
    if any([f.there for f in found]):
        found[0].there = True
        return found[0], None, None, request
    where, weights, fweights = request.where, request.weights, request.fweights
    if where is not None:
        where = kind.agreeing(ops, "where=", x, where, axis)
    if weights is not None:
        weights = kind.agreeing(ops, "weights=", x, weights, axis)
    if fweights is not None:
        fweights = kind.agreeing(ops, "fweights=", x, fweights, axis)
    if request.errors is not None:
        request.refuse_errors()
    if y is not None:
        arrays, found = paired(ops, arrays, found)
    own_mask = any([f.mask is not None for f in found])
    if where is not None or own_mask:
        where = mask_of(ops, found, where)
    first, second = found[0].array, None if y is None else found[1].array
    if weights is not None:
        first, second, weights, result = weighed(ops, first, second, arrays, weights, axis, result)
    if fweights is not None:
        fweights = along(ops, tuple(first.shape), as_ndarray(ops, "fweights=", fweights), axis) if each_row else beside(
            ops, "fweights=", fweights)
    found[0].masked, found[0].own_mask = any([f.masked for f in found]), own_mask
    if where is not None or weights is not None or fweights is not None:
        request = request.replace(where=where, weights=weights, fweights=fweights, result=result)
    return found[0], first, second, request


def weighed(op, x, y, given, weights, axis, result):
    """The elements, those of the second array (or None) and the weights, in one type, and the answer's type. Weights get
    as many axes as x.

    x       the array that given[0] was converted to; y, of its type, is given[1]
    result  the type that the caller asks for; None: that of numpy.average, which depends on types only
    raises  type_mismatch: no type holds all of these elements and weights
    """
    plain = beside(op, "weights=", weights)
    if dtype_of(plain) == dtype_of(x) and tuple(plain.shape) == tuple(x.shape):
        return x, y, plain, result
    if dtype_of(plain) == dtype_of(x) and isinstance(x, _core.View):  # also of types that NumPy lacks
        return x, y, beside(op, "weights=", along(op, tuple(x.shape), weights, axis)), result
    torch = sys.modules.get("torch")
    tensors = (*given, weights)
    if torch is not None and all(isinstance(a, torch.Tensor) for a in tensors) and any(
            a.dtype is torch.bfloat16 for a in tensors):  # a type that NumPy lacks
        alike = framework_of(op, given[0]).alike(op, *given, along(op, tuple(x.shape), weights, axis))
        x, *second, weights = (find(op, a).array for a in alike)
        if result is None:
            result = dtype_of(x) if given[0].is_floating_point() else "f64"
        return x, second[0] if second else None, weights, result
    numpy = numpy_for(op, "weights=")
    weights = along(op, tuple(x.shape), as_ndarray(op, "weights=", weights), axis)
    if dtype_of(weights) == dtype_of(x):
        return x, y, weights, result
    x, y = (None if a is None else ndarray_of(op, a) for a in (x, y))
    arrays = [x, weights] if y is None else [x, weights, y]
    if any(a.dtype.kind not in "biuf" for a in arrays):
        return x, y, weights, result
    (x, weights, *more), result = _of_one_type(op, numpy, arrays, result)
    return x, more[0] if more else None, weights, result


def paired(ops, given, found):
    """Two arrays with one shape, in NumPy's common type of both, and what they were converted to. Those of dot do not
    broadcast, as in NumPy's dot. Tensors get the narrowest type that holds both, as on a device.

    found   what the given arrays were converted to
    raises  type_mismatch: that type does not hold these elements
    """
    arrays = [f.array for f in found]
    types = [dtype_of(a) for a in arrays]
    shapes = [tuple(a.shape) for a in arrays]
    decides = next((f for f in found if f.wrap is not as_is and f.wrap is not as_python), found[0])
    if types[0] == types[1] and shapes[0] == shapes[1]:
        found[0].wrap, found[0].type_of = decides.wrap, decides.type_of
        return given, found
    torch = sys.modules.get("torch")
    if torch is not None and all(isinstance(x, torch.Tensor) for x in given):
        given = framework_of(ops, given[0]).paired(ops, *given)
        return given, [find(ops, x) for x in given]
    if shapes[0] != shapes[1] and "dot" in ops.split(","):
        raise errors.make("shape_mismatch", f"{ops}: the arrays have shapes {shapes[0]} and {shapes[1]}; they must agree")
    numpy = numpy_for(ops, "arrays of other types or shapes")
    arrays = [a.astype("f4") if t == "bf16" else a for a, t in zip((ndarray_of(ops, a) for a in arrays), types)]
    for a in arrays:
        if a.dtype.kind not in "biuf":
            raise unsupported(ops, f"an array of dtype {a.dtype} cannot be folded")
    common = common_type(ops, arrays, "one of them")
    try:
        both = numpy.broadcast_arrays(*(a.astype(common, copy=False) for a in arrays))
    except ValueError:
        raise errors.make("shape_mismatch", f"{ops}: the arrays have shapes {shapes[0]} and {shapes[1]}, which do not "
                           "broadcast") from None
    masks = [None if f.mask is None else numpy.broadcast_to(f.mask, both[0].shape) for f in found]
    return both, [Found(a, decides.wrap, m, decides.type_of) for a, m in zip(both, masks)]


def along(op, shape, weights, axis):
    """Weights along one or several axes, reshaped to broadcast to this shape, as numpy.average does."""
    rank, own = len(shape), tuple(weights.shape)
    if len(own) in (0, rank):  # the fold broadcasts these
        return weights
    if axis is None:
        raise errors.make("shape_mismatch", f"{op}: the weights have shape {own} "
                           f"and the array {shape}; the shapes must agree, or pass axis=")
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = [errors.integer(op, "axis", a, "type_mismatch") for a in axes]
    if any(not -rank <= a < rank for a in axes):
        return weights  # the fold reports the error
    axes = [a % rank for a in axes]
    extents = tuple(shape[a] for a in axes)
    if own != extents:
        raise errors.make(
            "shape_mismatch", f"{op}: the weights have shape {own}, but along axis "
            f"{axis} the array has shape {extents}; they must be equal")
    permuted = getattr(weights, "permute", weights.transpose)  # torch's name for it
    return permuted(sorted(range(len(axes)), key=axes.__getitem__)).reshape(
        [n if a in axes else 1 for a, n in enumerate(shape)])


def _of_one_type(op, numpy, arrays, result):
    """Elements and weights in a type that holds all; the answer does not depend on which one. arrays: x, weights, y."""
    x, weights = arrays[:2]
    common = numpy.result_type(x.dtype, weights.dtype)
    answer = common if x.dtype.kind == "f" else numpy.result_type(common, "f8")
    for t in (answer, x.dtype, weights.dtype, common):
        if all(is_exact(numpy, a, t) for a in arrays):
            return [a.astype(t, copy=False) for a in arrays], answer.name if result is None else result
    right = "fweights= takes such counts exactly" if weights.dtype.kind in "iu" else "convert one of them to the other's type"
    raise errors.make("type_mismatch", f"{op}: these {x.dtype} elements and {weights.dtype} weights have no common exact type: "
                       f"float64 is exact for integers up to 2^53 only; {right}")

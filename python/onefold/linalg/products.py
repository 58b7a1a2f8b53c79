"""Products of matrices: each entry is the exact dot product of a row and a column, rounded once."""

import contextlib
import math
import sys

from .. import _core, _ops, errors
from ..operands import complex_numbers, find, giver, in_memory, kind_of, like, shape_of
from ..operands.found import library_of, ndarray_of, on_device, unsupported
from ..operands.frameworks import dtype_of
from ..operands.numbers import is_exact
from ..operands.small import widened
from ..operands.wrap import long_names


def operand(name, x):
    """An array without labels, in memory if x is a path."""
    x = in_memory(name, x)
    kind = kind_of(x)
    if kind.has_labels or kind.has_frames:
        raise unsupported(name, "products do not keep row and column labels; pass x.to_numpy()")
    return x


def check_shapes(name, a, b):
    """Refuses two shapes that have no product."""
    for which, shape in (("first", a), ("second", b)):
        if not shape:
            raise errors.make("shape_mismatch", f"{name}: the {which} array is a single number, without axes; "
                               "multiply by it with *")
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner:
        raise errors.make(
            "shape_mismatch", f"{name}: shapes {a} and {b}: the last axis of the first array has {a[-1]} elements, and "
            f"the last but one of the second array has {inner}; they must be equal" if len(b) > 1 else
            f"{name}: shapes {a} and {b}: the last axes have {a[-1]} and {inner} elements; they must be equal")
    if any(m != n and 1 not in (m, n) for m, n in zip(reversed(a[:-2]), reversed(b[:-2]))):
        raise errors.make("shape_mismatch", f"{name}: shapes {a} and {b}: the axes before the last two, {a[:-2]} and "
                           f"{b[:-2]}, do not broadcast")


def no_common_type(name, *types):
    return errors.make(
        "type_mismatch", f"{name}: {' and '.join(map(str, types))} have no common type that holds both exactly; convert one "
                         "of them")


def of_one_type(name, *given):
    """All as NumPy's arrays of one type, and the Found of the one whose library answers have."""
    import numpy

    found = [find(name, x) for x in given]
    decides = giver(*given)
    if any(f.mask is not None for f in found):
        raise unsupported(name, "arrays with masks or nulls are not supported; fill them first")
    arrays = [ndarray_of(name, f.array) for f in found]
    if any(a.dtype != arrays[0].dtype for a in arrays):
        arrays = [a.astype("f4") if str(a.dtype) == "bfloat16" else a for a in arrays]
        known = all(a.dtype.kind in "biuf" for a in arrays)
        common = numpy.result_type(*(a.dtype for a in arrays)) if known else None
        lists = any(isinstance(x, (list, tuple)) for x in given)  # whose type nobody chose
        for a in arrays:
            if common is None or a.dtype.kind not in (common.kind, "b") and not (lists and is_exact(numpy, a, common)):
                raise no_common_type(name, *dict.fromkeys(a.dtype for a in arrays))
        arrays = [a.astype(common) for a in arrays]
    return *arrays, next(f for f, x in zip(found, given) if x is decides)


def alike(name, *given):
    """The arrays as NumPy's of one type if lists of numbers or several libraries are among them; others stay as they are."""
    mixed = len(set(map(library_of, given))) > 1 or any(isinstance(x, (list, tuple)) for x in given)
    if not mixed or any(on_device(x) or complex_numbers.is_complex(x) for x in given):
        return given
    return of_one_type(name, *given)[:-1]


def narrower(given, array, dtype=None):
    """dtype=, or the type that the library of `given` has instead of that of products of NumPy's array."""
    numpy = sys.modules.get("numpy")
    if dtype is not None or numpy is None or type(array) is not numpy.ndarray or array.dtype.char not in "efd":
        return dtype
    own = dtype_of(array)
    kept = kind_of(given).type_of(own)
    return None if kept == own else kept


# Of each float type: the bits of a number, and the exponents of the lowest bit and of the first number that is too large.
float_ranges = {"f16": (11, -24, 16), "bf16": (8, -133, 128), "f32": (24, -149, 128), "f64": (53, -1074, 1024)}


def _rounded_to(dtype, x, y, fold):
    """The dots fold(x, y, dtype) of rows. In the elements' own type they are quicker, and rounding these again is right but for
    what is then halfway between two numbers: those are folded again."""
    own, wanted = dtype_of(x), float_ranges.get(dtype)
    is_quicker = x.is_cuda or own == "f64" if is_tensor(x) else not on_device(x) and own == "f64" and dtype != "bf16"
    if wanted is None or own not in float_ranges or float_ranges[own][0] <= wanted[0] or not is_quicker or is_captured(x):
        return fold(x, y, dtype)
    bits, _, top = wanted
    wide = fold(x, y, own)
    answer = cast(wide, dtype)
    # Libraries round f64 to 16 bits through f32.
    near = wide if dtype == "f32" else cast(cast(wide, "f32"), own)
    back = cast(answer, own)
    other = back + 2 * (near - back)
    halfway = (other != back) & (cast(cast(other, dtype), own) == other) | (abs(near) == 2.0**top - 2.0**(top - bits - 1))
    if not bool(halfway.any()):
        return answer
    places = halfway.nonzero(as_tuple=True) if is_tensor(x) else halfway.nonzero()
    most = max((1 << 22) // max(x.shape[-1], 1), 1)
    for first in range(0, len(places[0]), most):
        some = tuple(place[first:first + most] for place in places)
        answer[some] = fold(x[some], y[some], dtype)
    return answer


def quiet():
    """Without NumPy's warnings of infinities, NaN and numbers that underflow."""
    numpy = sys.modules.get("numpy")
    return contextlib.nullcontext() if numpy is None else numpy.errstate(all="ignore")


def is_tensor(x):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def is_captured(x):
    """Whether a graph is captured on x's device, so that no element can be looked at."""
    return is_tensor(x) and x.is_cuda and sys.modules["torch"].cuda.is_current_stream_capturing()


def cast(x, dtype):
    """The array in a type, as "f64"."""
    if dtype_of(x) == dtype:
        return x
    return x.to(getattr(sys.modules["torch"], long_names[dtype])) if is_tensor(x) else x.astype(long_names[dtype])


def type_for(name, x, dtype):
    """dtype=, or the narrower type that x's library has instead."""
    return dtype if dtype is None or complex_numbers.complex_bytes(dtype) else kind_of(x).type_of(_core.dtype_name(dtype, name))


def product_of(name, a, b, dtype=None, threads=None):
    """a @ b of arrays that have `shape`, as dot of views with strides of 0."""
    a, b = operand(name, a), operand(name, b)
    if complex_numbers.is_complex(a) or complex_numbers.is_complex(b):
        check_shapes(name, shape_of(name, a), shape_of(name, b))
        return complex_numbers.product(name, a, b, dtype, lambda x, y, part: product_of(name, x, y, part, threads))
    there = on_device(a) or on_device(b) or all(library_of(x) == "torch" for x in (a, b))
    given = giver(a, b)
    dtype = dtype if there else type_for(name, given, dtype)
    if there:
        from ..reduce import device

        a, b = widened(a), widened(b)
        if len({device.kind_of(x) for x in (a, b)} - {"b"}) > 1:
            raise no_common_type(name, a.dtype, b.dtype)
        shapes = [shape_of(name, x) for x in (a, b)]
    else:
        a, b, found = of_one_type(name, a, b)
        dtype, shapes = narrower(given, a, dtype), [a.shape, b.shape]
    check_shapes(name, *shapes)
    # (.., rows, 1, inner) and (.., 1, columns, inner): the last axis is folded, the others broadcast.
    a = a[None, None] if len(shapes[0]) == 1 else a[..., None, :]
    b = b[None, None] if len(shapes[1]) == 1 else b.swapaxes(-1, -2)[..., None, :, :]
    if there:
        a, b = device.broadcast(name, (a, b), -1)
    else:
        import numpy

        a, b = numpy.broadcast_arrays(a, b)
    keywords = {} if threads is None else {"threads": threads}
    if dtype is None:
        answer = _core.dot(a, b, axis=-1, **keywords)
    else:
        with quiet():
            answer = _rounded_to(_core.dtype_name(dtype, name), a, b, lambda x, y, to: _core.dot(x, y, axis=-1, dtype=to, **keywords))
    if len(shapes[1]) == 1:
        answer = answer[..., 0]
    if len(shapes[0]) == 1:
        answer = answer[..., 0, :] if len(shapes[1]) > 1 else answer[..., 0]
    if there:
        return answer
    if dtype is not None:
        return like(given, answer)
    return found.wrap(answer, _ops.ops["dot"].types[dtype_of(a)])


def matmul(a, b, /, *, dtype=None, threads=None):
    """The product of matrices, each entry the exact sum of a row's products with a column, rounded once.

    Parameters
    ----------
    a, b : array_like
        Arrays of one library, of floats, complex numbers, integers or bools: (.., m, k) and (.., k, n). Leading
        axes broadcast. An array of one axis is a row on the left and a column on the right. Lists of numbers are
        taken as NumPy takes them, if their common type with the other array holds all elements.
    dtype : dtype, optional
        The exact entry is rounded once to this type. By default the wider type of both floats, of integers
        int64 or uint64.
    threads : int, optional
        None and 0 use one thread for each core, or what set_threads says.

    Returns
    -------
    array
        Of shape (.., m, n), with the same bits for any batch, threads and strides. If one array is of a framework such
        as JAX, and the other is a list or NumPy's, the answer is of the framework.

    Raises
    ------
    ShapeError, DTypeError, OverflowError
        The shapes do not fit, or a sum of integers leaves 64 bits.

    Notes
    -----
    - cost: docs/matmul.md

    Examples
    --------
    >>> import numpy, onefold
    >>> onefold.matmul(numpy.array([[1e16, 1.0, -1e16]]), numpy.ones((3, 1))).tolist()
    [[1.0]]
    """
    numpy = sys.modules.get("numpy")
    if numpy is not None and dtype is None and type(a) is type(b) is numpy.ndarray and (
            a.dtype is b.dtype and a.dtype.kind in "biuf" and a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]):
        shape = a.shape[0], b.shape[1], a.shape[1]  # without what the general way asks: 18 us less
        views = numpy.broadcast_to(a[:, None], shape), numpy.broadcast_to(b.T, shape)
        return _core.dot(*views, -1) if threads is None else _core.dot(*views, -1, threads=threads)
    torch = sys.modules.get("torch")
    if torch is not None and dtype is threads is None and type(a) is type(b) is torch.Tensor and (
            a.is_cuda and a.dtype is b.dtype and a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]):
        shape = a.shape[0], b.shape[1], a.shape[1]
        return _core.dot(a.as_strided(shape, (a.stride(0), 0, a.stride(1))),
                         b.as_strided(shape, (0, b.stride(1), b.stride(0))), -1)
    return product_of("matmul", a, b, dtype, threads)


def _axes_of(axes, a, b):
    """The axes of a and of b that tensordot folds, as two lists of numbers from 0."""
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise errors.make("bad_option", f"tensordot: axes={errors.shown(axes)} is neither a number nor two lists of axes")
        lists = [list(one) if isinstance(one, (tuple, list)) else [one] for one in axes]
    else:
        n = errors.integer("tensordot", "axes", axes, "type_mismatch")
        if not 0 <= n <= min(len(a), len(b)):
            raise errors.make("bad_axis", f"tensordot: axes={n}, but shapes {a} and {b} have only {min(len(a), len(b))} "
                               "axes to pair")
        return list(range(len(a) - n, len(a))), list(range(n))
    made = [errors.axes_of("tensordot", one, shape) for one, shape in zip(lists, (a, b))]
    if [a[i] for i in made[0]] != [b[i] for i in made[1]]:
        raise errors.make("shape_mismatch", f"tensordot: axes {made[0]} of shape {a} and {made[1]} of {b} have different "
                           "extents; they must be equal")
    return made


def tensordot(a, b, /, axes=2):
    """Sums of products over pairs of axes, each exact and rounded once; the kept axes of a come first, then those of b.

    axes     a number: so many last axes of a and first axes of b; or the axes of a and the axes of b, as two lists
    returns  as matmul()
    """
    a, b = operand("tensordot", a), operand("tensordot", b)
    given = giver(a, b)
    a, b = (x if hasattr(x, "reshape") else _ndarray(x) for x in alike("tensordot", a, b))
    shapes = [shape_of("tensordot", x) for x in (a, b)]
    folded = _axes_of(axes, *shapes)
    if any(shapes[0][i] != shapes[1][k] for i, k in zip(*folded)):
        raise errors.make("shape_mismatch", f"tensordot: the last {len(folded[0])} axes of shape {shapes[0]} and the first of "
                           f"{shapes[1]} have different extents; they must be equal")
    kept = [[i for i in range(len(s)) if i not in f] for s, f in zip(shapes, folded)]
    rows, columns = [shapes[0][i] for i in kept[0]], [shapes[1][i] for i in kept[1]]
    inner = math.prod(shapes[0][i] for i in folded[0])
    left = permuted(a, kept[0] + folded[0]).reshape((math.prod(rows), inner))
    right = permuted(b, folded[1] + kept[1]).reshape((inner, math.prod(columns)))
    answer = product_of("tensordot", left, right, narrower(given, left))
    return like(given, answer.reshape((*rows, *columns)) if rows or columns else answer[0, 0])


def _ndarray(x):
    return ndarray_of("tensordot", find("tensordot", x).array)


def permuted(x, axes):
    """The array with its axes in another order."""
    return x.permute(*axes) if hasattr(x, "permute") else x.transpose(axes)

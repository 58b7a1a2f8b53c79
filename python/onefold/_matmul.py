"""Products of matrices: each entry is the exact dot product of a row and a column, rounded once."""

import math
import sys

from . import _complex, _core, _errors, _ops
from ._found import dtype_of, library_of, ndarray_of, on_device, unsupported
from ._small import widened
from .kinds import find, in_memory, kind_of, shape_of


def operand(name, x):
    """An array without labels, in memory if x is a path."""
    x = in_memory(name, x)
    kind = kind_of(x)
    if kind.has_labels or kind.has_frames:
        raise unsupported(name, "labels of rows and columns do not go through a product; give x.to_numpy()")
    return x


def _check(name, a, b):
    """Refuses two shapes that have no product."""
    for which, shape in (("first", a), ("second", b)):
        if not shape:
            raise _errors.make("shape_mismatch", f"{name}: the {which} array has no axis; multiply by a number instead")
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner:
        raise _errors.make(
            "shape_mismatch", f"{name}: shapes {a} and {b}: the last axis of the first has {a[-1]} elements, and that of the "
            f"second before its last has {inner}; they must agree" if len(b) > 1 else
            f"{name}: shapes {a} and {b}: the last axes have {a[-1]} and {inner} elements; they must agree")
    if any(m != n and 1 not in (m, n) for m, n in zip(reversed(a[:-2]), reversed(b[:-2]))):
        raise _errors.make("shape_mismatch", f"{name}: shapes {a} and {b}: {a[:-2]} and {b[:-2]} do not broadcast")


def no_common_type(name, a, b):
    return _errors.make(
        "type_mismatch",
        f"{name}: {a} and {b} have no common type that is exact; convert one of them")


def two_arrays(name, x1, x2):
    """Both as NumPy's arrays of one type, and the Found of the first."""
    import numpy

    found = [find(name, x) for x in (x1, x2)]
    if any(f.mask is not None for f in found):
        raise unsupported(name, "two arrays without masks are folded")
    a, b = (ndarray_of(name, f.array) for f in found)
    if a.dtype != b.dtype:
        known = all(side.dtype.kind in "biuf" for side in (a, b))
        common = numpy.result_type(a.dtype, b.dtype) if known else None
        for side in (a, b):
            if common is None or side.dtype.kind not in (common.kind, "b"):
                raise no_common_type(name, a.dtype, b.dtype)
        a, b = a.astype(common), b.astype(common)
    return a, b, found[0]


def _product(name, a, b, dtype=None, threads=None):
    """a @ b of arrays that have `shape`, as dot of views with strides of 0."""
    a, b = operand(name, a), operand(name, b)
    if _complex.is_complex(a) or _complex.is_complex(b):
        _check(name, shape_of(name, a), shape_of(name, b))
        return _complex.product(name, a, b, dtype, lambda x, y, part: _product(name, x, y, part, threads))
    there = on_device(a) or on_device(b) or all(library_of(x) == "torch" for x in (a, b))
    if there:
        from . import _device

        a, b = widened(a), widened(b)
        if len({_device.kind_of(x) for x in (a, b)} - {"b"}) > 1:
            raise no_common_type(name, a.dtype, b.dtype)
        shapes = [shape_of(name, x) for x in (a, b)]
    else:
        a, b, found = two_arrays(name, a, b)
        shapes = [a.shape, b.shape]
    _check(name, *shapes)
    # (.., rows, 1, inner) and (.., 1, columns, inner): the last axis is folded, the others broadcast.
    a = a[None, None] if len(shapes[0]) == 1 else a[..., None, :]
    b = b[None, None] if len(shapes[1]) == 1 else b.swapaxes(-1, -2)[..., None, :, :]
    keywords = {key: value for key, value in (("dtype", dtype), ("threads", threads)) if value is not None}
    if there:
        answer = _core.dot(*_device.broadcast(name, (a, b), -1), axis=-1, **keywords)
    else:
        import numpy

        answer = _core.dot(*numpy.broadcast_arrays(a, b), axis=-1, **keywords)
    if len(shapes[1]) == 1:
        answer = answer[..., 0]
    if len(shapes[0]) == 1:
        answer = answer[..., 0, :] if len(shapes[1]) > 1 else answer[..., 0]
    if there or dtype is not None:
        return answer
    return found.wrap(answer, _ops.ops["dot"].types[dtype_of(a)])


def matmul(a, b, /, *, dtype=None, threads=None):
    """The product of matrices, each entry the exact sum of a row's products with a column, rounded once.

    a, b     arrays of one library, of floats, complex numbers, integers or bools: (.., m, k) and (.., k, n). Leading axes broadcast; an
             array of one axis is a row on the left and a column on the right; any strides, also on a device
    dtype    to which the exact entry is rounded; by default for floats the wider type of both, for integers int64 or uint64
    returns  an array of shape (.., m, n), with the same bits for any batch, threads and strides
    cost     docs/matmul.md
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
    return _product("matmul", a, b, dtype, threads)


def _axes_of(axes, a, b):
    """The axes of a and of b that tensordot folds, as two lists of numbers from 0."""
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise _errors.make("bad_option", f"tensordot: axes={_errors.shown(axes)} is neither a number nor two lists of axes")
        lists = [list(one) if isinstance(one, (tuple, list)) else [one] for one in axes]
    else:
        n = _errors.integer("tensordot", "axes", axes, "type_mismatch")
        if not 0 <= n <= min(len(a), len(b)):
            raise _errors.make("bad_axis", f"tensordot: axes={n}, and shapes {a} and {b} have at most {min(len(a), len(b))} "
                               "in common")
        return list(range(len(a) - n, len(a))), list(range(n))
    made = [_errors.axes_of("tensordot", one, shape) for one, shape in zip(lists, (a, b))]
    if [a[i] for i in made[0]] != [b[i] for i in made[1]]:
        raise _errors.make("shape_mismatch", f"tensordot: axes {made[0]} of shape {a} and {made[1]} of {b} have different "
                           "extents; they must agree")
    return made


def tensordot(a, b, /, *, axes=2):
    """Sums of products over pairs of axes, each exact and rounded once; the kept axes of a come first, then those of b.

    axes     a number: so many last axes of a and first axes of b; or the axes of a and the axes of b, as two lists
    returns  as matmul()
    """
    a, b = operand("tensordot", a), operand("tensordot", b)
    a, b = (x if hasattr(x, "reshape") else _ndarray(x) for x in (a, b))
    shapes = [shape_of("tensordot", x) for x in (a, b)]
    folded = _axes_of(axes, *shapes)
    if any(shapes[0][i] != shapes[1][k] for i, k in zip(*folded)):
        raise _errors.make("shape_mismatch", f"tensordot: the last {len(folded[0])} axes of shape {shapes[0]} and the first of "
                           f"{shapes[1]} have different extents; they must agree")
    kept = [[i for i in range(len(s)) if i not in f] for s, f in zip(shapes, folded)]
    rows, columns = [shapes[0][i] for i in kept[0]], [shapes[1][i] for i in kept[1]]
    inner = math.prod(shapes[0][i] for i in folded[0])
    left = permuted(a, kept[0] + folded[0]).reshape((math.prod(rows), inner))
    right = permuted(b, folded[1] + kept[1]).reshape((inner, math.prod(columns)))
    answer = _product("tensordot", left, right)
    return answer.reshape((*rows, *columns)) if rows or columns else answer[0, 0]


def _ndarray(x):
    return ndarray_of("tensordot", find("tensordot", x).array)


def permuted(x, axes):
    """The array with its axes in another order."""
    return x.permute(*axes) if hasattr(x, "permute") else x.transpose(axes)

"""Folds of arrays on the host, of any kind: they are converted, and _core folds them."""

from .. import _core, errors
from .._keywords import keywords_of
from ..files import told_progress
from ..operands import chunks, complex_numbers, rational_numbers, small, times
from ..operands.elements import elements_of
from ..operands.found import dtype_of, type_name, unsupported
from ..operands.masks import absent_from, masked, without_freedom
from ..operands.types import answer_types, rounded_once
from ..operands.wrap import as_is, as_python


def fold(request):
    """The answers to a request for one array, or for two, as a list."""
    if request.kind.has_devices and request.kind.on_device(request.x):
        return _on_device(request)
    if request.progress is not None:
        with told_progress(request.ops, request.progress) as callback:
            return fold_converted(request.replace(progress=callback))
    if request.result is not None and complex_numbers.is_complex(request.x):
        return fold_converted(request)
    if request.errors is not None or not (request.weights is None or _are_alike(request.x, request.weights)):
        return fold_converted(request)
    try:
        values = _core.fold_array(request.ops, request.x, request.y, keywords_of(request))
    except errors.UnsupportedError:
        if not (request.kind.has_rationals and request.kind.is_rationals(request.x)):
            raise
        values = None
    return fold_converted(request) if values is None else values  # None: some argument must be converted first


def _on_device(request):
    from . import device

    if complex_numbers.is_complex(request.x) or complex_numbers.is_complex(request.y):
        return complex_numbers.fold(request, fold)

    return device.fold(request)


def _are_alike(x, weights):
    """Whether weights have x's type and shape."""
    return type(x) is type(weights) and hasattr(x, "dtype") and x.dtype == weights.dtype and x.shape == weights.shape


def fold_converted(request):
    """Does the same, and converts the arguments first: those of a builtin that could not read them."""
    kind, ops, x, y, axis, keepdims = (
        request.kind, request.ops, request.x, request.y, request.axis, request.keepdims)
    if y is None and kind.has_times and kind.is_times(x):
        values = times.fold(request)
        return [kind.keep(x, v, axis, keepdims) for v in values] if kind.has_labels else values
    if y is None and kind.has_rationals and kind.is_rationals(x):
        return rational_numbers.fold(request, fold_converted)
    if any([complex_numbers.is_complex(a) for a in (x, y)  # which calls of other arrays do not enter
            if getattr(dtype := getattr(a, "dtype", None), "kind", None) == "c" or getattr(dtype, "is_complex", False)]):
        values = complex_numbers.fold(request, fold)
        return [kind.keep(x, v, axis, keepdims) for v in values] if kind.has_labels and request.out is None else values
    if kind.chunked and chunks.are_whole(request):
        return chunks.fold(request, kind.chunks(ops, x))
    if getattr(getattr(x, "dtype", None), "itemsize", None) == 1 and small.are_long(request):
        return small.fold(request)
    found, first, second, plain = elements_of(request, axis)
    if found.there:
        return _on_device(request)
    own_mask, wrap, type_of = found.own_mask, found.wrap, found.type_of
    typed = wrap is not as_is and wrap is not as_python
    dtype = found.array.dtype if isinstance(found.array, _core.View) else dtype_of(found.array) if typed else None
    if found.masked and request.out is None:
        absent = absent_from(first.shape, plain.where, request)
        more = {"keepdims": True, "absent": absent} if absent.ndim else {}
        values = _core.fold_array(ops, first, second, keywords_of(plain, own_mask=own_mask, **more))
        return [without_freedom(op, masked(op, v, absent, request), first.shape, plain.where, request)
                for op, v in zip(ops.split(","), values)]
    if type_of is not str and request.out is None:
        types = answer_types(plain, dtype)
        values = rounded_once(plain, types, type_of, lambda one: _core.fold_array(
            one.ops, first, second, keywords_of(one, own_mask=own_mask)))
    else:
        values = _core.fold_array(ops, first, second, keywords_of(plain, own_mask=own_mask))
        if values is None:
            raise unsupported(ops, f"such a {type_name(x)} cannot be folded")
        types = answer_types(plain, dtype) if typed else [None] * len(values)
    if request.out is not None:
        return values
    values = [wrap(v, t) for v, t in zip(values, types)]
    return [kind.keep(x, v, axis, request.keepdims) for v in values] if kind.has_labels else values

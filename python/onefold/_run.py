"""Folds of arrays on the host, of any kind: they are converted, and _core folds them."""

from . import _chunks, _core, _times
from ._files import told_progress
from ._keywords import keywords_of
from ._masks import absent_from, beside, mask_of, masked, without_freedom
from ._types import answer_types, rounded_once
from ._weights import paired, weighed
from .kinds import find


def fold(request):
    """The answers to a request for one array, or for two, as a list."""
    if request.kind.has_devices and request.kind.on_device(request.x):
        return _on_device(request)
    if request.progress is not None:
        with told_progress(request.ops, request.progress) as callback:
            return fold_converted(request.replace(progress=callback))
    if request.errors is not None or not (request.weights is None or _are_alike(request.x, request.weights)):
        return fold_converted(request)
    values = _core.fold_array(request.ops, request.x, request.y, keywords_of(request))
    return fold_converted(request) if values is None else values  # None: some argument must be converted first


def _on_device(request):
    from . import _device

    return _device.fold(request)


def _are_alike(x, weights):
    """Whether weights have x's type and shape."""
    return type(x) is type(weights) and hasattr(x, "dtype") and x.dtype == weights.dtype and x.shape == weights.shape


def fold_converted(request):
    """Does the same, and converts the arguments first: those of a builtin that could not read them."""
    kind, ops, x, y, axis, keepdims = (
        request.kind, request.ops, request.x, request.y, request.axis, request.keepdims)
    if y is None and kind.has_times and kind.is_times(x):
        values = _times.fold(request)
        return [kind.keep(x, v, axis, keepdims) for v in values] if kind.has_labels else values
    if kind.chunked and _chunks.are_whole(request):
        return _chunks.fold(request, kind.chunks(ops, x))
    arrays, found = [x], [kind.found(ops, x)]
    if y is not None:
        arrays.append(kind.agreeing(ops, "y", x, y))
        found.append(find(ops, arrays[1]))
    if any([f.there for f in found]):
        return _on_device(request)
    where, weights, fweights, result = request.where, request.weights, request.fweights, request.result
    if where is not None:
        where = kind.agreeing(ops, "where=", x, where, axis)
    if weights is not None:
        weights = kind.agreeing(ops, "weights=", x, weights, axis)
    if fweights is not None:
        fweights = kind.agreeing(ops, "fweights=", x, fweights, axis)
    if request.errors is not None:
        request.refuse_errors()
    is_masked = any([f.masked for f in found])
    if y is not None:
        arrays, found = paired(ops, arrays, found)
    own_mask = any([f.mask is not None for f in found])
    if where is not None or own_mask:
        where = mask_of(ops, found, where)
    first, second = found[0].array, None if y is None else found[1].array
    if weights is not None:
        first, second, weights, result = weighed(ops, first, second, arrays, weights, axis, result)
    if fweights is not None:
        fweights = beside(ops, "fweights=", fweights)
    plain = request
    if where is not None or weights is not None or fweights is not None:
        plain = request.replace(where=where, weights=weights, fweights=fweights, result=result)

    wrap, type_of, is_view = found[0].wrap, found[0].type_of, isinstance(first, _core.View)
    if is_masked and request.out is None:
        absent = absent_from(first.shape, where, request)
        more = {"keepdims": True, "absent": absent} if absent.ndim else {}
        values = _core.fold_array(ops, first, second, keywords_of(plain, own_mask=own_mask, **more))
        return [without_freedom(op, masked(op, v, absent, request), first.shape, where, request)
                for op, v in zip(ops.split(","), values)]
    if is_view and type_of is not str:
        types = answer_types(plain, first.dtype)
        values = rounded_once(plain, types, type_of, lambda one: _core.fold_array(
            one.ops, first, second, keywords_of(one, own_mask=own_mask)))
    else:
        values = _core.fold_array(ops, first, second, keywords_of(plain, own_mask=own_mask))
        types = answer_types(plain, first.dtype) if is_view else [None] * len(values)
    if request.out is not None:
        return values
    values = [wrap(v, t) for v, t in zip(values, types)]
    return [kind.keep(x, v, axis, request.keepdims) for v in values] if kind.has_labels else values

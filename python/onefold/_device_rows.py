"""Functions of the slices of an array on a device: logsumexp, softmax, rms_norm and their kin, quantiles."""

import math

from . import _core, _errors
from ._device import Fold, its_device
from ._found import unsupported
from ._frameworks import Waiting, framework_of
from ._keywords import keywords_of


def _refuse_waiting(fold):
    if isinstance(fold.framework, Waiting):
        raise unsupported(fold.ops, "elements of these arrays have answers on the host only; copy the array there")


def _folded(request):
    """The axes of slices, ascending, and the others."""
    x, axis = request.x, request.axis
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
    folded = sorted(_errors.axes_of(request.ops, axes, x.shape))
    return folded, [d for d in range(x.ndim) if d not in folded]


def _as_slices(framework, x, folded, rest):
    """The array with one axis for its slices, and that axis: the last one if several were folded."""
    if len(folded) == 1:
        axis = folded[0]
    else:
        axis, together = len(rest), math.prod(x.shape[d] for d in folded)
        x = framework.order(x, [*rest, *folded]).reshape([*(x.shape[d] for d in rest), together])
    return framework.dense(x) if framework.repeats(x) else x, axis


def _back(framework, answer, order):
    """An array whose axes stand in this order, in its own."""
    return framework.order(answer, sorted(range(len(order)), key=order.__getitem__))


def _exponential(fold, axis, each):
    x, asked, framework = fold.views[0], fold.asked, fold.framework
    if isinstance(framework, Waiting):
        if each:
            _refuse_waiting(fold)
        value = _core.exponential(fold.ops, x, keywords_of(asked.replace(axis=axis)))
        return framework.put(value, x.dtype)
    shape = list(x.shape)
    if not each:
        del shape[axis]
    out, place = framework.empty(x.dtype, shape)
    raises = asked.nan == "raise" and not each
    status, of_status = framework.empty("u8", shape) if raises else (None, 0)
    if math.prod(shape):
        _core.exponential_on_device(fold.ops, x, axis, shape, place, of_status, framework.stream,
                                    {} if each or asked.nan is None else {"nan": asked.nan})
        if raises:
            _core.raise_status(fold.ops, int(status.max()))
    return out.reshape([*shape[:axis], 1, *shape[axis:]]) if asked.keepdims and not each else out


def exponential(request, each):
    """logsumexp and its kin along any axes; each: every element has an answer."""
    name, x = request.ops, request.x
    with its_device(x):
        folded, rest = _folded(request)
        framework = framework_of(name, x)
        moved, axis = _as_slices(framework, x, folded, rest)
        if len(folded) == 1:
            return _exponential(Fold(request.replace(x=moved), [moved]), axis, each)
        answer = _exponential(Fold(request.replace(x=moved, keepdims=False), [moved]), axis, each)
        if each:
            order = [*rest, *folded]
            return _back(framework, answer.reshape([x.shape[d] for d in order]), order)
        return answer.reshape([1 if d in folded else n for d, n in enumerate(x.shape)]) if request.keepdims else answer


def quantiles(request, words, method):
    """Quantiles along any axes: an array with an axis for them in front."""
    name, x = request.ops, request.x
    with its_device(x):
        folded, rest = _folded(request)
        framework = framework_of(name, x)
        kept = [x.shape[d] for d in rest]
        moved, axis = _as_slices(framework, x, folded, rest)
        fold = Fold(request.replace(x=moved, keepdims=False), [moved])
        _refuse_waiting(fold)
        view = fold.views[0]
        shape = [len(words), *kept]
        out, place = framework.empty(view.dtype, shape)
        status, of_status = framework.empty("u8", shape) if request.nan == "raise" else (None, 0)
        if math.prod(shape):
            _core.quantile_on_device(name, words, method, view, axis, kept, place, of_status, framework.stream,
                                     {} if request.nan is None else {"nan": request.nan})
            if status is not None:
                _core.raise_status(name, int(status.max()))
        if request.keepdims:
            out = out.reshape([len(words), *(1 if d in folded else n for d, n in enumerate(x.shape))])
        return out


def norm(request, factors, eps):
    """rms_norm and layer_norm along any axes; factors: weight and bias, or None."""
    x = request.x
    with its_device(x):
        folded, rest = _folded(request)
        framework = framework_of(request.ops, x)
        order, together = [*rest, *folded], len(folded) > 1
        moved = x
        if together:  # then elements of a slice are neighbours in C order
            moved, folded = framework.dense(framework.order(x, order)), list(range(len(rest), x.ndim))
        elif framework.repeats(x):
            moved = framework.dense(x)
        given, places = [moved], []
        for factor in factors:
            places.append(None if factor is None else len(given))
            given += [] if factor is None else [framework.dense(factor)]
        fold = Fold(request.replace(x=moved), given, are_pairs=False)
        _refuse_waiting(fold)
        view = fold.views[0]
        out, place = framework.empty(view.dtype, list(view.shape))
        if math.prod(view.shape):
            _core.norm_on_device(fold.ops, view, *(None if k is None else fold.views[k] for k in places), eps, folded,
                                 place, framework.stream)
        return _back(framework, out, order) if together else out

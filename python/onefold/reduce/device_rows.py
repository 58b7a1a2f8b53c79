"""Functions of the slices of an array on a device: logsumexp, softmax, rms_norm and their kin."""

import math

from .. import _core, errors
from .._keywords import keywords_of
from ..operands.found import on_device, type_name, unsupported
from ..operands.frameworks import Waiting, framework_of
from .device import Fold, its_device
from .request import Request


def _refuse_waiting(fold):
    if isinstance(fold.framework, Waiting):
        raise unsupported(fold.ops, f"a {type_name(fold.given.x)} on a device is not supported here; copy it to the CPU")


def fold_of(request):
    fold = Fold(request, [request.x])
    _refuse_waiting(fold)
    return fold


def folded_of(request):
    """The axes of slices, ascending, and the others."""
    x, axis = request.x, request.axis
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
    folded = sorted(errors.axes_of(request.ops, axes, x.shape))
    return folded, [d for d in range(x.ndim) if d not in folded]


def as_slices(framework, x, folded, rest):
    """The array with one axis for its slices, and that axis: the last one if several were folded."""
    if len(folded) == 1:
        axis = folded[0]
    else:
        axis, together = len(rest), math.prod(x.shape[d] for d in folded)
        x = framework.order(x, [*rest, *folded]).reshape([*(x.shape[d] for d in rest), together])
    return framework.dense(x) if framework.repeats(x) else x, axis


def _back(framework, answer, order):
    """Returns the array with its axes moved back from this order."""
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
        folded, rest = folded_of(request)
        framework = framework_of(name, x)
        moved, axis = as_slices(framework, x, folded, rest)
        if len(folded) == 1:
            return _exponential(Fold(request.replace(x=moved), [moved]), axis, each)
        answer = _exponential(Fold(request.replace(x=moved, keepdims=False), [moved]), axis, each)
        if each:
            order = [*rest, *folded]
            return _back(framework, answer.reshape([x.shape[d] for d in order]), order)
        return answer.reshape([1 if d in folded else n for d, n in enumerate(x.shape)]) if request.keepdims else answer


def _state_words(name, framework, x, axis):
    """The words of the slices along an axis, on the device: an array of i64 with an axis for them behind the others."""
    shape = [*(n for d, n in enumerate(x.shape) if d != axis), _core.LogsumexpStates.words_each]
    words, place = framework.empty("i64", shape)
    if not math.prod(x.shape):
        words[...] = 0
    else:
        _core.gather_logsumexp_on_device(name, framework.view(x), axis, shape, place, framework.stream)
    return words


def logsumexp_states(request):
    """The LogsumexpStates of slices, on the host; the call waits."""
    name, x = request.ops, request.x
    with its_device(x):
        folded, rest = folded_of(request)
        framework = framework_of(name, x)
        if isinstance(framework, Waiting):
            raise unsupported(name, f"states of a {type_name(x)} can be gathered on the CPU only; copy the array there")
        x, axis = as_slices(framework, x, folded, rest)
        shape = [n for d, n in enumerate(x.shape) if d != axis]
        if request.keepdims:
            shape = [1 if d in folded else n for d, n in enumerate(request.x.shape)]
        policy = {} if request.nan is None else {"nan": request.nan}
        words = framework.bytes_of(_state_words(name, framework, x, axis))
        return _core.logsumexp_states(name, words, framework.view(x).dtype, shape, policy)


def logsumexp_words(x, axis):
    """The words of the slices along one axis of a torch tensor on a device, queued there."""
    name = "logsumexp_of_shards"
    framework = framework_of(name, x)
    moved, axis = as_slices(framework, x, *folded_of(Request(None, name, x, None, None, None, axis=axis)))
    return _state_words(name, framework, moved, axis)


def logsumexp_of_words(words, dtype):
    """The answers, of a float type of torch, of words that have an axis for the parts before the others; NaN: undecided."""
    framework = framework_of("logsumexp_of_shards", words)
    shape = list(words.shape[1:-1])
    out = words.new_empty(shape, dtype=dtype)
    if out.numel():
        of = framework.view(out)
        _core.logsumexp_of_states_on_device(framework.view(words), of.dtype, shape, out.data_ptr(), framework.stream)
    return out


# What has a number for each element.
beside_x = ("where", "weights", "fweights")


def spread(framework, request, name):
    """Broadcasts one of the arrays named in beside_x to x's shape, on the device."""
    x, array = request.x, getattr(request, name)
    try:
        made = framework.spread(x, array)[1]
    except (ValueError, RuntimeError):
        made = array
    if tuple(made.shape) != tuple(x.shape):
        raise errors.make("shape_mismatch", f"{request.ops}: {name}= has shape {tuple(array.shape)}, which does not broadcast "
                           f"to {tuple(x.shape)}")
    return made


def given_there(request):
    """Returns the names in beside_x whose arguments are arrays on the device."""
    return [name for name in beside_x if (a := getattr(request, name)) is not None and a is not True and on_device(a)]


def norm(request, factors, eps):
    """rms_norm and layer_norm along any axes; factors: weight and bias, or None."""
    x = request.x
    with its_device(x):
        folded, rest = folded_of(request)
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

"""Functions of the slices of an array on a device: logsumexp, softmax, rms_norm and their kin, quantiles."""

import math

from . import _core, _errors, _keys
from ._device import Fold, its_device, numbered_together
from ._found import on_device, type_name, unsupported
from ._frameworks import Waiting, framework_of
from ._keywords import keywords_of
from ._request import Request
from ._small import widened
from ._weights import along


def _refuse_waiting(fold):
    if isinstance(fold.framework, Waiting):
        raise unsupported(fold.ops, f"a {type_name(fold.given.x)} on a device is not supported here; copy it to the CPU")


def _fold_of(request):
    fold = Fold(request, [request.x])
    _refuse_waiting(fold)
    return fold


def folded_of(request):
    """The axes of slices, ascending, and the others."""
    x, axis = request.x, request.axis
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
    folded = sorted(_errors.axes_of(request.ops, axes, x.shape))
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
_beside = ("where", "weights", "fweights")


def spread(framework, request, name):
    """Broadcasts one of the arrays named in _beside to x's shape, on the device."""
    x, array = request.x, getattr(request, name)
    try:
        made = framework.spread(x, array)[1]
    except (ValueError, RuntimeError):
        made = array
    if tuple(made.shape) != tuple(x.shape):
        raise _errors.make("shape_mismatch", f"{request.ops}: {name}= has shape {tuple(array.shape)}, which does not broadcast "
                           f"to {tuple(x.shape)}")
    return made


def given_there(request):
    """Returns the names in _beside whose arguments are arrays on the device."""
    return [name for name in _beside if (a := getattr(request, name)) is not None and a is not True and on_device(a)]


def _of_slices(framework, request, folded, rest):
    """where= and weights with the axes that as_slices gives x."""
    if len(folded) == 1:
        return {}
    return {name: as_slices(framework, spread(framework, request, name), folded, rest)[0] for name in given_there(request)}


def _along(request, axis):
    """The request with weights that broadcast to x."""
    shape = tuple(request.x.shape)
    return request.replace(**{n: along(request.ops, shape, getattr(request, n), axis) for n in given_there(request) if n != "where"})


def _weighed(fold, weights):
    """The fold with weights of any type; they are not a second array."""
    fold.asked.weights = None if weights is None else fold.beside("weights", widened(weights))
    return fold


def _quantiles(fold, words, method, axis, shape, cut=None, unchecked=False):
    """An array of this shape for each quantile, and statuses that a call looks at; of segments unless a graph is captured.

    cut        the offsets of segments, or the parts of a Rule of windows
    unchecked  they are on the device
    """
    name, framework, view, nan = fold.ops, fold.framework, fold.views[0], fold.given.nan
    shape = [len(words), *shape]
    out, place = framework.empty(view.dtype, shape)
    beside = {name: getattr(fold.asked, name) for name in _beside}
    looks = nan == "raise" or unchecked or beside["weights"] is not None or beside["fweights"] is not None
    status, of_status = framework.empty("u8", shape) if looks else (None, 0)
    if math.prod(shape) or cut is not None:
        _core.quantile_on_device(name, words, method, view, axis, cut, shape[1:], place, of_status, framework.stream,
                                 {"nan": nan, **beside})
    return out, status if math.prod(shape) else None


def _of_pieces(fold, words, method, count, cut, unchecked):
    """Quantiles of so many segments or windows along the axis that the fold cuts; else as _quantiles()."""
    axis, shape = fold.cut[0], list(fold.given.x.shape)
    shape[axis] = count
    out, status = _quantiles(fold, words, method, axis, shape, cut, unchecked)
    if status is not None and (fold.given.nan == "raise" or not fold.framework.capturing()):
        fold.refuse(fold.ops, status[0], int(status.max()))
    return out


def quantiles(request, words, method):
    """Quantiles along any axes: an array with an axis for them in front."""
    name, x = request.ops, request.x
    with its_device(x):
        folded, rest = folded_of(request)
        framework = framework_of(name, x)
        moved, axis = as_slices(framework, x, folded, rest)
        request = _along(request, request.axis)
        asked = request.replace(keepdims=False, **_of_slices(framework, request, folded, rest))
        fold = _weighed(_fold_of(asked.replace(x=moved, weights=None)), asked.weights)
        out, status = _quantiles(fold, words, method, axis, [x.shape[d] for d in rest])
        if status is not None and (request.nan == "raise" or not framework.capturing()):
            _core.raise_status(name, int(status.max()))
        if request.keepdims:
            out = out.reshape([len(words), *(1 if d in folded else n for d, n in enumerate(x.shape))])
        return out


def quantiles_of_segments(request, offsets, words, method):
    """Quantiles of segments of the first axis, with an axis for them in front."""
    name, x = request.ops, request.x
    with its_device(x):
        if x.ndim == 0:
            raise _errors.make("shape_mismatch", f"{name}: a single number has no axis to cut into segments")
        request = _along(request, 0)
        fold = _weighed(_fold_of(request.replace(weights=None)), request.weights)
        cuts = fold.beside("offsets", offsets)
        return _of_pieces(fold, words, method, max(math.prod(cuts.shape) - 1, 0), cuts, True)


def quantiles_of_windows(request, rule, words, method):
    """Quantiles of windows, with an axis for them in front."""
    x, axis = request.x, request.axis
    with its_device(x):
        fold = _fold_of(request)
        fold.cut = axis, "window"
        return _of_pieces(fold, words, method, rule.windows(x.shape[axis]), fold.parts_of(rule), rule.is_there())


def _of_labels(fold, numbers, groups, words, method):
    """Quantiles of elements by the numbers of their groups, by a counting sort on the device."""
    framework, view = fold.framework, fold.views[0]
    out, place = framework.empty(view.dtype, [len(words), groups])
    status, of_status = framework.empty("u8", [len(words), groups]) if fold.given.nan == "raise" else (None, 0)
    _core.quantile_by_on_device(fold.ops, words, method, framework.view(numbers), view, groups, place, of_status, framework.stream,
                                {"nan": fold.given.nan})
    if status is not None:
        _core.raise_status(fold.ops, int(status.max()))
    return out


def quantiles_of_groups(request, by, words, method, null_keys):
    """The distinct keys of a tensor's elements, and the quantiles of each group, with an axis for them in front.

    The elements are sorted by key, and are segments then. The call waits for the number of keys.
    """
    with its_device(request.x):
        framework, keys, numbers, groups, there = _numbered_rows(request, by, null_keys)
        if not given_there(request) and request.where is None and groups:
            x = request.x
            return keys, _of_labels(_fold_of(request.replace(x=x if there is None else x[there])), numbers, groups, words, method)
        _, offsets, moved = _in_groups(framework, request, numbers, groups, there)
        asked = request.replace(**moved)
        fold = _weighed(_fold_of(asked.replace(weights=None)), asked.weights)
        out, status = _quantiles(fold, words, method, 0, [groups], framework.view(offsets))
        if status is not None:
            _core.raise_status(request.ops, int(status.max()))
        return keys, out


def sorted_by_keys(request, by, null_keys):
    """The keys, the rows of all groups, where each begins and the last one ends, and the elements and where= of these rows."""
    with its_device(request.x):
        framework, keys, numbers, groups, there = _numbered_rows(request, by, null_keys)
        order, offsets, moved = _in_groups(framework, request, numbers, groups, there)
        rows = order if there is None else framework.nonzero(there)[order]
        return keys, rows, offsets, moved["x"], moved.get("where", request.where)


def _in_groups(framework, request, numbers, groups, there):
    """The order of elements by group, where groups begin, and what has an element for each row in this order."""
    order, offsets = framework.grouped(numbers, groups)
    beside = {"x": request.x, **{n: spread(framework, request, n) for n in given_there(request)}}
    return order, offsets, {n: (a if there is None else a[there])[order] for n, a in beside.items()}


def _numbered_rows(request, by, null_keys):
    """The keys, for each kept element the number of its key, how many there are, and which elements are kept, or None for all."""
    name, x = request.ops, request.x
    several = _keys.is_several(by)
    names, columns = _keys.columns_of(by) if several else (None, [by])
    if not (on_device(x) and all(map(on_device, columns))):
        raise _errors.make("bad_option", f"{name}: {'by=' if on_device(x) else 'x'} is not on a device, but "
                           f"{'x' if on_device(x) else 'by='} is; copy it there")
    if x.ndim != 1 or any(tuple(c.shape) != tuple(x.shape) for c in columns):
        shape = next((tuple(c.shape) for c in columns if tuple(c.shape) != tuple(x.shape)), tuple(columns[0].shape))
        raise _errors.make("shape_mismatch", f"{name}: by= has shape {shape}, but x has shape "
                           f"{tuple(x.shape)}; both must have the same single axis")
    _keys.check_null_keys(name, null_keys)
    try:
        keys, numbers, there = numbered_together("count", columns, null_keys)  # which takes ops only
    except _errors.Error as error:
        raise _errors.renamed(error, "count", name) from None
    return framework_of(name, x), _keys.as_given(names, keys, several), numbers, len(keys[0]), there


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

"""Quantiles on a device: of slices, segments, windows and groups, whose rows are sorted by key."""

import math

from .. import _core, errors
from ..groups import key_codes
from ..operands.elements import along
from ..operands.found import on_device
from ..operands.frameworks import framework_of
from ..operands.small import widened
from ..reduce.device import its_device, numbered_together
from ..reduce.device_rows import as_slices, beside_x, fold_of, folded_of, given_there, spread


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
    beside = {name: getattr(fold.asked, name) for name in beside_x}
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
        fold = _weighed(fold_of(asked.replace(x=moved, weights=None)), asked.weights)
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
            raise errors.make("shape_mismatch", f"{name}: a single number has no axis to cut into segments")
        request = _along(request, 0)
        fold = _weighed(fold_of(request.replace(weights=None)), request.weights)
        cuts = fold.beside("offsets", offsets)
        return _of_pieces(fold, words, method, max(math.prod(cuts.shape) - 1, 0), cuts, True)


def quantiles_of_windows(request, rule, words, method):
    """Quantiles of windows, with an axis for them in front."""
    x, axis = request.x, request.axis
    with its_device(x):
        fold = fold_of(request)
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
            return keys, _of_labels(fold_of(request.replace(x=x if there is None else x[there])), numbers, groups, words, method)
        _, offsets, moved = _in_groups(framework, request, numbers, groups, there)
        asked = request.replace(**moved)
        fold = _weighed(fold_of(asked.replace(weights=None)), asked.weights)
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
    several = key_codes.is_several(by)
    names, columns = key_codes.columns_of(by) if several else (None, [by])
    if not (on_device(x) and all(map(on_device, columns))):
        raise errors.make("bad_option", f"{name}: {'by=' if on_device(x) else 'x'} is not on a device, but "
                           f"{'x' if on_device(x) else 'by='} is; copy it there")
    if x.ndim != 1 or any(tuple(c.shape) != tuple(x.shape) for c in columns):
        shape = next((tuple(c.shape) for c in columns if tuple(c.shape) != tuple(x.shape)), tuple(columns[0].shape))
        raise errors.make("shape_mismatch", f"{name}: by= has shape {shape}, but x has shape "
                           f"{tuple(x.shape)}; both must have the same single axis")
    key_codes.check_null_keys(name, null_keys)
    try:
        keys, numbers, there = numbered_together("count", columns, null_keys)  # which takes ops only
    except errors.Error as error:
        raise errors.renamed(error, "count", name) from None
    return framework_of(name, x), key_codes.as_given(names, keys, several), numbers, len(keys[0]), there

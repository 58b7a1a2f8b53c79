"""Where quantiles are."""

from .. import errors
from ..groups.grouping import offsets_of
from ..operands import find, kind_of, like
from ..operands.found import ndarray_of, on_device, type_name
from ..operands.frameworks import Host, dtype_of, framework_of
from ..operands.masks import as_ndarray, mask_of
from ..reduce.request import Request
from .quantile import quantile, words_of

# The methods whose quantiles are elements.
_methods = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")


def argquantile(x, /, q, axis=None, *, method="lower", keepdims=False, nan=None, where=None, threads=None, offsets=None,
                by=None, null_keys=None):
    """The place of the first element that equals quantile(x, q, axis, method=method), as argmax() has places.

    x        an array of any kind; of torch, CuPy and JAX the answer is one of theirs, on their device
    method   "lower" (None), "higher", "nearest", "inverted_cdf", "closest_observation": quantiles that are elements
    axis     one axis, or None: all elements in C order
    nan      "propagate" (None): of a slice with NaN the first NaN; "omit", "raise"
    where    bools that broadcast to x: the elements that count
    offsets  those of quantile(): places within each segment, as fold_segments() has them
    by       those of quantile() for arrays, with null_keys: a pair, the keys and row numbers, as fold_by() has them
    returns  integers, for several q with an axis in front; -0 and +0 are one number
    cost     two reads more than quantile(), and 2 bytes for each element; by keys a sorted copy
    """
    name = "argquantile"
    method = "lower" if method is None else method
    if method not in _methods:
        raise errors.make("bad_option", f"{name}: method={errors.shown(method)} computes a new number, but argquantile "
                                         "needs an element; pass one of "
                           f"{', '.join(_methods)}")
    if axis is not None and hasattr(axis, "__len__"):
        raise errors.make("bad_option", f"{name}: axis={errors.shown(axis)} is not a single axis; pass an "
                           "integer, or None for all elements")
    if null_keys is not None and by is None:
        raise errors.make("bad_option", f"{name}: null_keys= applies to keys, but by= was not given; pass by=, or leave "
                                         "null_keys= out")
    for other, value in (("axis", axis), ("keepdims", keepdims or None), ("offsets", offsets if by is not None else None)):
        if value is not None and (offsets is not None or by is not None):
            raise errors.make("bad_option", f"{name}: {other}= cannot be combined with {'offsets' if by is None else 'by'}=")
    kind, given = kind_of(x), {"method": method, "nan": nan, "threads": threads}
    if by is not None and kind.has_frames and kind.is_frame(x):
        raise errors.make("type_mismatch", f"{name}: by= groups one column, but x is a {type_name(x)}; pass x=frame[\"x\"], "
                                            "by=frame[\"key\"]")
    try:
        words, one = words_of(q)
        if by is not None:
            keys, found = _by_keys(name, x, by, null_keys or "raise", words, None if where is True else where, given)
            return keys, like(x, found[0] if one else found)
        where = kind.agreeing(name, "where=", x, None if where is True else where, axis)
        of = x
        if on_device(x):
            framework = framework_of(name, x)
        else:
            held = find(name, x)
            framework, x = Host(), _ranked(ndarray_of(name, held.array))
            where = mask_of(name, [held], where)
            where = None if where is None else as_ndarray(name, "where=", where)
        if offsets is not None:
            if not on_device(x):
                offsets = offsets_of(name, "offsets=", offsets)
            found = _of_segments(framework, x, offsets, words, where, given)
        else:
            found = [_of_slices(x, word, axis, keepdims, where, given) for word in words or ["0"]]
    except errors.Error as error:
        for op in ("quantile", "argmax"):
            error = errors.renamed(error, op, name)
        raise error from None
    return like(of, found[0] if one else _stacked(framework, found, words))


def _stacked(framework, found, words):
    return framework.stack(found, 0)[:len(words)]


def _ranked(x):
    """An ndarray whose places of quantiles are those of x: of integers that no float64 holds their ranks."""
    import numpy

    if x.dtype.kind not in "iu" or x.dtype.itemsize < 8 or not x.size or -2**53 <= int(x.min()) and int(x.max()) <= 2**53:
        return x
    return numpy.unique(x, return_inverse=True)[1].reshape(x.shape)


def _equal(x, value, nan, where):
    """Which elements equal a quantile, and those that count."""
    own, found = dtype_of(x), dtype_of(value)
    if own[0] in "iu":  # of which quantiles are floats
        most = 2**24 if found == "f32" else 2**53
        if int(own[1:]) > (24 if found == "f32" else 53) and not bool(((x <= most) & ((x >= -most) if own[0] == "i" else x == x)).all()):
            raise errors.make("unsupported", f"argquantile: an integer is beyond 2^{most.bit_length() - 1}, where {found} quantiles "
                               "are not exact; copy the array to the CPU")
    if nan == "omit" and "f" in own:
        where = x == x if where is None else where & (x == x)
    return (x == value) | ((x != x) & (value != value)), where


def _of_slices(x, word, axis, keepdims, where, given):
    from ..reduce.fold import fold

    value = quantile(x, word, axis, keepdims=True, where=where, **given)
    equal, where = _equal(x, value, given["nan"], where)
    return fold("argmax", equal, axis=axis, keepdims=keepdims, where=where).argmax


def _of_segments(framework, x, offsets, words, where, given):
    """Places within segments of the first axis, for each of some quantiles."""
    from ..reduce.fold import fold_segments

    found, segments = [], None
    for word in words or ["0"]:
        values = quantile(x, word, offsets=offsets, where=where, **given)  # which refuses bad offsets
        if len(values):
            if segments is None:
                rows = framework.arange(len(x))
                segments = framework.search(framework.dense(framework.cast(framework.from_host(offsets), dtype_of(rows))), rows) - 1
            values = values[segments % len(values)]  # those outside all segments are not looked at
        equal, some = _equal(x, values if len(values) else x, given["nan"], where)
        found.append(fold_segments("argmax", equal, offsets, where=some).argmax)
    return found


def _by_keys(name, x, by, null_keys, words, where, given):
    """The keys, and row numbers for each of some quantiles: places within segments of sorted rows."""
    request = Request(kind_of(x), name, x, None, None, None, where=where)
    if on_device(x) or on_device(by):
        from .device_quantiles import sorted_by_keys
    else:
        from .groups import sorted_by_keys
    keys, rows, offsets, x, where = sorted_by_keys(request, by, null_keys)
    framework = framework_of(name, x) if on_device(x) else Host()
    x = x if on_device(x) else _ranked(x)
    return keys, _stacked(framework, [rows[offsets[:-1] + p] for p in _of_segments(framework, x, offsets, words, where, given)], words)

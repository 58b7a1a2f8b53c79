"""Where windows begin and end: the Rule of what a caller gives as `window`."""

import sys

from . import _errors
from ._found import numpy_for, unsupported
from ._windows import Rule


def number(name, n, fewest):
    """A number of elements, checked."""
    n = _errors.integer("rolling", name, n)
    if not fewest <= n <= 2**62:
        raise _errors.make("bad_option", f"rolling: {name}={n} is not between {fewest} and 2^62")
    return n


def is_indexer(window):
    """Whether this is a BaseIndexer of pandas."""
    return hasattr(window, "get_window_bounds")


def is_span(window):
    """Whether this is a span of time."""
    return not (is_indexer(window) or isinstance(window, tuple) or hasattr(window, "__index__"))


def rule_of(window, n, times, least, center, closed, step):
    """The Rule of windows over n elements.

    times   when each element was: then `window` is a span; or None
    least   min_periods, or None: as the kind of window has it
    closed  or None: "right"; step or None: 1
    """
    if is_indexer(window):
        return _of_indexer(window, n, least, center, closed, step)
    closed, step = closed or "right", step or 1
    if isinstance(window, tuple):
        begin, end = _pair(window)
        return Rule(begin=begin[::step], end=end[::step], least=1 if least is None else least, labels=None)
    if times is not None or is_span(window):
        begin, end = _spans(numpy_for("rolling", "windows of time"), n, window, times, center, closed)
        return Rule(begin=begin[::step], end=end[::step], least=1 if least is None else least, labels=step)
    width = number("window", window, 0)
    least = width if least is None else least
    if least > width:
        raise _errors.make("bad_option", f"rolling: min_periods={least} is more than the window's {width} elements")
    ahead = (width - 1) // 2 if center and width else 0
    width += (closed == "both") - (closed == "neither")
    ahead -= closed in ("left", "neither")
    if width < 1:  # no window has an element
        none = numpy_for("rolling", "windows without elements").zeros(-(-n // step), "i8")
        return Rule(begin=none, end=none, least=least, labels=step)
    return Rule(width, ahead, step, least, labels=step)


def grouped_rule(window, extents, times, least, center, closed):
    """The Rule of windows within groups, which lie one after another; extents: the elements of each.

    window  None: all of the group's elements up to each one
    """
    numpy = numpy_for("rolling", "windows of groups")
    ends = numpy.cumsum(extents, dtype="i8")
    begins = ends - extents
    rule = Rule(least=least) if window is None else None
    if rule is None and times is None and not is_indexer(window):
        if isinstance(window, tuple):
            raise unsupported("rolling", "begins and ends are of whole arrays, and not of groups")
        rule = rule_of(window, 0, None, least, center, closed, None)
    if rule is not None and rule.begin is None:
        first, last = numpy.repeat(begins, extents), numpy.repeat(ends, extents)
        end = numpy.arange(len(first)) + (rule.ahead + 1)
        begin = first if window is None else numpy.clip(end - rule.width, first, last)
        end = numpy.clip(end, first, last)
        return Rule(begin=begin, end=end, least=rule.least, labels=None)
    rules = [rule_of(window, n, None if times is None else times[at:at + n], least, center, closed, None)
             for at, n in zip(begins, extents)]
    begin, end = (numpy.concatenate([getattr(r, side) + at for r, at in zip(rules, begins)] or [begins])
                  for side in ("begin", "end"))
    return Rule(begin=begin, end=end, least=rules[0].least if rules else 1, labels=None)


def _of_indexer(window, n, least, center, closed, step):
    """The Rule of a BaseIndexer of pandas."""
    numpy, every = numpy_for("rolling", "windows of arrays"), step or 1
    least = int(getattr(window, "window_size", 0)) if least is None else least
    try:
        begin, end = window.get_window_bounds(n, least, center, closed, step)
    except Exception as error:
        raise _errors.make("bad_option", f"rolling: {type(window).__name__} gives no windows: {error}") from error
    begin, end = _pair((begin, end))
    if begin.shape != end.shape or len(begin) != -(-n // every):
        raise _errors.make("shape_mismatch", f"rolling: {type(window).__name__} gives {len(begin)} begins and {len(end)} ends; "
                           f"there must be {-(-n // every)}")
    return Rule(begin=begin, end=numpy.maximum(begin, end), least=least, labels=every)


def _pair(window):
    """The begins and ends of windows, of a pair of arrays."""
    numpy = numpy_for("rolling", "windows of arrays")
    if len(window) != 2:
        raise _errors.make("bad_option", f"rolling: window= is a tuple of {len(window)}, and must be a pair (begin, end)")
    borders = []
    for name, given in zip(("begin", "end"), window):
        if numpy.ma.is_masked(given):
            raise unsupported("rolling", f"{name} has masked elements, and each window needs one")
        array = numpy.asarray(given)
        if array.size and array.dtype.kind not in "iu":
            raise _errors.make("type_mismatch", f"rolling: {name} is {array.dtype}, and must be integers")
        borders.append(numpy.ascontiguousarray(array, "i8"))
    return borders


def _spans(numpy, n, window, times, center, closed):
    """The begins and ends of windows of time: those before each element, (t - window, t] if they are closed on the right."""
    if times is None:
        raise _errors.make("bad_option", f"rolling: window={_errors.shown(window)} is no number of elements; a span of time "
                           "needs times=, when each element was")
    times = _plain(numpy, times)
    if times.ndim != 1 or len(times) != n:
        raise _errors.make("shape_mismatch", f"rolling: times= has shape {times.shape}, and the array has {n} elements along "
                           "the axis of windows")
    if not n:
        return numpy.zeros((2, 0), "i8")
    dates = times.dtype.kind in "Mm"
    if not dates and times.dtype.kind not in "iuf":
        raise _errors.make("type_mismatch", f"rolling: times are {times.dtype}, and must be dates or numbers")
    span = _span(numpy, window) if dates else window
    if not dates and not isinstance(span, (int, float)):
        raise _errors.make("type_mismatch", f"rolling: window={_errors.shown(window)} is no number, and the times are {times.dtype}")
    if dates and numpy.isnat(times).any() or not dates and numpy.isnan(times).any():
        raise _errors.make("bad_option", f"rolling: time {numpy.flatnonzero(times != times)[0]} is missing")
    if dates:
        unit = numpy.promote_types(times.dtype, f"{times.dtype.kind}8[{numpy.datetime_data(span.dtype)[0]}]")
        times = times.astype(unit).astype("i8")
        span = span.astype(f"m8[{numpy.datetime_data(unit)[0]}]").astype("i8")
    falls = numpy.flatnonzero(times[1:] < times[:-1])
    if falls.size and (times[1:] <= times[:-1]).all():
        times = -times.astype("i8" if times.dtype.kind in "iu" else "f8")
    elif falls.size:
        raise _errors.make("bad_option", f"rolling: time {falls[0] + 1} is before the one ahead of it; sort the elements by time")
    if not span > 0:
        raise _errors.make("bad_option", f"rolling: window={_errors.shown(window)} is no span of time above 0")
    if not center:
        begin = numpy.searchsorted(times, times - span, "left" if closed in ("left", "both") else "right")
        # The element itself is the last one, though others may be of the same time.
        rows = numpy.arange(n)
        return begin, rows + 1 if closed in ("right", "both") else numpy.maximum(begin, numpy.searchsorted(times, times, "left"))
    half = more = span / 2
    if times.dtype.kind in "iu" and not isinstance(span, float):  # f64 does not hold nanoseconds since 1970
        half, more = span // 2, -(-span // 2)
    left = (times - half, "left") if closed in ("left", "both") else (times - more, "right")
    right = (times + half, "right") if closed in ("right", "both") else (times + more, "left")
    begin = numpy.searchsorted(times, *left)
    return begin, numpy.maximum(begin, numpy.searchsorted(times, *right))


def _plain(numpy, times):
    """Times as an ndarray, those of pandas without their time zone and periods as their beginnings."""
    if getattr(getattr(times, "dtype", None), "tz", None) is not None:
        times = getattr(times, "dt", times).tz_convert(None)
    elif str(getattr(times, "dtype", "")).startswith("period"):
        times = getattr(times, "dt", times).to_timestamp()
    return numpy.asarray(times)


def _span(numpy, window):
    """A span of time as NumPy's timedelta64."""
    try:
        if isinstance(window, str):
            window = sys.modules["pandas"].Timedelta(window) if "pandas" in sys.modules else numpy.timedelta64(
                int(window[:-1]), window[-1])
        elif hasattr(window, "nanos"):  # an offset of pandas
            window = sys.modules["pandas"].Timedelta(window)
        return numpy.timedelta64(window.to_timedelta64() if hasattr(window, "to_timedelta64") else window)
    except (ValueError, TypeError):
        raise _errors.make("bad_option", f"rolling: window={_errors.shown(window)} is no span of time such as \"7D\"") from None

"""Rolling windows, with pandas' names and defaults."""

import sys

from . import _errors
from ._found import numpy_for, unsupported
from ._request import Request, checked
from ._windows import Rule, axis_of, fold
from .kinds import kind_of, shape_of


class Rolling:
    """Windows of an array along one axis, with pandas' names and defaults. NaN and missing values do not count.

    min_periods  windows of fewer elements have no answer: NaN, of integers a masked element. For count() NaN are elements
    ddof         of var, std and cov: 1, as in pandas
    """

    def __init__(self, x, rule, axis, nan):
        self._x, self._rule, self._axis, self._nan = x, rule, axis, nan

    def fold(self, ops, y=None, /, *, ddof=1, result=None, where=None, threads=None):
        """Several answers of one pass, as a named tuple."""
        names, answers = checked(ops)
        request = Request(kind_of(self._x), names, self._x, y, None, None, axis=self._axis, nan=self._nan, ddof=ddof,
                          result=result, where=where, threads=threads, called="rolling")
        return answers(*fold(request, self._rule))

    def _one(self, op, y=None, **keywords):
        return self.fold(op, y, **keywords)[0]

    def sum(self, **keywords):
        return self._one("sum", **keywords)

    def mean(self, **keywords):
        return self._one("mean", **keywords)

    def var(self, ddof=1, **keywords):
        return self._one("var", ddof=ddof, **keywords)

    def std(self, ddof=1, **keywords):
        return self._one("std", ddof=ddof, **keywords)

    def min(self, **keywords):
        return self._one("min", **keywords)

    def max(self, **keywords):
        return self._one("max", **keywords)

    def count(self, **keywords):
        return self._one("count", **keywords)

    def cov(self, other, ddof=1, **keywords):
        return self._one("cov", other, ddof=ddof, **keywords)

    def corr(self, other, **keywords):
        return self._one("corr", other, **keywords)


def rolling(x, window, /, *, min_periods=None, center=False, closed="right", step=1, axis=0, nan="omit", times=None):
    """Windows that end at each element, for folds with pandas' names: rolling(x, 7).mean(), .var(), .fold("min,max").

    window       elements of a window; or a span of time, as "7D", a timedelta, or a number if times= has numbers; or a pair
                 (begin, end) of arrays of integers that do not fall: window i is x[begin[i]:end[i]]
    times        when each element was, in order: dates or numbers. Default: the index of pandas
    min_periods  windows of fewer elements have no answer: NaN, of integers a masked element. NaN are no elements unless
                 nan="propagate", or for count(). Default: `window`; for pairs and spans of time 1
    center       the element is the window's middle one, the later of two
    closed       which ends of the window belong to it: "right", "left" (it ends before the element), "both", "neither"
    step         only every so many elements have a window
    axis         along which windows lie
    nan          "omit" leaves NaN out, as pandas does; "propagate"; "raise"
    returns      Rolling; its answers have x's shape and labels; those of a pair have none. Each is, bit for bit, that of its
                 window folded alone: nothing of what has left the window remains
    cost         one pass
    """
    if closed not in ("right", "left", "both", "neither"):
        raise _errors.make("bad_option", f"rolling: closed={_errors.shown(closed)} is none of right, left, both, neither")
    if center is not True and center is not False:
        raise _errors.make("bad_option", f"rolling: center={_errors.shown(center)} is neither True nor False")
    axis, step = axis_of("rolling", x, axis), _number("step", step, 1)
    least = None if min_periods is None else _number("min_periods", min_periods, 0)
    if isinstance(window, tuple):
        begin, end = _borders(window)
        return Rolling(x, Rule(begin=begin[::step], end=end[::step], least=1 if least is None else least, labels=None), axis, nan)
    if times is not None or not hasattr(window, "__index__"):
        begin, end = _spans(numpy_for("rolling", "windows of time"), x, window, times, center, closed, axis)
        return Rolling(x, Rule(begin=begin[::step], end=end[::step], least=1 if least is None else least, labels=step), axis, nan)
    width = _number("window", window, 0)
    least = width if least is None else least
    if least > width:
        raise _errors.make("bad_option", f"rolling: min_periods={least} is more than the window's {width} elements")
    ahead = (width - 1) // 2 if center and width else 0
    width += (closed == "both") - (closed == "neither")
    ahead -= closed in ("left", "neither")
    if width < 1:  # no window has an element
        none = numpy_for("rolling", "windows without elements").zeros(-(-shape_of("rolling", x)[axis] // step), "i8")
        return Rolling(x, Rule(begin=none, end=none, least=least, labels=step), axis, nan)
    return Rolling(x, Rule(width, ahead, step, least, labels=step), axis, nan)


def _number(name, n, fewest):
    n = _errors.integer("rolling", name, n)
    if not fewest <= n <= 2**62:
        raise _errors.make("bad_option", f"rolling: {name}={n} is not between {fewest} and 2^62")
    return n


def _borders(window):
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


def expanding(x, /, *, min_periods=1, axis=0, nan="omit"):
    """Windows of all elements up to each one, as rolling() has windows of the last ones."""
    return Rolling(x, Rule(least=_number("min_periods", min_periods, 0)), axis_of("expanding", x, axis), nan)


def _spans(numpy, x, window, times, center, closed, axis):
    """The begins and ends of windows of time: those before each element, (t - window, t] if they are closed on the right."""
    if times is None:
        times = getattr(x, "index", None)
        if times is None:
            raise _errors.make("bad_option", f"rolling: window={_errors.shown(window)} is no number of elements; a span of time "
                               "needs times=, when each element was")
    times = numpy.asarray(times)
    if times.ndim != 1 or len(times) != shape_of("rolling", x)[axis]:
        raise _errors.make("shape_mismatch", f"rolling: times= has shape {times.shape}, and the array has "
                           f"{shape_of('rolling', x)[axis]} elements along axis {axis}")
    dates = times.dtype.kind == "M"
    if not dates and times.dtype.kind not in "iuf":
        raise _errors.make("type_mismatch", f"rolling: times are {times.dtype}, and must be dates or numbers")
    span = _span(numpy, window) if dates else window
    if not dates and not isinstance(span, (int, float)):
        raise _errors.make("type_mismatch", f"rolling: window={_errors.shown(window)} is no number, and the times are {times.dtype}")
    if dates and numpy.isnat(times).any() or not dates and numpy.isnan(times).any():
        raise _errors.make("bad_option", f"rolling: time {numpy.flatnonzero(times != times)[0]} is missing")
    if dates:
        unit = numpy.promote_types(times.dtype, f"M8[{numpy.datetime_data(span.dtype)[0]}]")
        times = times.astype(unit).astype("i8")
        span = span.astype(f"m8[{numpy.datetime_data(unit)[0]}]").astype("i8")
    falls = numpy.flatnonzero(times[1:] < times[:-1])
    if falls.size:
        raise _errors.make("bad_option", f"rolling: time {falls[0] + 1} is before the one ahead of it; sort the elements by time")
    if not span > 0:
        raise _errors.make("bad_option", f"rolling: window={_errors.shown(window)} is no span of time above 0")
    rows = numpy.arange(len(times))
    last = times + span / 2 if center else times
    begin = numpy.searchsorted(times, last - span, "left" if closed in ("left", "both") else "right")
    if center:
        return begin, numpy.searchsorted(times, last, "right" if closed in ("right", "both") else "left")
    # The element itself is the last one, though others may be of the same time.
    return begin, rows + 1 if closed in ("right", "both") else numpy.maximum(begin, numpy.searchsorted(times, times, "left"))


def _span(numpy, window):
    """A span of time as NumPy's timedelta64."""
    try:
        if isinstance(window, str):
            window = sys.modules["pandas"].Timedelta(window) if "pandas" in sys.modules else numpy.timedelta64(
                int(window[:-1]), window[-1])
        return numpy.timedelta64(window.to_timedelta64() if hasattr(window, "to_timedelta64") else window)
    except (ValueError, TypeError):
        raise _errors.make("bad_option", f"rolling: window={_errors.shown(window)} is no span of time such as \"7D\"") from None

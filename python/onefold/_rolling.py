"""Rolling windows, with pandas' names and defaults."""

import sys

from . import _errors
from ._found import numpy_for
from ._request import Request, checked
from ._windows import Rule, fold
from .kinds import kind_of, shape_of


class Rolling:
    """Windows of an array along one axis, with pandas' names and defaults. NaN and missing values do not count.

    min_periods  windows of fewer elements have no answer: NaN, of integers a masked element. For count() NaN are elements
    ddof         of var, std and sem: 1, as in pandas
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
    min_periods  windows of fewer elements that are no NaN have no answer: NaN, of integers a masked element.
                 Default: `window`, and 1 for pairs and spans of time. count() counts NaN for this, as pandas does
    center       the element is the window's middle one, the later of two
    closed       which ends of the window belong to it: "right", "left" (it ends before the element), "both", "neither"
    step         only every so many elements have a window
    returns      Rolling; its answers have x's shape and labels. Each is, bit for bit, that of its window folded alone:
                 nothing of what has left the window remains
    cost         one pass
    """
    if closed not in ("right", "left", "both", "neither"):
        raise _errors.make("bad_option", f"rolling: closed={_errors.shown(closed)} is none of right, left, both, neither")
    if isinstance(window, tuple) or times is not None or not hasattr(window, "__index__"):
        numpy = numpy_for("rolling", "windows of arrays or of time")
        begin, end = map(numpy.asarray, window) if isinstance(window, tuple) else _spans(
            numpy, x, window, times, center, closed, axis)
        step = _errors.integer("rolling", "step", step)
        return Rolling(x, Rule(begin=begin[::step], end=end[::step], step=step,
                               least=1 if min_periods is None else _least(min_periods)), axis, nan)
    width, step = (_errors.integer("rolling", name, n) for name, n in (("window", window), ("step", step)))
    if width < 0:
        raise _errors.make("bad_option", f"rolling: window={width} is negative; it is a number of elements")
    if step < 1:
        raise _errors.make("bad_option", f"rolling: step={step} is less than 1")
    least = width if min_periods is None else _least(min_periods)
    if least > width:
        raise _errors.make("bad_option", f"rolling: min_periods={least} is more than the window's {width} elements")
    ahead = (width - 1) // 2 if center and width else 0
    if closed in ("left", "both"):
        width += 1
    if closed in ("left", "neither"):
        ahead -= 1
        width -= 1
    if width < 1:  # no window has an element
        numpy = numpy_for("rolling", "windows without elements")
        none = numpy.zeros(-(-shape_of("rolling", x)[axis] // step), "i8")
        return Rolling(x, Rule(begin=none, end=none, least=least), axis, nan)
    return Rolling(x, Rule(width, ahead, step, least), axis, nan)


def _least(n):
    n = _errors.integer("rolling", "min_periods", n)
    if n < 0:
        raise _errors.make("bad_option", f"rolling: min_periods={n} is negative")
    return n


def expanding(x, /, *, min_periods=1, axis=0, nan="omit"):
    """Windows of all elements up to each one, as rolling() has windows of the last ones."""
    return Rolling(x, Rule(least=_least(min_periods)), axis, nan)


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

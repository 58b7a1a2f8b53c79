"""Windows along an axis: rolling folds and scans. Each answer is that of its window folded alone."""

from . import _core, _errors
from ._columns import folded_of
from ._found import numpy_for, unsupported
from ._keywords import keywords_of
from ._request import Request, checked
from ._types import answer_types
from ._weights import elements_of
from .kinds import kind_of


class Rule:
    """Which elements a window has: see Windows in onefold/request.hpp. begin and end are ndarrays, or None."""

    __slots__ = ("width", "ahead", "step", "least", "begin", "end")

    def __init__(self, width=0, ahead=0, step=1, least=0, begin=None, end=None):
        self.width, self.ahead, self.step, self.least, self.begin, self.end = width, ahead, step, least, begin, end

    def fold(self, ops, x, y, keywords):
        """What _core makes of arrays: for each op the answers, and which windows had too few elements."""
        def folded(ops, least, keywords):
            return _core.fold_windows(ops, x, y, self.width, self.ahead, self.step, least, self.begin, self.end, keywords)

        pairs = folded(ops, self.least, keywords)
        names = ops.split(",")
        if "count" in names and self.least and keywords["nan"] == "omit":  # least is compared with NaN counted, too
            k = names.index("count")
            numbers = folded("count", 0, keywords)[0][0]
            pairs[k] = numbers, folded("count", self.least, {**keywords, "nan": "propagate"})[0][1]
        return pairs


def fold(request, rule):
    """The answers of each window, as a list."""
    kind, x = request.kind, request.x
    if kind.has_files:
        raise unsupported(request.called, "windows of files are not folded yet; read the array first")
    if kind.has_frames and kind.is_frame(x) and not kind.is_array(x):
        names = folded_of(request.called, kind, x)
        columns = [_of_array(request.replace(x=x[name], axis=None), rule) for name in names]
        return [kind.frame_of(x, names, list(values)) for values in zip(*columns)]
    return _of_array(request, rule)


def _of_array(request, rule):
    kind, ops = request.kind, request.ops
    found, first, second, plain = elements_of(request, request.axis)
    if found.there:
        raise unsupported(request.called, "windows are folded on the host; copy the array there")
    pairs = rule.fold(ops, first, second, keywords_of(plain))
    types = answer_types(plain, found.array.dtype) if isinstance(found.array, _core.View) else [None] * len(pairs)
    values = []
    for (value, too_few), dtype in zip(pairs, types):
        if too_few is not None:
            value = numpy_for(ops, "windows without an answer").ma.array(value, mask=too_few)
        values.append(kind.of_windows(request.x, found.wrap(value, dtype), request.axis, rule.step))
    return values


def scan(name, op, x, axis, keywords):
    """One op of the elements up to each."""
    kind = kind_of(x)
    if axis is None and len(getattr(x, "shape", (0,))) > 1:
        raise _errors.make("bad_axis", f"{name}: name the axis of a scan; an array of several has no order of its own")
    keywords["result"] = keywords.pop("dtype", None)
    request = Request(kind, checked(op)[0], x, None, None, None, axis=axis, called=name, single=True, **keywords)
    return fold(request, Rule())[0]


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


def rolling(x, window, /, *, min_periods=None, center=False, closed="right", step=1, axis=0, nan="omit"):
    """Windows that end at each element, for folds with pandas' names: rolling(x, 7).mean(), .var(), .fold("min,max").

    window       elements of a window; or a pair (begin, end) of arrays of integers that do not fall: window i is
                 x[begin[i]:end[i]]
    min_periods  windows of fewer elements that are no NaN have no answer: NaN, of integers a masked element.
                 Default: `window`, and 1 for pairs
    center       the element is the window's middle one, the later of two
    closed       which ends of the window belong to it: "right", "left" (it ends before the element), "both", "neither"
    step         only every so many elements have a window
    returns      Rolling; its answers have x's shape and labels. Each is, bit for bit, that of its window folded alone:
                 nothing of what has left the window remains
    cost         one pass
    """
    if isinstance(window, tuple):
        numpy = numpy_for("rolling", "windows of arrays")
        begin, end = (numpy.asarray(a) for a in window)
        return Rolling(x, Rule(begin=begin, end=end, least=1 if min_periods is None else _least(min_periods)), axis, nan)
    width, step = (_errors.integer("rolling", name, n) for name, n in (("window", window), ("step", step)))
    if width < 0:
        raise _errors.make("bad_option", f"rolling: window={width} is negative; it is a number of elements")
    if step < 1:
        raise _errors.make("bad_option", f"rolling: step={step} is less than 1")
    if closed not in ("right", "left", "both", "neither"):
        raise _errors.make("bad_option", f"rolling: closed={_errors.shown(closed)} is none of right, left, both, neither")
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
        none = numpy.zeros(-(-len(x) // step), "i8")
        return Rolling(x, Rule(begin=none, end=none, least=least), axis, nan)
    return Rolling(x, Rule(width, ahead, step, least), axis, nan)


def _least(n):
    n = _errors.integer("rolling", "min_periods", n)
    if n < 0:
        raise _errors.make("bad_option", f"rolling: min_periods={n} is negative")
    return n


def cumsum(x, axis=None, /, *, dtype=None, nan=None, threads=None):
    """The sum of the elements up to each one, rounded once; the last is sum(x)."""
    return scan("cumsum", "sum", x, axis, {"dtype": dtype, "nan": nan, "threads": threads})


def cummean(x, axis=None, /, *, dtype=None, nan=None, threads=None):
    """The mean of the elements up to each one, rounded once."""
    return scan("cummean", "mean", x, axis, {"dtype": dtype, "nan": nan, "threads": threads})


def cummin(x, axis=None, /, *, nan=None, threads=None):
    """The least of the elements up to each one."""
    return scan("cummin", "min", x, axis, {"nan": nan, "threads": threads})


def cummax(x, axis=None, /, *, nan=None, threads=None):
    """The greatest of the elements up to each one."""
    return scan("cummax", "max", x, axis, {"nan": nan, "threads": threads})

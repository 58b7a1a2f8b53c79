"""Windows along an axis, and scans. Each answer is that of its window folded alone."""

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

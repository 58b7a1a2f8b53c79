"""Windows and scans of dates and durations: those of the integers that represent them. NaT is treated like NaN."""

from .. import errors
from .._keywords import check
from ..operands.found import numpy_for, unsupported
from ..operands.libraries.numpy import kind as numpy_kind
from ..operands.masks import as_ndarray, bools

_known = {"M": ("count", "min", "max"), "m": ("count", "min", "max", "sum")}
_refused = ("y", "result", "weights", "fweights", "initial")


def fold(request, rule, of_array):
    """The answers of each window, as a list; of_array(request, rule) returns those of an ndarray of numbers."""
    op, kind, x = request.called, request.kind, request.x
    numpy = numpy_for(op, "windows of dates")
    array, there = kind.times(op, x)
    for name in _refused:
        if getattr(request, name) is not None:
            raise errors.make("bad_option", f"{op}: {name}= is not available for windows of {array.dtype}; leave it out")
    known = _known[array.dtype.kind]
    for one in request.ops.split(","):
        if one not in known:
            raise unsupported(op, f"windows of {array.dtype} support {', '.join(known)}, not {one}; pass x.astype('int64')")
    windows = _Windows(numpy, request, rule, of_array, array, there)
    return [kind.of_windows(x, windows.answer(one), request.axis, rule.labels) for one in request.ops.split(",")]


class _Windows:
    """The integers of times, and which elements have one.

    there  True for elements that count, NaT or not; nat: those that are NaT
    gone   the elements at which a scan has no answer, or None
    """

    def __init__(self, numpy, request, rule, of_array, array, there):
        self.numpy, self.rule, self.of_array, self.dtype = numpy, rule, of_array, array.dtype
        masked = numpy.ma.getmaskarray(array) if numpy.ma.isMaskedArray(array) else None
        array = numpy.asarray(array)
        present = numpy.ones(array.shape, bool) if there is None else numpy.asarray(there)
        present = present if masked is None else present & ~masked
        self.gone = ~present if rule.nulls and not present.all() else None
        self.is_masked = masked is not None or there is not None
        if request.where is not None and request.where is not True:
            where = request.kind.agreeing(request.called, "where=", request.x, request.where, request.axis)
            bools(request.called, where)
            present = present & numpy.broadcast_to(as_ndarray(request.called, "where=", where), present.shape)
        self.numbers, self.there, self.nat = array.view("i8"), present, numpy.isnat(array) & present
        check(request)
        if request.nan == "raise" and self.nat.any():
            raise errors.make("nan_found", f"{request.called}: a NaT was found")
        self.omits = request.nan == "omit"
        self.request = request.replace(kind=numpy_kind, empty_nan=None)

    def fold(self, op, x, where, rule):
        value, = self.of_array(self.request.replace(ops=op, x=x, where=where, nan="omit" if self.omits else None), rule)
        return self.numpy.ma.getdata(value), self.numpy.ma.getmaskarray(value)

    def answer(self, op):
        """An array of times, NaT where a window has none; or counts."""
        numpy, rule = self.numpy, self.rule
        if op == "count":  # of floats that are NaN where a time is NaT
            value, lacking = self.fold(op, numpy.where(self.nat, numpy.nan, 0.0), self.there, rule)
            return numpy.ma.array(value, mask=lacking) if rule.least or self.gone is not None else value
        least = rule.least if op == "sum" else max(rule.least, 1)
        value, lacking = self.fold(op, self.numbers, self.there & ~self.nat, rule.with_least(least))
        nothing = numpy.iinfo("i8").min
        if (~lacking & (value == nothing)).any():
            raise errors.make("overflow", f"{self.request.called}: the exact value does not fit {self.dtype}")
        if not self.omits and self.nat.any():
            lacking = lacking | (self.fold("count_nonzero", self.nat, self.there, rule.without_least())[0] > 0)
        if self.gone is not None:
            lacking = lacking | self.gone
        times = numpy.where(lacking, nothing, value).view(self.dtype)
        return numpy.ma.array(times, mask=lacking) if self.is_masked else times

"""Dates and times (datetime64, timedelta64) as the integers that represent them; NaT is treated
like NaN."""

import sys

from .. import _core, errors
from .._keywords import keywords_of
from .found import library_of, unsupported
from .masks import as_ndarray, bools, masked, without_axes

_of_both = ("count", "min", "max", "argmin", "argmax", "mean", "ptp")
_refused = ("weights", "fweights", "out", "errors", "result", "initial", "ddof", "correction")


def kinds_with(ops):
    """The kinds of times ("M" dates, "m" durations) for which all of these ops exist."""
    names = ops.split(",")
    return "".join(kind for kind in "Mm" if all(name in _known(kind) for name in names))


def _known(kind):
    return *_of_both, "median", "quantile", "mode", "nunique", *(["sum"] if kind == "m" else [])


def ops_of(op, kind, x):
    """Returns the ops that exist for these times."""
    return _known(kind.times(op, x)[0].dtype.kind)


def fold(request):
    """The answers of an array of times, as a list."""
    return _Times(request).answers(request.ops.split(","))


def fold_by(request, numbers, groups):
    """The answers of groups of times, as a list of ndarrays; numbers: of each element's group, or -1."""
    return _TimesByKeys(request, numbers, groups).answers(request.ops.split(","))


def quantiles(request, words, method):
    """The quantiles of an array of times, rounded to their unit."""
    return _Times(request).quantiles(request.ops, words, method)


def occurring(request):
    """The mode of an array of times, or how many distinct ones there are, in a list."""
    times = _Times(request)
    return [times.finished(request.ops, times.occurring(request.ops))]


class _Times:
    """The times of an array, and which elements have one. Arrays for slices keep each folded axis with extent 1.

    numbers    the elements as int64
    valid      True for elements that count and are not NaT
    has_valid  slices with valid elements; has_nat: slices in which an element that counts is NaT
    """

    def __init__(self, request):
        op, where = request.ops, request.where
        array, not_null = request.kind.times(op, request.x)
        numpy = self.numpy = sys.modules["numpy"]
        for name in _refused:
            if getattr(request, name) is not None:
                said = "another result type" if name == "result" else f"{name}="
                raise errors.make("bad_option", f"{op}: {said} is not available for {array.dtype}; leave it out")
        self.x, self.dtype, self.request = request.x, array.dtype, request
        known = _known(array.dtype.kind)
        for name in op.split(","):
            if name not in known:
                raise unsupported(op, f"an array of dtype {array.dtype} has no {name}; it has " + ", ".join(known))
        there = numpy.ones(array.shape, bool)
        if isinstance(array, numpy.ma.MaskedArray):
            there = ~numpy.ma.getmaskarray(array)
        if not_null is not None:
            there = not_null
        if where is not None and where is not True:
            bools(op, where)
            try:
                there = numpy.logical_and(there, numpy.broadcast_to(as_ndarray(op, "where=", where), there.shape))
            except ValueError:
                raise errors.make("shape_mismatch", f"{op}: where= of shape {numpy.shape(where)} does not broadcast "
                                   f"to {array.shape}") from None
        array = numpy.asarray(array)
        nat = numpy.isnat(array)
        self.numbers, self.there, self.valid, self.nat = array.view("i8"), there, there & ~nat, there & nat
        self.omits = request.nan == "omit"
        if request.nan == "raise" and self.nat.any():
            raise errors.make("nan_found", f"{op}: a NaT was found")
        try:
            self.has_valid = self.fold("any", self.valid, None)
        except errors.Error as error:  # such as a wrong axis
            raise errors.renamed(error, "any", op) from None
        self.has_nat = self.fold("any", self.nat, None)

    def fold(self, op, elements, where):
        return _core.fold_array(op, elements, None, {
            "axis": self.request.axis, "nan": self.request.nan, "threads": self.request.threads, "keepdims": True,
            "where": where, "absent": None if where is None else self.spoilt()})[0]

    def answers(self, ops):
        return [self.finished(op, self.answer(op)) for op in ops]

    def quantiles(self, op, words, method):
        values = _core.quantile_array(op, words, method, self.numbers,
                                      keywords_of(self.request, where=self.valid, keepdims=True, result="i64"))
        return [self.finished(op, self.as_times(self.numpy.where(self.spoilt(), self.nothing(), v))) for v in values]

    def occurring(self, op):
        last = self.numpy.uint64(2**63 - 1)  # which, added to NaT, makes it the greatest, as NaN is
        where = self.valid if self.omits else self.there
        # Slices of NaT alone, and masked ones, have an answer; others without an element have no mode.
        lacking = ~self.fold("any", where, None) & (self.has_nat | isinstance(self.x, self.numpy.ma.MaskedArray))
        value = _core.order_array(op, "0", self.numbers.view("u8") + last, keywords_of(
            self.request, where=where | lacking if op == "mode" else where, keepdims=True, nan=None))
        return value if op == "nunique" else self.as_times(self.numpy.where(lacking, self.nothing(), (value - last).view("i8")))

    def nothing(self):
        return self.numpy.int64(-2**63)  # NaT

    def spoilt(self):
        """The slices whose answer must be NaT."""
        return ~self.has_valid if self.omits else self.has_nat | ~self.has_valid

    def answer(self, op):
        numpy = self.numpy
        if op == "count":
            return self.fold(op, self.numbers, self.valid if self.omits else self.there)
        indexed = op in ("argmin", "argmax")
        real = self.has_valid | (self.has_nat & (not indexed or not self.omits))
        if op != "sum" and not isinstance(self.x, numpy.ma.MaskedArray) and not real.all():
            self.refuse_empty(op, ~real)
        answers = self.mean() if op == "mean" else self.fold(op, self.numbers, self.valid)
        if op == "ptp":
            if (~self.spoilt() & (answers > 2**63 - 1)).any():
                raise errors.make("overflow", f"ptp: the exact value does not fit {self.dtype}")
            answers = answers.astype("i8")
        if indexed:
            return answers if self.omits else numpy.where(self.has_nat, self.fold("argmax", self.nat, None), answers)
        spoilt = self.lacking(op, self.has_nat & (~self.has_valid & (op != "sum") if self.omits else True))
        if op == "sum" and (~spoilt & (answers == self.nothing())).any():  # the same bits as NaT
            raise errors.make("overflow", f"sum: the exact value does not fit {self.dtype}")
        return self.as_times(numpy.where(spoilt, self.nothing(), answers), op == "ptp")

    def refuse_empty(self, op, empty):
        raise errors.make("empty_input", f"{op}: nothing to fold: every time is NaT or masked")

    def lacking(self, op, spoilt):
        """Returns the slices whose answer is NaT; `spoilt` are those with a NaT."""
        return spoilt

    def mean(self):
        """The mean, rounded to the unit, ties to even; from the high and low 32 bits, whose sums are exact."""
        numpy = self.numpy
        count = numpy.maximum(self.fold("count", self.numbers, self.valid), 1)
        high, low = (self.fold("sum", part, self.valid) for part in (self.numbers >> 32, self.numbers & 0xFFFFFFFF))
        if (count >= 2**31).any():  # the steps below would not fit 64 bits
            high, low, count = (v.astype(object) for v in (high, low, count))
        whole, left = high // count, high % count
        wide = count if count.dtype == object else count.astype("u8")
        left = left.astype(wide.dtype) * 2**32 + low.astype(wide.dtype)
        answers = whole * 2**32 + (left // wide).astype(whole.dtype)
        left = left % wide
        up = (left > wide - left) | ((left == wide - left) & (answers % 2 == 1))
        return (answers + up).astype("i8")

    def as_times(self, numbers, difference=False):
        return numbers.view(self.dtype.str.replace("M", "m") if difference else self.dtype)

    def finished(self, op, value):
        """The answer as an array of x's library, with the folded axes removed."""
        numpy = self.numpy
        if isinstance(self.x, numpy.ma.MaskedArray):
            return masked(op, value, ~self.fold("any", self.there, None), self.request)
        value = without_axes(value, self.request)
        if library_of(self.x) != "pandas" or value.ndim:
            return value
        if value.dtype.kind not in "mM":
            return value.item()
        series = sys.modules["pandas"].Series([value])
        zone = getattr(getattr(self.x.dtype, "pyarrow_dtype", self.x.dtype), "tz", None)
        if zone is not None and value.dtype.kind == "M":
            series = series.dt.tz_localize("UTC").dt.tz_convert(zone)
        return series.iloc[0]


class _TimesByKeys(_Times):
    """The times of groups, which are the slices. A group without times has NaT, and the sum 0."""

    def __init__(self, request, numbers, groups):
        self.group_of, self.groups, self.sorted = numbers, groups, {}
        shape = request.kind.times(request.ops, request.x)[0].shape
        if shape != numbers.shape:
            raise errors.make("shape_mismatch", f"{request.ops}: there are {len(numbers)} keys, but x has shape "
                               f"{shape}; each element needs a key")
        here, where = numbers >= 0, request.where
        if where is not None and where is not True:
            here = here & as_ndarray(request.ops, "where=", bools(request.ops, where))
        super().__init__(request.replace(where=here))

    def fold(self, op, elements, where):
        numpy = self.numpy
        if id(where) not in self.sorted:  # `where` is an array that the object keeps, or None
            there = self.group_of >= 0 if where is None else where & (self.group_of >= 0)
            rows = numpy.flatnonzero(there)
            rows = rows[numpy.argsort(self.group_of[rows], kind="stable")]
            count = numpy.bincount(self.group_of[rows], minlength=self.groups)
            self.sorted[id(where)] = rows, count > 0, numpy.concatenate([[0], numpy.cumsum(count[count > 0])])
        rows, used, offsets = self.sorted[id(where)]
        some = _core.fold_segments(op, elements[rows], offsets, {"threads": self.request.threads})[0]
        answers = numpy.zeros(self.groups, some.dtype)
        answers[used] = rows[offsets[:-1] + some] if op in ("argmin", "argmax") else some
        return answers

    def refuse_empty(self, op, empty):
        if op in ("argmin", "argmax"):
            raise errors.make("empty_input", f"{op}[{empty.argmax()}]: there is nothing to fold: the group has no time")

    def lacking(self, op, spoilt):
        return spoilt if op == "sum" else spoilt | ~(self.has_valid | self.has_nat)

    def finished(self, op, value):
        numpy = self.numpy
        if not isinstance(self.x, numpy.ma.MaskedArray) or op == "count":
            return value
        return numpy.ma.array(value, mask=~self.fold("any", self.there, None))

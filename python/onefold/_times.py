"""Dates and times (datetime64, timedelta64) as the integers that represent them; NaT is treated
like NaN."""

import sys

from . import _core, _errors
from ._errors import shown
from ._found import is_labelled, is_pandas, library_of, unsupported
from ._masks import as_ndarray, bools, masked, without_axes
from ._numbers import leaves, sequence

_of_both = ("count", "min", "max", "argmin", "argmax", "mean", "ptp")
_refused = ("weights", "fweights", "out", "errors", "result", "initial", "ddof", "correction")


def kinds_with(ops):
    """The kinds of times ("M" dates, "m" durations) for which all of these ops exist."""
    names = ops.split(",")
    return "".join(kind for kind in "Mm" if all(name in _known(kind) for name in names))


def _known(kind):
    return *_of_both, "median", "quantile", *(["sum"] if kind == "m" else [])


def ops_of(op, x):
    """The ops that there are for an array of times; None: x is no such array."""
    array, _ = _array_of(op, x, {})
    return None if array is None else _known(array.dtype.kind)


def fold(ops, x, keywords):
    """The answers of an array of times, as a list; None: x is no such array."""
    array, keywords = _array_of(ops, x, keywords)
    return None if array is None else _Times(ops, x, array, keywords).answers(ops.split(","))


def quantiles(op, words, method, x, keywords):
    """Does the same for quantiles: times, rounded to their unit."""
    array, keywords = _array_of(op, x, keywords)
    return None if array is None else _Times(op, x, array, keywords).quantiles(op, words, method)


def is_column(x):
    """Whether x is a column of dates, times or durations of Polars or Arrow."""
    if library_of(x) == "polars":
        return hasattr(x, "to_arrow") and hasattr(x, "dtype") and x.dtype.is_temporal()
    if library_of(x) != "pyarrow" or not hasattr(x, "type"):
        return False
    from pyarrow import types

    return types.is_date(x.type) or types.is_timestamp(x.type) or types.is_duration(x.type)


def _array_of(op, x, keywords):
    """The times as an ndarray, or None; and the keywords, in which a column's nulls are left out by where=."""
    if is_pandas(x) and x.ndim == 1 and x.dtype.kind in ("m", "M") and hasattr(x.dtype, "pyarrow_dtype"):
        x = sys.modules["pyarrow"].array(x)
    if is_column(x):
        nulls = x.is_null().to_numpy(**({} if library_of(x) == "polars" else {"zero_copy_only": False}))
        array = x.to_numpy(**({"zero_copy_only": False} if hasattr(x, "buffers") else {}))
        if array.dtype.kind not in "mM":  # times of day
            return None, keywords
        if nulls.any():
            given = keywords.get("where")
            there = ~nulls if given is None or given is True else as_ndarray("where=", "where=", given) & ~nulls
            keywords = {**keywords, "where": there}
        return array, keywords
    return _ndarray_of(op, x), keywords


def _ndarray_of(op, x):
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(x, numpy.generic):
        x = numpy.asarray(x)
    elif isinstance(x, (list, tuple)):
        x = _of_sequence(numpy, op, x)
    elif is_pandas(x) and x.ndim == 1 and x.dtype.kind in ("m", "M"):
        times = getattr(x, "array", x)
        x = (times if getattr(x.dtype, "tz", None) is None else times.tz_convert(None)).to_numpy()
    elif is_labelled(x) and x.dtype.kind in "mM":
        x = x.values
    if not isinstance(x, numpy.ndarray) or x.dtype.kind not in "mM":
        return None
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def _of_sequence(numpy, op, rows):
    """The times of a sequence as an ndarray; None: its first element is no time of NumPy."""
    first = rows
    for _ in range(17):  # a list may contain itself
        first = first[0] if isinstance(first, (list, tuple)) and first else first
    kind = getattr(getattr(first, "dtype", None), "kind", "")
    if kind not in ("m", "M"):
        return None
    array = sequence(op, rows)
    for v in leaves(op, rows):
        one = numpy.asarray(v)
        if one.dtype.kind != kind or not (one.dtype == array.dtype or _is_exact(numpy, one, array.dtype)):
            raise unsupported(op, f"a sequence of {array.dtype} does not hold {shown(v)} exactly")
    return array


def _is_exact(numpy, times, dtype):
    """Whether times have the same values in another unit. Those without a unit get any."""
    if numpy.datetime_data(times.dtype)[0] == "generic":
        return True
    return numpy.array_equal(times.astype(dtype).astype(times.dtype), times, equal_nan=True)


class _Times:
    """The times of an array, and which elements have one. Arrays for slices keep each folded axis with extent 1.

    numbers    the elements as int64
    valid      True for elements that count and are not NaT
    has_valid  slices with valid elements; has_nat: slices in which an element that counts is NaT
    """

    def __init__(self, op, x, array, keywords):
        numpy = self.numpy = sys.modules["numpy"]
        for name in _refused:
            if keywords.get(name) is not None:
                said = "another type of answers" if name == "result" else f"{name}="
                raise _errors.make("bad_option", f"{op}: {said} is not available for {array.dtype}")
        self.op, self.x, self.dtype, self.keywords = op, x, array.dtype, keywords
        known = _known(array.dtype.kind)
        for name in op.split(","):
            if name not in known:
                raise unsupported(op, f"an array of dtype {array.dtype} has no {name}; it has " + ", ".join(known))
        there = numpy.ones(array.shape, bool)
        if isinstance(array, numpy.ma.MaskedArray):
            there = ~numpy.ma.getmaskarray(array)
        where = keywords.get("where")
        if where is not None and where is not True:
            bools(op, where)
            try:
                there = numpy.logical_and(there, numpy.broadcast_to(as_ndarray(op, "where=", where), there.shape))
            except ValueError:
                raise _errors.make("shape_mismatch", f"{op}: where= of shape {numpy.shape(where)} does not broadcast "
                                   f"to {array.shape}") from None
        array = numpy.asarray(array)
        nat = numpy.isnat(array)
        self.numbers, self.there, self.valid, self.nat = array.view("i8"), there, there & ~nat, there & nat
        self.omits = keywords.get("nan") == "omit"
        if keywords.get("nan") == "raise" and self.nat.any():
            raise _errors.make("nan_found", f"{op}: a NaT was found")
        try:
            self.has_valid = self.fold("any", self.valid, None)
        except _errors.Error as error:  # such as a wrong axis
            raise _errors.renamed(error, "any", op) from None
        self.has_nat = self.fold("any", self.nat, None)

    def fold(self, op, elements, where):
        return _core.fold_array(op, elements, None, {
            **{name: self.keywords.get(name) for name in ("axis", "nan", "threads")}, "keepdims": True, "where": where,
            "absent": None if where is None else self.spoilt()})[0]

    def answers(self, ops):
        return [self.finished(op, self.answer(op)) for op in ops]

    def quantiles(self, op, words, method):
        values = _core.quantile_array(op, words, method, self.numbers, {
            **self.keywords, "where": self.valid, "keepdims": True, "result": "i64"})
        return [self.finished(op, self.as_times(self.numpy.where(self.spoilt(), self.nothing(), v))) for v in values]

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
            raise _errors.make("empty_input", f"{op}: nothing to fold: no time is there")
        answers = self.mean() if op == "mean" else self.fold(op, self.numbers, self.valid)
        if op == "ptp":
            if (~self.spoilt() & (answers > 2**63 - 1)).any():
                raise _errors.make("overflow", f"ptp: the exact value does not fit {self.dtype}")
            answers = answers.astype("i8")
        if indexed:
            return answers if self.omits else numpy.where(self.has_nat, self.fold("argmax", self.nat, None), answers)
        spoilt = self.has_nat & (~self.has_valid & (op != "sum") if self.omits else True)
        if op == "sum" and (~spoilt & (answers == self.nothing())).any():  # the same bits as NaT
            raise _errors.make("overflow", f"sum: the exact value does not fit {self.dtype}")
        return self.as_times(numpy.where(spoilt, self.nothing(), answers), op == "ptp")

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
            return masked(op, value, ~self.fold("any", self.there, None), self.keywords)
        value = without_axes(value, self.keywords)
        if library_of(self.x) != "pandas" or value.ndim:
            return value
        if value.dtype.kind not in "mM":
            return value.item()
        series = sys.modules["pandas"].Series([value])
        zone = getattr(getattr(self.x.dtype, "pyarrow_dtype", self.x.dtype), "tz", None)
        if zone is not None and value.dtype.kind == "M":
            series = series.dt.tz_localize("UTC").dt.tz_convert(zone)
        return series.iloc[0]

"""Python's numbers, and lists, tuples and ranges of numbers; also of NumPy's numbers and times."""

import collections
import datetime
import sys

from ...errors import UnsupportedError
from .. import numbers, rational_numbers
from ..found import Found, numpy_for, unsupported
from ..kind import Kind
from ..wrap import as_python
from .numpy import found


class _Sequences(Kind):
    has_times = has_rationals = True

    def owns(self, x):
        return isinstance(x, (bool, int, float, list, tuple, range, collections.deque))

    def found(self, op, x):
        if self.is_rationals(x):
            return rational_numbers.found(op, self.rationals(op, x))
        array = numbers.sequence(op, x)
        if not isinstance(array, memoryview):
            array = found(op, array).array
        return Found(array, as_python)

    def is_times(self, x):
        return "numpy" in sys.modules and isinstance(x, (list, tuple)) and _first_kind(x) in ("m", "M")

    def is_rationals(self, x):
        if not isinstance(x, (list, tuple)):
            return False
        try:
            return rational_numbers.are_long(numbers.leaves("", x) if x and isinstance(x[0], (list, tuple)) else x)
        except UnsupportedError:  # too many axes, as the fold will say
            return False

    def rationals(self, op, x):
        if not isinstance(x[0], (list, tuple)):
            return rational_numbers.of_objects(op, x)
        array = numpy_for(op, "such numbers").array(x, object)
        if any(isinstance(v, (list, tuple)) for v in array.flat):
            raise unsupported(op, "the nested lists are not a regular array: rows differ in length, or numbers are mixed with "
                              "lists; make all rows equally long")
        return rational_numbers.of_objects(op, array.ravel(), array.shape)

    def times(self, op, x):
        numpy = numpy_for(op, "such a sequence")
        if type(_first(x)).__module__ == "datetime":
            return _dates(numpy, op, x), None
        array, kind = numbers.sequence(op, x), _first_kind(x)
        for v in numbers.leaves(op, x):
            one = numpy.asarray(v)
            if one.dtype.kind != kind or not (one.dtype == array.dtype or _is_exact(numpy, one, array.dtype)):
                raise unsupported(op, f"the sequence's common type {array.dtype} does not hold {numbers.shown(v)} exactly; "
                                      "convert all values to one unit")
        return array, None


def _first_kind(x):
    """The kind of the first element, as NumPy has them: "M" for dates."""
    x = _first(x)
    if type(x).__module__ == "datetime":
        return {datetime.datetime: "M", datetime.date: "M", datetime.timedelta: "m"}.get(type(x), "")
    return getattr(getattr(x, "dtype", None), "kind", "")


def _first(x):
    """The first element."""
    for _ in range(17):  # a list may contain itself
        x = x[0] if isinstance(x, (list, tuple)) and x else x
    return x


def _dates(numpy, op, x):
    """Python's dates, or its durations, as NumPy's, which hold them exactly."""
    kind, days = _first_kind(x), True
    for v in numbers.leaves(op, x):
        if type(v) not in ((datetime.timedelta,) if kind == "m" else (datetime.datetime, datetime.date)):
            raise unsupported(op, f"the sequence starts with {'a duration' if kind == 'm' else 'a date'}, but holds "
                              f"{numbers.shown(v)}; leave it out or convert it")
        if getattr(v, "tzinfo", None) is not None:
            raise unsupported(op, f"the sequence holds {numbers.shown(v)}, which has a time zone; convert such times to UTC "
                              "and drop tzinfo")
        days &= type(v) is datetime.date
    try:
        return numpy.array(x, f"{kind}8[{'D' if days else 'us'}]")
    except ValueError:
        raise unsupported(op, "the nested lists are not a regular array: rows differ in length, or dates are mixed with "
                          "lists; make all rows equally long") from None


def _is_exact(numpy, times, dtype):
    """Whether times have the same values in another unit. Those without a unit get any."""
    if numpy.datetime_data(times.dtype)[0] == "generic":
        return True
    return numpy.array_equal(times.astype(dtype).astype(times.dtype), times, equal_nan=True)


kind = _Sequences()

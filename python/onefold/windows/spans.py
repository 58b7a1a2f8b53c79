"""Windows of time: their borders are compared exactly."""

import datetime
import math
import numbers
import re
from fractions import Fraction

from .. import errors
from ..operands import kind_of


def spans(numpy, n, window, times, center, closed):
    """The begins and ends of windows of time: those before each element, (t - window, t] if they are closed on the right."""
    if times is None:
        raise errors.make("bad_option", f"rolling: window={errors.shown(window)} is not a number of elements; for a span "
                                         "of time, also pass times=, the time of each element")
    times = _plain(numpy, times)
    if times.ndim != 1 or len(times) != n:
        raise errors.make("shape_mismatch", f"rolling: times= has shape {times.shape}, but the array has {n} elements along "
                           "the axis of windows")
    if not n:
        return numpy.zeros((2, 0), "i8")
    if times.dtype.kind not in "Mmiuf":
        raise errors.make("type_mismatch", f"rolling: times are {times.dtype}, but must be dates or numbers")
    dates = times.dtype.kind in "Mm"
    for wrong, what in ((times != times, "missing"), (abs(times) == math.inf if times.dtype.kind == "f" else None, "infinite")):
        if wrong is not None and wrong.any():
            raise errors.make("bad_option", f"rolling: time {numpy.flatnonzero(wrong)[0]} is {what}")
    if dates and numpy.datetime_data(times.dtype)[0] in ("Y", "M"):
        times = times.astype(f"{times.dtype.kind}8[D]")
    span = _nanoseconds(numpy, window) / _units_of(numpy, times.dtype) if dates else _real(window, times.dtype)
    if not span > 0:
        raise errors.make("bad_option", f"rolling: window={errors.shown(window)} is not a span of time; pass a positive span")
    border = (_Floats if times.dtype.kind == "f" else _Integers)(numpy, times.astype("i8") if dates else times).border
    left = "left" if closed in ("left", "both") else "right"
    if not center:
        begin = border(-span, left)
        # The element itself is the last one, though others may be of the same time.
        return begin, numpy.arange(n) + 1 if closed in ("right", "both") else numpy.maximum(begin, border(Fraction(0), "left"))
    begin = border(-span / 2, left)
    return begin, numpy.maximum(begin, border(span / 2, "right" if closed in ("right", "both") else "left"))


def _in_order(numpy, times):
    """Whether times fall instead of rising."""
    falls = numpy.flatnonzero(times[1:] < times[:-1])
    if falls.size and (times[1:] > times[:-1]).any():
        raise errors.make("bad_option", f"rolling: time {falls[0] + 1} is earlier than the one before it; sort the elements "
                           "by time")
    return falls.size != 0


class _Integers:
    """Times as distances from the first, which 64 bits hold whatever the type."""

    def __init__(self, numpy, times):
        falls = _in_order(numpy, times)
        words = times.astype("i8" if times.dtype.kind == "i" else "u8").view("u8")
        self.numpy, self.times = numpy, words[0] - words if falls else words - words[0]

    def border(self, shift, side):
        """For each time t the first element of which the time is at least t + shift; side "right": is more than that."""
        numpy, times, size = self.numpy, self.times, abs(shift)
        if size.denominator != 1:  # between integers both sides are one
            side = "left" if shift < 0 else "right"
        whole = size.numerator // size.denominator
        if whole >= 2**64:
            return numpy.full(len(times), 0 if shift < 0 else len(times), "i8")
        whole = numpy.uint64(whole)
        beyond = times < whole if shift < 0 else times > numpy.uint64(2**64 - 1) - whole
        found = numpy.searchsorted(times, times - whole if shift < 0 else times + whole, side)
        found[beyond] = 0 if shift < 0 else len(times)
        return found


class _Floats:
    """Times as f64. A sum t + shift is compared as it is, and not as it is rounded."""

    def __init__(self, numpy, times):
        times = times.astype("f8")
        self.numpy, self.times = numpy, -times if _in_order(numpy, times) else times

    def border(self, shift, side):
        numpy, times = self.numpy, self.times
        try:
            near = float(shift)
        except OverflowError:
            near = math.copysign(math.inf, shift)
        rest = 0 if math.isinf(near) else shift - Fraction(near)
        with numpy.errstate(all="ignore"):
            sums = times + near
            back = sums - times
            lost = (times - (sums - back)) + (near - back)  # what rounding has taken from the sum
        lost = numpy.where(numpy.isfinite(lost), lost, 0)
        if rest:
            lost = numpy.where(lost == 0, float(rest > 0) - float(rest < 0), lost)
        left, right = numpy.searchsorted(times, sums, "left"), numpy.searchsorted(times, sums, "right")
        return numpy.where(lost > 0, right, numpy.where(lost < 0, left, right if side == "right" else left))


def _plain(numpy, times):
    """Times as an ndarray, those of pandas without their time zone and periods as their beginnings."""
    if getattr(getattr(times, "dtype", None), "tz", None) is not None:
        times = getattr(times, "dt", times).tz_convert(None)
    elif str(getattr(times, "dtype", "")).startswith("period"):
        times = getattr(times, "dt", times).to_timestamp()
    kind = kind_of(times)
    return kind.times("rolling: times=", times)[0] if isinstance(times, (list, tuple)) and kind.is_times(times) else \
        numpy.asarray(times)


def _real(window, dtype):
    """A span of numbers, exactly."""
    if isinstance(window, numbers.Real) and not isinstance(window, bool) and math.isfinite(window):
        return Fraction(int(window)) if isinstance(window, numbers.Integral) else Fraction(
            window if isinstance(window, numbers.Rational) else float(window))
    raise errors.make("type_mismatch", f"rolling: window={errors.shown(window)} is not a number, but the times, or the index, "
                       f"are {dtype}; pass a number as window")


# Nanoseconds of the units of spans; NumPy's "m" are minutes.
_units = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9, "H": 3600 * 10**9,
          "D": 86400 * 10**9, "d": 86400 * 10**9, "W": 7 * 86400 * 10**9}
_units_of_numpy = {**_units, "m": _units["min"], "ps": Fraction(1, 10**3), "fs": Fraction(1, 10**6), "as": Fraction(1, 10**9)}


def _units_of(numpy, dtype):
    """The nanoseconds of a unit of NumPy's times."""
    unit, count = numpy.datetime_data(dtype)
    return Fraction(_units_of_numpy.get(unit, 1)) * count


def _nanoseconds(numpy, window):
    """A span of time, exactly."""
    if isinstance(window, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)?\s*([A-Za-z]+)\s*", window)
        if found is not None and found[2] in _units:
            return Fraction(found[1] or 1) * _units[found[2]]
    elif isinstance(window, datetime.timedelta) and not hasattr(window, "to_timedelta64"):
        return Fraction(((window.days * 86400 + window.seconds) * 10**6 + window.microseconds) * 1000)
    elif hasattr(type(window), "nanos"):  # an offset of pandas
        try:
            return Fraction(int(window.nanos))
        except ValueError:  # such as a month, which has no length
            pass
    else:
        span = window.to_timedelta64() if hasattr(window, "to_timedelta64") else window
        if isinstance(span, numpy.timedelta64) and not numpy.isnat(span):
            unit, count = numpy.datetime_data(span.dtype)
            if unit in _units_of_numpy:
                return Fraction(int(span.astype("i8"))) * Fraction(_units_of_numpy[unit]) * count
    raise errors.make("bad_option", f"rolling: window={errors.shown(window)} is not a span of time such as \"7D\"") from None

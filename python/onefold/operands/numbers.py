"""Python's numbers and sequences of them, as buffers, without rounding."""

from .. import _core, errors
from ..errors import shown
from .found import numpy_for, unsupported


def sequence(op, x):
    """Python's number, or a sequence of numbers, as a buffer; as an ndarray if some of them are NumPy's."""
    x = x if isinstance(x, (bool, int, float)) else list(x)
    packed = _core.pack(op, x)
    return packed if packed is not None else _of_numpy(op, numpy_for(op, "such a sequence"), x)


def is_short(ddof):
    """Whether ddof is exact for us: a decimal of at most 9 digits and 9 places, or a multiple of 2^-29."""
    from decimal import Decimal

    if not isinstance(ddof, float) or ddof != ddof or ddof in (float("inf"), -float("inf")):
        return True  # what is wrong with it is said by the fold
    digits = Decimal(repr(float(ddof))).normalize().as_tuple()
    return len(digits.digits) <= 9 and digits.exponent >= -9 or (ddof * 2**29).is_integer()


def leaves(op, rows, axes=16):
    """The numbers in nested rows, down to the largest number of axes of an array, since a list may contain
    itself."""
    for row in rows:
        if not isinstance(row, (list, tuple)):
            yield row
        elif axes == 1:
            raise unsupported(op, "the nested lists have more than 16 dimensions, but at most 16 are supported")
        else:
            yield from leaves(op, row, axes - 1)


def _instead(v):
    """Says for a message what to fold instead of an element that is not a number of Python."""
    if isinstance(v, complex):
        return "numpy.asarray makes an array of these, which"
    times = "datetime64" if hasattr(v, "year") else "timedelta64" if hasattr(v, "total_seconds") else None
    return f'numpy.array(x, "{times}[us]") makes an array of these, which' if times else "bools, integers and floats"


def _of_numpy(op, numpy, numbers):
    """An ndarray of rows and numbers of NumPy, if their common type holds them all."""
    flat = list(leaves(op, numbers if isinstance(numbers, list) else [numbers]))
    if any(isinstance(v, numpy.ma.MaskedArray) for v in flat):
        raise unsupported(op, "a list of masked arrays would lose the masks; make one array of them with numpy.ma.stack")
    for v in flat:
        if not isinstance(v, (bool, int, float, numpy.ndarray, numpy.generic)) and not hasattr(v, "__array__"):
            raise unsupported(op, f"the sequence holds {shown(v)}; {_instead(v)} can be folded")
    try:
        array = numpy.asarray(numbers)
    except ValueError as e:
        raise unsupported(op, f"the nested lists are not a regular array: {e}") from None
    if array.dtype.kind == "f" and len({getattr(v, "dtype", type(v)) for v in flat}) > 1:
        for v in flat:
            v = numpy.asarray(v)
            if v.dtype.kind in "iu" and not is_exact(numpy, v, array.dtype):
                raise unsupported(op, f"an integer of the sequence cannot be represented exactly in {array.dtype}, the "
                                      "common type of "
                                  "its numbers; convert it to a float, which rounds it")
    return array


def truncated(op, numpy, x, dtype):
    """Floats as integers of a type, as NumPy's dtype= takes them, if that type has them."""
    whole, info = numpy.trunc(x).astype("f8"), numpy.iinfo(dtype)
    there = (whole >= float(info.min)) & (whole < float(info.max + 1))  # both are powers of 2, or 0
    if not there.all():
        raise errors.make("overflow", f"{op}: the element {whole[~there].flat[0]} is not a value of {numpy.dtype(dtype)}")
    return x.astype(dtype)


def common_type(op, arrays, hint):
    """NumPy's common type of arrays, if it holds all their elements; hint: what would be right, for the error."""
    numpy = numpy_for(op, "arrays of several types")
    common = numpy.result_type(*(a.dtype for a in arrays))
    for a in arrays:
        if not is_exact(numpy, a, common):
            raise errors.make("type_mismatch", f"{op}: {a.dtype} is mixed with other types, and {common} cannot hold all of "
                               f"these {a.dtype} values exactly; convert {hint}")
    return common


def is_exact(numpy, x, dtype):
    """Whether a type holds every number of `x`, of integers or floats."""
    if numpy.can_cast(x.dtype, dtype, "safe") and (
            x.dtype.itemsize < 8 or x.dtype.kind == "f" or dtype.kind != "f"):
        return True  # NumPy thinks that float64 holds 64-bit integers
    with numpy.errstate(all="ignore"):
        y = x.astype(dtype)
        if x.dtype.kind in "iu" and y.dtype.kind == "f":  # a float beyond the integer type comes back as any number
            top = 2.0 ** (8 * x.dtype.itemsize - (x.dtype.kind == "i"))
            if not ((-top <= y) & (y < top)).all():
                return False
        return numpy.array_equal(y.astype(x.dtype), x, equal_nan=x.dtype.kind == "f") \
            and numpy.array_equal(y < 0, x < 0)

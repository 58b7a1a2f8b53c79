"""Python's own numbers and sequences of them, as buffers: each exactly what it was."""

from ._errors import shown
from ._found import numpy_for, unsupported

_most_axes = 16  # as many as the engine has


def pack(op, numbers):
    """A flat sequence of Python's numbers as a buffer, each exactly what it was; or None."""
    from array import array

    kinds = {type(v) for v in numbers}
    if kinds == {bool}:
        return memoryview(bytes(numbers)).cast("?")
    if kinds <= {bool, int}:
        low, high = min(numbers), max(numbers)
        if -(2**63) <= low and high < 2**63:
            return array("q", numbers)
        if low >= 0 and high < 2**64:
            return array("Q", numbers)
        raise unsupported(op, "an integer of the sequence does not fit 64 bits")
    if kinds <= {bool, int, float}:
        try:
            packed = array("d", numbers)
        except OverflowError:
            raise unsupported(op, "an integer of the sequence is not exact in float64") from None
        if kinds != {float} and any(a != b for a, b in zip(packed, numbers) if b == b):
            raise unsupported(op, "an integer of the sequence is not exact in float64")
        return packed
    return None


def sequence(op, x):
    from array import array

    numbers = list(x)
    packed = pack(op, numbers) if numbers else array("d")
    if packed is not None:
        return packed
    extents, flat = [len(numbers)], numbers
    while flat and all(isinstance(row, (list, tuple)) for row in flat):
        lengths = {len(row) for row in flat}
        if len(lengths) > 1:
            raise unsupported(op, "a sequence that is no array: it has rows of "
                              f"{min(lengths)} and of {max(lengths)} elements")
        extents += lengths
        if len(extents) > _most_axes:  # or it holds itself
            raise unsupported(op, f"a sequence of more than {_most_axes} dimensions")
        flat = [v for row in flat for v in row]
    packed = pack(op, flat) if flat else None
    if packed is not None:
        view = memoryview(packed)
        return view.cast("B").cast(view.format, extents)
    return _of_numpy(op, numpy_for(op, "such a sequence"), numbers, flat)


def _of_numpy(op, numpy, numbers, flat):
    """An ndarray of rows and numbers of NumPy, where their common type holds them all."""
    if any(isinstance(v, numpy.ma.MaskedArray) for v in flat):
        raise unsupported(op, "a sequence of masked arrays would lose their masks; numpy.ma.stack "
                          "makes one array of them")
    for v in flat:
        if not isinstance(v, (bool, int, float, numpy.ndarray, numpy.generic)) and not hasattr(v, "__array__"):
            raise unsupported(op, f"a sequence that holds {shown(v)}; bools, integers and floats can be folded")
    try:
        array = numpy.asarray(numbers)
    except ValueError as e:
        raise unsupported(op, f"a sequence that is no array: {e}") from None
    if array.dtype.kind == "f" and len({getattr(v, "dtype", type(v)) for v in flat}) > 1:
        for v in flat:
            v = numpy.asarray(v)
            if v.dtype.kind in "iu" and not is_exact(numpy, v, array.dtype):
                raise unsupported(op, f"an integer of the sequence is not exact in {array.dtype}")
    return array


def is_exact(numpy, x, dtype):
    """Whether a type holds every number of `x`, of integers or floats."""
    if numpy.can_cast(x.dtype, dtype, "safe") and (
            x.dtype.itemsize < 8 or x.dtype.kind == "f" or dtype.kind != "f"):
        return True  # to NumPy 64-bit integers are safe in float64
    with numpy.errstate(all="ignore"):
        y = x.astype(dtype)
        if x.dtype.kind in "iu" and y.dtype.kind == "f":  # past the top it comes back as anything
            top = 2.0 ** (8 * x.dtype.itemsize - (x.dtype.kind == "i"))
            if not ((-top <= y) & (y < top)).all():
                return False
        return numpy.array_equal(y.astype(x.dtype), x, equal_nan=x.dtype.kind == "f") \
            and numpy.array_equal(y < 0, x < 0)

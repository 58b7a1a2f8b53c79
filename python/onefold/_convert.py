"""Turns what is neither an ndarray nor a buffer into one, and answers into what was given.

Nothing is imported that the program has not imported itself, where that can be helped.
"""

import sys

from . import _core, _errors

_numbers = {"f64": "d", "i64": "q", "u64": "Q"}


def _unsupported(op, text):
    return _errors.make("unsupported", f"{op}: {text}")


def _type_name(x):
    return f"{type(x).__module__}.{type(x).__qualname__}"


def refuse_where(op, where):
    if where is not None:
        raise _errors.make("bad_option", f"{op}: where= is not available for files")


def _pack(op, numbers):
    """A flat sequence of Python's numbers as a buffer, each exactly what it was."""
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
        raise _unsupported(op, "an integer of the sequence does not fit 64 bits")
    if kinds <= {bool, int, float}:
        packed = array("d", numbers)
        if kinds != {float} and any(a != b for a, b in zip(packed, numbers) if b == b):
            raise _unsupported(op, "an integer of the sequence is not exact in float64")
        return packed
    return None


def _sequence(op, x):
    numbers = list(x)
    if not numbers:
        from array import array

        return array("d")
    packed = _pack(op, numbers)
    if packed is not None:
        return packed
    import numpy

    try:
        made = numpy.asarray(numbers)
    except ValueError as e:
        raise _unsupported(op, f"a sequence that is no array: {e}") from None
    return made


def to_array(op, x):
    """(an ndarray or buffer, whether answers are NumPy's)."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(x, numpy.ndarray):
        if isinstance(x, numpy.ma.MaskedArray):
            return x, True
        if not x.dtype.isnative:
            return x.astype(x.dtype.newbyteorder("=")), True
        return numpy.asarray(x), True
    if isinstance(x, (bool, int, float)):
        packed = _pack(op, [x])
        return memoryview(packed).cast("B").cast(packed.format if isinstance(packed, memoryview)
                                                 else packed.typecode, ()), False
    if isinstance(x, (list, tuple, range)):
        return _sequence(op, x), False
    raise _errors.make(
        "unsupported",
        f"{op}: a {_type_name(x)} cannot be folded; arrays, buffers, sequences of numbers and "
        "paths of files can")


def _plain(value, as_numpy):
    """Python's number for one of NumPy's, where that was given."""
    return value.item() if not as_numpy and hasattr(value, "item") and not value.shape else value


def call(op, args, keywords):
    """What the builtin `op` does with arguments that it does not know itself."""
    from ._fold import _is_path, _values

    function = getattr(_core, op)
    if _is_path(args[0]):
        keywords = dict(keywords)
        out = keywords.pop("out", None)
        if out is not None:
            raise _errors.make("bad_option", f"{op}: out= is not available for files")
        if op.startswith("nan"):
            op, keywords["nan"] = op[3:], "omit"
        arrays = 2 if op in _two_arrays() else 1
        if len(args) > arrays:
            keywords["axis"] = args[arrays]
        keywords["result"] = keywords.pop("dtype", None)
        return _values(op, args[0], args[1] if arrays == 2 else None, keywords)[0]
    if keywords.get("errors") is not None:
        raise _errors.make("bad_option", f"{op}: errors= is for arrays on a device")
    if keywords.get("where") is not None:
        raise _errors.make("bad_option", f"{op}: where= is not available yet")
    arrays = 2 if op in _two_arrays() else 1
    converted = [to_array(op, a) for a in args[:arrays]]
    as_numpy = any(numpy for _, numpy in converted)
    return _plain(function(*(a for a, _ in converted), *args[arrays:], **keywords), as_numpy)


def _two_arrays():
    return {name for name, _, inputs, *_ in _core.op_table() if inputs == 2}


def fold(ops, x, y, keywords):
    if keywords.pop("where", None) is not None:
        raise _errors.make("bad_option", f"{ops}: where= is not available yet")
    values = _core.fold_array(ops, x, y, keywords)
    if values is not None:
        return values
    x, as_numpy = to_array(ops, x)
    if y is not None:
        y, _ = to_array(ops, y)
    return [_plain(v, as_numpy) for v in _core.fold_array(ops, x, y, keywords)]


def gather(ops, x, y, nan, first, threads):
    state = _core.gather_array(ops, x, y, nan, first, threads)
    if state is not None:
        return state
    x, _ = to_array(ops, x)
    if y is not None:
        y, _ = to_array(ops, y)
    return _core.gather_array(ops, x, y, nan, first, threads)

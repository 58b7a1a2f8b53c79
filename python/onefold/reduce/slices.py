"""Functions of the slices of an array that are not ops: quantiles, modes, logarithms of sums of exponentials."""

from .._keywords import keywords_of
from ..operands import in_memory, kind_of
from ..operands.answers import first
from ..operands.elements import along
from ..operands.found import dtype_of, unsupported
from ..operands.masks import absent_from, as_ndarray, mask_of, masked
from .request import Request


def answer_of(name, keywords, run):
    """The answer of a call; keywords: its arguments, x and dim among them. run(request) returns the answers of one array."""
    x, dim = in_memory(name, keywords.pop("x")), keywords.pop("dim")
    kind = kind_of(x)
    request = Request(kind, name, x, None, run, first, **keywords)
    if dim is not None:
        request.axis = kind.axis_of(name, x, dim, request.axis)
    return kind.fold(request)


def refuse_times(name, kind, x):
    if kind.has_times and kind.is_times(x):
        raise unsupported(name, "dates and durations are not supported; convert them to numbers first, as with x.astype('int64')")


def refuse_wide_there(name, x, looks=True):
    """Refuses integers on a device that f64 may not hold. looks: whether at those of 64 bits; else u64 alone is refused."""
    dtype = dtype_of(x)
    if dtype == "u64":
        raise unsupported(name, "uint64 is not supported on a device; convert it, or copy the array to the CPU")
    if dtype == "i64" and looks and not bool(((x >= -2**53) & (x <= 2**53)).all()):
        raise unsupported(name, "a device converts integers to float64, but one is beyond 2^53; copy the array to the CPU")


def refuse_integers_there(name, x):
    """Refuses an array on a device that is not of floats."""
    if "f" not in dtype_of(x):
        raise unsupported(name, f"on a device the elements must be floats, but these are {dtype_of(x)}; convert them")


def float_type(dtype):
    """The type of answers that are the array's floats, or f64."""
    return dtype if "f" in dtype else "f64"


def of_one(function, *first):
    """The call for fold_slices() of a function that returns one answer, or None."""
    def call(x, keywords):
        value = function(*first, x, keywords)
        return None if value is None else [value]

    return call


def fold_slices(request, call, type_of=float_type, rounds=False):
    """The answers of an array on the host, as a list.

    call     call(array, keywords) returns them, or None if the array must be converted first
    type_of  the type of the answers of an array of this type
    rounds   whether `call` takes the type that the answers are rounded to, which of some kinds is another one
    """
    kind, op, x, axis, keepdims = request.kind, request.ops, request.x, request.axis, request.keepdims
    weighed = {name: w for name in ("weights", "fweights") if (w := getattr(request, name)) is not None}
    rational = kind.has_rationals and kind.is_rationals(x)
    if not weighed and not rational and (request.where is None or isinstance(request.where, bool)):
        values = call(x, keywords_of(request))
        if values is not None:
            return values
    where = kind.agreeing(op, "where=", x, request.where)
    found = kind.found(op, x)
    if found.there:
        raise unsupported(op, "arrays on a device are not supported here; copy the array to the CPU")
    mask = mask_of(op, [found], where)
    absent = absent_from(found.array.shape, mask, request) if found.masked else None
    more = {"keepdims": True} if absent is not None and absent.ndim else {}
    if absent is not None and op == "mode" and mask is not None:
        mask = mask | absent  # what is masked afterwards needs some answer
    for name, w in weighed.items():
        w = as_ndarray(op, f"{name}=", kind.agreeing(op, f"{name}=", x, w, axis))
        more[name] = along(op, tuple(found.array.shape), w, axis)
    dtype = type_of(dtype_of(found.array))
    if rounds and found.type_of(dtype) != dtype:
        more["result"] = found.type_of(dtype)  # otherwise answers would be rounded twice
    values = call(found.array, keywords_of(request, where=mask, **more))
    if absent is not None:
        return [masked(op, v, absent, request) for v in values]
    return [kind.keep(x, found.wrap(v, dtype), axis, keepdims) for v in values]

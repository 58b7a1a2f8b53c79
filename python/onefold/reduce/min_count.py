"""min_count=: answers of too few elements are NaN."""

import functools
import sys

from .. import errors
from ..operands.found import unsupported

_odd = ("argmin", "argmax", "any", "all")  # answers of these have no NaN
_kinds = {"float": "f", "Timestamp": "M", "Timedelta": "m", "NaTType": "M", "Decimal": "decimal"}


def counted(ops, n):
    """The ops, among them the count that the answers need; n is the argument."""
    if errors.integer(ops, "min_count", n) < 0:
        raise errors.make("bad_option", f"{ops}: min_count={n} is negative")
    for op in ops.split(","):
        if op in _odd:
            raise errors.make("bad_option", f"{ops}: min_count= is not available for {op}, whose result cannot be NaN")
    return ops if "count" in ops.split(",") else f"{ops},count"


def request_of(request, n):
    """A request that counts elements, too, and whose answers of too few are NaN."""
    ops, run = request.ops, request.run
    if request.kind.has_files or request.kind.lazy(request.x) is not None or request.kind.on_device(request.x):
        raise unsupported(ops, "min_count= needs arrays or frames in host memory; read or copy x there first")
    for name in ("errors", "out"):
        if getattr(request, name) is not None:
            raise errors.make("bad_option", f"{ops}: {name}= cannot be combined with min_count=")

    def counting(one):
        return of(ops, run(one), n)

    if "by" in request.reading:
        return request.replace(ops=counted(ops, n), make=functools.partial(made, ops, n, request.make))
    return request.replace(ops=counted(ops, n), run=counting, empty_nan=True if request.empty_nan is None else request.empty_nan)


def made(ops, n, make, values, why=None):
    """Calls `make` with the answers of groups, after min_count= has been applied."""
    return make(of(ops, values, n), why)


def of(ops, values, n):
    """Applies min_count= to the answers of these ops, and drops the added count."""
    count = values[counted(ops, n).split(",").index("count")]
    return [_lacking(op, value, count < n, n) for op, value in zip(ops.split(","), values)]


def _lacking(op, value, few, n):
    """The answer with NaN where there are too few elements."""
    numpy = sys.modules.get("numpy")
    some = few.any() if hasattr(few, "any") else few
    if not some or op.startswith("count") or numpy is not None and value is numpy.ma.masked:
        return value
    if numpy is not None and isinstance(value, numpy.ma.MaskedArray):  # of any type
        value[few] = numpy.ma.masked
        return value
    kind = value.dtype.kind if hasattr(value, "dtype") else _kinds.get(type(value).__name__)
    if kind not in ("f", "M", "m", "decimal"):
        raise errors.make("empty_input", f"{op}: there are fewer than min_count={n} elements, and this result's type has no "
                           "NaN; pass result=\"float64\"")
    if not getattr(value, "ndim", 0):
        return _nothing_like(value, kind)
    if hasattr(value, "where"):  # with labels
        return value.where(~few)
    value[few] = "NaT" if kind in ("M", "m") else numpy.nan
    return value


def _nothing_like(value, kind):
    """NaN or NaT of the type of a single answer."""
    if hasattr(value, "where") and hasattr(value, "dims"):
        return value.where(False)
    if hasattr(value, "dtype"):
        return sys.modules["numpy"].array("NaT" if kind in ("M", "m") else "nan", value.dtype)[()]
    return sys.modules["pandas"].NaT if kind in ("M", "m") else type(value)("nan")

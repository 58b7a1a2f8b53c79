"""Numbers that no element type holds: decimals, fractions, and integers of any length, of Python's objects and of Arrow.

Counts, sums, means and extremes are those of the numbers themselves, rounded once. Other ops take the float64 next to
each number, as they do in files of decimals.
"""

import functools
import math
import sys

from .. import _core, _ops, errors
from .._keywords import check
from ..errors import shown
from . import kind_of
from .found import Found, numpy_for, unsupported
from .masks import as_ndarray, bools
from .types import counts_as
from .wrap import as_is

_exact = ("count", "sum", "mean", "min", "max", "ptp", "argmin", "argmax")
_nearest = {*(op for op in _ops.ops if op not in _exact), "median", "quantile", "trimmed_mean", "winsorized_mean"}
_of_zeros = {"any", "all", "count_nonzero", "count_nan"}  # only whether a number is zero or NaN matters
_refused = ("fweights", "out", "errors", "initial")
_most_digits = 10_000  # a Decimal may be 10**999999999, an integer that fills the memory


def takes(ops):
    """Whether all of these ops exist for such numbers."""
    return all(op in _exact or op in _nearest for op in ops.split(","))


def are_objects(elements):
    """Whether the first of Python's objects that is not null is a number."""
    first = next((v for v in elements if not _is_null(v)), None)
    return isinstance(first, (int, float, *_loaded())) or hasattr(first, "dtype") and first.dtype.kind in "biuf"


def are_long(elements):
    """Whether these are numbers that no array of numbers holds."""
    types, unsigned, negative, floats = _loaded(), False, False, False
    for v in elements:
        if type(v) is int:
            if not -2**63 <= v < 2**64:
                return True
            unsigned, negative = unsigned or v >= 2**63, negative or v < 0
        elif isinstance(v, types):
            return True
        else:
            floats = floats or isinstance(v, float)
    return unsigned and negative and not floats


def _loaded():
    """Decimal and Fraction, if the program has imported them."""
    names = ("decimal", "Decimal"), ("fractions", "Fraction")
    return tuple(getattr(sys.modules[module], name) for module, name in names if module in sys.modules)


def _is_null(v):
    return v is None or type(v).__name__ == "NAType"


class Rationals:
    """A column of numbers.

    kind         what sums are: "int", "decimal", "fraction" of Python, or "float": float64
    values       numbers of Python in an ndarray of objects; 0 where there is none
    denominator  an int by which each value, then an int, is divided
    there, nan   bools: elements that are not null; elements that are NaN
    """

    __slots__ = ("kind", "values", "there", "nan", "denominator")

    def __init__(self, kind, values, there, nan=None, denominator=1):
        self.kind, self.values, self.there, self.denominator = kind, values, there, denominator
        self.nan = sys.modules["numpy"].zeros(there.shape, bool) if nan is None else nan

    def flat(self):
        """The same numbers along one axis, in C order."""
        return Rationals(self.kind, self.values.ravel(), self.there.ravel(), self.nan.ravel(), self.denominator)

    def number(self, value):
        """A value, or a sum of some, as an exact number."""
        from fractions import Fraction

        return value if self.denominator == 1 else Fraction(value, self.denominator)

    def total(self, rows):
        """The exact sum of one element or more."""
        values = self.values[rows].tolist()
        if self.kind == "int" or self.denominator != 1:
            return self.number(sum(values))
        if self.kind == "decimal":
            return _sum_of_decimals(values)
        from fractions import Fraction

        if self.kind == "float" and not any(values) and all(math.copysign(1, v) < 0 for v in values):
            return -0.0
        sums = {}
        for n, d in (v.as_integer_ratio() for v in values):
            sums[d] = sums.get(d, 0) + n
        return sum((Fraction(n, d) for d, n in sums.items()), Fraction(0))

    def first(self, rows, greatest):
        """The row of the first least or greatest of these rows."""
        values = self.values[rows].tolist()
        return rows[values.index(max(values) if greatest else min(values))]

    def nearest(self, op):
        """The float64 next to each number; integers must be exact. For ops of zeros 1 instead of a number that is none."""
        numpy = sys.modules["numpy"]
        values = self.values.ravel().tolist()
        if set(op.split(",")) <= _of_zeros:
            array = numpy.array([float(v != 0) for v in values]).reshape(self.there.shape)
            array[self.nan] = numpy.nan
            return array
        floats = [_float(v, self.denominator) for v in values]
        if self.kind == "int":
            wrong = next((v for v, f in zip(values, floats) if f != v), None)
            if wrong is not None:
                raise unsupported(op, f"the integer {shown(wrong)} is not exact in float64; only " + ", ".join(_exact)
                                  + " support it")
        array = numpy.array(floats, "f8").reshape(self.there.shape)
        array[self.nan] = numpy.nan
        return array


def _sum_of_decimals(values):
    """The exact sum; digits of both ends of the range of decimals fit the precision."""
    import decimal

    context = decimal.Context(prec=3 * _most_digits, traps=[decimal.Inexact])
    try:
        return functools.reduce(context.add, values)
    except decimal.Inexact:
        raise unsupported("sum", f"decimals with more than {2 * _most_digits} digits are not supported; round them") from None


def _float(value, denominator=1):
    """The float64 next to value / denominator."""
    try:
        return value / denominator if isinstance(value, int) else float(value)  # each of them rounds once
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def of_objects(op, elements, shape=None):
    """The Rationals of Python's objects."""
    from decimal import Decimal
    from fractions import Fraction

    numpy = numpy_for(op, "such numbers")
    elements = elements.tolist() if isinstance(elements, numpy.ndarray) else list(elements)
    if any(issubclass(t, numpy.generic) for t in set(map(type, elements))):
        elements = [v.item() if isinstance(v, numpy.generic) else v for v in elements]
    shape, there = (len(elements),) if shape is None else shape, numpy.ones(len(elements), bool)
    if any(t.__name__ in ("NoneType", "NAType") for t in set(map(type, elements))):
        there = ~numpy.array([_is_null(v) for v in elements], bool)
        elements = [v if t else 0 for v, t in zip(elements, there.tolist())]
    nan, types = numpy.zeros(len(elements), bool), set(map(type, elements))
    for t in types:
        if not issubclass(t, (int, float, Decimal, Fraction)):
            wrong = next(v for v in elements if type(v) is t)
            raise unsupported(op, f"the sequence holds {shown(wrong)}; only int, float, Decimal and Fraction can be folded")
    held = [t for t in (float, Fraction, Decimal) if any(issubclass(one, t) for one in types)]
    if float in held or Decimal in held:
        nan = numpy.array([v.is_nan() if isinstance(v, Decimal) else v != v for v in elements], bool)
        if nan.any():
            elements = [0 if is_nan else v for v, is_nan in zip(elements, nan.tolist())]
        _refuse_odd(op, elements, Decimal)
    if float in held and Decimal in held and any(isinstance(v, float) for v in elements):
        raise unsupported(op, "decimals and floats are mixed, but the float 0.1 is not exactly 0.1; convert the floats, as "
                              "with Decimal(str(x))")
    kind = {float: "float", Fraction: "fraction", Decimal: "decimal"}[held[0]] if held else "int"
    if kind == "float" and Decimal in held:
        kind = "fraction" if Fraction in held else "decimal"  # these floats are NaN
    to = {"decimal": Decimal, "fraction": Fraction}.get(kind)
    if to is not None and set(map(type, elements)) != {to}:
        elements = [v if isinstance(v, to) else to(v) for v in elements]
    values = numpy.empty(len(elements), object)
    values[:] = elements
    return Rationals(kind, values.reshape(shape), there.reshape(shape), nan.reshape(shape))


def _refuse_odd(op, elements, decimal_type):
    """Raises an error for infinities, and for decimals that would be integers of more digits than memory holds."""
    for v in elements:
        if isinstance(v, decimal_type):
            infinite = not v.is_finite()
            if not infinite and v and not -_most_digits <= v.adjusted() <= _most_digits:
                raise unsupported(op, f"the decimal {shown(v)} has more than {_most_digits} digits before or after its point")
        else:
            infinite = isinstance(v, float) and math.isinf(v)
        if infinite:
            raise unsupported(op, f"{shown(v)} is not supported among Decimal, Fraction or large int; pass an array of float64")


def of_arrow(op, array):
    """The Rationals of a decimal array of Arrow."""
    import numpy
    import pyarrow

    if isinstance(array, pyarrow.ChunkedArray):
        array = pyarrow.concat_arrays(array.chunks) if array.num_chunks else pyarrow.array([], array.type)
    there = ~array.is_null().to_numpy(zero_copy_only=False)
    scale, width = array.type.scale, array.type.bit_width // 8
    if width < 16:
        array, width = array.cast(pyarrow.decimal128(38, scale)), 16
    words = numpy.frombuffer(array.buffers()[1] or b"", "<u8")[array.offset * width // 8:][:len(array) * width // 8]
    words = words.reshape(len(array), width // 8)
    numbers = words[:, -1].view("<i8").astype(object)
    for k in range(width // 8 - 2, -1, -1):
        numbers = numbers * 2**64 + words[:, k].astype(object)
    numbers[~there] = 0
    if scale < 0:
        numbers = numbers * 10**-scale
    return Rationals("float", numbers, there, None, 10**max(scale, 0))


def found(op, column):
    """The Found of such a column, for ops that take the float64 next to each number."""
    if not set(op.split(",")) <= _nearest:
        raise unsupported(op, "decimals, fractions and integers beyond 64 bits are not supported here; convert them to float64, "
                          "which rounds each of them")
    return Found(column.nearest(op), as_is, None if column.there.all() else column.there)


class _Slices:
    """The answers of groups of rows. rows: of each group, ascending, without nulls and what where= leaves out."""

    def __init__(self, request, column, groups, empty_nan):
        self.request, self.column, self.omits, self.empty_nan = request, column, request.nan == "omit", empty_nan
        self.groups = [(rows[~column.nan[rows]], bool(column.nan[rows].any()), rows) for rows in groups]
        if request.nan == "raise" and any(nan for _, nan, _ in self.groups):
            raise errors.make("nan_found", f"{request.ops}: a NaN was found")

    def answers(self, op):
        """An answer for each group, in a list."""
        return [self.answer(op, *group, f"{op}[{k}]" if len(self.groups) > 1 else op)
                for k, group in enumerate(self.groups)]

    def answer(self, op, rows, nan, all_rows, called):
        from fractions import Fraction

        column, spoilt = self.column, nan and not self.omits
        if op == "count":
            return self.counted(len(rows if self.omits else all_rows), op)
        if op in ("argmin", "argmax"):
            if spoilt:
                return self.counted(all_rows[self.column.nan[all_rows]][0], op)
            if not len(rows):
                raise errors.make("empty_input", f"{called}: there is nothing to fold")
            return self.counted(column.first(rows, op == "argmax"), op)
        if spoilt or op == "mean" and not len(rows):
            return self.rounded(math.nan, op)
        if not len(rows):
            if op != "sum" and not self.empty_nan:
                raise errors.make("empty_input", f"{called}: there is nothing to fold")
            return self.rounded(0 if op == "sum" else math.nan, op)
        if op in ("min", "max", "ptp"):
            least, most = (column.values[column.first(rows, greatest)] for greatest in (False, True))
            if op == "ptp" and column.kind == "decimal":
                return self.rounded(_sum_of_decimals([most, least.copy_negate()]), op)
            if op == "ptp":
                ends = (column.number(v) for v in (most, least))
                most, least = map(Fraction, ends) if column.kind == "float" else ends
                return self.rounded(most - least, op)
            return self.rounded(column.number(least if op == "min" else most), op)
        return self.rounded(column.total(rows), op, len(rows) if op == "mean" else 1)

    def counted(self, n, op):
        """A count or a place: a number of Python, or of the type that was asked for."""
        result = self.request.result
        return int(n) if result is None else counts_as(op, sys.modules["numpy"].array(n, "i8"), result)[()]

    def rounded(self, exact, op, count=1):
        """The exact value, divided by a count, as the answer: a number of Python, or a float."""
        from decimal import Decimal
        from fractions import Fraction

        kind, result = self.column.kind, self.request.result
        if result is None and op != "mean" and kind != "float" and exact == exact:
            types = {"int": int, "decimal": Decimal, "fraction": Fraction}
            return types[kind](exact)
        if not exact or exact != exact:
            value = exact = float(exact)  # with the sign of a zero
        else:
            exact = Fraction(exact) / count
            value = _float(exact.numerator, exact.denominator)
        return value if result is None else self.of_type(exact, value, result, op)

    def of_type(self, exact, value, result, op):
        """The exact value in another type, rounded once: of the float64 next to it, and of what is left."""
        numpy = sys.modules["numpy"]
        name = _core.dtype_name(result, op)
        if name[0] in "iub":
            if self.column.kind != "int":
                raise errors.make("bad_option", f"{op}: result={shown(result)} is an integer type, but the numbers are not "
                                                 "integers; pass result=\"float64\"")
            if name == "bool" or op == "mean":
                raise errors.make("bad_option", f"{op}: result={shown(result)} is not a result type that {op} of integers "
                                                 "supports; pass result=\"float64\"")
            info = numpy.iinfo(f"{name[0]}{int(name[1:]) // 8}")
            if not info.min <= exact <= info.max:
                raise errors.make("overflow", f"{op}: the exact value {shown(int(exact))} does not fit {name}")
            return info.dtype.type(int(exact))
        parts = [value]
        if math.isfinite(value) and exact != value:
            rest = exact - type(exact)(value)  # a Fraction
            parts.append(math.copysign(max(abs(_float(rest.numerator, rest.denominator)), 5e-324), rest))
        return _core.fold_array("sum", numpy.array(parts), None, {"result": result})[0]


def _array_of(numpy, values, kind, op, result):
    """Answers of groups as an ndarray."""
    if op in ("count", "argmin", "argmax") and (result is None or not values):
        return counts_as(op, numpy.array(values, "i8"), result)
    if result is not None:
        return numpy.array(values, next((v.dtype for v in values if hasattr(v, "dtype")), "f8"))
    if op == "mean" or kind == "float":
        return numpy.array(values, "f8")
    array = numpy.empty(len(values), object)
    array[:] = values
    return array


def _split(request):
    """The ops that are of the numbers themselves, and those that take the float64 next to each, of weights all: those of
    zeros and others."""
    names = request.ops.split(",")
    exact = [op for op in names if op in _exact] if request.weights is None else []
    if exact:
        for name in _refused:
            if getattr(request, name) is not None:
                raise unsupported(request.ops, f"{name}= is not available for decimals, fractions and integers beyond 64 bits; "
                                  "convert them to float64, which rounds each of them")
    of_floats = ([op for op in names if op not in exact and (op in _of_zeros) is zeros] for zeros in (True, False))
    return exact, [ops for ops in of_floats if ops]


def fold(request, fold_floats):
    """The answers of an array of such numbers, as a list. fold_floats(request) returns those of an array of float64."""
    check(request)
    numpy, ops = numpy_for(request.ops, "such numbers"), request.ops
    column = request.kind.rationals(ops, request.x)
    there, shape = column.there, column.there.shape
    if request.where is not None and request.where is not True:
        where = as_ndarray(ops, "where=", bools(ops, request.kind.agreeing(ops, "where=", request.x, request.where)))
        try:
            there = there & numpy.broadcast_to(where, shape)
        except ValueError:
            raise errors.make("shape_mismatch", f"{ops}: where= of shape {where.shape} does not broadcast to {shape}") from None
    exact, nearest = _split(request)
    values = {}
    if exact:
        given = request.axis
        given = range(len(shape)) if given is None else given if isinstance(given, (tuple, list)) else [given]
        axes = errors.axes_of(ops, given, shape)
        if len(axes) < len(shape) or request.keepdims:
            raise unsupported(ops, "arrays of objects do not support axis= and keepdims=; fold their slices one by one")
        slices = _Slices(request, column.flat(), [numpy.flatnonzero(there)], request.empty_nan)
        values = {op: slices.answers(op)[0] for op in exact}
    for some in nearest:
        one = request.replace(ops=",".join(some), x=column.nearest(",".join(some)), where=there)
        values.update(zip(some, fold_floats(one.replace(kind=kind_of(one.x)))))
    return [values[op] for op in ops.split(",")]


def fold_by(request, numbers, groups, fold_floats):
    """The answers of groups, as a list of ndarrays. fold_floats(request, numbers, array, groups) returns those of float64.

    numbers  of each element's group, or -1
    """
    numpy, ops = numpy_for(request.ops, "such numbers"), request.ops
    column = request.kind.rationals(ops, request.x)
    if column.there.shape != numbers.shape:
        raise errors.make("shape_mismatch", f"{ops}: there are {len(numbers)} keys, but x has shape {column.there.shape}; "
                           "each element needs a key")
    there = column.there & (numbers >= 0)
    if request.where is not None and request.where is not True:
        there = there & as_ndarray(ops, "where=", bools(ops, request.where))
    exact, nearest = _split(request)
    rows = numpy.flatnonzero(there)
    values = {}
    if exact:
        order = rows[numpy.argsort(numbers[rows], kind="stable")]
        ends = numpy.cumsum(numpy.bincount(numbers[rows], minlength=groups))
        slices = _Slices(request, column, numpy.split(order, ends[:-1]) if groups else [], True)
        values = {op: _array_of(numpy, slices.answers(op), column.kind, op, request.result) for op in exact}
    for some in nearest:
        one = request.replace(ops=",".join(some), where=None)
        values.update(zip(some, fold_floats(one, there, numbers[rows], column.nearest(one.ops)[rows], groups)))
    return [values[op] for op in ops.split(",")]

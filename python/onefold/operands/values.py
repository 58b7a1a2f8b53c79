"""The values of an expression's elements, as NumPy computes them: each operation rounds in the type that NumPy's has.

Integers are taken as int64, as sums take them (uint64 stays); an operation whose result does not fit is an error.
"""

import operator

from .. import errors

_any = 10**6
# Each function: the least and the most arguments, how it is computed, and NumPy's function.
functions = {
    **{name: (least, 2, "arithmetic", numpys) for name, least, numpys in (
        ("+", 2, "add"), ("-", 1, "subtract"), ("*", 2, "multiply"), ("%", 2, "fmod"))},
    "abs": (1, 1, "arithmetic", "absolute"), "/": (2, 2, "number", "true_divide"),
    **{name: (1, 1, "number", name) for name in ("floor", "ceil", "sqrt")},
    "not": (1, 1, "truth", "logical_not"), "and": (2, 2, "truth", "logical_and"), "or": (2, 2, "truth", "logical_or"),
    **{name: (2, 2, "comparison", numpys) for name, numpys in (
        ("==", "equal"), ("!=", "not_equal"), ("<", "less"), ("<=", "less_equal"), (">", "greater"), (">=", "greater_equal"))},
    "in": (2, _any, "in", "equal"), "if": (3, 3, "if", "where"), "round": (1, 1, "round", "floor"), "bin": (2, 2, "bin", "floor"),
}
_of_constants = {"+": operator.add, "-": operator.sub, "*": operator.mul, "abs": abs}


def values_of(op, steps, arrays, where=None):
    """The values as an ndarray.

    steps   leaves and calls, arguments first: Expr.steps
    arrays  ndarrays of one shape by name; where: the elements whose values must fit, or None
    """
    import numpy

    values, stack = _Values(op, arrays, where, numpy), []
    with numpy.errstate(all="ignore"):
        for step in steps:
            if type(step) is tuple:
                name, n = step
                parts = stack[-n:]
                del stack[-n:]
                stack.append(values.call(name, parts))
            else:
                stack.append(values.leaf(step))
    return stack[0]


def _is_constant(part):
    return isinstance(part, (bool, int, float))


def _remainder(a, b):
    """The remainder of integers, with the sign of a; 0 if b is 0, as in NumPy."""
    r = abs(a) % abs(b) if b else 0
    return r if a >= 0 else -r


class _Values:
    def __init__(self, op, arrays, where, numpy):
        self.op, self.arrays, self.where, self.numpy = op, arrays, where, numpy

    def leaf(self, leaf):
        if type(leaf) is str:
            x = self.arrays[leaf]
            wide = "i8" if x.dtype.kind == "i" or x.dtype.kind == "u" and x.dtype.itemsize < 8 else x.dtype.newbyteorder("=")
            return x.astype(wide, copy=False)
        # A constant is an integer if it is whole, but for -0.0 and those that no integer type has.
        if type(leaf) is not float or not leaf.is_integer() or abs(leaf) >= 2**64 or str(leaf) == "-0.0":
            return leaf
        return int(leaf)

    def call(self, name, parts):
        how, numpys = functions[name][2:]
        value = getattr(self, "_" + how)(name, getattr(self.numpy, numpys), *parts)
        # A constant of Python takes the type of an array beside it, one of NumPy does not.
        return value.item() if all(map(_is_constant, parts)) and hasattr(value, "item") else value

    def _arithmetic(self, name, ufunc, *parts):
        """+ - * % and abs, of integers exactly."""
        numpy = self.numpy
        parts = self._beside([self._as_number(part) for part in parts])
        if all(map(_is_constant, parts)) and name in _of_constants:
            value = _of_constants[name](*parts) if len(parts) == 2 or name == "abs" else -parts[0]
            return value if abs(value) < 2**64 else float(value)
        if name == "-" and len(parts) == 1:
            ufunc = numpy.negative
        try:
            result = ufunc(*parts)
        except OverflowError:  # a constant that the array's type does not have
            t = next(part.dtype for part in parts if not _is_constant(part))
            return self._exact(name, ufunc, parts, numpy.zeros(self._shape(parts), t), None)
        if result.dtype.kind not in "iu":
            return self._checked(name, result, parts)
        if name == "%":
            return result
        info = numpy.iinfo(result.dtype)
        near = ufunc(*(numpy.asarray(part, "f8") for part in parts))
        fits = (near > info.min * 0.99 - (info.min == 0)) & (near < info.max * 0.99)
        if info.min == 0:
            fits &= near >= 0
        return result if numpy.all(fits) else self._exact(name, ufunc, parts, result, ~fits)

    def _shape(self, parts):
        return next(part.shape for part in parts if not _is_constant(part))

    def _exact(self, name, ufunc, parts, result, where):
        """Writes the values of the elements `where`, which Python's integers compute, into result; an overflow if one does
        not fit."""
        numpy = self.numpy
        if self.where is not None:
            where = self.where if where is None else where & self.where
        where = ... if where is None else where
        if name == "%":
            ufunc = numpy.frompyfunc(_remainder, 2, 1)
        exact = ufunc(*(part if _is_constant(part) else part[where].astype(object) for part in parts))
        info = numpy.iinfo(result.dtype)
        if not numpy.all((exact >= int(info.min)) & (exact <= int(info.max))):
            raise self._overflow(name)
        result[where] = exact
        return result

    def _checked(self, name, result, parts):
        """The result, unless int64 beside uint64 made it a rounded float64."""
        numpy = self.numpy
        if {getattr(part, "dtype", None) for part in parts} != {numpy.dtype("i8"), numpy.dtype("u8")}:
            return result
        large = numpy.zeros(result.shape, bool)
        for part in (result, *parts):
            large |= (part >= 2**53) | (part <= -2**53)
        if numpy.any(large if self.where is None else large & self.where):
            raise errors.make("type_mismatch", f"{self.op}: {name} of int64 and uint64 would be float64, as in NumPy, which "
                                                "cannot hold these integers exactly; convert one of the arrays")
        return result

    def _number(self, name, ufunc, *parts):
        return ufunc(*(self._as_number(part) for part in parts))

    def _truth(self, name, ufunc, *parts):
        return ufunc(*(self._as_truth(name, part) for part in parts))

    def _comparison(self, name, ufunc, *parts):
        """Integers are compared exactly, also with a constant that no integer type has."""
        if any(getattr(getattr(part, "dtype", None), "kind", "") in ("i", "u") for part in parts):
            parts = [int(part) if type(part) is float and part.is_integer() else part for part in parts]
        return ufunc(*parts)

    def _overflow(self, name):
        return errors.make("overflow", f"{self.op}: {name} of integers overflows 64 bits; convert an array to float64, "
                                        "which rounds")

    def _as_number(self, x):
        """Truth values as the integers 0 and 1."""
        if isinstance(x, bool):
            return int(x)
        return x.astype("i8") if getattr(x, "dtype", None) == bool else x

    def _as_truth(self, name, x):
        if isinstance(x, bool) or getattr(x, "dtype", None) == bool:
            return x
        raise errors.make("bad_option", f"{self.op}: {name} takes truth values, such as x > 0, not numbers")

    def _beside(self, parts):
        """-0.0 beside integers is 0, for it would make floats of them."""
        if any(getattr(getattr(part, "dtype", None), "kind", "") in ("i", "u") for part in parts):
            return [0 if type(part) is float and part == 0 else part for part in parts]
        return parts

    def _bin(self, name, floor, a, b):
        return self.call("*", [floor(self.call("/", [a, b])), b])

    def _round(self, name, floor, x):
        """Rounds to the nearest integer, ties away from 0, as in tables."""
        numpy, x = self.numpy, self._as_number(x)
        if numpy.asarray(x).dtype.kind in "iu":
            return x
        size = numpy.abs(x)
        low = floor(size)
        return numpy.copysign(numpy.where(size - low >= 0.5, low + 1, low), x)

    def _if(self, name, choose, chosen, *values):
        chosen = self._as_truth(name, chosen)
        values = list(self._beside(values))
        t = self.numpy.result_type(*values)
        if t.kind in "iu":
            info = self.numpy.iinfo(t)
            for k, value in enumerate(values):
                if type(value) is int and not info.min <= value <= info.max:
                    taken = chosen if k == 0 else self.numpy.logical_not(chosen)
                    if self.numpy.any(taken if self.where is None else taken & self.where):
                        raise self._overflow(name)
                    values[k] = 0
        return self._checked(name, choose(chosen, *values), values)

    def _in(self, name, ufunc, x, *others):
        found = self._comparison(name, ufunc, x, others[0])
        for other in others[1:]:
            found = found | self._comparison(name, ufunc, x, other)
        return found

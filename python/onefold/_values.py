"""The values of an expression's elements, as NumPy computes them: each operation rounds in the type that NumPy's has.

Integers are taken as int64, as sums take them (uint64 stays); an operation whose result does not fit is an error.
"""

import operator

from . import _errors


def values_of(op, tree, arrays):
    """The values as an ndarray; arrays: ndarrays of one shape by name."""
    import numpy

    with numpy.errstate(all="ignore"):
        return _Values(op, arrays, numpy).of(tree)


def _whole(number):
    """A constant of the text: an integer if it is one."""
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


class _Values:
    def __init__(self, op, arrays, numpy):
        self.op, self.arrays, self.numpy = op, arrays, numpy

    def of(self, tree):
        if type(tree) is str:
            x = self.arrays[tree]
            wide = "i8" if x.dtype.kind == "i" or x.dtype.kind == "u" and x.dtype.itemsize < 8 else x.dtype.newbyteorder("=")
            return x.astype(wide, copy=False)
        if type(tree) is not tuple:
            return _whole(tree) if type(tree) is float else tree
        name, *parts = tree
        parts = [self.of(part) for part in parts]
        if name in _ufuncs:
            value = self._ufunc(name, *parts)
        else:
            value = getattr(self, "_" + name)(*parts) if name in _methods else self._arithmetic(name, *parts)
        # A constant of Python takes the type of an array beside it, one of NumPy does not.
        return value.item() if all(isinstance(part, (bool, int, float)) for part in parts) and hasattr(value, "item") else value

    def _arithmetic(self, name, *parts):
        """+ - * and abs, of integers exactly."""
        numpy = self.numpy
        ufunc = {"+": numpy.add, "*": numpy.multiply, "abs": numpy.absolute}.get(name) or (
            numpy.negative if len(parts) == 1 else numpy.subtract)
        parts = [self._number(part) for part in parts]
        if all(isinstance(part, (int, float)) for part in parts):
            value = {"+": operator.add, "*": operator.mul, "abs": abs}.get(name, operator.sub if len(parts) == 2 else operator.neg)(*parts)
            return value if abs(value) < 2**53 else float(value)
        try:
            result = ufunc(*parts)
        except OverflowError:  # a constant that the array's type does not have
            raise self._overflow(name) from None
        if result.dtype.kind not in "iu":
            return result
        info = numpy.iinfo(result.dtype)
        near = ufunc(*(numpy.asarray(part, "f8") for part in parts))
        if not numpy.all((near > info.min * 0.99 - (info.min == 0)) & (near < info.max * 0.99)) or (
                info.min == 0 and not numpy.all(near >= 0)):
            exact = ufunc(*(numpy.asarray(part, object) for part in parts))
            if not numpy.all((exact >= int(info.min)) & (exact <= int(info.max))):
                raise self._overflow(name)
        return result

    def _ufunc(self, name, *parts):
        """A function that is one of NumPy's."""
        if name in _of_numbers:
            parts = [self._number(part) for part in parts]
        elif name in _of_truths:
            parts = [self._truth(name, part) for part in parts]
        return getattr(self.numpy, _ufuncs[name])(*parts)

    def _overflow(self, name):
        return _errors.make("overflow", f"{self.op}: {name} of integers leaves 64 bits; make an array float64 to round")

    def _number(self, x):
        """Truth values as the integers 0 and 1."""
        if isinstance(x, bool):
            return int(x)
        return x.astype("i8") if getattr(x, "dtype", None) == bool else x

    def _truth(self, name, x):
        if isinstance(x, bool) or getattr(x, "dtype", None) == bool:
            return x
        raise _errors.make("bad_option", f"{self.op}: {name} takes truth values, such as x > 0, and here stands a number")

    def _bin(self, a, b):
        return self._arithmetic("*", self.numpy.floor(self._ufunc("/", a, b)), b)

    def _round(self, x):
        """To the nearest integer, ties away from 0, as in tables."""
        numpy, x = self.numpy, self._number(x)
        size = numpy.abs(x)
        low = numpy.floor(size)
        return numpy.copysign(low + (size - low >= 0.5), x) if numpy.asarray(x).dtype.kind == "f" else x

    def _if(self, chosen, a, b):
        return self.numpy.where(self._truth("if", chosen), a, b)

    def _in(self, x, *others):
        found = self.numpy.equal(x, others[0])
        for other in others[1:]:
            found = found | self.numpy.equal(x, other)
        return found


_methods = frozenset(("bin", "round", "if", "in"))
# Functions that are one of NumPy's, of numbers, of truth values, or of both.
_of_numbers = {"/": "true_divide", "%": "fmod", "floor": "floor", "ceil": "ceil", "sqrt": "sqrt"}
_of_truths = {"not": "logical_not", "and": "logical_and", "or": "logical_or"}
_comparisons = {"==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
_ufuncs = {**_of_numbers, **_of_truths, **_comparisons}

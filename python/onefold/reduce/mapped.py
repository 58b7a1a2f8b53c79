"""Folds of expressions of arrays. Elements are computed in blocks that stay in the cache, and gathered; sums of polynomials
are made of exact sums and dot products of the arrays themselves."""

import itertools
import math

from .. import _core, _ops, errors
from ..operands import kind_of, like
from ..operands.expr import arrays_of, terms_of
from ..operands.found import unsupported
from ..operands.masks import absent_from, as_ndarray, bools, masked, without_freedom
from ..operands.types import answer_types, rounded_once
from ..operands.values import values_of
from ..operands.wrap import long_names

_block = 1 << 16  # elements: 512 KiB of f64, which stay in the second cache


def fold(request):
    """The answers to a request for an expression, as a list: as those of its first array."""
    made = _Fold(request)
    x = next((request.x.arrays[name] for name in request.x.names), None)
    values = rounded_once(request, answer_types(request, made.type), kind_of(x).type_of,
                          lambda one: (made if one is request else _Fold(one)).answers())
    return [like(x, value) for value in values]


def _pieces(shape, axes, most):
    """For each piece of the kept axes its slices, with 1 for folded axes, and the slices of its blocks, of at most `most`
    elements."""
    steps, left = [], most
    for n in reversed(shape):
        steps.append(max(1, min(n, left)))
        left //= steps[-1]
    ranges = [[slice(i, min(i + step, n)) for i in range(0, n, step)] or [slice(0, 0)]
              for n, step in zip(shape, reversed(steps))]
    kept = [[slice(None)] if axis in axes else ranges[axis] for axis in range(len(shape))]
    for piece in itertools.product(*kept):
        inner = [ranges[axis] if axis in axes else [piece[axis]] for axis in range(len(shape))]
        yield piece, itertools.product(*inner)


def _common(numpy, types):
    """The narrowest float or integer type that holds all numbers of these, or None."""
    if len(set(types)) == 1:
        return types[0]
    t = numpy.result_type(*types)
    bits = {2: 11, 4: 24, 8: 53}
    exact = all(d.kind == "b" or (8 * d.itemsize <= bits.get(t.itemsize, 0) if d.kind in "iu" and t.kind == "f"
                                  else numpy.can_cast(d, t, "safe")) for d in types)
    return t if exact and t.kind in "iuf" else None


class _Fold:
    def __init__(self, request):
        import numpy

        self.numpy, self.request, self.op = numpy, request, request.called
        self.names = request.ops.split(",")
        arrays, mask, self.masked, where = arrays_of(self.op, request.x, request.where)
        try:
            self.shape = numpy.broadcast_shapes(*(a.shape for a in arrays.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {a.shape}" for name, a in arrays.items())
            raise errors.make("shape_mismatch", f"{self.op}: the arrays have shapes that do not broadcast: {shapes}") from None
        self.scalar = not self.shape  # arrays without axes are folded as one of one element
        self.shape = self.shape or (1,)
        self.arrays = {name: numpy.broadcast_to(a, self.shape) for name, a in arrays.items()}
        self.axes = self._axes(request.axis)
        self.where = self._mask(where, mask)
        self.absent = numpy.ma.nomask
        if self.masked:
            self.absent = absent_from(self.shape, self.where, request.replace(axis=self.axes))
        self.dtype = values_of(self.op, request.x.steps, {name: numpy.empty(0, a.dtype) for name, a in arrays.items()}).dtype
        self.type = _core.dtype_name(str(self.dtype), self.op)
        _core.gather_array(request.ops, memoryview(b""), None, request.nan or "propagate", None, None)  # says if there is no such nan=
        self.result = None if request.result is None else _core.dtype_name(request.result, self.op, "dtype")

    def _axes(self, axis):
        if axis is None:
            return tuple(range(len(self.shape)))
        axes = axis if isinstance(axis, (tuple, list)) else (axis,)
        axes = tuple(errors.axes_of(self.op, axes, () if self.scalar else self.shape))
        return (0,) if self.scalar else axes

    def _mask(self, where, mask):
        numpy = self.numpy
        if where is not None:
            bools(self.op, where)
            given = as_ndarray(self.op, "where=", where)
            mask = given if mask is None else given & mask
        if mask is None:
            return None
        try:
            return numpy.broadcast_to(mask, self.shape)
        except ValueError:
            raise errors.make("shape_mismatch", f"{self.op}: where= has shape {mask.shape}, which does not broadcast "
                               f"to the shape {self.shape} of the expression") from None

    def answers(self):
        terms = self._terms()
        plain = [op for op in self.names if terms is None or op not in ("sum", "mean")]
        values = dict(zip(plain, self._of_values(plain))) if plain else {}
        return [self._shaped(op, values[op] if op in values else self._exact(op, terms)) for op in self.names]

    def _shaped(self, op, answer):
        if not self.masked:
            return self._without_axes(answer)
        if op.startswith("count") and self.absent.ndim:
            answer[self.absent] = 0
        request = self.request.replace(axis=self.axes, keepdims=bool(self.request.keepdims) and not self.scalar)
        answer = masked(op, answer if self.absent.ndim else self._without_axes(answer), self.absent, request)
        return without_freedom(op, answer, self.shape, self.where, request)

    def _without_axes(self, answer):
        if self.request.keepdims and not self.scalar:
            return answer
        return answer.reshape([n for axis, n in enumerate(answer.shape) if axis not in self.axes])[()]

    def _terms(self):
        """The terms of a polynomial whose sum is exact, or None."""
        if not {"sum", "mean"} & set(self.names):
            return None
        terms = terms_of(self.op, self.request.x)
        types = {name: a.dtype for name, a in self.arrays.items()}
        if terms is None or any(_common(self.numpy, [types[name] for name in names]) is None for _, names in terms if names):
            return None
        return terms

    def _gather(self, ops, x, y, where, nan="propagate"):
        return _core.gather_array(ops, x, y, nan, None, self.request.threads, where, self.axes, True)

    def _values(self, index):
        """The values of a block as NumPy computes them, and its mask."""
        numpy = self.numpy
        where = None if self.where is None else self.where[index]
        block = values_of(self.op, self.request.x.steps, {name: a[index] for name, a in self.arrays.items()}, where)
        if self.absent.ndim:  # slices of which no answer is shown are of zeros
            block = numpy.where(where, block, block.dtype.type(0))
            where = where | numpy.broadcast_to(self.absent, self.shape)[index]
        return block, where

    # Values that are rounded to the type that NumPy's have

    def _of_values(self, ops):
        request, nan = self.request, self.request.nan or "propagate"
        text = ",".join(ops)
        if any(_ops.ops[op].inputs != 1 for op in ops):
            raise unsupported(self.op, f"an expression is one array, but "
                                       f"{', '.join(op for op in ops if _ops.ops[op].inputs != 1)} takes two; pass arrays")
        more = {op: {"dtype": self.result, "empty_nan": request.empty_nan or False,
                     **({"ddof": request.ddof, "correction": request.correction} if _ops.ops[op].uses_ddof else {})} for op in ops}
        placed = any(_ops.ops[op].uses_index for op in ops)
        if placed and len(self.axes) != 1:
            if len(self.axes) != len(self.shape):
                raise unsupported(self.op, f"argmin and argmax of an expression need one axis, or all {len(self.shape)}; "
                                  f"axis= names {len(self.axes)}")
            return self._in_all(text, nan, [more[op] for op in ops])
        answers = []
        for piece, blocks in _pieces(self.shape, self.axes, _block):
            states = None
            for index in blocks:
                block, where = self._values(index)
                first = index[self.axes[0]].start if placed else None
                some = _core.gather_array(text, block, None, nan, first, request.threads, where, self.axes, True)
                states = some if states is None else states | some
            answers.append((piece, [states.answer(op, **more[op]) for op in ops]))
        return [self._joined([(piece, values[k]) for piece, values in answers]) for k in range(len(ops))]

    def _in_all(self, ops, nan, more):
        """Answers with an index in C order."""
        state, first = _core.State(), 0
        for _, blocks in _pieces(self.shape, self.axes, _block):
            for index in blocks:
                block, where = self._values(index)
                state |= _core.gather_array(ops, block, None, nan, first, self.request.threads, where, None, False)
                first += block.size
        ones = [1] * len(self.shape)
        values = [state.answer(op, **some) for op, some in zip(ops.split(","), more)]
        types = [self.result or _ops.ops[op].types[self.type] for op in ops.split(",")]
        return [self.numpy.full(ones, value, long_names[t]) for value, t in zip(values, types)]

    def _joined(self, answers):
        if len(answers) == 1:
            return answers[0][1]
        shape = [1 if axis in self.axes else n for axis, n in enumerate(self.shape)]
        whole = self.numpy.empty(shape, answers[0][1].dtype)
        for piece, values in answers:
            whole[piece] = values
        return whole

    # Sums of polynomials

    def _exact(self, op, terms):
        """The sum or mean of the polynomial's values over the real numbers, rounded once.

        Elements of which an array is NaN or infinite have the values that NumPy computes.
        """
        alike = all(len({self.arrays[name].dtype for name in names}) <= 1 for _, names in terms)
        answers, kinds = self._combined(op, terms, math.inf if alike else _block, False)
        if 2 in kinds:
            answers, kinds = self._combined(op, terms, _block, True)
        constant = any(not names and 0 not in factors for factors, names in terms)
        if 1 in kinds and answers.dtype.kind not in "biu" and not constant:
            signs, = self._of_values(["sum"])
            zero = (self.numpy.frombuffer(kinds, "u1").reshape(answers.shape) == 1) & (signs == 0)
            answers = self.numpy.where(zero & (answers == 0) & self.numpy.signbit(signs), -answers, answers)
        return answers

    def _combined(self, op, terms, most, special):
        """The answers, and whether each of the slices has a sum of 0 (1), or a NaN or an infinity (2).

        most     elements of a block
        special  whether some are NaN or infinite
        """
        answers, kinds = [], []
        result = self.result or _ops.ops[op].types[self.type]
        for piece, blocks in _pieces(self.shape, self.axes, self._size if most == math.inf else most):
            sums, count = [None] * (len(terms) + 1), 0
            for index in blocks:
                where = None if self.where is None else self.where[index]
                arrays = {name: a[index] for name, a in self.arrays.items()}
                if special:
                    where, sums[-1], odd = self._without_special(index, arrays, where, sums[-1])
                    count = count + odd
                shape = next(iter(arrays.values())).shape
                count = count + self._count(shape, where)
                for k, (_, names) in enumerate(terms):
                    if names:
                        some = self._term([arrays[name] for name in names], where)
                        sums[k] = some if sums[k] is None else sums[k] | some
            count = self.numpy.asarray(count, "i8")
            summands = [(states, list(factors)) for states, (factors, _) in zip(sums, terms)]
            values, found = _core.combine(summands, count.tobytes(), list(count.shape), op == "mean", result, self.request.threads)
            if special:
                odd = sums[-1].answer("sum", dtype=result)
                values = self.numpy.where(self.numpy.isfinite(odd), values, odd)
            answers.append((piece, values))
            kinds.append((piece, self.numpy.frombuffer(found, "u1").reshape(count.shape)))
        return self._joined(answers), self._joined(kinds).tobytes()

    @property
    def _size(self):
        return max(1, math.prod(self.shape))

    def _term(self, arrays, where):
        """The States of a term: a sum, or a dot product."""
        t = _common(self.numpy, [a.dtype for a in arrays])
        x, *other = (a.astype(t if t.isnative else t.newbyteorder("="), copy=False) for a in arrays)
        return self._gather("dot" if other else "sum", x, other[0] if other else None, where)

    def _count(self, shape, where):
        slices = [1 if axis in self.axes else n for axis, n in enumerate(shape)]
        if where is None:
            return self.numpy.full(slices, math.prod(shape[axis] for axis in self.axes))
        return where.sum(axis=self.axes, keepdims=True)

    def _without_special(self, index, arrays, where, sums):
        """The mask of the elements whose arrays are finite; the States of the other elements' values; and their number."""
        numpy, nan = self.numpy, self.request.nan or "propagate"
        finite = numpy.ones(next(iter(arrays.values())).shape, bool)
        for a in arrays.values():
            if a.dtype.kind not in "biu":
                finite &= numpy.isfinite(a)
        odd = ~finite if where is None else ~finite & where
        values, _ = self._values(index)
        some = self._gather("sum", values, None, odd, nan)
        count = (odd & ~numpy.isnan(values) if nan == "omit" else odd).sum(axis=self.axes, keepdims=True)
        return finite if where is None else finite & where, some if sums is None else sums | some, count

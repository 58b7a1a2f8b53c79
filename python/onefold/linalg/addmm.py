"""beta c + alpha a @ b, each entry exact and rounded once: a product of longer rows and columns (docs/decisions/0067-matrix-products.md).

    c of one row     [a, beta] @ [b; c]; of one column [a, c] @ [b; beta]
    c of all entries  blocks of rows: [a, beta I] @ [b; c], and what 0 times c must not decide is put right afterwards
    alpha            a alpha, if that is exact; else as two f64 whose sum it is: [high, low] @ [b; b]
"""

import math
import sys

from .. import _ops, errors
from ..operands import complex_numbers, giver, like
from ..operands.found import library_of, on_device, unsupported
from ..operands.frameworks import dtype_of
from ..operands.wrap import long_names
from .products import (
    cast,
    check_shapes,
    float_ranges,
    is_captured,
    is_tensor,
    narrower,
    no_common_type,
    of_one_type,
    operand,
    product_of,
    quiet,
    type_for,
)

_op = "addmm"


def addmm(c, a, b, /, *, alpha=1, beta=1, dtype=None, threads=None):
    """beta c + alpha (a @ b), each entry exact and rounded once.

    a, b         as matmul() takes them
    c            broadcasts to the shape of a @ b; with beta=0 its elements are not read
    alpha, beta  real numbers, which are not rounded to the arrays' type; of integers, integers
    dtype        as of matmul()
    returns      as matmul()
    cost         docs/matmul.md: as matmul() for c of one row or column
    """
    c, a, b = (operand(_op, x) for x in (c, a, b))
    alpha, beta = _number("alpha", alpha), _number("beta", beta)
    is_complex = any(map(complex_numbers.is_complex, (c, a, b)))
    given, found = giver(a, b, c), None
    dtype = dtype if on_device(given) else type_for(_op, given, dtype)
    if is_complex:
        a, b, c = complex_numbers.of_one_type(_op, a, b, c)
    elif any(map(on_device, (c, a, b))) or all(library_of(x) == "torch" for x in (c, a, b)):
        a, b, c = _tensors(a, b, c)
    else:
        a, b, c, found = of_one_type(_op, a, b, c)
        dtype = narrower(given, a, dtype)
    a, b, c, strip = _matrices(a, b, c)
    with quiet():
        if is_complex:
            planes = complex_numbers.columns(c, b.shape[-1])
            answer = complex_numbers.product(_op, a, b, dtype, lambda x, y, part: _Sum(x, alpha, beta, part, threads).of(planes, x, y))
        else:
            answer = _Sum(a, alpha, beta, dtype, threads).of(c, a, b)
    answer = answer[strip]
    if found is None or dtype is not None:
        return like(given, answer)
    return found.wrap(answer, _ops.ops["dot"].types[dtype_of(a)])


def _number(name, value):
    """A factor as an int or a float of the same value."""
    if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c":
        raise errors.make("bad_option", f"{_op}: {name}={errors.shown(value)} is complex, but must be real")
    try:
        made = int(value) if int(value) == value and str(value) != "-0.0" else float(value)
        exact = made == value
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact:
        raise errors.make("bad_option", f"{_op}: {name}={errors.shown(value)} is not a finite number with at most 53 "
                           "significant bits; pass a float or an int")
    return made


def _tensors(*given):
    from ..operands import frameworks
    from ..reduce import device

    if any(map(on_device, given)):
        device.refuse_hosts(_op, given)
    if len({frameworks.kind_of(x) for x in given} - {"b"}) > 1:
        raise no_common_type(_op, *dict.fromkeys(x.dtype for x in given))
    return frameworks.framework_of(_op, given[0]).alike(_op, *given)


def _joined(*shapes):
    """Returns the shape to which shapes broadcast, or None if they do not."""
    rank = max(map(len, shapes))
    made = []
    for extents in zip(*((1,) * (rank - len(s)) + tuple(s) for s in shapes)):
        others = {n for n in extents if n != 1} or {1}
        if len(others) > 1:
            return None
        made += others
    return tuple(made)


def _matrices(a, b, c):
    """All three with at least two axes, and the index that takes from the answer the axes that were added."""
    shapes = [tuple(x.shape) for x in (a, b, c)]
    check_shapes(_op, *shapes[:2])
    rows, columns = len(shapes[0]) > 1, len(shapes[1]) > 1
    shape = (*_joined(shapes[0][:-2], shapes[1][:-2]), *shapes[0][-2:-1], *shapes[1][-1:] * columns)
    if _joined(shapes[2], shape) != shape:
        raise errors.make("shape_mismatch", f"{_op}: c has shape {shapes[2]}, which does not broadcast to {shape}, the "
                                             "shape of a @ b")
    strip = (..., *([] if rows else [0]), *([slice(None)] if columns and not rows else []), *([] if columns else [0]))
    if len(shapes[2]) > 1 or (len(shapes[2]) == 1 and not columns):
        c = c if columns else c[..., None]
        c = c if rows else c[..., None, :]
    elif not shapes[2]:
        c = c[None]
    c = c if len(c.shape) > 1 else c[None]
    return a if rows else a[None], b if columns else b[:, None], c, strip


def _holds(dtype, v):
    """Whether a float type has the number v."""
    bits, lowest, top = float_ranges[dtype]
    fraction, exponent = math.frexp(v)
    n = max(min(bits, exponent - lowest), 0)  # bits of a number of this size
    return v == 0 or (exponent <= top and float(fraction * 2**n).is_integer())


def _upper(v):
    """Returns the upper 26 bits of a float; the remainder has the same sign."""
    fraction, exponent = math.frexp(v)
    return math.ldexp(math.trunc(fraction * 2**26), exponent - 26)


def _times(x, v):
    """x times a number, in x's type: NumPy makes float32 of the bfloat16 of ml_dtypes."""
    return cast(x * v, dtype_of(x))


class _Sum:
    """beta c + alpha a @ b of real matrices of one type, like x.

    captured  whether calls are captured into a graph, so that no element can be looked at
    """

    def __init__(self, x, alpha, beta, dtype, threads):
        self.tensors, self.captured = is_tensor(x), is_captured(x)
        self.xp = sys.modules["torch"] if self.tensors else getattr(x, "__array_namespace__", lambda: sys.modules["numpy"])()
        self.there = {"device": x.device} if self.tensors else {}
        self.alpha, self.beta, self.dtype, self.threads = alpha, beta, dtype, threads

    def of(self, c, a, b):
        a, b = self.scaled_floats(a, b) if "f" in dtype_of(a) else self.scaled_integers(a, b)
        if self.beta == 0:
            return self.product(a, b)
        c = cast(c, dtype_of(a))
        c = c[..., :1] if self.repeats(c, -1) else c
        c = c[..., :1, :] if self.repeats(c, -2) else c
        rows, columns = c.shape[-2:]
        if rows == 1:
            row = self.xp.broadcast_to(c, (*c.shape[:-1], b.shape[-1]))
            return self.product(self.joined(a, self.full((*a.shape[:-1], 1), a), -1), self.joined(b, row, -2))
        if columns == 1:
            return self.product(self.joined(a, c, -1), self.joined(b, self.full((*b.shape[:-2], 1, b.shape[-1]), b), -2))
        if columns < rows:
            return self.of_all(*(x.swapaxes(-1, -2) for x in (c, b, a))).swapaxes(-1, -2)
        return self.of_all(c, a, b)

    def product(self, a, b):
        return product_of(_op, a, b, self.dtype, self.threads)

    def strides(self, x):
        """Returns the strides of the last two axes, or (2, 1) if the library has no strides."""
        strides = x.stride() if self.tensors else getattr(x, "strides", None)
        return (2, 1) if strides is None else strides[-2:]

    def repeats(self, c, axis):
        """Whether an axis repeats one element."""
        return c.shape[axis] > 1 and self.strides(c)[axis] == 0

    def full(self, shape, like):
        return self.xp.full(shape, self.beta, dtype=like.dtype, **self.there)

    def joined(self, x, y, axis):
        """Concatenates both along an axis; columns that are contiguous in x stay contiguous."""
        down, across = map(abs, self.strides(x))
        if down < across:
            return self.joined(x.swapaxes(-1, -2), y.swapaxes(-1, -2), -3 - axis).swapaxes(-1, -2)
        batch = _joined(x.shape[:-2], y.shape[:-2])
        return self.xp.concatenate([self.xp.broadcast_to(z, (*batch, *z.shape[-2:])) for z in (x, y)], axis)

    def scaled_integers(self, a, b):
        """Returns alpha times a, and b; raises overflow if a product does not fit 64 bits."""
        for name, v in (("alpha", self.alpha), ("beta", self.beta)):
            if v != int(v):
                raise errors.make("bad_option", f"{_op}: {name}={v} is not an integer, but the arrays are {a.dtype}; "
                                                 "convert them to floats")
        self.alpha, self.beta = int(self.alpha), int(self.beta)  # of -0.0
        if self.alpha == self.beta == 1:
            return a, b
        wide = "u64" if dtype_of(a)[0] == "u" else "i64"
        least, most = (0, 2**64 - 1) if wide == "u64" else (-2**63, 2**63 - 1)
        a, b = cast(a, wide), cast(b, wide)
        ends = (a.min(), a.max()) if self.alpha != 1 and math.prod(a.shape) else ()
        for what, v in ((f"alpha={self.alpha} times an element", [int(end) * self.alpha for end in ends]), (f"beta={self.beta}", [self.beta])):
            if not all(least <= one <= most for one in v):
                raise errors.make("overflow", f"{_op}: {what} does not fit {long_names[wide]}; convert the arrays to floats")
        return a if self.alpha == 1 else a * self.alpha, b

    def scaled_floats(self, a, b):
        """alpha times a, perhaps as two matrices side by side, and b; in f64 if their own type lacks alpha times a, or beta."""
        for name, v in (("alpha", self.alpha), ("beta", self.beta)):
            if abs(v) > sys.float_info.max or float(v) != v:
                raise errors.make("bad_option", f"{_op}: {name}={errors.shown(v)} cannot be represented exactly in "
                                                 "float64; pass a float")
        own, alpha, self.beta = dtype_of(a), float(self.alpha), float(self.beta)
        if _holds(own, self.beta):
            if alpha == 1:
                return a, b
            if alpha in (0, -1):
                return _times(a, alpha), b
            if abs(math.frexp(alpha)[0]) == .5 and not self.captured:
                scaled = self.shifted(a, b, alpha)
                if scaled is not None:
                    return scaled
        self.dtype = self.dtype or own
        if own == "f64":
            return self.two_words(a, b)
        for name, v in (("alpha", alpha), ("beta", self.beta)):
            if v != 0 and abs(math.frexp(v)[1]) > 700:
                raise unsupported(_op, f"{name}={v} is outside 2^-700 .. 2^700, so products with it may not fit float64; "
                                  "convert the arrays to float64")
        a, b = cast(a, "f64"), cast(b, "f64")
        if dtype_of(a) != "f64":
            raise unsupported(_op, f"alpha={alpha} and beta={self.beta} need float64; set jax_enable_x64")
        upper = _upper(alpha)  # its 26 bits times the 24 of an element are exact
        return (a * alpha, b) if upper == alpha else self.words(a * upper, a * (alpha - upper), b)

    def shifted(self, a, b, alpha):
        """a and b, of which each column of a, or the row of b that it meets, is times a power of two; None: neither is exact."""
        def good(x, y):
            return (_times(y, 1 / alpha) == x) | (x != x)

        left, right = _times(a, alpha), _times(b, alpha)
        of_left = good(a, left)
        if bool(of_left.all()):
            return left, b
        columns = of_left.reshape(-1, a.shape[-1]).all(0)
        rows = good(b, right).swapaxes(-1, -2).reshape(-1, a.shape[-1]).all(0)
        if not bool((columns | rows).all()):
            return (self.joined(_times(a, alpha / 2), _times(a, alpha / 2), -1), self.joined(b, b, -2)) if abs(alpha) == 2 else None
        return self.xp.where(columns, left, a), self.xp.where(columns[:, None], b, right)

    def two_words(self, a, b):
        """[high, low] and [b; b], high + low being alpha times a of f64, by Dekker's product."""
        xp, alpha = self.xp, float(self.alpha)
        if self.captured:
            raise unsupported(_op, f"alpha={alpha} must be 1 for float64 elements while a graph is captured, because it "
                                   "cannot be checked then; multiply a by it first")
        high = a * alpha
        size = xp.abs(high)
        good = (a == 0) | ~xp.isfinite(a) | ((size > 2.0**-960) & (size < 2.0**1000) & (xp.abs(a) < 2.0**990))
        if not (bool(good.all()) and abs(math.frexp(alpha)[1]) < 990):
            raise unsupported(_op, f"alpha={alpha} times some element is outside 2^-960 .. 2^1000, where the product may not "
                                   "be exact; scale a by a power of 2 first")
        split = a * (2.0**27 + 1)
        upper, of_alpha = split - (split - a), _upper(alpha)
        lower, rest = a - upper, alpha - of_alpha
        low = ((upper * of_alpha - high) + upper * rest + lower * of_alpha) + lower * rest
        # Both words have the sign of their sum, and so has each word times 0.
        nearer = xp.where(low * high < 0, xp.nextafter(high, xp.zeros_like(high)), high)
        return self.words(nearer, low + (high - nearer), b)

    def words(self, high, low, b):
        """[high, low] and [b; b]; of elements that are 0 or not finite the second words change nothing."""
        xp = self.xp
        zero = xp.copysign(xp.zeros_like(high), high)
        low = xp.where((low == 0) | ~xp.isfinite(high), zero, low)
        return self.joined(high, low, -1), self.joined(b, xp.where(xp.isfinite(b), b, xp.zeros_like(b)), -2)

    def of_all(self, c, a, b):
        """The same where c has an element for each entry, and no more rows than columns."""
        xp, floats = self.xp, "f" in dtype_of(c)
        finite = xp.isfinite(c) if floats else None
        kept = xp.where(finite, c, xp.zeros_like(c)) if floats else c
        n = max(a.shape[-1] // 8, 64)
        parts = []
        for first in range(0, max(c.shape[-2], 1), n):
            rows = kept[..., first:first + n, :]
            unit = xp.eye(rows.shape[-2], dtype=a.dtype, **self.there)
            unit = unit if self.beta == 1 else _times(unit, self.beta)
            parts.append(self.product(self.joined(a[..., first:first + n, :], unit, -1), self.joined(b, rows, -2)))
        answer = parts[0] if len(parts) == 1 else xp.concatenate(parts, -2)
        return self.mended(answer, finite, c, a, b) if floats else answer

    def mended(self, answer, finite, c, a, b):
        """The answers with infinities and NaN of c, and the signs of those that are 0."""
        xp = self.xp
        zero, nan = xp.zeros_like(answer), xp.full_like(answer, float("nan"))
        bad = ~xp.isfinite(a).all(-1)[..., :, None] | ~xp.isfinite(b).all(-2)[..., None, :]
        of_c = _times(cast(c, dtype_of(answer)), math.copysign(1, self.beta))  # only what is not finite is taken
        special = xp.where(bad, answer, zero) + of_c
        special = xp.where(special == special, special, nan)
        answer = xp.where(finite, answer, special)
        # -0 is the answer only if all terms are -0, of a @ b and of c; 0 times the other rows of c is none of them.
        asked = (answer == 0) & (c == 0) & (xp.signbit(c) != (self.beta < 0)) & ~xp.signbit(answer)
        if not self.captured and not bool(asked.any()):
            return answer
        if a.shape[-1] != 0:
            product = self.product(a, b)
            asked = asked & (product == 0) & xp.signbit(product)
        return xp.where(asked, -zero, answer)

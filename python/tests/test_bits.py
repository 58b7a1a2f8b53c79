"""Random arrays against Python's integers: every answer is the exact value, rounded once.

A second implementation that shares nothing with the library but the formulas of docs/numerics.md.
test_long_bits.py has 10^5 cases.
"""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import onefold

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "bf16", "f4", "f8"]
# Mantissa bits with the hidden one, exponent of the least subnormal, exponent of infinity.
FORMATS = {"float16": (11, -24, 16), "bfloat16": (8, -133, 128), "float32": (24, -149, 128),
           "float64": (53, -1074, 1024)}


def nearest(q, dtype, root=False):
    """|q|, or its root, rounded once to nearest even, with q's sign."""
    bits, unit, top = FORMATS[dtype]
    if q == 0:
        return 0.0
    num, den = abs(q).numerator, abs(q).denominator
    s = 90 - (num.bit_length() - den.bit_length()) // (2 if root else 1)
    scale = 2 * s if root else s
    num, den = (num << scale, den) if scale >= 0 else (num, den << -scale)
    n, rest = divmod(num, den)
    if root:
        floor = math.isqrt(n)
        rest = rest or n - floor * floor
        n = floor
    n, s = 2 * n + (rest != 0), s + 1
    last = max(n.bit_length() - s - bits, unit)
    shift = last + s
    m, low = n >> shift, n & ((1 << shift) - 1)
    if 2 * low > 1 << shift or (2 * low == 1 << shift and m & 1):
        m += 1
    value = math.inf if m.bit_length() + last > top else math.ldexp(m, last)
    return -value if q < 0 else value


def oracle(op, x, dtype, ddof):
    """The answer for a list of exact numbers; `dtype` is that of the answer."""
    n, s, q = len(x), sum(x), sum(v * v for v in x)
    real = {"sum": s, "sumsq": q, "norm1": sum(map(abs, x)), "mean": Fraction(s) / n,
            "var": None if n <= ddof else Fraction(n * q - s * s) / (n * (n - ddof)),
            "rms": Fraction(q) / n, "norm2": q, "norminf": max(map(abs, x)), "min": min(x),
            "max": max(x), "ptp": max(x) - min(x)}
    real["std"] = real["var"]
    cubes, spread = sum(v**3 for v in x), n * q - s * s
    third = n * n * cubes - 3 * n * s * q + 2 * s**3
    fourth = n**3 * sum(v**4 for v in x) - 4 * n * n * s * cubes + 6 * n * s * s * q - 3 * s**4
    real["skewness"] = Fraction(third * abs(third)) / spread**3 if spread else None
    excess = Fraction(fourth) / spread**2 - 3 if spread else None
    if ddof == 1:  # the estimates from a sample
        real["skewness"] = real["skewness"] * n * (n - 1) / (n - 2)**2 if spread and n > 2 else None
        excess = (n - 1) * ((n + 1) * excess + 6) / ((n - 2) * (n - 3)) if spread and n > 3 else None
    real |= {"kurtosis": excess, "kurtosis_pearson": None if excess is None else excess + 3,
             "sem": None if n <= ddof else Fraction(n * q - s * s) / (n * n * (n - ddof)),
             "moment3": Fraction(third) / n**3, "moment4": Fraction(fourth) / n**4,
             "raw_moment2": Fraction(q) / n, "raw_moment3": Fraction(cubes) / n,
             "raw_moment4": Fraction(sum(v**4 for v in x)) / n}
    if op in real:
        if real[op] is None:
            return math.nan
        if dtype in FORMATS:
            return nearest(Fraction(real[op]), dtype, op in ("std", "sem", "skewness", "rms", "norm2"))
        return real[op]
    return {"argmin": lambda: x.index(min(x)), "argmax": lambda: x.index(max(x)),
            "any": lambda: any(x), "all": lambda: all(x), "count": lambda: n,
            "count_nonzero": lambda: sum(v != 0 for v in x),
            "count_zero": lambda: sum(v == 0 for v in x),
            "count_nan": lambda: 0, "count_inf": lambda: 0}[op]()


def random_array(rng):
    name = DTYPES[rng.integers(len(DTYPES))]
    dtype = np.dtype(ml_dtypes.bfloat16 if name == "bf16" else name)
    shape = tuple(int(k) for k in rng.integers(1, 7, rng.integers(1, 4)))
    if name == "?":
        x = rng.integers(0, 2, shape) > 0
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        span = (info.min, info.max) if rng.integers(2) else (max(info.min, -9), min(info.max, 9))
        x = rng.integers(*span, shape, dtype=dtype, endpoint=True)
    else:
        spread = {"float16": 4, "bfloat16": 30, "float32": 30, "float64": 290}[dtype.name]
        # Numbers of very different exponents, many ties, and no -0, which has its own tests.
        x = rng.normal(size=shape) * 10.0 ** rng.integers(-spread, spread if rng.integers(2) else 1,
                                                          shape)
        if rng.integers(2):
            x = rng.integers(-8, 9, shape) * 2.0 ** rng.integers(-12, 13, shape)
        x = x.astype(dtype) + dtype.type(0)
        x[~np.isfinite(x.astype("f8"))] = 1
    layout = rng.integers(7)
    if layout == 1:
        x = x.T
    elif layout == 2:
        x = x[::-1]
    elif layout == 3:
        x = np.repeat(x, 2, axis=-1)[..., ::2]
    elif layout == 4:
        x = np.broadcast_to(x, (2, *x.shape))
    elif layout == 5 and dtype.kind != "V":
        x = x.astype(x.dtype.newbyteorder(">"))
    elif layout == 6 and dtype.kind != "V":
        packed = np.zeros(x.shape, [("pad", "i1"), ("x", x.dtype)])
        packed["x"] = x
        x = packed["x"]
    return x


def check(x, axis, op, ddof):
    axes = tuple(range(x.ndim)) if axis is None else axis
    takes = onefold._ops.ops[op].uses_ddof and (ddof in (0, 1) or not onefold._ops.ops[op].estimates)
    ddof, keywords = (ddof, {"ddof": ddof}) if takes else (0, {})
    kept = [a for a in range(x.ndim) if a not in axes]
    slices = np.transpose(x, kept + sorted(axes)).reshape([x.shape[a] for a in kept] + [-1])
    exact = [Fraction(v) if isinstance(v, float) else int(v)
             for v in slices.astype("f8" if x.dtype.kind in "fV" else x.dtype).ravel().tolist()]
    n = slices.shape[-1]
    want = [exact[i:i + n] for i in range(0, len(exact), n)]
    try:
        got = getattr(onefold, op)(x, axis=axis, **keywords)
    except OverflowError:
        values = [oracle(op, w, "int", ddof) for w in want]
        assert any(not -(2**63) <= v < 2**63 for v in values), (op, x, axis)
        return
    dtype = got.dtype.name
    for g, w in zip(np.asarray(got).ravel().tolist(), want):
        value = oracle(op, w, dtype, ddof)
        same = g == value or (value != value and g != g)
        assert same and (g != 0 or math.copysign(1, g) == math.copysign(1, value)), (op, x.tolist(), x.dtype, axis, g, value)


def check_arrays(seed, arrays):
    """Checks four ops for each array."""
    ops = [row[0] for row in onefold._core.op_table() if row[2] == 1]
    rng = np.random.default_rng(seed)
    for _ in range(arrays):
        x = random_array(rng)
        axes = [None] + [(a,) for a in range(x.ndim)] + ([(0, x.ndim - 1)] if x.ndim > 1 else [])
        axis = axes[rng.integers(len(axes))]
        for op in rng.choice(ops, 4, replace=False):
            check(x, axis, str(op), int(rng.integers(3)))


@pytest.mark.parametrize("part", range(4))
def test_random_arrays_give_the_bits_of_exact_arithmetic(part):
    check_arrays(part, 400)

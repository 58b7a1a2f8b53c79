"""Expressions of arrays: sums of polynomials are fractions rounded once; other values are NumPy's, folded exactly."""

import copy
import pickle
from fractions import Fraction as F

import numpy as np
import pytest
from scaled import scaled

import onefold
from onefold.operands.expr import polynomial

R = np.random.default_rng(7)
N = 40_000  # several blocks


def rounded(value, dtype):
    """A fraction rounded once to a float type."""
    if np.dtype(dtype).kind in "iu":
        assert value.denominator == 1
        return np.dtype(dtype).type(value.numerator)
    near = float(value)  # rounded to 53 bits; f32 and f16 are decided by their neighbours
    best = np.dtype(dtype).type(near)
    if np.dtype(dtype).itemsize == 8 or not np.isfinite(best):
        return best
    toward = [np.nextafter(best, best.dtype.type(s)) for s in (-np.inf, np.inf)]
    return min([best, *toward], key=lambda c: (abs(F(float(c)) - value), int(c.view(f"u{c.itemsize}")) & 1))


def exact(f, *arrays):
    return sum((f(*(F(float(v)) if isinstance(v, (float, np.floating)) else F(int(v)) for v in row))
                for row in zip(*(a.tolist() for a in arrays))), F(0))


POLYNOMIALS = {
    "a * b + c - 2 * d": lambda a, b, c, d: a * b + c - 2 * d,
    "(a - b) ** 2": lambda a, b, c, d: (a - b) ** 2,
    "(a - 1) * (b + 0.1)": lambda a, b, c, d: (a - 1) * (b + F(0.1)),
    "3 * a * b - a / 4": lambda a, b, c, d: 3 * a * b - a / 4,
    "-(c - 1e-300)": lambda a, b, c, d: -(c - F(1e-300)),
    "0.1 * a * (0.3 * d - 7) - b * b": lambda a, b, c, d: F(0.1) * a * (F(0.3) * d - 7) - b * b,
}


@pytest.mark.parametrize("text", POLYNOMIALS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
@pytest.mark.parametrize("scale", [1, 1e-3])
def test_sums_and_means_of_polynomials_are_fractions_rounded_once(text, dtype, scale):
    big = 60 if dtype == "f2" else 30000
    arrays = {name: (R.normal(size=300) * scale).astype(dtype) for name in "abcd"}
    arrays["a"][0], arrays["b"][0] = big, big  # cancels most of the bits
    arrays["a"][1], arrays["b"][1] = -big, big
    e = onefold.expr(text)
    taken = {name: arrays[name] for name in e.names}
    value = exact(POLYNOMIALS[text], *arrays.values())
    for result in (dtype, "f8"):
        found = onefold.sum(e, **taken, dtype=result)
        assert found.dtype == result and found == rounded(value, result)
        assert onefold.mean(e, **taken, dtype=result) == rounded(value / 300, result)
    assert onefold.sum(e, **taken).dtype == dtype


def random_polynomial(r, depth):
    """A text, and a function of fractions."""
    k = r.random()
    if depth == 0 or k < 0.3:
        name = r.choice("abc")
        return name, lambda env: env[name]
    if k < 0.4:
        text = r.choice(["2", "0.1", "3", "1.5", "1e-5", "7e10"])
        return text, lambda env: F(float(text))
    (left, f), (right, g) = random_polynomial(r, depth - 1), random_polynomial(r, depth - 1)
    sign = r.choice("+-*")
    return f"({left} {sign} {right})", {"+": lambda env: f(env) + g(env), "-": lambda env: f(env) - g(env),
                                        "*": lambda env: f(env) * g(env)}[sign]


def test_random_polynomials_are_exact_along_rows():
    import random

    r, judged = random.Random(5), 0
    for seed in range(scaled(400)):
        text, f = random_polynomial(r, 3)
        if not set(text) & set("abc") or polynomial(onefold.expr(text).steps) is None:
            continue
        kinds = ["f8", "f4"] if r.random() < 0.7 else ["f4", "f2", "i2"]
        arrays = {name: (np.random.default_rng(seed).normal(size=(2, 9)) * 10.0 ** r.choice([-3, 0, 3])).astype(r.choice(kinds))
                  for name in onefold.expr(text).names}
        sums = onefold.sum(onefold.expr(text), **arrays, axis=1, dtype="f8")
        means = onefold.mean(onefold.expr(text), **arrays, axis=1, dtype="f8")
        for row in range(2):
            value = sum(f({name: F(a[row, k].item()) for name, a in arrays.items()}) for k in range(9))
            assert sums[row] == float(value) and means[row] == float(value / 9), (text, arrays)
        judged += 1
    assert judged > scaled(200)


def test_products_leave_no_range():
    x, y = np.array([1e300, -1e300, 1e-300, 3e-320]), np.array([1e300, 1e300, 1e-300, 1e-10])
    value = sum((F(a) * F(b) for a, b in zip(x.tolist(), y.tolist())), F(0))
    assert value < F(1, 10**320)
    assert onefold.sum(onefold.expr("x * y * 1024 ** 9"), x=x, y=y) == float(value * 1024**9)
    assert onefold.sum(onefold.expr("x * y + x"), x=x, y=y) == float(value + sum(map(F, x.tolist())))


def test_axes_masks_and_types_are_those_of_arrays():
    x, w = R.normal(size=(30, 50, 20)), R.normal(size=(50, 1)).astype("f4")
    where = R.random((30, 50, 20)) < 0.7
    e = onefold.expr("x * w - w", x=x, w=w)
    wide = np.broadcast_to(w, x.shape)
    for axis in (None, 0, 1, -1, (0, 2), (1, 2), (0, 1, 2), ()):
        for keepdims in (False, True):
            found = onefold.sum(e, axis=axis, keepdims=keepdims, where=where)
            near = np.sum((x * wide - wide), axis=axis, keepdims=keepdims, where=where)
            assert found.shape == near.shape and found.dtype == np.float64
            np.testing.assert_allclose(found, near, rtol=1e-9, atol=1e-9)
    one = onefold.sum(e, axis=(0, 2), where=where)
    for k in (0, 17, 49):
        taken = x[:, k][where[:, k]]
        assert one[k] == float(exact(lambda a, b: a * b - b, taken, np.full(taken.size, w[k, 0])))
    mean = onefold.mean(e, axis=1, where=where)
    k = exact(lambda a, b: a * b - b, x[3, :, 4][where[3, :, 4]], wide[3, :, 4][where[3, :, 4]])
    assert mean[3, 4] == float(k / int(where[3, :, 4].sum()))


def test_integers_are_exact_or_an_overflow():
    x, y = R.integers(-2**62, 2**62, 100), R.integers(-2**62, 2**62, 100)
    assert onefold.sum(onefold.expr("x * y - x * y + x - y"), x=x // 2**20, y=y // 2**20) == int((x // 2**20).sum() - (y // 2**20).sum())
    with pytest.raises(onefold.OverflowError, match="sum"):
        onefold.sum(onefold.expr("x * x"), x=x)
    product = exact(lambda a, b: a * b, x, y)
    assert onefold.mean(onefold.expr("x * y"), x=x, y=y) == float(product / 100)
    with pytest.raises(onefold.OverflowError, match="integers overflows 64 bits"):
        onefold.max(onefold.expr("x * y"), x=x, y=y)
    small = np.arange(200, dtype="u1")
    assert onefold.min(onefold.expr("x - 100"), x=small) == -100
    assert onefold.sum(onefold.expr("x - 100"), x=small).dtype == np.int64
    assert onefold.sum(onefold.expr("x > 100 and not x == 150"), x=small) == 98
    u = np.array([2**64 - 1, 1], "u8")
    assert onefold.max(onefold.expr("u - 1"), u=u) == 2**64 - 2
    with pytest.raises(onefold.OverflowError):
        onefold.max(onefold.expr("u + 1"), u=u)
    with pytest.raises(onefold.OverflowError):
        onefold.max(onefold.expr("u - 2"), u=u)
    assert onefold.sum(onefold.expr("b + b"), b=np.array([True, True])) == 4


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
@pytest.mark.parametrize("text, numpys", [
    ("x * y * x", lambda x, y: x * y * x), ("abs(x - y) / 3", lambda x, y: abs(x - y) / 3),
    ("sqrt(x ** 2 + 0.1)", lambda x, y: np.sqrt(x * x + 0.1)), ("if(x > y, x, 2 * y)", lambda x, y: np.where(x > y, x, 2 * y)),
    ("floor(10 * x) % 7", lambda x, y: np.fmod(np.floor(10 * x), 7)), ("x * (1 / 3)", lambda x, y: x * (1 / 3))])
def test_other_values_are_numpys_and_their_folds_exact(text, numpys, dtype):
    x, y = R.normal(size=N).astype(dtype), R.normal(size=N).astype(dtype)
    values = numpys(x, y)
    assert values.dtype == dtype
    ops = "sum,mean,var,std,min,max,norm2" if text != "x * (1 / 3)" else "var,min"
    e = onefold.expr(text, **{name: a for name, a in (("x", x), ("y", y)) if name in text})
    for found, wanted in zip(onefold.fold(ops, e, ddof=1), onefold.fold(ops, values, ddof=1)):
        assert found == wanted and found.dtype == wanted.dtype
    for op in ("argmax", "argmin"):
        assert getattr(onefold, op)(e) == getattr(onefold, op)(values)
    cube = {name: a.reshape(40, 100, 10) for name, a in e.arrays.items()}
    for axis in (0, 1, 2):
        np.testing.assert_array_equal(onefold.argmax(onefold.expr(text, **cube), axis=axis),
                                      onefold.argmax(values.reshape(40, 100, 10), axis))
        np.testing.assert_array_equal(onefold.var(onefold.expr(text, **cube), axis=axis),
                                      onefold.var(values.reshape(40, 100, 10), axis))


def test_nan_and_infinities_are_those_of_numpys_values():
    x, y = R.normal(size=N), R.normal(size=N)
    x[5], y[1777], x[20_000] = np.nan, np.inf, 1e300
    e = onefold.expr("(x - y) * (x - y) + 1e308", x=x, y=y)
    assert np.isnan(onefold.sum(e))
    assert onefold.sum(e, nan="omit") == np.inf and onefold.nansum(e) == np.inf
    with pytest.raises(onefold.NanError):
        onefold.mean(e, nan="raise")
    rows = onefold.sum(onefold.expr("(x - y) ** 2", x=x.reshape(40, -1), y=y.reshape(40, -1)), axis=1)
    assert np.isnan(rows[0]) and np.flatnonzero(np.isinf(rows)).tolist() == [1, 20]
    kept = np.isfinite(x) & np.isfinite(y)
    mean = onefold.mean(onefold.expr("x * y", x=x[:700], y=y[:700]), nan="omit")
    assert mean == float(exact(lambda a, b: a * b, x[:700][kept[:700]], y[:700][kept[:700]]) / 699)
    assert onefold.sum(onefold.expr("x * 1e308 * 10"), x=np.array([1.0])) == np.inf  # no NaN: the exact value is too large


def test_zeros_have_the_sign_of_the_values():
    zeros = np.zeros(3)
    for text, negative in (("-x", True), ("x * y", False), ("x * -1 - x", True), ("x - x", False), ("-x * 0", True)):
        found = onefold.sum(onefold.expr(text, **{n: zeros for n in "xy" if n in text}))
        assert found == 0 and np.signbit(found) == negative, text
    assert not np.signbit(onefold.sum(onefold.expr("x - y"), x=np.array([1.0, -2.0]), y=np.array([0.5, -1.5])))


def test_nothing_and_arrays_without_axes():
    e = onefold.expr("x * x")
    assert onefold.sum(e, x=np.array([])) == 0 and np.isnan(onefold.mean(e, x=[]))
    with pytest.raises(onefold.EmptyError):
        onefold.max(e, x=np.array([]))
    assert onefold.sum(e, x=np.float64(3)) == 9 and onefold.sum(e, x=3.0) == 9
    assert onefold.sum(e, x=np.ones((0, 3)), axis=0).tolist() == [0, 0, 0]


def test_arrays_of_other_kinds_and_memory():
    import array

    pd = pytest.importorskip("pandas")
    x = np.arange(12.0)
    e = onefold.expr("x * x")
    for other in (array.array("d", x), list(x), x[::-1], x.astype(">f8"), pd.Series(x)):
        assert onefold.sum(e, x=other) == 506
    masked = np.ma.array(x, mask=x > 3)
    assert onefold.sum(e, x=masked) == 14 and onefold.mean(e, x=masked) == 3.5
    mixed = onefold.expr("x * y", x=np.array([1, 2, 2**31 - 1], "i4"), y=np.array([0.1, 0.2, 0.3], "f4"))
    assert onefold.sum(mixed, dtype="f8") == float(exact(lambda a, b: a * b, *mixed.arrays.values()))


@pytest.mark.parametrize("call, text", [
    (lambda: onefold.expr("x *"), "it ends too early"), (lambda: onefold.expr("2 + 3"), "names no array"),
    (lambda: onefold.expr("x, y"), "commas part 2"), (lambda: onefold.expr("year(x)"), "year works on columns of tables only"),
    (lambda: onefold.expr("x == 'a'"), "is a text"), (lambda: onefold.expr(3), "must be a str"),
    (lambda: onefold.expr("x ** 0.5"), "integer from 1 to 9"), (lambda: onefold.expr("x", y=[1]), "has no y"),
    (lambda: onefold.sum(onefold.expr("x * y"), x=[1.0]), "needs y="),
    (lambda: onefold.sum(onefold.expr("x + y"), x=np.ones(3), y=np.ones(4)), "do not broadcast"),
    (lambda: onefold.sum(onefold.expr("x"), x=[1.0], weights=[1.0]), "weights= cannot be combined with an expression"),
    (lambda: onefold.sum(onefold.expr("not x"), x=[1.0]), "not takes truth values"),
    (lambda: onefold.sum(onefold.expr("x"), x=[1.0], axis=1), "axis 1 is out of range"),
    (lambda: onefold.quantile(onefold.expr("x", x=[1.0]), 0.5), "quantile"),
    (lambda: onefold.gather("sum", onefold.expr("x", x=[1.0])), "pass an array here"),
    (lambda: onefold.fold("cov", onefold.expr("x", x=[1.0]), [1.0]), "y= cannot be combined")])
def test_what_is_wrong_is_said(call, text):
    with pytest.raises(onefold.Error) as error:
        call()
    assert text in str(error.value)


def test_an_unknown_keyword_is_named():
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'; the expression has x"):
        onefold.sum(onefold.expr("x"), x=[1.0], z=[1.0])


def test_expressions_are_pickled_and_copied():
    e = onefold.expr("x * w - 1", x=np.array([1.0, 2.0]))
    for made in (pickle.loads(pickle.dumps(e)), copy.copy(e), copy.deepcopy(e)):
        assert onefold.sum(made, w=[3.0, 4.0]) == 9 and repr(made) == repr(e)

"""beta c + alpha a @ b: each entry exact and rounded once, for c of any shape that broadcasts, on the host and with tensors."""

import fractions
import functools
import itertools
import math

import numpy as np
import pytest
from scaled import scaled
from test_matmul import kinds, rounded, same

import onefold

Fraction = fractions.Fraction
RANDOM = np.random.default_rng(83)
FLOATS = [np.float16, np.float32, np.float64]
FACTORS = [(1, 1), (2, -.5), (.1, .3), (1, 0), (0, 1), (-1, 3), (1, 1 / 3), (.75, 1)]


@functools.lru_cache(10_000)
def whole(x):
    """x times 2^1074, an integer; far quicker than fractions."""
    top, bottom = x.as_integer_ratio()
    return top * (2**1074 // bottom)


def entry(c, row, column, alpha, beta, dtype):
    """By fractions; NaN, infinities and zeros as dot has them."""
    terms = [(alpha, float(x), float(y)) for x, y in zip(row, column)]
    terms += [(beta, float(c), 1.0)] if beta else []
    special = [math.prod(t) for t in terms if not all(map(math.isfinite, t))]
    if special:
        return np.array(sum(special), dtype)
    total = Fraction(sum(math.prod(map(whole, t)) for t in terms), 2 ** (3 * 1074))
    if total == 0:
        negative = terms and all(0 in t and sum(math.copysign(1, v) < 0 for v in t) % 2 for t in terms)
        return np.array(-0.0 if negative else 0.0, dtype)
    return np.array(math.copysign(float(rounded(total, dtype)), total), dtype)


def right(c, a, b, alpha, beta, dtype):
    c = np.broadcast_to(c, (len(a), b.shape[1]))
    return np.array([[entry(c[i, j], a[i], b[:, j], alpha, beta, dtype) for j in range(b.shape[1])] for i in range(len(a))], dtype)


def canonical(x):
    return np.where(np.isnan(x), x.dtype.type(np.nan), x)


def check(c, a, b, alpha=1, beta=1, dtype=None):
    ours = onefold.addmm(c, a, b, alpha=alpha, beta=beta, dtype=dtype)
    same(canonical(ours), canonical(right(c, a, b, alpha, beta, ours.dtype.type)))
    return ours


@pytest.mark.parametrize("alpha, beta", FACTORS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [(3, 5, 4), (12, 9, 17)])
def test_entries_are_exact_and_rounded_once(size, dtype, alpha, beta):
    m, k, n = size
    for (name, a, b), shape in zip(kinds(m, k, n, dtype), itertools.cycle([(n,), (m, 1), (m, n), (), (1, n), (1, 1)])):
        if dtype is np.float64 and name in ("subnormal", "near overflow", "rows of any size") and alpha not in (0, 1, -1):
            continue
        c = (a[:1, :1] * b[:1, :1] * RANDOM.standard_normal(shape)).astype(dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            check(c, a, b, alpha, beta)


@pytest.mark.parametrize("dtype", FLOATS)
def test_c_may_cancel_the_product(dtype):
    a, b = RANDOM.standard_normal((70, 30)).astype(dtype), RANDOM.standard_normal((30, 90)).astype(dtype)
    c = -onefold.matmul(a, b)
    ours = onefold.addmm(c, a, b)  # what matmul has rounded away
    for i, j in ((0, 0), (3, 89), (64, 1), (69, 45)):
        same(ours[i, j], entry(c[i, j], a[i], b[:, j], 1, 1, dtype)[()])
    assert (np.abs(ours) <= np.abs(c) * np.finfo(dtype).eps).all()


def test_rows_of_c_are_taken_in_blocks_whichever_way_it_lies():
    a, b = RANDOM.standard_normal((150, 20)), RANDOM.standard_normal((20, 140))
    c = RANDOM.standard_normal((150, 140)) * 2.0**RANDOM.uniform(-60, 60, (150, 140))
    ours = onefold.addmm(c, a, b, beta=-.5)
    for i, j in zip(RANDOM.integers(0, 150, 200), RANDOM.integers(0, 140, 200)):
        same(ours[i, j], entry(c[i, j], a[i], b[:, j], 1, -.5, np.float64)[()])
    same(np.ascontiguousarray(onefold.addmm(c.T, b.T, a.T, beta=-.5).T), ours)
    same(onefold.addmm(c[100:101], a[100:101], b, beta=-.5), ours[100:101])  # the bits of a row alone
    same(onefold.addmm(c[:, 7:8], a, b[:, 7:8], beta=-.5), ours[:, 7:8])
    same(onefold.addmm(np.broadcast_to(c[3], c.shape), a, b), onefold.addmm(c[3], a, b))


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_infinities_and_zeros(dtype):
    values = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan], dtype)
    for trial in range(scaled(400)):
        some = values[:RANDOM.choice([2, 3, 4, 7])]
        m, k, n = RANDOM.integers(1, 6), RANDOM.integers(0, 4), RANDOM.integers(1, 6)
        a, b = RANDOM.choice(some, (m, k)), RANDOM.choice(some, (k, n))
        shape = [(), (n,), (m, 1), (m, n), (m, n)][trial % 5]
        alpha, beta = FACTORS[RANDOM.integers(len(FACTORS))]
        with np.errstate(invalid="ignore"):
            check(RANDOM.choice(values, shape), a, b, alpha, beta)


def test_signs_of_zeros_behind_factors_of_two_words():
    for alpha in (.1, -.3, 2.0**53 - 1, 1 / 3):
        for dtype in FLOATS:
            a = (RANDOM.standard_normal((40, 1)) * 1e4).astype(dtype)
            for zero in (0.0, -0.0):
                check(dtype(0), a, np.full((1, 1), zero, dtype), alpha, beta=0)
                check(dtype(-0.0), a, np.full((1, 1), zero, dtype), alpha)
    check(np.float64(0), np.ones((1, 1)), -np.ones((1, 1)), alpha=-0.0, beta=0)
    assert onefold.addmm(5, np.ones((1, 1), int), np.ones((1, 1), int), alpha=-0.0) == 5


def test_infinities_of_c_stay_whatever_beta_is():
    c = np.array([[np.inf, 1], [2, -np.inf]])
    for dtype, beta in ((np.float32, 1e-50), (np.float16, 2.0**-30), (np.float64, 1e-320)):
        one = np.ones((2, 2), dtype)
        same(onefold.addmm(c.astype(dtype), one, one, beta=beta), np.array([[np.inf, 2], [2, -np.inf]], dtype))
    same(onefold.addmm(c, np.ones((2, 2)), np.ones((2, 2)), beta=-1e-10, dtype="f2"), np.array([[-np.inf, 2], [2, np.inf]], "f2"))


def test_matrices_without_elements():
    assert onefold.addmm(np.zeros((0, 0)), np.zeros((0, 3)), np.zeros((3, 0))).shape == (0, 0)
    assert onefold.addmm(np.zeros((2, 0, 5)), np.zeros((2, 0, 3)), np.zeros((3, 5))).shape == (2, 0, 5)


def test_with_beta_0_the_elements_of_c_do_not_count():
    a, b = np.ones((2, 3)), np.ones((3, 4))
    for shape in ((), (4,), (2, 4)):
        assert (onefold.addmm(np.full(shape, np.nan), a, b, beta=0) == 3).all()
    assert np.isnan(onefold.addmm(np.zeros(4), a * np.nan, b, alpha=0)).all()  # alpha 0 is a factor like others


def test_a_sum_without_products_is_beta_c():
    c = np.array([[1.5, -0.0, np.inf], [0.1, 3, 1e-310]])
    same(onefold.addmm(c, np.zeros((2, 0)), np.zeros((0, 3)), beta=2), c * 2)
    assert onefold.addmm(np.ones(3), np.zeros((0, 2)), np.zeros((2, 3))).shape == (0, 3)


def test_subnormal_numbers_are_rounded_once():
    tiny = np.float32(2.0**-149)
    a, b = np.full((2, 2), tiny), np.full((2, 2), np.float32(.75))
    check(np.float32(0), a, b, alpha=.5)
    check(np.full((2, 2), tiny), a, b, alpha=2.0**-3, beta=.25)
    one = np.array([[5e-324, 2.0**-1000]])
    with pytest.raises(onefold.UnsupportedError, match=r"alpha=0.1 .*2\^-960"):
        onefold.addmm(0.0, one, one.T, alpha=.1)
    check(0.0, one, np.ones((2, 1)), alpha=4)


def test_integers_are_exact_or_overflow():
    a, b = RANDOM.integers(-100, 100, (9, 30), "i4"), RANDOM.integers(-100, 100, (30, 8), "i4")
    c = RANDOM.integers(-2**40, 2**40, (9, 8))
    for alpha, beta in ((1, 1), (-3, 2), (2**20, 0), (2.0, 5)):
        for shape in ((9, 8), (9, 1), (8,), ()):
            one = c.ravel()[:math.prod(shape)].reshape(shape)
            wide = int(beta) * one.astype(object) + int(alpha) * (a.astype(object) @ b.astype(object))
            ours = onefold.addmm(one, a, b, alpha=alpha, beta=beta)
            assert ours.dtype == np.int64 and (ours.astype(object) == wide).all()
    top = np.array([[2**62]])
    assert onefold.addmm(-top, top, [[3]], beta=2)[0, 0] == 2**62
    with pytest.raises(onefold.OverflowError):
        onefold.addmm(top, top, [[1]])
    with pytest.raises(onefold.OverflowError, match="alpha=4 times an element does not fit int64"):
        onefold.addmm(top, top, [[1]], alpha=4)
    with pytest.raises(onefold.OverflowError, match="beta=-1 does not fit uint64"):
        onefold.addmm(top.astype("u8"), top.astype("u8"), np.ones((1, 1), "u8"), beta=-1)
    with pytest.raises(onefold.OptionError, match="alpha=0.5 is not an integer, but the arrays are int64"):
        onefold.addmm(top, top, top, alpha=.5)
    truths = RANDOM.random((6, 7)) < .5
    assert (onefold.addmm(truths[:, :6], truths, truths.T) == truths[:, :6] + truths.astype(int) @ truths.T.astype(int)).all()


def test_shapes_are_those_of_a_sum_with_the_product():
    for one, two, three in [((4,), (4,), ()), ((4,), (4, 5), (5,)), ((3, 4), (4,), (3,)), ((3, 4), (4, 5), (3, 5)),
                            ((2, 3, 4), (4, 5), (2, 1, 5)), ((3, 4), (2, 4, 5), (3, 1)), ((2, 1, 3, 4), (6, 4, 5), (2, 6, 3, 5)),
                            ((6, 3, 4), (4,), (6, 3)), ((4,), (6, 4, 2), (6, 2)), ((4,), (6, 4, 2), (2,)), ((2, 3, 4), (2, 4, 5), (5,)),
                            ((0, 4), (4, 5), (5,)), ((3, 0), (0, 5), (3, 5)), ((2, 70, 4), (4, 80), (2, 70, 80)), ((3, 4), (4, 5), (1, 1))]:
        a, b, c = (RANDOM.integers(-9, 9, s).astype("f4") for s in (one, two, three))
        ours, theirs = onefold.addmm(c, a, b, alpha=2, beta=3), 3 * c + 2 * np.matmul(a, b)
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shape", [(5,), (3, 1), (3, 5), ()])
def test_complex_numbers_have_each_part_rounded_once(shape):
    def numbers(*shape):
        return RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)

    a, b, c = numbers(3, 4), numbers(4, 5), numbers(*shape)
    ours = onefold.addmm(c, a, b, alpha=.3, beta=-2)
    planes = np.broadcast_to(c, (3, 5))
    same(ours.real.copy(), right(planes.real, np.hstack([a.real, -a.imag]), np.vstack([b.real, b.imag]), .3, -2, np.float64))
    same(ours.imag.copy(), right(planes.imag, np.hstack([a.real, a.imag]), np.vstack([b.imag, b.real]), .3, -2, np.float64))
    assert onefold.addmm(c.astype("c8"), a.real.astype("f4"), b.real.astype("f4")).dtype == np.complex64
    assert onefold.addmm(c.real, a, b.real).dtype == np.complex128
    short = a.astype("c8"), b.real.astype("f4")
    assert (onefold.addmm(c.real, *short) == onefold.addmm(c.real, *(x.astype("c16") for x in short))).all()  # c keeps its 53 bits


def test_types_are_those_of_matmul():
    a, b = np.full((3, 4), 1 / 3, "f4"), np.full((4, 5), .1, "f4")
    assert onefold.addmm(np.ones(5, "f4"), a, b).dtype == np.float32
    assert onefold.addmm(np.ones(5), a, b).dtype == np.float64
    assert check(np.full(5, .7, "f4"), a, b, .1, 1 / 3, "f64").dtype == np.float64
    assert isinstance(onefold.addmm([1, 2], [[1, 2]], [[1, 2], [3, 4]]), np.ndarray)


def test_complex_tensors():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    a, b, c = (torch.randn(s, dtype=torch.complex64) for s in ((3, 4), (4, 5), (3, 5)))
    for one in (c, c[0], c[:, :1]):
        ours = onefold.addmm(one, a, b.conj(), alpha=.3, beta=2)
        assert ours.dtype == torch.complex64
        np.testing.assert_array_equal(ours.numpy(), onefold.addmm(one.numpy(), a.numpy(), b.numpy().conj(), alpha=.3, beta=2))


def test_what_has_no_meaning_is_refused_in_one_line():
    a, b, c = np.ones((3, 4)), np.ones((4, 5)), np.ones(5)
    for call, text in [(lambda: onefold.addmm(np.ones(4), a, b), r"c has shape \(4,\), which does not broadcast to \(3, 5\)"),
                       (lambda: onefold.addmm(np.ones((2, 3, 5)), a, b), r"c has shape \(2, 3, 5\)"),
                       (lambda: onefold.addmm(c, a, a), "they must be equal"),
                       (lambda: onefold.addmm(c.astype(int), a, b), "no common type"),
                       (lambda: onefold.addmm(c, a, b, alpha=np.nan), "alpha=nan is not a finite number"),
                       (lambda: onefold.addmm(c, a, b, beta=1j), "beta=1j is complex"),
                       (lambda: onefold.addmm(c, a, b, beta=2**60 + 1), "beta=1152921504606846977 cannot be represented exactly in float64"),
                       (lambda: onefold.addmm(c, a, b, alpha="1"), "alpha='1'"),
                       (lambda: onefold.addmm(c.astype("f4"), a.astype("f4"), b.astype("f4"), alpha=1e300), r"outside 2\^-700")]:
        with pytest.raises(onefold.Error, match=text) as error:
            call()
        assert "\n" not in str(error.value) and str(error.value).startswith("addmm: ")


def test_tensors():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    torch.manual_seed(5)
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        a, b, c = (torch.randn(s).to(dtype) for s in ((2, 70, 40), (40, 80), (2, 70, 80)))
        for alpha, beta in FACTORS:
            for part in (c, c[0, 0], c[:, :, :1], c[:1, :1].expand(2, 70, 80)):
                ours = onefold.addmm(part, a, b, alpha=alpha, beta=beta)
                wide = onefold.addmm(*(x.double().numpy() for x in (part, a, b)), alpha=alpha, beta=beta)
                assert isinstance(ours, torch.Tensor) and ours.dtype == dtype and ours.shape == (2, 70, 80)
                if dtype != torch.bfloat16:
                    exact = onefold.addmm(*(x.numpy() for x in (part, a, b)), alpha=alpha, beta=beta)
                    np.testing.assert_array_equal(ours.numpy(), exact)
                torch.testing.assert_close(ours.double(), torch.from_numpy(wide), rtol=2**-8, atol=1e-7)
    half = torch.full((1, 1), 1.0).bfloat16()
    assert onefold.addmm(half * 2**-8, half, half).item() == 1 and onefold.addmm(half * 3 * 2**-9, half, half).item() == 1 + 2**-7


@pytest.mark.parametrize("alpha", [2.0, 0.5, -2.0, 2.0**-20, 2.0**30])
def test_powers_of_two_are_exact_at_the_ends_of_the_range(alpha):
    a = np.array([[1e308, 3.0, 5e-324], [-1e308, 2.0**-1060, 7.0]])
    b = np.array([[1e-300, 0.25], [4.0, 2.0**-1000], [1.0, 1e300]])
    c = np.array([[1.0, -2.0], [0.0, 5e-324]])
    for columns in (slice(0, 3), slice(0, 1), slice(2, 3)):
        got = onefold.addmm(c, a[:, columns], b[columns], alpha=alpha)
        for i, j in itertools.product(range(2), range(2)):
            exact = fractions.Fraction(float(c[i, j])) + fractions.Fraction(alpha) * sum(
                fractions.Fraction(float(x)) * fractions.Fraction(float(y)) for x, y in zip(a[i, columns], b[columns, j]))
            assert got[i, j] == rounded(exact, np.float64), (i, j)
    huge = np.array([[1e308, 1e308]])
    assert onefold.addmm(np.ones((1, 1)), huge, -np.array([[1e308], [-1e308]]), alpha=2.0).tolist() == [[1.0]]


@pytest.mark.parametrize("shape", [(2, 2), (1, 2), (2, 1), (2,), (), (1, 1)])
@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_the_type_depends_on_neither_factors_nor_the_shape_of_c(name, shape):
    dtype = pytest.importorskip("ml_dtypes").bfloat16 if name == "bfloat16" else np.float16
    a, b, c = (RANDOM.integers(-8, 8, s).astype(dtype) for s in ((2, 3), (3, 2), shape))
    wide = [x.astype(np.float64) for x in (c, a, b)]
    for alpha, beta in itertools.product((1, -1, 2, .5, 0, -3, .1), (1, 0, 2, .5, -1, .1)):
        ours = onefold.addmm(c, a, b, alpha=alpha, beta=beta)
        assert ours.dtype == dtype
        if .1 not in (alpha, beta):  # then no f64 is rounded, so each entry is rounded once
            same(ours.astype(np.float64), onefold.addmm(*wide, alpha=alpha, beta=beta).astype(dtype).astype(np.float64))

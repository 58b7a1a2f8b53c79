"""Products of matrices: each entry is the exact dot product, rounded once, in any shape, batch and type."""

import fractions
import math
import operator

import numpy as np
import pytest

import onefold
import onefold.array_api as xp

Fraction = fractions.Fraction
RANDOM = np.random.default_rng(61)


def rounded(value, dtype):
    """A fraction rounded once to a type of NumPy, to nearest even."""
    info = np.finfo(dtype)
    if abs(value) >= Fraction(float(info.max)) + Fraction(float(info.max - np.nextafter(info.max, dtype(0)))) / 2:
        return np.inf if value > 0 else -np.inf
    if dtype == np.float64:
        return float(value)  # Python rounds a fraction's quotient correctly
    near = float(value)
    if near != value and math.frexp(near)[0] * 2**53 % 2 == 0:  # the neighbour with an odd last bit is never halfway, as value is not
        near = math.nextafter(near, math.inf if near < value else -math.inf)
    return dtype(near)


def wholes(x):
    """Rows of integers, and the power of 2 of which they are multiples; far quicker than fractions."""
    parts, powers = np.frexp(x.astype(float))
    low = int(powers.min())
    return [[int(p * 2.0**53) << k for p, k in zip(*row)] for row in zip(parts.tolist(), (powers - low).tolist())], low - 53


def exact(a, b, dtype):
    """a @ b of finite matrices by integers of any length, rounded once."""
    (rows, high), (columns, low) = wholes(a), wholes(b.T)
    unit = Fraction(2) ** (high + low)
    return np.array([[rounded(sum(map(operator.mul, r, c)) * unit, dtype) for c in columns] for r in rows], dtype)


def general(a, b):
    """The same by dot of each row and column alone."""
    columns = list(np.ascontiguousarray(b.T))
    return np.array([[onefold.dot(r, c) for c in columns] for r in np.ascontiguousarray(a)])


def same(ours, right):
    assert ours.dtype == right.dtype and ours.shape == right.shape
    width = f"u{ours.dtype.itemsize}"
    np.testing.assert_array_equal(np.ascontiguousarray(ours).view(width), np.ascontiguousarray(right).view(width))


def cancelling(m, k, n, dtype):
    """Products whose sums are far smaller than their terms."""
    a, b = RANDOM.standard_normal((m, k)), RANDOM.standard_normal((k, n))
    a[:, k // 2:k // 2 * 2] = -a[:, :k // 2]
    b[k // 2:k // 2 * 2] = b[:k // 2] * (1 + 2.0**-20)
    return a.astype(dtype), b.astype(dtype)


def scaled(a, b, dtype):
    """Rows and columns of very different magnitudes, within the type."""
    most = max(np.log2(float(np.finfo(dtype).max)) / 2 - 10, 2)
    return ((a * 2.0**RANDOM.uniform(-most, most, (len(a), 1))).astype(dtype),
            (b * 2.0**RANDOM.uniform(-most, most, (1, b.shape[1]))).astype(dtype))


def kinds(m, k, n, dtype):
    """Pairs of matrices, of ten kinds."""
    info = np.finfo(dtype)
    a, b = RANDOM.standard_normal((m, k)), RANDOM.standard_normal((k, n))
    wide = 3.0 if dtype != np.float16 else .5
    yield "normal", a.astype(dtype), b.astype(dtype)
    yield "lognormal", np.exp(a * wide).astype(dtype), np.exp(b * wide).astype(dtype)
    yield ("cancelling", *cancelling(m, k, n, dtype))
    yield "subnormal", (a * float(info.tiny) / 8).astype(dtype), b.astype(dtype)
    yield "near overflow", (a.clip(-4, 4) * (float(info.max) / 16)).astype(dtype), (b / 4).astype(dtype)
    yield ("rows of any size", *scaled(a, b, dtype))
    yield "whole numbers", np.rint(a * 3).astype(dtype), np.rint(b * 3).astype(dtype)
    yield "constants", np.full((m, k), .1, dtype), np.full((k, n), .3, dtype)
    few = RANDOM.random((m, k)) < .02
    yield "sparse", (a * few).astype(dtype), (b * (RANDOM.random((k, n)) < .02)).astype(dtype)
    yield "zeros with signs", np.copysign(0, a).astype(dtype), np.copysign(few.any() * 0.0, b).astype(dtype)


SIZES = [(3, 5, 4), (40, 33, 50), (65, 300, 110)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_entries_are_the_exact_ones_rounded_once(dtype, size):
    for name, a, b in kinds(*size, dtype):
        ours = onefold.matmul(a, b)
        same(ours, general(a, b))
        if size[0] * size[2] > 2000:
            a, b, ours = a[:7], b[:, -7:], ours[:7, -7:]
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(ours, exact(a, b, dtype), name)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_nan_infinities_and_zeros_are_those_of_dot(dtype):
    m, k, n = 70, 130, 60
    a, b = RANDOM.standard_normal((m, k)).astype(dtype), RANDOM.standard_normal((k, n)).astype(dtype)
    a[3, 5], a[4, 6], a[5, 7:9] = np.nan, np.inf, [np.inf, -np.inf]
    a[6], a[7], a[8] = 0, -0.0, np.copysign(0, b[:, 0].sum())
    b[9, 4], b[10, 5], b[:, 6], b[:, 7] = np.nan, -np.inf, 0, -0.0
    b[6, 8] = 0  # inf * 0
    with np.errstate(invalid="ignore"):
        same(onefold.matmul(a, b), general(a, b))


@pytest.mark.parametrize("most", [2**6, 2**15, 2**20, 2**31, 2**45, 2**62])
@pytest.mark.parametrize("kind", "iu")
@pytest.mark.parametrize("size", [(50, 300, 60), (20, 4, 100)])
def test_whole_numbers_are_exact_or_overflow(kind, most, size):
    m, k, n = size
    bits = next(b for b in (8, 16, 32, 64) if most <= 2**(b - 1))
    a, b = (RANDOM.integers(-most if kind == "i" else 0, most, s, f"{kind}8").astype(f"{kind}{bits // 8}")
            for s in ((m, k), (k, n)))
    wide = a.astype(object) @ b.astype(object)
    most = 2**64 - 1 if kind == "u" else 2**63 - 1
    if np.abs(wide).max() > most:
        with pytest.raises(onefold.OverflowError):
            onefold.matmul(a, b)
        np.testing.assert_array_equal(onefold.matmul(a, b, dtype="f8"), wide.astype(float))
    else:
        ours = onefold.matmul(a, b)
        assert ours.dtype == f"{kind}8" and (ours.astype(object) == wide).all()


def test_bools_are_counted():
    a, b = RANDOM.random((40, 300)) < .5, RANDOM.random((300, 50)) < .5
    ours = onefold.matmul(a, b)
    assert ours.dtype == np.int64 and (ours == a.astype(int) @ b.astype(int)).all()


def test_an_integer_that_does_not_fit_is_an_error():
    x = np.full((40, 40), 2**62)
    with pytest.raises(onefold.OverflowError):
        onefold.matmul(x, x)


def test_shapes_are_those_of_numpy():
    for one, two in [((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
                     ((2, 1, 3, 4), (6, 4, 5)), ((6, 3, 4), (4,)), ((4,), (6, 4, 2)), ((0, 4), (4, 5)), ((3, 0), (0, 5)),
                     ((3, 4), (4, 0)), ((0, 3, 4), (4, 5)), ((1, 1), (1, 1)), ((0,), (0,))]:
        a, b = RANDOM.integers(-9, 9, one).astype("f4"), RANDOM.integers(-9, 9, two).astype("f4")
        ours, theirs = onefold.matmul(a, b), np.matmul(a, b)
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_strides_threads_batches_and_parts_do_not_show():
    a, b = RANDOM.standard_normal((45, 100)).astype("f4"), RANDOM.standard_normal((100, 40)).astype("f4")
    right = onefold.matmul(a, b)
    same(right, exact(a, b, np.float32))
    turned = np.asfortranarray(a), np.asfortranarray(b)
    wide = np.repeat(a, 2, 1)[:, ::2], np.repeat(b, 3, 0)[::3]
    for one, two in (turned, wide, (a[::-1][::-1], b[:, ::-1][:, ::-1]), (a[:, ::-1], b[::-1])):
        for threads in (1, 2, 3):
            same(onefold.matmul(one, two, threads=threads), right)
    for rows, columns in ((slice(0, 1), slice(0, 1)), (slice(3, 40), slice(7, 40)), (slice(44, 45), slice(0, 40))):
        same(onefold.matmul(a[rows], b[:, columns]), right[rows, columns])
    same(onefold.matmul(b.T, a.T), np.ascontiguousarray(right.T))
    same(onefold.matmul(a[::-1], b[:, ::-1]), np.ascontiguousarray(right[::-1, ::-1]))
    batch = onefold.matmul(np.stack([a, a, a[::-1]]), b)
    same(batch[1], right)
    same(batch[2], np.ascontiguousarray(right[::-1]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_may_be_multiplied_by_each_of_a_batch(dtype):
    random = RANDOM.standard_normal
    wide = random((5, 40, 60)).astype(dtype)[:, ::2, ::2]  # rows of a batch that are no single run
    for a, b in ((wide, random((30, 50)).astype(dtype)), (random((2, 1, 20, 30)).astype(dtype), random((6, 30, 40)).astype(dtype)),
                 (random((20, 30)).astype(dtype), random((4, 30, 40)).astype(dtype))):
        ours = onefold.matmul(a, b, threads=2)
        leading = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        ones, twos = (np.broadcast_to(x, leading + x.shape[-2:]) for x in (a, b))
        for place in np.ndindex(leading):
            same(ours[place], onefold.matmul(ones[place], twos[place]))
            same(ours[place][:3], general(ones[place][:3], twos[place]))


def test_types_are_those_of_vecdot():
    x, y = np.ones((40, 50), "f4"), np.ones((50, 40))
    assert onefold.matmul(x, y).dtype == np.float64
    assert onefold.matmul(x, y.astype("f4"), dtype="f64").dtype == np.float64
    with pytest.raises(onefold.DTypeError, match="matmul: .*no common type"):
        onefold.matmul(x, np.ones((50, 4), int))
    third = np.full((32, 64), 1 / 3, "f4")
    wide = onefold.matmul(third, third.T, dtype="f64")
    np.testing.assert_array_equal(wide, exact(third, third.T, np.float64))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_product_of_f64_rounded_to_a_shorter_type_is_rounded_once(dtype):
    info, eps = np.finfo(dtype), float(np.finfo(dtype).eps)
    most = float(info.max) * (1 + eps / 4 / (1 - eps / 2))  # halfway to the number that would be next
    near = [1 + eps / 2, 1 + 1.5 * eps, -1 - eps / 2, 1 - eps / 4, float(info.smallest_subnormal) / 2, 2 - eps / 2, most, -most, 0.0, -0.0]
    rows = np.array([[v, d * abs(v) * 2.0**-80] for v in near for d in (-1, 0, 1)] + [[np.inf, 1], [np.nan, 1], [1e300, 1e300], [1 + 2.0**-14, 1]])
    a = np.concatenate([rows, RANDOM.standard_normal((40, 2))])
    b = np.concatenate([np.ones((2, 1)), -np.ones((2, 1)), np.full((2, 1), .5)], 1)
    ours = onefold.matmul(a, b, dtype=np.dtype(dtype).name)
    one_by_one = np.array([[onefold.dot(r, np.ascontiguousarray(c), dtype=np.dtype(dtype).name) for c in b.T] for r in a])
    same(ours, one_by_one)
    finite = np.isfinite(a).all(1)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(ours[finite], exact(a[finite], b, dtype))


def test_tensors_are_rounded_once_to_a_shorter_type():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    a, b = torch.randn(300, 9, dtype=torch.float64), torch.randn(9, 400, dtype=torch.float64)
    a[0] = torch.tensor([1, 2.0**-9, 2.0**-60] + [0] * 6)  # just above halfway between two bfloat16
    b[:3, 0] = torch.tensor([1, 2, 1])
    for dtype in ("bf16", "f16", "f32"):
        ours = onefold.matmul(a, b, dtype=dtype)
        one_by_one = torch.stack([torch.stack([onefold.dot(r, c, dtype=dtype) for c in b.T[:20]]) for r in a[:20]])
        assert torch.equal(ours[:20, :20], one_by_one)
    assert onefold.matmul(a, b, dtype="bf16")[0, 0] == 1 + 2.0**-7


def test_what_has_no_product_is_refused():
    two = np.ones((3, 4))
    for call, text in [(lambda: onefold.matmul(two, two), r"shapes \(3, 4\) and \(3, 4\).* 4 .* 3; they must be equal"),
                       (lambda: onefold.matmul(two, 3.0), "second array is a single number, without axes"),
                       (lambda: onefold.matmul(np.ones(3), np.ones(4)), r"\(3,\) and \(4,\).*must be equal"),
                       (lambda: onefold.matmul(np.ones((2, 3, 4)), np.ones((3, 4, 5))), r"\(2,\) and \(3,\), do not broadcast"),
                       (lambda: onefold.tensordot(two, two, axes=3), "axes=3"),
                       (lambda: onefold.tensordot(two, two, axes=1), "different extents"),
                       (lambda: onefold.tensordot(two, two, axes=([0], [2])), "legal axes are -2..1"),
                       (lambda: onefold.tensordot(two, two, axes=([0, 0], [0, 1])), "twice")]:
        with pytest.raises(onefold.Error, match=text) as error:
            call()
        assert "\n" not in str(error.value)
    with pytest.raises(onefold.UnsupportedError, match="masks"):
        onefold.matmul(np.ma.masked_array(two, two > 0), two.T)


def test_frames_are_refused_since_labels_would_be_lost():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.ones((3, 3)))
    with pytest.raises(onefold.UnsupportedError, match="to_numpy"):
        onefold.matmul(frame, frame)


def test_tensordot_is_numpys():
    a, b = RANDOM.integers(-9, 9, (3, 4, 5, 2)).astype("f8"), RANDOM.integers(-9, 9, (5, 2, 4)).astype("f8")
    for axes in (([2, 3], [0, 1]), ([-3], [2]), (1, 2), ([1, 3, 2], [2, 1, 0])):
        np.testing.assert_array_equal(onefold.tensordot(a, b, axes=axes), np.tensordot(a, b, axes))
    np.testing.assert_array_equal(onefold.tensordot(a, b.transpose(0, 1, 2)), np.tensordot(a, b))
    np.testing.assert_array_equal(onefold.tensordot(a, b, axes=0), np.tensordot(a, b, 0))
    assert onefold.tensordot([1.0, 2], [3.0, 4], axes=1) == 11


def test_the_array_api_keeps_the_inputs_type():
    a, b = np.arange(12, dtype="i4").reshape(3, 4), np.arange(20, dtype="i4").reshape(4, 5)
    assert xp.matmul(a, b).dtype == np.int32 and (xp.matmul(a, b) == a @ b).all()
    assert (xp.linalg.matmul(a.astype("f4"), b.astype("f4")) == a @ b).all()
    assert (xp.tensordot(a, b, axes=1) == a @ b).all() and (xp.linalg.tensordot(a, b, axes=1) == a @ b).all()
    with pytest.raises(OverflowError, match="matmul: the exact value does not fit int8"):
        xp.matmul(np.full((2, 2), 100, "i1"), np.full((2, 2), 100, "i1"))
    assert (xp.matmul(np.ones((2, 2), complex), np.ones((2, 2), complex)) == 2).all()


def test_tensors_have_products():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    a, b = torch.randn(5, 30, 40), torch.randn(40, 20)
    ours = onefold.matmul(a, b)
    assert isinstance(ours, torch.Tensor) and ours.shape == (5, 30, 20)
    same(ours.numpy(), onefold.matmul(a.numpy(), b.numpy()))
    half = onefold.matmul(a.bfloat16(), b.bfloat16())
    wide = onefold.matmul(a.bfloat16().double(), b.bfloat16().double())
    assert half.dtype == torch.bfloat16 and torch.equal(half, onefold.matmul(a.bfloat16(), b.bfloat16(), dtype="bf16"))
    torch.testing.assert_close(half.double(), wide, rtol=2**-8, atol=0)
    assert onefold.matmul(a[0, 0], b[:, 0]).shape == ()


def test_torchs_products_are_ours_within_exact():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    import onefold.torch

    a, b, c = torch.randn(3, 20, 40), torch.randn(3, 40, 30), torch.randn(30)
    with onefold.torch.exact():
        made = [torch.bmm(a, b), torch.mm(a[0], b[0]), torch.matmul(a, b[0])]
    for ours, want in zip(made, [onefold.matmul(a, b), onefold.matmul(a[0], b[0]), onefold.matmul(a, b[0])]):
        assert torch.equal(ours, want)


def test_what_torch_adds_to_products_is_rounded_with_them_within_exact():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    import onefold.torch

    a, b, c = torch.randn(3, 20, 40), torch.randn(3, 40, 30), torch.randn(30)
    whole, linear = torch.randn(20, 30), torch.nn.functional.linear
    with onefold.torch.exact():
        made = [torch.addmm(c, a[0], b[0]), linear(a[0], b[0].T, c), linear(a, b[0].T, c), torch.baddbmm(c, a, b, alpha=.3, beta=2),
                torch.addmv(c, b[0].T, a[0, 0], beta=-1), torch.addmm(whole, a[0], b[0], alpha=2, beta=.1),
                whole.clone().addmm_(a[0], b[0]), torch.baddbmm(torch.full((1, 1, 1), torch.nan), a, b, beta=0, alpha=40**-.5),
                torch.addbmm(whole, a, b)]
    right = [onefold.addmm(c, a[0], b[0])] * 2 + [onefold.addmm(c, a, b[0]), onefold.addmm(c, a, b, alpha=.3, beta=2),
             onefold.addmm(c, b[0].T, a[0, 0], beta=-1), onefold.addmm(whole, a[0], b[0], alpha=2, beta=.1),
             onefold.addmm(whole, a[0], b[0]), onefold.addmm(c, a, b, beta=0, alpha=40**-.5),
             onefold.addmm(whole, torch.cat(list(a), 1), torch.cat(list(b)))]
    for ours, want in zip(made, right, strict=True):
        assert torch.equal(ours, want)
    whole = torch.tensor([[1, 2], [3, 4]])
    with onefold.torch.exact():
        assert (torch.addmm(whole, whole, whole) == whole + whole @ whole).all()  # integers are torch's
        with pytest.raises(RuntimeError, match="dtype"):
            torch.addmm(c, a[0].double(), b[0])


def test_a_sum_just_below_the_normal_numbers_is_rounded_once():
    a, b = np.zeros((48, 96)), np.zeros((96, 128))
    a[:, 0], a[:, 1], b[:2] = (1 - 2.0**-53) * 2.0**-500, -(2.0**-557), 2.0**-522
    assert (onefold.matmul(a, b) == float.fromhex("0x0.fffffffffffffp-1022")).all()


def test_lists_of_floats_are_multiplied_by_integers_that_they_hold():
    i, f = np.array([[1, 2], [3, 2**53]]), [[0.5, 2.0], [3.0, 4.0]]
    for ours, right in ((onefold.matmul(i, f), i @ np.array(f)), (onefold.matmul(f, i), f @ i), (onefold.einsum("ij,jk", i, f), i @ f),
                        (onefold.tensordot(i, f, 1), i @ f), (onefold.vecdot(i, f), (i * f).sum(1)), (onefold.addmm(i, i, f), i + i @ f),
                        (onefold.matmul(i > 1, f), (i > 1) @ np.array(f)), (onefold.matmul(i.astype("u1"), f), i.astype("u1") @ np.array(f))):
        assert ours.dtype == right.dtype == "f8" and ours.tolist() == right.tolist()
    for call in (lambda: onefold.matmul(i + 1, f), lambda: onefold.vecdot(f, i + 1), lambda: onefold.addmm(f, i + 1, i),
                 lambda: onefold.matmul(i, np.array(f))):  # 2^53 + 1, and a type that somebody chose
        with pytest.raises(onefold.DTypeError, match="have no common type that holds both exactly; convert one of them"):
            call()


def test_lists_of_integers_are_multiplied_by_floats_that_hold_them():
    assert onefold.matmul([[1, 2]], [[1.5], [2]]).tolist() == [[5.5]]
    assert onefold.matmul(np.array([[1.5, 2]], "f4"), [[1], [2]]).tolist() == [[5.5]]
    assert onefold.vecdot([1, 2], [1.5, 2]) == 5.5 and onefold.addmm([[1]], [[1, 2]], [[1.5], [2]]).tolist() == [[6.5]]
    with pytest.raises(onefold.Error, match="int64 and float64 have no common type"):
        onefold.matmul([[1, 2**53 + 1]], [[1.5], [2]])


def test_axes_of_tensordot_may_be_given_by_position():
    assert onefold.tensordot(np.eye(2), np.eye(2), 1).tolist() == np.eye(2).tolist()


def test_nan_is_left_out_of_vecdot():
    x, y = np.array([[1.0, np.nan, 2.0], [1.0, 2.0, 3.0]]), np.array([1.0, 2.0, 3.0])
    assert onefold.vecdot(x, y, nan="omit").tolist() == [7, 14] and onefold.vecdot(x[0].tolist(), y.tolist(), nan="omit") == 7
    assert onefold.vecdot(x[0] * 1j, y, nan="omit") == -7j
    with pytest.raises(onefold.NanError):
        onefold.vecdot(x, y, nan="raise")

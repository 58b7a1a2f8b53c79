"""Complex numbers: each part of an answer is a fraction rounded once; shapes and types are NumPy's."""

from fractions import Fraction as F

import numpy as np
import pytest

import onefold
from onefold import array_api as xp

R = np.random.default_rng(11)


def complexes(n, dtype="c16"):
    """Numbers whose sums cancel."""
    z = R.normal(size=n) * 10.0 ** R.integers(-6, 7, n) + 1j * R.normal(size=n)
    z = z.astype(dtype)
    z[1::2] = -z[: n - n % 2 : 2] * (1 + np.finfo(z.real.dtype).eps * 8)
    return z


def near(value, dtype):
    """A fraction rounded once to the type of a part."""
    best = np.dtype(dtype).type(float(value))
    if best.itemsize == 8:
        return best
    around = [best, *(np.nextafter(best, best.dtype.type(s)) for s in (-np.inf, np.inf))]
    return min(around, key=lambda c: (abs(F(float(c)) - value), int(c.view("u4")) & 1))


def root(value, dtype):
    """The root of a fraction, rounded once."""
    best = np.dtype(dtype).type(np.sqrt(float(value)))
    below, above = (np.nextafter(best, best.dtype.type(s)) for s in (0, np.inf))
    for low, high in ((below, best), (best, above)):
        middle = (F(float(low)) + F(float(high))) / 2
        if low == below and middle**2 > value:
            return low
        if low == best and middle**2 < value:
            return high
    return best


def fractions(z):
    return [(F(float(v.real)), F(float(v.imag))) for v in z.ravel()]


@pytest.mark.parametrize("dtype", ["c16", "c8"])
@pytest.mark.parametrize("n", [1, 2, 7, 300, 5001])
def test_answers_are_fractions_rounded_once(dtype, n):
    z, w = complexes(n, dtype), complexes(n, dtype)
    part = z.real.dtype
    a, b = fractions(z), fractions(w)
    sre, sim = sum(x for x, _ in a), sum(y for _, y in a)
    square = sum(x * x + y * y for x, y in a)

    def both(re, im):
        return near(re, part) + 1j * near(im, part)

    for found, wanted in (
            (onefold.sum(z), both(sre, sim)), (onefold.mean(z), both(sre / n, sim / n)),
            (onefold.sumsq(z), near(square, part)), (onefold.norm2(z), root(square, part)),
            (onefold.var(z), near(square / n - (sre**2 + sim**2) / n**2, part)),
            (onefold.std(z), root(square / n - (sre**2 + sim**2) / n**2, part)),
            (onefold.dot(z, w), both(sum(p * r - q * s for (p, q), (r, s) in zip(a, b)),
                                     sum(p * s + q * r for (p, q), (r, s) in zip(a, b)))),
            (onefold.vecdot(z, w), both(sum(p * r + q * s for (p, q), (r, s) in zip(a, b)),
                                        sum(p * s - q * r for (p, q), (r, s) in zip(a, b))))):
        assert found == wanted, (found, wanted)
        assert found.dtype == (z.dtype if np.iscomplexobj(wanted) else part)
    if n > 1:
        assert onefold.var(z, ddof=1) == near((n * square - sre**2 - sim**2) / (n * (n - 1)), part)
    assert onefold.sum(z.astype("c8"), dtype="c16").dtype == "c16"


def test_total_variance_is_that_of_both_arrays():
    for dtype in ("f8", "f4", "f2", "i4", "i8", "u1"):
        x, y = (R.normal(size=(2, 40, 60)) * 50).astype("i8").astype(dtype)
        ops = onefold.fold("total_var,total_std", x, y, axis=1, ddof=1)
        for k in (0, 13, 39):
            value = sum(sum((v - sum(fs) / 60) ** 2 for v in fs) for fs in ([F(int(v)) for v in r] for r in (x[k], y[k]))) / 59
            if dtype == "f2":
                assert abs(float(ops.total_var[k]) - float(value)) <= float(value) * 2**-11
            else:
                assert ops.total_var[k] == near(value, ops.total_var.dtype) and ops.total_std[k] == root(value, ops.total_std.dtype)
    assert onefold.total_var([3.0] * 5, [0.1] * 5) == 0 and np.isnan(onefold.total_var([1.0], [2.0], ddof=1))
    assert np.isnan(onefold.total_var([np.inf, 1], [2.0, 3]))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (0, 1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_shapes_and_types_are_numpys(axis, keepdims):
    z = complexes(4 * 5 * 6).reshape(4, 5, 6)
    where = R.random(z.shape) < 0.8
    for x in (z, z.transpose(2, 0, 1)[::-1, :, ::2], z.astype(">c16"), z.astype("c8"), z[:, :0], np.asfortranarray(z)):
        for name in ("sum", "mean", "var", "std"):
            with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patch:
                import warnings

                patch.setattr(warnings, "showwarning", lambda *a, **k: None)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    wanted = getattr(np, name)(x, axis=axis, keepdims=keepdims)
            found = getattr(onefold, name)(x, axis=axis, keepdims=keepdims)
            assert type(found) is type(wanted) and found.shape == wanted.shape and found.dtype == wanted.dtype.newbyteorder("=")
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1)
        norm = onefold.norm2(x, axis=axis, keepdims=keepdims)
        squares = np.sqrt(np.sum(np.abs(x) ** 2, axis=axis, keepdims=keepdims))
        assert norm.shape == squares.shape
        np.testing.assert_allclose(norm, squares, rtol=1e-5)
    some = onefold.norm2(z, axis=axis, keepdims=keepdims, where=where)
    np.testing.assert_allclose(some, np.sqrt(np.sum(np.abs(z) ** 2, axis=axis, keepdims=keepdims, where=where)))
    np.testing.assert_allclose(onefold.var(z, axis=axis, keepdims=keepdims, where=where),
                               onefold.var(z.real, axis=axis, keepdims=keepdims, where=where)
                               + onefold.var(z.imag, axis=axis, keepdims=keepdims, where=where))


def test_nan_and_infinities_are_those_of_the_parts():
    z = np.array([1 + 2j, complex(np.nan, 3), complex(4, np.inf)])
    assert np.isnan(onefold.sum(z).real) and onefold.sum(z).imag == np.inf
    assert onefold.sum(z, nan="omit") == complex(5, np.inf) and onefold.nanmean(z[:2]) == 1 + 2j
    assert np.isnan(onefold.var(z[[0, 2]])) and onefold.norm2(z[[0, 2]]) == np.inf and np.isnan(onefold.norm2(z))
    with pytest.raises(onefold.NanError):
        onefold.sum(z, nan="raise")
    counted = onefold.fold("count,count_nan,count_nonzero,any,all", np.append(z, 0))
    assert counted == (4, 1, 3, True, False)
    zeros = np.array([complex(-0.0, 0.0)] * 2)
    assert str(onefold.sum(zeros)) == str(zeros[0])


def test_products_broadcast_and_take_real_arrays():
    x, y = complexes(60).reshape(3, 4, 5), complexes(20).reshape(4, 5)
    for a, b, axis in ((x, y, -1), (x, y, -2), (x, y.real, -1), (y.real, x, -1), (x, y.astype("c8"), -1), (x.imag, y, -2)):
        found, wanted = onefold.vecdot(a, b, axis=axis), np.vecdot(np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1))
        assert found.shape == wanted.shape and found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-3 * abs(wanted).max())
        assert (xp.vecdot(a, b, axis=axis) == found).all()
    assert onefold.vecdot(np.array([1 + 1j]), np.array([2])) == 2 - 2j and onefold.dot(np.array([1 + 1j]), np.array([2])) == 2 + 2j
    with pytest.raises(onefold.DTypeError, match="cannot hold all"):
        onefold.vecdot(np.array([1j]), np.array([2**53 + 1]))
    with pytest.raises(onefold.ShapeError):
        onefold.dot(np.array([1j, 2]), np.array([1j]))


@pytest.mark.parametrize("dtype", ["c16", "c8"])
@pytest.mark.parametrize("step", range(1, 10))
def test_products_of_strided_arrays_are_those_of_their_copies(dtype, step):
    x, y = complexes(90, dtype)[::step], complexes(90, dtype)[::-step]
    assert onefold.dot(x, y) == onefold.dot(x.copy(), y.copy()) and onefold.vecdot(x, y) == onefold.vecdot(x.copy(), y.copy())


@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_products_of_matrices_are_dots_rounded_once(dtype):
    a, b = complexes(2 * 5 * 7, dtype).reshape(2, 5, 7), complexes(7 * 4, dtype).reshape(7, 4)
    for x, y in ((a, b), (a[0], b), (a[0, 0], b), (a, b[:, 0]), (a[0, 1], b[:, 1]), (a[:, ::-1, ::2], b[::2, ::-1]), (a.swapaxes(1, 2), a),
                 (a[0].astype(a.dtype.newbyteorder()), np.asfortranarray(b)), (a[:, :0], b), (a[..., :0], b[:0]), (a[0], b.real)):
        found, wanted = onefold.matmul(x, y), np.matmul(x, y)
        assert type(found) is type(wanted) and found.shape == wanted.shape and found.dtype == wanted.dtype.newbyteorder("=")
        rows, columns = (x if x.ndim > 1 else x[None]), (y if y.ndim > 1 else y[:, None])
        entries = np.reshape(found, np.broadcast_shapes(rows.shape[:-2], columns.shape[:-2]) + (rows.shape[-2], columns.shape[-1]))
        for at in np.ndindex(*entries.shape):
            row = np.broadcast_to(rows, entries.shape[:-2] + rows.shape[-2:])[at[:-1]]
            column = np.broadcast_to(columns, entries.shape[:-2] + columns.shape[-2:])[at[:-2]][:, at[-1]]
            assert entries[at] == onefold.dot(row, column)  # which test_answers_are_fractions_rounded_once compares with fractions
        assert (xp.matmul(x, y) == found).all()
    assert (onefold.tensordot(a, b, axes=1) == onefold.matmul(a, b)).all() and (xp.tensordot(a, b, axes=1) == onefold.matmul(a, b)).all()
    wide = onefold.matmul(a[0], b, dtype="c16")
    assert wide.dtype == "c16" and (wide == onefold.matmul(a[0].astype("c16"), b.astype("c16"))).all()
    big = complexes(70 * 90, dtype).reshape(70, 90)
    assert (onefold.matmul(big, big.T)[13, 64] == onefold.dot(big[13], big[64])).all()
    odd = np.array([[complex(np.inf, 1), 2]])
    assert np.isnan(onefold.matmul(odd, odd.T)[0, 0].imag) == np.isnan(onefold.dot(odd[0], odd[0]).imag)


def test_masked_arrays_have_masked_answers():
    z, mask = complexes(24).reshape(4, 6), R.random((4, 6)) < 0.4
    mask[1] = True
    x, there = np.ma.array(z, mask=mask), ~mask
    for op in ("sum", "mean", "var", "norm2", "count"):
        for axis in (0, 1, (0, 1)):
            for keepdims in (False, True):
                found, plain = (onefold.fold(op, a, axis=axis, keepdims=keepdims, where=w)[0] for a, w in ((x, None), (z, there)))
                absent = ~there.any(axis=axis, keepdims=keepdims)
                if op == "count" or axis == (0, 1) and not keepdims:
                    assert (np.asarray(found) == np.asarray(plain)).all()
                    continue
                assert isinstance(found, np.ma.MaskedArray) and (np.ma.getmaskarray(found) == absent).all() and found.dtype == plain.dtype
                assert found.shape == plain.shape and (found.compressed() == plain[~absent]).all()
    assert onefold.sum(x) == onefold.sum(z, where=there) and onefold.sum(x[1]) is np.ma.masked and onefold.norm2(x[1]) is np.ma.masked
    some = R.random(6) < 0.7
    assert onefold.sum(x, where=some) == onefold.sum(z, where=there & some)
    assert onefold.fold("dot", x, z).dot == onefold.fold("dot", z, x).dot == onefold.fold("dot", z, z, where=there).dot
    assert (onefold.var(x, axis=1, ddof=5).mask == (there.sum(1) <= 5)).all()
    with pytest.raises(onefold.ShapeError, match=r"where= has shape \(5,\), which does not broadcast to \(4, 6\)"):
        onefold.sum(x, where=np.ones(5, bool))


def test_weights_segments_groups_windows_and_out():
    z, w = complexes(60), R.random(60)
    assert onefold.mean(z, weights=w) == onefold.mean(z.real, weights=w) + 1j * onefold.mean(z.imag, weights=w)
    offsets, keys = [0, 10, 10, 60], R.integers(0, 4, 60)
    some = onefold.fold_segments("sum,norm2,var,mean", z, offsets)
    names, groups = onefold.fold_by("sum,norm2,var", keys, z)
    numbered = onefold.fold_by("norm2,sum", keys, z, groups=4)
    for k, part in ((0, z[:10]), (2, z[10:])):
        assert (some.sum[k], some.norm2[k], some.var[k]) == (onefold.sum(part), onefold.norm2(part), onefold.var(part))
    assert some.sum[1] == 0 and np.isnan(some.mean[1]) and some.norm2.dtype == "f8"
    for k, name in enumerate(names):
        part = z[keys == name]
        assert (groups.sum[k], groups.norm2[k], groups.var[k]) == (onefold.sum(part), onefold.norm2(part), onefold.var(part))
        assert numbered.norm2[name] == groups.norm2[k] and numbered.sum[name] == groups.sum[k]
    pairs = onefold.fold_segments("dot", z, offsets, y=z[::-1])
    assert pairs.dot[2] == onefold.dot(z[10:], z[::-1][10:])
    square = z.reshape(30, 2)
    for given, weights in (({}, None), ({"groups": 4}, None), ({}, w[:30])):
        answers = onefold.fold_by("var,std", keys[:30], square, weights=weights, **given)
        names, answers = answers if not given else (range(4), answers)
        for k, name in enumerate(names):
            among = keys[:30] == name
            for column in (0, 1):
                one = onefold.fold("var,std", square[among, column], weights=None if weights is None else weights[among])
                assert (answers.var[k, column], answers.std[k, column]) == (one.var, one.std)
    rows = onefold.fold_segments("norm2", square, [0, 5, 30])
    assert rows.norm2[1, 1] == onefold.norm2(square[5:, 1])
    sums = onefold.cumsum(z)
    assert sums.dtype == "c16" and sums[-1] == onefold.sum(z) and sums[20] == onefold.sum(z[:21])
    assert onefold.rolling(z, 5).mean()[9] == onefold.mean(z[5:10])
    out = np.empty(2, "c16")
    assert onefold.sum(square, axis=0, out=out) is out and (out == onefold.sum(square, axis=0)).all()
    with pytest.raises(onefold.DTypeError, match="the answer is complex128"):
        onefold.sum(square, axis=0, out=np.empty(2, "c8"))
    with pytest.raises(onefold.ShapeError):
        onefold.sum(square, axis=0, out=np.empty(3, "c16"))


@pytest.mark.parametrize("call, text", [
    (lambda z: onefold.norm1(z), "a sum of square roots"), (lambda z: onefold.min(z), "have no order"),
    (lambda z: onefold.argmax(z), "have no order"), (lambda z: onefold.norminf(z), "the largest of square roots"),
    (lambda z: onefold.fold("sum,dot", z), "dot takes two arrays, but one was given"),
    (lambda z: onefold.fold_by("dot", [0, 1, 1], z), "dot takes two arrays, but one was given"),
    (lambda z: onefold.skewness(z), "not defined"), (lambda z: onefold.sum(z, dtype="f8"), "cannot hold an imaginary part"),
    (lambda z: onefold.sum(z, initial=1), "initial= is not supported"), (lambda z: onefold.mean(z, weights=z), "weights are complex"),
    (lambda z: onefold.gather("sum", z), "gather x.real and x.imag separately"), (lambda z: onefold.median(z), "complex128"),
    (lambda z: onefold.matmul(z, z[:2]), "they must be equal"), (lambda z: onefold.matmul(z, z, dtype="f8"), "cannot hold an imaginary part"),
    (lambda z: onefold.matmul(np.ma.array(z), z), "masked arrays of complex"), (lambda z: onefold.cov(z, z.real), "not defined"),
    (lambda z: onefold.cumsum(np.ma.array(z, mask=[1, 0, 0])), "masked arrays of complex"),
    (lambda z: onefold.fold_segments("sum", np.ma.array(z, mask=[1, 0, 0]), [0, 3]), "masked arrays of complex"),
    (lambda z: onefold.rolling(z, 2).fold("norm2"), "windows of complex numbers support sum"),
    (lambda z: onefold.fold_by("min", [0, 1, 1], z), "have no order"), (lambda z: onefold.sum(z.tolist()), "numpy.asarray makes an array")])
def test_what_has_no_answer_says_why(call, text):
    with pytest.raises(onefold.Error) as error:
        call(np.array([1j, 2, 3 - 1j]))
    assert text in str(error.value) and "\n" not in str(error.value)


def test_columns_of_frames():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"c": [1j, 2.0], "v": [2, 3]})
    assert onefold.sum(frame["c"]) == 2 + 1j and onefold.fold("sum", frame, columns="c").sum == 2 + 1j
    with pytest.raises(onefold.UnsupportedError, match="only if columns= names them; columns of other types: c"):
        onefold.sum(frame[["c"]])
    with pytest.warns(onefold.TableWarning, match="a column of an unsupported type is left out: c"):
        assert dict(onefold.sum(frame)) == {"v": 5}


def test_tensors_of_torch_on_the_cpu():
    torch = pytest.importorskip("torch")
    z = complexes(50)
    t = torch.from_numpy(z)
    assert onefold.sum(t) == onefold.sum(z) and onefold.norm2(t) == onefold.norm2(z) and onefold.var(t) == onefold.var(z)
    assert isinstance(onefold.sum(t), torch.Tensor) and onefold.sum(t.conj()) == onefold.sum(z.conj())
    assert complex(onefold.vecdot(t, t.conj())) == complex(onefold.vecdot(z, z.conj()))
    assert onefold.dot(t, torch.ones(50, dtype=torch.int32)) == onefold.sum(z)
    for call in (lambda: onefold.dot(t, torch.ones(50, dtype=torch.int64)), lambda: onefold.vecdot(t.to(torch.complex64), torch.ones(50, dtype=torch.int32))):
        with pytest.raises(onefold.DTypeError, match="cannot hold all of these integers exactly"):
            call()
    with pytest.raises(onefold.UnsupportedError, match="the other a numpy.ndarray; pass two tensors"):
        onefold.matmul(t[:, None], np.ones((1, 2)))
    a, b = t[:40].reshape(5, 8), t[:48].reshape(8, 6)
    assert (onefold.matmul(a, b).numpy() == onefold.matmul(a.numpy(), b.numpy())).all() and onefold.matmul(a.conj(), b[:, 0]).shape == (5,)


def of_two():
    return np.array([3 + 4j, 5 + 12j])


@pytest.mark.parametrize("kind", ["list", "tuple", "array", "pandas.Series", "polars.Series", "xarray.DataArray", "pandas.array", "torch.tensor"])
def test_masks_are_of_any_kind(kind):
    z, make = of_two(), np.array
    if "." in kind:
        library, _, name = kind.partition(".")
        make = getattr(pytest.importorskip(library), name)
    elif kind != "array":
        make = {"list": list, "tuple": tuple}[kind]
    where = make([True, False])
    assert onefold.norm2(z, where=where) == 5 and onefold.sumsq(z, where=where) == 25 and onefold.sum(z, where=where) == 3 + 4j
    assert onefold.fold("dot", z, z, where=where).dot == -7 + 24j
    square = np.array([[1j, 2], [3, 4]])
    assert onefold.norm2(square, where=where, axis=0).tolist() == [10**0.5, 0]
    assert onefold.norm2(square, where=make([True, False]), axis=1, nan="omit").tolist() == [1, 3]
    with pytest.raises(onefold.ShapeError, match=r"where= has shape \(3,\), which does not broadcast to \(2, 2\)"):
        onefold.norm2(square, where=make([True, False, True]))


def test_masks_of_tensors_are_of_any_kind():
    torch = pytest.importorskip("torch")
    for where in ([True, False], np.array([True, False]), torch.tensor([True, False])):
        assert float(onefold.norm2(torch.from_numpy(of_two()), where=where)) == 5
        assert complex(onefold.sum(torch.from_numpy(of_two()), where=where, nan="omit")) == 3 + 4j


def test_labels_agree():
    pd = pytest.importorskip("pandas")
    z, where = of_two(), pd.Series([True, False], index=[2, 1])
    s, t = pd.Series(z, index=[1, 2]), pd.Series(z, index=[2, 1])
    for call in (lambda: onefold.dot(s, t), lambda: onefold.vecdot(s, t), lambda: onefold.dot(s, t.abs()), lambda: onefold.dot(s.abs(), t),
                 lambda: onefold.sum(s, where=where), lambda: onefold.norm2(s, where=where), lambda: onefold.any(s, where=where),
                 lambda: onefold.average(s, weights=t.abs()), lambda: onefold.mean(s, weights=t.abs()), lambda: onefold.rolling(s, 1).fold(
                     "sum", where=where), lambda: onefold.fold_segments("dot", s, [0, 2], y=t), lambda: onefold.fold_by("dot", [0, 0], s, y=t)):
        with pytest.raises(onefold.ShapeError, match="has other labels"):
            call()
    assert onefold.dot(s, s) == onefold.dot(z, z) and onefold.sum(t, where=where) == z[0]
    for found in (onefold.cumsum(t), onefold.rolling(t, 1).mean()):
        assert isinstance(found, pd.Series) and found.index.equals(t.index)


def test_dimensions_agree():
    xarray = pytest.importorskip("xarray")
    a, b = (xarray.DataArray(of_two(), dims=d) for d in "ab")
    for call in (lambda: onefold.dot(a, b), lambda: onefold.vecdot(a, b), lambda: onefold.sum(a, where=b != 0)):
        with pytest.raises(onefold.ShapeError, match="has a dimension"):
            call()
    assert onefold.cumsum(a).dims == ("a",) and onefold.dot(a, a) == onefold.dot(of_two(), of_two())


def test_policies_of_nan_are_those_of_floats():
    z, f = np.array([complex(np.nan, 1), 1, complex(0, np.nan), 0]), np.array([np.nan, 1, np.nan, 0])
    for op in ("count_nan", "count_nonzero", "count_zero", "count", "any", "all"):
        for nan in ("propagate", "omit", "raise"):
            for fold in (lambda x: onefold.fold(op, x, nan=nan)[0], lambda x: onefold.fold_segments(op, x, [0, 4], nan=nan)[0][0],
                         lambda x: onefold.fold_by(op, [0] * 4, x, nan=nan)[1][0][0], lambda x: getattr(onefold, op)(x, nan=nan)):
                try:
                    right = fold(f)
                except onefold.NanError:
                    with pytest.raises(onefold.NanError):
                        fold(z)
                else:
                    assert fold(z) == right
    assert onefold.count_nan(z, nan="omit", where=[True, True, False, False]) == 1


def test_groups_and_segments_take_a_complex_second_array():
    x, z = np.array([1.0, 2]), of_two()
    assert onefold.fold_by("dot", [0, 0], x, y=z)[1].dot == 13 + 28j == onefold.fold_segments("dot", x, [0, 2], y=z).dot
    with pytest.raises(onefold.DTypeError, match="one array is complex, but the other is not"):
        onefold.fold_by("sum", [0, 0], x, y=z)
    square = np.array([[3j, 1], [4, 7]])
    assert onefold.fold_by("norm2", [0, 0], square, where=[True, False])[1].norm2.tolist() == [[3, 1]]


@pytest.mark.parametrize("call, said", [
    (lambda z: onefold.var(z, dtype="c16"), "var: dtype='c16' is complex, but var is real"),
    (lambda z: onefold.fold("std", z, result="c8"), "std: result='c8' is complex"), (lambda z: onefold.var(z, axis=3), "var: axis 3"),
    (lambda z: onefold.std(z, ddof="a"), "std: ddof='a'"), (lambda z: onefold.var(z, where=[1]), "var: where= is i64")])
def test_errors_name_what_was_called(call, said):
    with pytest.raises(onefold.Error) as error:
        call(of_two())
    assert str(error.value).startswith(said)


def test_scalars_are_arrays():
    for z in (np.complex128(3 + 4j), np.complex64(3 + 4j)):
        assert onefold.sum(z) == z and onefold.mean(z) == z and onefold.norm2(z) == 5 and onefold.any(z) and onefold.fold("var", z).var == 0


def test_moments_of_order_2_are_refused():
    with pytest.raises(onefold.UnsupportedError, match="complex numbers have no moment of order 2 here; call var"):
        onefold.moment(np.array([1j, -1j]), 2)

"""Two arrays, segments and weights: exact, along axes, under masks, in states."""

import math
from fractions import Fraction

import numpy as np
import pytest

import onefold

X = np.random.default_rng(1).normal(size=(40, 3)) * 10.0 ** np.arange(3)
Y = X * 0.5 + np.random.default_rng(2).normal(size=(40, 3))


def exact(x, y, ddof=0):
    """The answers for one column by rational numbers; rational answers are rounded once."""
    x, y = [Fraction(v) for v in x.tolist()], [Fraction(v) for v in y.tolist()]
    n, p = len(x), sum(a * b for a, b in zip(x, y))
    sx, sy, qx = sum(x), sum(y), sum(a * a for a in x)
    return {"mse": sum((a - b) ** 2 for a, b in zip(x, y)) / n,
            "mae": sum(abs(a - b) for a, b in zip(x, y)) / n,
            "max_abs_diff": max(abs(a - b) for a, b in zip(x, y)),
            "cov": (n * p - sx * sy) / (n * (n - ddof)),
            "total_var": (n * (qx + sum(b * b for b in y)) - sx * sx - sy * sy) / (n * (n - ddof)),
            "slope": (n * p - sx * sy) / (n * qx - sx * sx),
            "intercept": (sy * qx - sx * p) / (n * qx - sx * sx), "average": p / sy}


@pytest.mark.parametrize("op", ["mse", "mae", "max_abs_diff", "cov", "total_var", "slope", "intercept", "average"])
def test_rational_answers_are_rounded_once(op):
    keywords = {"ddof": 1} if op in ("cov", "total_var") else {}
    rows = getattr(onefold, op)(X, Y, axis=0, **keywords)
    assert isinstance(rows, np.ndarray) and rows.dtype == "f8"
    for k in range(3):
        want = float(exact(X[:, k], Y[:, k], 1)[op])
        assert rows[k] == want == getattr(onefold, op)(X[:, k], Y[:, k], **keywords)


def test_the_others_are_near_and_bounded():
    np.testing.assert_allclose(onefold.corr(X, Y, axis=0),
                               [np.corrcoef(X[:, k], Y[:, k])[0, 1] for k in range(3)], rtol=1e-12)
    np.testing.assert_allclose(onefold.rmse(X, Y), math.sqrt(np.mean((X - Y) ** 2)), rtol=1e-12)
    np.testing.assert_allclose(onefold.distance(X, Y), np.linalg.norm(X - Y), rtol=1e-12)
    assert onefold.corr(X, X) == 1 and onefold.cosine(X, -X) == -1 and onefold.mse(X, X) == 0
    large = np.array([1e300, -1e300])
    assert onefold.distance(large, -large) == math.sqrt(2) * 2e300


def test_masks_policies_and_lists_go_with_two_arrays():
    assert onefold.mae([1, 2, 4], [1, 1, 1]) == 4 / 3 and type(onefold.mae([1], [2])) is float
    x, y = np.array([1.0, np.nan, 3.0]), np.array([2.0, 5.0, np.nan])
    assert np.isnan(onefold.mse(x, y)) and onefold.mse(x, y, nan="omit") == 1
    assert onefold.mse(X, Y, where=X > 0) == onefold.mse(X[X > 0], Y[X > 0])
    assert onefold.fold("mse,cov", X, Y).mse == onefold.mse(X, Y)
    masked = np.ma.array(X, mask=X < 0)
    assert onefold.corr(masked, Y) == onefold.corr(X[X >= 0], Y[X >= 0])
    with pytest.raises(onefold.ShapeError):
        onefold.mse(X, Y[:2])
    assert onefold.mse(X, Y.astype("f4")) == onefold.mse(X, Y.astype("f4").astype("f8"))


def test_states_of_two_arrays_merge():
    state = onefold.gather("corr", X[:10].ravel(), Y[:10].ravel())
    state |= onefold.gather("corr", X[10:].ravel(), Y[10:].ravel())
    assert state.corr == onefold.corr(X, Y)


def test_segments_of_two_arrays_are_those_of_slices():
    offsets = [0, 5, 5, 17, 40]
    answers = onefold.fold_segments("mse,corr,dot", X, offsets, y=Y)
    mean = onefold.fold_segments("average", X, offsets, weights=np.arange(1.0, 41)).average
    for k, (i, j) in enumerate(zip(offsets, offsets[1:])):
        if i == j:
            continue
        for op, values in zip(("mse", "corr", "dot"), answers):
            slices = onefold.fold(op, X[i:j], Y[i:j], axis=0)[0]
            assert values[k].tolist() == slices.tolist(), op
        assert mean[k].tolist() == onefold.average(X[i:j], weights=np.arange(i + 1.0, j + 1), axis=0).tolist()
    with pytest.raises(onefold.Error, match="two arrays, but one was given"):
        onefold.fold_segments("mse", X, offsets)
    with pytest.raises(onefold.Error, match="agree"):
        onefold.fold_segments("dot", X, offsets, y=Y[1:])


def test_segments_are_those_of_slices():
    offsets = [0, 3, 3, 17, 40]
    answers = onefold.fold_segments("sum,count,argmax", X, np.array(offsets, "i4")[[0, 1, 3, 4]])
    for i, (a, b) in enumerate([(0, 3), (3, 17), (17, 40)]):
        np.testing.assert_array_equal(answers.sum[i], onefold.sum(X[a:b], axis=0))
        np.testing.assert_array_equal(answers.argmax[i], onefold.argmax(X[a:b], axis=0))
    assert answers.count.tolist() == [[3] * 3, [14] * 3, [23] * 3]
    assert onefold.fold_segments("sum", X, offsets).sum[1].tolist() == [0, 0, 0]
    with pytest.raises(onefold.EmptyError, match=r"\[1"):
        onefold.fold_segments("min", X, offsets)
    for wrong in [[0, 41], [3, 1], [-1, 2]]:
        with pytest.raises(onefold.OptionError):
            onefold.fold_segments("sum", X, wrong)
    with pytest.raises(onefold.DTypeError):
        onefold.fold_segments("sum", X, [0.0, 1.0])


def test_groups_are_those_of_their_keys():
    x = X[:, 1]
    for keys in [np.arange(40) * 7 % 5 - 2, np.arange(40, dtype="u1") // 9, np.zeros(40, bool),
                 (np.arange(40) * 11 % 40).astype("i2")]:
        found, answers = onefold.fold_by("sum,var,min", keys, x, ddof=1)
        np.testing.assert_array_equal(found, np.unique(keys))
        assert found.dtype == keys.dtype
        for i, key in enumerate(found):
            np.testing.assert_equal(
                [a[i] for a in answers], list(onefold.fold("sum,var,min", x[keys == key], ddof=1)))
    labels = np.arange(40) * 7 % 5
    answers = onefold.fold_by("sum,count", labels, x, groups=7, threads=2)
    assert answers.count.tolist() == [8, 8, 8, 8, 8, 0, 0]
    assert answers.sum[:5].tolist() == onefold.fold_by("sum", labels, x)[1].sum.tolist()
    assert onefold.fold_by("sum", [1, 0, 1], [1.0, 2.0, 4.0], groups=2).sum.tolist() == [2.0, 5.0]
    for wrong in [4, 0, -1, "few"]:
        with pytest.raises(onefold.OptionError):
            onefold.fold_by("sum", labels, x, groups=wrong)
    with pytest.raises(onefold.OptionError):
        onefold.fold_by("sum", x, x)
    with pytest.raises(onefold.ShapeError):
        onefold.fold_by("sum", labels[1:], x)


def test_weights_weigh_and_repeat():
    weights = np.array([[1.0], [2.0]] * 20)
    want = onefold.average(X, np.broadcast_to(weights, X.shape).copy(), axis=0)
    np.testing.assert_array_equal(onefold.fold("average", X, weights=weights, axis=0).average, want)
    np.testing.assert_array_equal(onefold.average(X, axis=0, weights=weights), want)
    np.testing.assert_array_equal(onefold.average(X, 0, weights=weights), want)
    out = np.empty(want.shape)
    assert onefold.average(X, 0, weights=weights, out=out) is out
    np.testing.assert_array_equal(out, want)
    assert onefold.average([1.0, 2.0, 4.0], weights=[1.0, 0.0, 2.0]) == 3.0
    with pytest.raises(TypeError, match="'ddof'"):
        onefold.average(X, weights=weights, ddof=1)
    with pytest.raises(TypeError, match="positional"):
        onefold.average(X, 0, axis=1, weights=weights)
    assert onefold.average([1, 2, 3], weights=[0.5, 0.25, 0.25]) == 1.75
    assert onefold.average(np.ones(3, "f4"), weights=[1, 2, 3]) == 1
    assert onefold.average(X) == onefold.average(X, weights=None) == onefold.mean(X)
    times = np.arange(40)[:, None] % 3
    repeated = np.repeat(X, times[:, 0], axis=0)
    answers = onefold.fold("mean,var,count", X, fweights=times, axis=0, ddof=1)
    for op in ("mean", "var", "count"):
        keywords = {"ddof": 1} if op == "var" else {}
        np.testing.assert_array_equal(getattr(answers, op),
                                      getattr(onefold, op)(repeated, axis=0, **keywords))
    with pytest.raises(onefold.Error):
        onefold.fold("mean", X, fweights=-times)
    with pytest.raises(onefold.OptionError):
        onefold.fold("mean", "none.npy", fweights=[1])


def test_weights_lie_along_the_axes_as_in_numpy():
    x = np.arange(27.0).reshape(3, 3, 3)
    plane, line = np.arange(9.0).reshape(3, 3), np.array([1.0, 3.0, 4.0])
    for axis, weights in [(0, line), (1, line), (-1, line), ((1, 0), plane), ((0, 1), plane),
                          ((2, 0), plane), (None, x), (1, x)]:
        np.testing.assert_allclose(onefold.average(x, axis=axis, weights=weights),
                                   np.average(x, axis=axis, weights=weights), rtol=1e-15)
    for axis, weights in [(None, line), (0, line[:2]), ((0, 1), line)]:
        with pytest.raises(onefold.ShapeError):
            onefold.average(x, axis=axis, weights=weights)
    with pytest.raises(onefold.DTypeError):  # f64 cannot hold 2^53 + 1, an integer cannot hold 0.5
        onefold.average(np.array([2**53 + 1]), weights=[0.5])


def test_several_ops_of_pairs_along_axes_are_those_of_each():
    x, y = np.random.default_rng(5).normal(size=(2, 6, 40)).astype("f4")
    for axis in (0, 1, (0, 1), ()):
        answers = onefold.fold("mse,cov,slope", x, y, axis=axis)
        for op in ("mse", "cov", "slope"):
            assert np.array_equal(getattr(answers, op), getattr(onefold, op)(x, y, axis=axis), equal_nan=True)


def test_a_file_alone_is_a_table_of_two_columns(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,2\n2,5\n4,4\n")
    for op in ("cov", "corr", "dot", "mse"):
        for path in (table, str(table)):
            assert getattr(onefold, op)(path) == onefold.fold(op, str(table))[0] == getattr(onefold, op)([1, 2, 4], [2, 5, 4])
    assert onefold.cov(table, ddof=1, where="a > 1") == onefold.cov([2, 4], [5, 4], ddof=1)
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(onefold.OptionError, match="cov: it needs two arrays; pass two files, not 1"):
        onefold.cov(tmp_path / "x.npy")
    with pytest.raises(TypeError, match=r"cov\(\) takes 2 arrays and an axis, .* and 1 positional argument was given$"):
        onefold.cov(X)


@pytest.mark.parametrize("call, message", [
    (lambda: onefold.sum(np.ones(3), where=[True, False]), "sum: the shape (2,) of the mask does not broadcast to the array's shape (3,)"),
    (lambda: onefold.average([1, 2, 4], weights=[1, 2]), "average: the shape (2,) of the weights does not broadcast to the array's shape (3,)"),
    (lambda: onefold.logsumexp([1, 2, 4], weights=[1, 2]), "logsumexp: the shape (2,) of the weights does not broadcast to the array's shape (3,)")])
def test_shapes_that_do_not_broadcast_are_named(call, message):
    with pytest.raises(onefold.ShapeError) as caught:
        call()
    assert str(caught.value) == message

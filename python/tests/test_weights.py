"""weights= of means, variances and differences: exact, along axes, of masked arrays, frames and lists."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scaled import scaled

import onefold

OF_ONE, OF_TWO = ("mean", "var", "std"), ("mse", "rmse", "mae", "cov", "corr", "slope", "intercept")


def rounded(value, root=False):
    if root:
        with localcontext(prec=3000):
            return float((Decimal(value.numerator) / Decimal(value.denominator)).sqrt()) if value >= 0 else math.nan
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def expected(op, x, y, w):
    x, y, w = ([Fraction(v) for v in a] for a in (x, y, w))
    total = sum(w)
    if total == 0:
        return math.nan

    def mean(values):
        return sum(a * b for a, b in zip(w, values)) / total

    def spread(a, b):
        return mean([u * v for u, v in zip(a, b)]) - mean(a) * mean(b)

    if op == "mean":
        return rounded(mean(x))
    if op in ("var", "std"):
        return rounded(spread(x, x), op == "std")
    if op in ("mse", "rmse"):
        return rounded(mean([(a - b) ** 2 for a, b in zip(x, y)]), op == "rmse")
    if op == "mae":
        return rounded(mean([abs(a - b) for a, b in zip(x, y)]))
    if op == "cov":
        return rounded(spread(x, y))
    if op == "corr":
        scale = spread(x, x) * spread(y, y)
        found = math.nan if scale <= 0 else rounded(spread(x, y) ** 2 / scale, True)
        return found if spread(x, y) >= 0 else -found
    if spread(x, x) == 0:
        return math.nan
    slope = spread(x, y) / spread(x, x)
    return rounded(slope if op == "slope" else mean(y) - slope * mean(x))


def bits(rng, n):
    return (rng.integers(0, 2**63, n) & 0x7FEFFFFFFFFFFFFF).view("f8") * np.where(rng.random(n) < 0.5, 1, -1)


@pytest.mark.parametrize("op", [*OF_ONE, *OF_TWO])
def test_a_weighted_answer_is_the_exact_one_rounded_once(op):
    rng = np.random.default_rng(34)
    for round_ in range(scaled(40)):
        n = int(rng.integers(1, 9))
        make = [lambda: rng.normal(size=n), lambda: rng.normal(size=n) * 1e-160, lambda: bits(rng, n),
                lambda: np.round(rng.normal(size=n) * 2)][round_ % 4]
        x, y, w = make(), make(), make()
        w = np.abs(w) if round_ % 3 else w
        arrays = (x,) if op in OF_ONE else (x, y)
        np.testing.assert_array_equal(getattr(onefold, op)(*arrays, weights=w), expected(op, x, y, w), err_msg=f"{x} {y} {w}")


def test_weights_lie_along_axes_and_have_any_type():
    rng = np.random.default_rng(1)
    x, y, w = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), np.array([1, 2, 0, 5])
    want = [onefold.var(row, weights=w.astype("f8")) for row in x]
    assert onefold.var(x, axis=1, weights=w).tolist() == want
    assert onefold.var(x, -1, weights=w.tolist(), keepdims=True).tolist() == [[v] for v in want]
    out = np.empty(3)
    assert onefold.var(x, 1, weights=w, out=out) is out and out.tolist() == want
    assert onefold.fold("std,mean", x, axis=1, weights=w).mean.tolist() == onefold.average(x, 1, weights=w).tolist()
    assert onefold.mse(x, y, axis=0, weights=[1.0, 2.0, 4.0]).tolist() == [
        onefold.mse(x[:, k], y[:, k], weights=[1.0, 2.0, 4.0]) for k in range(4)]
    assert onefold.mse(x, 1.0, weights=x) == onefold.mse(x, np.ones_like(x), weights=x)


def test_types_of_weighted_answers_depend_on_types_only():
    x = np.ones((2, 2), "f4")
    for weights in ([[1.0, 2.0]] * 2, [[1.0, 2.1]] * 2):
        assert onefold.var(x, weights=weights).dtype == onefold.mse(x, x, weights=weights).dtype == np.float64
    assert onefold.var(x, weights=x).dtype == onefold.mae(x, x, weights=x).dtype == np.float32
    assert onefold.std(np.arange(4), weights=np.arange(4)).dtype == np.float64
    assert type(onefold.var([1, 2], weights=[1, 3])) is float
    with pytest.raises(onefold.DTypeError, match=r"no common exact type.*up to 2\^53 only; convert one of them"):
        onefold.var(np.array([2**53 + 1]), weights=[0.5])


def test_weights_beyond_2_to_the_53_are_counts():
    x, w = np.array([0.1, 0.7]), np.array([2**53 + 1, 2**60 + 3], "u8")
    with pytest.raises(onefold.DTypeError, match="float64 elements and uint64 weights.*fweights= takes such counts exactly$"):
        onefold.mean(x, weights=w)
    want = float(sum(Fraction(a) * int(b) for a, b in zip(x, w)) / int(w.sum()))
    assert onefold.fold("mean", x, fweights=w).mean == onefold.fold_by("mean", [1, 1], x, fweights=w)[1].mean[0] == want


def test_masks_nan_frames_and_labels_go_with_weights():
    x = np.ma.array([[1.0, 2, 9], [3.0, 4, 5]], mask=[[0, 0, 1], [1, 1, 1]])
    got = onefold.var(x, axis=1, weights=[1.0, 1.0, 7.0])
    assert got[0] == 0.25 and got.mask.tolist() == [False, True]
    assert onefold.var([1.0, 2.0, 9.0], where=[True, True, False], weights=[1, 1, 1]) == 0.25
    assert onefold.nanvar([1.0, math.nan, 2.0], weights=[1, 5, 1]) == 0.25
    assert onefold.var([1.0, 2.0], weights=[math.nan, 1.0], nan="omit") == 0.0
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2, 2], "b": [1.0, 1, 2], "w": [1, 0, 3]})
    found = onefold.var(frame[["a", "b"]], axis=0, weights=frame.w)
    assert found.to_dict() == {"a": 3 / 16, "b": 3 / 16}
    assert onefold.std(frame.a, weights=frame.w) == math.sqrt(3 / 16)
    with pytest.raises(onefold.ShapeError, match="other labels"):
        onefold.var(frame.a, weights=frame.w.sort_values())


def test_segments_have_weights_and_counts():
    x, w, cuts = np.array([[1.0, 5], [2, 7], [4, 1], [8, 0]]), np.array([1.0, 3, 0, 2]), [0, 2, 2, 4]
    got = onefold.fold_segments("mean,var,std", x, cuts, weights=w)
    for k, (begin, end) in enumerate(zip(cuts, cuts[1:])):
        if begin == end:
            assert np.isnan(got.mean[k]).all() and np.isnan(got.var[k]).all()
            continue
        alone = onefold.fold("mean,var,std", x[begin:end], axis=0, weights=w[begin:end])
        assert all((a[k] == b).all() for a, b in zip(got, alone))
    pairs = onefold.fold_segments("mse", [1, 2, 3], [0, 2, 3], y=[3.0, 2.0, 0.0], weights=[1, 3, 2])
    assert pairs.mse.tolist() == [1.0, 9.0]
    counted = onefold.fold_segments("sum,count", x, cuts, fweights=[2, 1, 0, 3])
    assert counted.sum.tolist() == [[4, 17], [0, 0], [24, 0]] and counted.count[:, 0].tolist() == [3, 0, 3]
    for wrong, message in [({"weights": w, "ddof": 1}, "pass fweights= instead"), ({"fweights": w}, "must be integers"),
                           ({"fweights": [1, 0, -2, 1]}, "element 4 is -2"), ({"weights": w[:2]}, "along axis 0"),
                           ({"weights": w, "fweights": [1, 1, 1, 1]}, "leave one of them out")]:
        with pytest.raises(onefold.Error, match=message):
            onefold.fold_segments("var", x, cuts, **wrong)


OF_GROUPS = [("var,mean,std,skewness", {"weights"}), ("cov,corr,mse,slope", {"y", "weights"}), ("cov,corr", {"y"}),
             ("var,count,min", {"fweights"}), ("sum,mean", {"where"}), ("average", {"weights"}), ("argmax,sum", {"where"}),
             ("argmin", {"fweights"})]


@pytest.mark.parametrize("ops,given", OF_GROUPS)
def test_groups_have_weights_masks_and_second_arrays(ops, given):
    rng = np.random.default_rng(3)
    for n, k in ((60, 5), (9000, 300)):
        keys, x = rng.integers(0, k, n), rng.normal(size=n)
        rows = {"y": rng.normal(size=n), "weights": rng.random(n), "fweights": rng.integers(1, 4, n), "where": rng.random(n) < 0.7}
        for beside in ({name: rows[name] for name in given}, {name: rows[name] for name in {*given, "where"}}):
            answers = onefold.fold_by(ops, keys, x, groups=k, **beside)
            for other in (keys * 3 - 7, keys.astype("U3")):
                found, named = onefold.fold_by(ops, other, x, **beside)
                order = np.argsort(found.astype(int))
                assert all(np.array_equal(a, b[order]) for a, b in zip(answers, named))
            for group in range(k):
                there = np.flatnonzero((keys == group) & beside.get("where", True))
                arrays = [a[there] for a in (x, beside.get("y")) if a is not None]
                alone = onefold.fold(ops, *arrays, **{name: beside[name][there] for name in beside if "weights" in name})
                for op, a, b in zip(alone._fields, answers, alone):
                    assert a[group] == (there[b] if op.startswith("arg") else b), op


def test_groups_of_frames_and_masked_arrays_have_weights():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame({"k": ["a", "b", None, "a"], "x": [1.0, 2, 3, 5], "z": [1, 2, 3, 4]})
    weights = pandas.Series([1.0, 2, 3, 4])
    found, answers = onefold.fold_by("var", frame.k, frame[["x", "z"]], weights=weights, null_keys="drop")
    assert list(found) == ["a", "b"] and answers["x"].var.tolist() == [2.56, 0] and answers["z"].var.tolist() == [1.44, 0]
    found, answers = onefold.fold("mean", frame, by="k", weights=weights, where=frame.x < 4)
    assert answers["x"].mean.tolist()[::2] == [1, 3]
    found, answers = onefold.fold_by("cov", frame.k, frame[["x"]], y=frame.z, null_keys="keep", where=[True])
    assert answers["x"].cov.tolist() == [3, 0, 0]
    masked = np.ma.array([1.0, 2, 3], mask=[0, 0, 1])
    found, answers = onefold.fold_by("mean", [1, 1, 2], masked, weights=[1, 3, 5])
    assert answers.mean.tolist() == [1.75, None]
    assert onefold.fold_by("cov", [1, 1, 2], [1.0, 2, 3], y=masked[::-1])[1].cov.tolist() == [0, 0]
    nulls = polars.Series([1.0, 2, None])
    assert math.isnan(onefold.fold_by("cov", [1, 1, 2], nulls, y=[1, 2, 3])[1].cov[1])
    assert onefold.fold_by("var", [1, 1, 2], np.array([1, 2, 3]), weights=[0.5, 0.5, 1])[1].var.dtype == np.float64
    matrix = np.array([[1.0, 5], [2, 7], [4, 1]])
    assert onefold.fold_by("mean", [0, 0, 1], matrix, groups=2, weights=[1, 3, 5]).mean.tolist() == [[1.75, 6.5], [4, 1]]
    for wrong, message in [({"weights": weights[::-1]}, "other labels"), ({"weights": [1.0, 2]}, "there are 4 rows"),
                           ({"weights": weights, "ddof": 1}, "pass fweights= instead"), ({"where": [1, 0, 1, 1]}, "must be bool"),
                           ({"weights": np.ma.array(weights, mask=[0, 1, 0, 0])}, "would be lost"),
                           ({"fweights": [1, 0, -2, 1]}, "element 2 is -2"), ({"y": weights}, "var")]:
        with pytest.raises(onefold.Error, match=message):
            onefold.fold_by("var", [1, 2, 1, 2], frame.x, **wrong)
    for op, message in [("sum", "only to average"), ("cov", "only to average")]:
        with pytest.raises(onefold.OptionError, match=message):
            onefold.fold_by(op, [1, 2, 1, 2], frame.x, weights=weights)


def test_labels_beside_segments_agree():
    pandas = pytest.importorskip("pandas")
    x = pandas.Series([1.0, 2, 4, 8], index=list("abcd"))
    for name, beside in [("weights", x), ("fweights", x.astype(int)), ("where", x > 1)]:
        assert len(onefold.fold_segments("var", x, [0, 2, 4], **{name: beside}).var) == 2
        with pytest.raises(onefold.ShapeError, match="other labels"):
            onefold.fold_segments("var", x, [0, 2, 4], **{name: beside.iloc[::-1]})


def test_what_weights_do_not_go_with_is_said():
    x = np.arange(3.0)
    for wrong, message in [
            (lambda: onefold.var(x, weights=x, ddof=1), "ddof= needs a number of elements"),
            (lambda: onefold.fold("var", x, weights=x, ddof=1), "pass fweights= instead"),
            (lambda: onefold.fold("sum", x, weights=x), "only to average, kurtosis, kurtosis_pearson, mean, moment3, moment4"),
            (lambda: onefold.var(x, weights=[1.0, 2.0]), r"the shape \(2,\) of the weights"),
            (lambda: onefold.mse([1.0, math.nan], x[:2], weights=[1, 1], nan="raise"), "a NaN was found")]:
        with pytest.raises(onefold.Error, match=message):
            wrong()
    for wrong, message in [(lambda: onefold.sum(x, weights=x), "unexpected keyword argument 'weights'"),
                           (lambda: onefold.var(x, x, weights=x), "got weights twice"),
                           (lambda: onefold.mse(x, x, x, weights=x), "third argument")]:
        with pytest.raises(TypeError, match=message):
            wrong()


def test_moments_take_weights():
    x, counts = np.array([1.0, 2.0, 4.0, 9.0]), np.array([1, 3, 2, 1])
    repeated = np.repeat(x, counts)
    for op in ("skewness", "kurtosis"):
        of = getattr(onefold, op)
        assert of(x, weights=counts.astype(float)) == of(repeated)
        assert of(x, weights=-2.0 * counts) == of(repeated)

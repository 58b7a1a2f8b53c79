"""min_count=: answers of fewer elements are NaN, as in pandas and xarray."""

import math
import warnings

import numpy as np
import pytest

import onefold

NAN = math.nan
X = np.array([[1, NAN, 3], [NAN, NAN, 6]])


def test_answers_of_too_few_elements_are_nan():
    found = onefold.fold("sum,max,count", X, axis=1, nan="omit", min_count=2)
    assert np.array_equal(found.sum, [4, NAN], equal_nan=True) and np.array_equal(found.max, [3, NAN], equal_nan=True)
    assert found.count.tolist() == [2, 1]
    assert np.isnan(onefold.fold("sum,min", np.array([]), min_count=1)).all() and onefold.fold("sum", [], min_count=0).sum == 0
    masked = np.ma.array([[1.0, 2], [3, 4]], mask=[[1, 1], [0, 1]])
    assert onefold.fold("sum", masked, axis=1, min_count=1).sum.tolist() == [None, 3]
    keys, answers = onefold.fold_by("sum,mean", ["a", "a", "b"], [1.0, 2, 3], min_count=2)
    assert np.array_equal(answers.sum, [3, NAN], equal_nan=True) and np.array_equal(answers.mean, [1.5, NAN], equal_nan=True)
    assert np.isnan(onefold.fold_by("sum", [0, 2], [1.0, 2], groups=3, min_count=1).sum).tolist() == [False, True, False]
    assert str(onefold.fold("max", np.array(["2020"], "M8[D]"), min_count=2).max) == "NaT"


@pytest.mark.parametrize("op", ["sum", "mean", "min", "max", "ptp", "norm2"])
def test_groups_without_elements_are_nan_or_masked(op):
    where, right = np.array([True, False, True]), onefold.fold_by(op, ["a", "b", "a"], [1.0, 2, 3])[1][0][0]
    nan = [onefold.fold_by(op, ["a", "b", "a"], np.array([1.0, 2, 3]), where=where, min_count=1)[1],
           onefold.fold_by(op, ["a", "b", "a"], np.array([1.0, NAN, 3]), nan="omit", min_count=1)[1],
           onefold.fold_by(op, ["a", "b", "a"], np.array([1, 2, 3]), where=where, result="float64", min_count=1)[1],
           onefold.fold_by(op, [0, 0], [1.0, 3], groups=2, min_count=1),
           onefold.fold_by(op, [0, 1, 0], [1.0, 2, 3], groups=2, where=where, min_count=1)]
    for answers in nan:
        assert np.array_equal(answers[0], [right, NAN], equal_nan=True)
    masked = onefold.fold_by(op, ["a", "b", "a"], np.ma.array([1, 2, 3], mask=~where), min_count=1)[1][0]
    assert masked.tolist() == [right, None]


def test_series_and_groups_agree_with_pandas():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"k": [1, 1, 2, 2, 3], "x": [1, NAN, NAN, NAN, 4.0], "y": [1.0, 2, 3, 4, 5]})
    for n in range(4):
        found = onefold.fold("sum", frame[["x", "y"]], axis=0, nan="omit", min_count=n).sum
        pd.testing.assert_series_equal(found, frame[["x", "y"]].sum(min_count=n))
        right = frame.groupby("k").sum(min_count=n)
        _, answers = onefold.fold("sum", frame, by="k", nan="omit", min_count=n)
        for name in "xy":
            assert np.array_equal(answers[name].sum, right[name], equal_nan=True)
    assert onefold.fold("max", pd.Series(pd.to_timedelta([1], "s")), min_count=2).max is pd.NaT


def test_arrays_of_xarray_agree_with_it():
    xr = pytest.importorskip("xarray")
    x = xr.DataArray(X, dims=("t", "x"), coords={"t": [5, 6]})
    for n in range(4):
        found = onefold.fold("sum", x, dim="x", nan="omit", min_count=n).sum
        xr.testing.assert_identical(found, x.sum("x", min_count=n) if n else x.sum("x"))


@pytest.mark.parametrize(("call", "text"), [
    (lambda: onefold.fold("sum", [1], min_count=2), "this result's type has no NaN; pass result=\"float64\""),
    (lambda: onefold.fold_by("sum", [1, 1, 2], [1, 2, 3], min_count=2), "fewer than min_count=2 elements"),
    (lambda: onefold.fold("argmin", [1.0], min_count=2), "min_count= is not available for argmin"),
    (lambda: onefold.fold("sum", [1.0], min_count=-1), "min_count=-1 is negative"),
    (lambda: onefold.fold("sum", [1.0], min_count="a"), "min_count='a' is not an integer"),
    (lambda: onefold.fold("sum", "t.csv", min_count=1), "min_count= needs arrays or frames in host memory")])
def test_what_is_wrong_is_said(call, text):
    with warnings.catch_warnings(), pytest.raises(onefold.Error) as caught:
        call()
    assert text in str(caught.value)
    assert onefold.fold("sum", [1], min_count=2, result="float64").sum != 0

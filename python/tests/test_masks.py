"""Masks and nulls that belong to arguments beside an array, or to items of a sequence, are kept."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import onefold

X = np.array([1.0, 2.0, 4.0])
MASKED = np.ma.array([1.0, 2.0, 4.0], mask=[False, True, False])


@pytest.mark.parametrize("call", [
    lambda: onefold.sum(X, where=np.ma.array([True] * 3, mask=[True, False, False])),
    lambda: onefold.average(X, weights=MASKED), lambda: onefold.fold("average", X, weights=MASKED),
    lambda: onefold.fold("sum", X, fweights=np.ma.array([1, 2, 3], mask=[True, False, False])),
    lambda: onefold.fold_segments("sum", X, np.ma.array([0, 1, 3], mask=[False, True, False])),
    lambda: onefold.sum([MASKED, MASKED]), lambda: onefold.sum([1.0, np.ma.masked]),
    lambda: onefold.fold_by("sum", np.ma.array([0, 1, 0], mask=[True, False, False]), X),
    lambda: onefold.fold_by("sum", pd.Series([0, None, 0], dtype="Int64"), X),
    lambda: onefold.fold_by("sum", pl.Series([0, None, 0]), X, groups=1)])
def test_a_mask_that_would_be_lost_is_refused(call):
    with pytest.raises(onefold.UnsupportedError, match="mask"):
        call()


def test_a_mask_without_masked_elements_loses_nothing():
    all_there = np.ma.array([1.0, 2.0, 4.0])
    assert onefold.average(X, weights=all_there) == onefold.average(X, weights=X)
    assert onefold.sum(X, where=np.ma.array([True, False, True])) == 5


@pytest.mark.parametrize("x", [
    MASKED, pl.Series([1.0, None, 4.0]), pd.Series([1, None, 4], dtype="Int64")])
def test_groups_are_of_the_elements_that_are_there(x):
    keys, answers = onefold.fold_by("count,sum,min", [7, 7, 9], x)
    assert keys.tolist() == [7, 9]
    assert [a.tolist() for a in answers] == [[1, 1], [1, 4], [1, 4]]
    answers = onefold.fold_by("count,sum", [0, 1, 2], x, groups=3)
    assert [a.tolist() for a in answers] == [[1, 0, 1], [1, 0, 4]]
    with pytest.raises(onefold.ShapeError):
        onefold.fold_by("sum", [7, 7], x)


def test_numbers_of_numpy_in_a_sequence_stay_exact():
    assert onefold.sum([np.int64(2**53 + 1), np.uint8(1), True]) == 2**53 + 3
    assert onefold.mean([np.float32(0.5), np.int64(-2**63)]) == -2.0**62
    for several in [[np.int64(2**53 + 1), 0.5], [np.uint64(2**64 - 1), np.int64(-1)],
                    [np.uint64(2**64 - 1), 0.5], [np.array([2**53 + 1]), np.array([0.5])],
                    [np.float64(1), 2**53 + 1]]:
        with pytest.raises(onefold.UnsupportedError, match="cannot be represented exactly in float64"):
            onefold.sum(several)


def test_weights_of_another_type_stay_exact():
    x = np.array([-1, 2])
    with pytest.raises(onefold.DTypeError):
        onefold.average(x, weights=np.array([1, 2**64 - 1], "u8"))
    assert onefold.average(x, weights=np.array([1, 3], "u8")) == 1.25


def test_var_without_freedom_is_masked_as_by_numpy_ma():
    x = np.ma.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]], mask=[[0, 1, 1], [0, 0, 0], [1, 1, 1]])
    for ddof in (0, 1, 2, 3):
        for axis in (1, 0, None):
            ours, theirs = onefold.var(x, axis=axis, ddof=ddof), np.ma.var(x, axis=axis, ddof=ddof)
            assert np.ma.getmaskarray(ours).tolist() == np.ma.getmaskarray(theirs).tolist(), (ddof, axis)
            mean, std = onefold.fold("mean,std", x, axis=axis, correction=ddof)
            assert np.ma.getmaskarray(std).tolist() == np.ma.getmaskarray(theirs).tolist()
            assert np.ma.getmaskarray(mean).tolist() == np.ma.getmaskarray(np.ma.mean(x, axis=axis)).tolist()


def test_segments_of_masked_arrays_are_masked_where_nothing_is():
    x = np.ma.array([1.0, 2, 3], mask=[1, 1, 0])
    for ops in ("sum", "mean,max", "count,var"):
        for name, answer in onefold.fold_segments(ops, x, [0, 2, 3])._asdict().items():
            if name == "count":
                assert answer.tolist() == [0, 1]
            else:
                assert np.ma.getmaskarray(answer).tolist() == [True, False], name
    rows = np.ma.array([[1.0, 2], [3, 4]], mask=[[1, 0], [0, 0]])
    assert np.ma.getmaskarray(onefold.fold_segments("sum", rows, [0, 1, 2]).sum).tolist() == [[True, False], [False, False]]
    assert not np.ma.getmaskarray(onefold.fold_segments("sum", x, [0, 2, 3], initial=1).sum).any()
    assert type(onefold.fold_segments("sum", x.data, [0, 2, 3]).sum) is np.ndarray
    errors = onefold.fold_segments("mse", x, [0, 2, 3], y=np.array([1, 2, 4])).mse  # of another type
    assert errors.tolist() == [None, 1]


def test_columns_of_a_masked_array_fold_by_keys():
    x = np.ma.array([[1.0, 2], [3, 4], [5, 6]], mask=[[0, 1], [0, 1], [0, 0]])
    for keys in ([0, 0, 1], ["a", "a", "b"]):
        _, answers = onefold.fold_by("sum,count", keys, x)
        assert answers.sum.tolist() == [[4, None], [5, 6]] and answers.count.tolist() == [[2, 0], [1, 1]]
    with pytest.raises(onefold.ShapeError, match="x has no columns"):
        onefold.fold_by("sum", [0, 0], np.ones((2, 0)))

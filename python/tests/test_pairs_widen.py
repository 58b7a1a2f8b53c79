"""Ops of two arrays of other types and shapes, and what masks leave of groups; dates in frames."""

from fractions import Fraction

import numpy as np
import pytest

import onefold


def exact_mse(x, y):
    return float(sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x, y)) / len(x))


def test_pairs_broadcast():
    x = np.array([[1.0, 2.0, 4.0], [0.0, 1.0, 2.0]])
    assert onefold.mse(x, 1.0) == exact_mse(x.ravel().tolist(), [1.0] * 6)
    assert onefold.mse(1.0, x) == onefold.mse(x, 1.0)
    row = np.array([1.0, 2.0, 3.0])
    assert onefold.mae(x, row, axis=0).tolist() == [0.5, 0.5, 1.0]
    masked = np.ma.array(x, mask=[[0, 0, 1], [0, 0, 0]])
    assert onefold.mse(masked, 1.0) == exact_mse([1.0, 2.0, 0.0, 1.0, 2.0], [1.0] * 5)
    with pytest.raises(onefold.ShapeError):
        onefold.mse(x, np.zeros(2))
    with pytest.raises(onefold.ShapeError):  # NumPy's dot of such arrays is another product
        onefold.dot(x, row)


@pytest.mark.parametrize("one,other,answer", [("i4", "f4", "f8"), ("f4", "f8", "f8"), ("i2", "i8", "f8"),
                                              ("f2", "f4", "f4"), ("u1", "f2", "f2"), ("?", "f8", "f8")])
def test_pairs_widen_to_a_type_that_the_types_alone_decide(one, other, answer):
    x, y = np.array([0, 1, 1]).astype(one), np.array([1, 0, 3]).astype(other)
    for a, b in ((x, y), (y, x)):
        found = onefold.mse(a, b)
        assert np.asarray(found).dtype == np.dtype(answer)
        assert found == np.dtype(answer).type(exact_mse(a.tolist(), b.tolist()))


def test_pairs_are_not_rounded_to_widen():
    with pytest.raises(onefold.DTypeError, match="float64 cannot hold all of these int64 values exactly"):
        onefold.mse(np.array([2**53 + 1]), np.array([0.5]))
    assert onefold.mse(np.array([2**53]), np.array([0.0])) == 2.0**106


def test_what_is_masked_altogether_is_masked():
    assert onefold.sum(np.ma.masked) is np.ma.masked
    assert onefold.max(np.ma.array(3.0, mask=True)) is np.ma.masked
    assert onefold.count(np.ma.masked) == 0
    assert onefold.sum(np.ma.array(3.0)) == 3.0


@pytest.mark.parametrize("keys", [np.array([1, 1, 0, 2]), ["b", "b", "a", "c"], np.array([70000, 70000, 3, 10**9])])
def test_a_key_whose_elements_are_all_masked_keeps_its_group(keys):
    x = np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[0, 0, 1, 0])
    found, answers = onefold.fold_by("sum,min,count", keys, x)
    assert found.tolist() == sorted(set(np.asarray(keys).tolist()))
    assert answers.sum.tolist() == [None, 3.0, 4.0] and answers.min.tolist() == [None, 1.0, 4.0]
    assert answers.count.tolist() == [0, 2, 1]
    found, answers = onefold.fold_by("argmax", keys, np.ma.array([5, 7, 1, 3], mask=[0, 1, 1, 0]))
    assert answers.argmax.tolist() == [None, 0, 3]
    pandas = pytest.importorskip("pandas")
    nulls = pandas.Series([1, 2, None, 4], dtype="Int64")
    found, answers = onefold.fold_by("sum,mean,count", keys, nulls)
    assert answers.sum.tolist() == [0, 3, 4] and answers.count.tolist() == [0, 2, 1]
    assert np.isnan(answers.mean[0]) and answers.mean[1] == 1.5
    with pytest.raises(onefold.EmptyError, match="all elements of group"):
        onefold.fold_by("min", keys, nulls)
    found, answers = onefold.fold_by("sum", keys, {"x": nulls})
    assert answers["x"].sum.tolist() == [0, 3, 4]
    none = onefold.fold_by("sum", np.array([4, 4]), np.ma.array([1, 2], mask=True))
    assert none[0].tolist() == [4] and none[1].sum.tolist() == [None]


def test_frames_fold_their_dates():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"day": pandas.to_datetime(["2024-01-03", "2024-01-01"]), "x": [1.0, 2.5],
                              "took": pandas.to_timedelta([5, 7], "s"), "word": ["a", "b"]})
    with pytest.warns(onefold.TableWarning, match="left out: word"):
        found = onefold.max(frame)
    assert found["day"] == pandas.Timestamp("2024-01-03") and found["x"] == 2.5
    assert found["took"] == pandas.Timedelta(7, "s") and list(found.index) == ["day", "x", "took"]
    with pytest.warns(onefold.TableWarning, match="left out: day, word"):
        assert onefold.sum(frame)["took"] == pandas.Timedelta(12, "s")
    assert onefold.min(frame[["day"]])["day"] == pandas.Timestamp("2024-01-01")
    with pytest.warns(onefold.TableWarning):
        assert onefold.median(frame)["day"] == pandas.Timestamp("2024-01-02")


def test_frames_keep_labels_of_several_levels():
    pandas = pytest.importorskip("pandas")
    labels = pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["one", "two"])
    frame = pandas.DataFrame({k: v for k, v in zip(labels, ([1, 2], [0.5, 1.0], [True, False]))})
    frame.columns = labels
    for axis in (None, 0):
        found = onefold.sum(frame, axis=axis) if axis is not None else onefold.max(frame)
        assert found.index.equals(labels) and found.index.names == ["one", "two"]

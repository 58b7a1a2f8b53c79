"""Frames of several types column by column: as tables in files are."""

import datetime

import numpy as np
import pytest

import onefold

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

FRAME = pd.DataFrame({"a": [1, 2, 4], "b": [1.5, 2, 4], "s": ["x", "y", "z"], "t": [True, False, True]})


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)],
                         ids=["pandas", "polars", "pyarrow"])
def test_columns_of_numbers_are_folded_under_their_names(frame):
    with pytest.warns(onefold.TableWarning, match="a column without numbers is left out: s"):
        found = onefold.fold("sum,max", frame)
    if frame is FRAME:
        assert found.sum.to_dict() == {"a": 7, "b": 7.5, "t": 2} and found.max.to_dict() == {"a": 4, "b": 4.0, "t": True}
    else:
        assert found == {"a": (7, 4), "b": (7.5, 4.0), "t": (2, True)}
    assert onefold.fold("mean", frame, columns=["b"]) == {"b": (2.5,)}
    assert onefold.fold("mean", frame, columns="b").mean == 2.5
    with pytest.warns(onefold.TableWarning):
        assert dict(onefold.mean(frame, axis=0)) == {"a": 7 / 3, "b": 2.5, "t": 2 / 3}
    with pytest.raises(onefold.OptionError, match="there is no column 'c'; there are a, b, s, t"):
        onefold.fold("mean", frame, columns="c")
    with pytest.raises(onefold.UnsupportedError, match="one by one, along axis 0"):
        onefold.fold("mean", frame, axis=1)


@pytest.mark.parametrize(("call", "text"), [
    (lambda: onefold.sum(pd.DataFrame({"a": ["x"]})), "no column holds numbers"),
    (lambda: onefold.mean([1, 2, "a"]), "the sequence holds 'a'; bools, integers and floats can be folded"),
    (lambda: onefold.mean([[1, 2], [3, None]]), "the sequence holds None;"),
    (lambda: onefold.max([1, datetime.date(2024, 1, 2)]), 'date(2024, 1, 2); numpy.array(x, "datetime64[us]") makes an array of these, which can'),
    (lambda: onefold.sum([1, datetime.timedelta(1)]), 'numpy.array(x, "timedelta64[us]") makes an array of these, which can be folded'),
    (lambda: onefold.sum(pl.Series(["a"])), 'format "vu" (text) cannot be folded'),
    (lambda: onefold.max(pa.array([[1]])), "(lists or records) cannot be folded"),
    (lambda: onefold.fold("sum mean", [1]), 'no op is called "sum mean"')])
def test_messages_name_what_is_wrong(call, text):
    with pytest.raises(onefold.Error) as caught:
        call()
    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_nulls_of_columns_are_left_out():
    for frame in (pl.DataFrame({"a": [1, None, 4], "b": [None, 0.5, 1]}), pa.table({"a": [1, None, 4], "b": [None, 0.5, 1]}),
                  pd.DataFrame({"a": pd.array([1, None, 4], "Int64"), "b": pd.array([None, 0.5, 1], "Float64")})):
        assert onefold.fold("sum,count", frame, columns=["a", "b"]) == {"a": (5, 2), "b": (1.5, 2)}


def test_a_frame_of_one_column_has_its_name():
    assert onefold.sum(pl.DataFrame({"a": [1, 2]})) == {"a": 3} == onefold.sum(pa.table({"a": [1, 2]}))
    assert onefold.sum(pd.DataFrame({"a": [2**53 + 1], "b": [0.5]})).to_dict() == {"a": 2**53 + 1, "b": 0.5}


def test_frames_of_one_type_stay_arrays():
    frame = pd.DataFrame({"a": [1.0, 2], "b": [3.0, 4]})
    assert onefold.sum(frame) == 10 and np.array_equal(onefold.sum(frame, axis=0), [3, 7])
    assert onefold.fold("sum", frame, columns=["b"]) == {"b": (7.0,)}


def test_a_frame_is_folded_by_its_own_columns():
    frame = pd.DataFrame({"k": ["a", "b", "a", None], "j": [1, 1, 1, 2], "x": [1.0, 2.0, 4.0, 8.0], "n": [2**53 + 1, 1, 1, 1]})
    for of in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        keys, answers = onefold.fold("sum,count", of, by="k", columns="x")
        assert keys.tolist() == ["a", "b", None] and answers.sum.tolist() == [5.0, 2.0, 8.0]
        keys, answers = onefold.fold("sum", of, by=["k", "j"])
        assert list(keys) == ["k", "j"] and list(answers) == ["x", "n"]
        assert answers["n"].sum.tolist() == [2**53 + 2, 1, 1] and keys["j"].tolist() == [1, 1, 2]
        with pytest.raises(onefold.OptionError, match="by='z': there is no column 'z'"):
            onefold.fold("sum", of, by="z")
    with pytest.raises(onefold.OptionError, match="axis= is not available for frames grouped by keys"):
        onefold.fold("sum", frame, by="k", axis=1)
    with pytest.raises(onefold.OptionError, match=r"fold_by\(\) folds arrays by keys"):
        onefold.fold("sum", [1.0], by="k")


def test_times_of_polars_and_arrow_are_folded_and_their_nulls_left_out():
    days = [datetime.date(2024, 1, 1), None, datetime.date(2024, 1, 5)]
    for column in (pl.Series(days), pa.array(days), pa.chunked_array([days[:1], days[1:]])):
        assert onefold.fold("min,max,mean,count", column) == (
            np.datetime64("2024-01-01"), np.datetime64("2024-01-05"), np.datetime64("2024-01-03"), 2)
        assert onefold.fold("ptp", column, where=[True, True, False]).ptp == np.timedelta64(0, "D")
        assert onefold.median(column) == np.datetime64("2024-01-03")
    took = pl.Series([datetime.timedelta(1), datetime.timedelta(2)])
    assert onefold.sum(took) == np.timedelta64(3, "D")
    frame = pl.DataFrame({"day": days, "x": [1, 2, 3], "s": ["a", "b", "c"]})
    for of in (frame, frame.to_arrow()):
        with pytest.warns(onefold.TableWarning, match="left out: s"):
            assert onefold.max(of)["day"] == np.datetime64("2024-01-05")
    with pytest.raises(onefold.EmptyError):
        onefold.max(pl.Series([None], dtype=pl.Date))
    with pytest.raises(TypeError, match="the names of ops come first"):
        onefold.fold_by(frame["s"], frame["x"])


@pytest.mark.parametrize("groups", [
    FRAME.groupby("s"), FRAME.groupby("s").b, FRAME[["a", "b"]].rolling(2), FRAME.b.ewm(1), FRAME.b.expanding(), FRAME.loc,
    pl.from_pandas(FRAME).group_by("s"), pl.from_pandas(FRAME).lazy(), pa.Table.from_pandas(FRAME).group_by("s"),
    pa.Table.from_pandas(FRAME).schema], ids=lambda x: f"{type(x).__module__}.{type(x).__name__}")
def test_groups_and_windows_are_refused(groups):
    for call in (lambda: onefold.count(groups), lambda: onefold.fold("sum", groups, axis=0), lambda: onefold.median(groups),
                 lambda: onefold.describe(groups), lambda: onefold.gather("sum", groups),
                 lambda: onefold.fold("sum", groups, by="s"), lambda: onefold.fold_by("sum", [1, 1, 2], groups),
                 lambda: onefold.fold_by("sum", keys=groups, x=[1, 2, 3])):
        with pytest.raises(onefold.Error):
            call()

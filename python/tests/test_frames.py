"""Frames of several types column by column: as tables in files are."""

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
    (lambda: onefold.mean([1, 2, "a"]), "a sequence that holds 'a'; bools, integers and floats can be folded"),
    (lambda: onefold.mean([[1, 2], [3, None]]), "a sequence that holds None;"),
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

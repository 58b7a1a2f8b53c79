"""Frames of pandas, Polars and PyArrow with columns of any types: an answer is that of the column alone."""

import itertools
import warnings

import numpy as np
import pytest

import onefold

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?"]
RNG = np.random.default_rng(0)
COLUMNS = {t: RNG.random(300) < .5 if t == "?" else RNG.integers(0, min(np.iinfo(t).max, 2**50), 300, dtype=t)
           if t[0] in "iu" else RNG.standard_normal(300).astype(t) for t in TYPES}


@pytest.mark.parametrize(("a", "b"), list(itertools.permutations(TYPES, 2)))
def test_an_answer_does_not_depend_on_the_columns_beside_it(a, b):
    frame = pd.DataFrame({"a": COLUMNS[a], "b": COLUMNS[b]})
    for op in ("sum", "mean", "std", "median", "max", "argmax"):
        alone = [getattr(onefold, op)(COLUMNS[t]) for t in (a, b)]
        for axis in (None, 0, -2, (0,), np.int64(0)):
            assert list(getattr(onefold, op)(frame, axis=axis)) == alone, op
    found = onefold.fold("sum,var", frame)
    assert list(found.sum) == [COLUMNS[t].sum(dtype=t if t[0] == "f" else None) if t == "?" else onefold.sum(COLUMNS[t])
                               for t in (a, b)]
    assert onefold.describe(frame)["a"] == onefold.describe(pd.Series(COLUMNS[a]))
    assert onefold.quantile(frame, [0.25, 0.5])["b"].tolist() == onefold.quantile(COLUMNS[b], [0.25, 0.5]).tolist()
    with pytest.raises(onefold.UnsupportedError, match="of several types, or with nulls, is not an array of numbers"):
        onefold.gather("sum", frame)


def test_integers_beside_narrow_floats_are_not_rounded():
    frame = pd.DataFrame({"n": np.full(300, 255, "u1"), "x": np.ones(300, "f2")})
    assert onefold.sum(frame, axis=0).to_dict() == {"n": 76500, "x": 300.0}
    frame = pd.DataFrame({"n": np.array([1, 2, 2], "i2"), "x": np.ones(3, "f4"), "t": [True, False, True]})
    assert onefold.mean(frame).to_dict() == {"n": 5 / 3, "x": 1.0, "t": 2 / 3}
    frame = pd.DataFrame({"a": np.array([2**63 + 1], "u8"), "b": np.array([-1], "i8")})
    assert onefold.max(frame, axis=0).to_dict() == {"a": 2**63 + 1, "b": -1}


def test_columns_of_the_other_byte_order_are_folded():
    for kind in (">f8", ">i2", ">f4"):
        frame = pd.DataFrame({"a": np.array([1, 2], kind), "b": np.array([4, 8], kind)})
        assert onefold.sum(frame["a"]) == 3 and onefold.sum(frame, axis=0).tolist() == [3, 12] and onefold.sum(frame) == 15
        assert onefold.median(frame["b"]) == 6 and onefold.sum(frame.assign(c=[1, 1])).tolist() == [3, 12, 2]


def test_a_frame_of_one_column_without_numpys_type_has_its_name_too():
    for column in (pd.array([1, None, 4], "Int64"), pd.array([1, None, 4], "int64[pyarrow]")):
        assert onefold.sum(pd.DataFrame({"a": column})).to_dict() == {"a": 5}


def test_rows_of_several_types_are_folded_where_one_type_holds_them_all():
    frame = pd.DataFrame({"a": [1, 2], "f": [1.5, 2.5], "t": [True, False]}, index=["x", "y"])
    assert onefold.sum(frame, axis=1).to_dict() == {"x": 3.5, "y": 4.5}
    assert onefold.median(frame, axis=-1).to_dict() == {"x": 1.0, "y": 2.0}
    assert onefold.sum(frame, axis=1, keepdims=True).tolist() == [[3.5], [4.5]]
    with pytest.raises(onefold.DTypeError, match="float64 cannot hold all of these int64 values exactly"):
        onefold.sum(pd.DataFrame({"a": [2**53 + 1], "f": [0.5]}), axis=1)
    with pytest.raises(onefold.UnsupportedError, match="one by one, along axis 0"):
        onefold.sum(frame, axis=(0, 1))


def test_masks_and_weights_go_with_the_elements_or_the_rows():
    frame = pd.DataFrame({"n": [1, 2, 4], "x": [0.5, 1.5, 2.5]}, index=[5, 6, 7])
    rows = [True, False, True]
    for where in (rows, np.array(rows), pd.Series(rows, frame.index), np.array([rows, rows]).T,
                  pd.DataFrame({"n": rows, "x": rows}, frame.index), np.array(rows)[:, None]):
        assert onefold.sum(frame, where=where).to_dict() == {"n": 5, "x": 3.0}
        assert onefold.median(frame, where=where).to_dict() == {"n": 2.5, "x": 1.5}
        assert onefold.fold("sum", frame, where=where, columns="x").sum == 3.0
    some = np.array([[True, False], [True, True], [False, False]])
    assert onefold.sum(frame, where=some).to_dict() == {"n": 3, "x": 1.5}
    assert onefold.sum(frame, where=pd.Series([False, True], ["n", "x"])).to_dict() == {"n": 0, "x": 4.5}
    assert onefold.sum(frame, where=[False, True]).to_dict() == {"n": 0, "x": 4.5}
    for weights in ([1, 0, 1], pd.Series([1, 0, 1], frame.index), [[1, 1], [0, 0], [1, 1]]):
        assert onefold.average(frame, weights=weights, axis=0).to_dict() == {"n": 2.5, "x": 1.5}
        assert onefold.fold("sum", frame, fweights=weights).sum.to_dict() == {"n": 5, "x": 3.0}
    assert onefold.sum(pl.from_pandas(frame), where=pl.Series(rows)) == {"n": 5, "x": 3.0}
    for where in (pd.Series(rows, [7, 6, 5]), [True] * 4, pd.DataFrame({"x": rows, "n": rows}, frame.index)):
        with pytest.raises(onefold.ShapeError):
            onefold.sum(frame, where=where)
    with pytest.raises(onefold.ShapeError, match="could apply to the rows or to the columns"):
        onefold.sum(frame.iloc[:2], where=[True, False])


ODD = [
    ("other", pl.Series([object()])), ("text", pl.Series(["a"])), ("text", pl.Series([[1]])), ("text", pl.Series([None])),
    ("text", pl.Series(["a"], dtype=pl.Categorical)), ("text", pl.Series(["a"], dtype=pl.Enum(["a"]))),
    ("text", pl.Series([b"a"])), ("text", pl.Series([{"a": 1}])), ("other", pd.Series(pd.arrays.SparseArray([2]))),
    ("other", pd.Series(["a"], dtype=object)), ("other", pd.Series([1], dtype=np.longdouble)), ("text", pd.Series(["a"])),
    ("text", pd.Series(["a"], dtype="category")), ("text", pd.Series(pd.period_range("2024", periods=1))),
    ("text", pd.Series(pd.interval_range(0, 1))), ("text", pd.Series(["a"], dtype="string[pyarrow]")),
    ("text", pa.array([[1]])),
    ("text", pa.array([None])), ("text", pa.array(["a"])),
    ("text", pa.array(["a"]).dictionary_encode()), ("text", pa.array([b"a"]))]
TIMES = [
    np.array(["2024-01-01"], "M8[s]"), pd.Series(pd.to_datetime(["2024-01-01"])).dt.tz_localize("UTC"),
    pd.Series(pd.to_datetime(["2024-01-01"]), dtype="date32[pyarrow]"),
    pd.Series(pd.to_datetime(["2024-01-01"]), dtype="timestamp[us][pyarrow]"),
    pd.Series(pd.to_datetime(["2024-01-01"])).dt.tz_localize("UTC").astype("timestamp[us, tz=UTC][pyarrow]"),
    pd.Series(pd.to_timedelta([1], "s"), dtype="duration[us][pyarrow]"), pd.Series(pd.to_timedelta([1], "s"))]


def frame_of(column):
    if type(column).__module__.startswith("polars"):
        return pl.DataFrame({"c": column, "v": [2]})
    return pa.table({"c": column, "v": [2]}) if isinstance(column, pa.Array) else pd.DataFrame({"c": column, "v": [2]})


@pytest.mark.parametrize(("kind", "column"), ODD, ids=lambda c: getattr(c, "dtype", getattr(c, "type", c)))
def test_a_column_that_is_not_folded_is_left_out_with_a_warning(kind, column):
    frame = frame_of(column)
    said = "a column of an unsupported type is left out: c" if kind == "other" else (
        "a column without numbers is left out: c")
    for call in (onefold.sum, onefold.median, onefold.nansum):
        with pytest.warns(onefold.TableWarning, match=said):
            assert dict(call(frame)) == {"v": 2}
    with pytest.warns(onefold.TableWarning, match=said):
        assert onefold.fold_by("sum", [7], frame)[1]["v"].sum == 2
    for call in (lambda: onefold.sum(frame.iloc[:, :1] if isinstance(frame, pd.DataFrame) else frame.select(["c"])),
                 lambda: onefold.fold("sum", frame, columns="c")):
        with pytest.raises(onefold.Error):
            call()


@pytest.mark.parametrize("column", TIMES, ids=lambda c: str(c.dtype))
def test_times_beside_numbers_are_folded_where_the_op_has_them(column):
    frame = pd.DataFrame({"c": column, "v": [2]})
    assert onefold.max(frame).to_dict() == {"c": frame["c"].iloc[0], "v": 2} or str(frame["c"].dtype).startswith("date32")
    assert str(onefold.max(frame)["c"])[:10] in ("2024-01-01", "0 days 00:")
    if frame["c"].dtype.kind == "M":
        with pytest.warns(onefold.TableWarning, match="a column without numbers is left out: c"):
            assert dict(onefold.sum(frame)) == {"v": 2}


def test_frames_by_keys_say_what_they_leave_out():
    frame = pd.DataFrame({"k": ["a", "a"], "v": [1.0, 2], "t": pd.to_datetime(["2020", "2021"]), "s": ["x", "y"]})
    more = pl.from_pandas(frame).with_columns(d=pl.Series(["1", "2"]).cast(pl.Decimal(5, 1)))
    for of, found in ((frame, ["v", "t"]), (more, ["v", "t", "d"]), (more.to_arrow(), ["v", "t", "d"])):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            _, answers = onefold.fold("min", of, by="k")
        assert list(answers) == found and answers["v"].min.tolist() == [1.0]
        assert [str(w.message) for w in seen] == ["a column without numbers is left out: s"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            onefold.fold("min", of, by="k", columns=["v"])
        assert onefold.fold_by("max", keys=["a", "b"], x=of["t"])[1].max.astype("M8[Y]").astype(int).tolist() == [50, 51]


def test_rows_of_numbers_of_several_types_are_normalised_and_scanned():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1, 2, 5]}, index=["x", "y", "z"])
    alike = frame.astype("f8")
    for call in (onefold.softmax, onefold.log_softmax, onefold.rms_norm, onefold.layer_norm, onefold.cumsum,
                 lambda x, axis: onefold.rolling(x, 2, axis=axis).sum()):
        pd.testing.assert_frame_equal(call(frame, axis=1), call(alike, axis=1))
    with pytest.raises(onefold.Error, match="float64 cannot hold all of these int64 values exactly"):
        onefold.softmax(frame.assign(b=2**53 + 1), axis=1)


def test_windows_of_columns_of_one_name_are_those_of_each():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1, 2, 5], "c": ["x", "y", "z"]})
    alike = frame.set_axis(["k", "k", "k"], axis=1)
    with pytest.warns(onefold.TableWarning):
        for call in (lambda x: onefold.rolling(x, 2).sum(), lambda x: onefold.cumsum(x, 0)):
            pd.testing.assert_frame_equal(call(alike), call(frame).set_axis(["k", "k"], axis=1))


def test_windows_and_scans_take_numbers_of_python_in_columns_of_objects():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "o": pd.Series([1, 2, 5], dtype=object)})
    for call in (lambda x: onefold.rolling(x, 2).sum(), lambda x: onefold.cumsum(x, 0), lambda x: onefold.expanding(x).max()):
        pd.testing.assert_frame_equal(call(frame), call(frame.assign(o=[1, 2, 5])))
    with pytest.warns(onefold.TableWarning, match="left out: o"):
        assert list(onefold.cumsum(frame.assign(o=["x", 1, None]), 0)) == ["a"]

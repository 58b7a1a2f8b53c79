"""Medians and quantiles of windows, windows of groups, by a column, by pandas' indexers; times of every kind."""

import itertools
import pathlib
import runpy

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import onefold

rng = np.random.default_rng(2)
data = rng.standard_normal(150)
METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u8", "i4", "u4", "i2", "u2", "i1", "u1", "?"])
def test_quantiles_of_windows_are_those_of_their_elements(dtype):
    x = (data * 100).astype(dtype)
    if dtype[0] == "f":
        x[[3, 50, 51, 120]] = np.nan, np.inf, np.nan, -np.inf
    for width, (q, method) in itertools.product([1, 2, 7, 60, 150, 200], zip([0.5, 0, 0.25, 1 / 3, 1, 0.9], METHODS * 2)):
        got = onefold.rolling(x, width, min_periods=0).quantile(q, method)
        assert got.dtype == (x.dtype if dtype[0] == "f" else "f8")
        for i in range(0, len(x), 7):
            alone = onefold.quantile(x[max(0, i - width + 1):i + 1], q, method=method, nan="omit")
            assert got[i].tobytes() == alone.tobytes(), (width, q, method, i)
    scan = onefold.expanding(x).median()
    assert scan[100].tobytes() == onefold.median(x[:101], nan="omit").tobytes()
    listed = onefold.rolling(x, ([5, 0, 7, 7], [9, 150, 7, 8])).median()
    assert listed[1].tobytes() == onefold.median(x, nan="omit").tobytes() and np.isnan(listed[2])


def test_medians_keep_labels_and_kinds():
    days = pd.date_range("2024-01-01", periods=150)
    s = pd.Series(data, index=days, name="x")
    pd.testing.assert_series_equal(onefold.rolling(s, 7).median(), s.rolling(7).median())
    pd.testing.assert_series_equal(onefold.rolling(s, "9D", center=True).quantile(0.3), s.rolling("9D", center=True).quantile(0.3))
    frame = pd.DataFrame({"a": data, "b": np.arange(150), "c": ["x"] * 150})
    with pytest.warns(onefold.TableWarning):
        got = onefold.rolling(frame, 5, step=4).median()
    pd.testing.assert_frame_equal(got, frame[["a", "b"]].rolling(5, step=4).median())
    nulls = pd.Series([1, None, 3, 4], dtype="Int64")
    assert onefold.rolling(nulls, 2, min_periods=1).median().tolist() == [1, 1, 3, 3.5]
    assert onefold.rolling(pl.Series("x", [1, 2, 4]), 2).median().to_list()[1:] == [1.5, 3]
    array = xr.DataArray(data.reshape(50, 3), dims=("t", "k"))
    got = onefold.rolling(array, 4, axis=0).median()
    assert got.dims == ("t", "k") and got.values[9, 1] == np.median(array.values[6:10, 1])
    matrix = data.reshape(3, 50)
    across = onefold.rolling(matrix, 4, axis=1).median()
    down = onefold.rolling(np.ascontiguousarray(matrix.T)[:, ::-1], 4).median()
    assert np.array_equal(across, down.T[::-1], equal_nan=True)
    there = data > 0
    got = onefold.rolling(data, 20, min_periods=1).median(where=there)
    assert got[100] == onefold.median(data[81:101], where=there[81:101])


def test_nan_policies_of_medians():
    x = np.array([1, 2, np.nan, 4, 5.0])
    assert onefold.rolling(x, 2, nan="propagate").median()[1:].tolist()[0] == 1.5
    assert np.isnan(onefold.rolling(x, 2, nan="propagate").median()[2:4]).all()
    with pytest.raises(onefold.NanError):
        onefold.rolling(x, 2, nan="raise").median()


def test_windows_that_fall_are_folds_of_their_elements():
    begin = np.array([5, 0, 140, 3, 3, 9])
    end = np.array([10, 150, 141, 90, 60, 9])
    got = onefold.rolling(data, (begin, end), min_periods=0).fold("sum,var,max")
    for i, (b, e) in enumerate(zip(begin, end)):
        assert got.sum[i] == onefold.sum(data[b:e])
        assert got.var[i] == onefold.var(data[b:e], ddof=1) or e - b < 2
        assert np.isnan(got.max[i]) if e == b else got.max[i] == data[b:e].max()


def frame_of_groups():
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 60, 80)), unit="D")
    return pd.DataFrame({"k": rng.choice(["b", "a", "c"], 80), "j": rng.integers(0, 2, 80), "t": days,
                         "x": np.round(rng.standard_normal(80), 2), "y": rng.standard_normal(80)}, index=np.arange(80)[::-1])


@pytest.mark.parametrize("op", ["sum", "mean", "median", "max", "var"])
def test_windows_of_groups_are_those_of_pandas(op):
    frame = frame_of_groups().drop(columns="t")
    for by in ("k", ["k", "j"]):
        for keywords in ({}, {"min_periods": 1}, {"center": True}, {"closed": "left", "min_periods": 2}):
            ours = getattr(onefold.rolling(frame.groupby(by), 4, **keywords), op)()
            theirs = getattr(frame.groupby(by).rolling(4, **keywords), op)()
            pd.testing.assert_frame_equal(ours.astype("f8"), theirs, rtol=1e-9)
    pd.testing.assert_series_equal(getattr(onefold.rolling(frame.groupby("k").x, 4), op)(),
                                   getattr(frame.groupby("k").x.rolling(4), op)(), rtol=1e-9)
    pd.testing.assert_frame_equal(getattr(onefold.expanding(frame.groupby("k")[["x", "y"]]), op)(),
                                  getattr(frame.groupby("k")[["x", "y"]].expanding(), op)(), rtol=1e-9)
    flat = frame.groupby("k", as_index=False)
    pd.testing.assert_frame_equal(getattr(onefold.rolling(flat, 4), op)().astype({"j": "f8"}), getattr(flat.rolling(4), op)(),
                                  rtol=1e-9)


def test_windows_by_a_column_of_times_are_those_of_pandas():
    frame = frame_of_groups()[["k", "x", "t", "y"]]
    numbers = frame.drop(columns="k")
    for keywords in ({}, {"center": True}, {"closed": "both"}):
        pd.testing.assert_frame_equal(onefold.rolling(numbers, "5D", on="t", **keywords).sum(),
                                      numbers.rolling("5D", on="t", **keywords).sum())
        ours = onefold.rolling(frame.groupby("k"), "5D", on="t", **keywords).sum()
        pd.testing.assert_frame_equal(ours, frame.groupby("k").rolling("5D", on="t", **keywords).sum())
    pd.testing.assert_frame_equal(onefold.rolling(numbers, 3, on="t", step=2).max(), numbers.rolling(3, on="t", step=2).max())
    by_index = frame.set_index("t")
    pd.testing.assert_frame_equal(onefold.rolling(by_index.groupby("k"), "5D").mean(), by_index.groupby("k").rolling("5D").mean())


class Alternating(pd.api.indexers.BaseIndexer):
    """All elements so far, or the last three."""

    def get_window_bounds(self, num_values=0, min_periods=None, center=None, closed=None, step=None):
        rows = np.arange(num_values, dtype="i8")
        return np.where(rows % 3 == 0, 0, np.maximum(rows - 2, 0)), rows + 1


def test_indexers_of_pandas_say_where_windows_are():
    s = pd.Series(np.round(data * 100))
    for indexer in (pd.api.indexers.FixedForwardWindowIndexer(window_size=5), Alternating()):
        for op in ("sum", "median", "max"):
            pd.testing.assert_series_equal(getattr(onefold.rolling(s, indexer, min_periods=2), op)(),
                                           getattr(s.rolling(indexer, min_periods=2), op)())
    forward = pd.api.indexers.FixedForwardWindowIndexer(window_size=5)
    pd.testing.assert_series_equal(onefold.rolling(s, forward, step=4).mean(), s.rolling(forward, step=4).mean())
    frame = frame_of_groups()[["k", "x"]]
    pd.testing.assert_frame_equal(onefold.rolling(frame.groupby("k"), forward).sum(), frame.groupby("k").rolling(forward).sum())


def test_times_of_every_kind():
    x = np.round(data[:60] * 100)
    days = pd.date_range("2024-01-01", periods=60, tz="Europe/Oslo")
    for index in (days, days[::-1], pd.period_range("2024-01-01", periods=60), days - days[0]):
        s = pd.Series(x, index=index)
        pd.testing.assert_series_equal(onefold.rolling(s, "5D").sum(), s.rolling("5D").sum())
    close = pd.Series(x, index=pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(60), unit="ns"))
    for window, closed in itertools.product(("3ns", "4ns"), ("right", "left", "both", "neither")):
        pd.testing.assert_series_equal(onefold.rolling(close, window, center=True, closed=closed).sum(),
                                       close.rolling(window, center=True, closed=closed).sum())
    none = pd.Series([], index=pd.DatetimeIndex([]), dtype="f8")
    assert len(onefold.rolling(none, "5D").sum()) == 0
    assert np.array_equal(onefold.rolling(x, 2.5, times=-np.arange(60)).sum(), onefold.rolling(x, 2.5, times=np.arange(60)).sum())


def test_the_figure_of_drift_is_current():
    folder = pathlib.Path(__file__).parents[2] / "docs/start"
    script = runpy.run_path(str(folder / "drift.py"))
    there = (folder / "drift.svg").read_text()
    if f"pandas {script['release']()}<" not in there:
        pytest.skip("the figure is of another release of pandas")
    assert there == script["figure"]()


def test_variances_of_scans():
    got = onefold.cumvar(data, ddof=1)
    assert np.isnan(got[0]) and all(got[i] == onefold.var(data[:i + 1], ddof=1) for i in range(1, 150))


@pytest.mark.parametrize("call,message", [
    (lambda: onefold.rolling(data, 3).quantile([0.1, 0.2]), "ask for one quantile at a time"),
    (lambda: onefold.rolling(data, 3).quantile(1.1), "q=1.1 is not between 0 and 1"),
    (lambda: onefold.rolling(data, 3).quantile(0.5, "best"), 'method="best" is not valid'),
    (lambda: onefold.rolling(data, 3).quantile(0.5, 7), "interpolation=7 is not a str"),
    (lambda: onefold.rolling(frame_of_groups(), 3, on="z"), "on='z' is not the name of one column"),
    (lambda: onefold.rolling(data, 3, on="z"), "names a column of a frame"),
    (lambda: onefold.rolling(frame_of_groups().groupby("k"), 3, step=2), "do not support step= or times="),
    (lambda: onefold.expanding(frame_of_groups().groupby("k"), axis=1), "windows of groups go along axis 0, and axis=1 was given"),
    (lambda: onefold.expanding(frame_of_groups().groupby("k"), dim="k"), "x holds groups of pandas; leave out dim="),
    (lambda: onefold.cumvar(frame_of_groups().groupby("k")), r"cumvar: for groups call expanding\(groupby\).var\(\), which omits NaN"),
    (lambda: onefold.rolling(frame_of_groups().groupby("k"), ([0], [1])), "is not supported for groups; pass a number of elements"),
    (lambda: onefold.rolling(frame_of_groups().groupby("k").x, 3).corr(data), "do not support a second array"),
    (lambda: onefold.rolling(data, pd.api.indexers.FixedForwardWindowIndexer(window_size=2), center=True),
     "FixedForwardWindowIndexer could not compute its windows: "),
])
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(onefold.Error, match=message):
        call()


def test_windows_of_frames_of_other_libraries_go_by_a_column():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "t": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-05", "2024-01-06"]),
                          "b": [1, 2, 5, 7]})
    for keywords in ({}, {"step": 2}, {"closed": "left", "min_periods": 0}):
        wanted = onefold.rolling(frame, "2D", on="t", **keywords).sum()
        for made in (pl.DataFrame(frame.to_dict("series")), pa.table(frame)):
            got = onefold.rolling(made, "2D", on="t", **keywords).sum()
            assert type(got) is type(made)
            assert got.to_pandas().to_dict("list") == wanted.to_dict("list")
    with pytest.raises(onefold.OptionError, match="on='z' is not the name of one column"):
        onefold.rolling(pl.DataFrame({"a": [1]}), 3, on="z")

"""Rolling folds and scans: each answer is that of its window folded alone, with pandas' names and labels."""

import datetime
import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from scaled import scaled

import onefold

rng = np.random.default_rng(1)
data = rng.standard_normal(200)


def kinds():
    x = data.copy()
    yield "normal", x
    yield "float32", x.astype("f4")
    yield "int64", (x * 100).astype("i8")
    yield "bool", x > 0
    decay = 1e6 * np.exp(-np.arange(200) / 5)
    yield "decay", decay
    with_nan = x.copy()
    with_nan[[3, 50, 51, 120]] = np.nan
    yield "nan", with_nan
    with_inf = with_nan.copy()
    with_inf[[7, 90]] = np.inf, -np.inf
    yield "inf", with_inf
    yield "zeros", np.where(x > 0, -0.0, 0.0)


@pytest.mark.parametrize("name,x", list(kinds()))
@pytest.mark.parametrize("width", [1, 2, 7, 50, 200, 300])
def test_windows_are_folds_of_their_elements(name, x, width):
    ops = "sum,mean,var,std,min,max,argmin,count,norm2"
    got = onefold.rolling(x, width, min_periods=0, nan="propagate").fold(ops, ddof=0)
    for i in range(len(x)):
        alone = onefold.fold(ops, x[max(0, i - width + 1):i + 1])
        for op, value in alone._asdict().items():
            one = getattr(got, op)[i]
            assert one.tobytes() == value.tobytes() and one.dtype == value.dtype, (op, i)


@pytest.mark.parametrize("op", ["sum", "mean", "min", "max"])
def test_scans_are_folds_of_all_elements_before(op):
    for name, x in kinds():
        if name == "bool" and op in ("min", "max"):
            continue
        got = getattr(onefold, "cum" + op)(x)
        for i in range(len(x)):
            assert got[i].tobytes() == getattr(onefold, op)(x[:i + 1]).tobytes(), (name, i)
    matrix = data.reshape(20, 10)
    for axis in (0, 1, -1):
        got = getattr(onefold, "cum" + op)(matrix, axis)
        lines = np.moveaxis(matrix, axis, 0)
        assert np.array_equal(np.moveaxis(got, axis, 0)[-1], getattr(onefold, op)(lines, axis=0))


def test_the_fewest_elements_of_a_window():
    from onefold.windows.rule import Rule

    for n, width, ahead, step in itertools.product(range(7), range(9), range(-4, 8), (1, 2, 4)):
        rule = Rule(width, ahead, step)
        begins, ends = rule.borders(n)
        assert rule.fewest(n) == (int((ends - begins).min()) if n else None), (n, width, ahead, step)
        assert rule.windows(n) == len(ends)


def test_rules_are_those_of_pandas():
    s = pd.Series(np.round(data * 100)).where(data < 2)
    for width, center, closed, step, least in itertools.product(
            (1, 2, 5, 8), (False, True), ("right", "left", "both", "neither"), (1, 3), (None, 1)):
        keywords = {"center": center, "closed": closed, "step": step, "min_periods": least}
        ours, theirs = onefold.rolling(s, width, **keywords), s.rolling(width, **keywords)
        for op in ("sum", "mean", "max", "count"):
            one, other = getattr(ours, op)(), getattr(theirs, op)()
            if op == "count":
                one = one.astype("Float64").to_numpy(na_value=np.nan)
            np.testing.assert_allclose(one, other, rtol=1e-12, err_msg=str((width, keywords, op)))


def test_windows_of_time_are_those_of_pandas():
    for least_gap in (0, 1):  # 0: several elements of one time
        hours = np.cumsum(rng.integers(least_gap, 40, 200))
        s = pd.Series(np.round(data * 100), index=pd.Timestamp("2024-01-01") + pd.to_timedelta(hours, unit="h"))
        for window, center, closed, least in itertools.product(
                ("1D", "36h", "7D"), (False, True), ("right", "left", "both", "neither"), (None, 3)):
            keywords = {"center": center, "closed": closed, "min_periods": least}
            ours, theirs = onefold.rolling(s, window, **keywords).sum(), s.rolling(window, **keywords).sum()
            pd.testing.assert_series_equal(ours, theirs)
        by_number = onefold.rolling(s.to_numpy(), 36, times=hours).sum()
        assert np.array_equal(by_number, onefold.rolling(s, "36h").sum().to_numpy())
    assert onefold.expanding(s).mean().iloc[-1] == onefold.mean(s)


def exact_count(times, span, center, closed):
    """How many elements the window of each time has, by fractions."""
    times = [Fraction(t) if isinstance(t, float) else Fraction(int(t)) for t in times.tolist()]
    before = Fraction(span) / 2 if center else Fraction(span)
    counts = []
    for i, t in enumerate(times):
        left = [(u >= t - before) if closed in ("left", "both") else (u > t - before) for u in times]
        if center:
            right = [(u <= t + before) if closed in ("right", "both") else (u < t + before) for u in times]
        else:
            right = [j <= i if closed in ("right", "both") else u < t for j, u in enumerate(times)]
        counts.append(sum(a and b for a, b in zip(left, right)))
    return counts


def test_pairs_say_all_themselves():
    for keywords in ({"center": True}, {"closed": "both"}):
        with pytest.raises(onefold.OptionError, match="leave out center= and closed="):
            onefold.rolling(np.ones(3), ([0, 1, 1], [2, 2, 3]), **keywords).sum()


@pytest.mark.parametrize("kind", ["u1", "i1", "u4", "i8", "u8", "f4", "f8"])
def test_borders_of_time_are_not_rounded(kind):
    for seed in range(scaled(60)):
        own = np.random.default_rng(seed)
        n = int(own.integers(1, 25))
        if kind[0] == "f":
            times = np.sort(own.random(n) * own.choice([1, 1e16, 1e-30])).astype(kind)
        else:
            far = np.iinfo(kind) if seed % 2 else np.iinfo("i1")
            times = np.sort(own.integers(max(far.min, np.iinfo(kind).min), far.max, n, kind, endpoint=True))
        span = [int(own.integers(1, 60)), float(own.random()), .3, 2**62 + 1, Fraction(5, 2)][seed % 5]
        for center, closed in itertools.product((False, True), ("right", "left", "both", "neither")):
            got = onefold.rolling(np.ones(n), span, times=times, min_periods=0, center=center, closed=closed).count()
            assert got.tolist() == exact_count(times, span, center, closed), (times, span, center, closed)


def test_labels_stay():
    days = pd.date_range("2024-01-01", periods=200)
    s = pd.Series(data, index=days, name="x")
    pd.testing.assert_series_equal(onefold.rolling(s, 7).mean(), s.rolling(7).mean())
    assert onefold.rolling(s, 7, step=3).mean().index.equals(days[::3])
    frame = pd.DataFrame(data.reshape(50, 4), columns=list("abcd"))
    pd.testing.assert_frame_equal(onefold.rolling(frame, 7).var(), frame.rolling(7).var())
    mixed = pd.DataFrame({"a": [1, 2, 3], "b": [1.5, 2.5, np.nan]})
    got = onefold.rolling(mixed, 2).sum()
    assert got.a.tolist() == [pd.NA, 3, 5] or got.a.isna().tolist() == [True, False, False]
    assert str(got.a.dtype) == "Int64" and got.b.isna().tolist() == [True, False, True]
    column = onefold.rolling(pl.Series("x", [1, 2, 4]), 2).sum()
    assert column.to_list() == [None, 3, 6] and column.name == "x"
    framed = onefold.rolling(pl.DataFrame({"x": [1, 2, 4], "y": [1.0, 2.0, 4.0]}), 2, min_periods=1).max()
    assert framed.to_dict(as_series=False) == {"x": [1, 2, 4], "y": [1.0, 2.0, 4.0]}
    array = xr.DataArray(data.reshape(50, 4), dims=("t", "k"), coords={"t": days[:50]})
    got = onefold.cumsum(array, 0)
    assert got.dims == ("t", "k") and got.t.equals(array.t)
    assert np.array_equal(got[-1], onefold.sum(array, axis=0))


def test_integers_of_frames_keep_their_digits():
    frame = pd.DataFrame({"a": [2**53 + 1, 1, 2], "b": [3, 4, 5]})
    got = onefold.rolling(frame, 2).max()
    assert got.a.tolist()[1:] == [2**53 + 1, 2] and got.a.isna().tolist() == [True, False, False]
    assert list(got.columns) == ["a", "b"] and str(got.b.dtype) == "Int64"
    array = xr.DataArray([2**53 + 1, 1, 2], dims="t")
    with pytest.raises(onefold.UnsupportedError, match="cannot hold these integers"):
        onefold.rolling(array, 2).max()
    assert onefold.rolling(array[1:], 2).max().values.tolist()[1:] == [2.0]


def test_types_do_not_depend_on_values():
    for there in ([True, True, True], [True, False, False]):
        s = pd.Series([1, 2, 3], dtype="Int64").where(pd.Series(there))
        assert str(onefold.rolling(s, 2, min_periods=1).max().dtype) == "Int64"
    for least in (1, 2):
        assert isinstance(onefold.rolling(np.array([1, 2, 3]), 2, min_periods=least).sum(), np.ma.MaskedArray)


def test_listed_windows_have_no_labels():
    windows = [0, 1, 1], [2, 2, 3]
    s = pd.Series([1.0, 2.0, 4.0], index=list("abc"), name="x")
    got = onefold.rolling(s, windows).sum()
    assert got.tolist() == [3, 2, 6] and got.index.tolist() == [0, 1, 2] and got.name == "x"
    frame = pd.DataFrame({"a": [1, 2, 4], "b": [1.0, 2.0, 4.0]}, index=list("abc"))
    assert onefold.rolling(frame, ([0, 1], [2, 3])).sum().values.tolist() == [[3, 3], [6, 6]]
    array = xr.DataArray([[1.0, 2.0, 4.0]], dims=("k", "t"), coords={"k": [7], "t": [1, 2, 3]})
    got = onefold.rolling(array, ([0, 1], [2, 3]), axis=1).sum()
    assert got.values.tolist() == [[3, 6]] and got.k.values.tolist() == [7] and "t" not in got.coords


def test_windows_without_elements():
    got = onefold.rolling(np.zeros((3, 4)), 1, closed="neither", axis=1, min_periods=0).sum()
    assert got.shape == (3, 4) and not got.any()
    s = pd.Series([1.0, 2.0, 3.0], index=list("abc"))
    assert onefold.rolling(s, 1, closed="neither", step=2).sum().index.tolist() == ["a", "c"]
    assert onefold.rolling(np.zeros(0), 3).mean().shape == (0,)


def test_pairs_and_masks():
    other = np.roll(data, 3)
    got = onefold.rolling(data, 20).corr(other)
    assert got[100] == onefold.corr(data[81:101], other[81:101]) and np.isnan(got[18])
    taken = data > 0
    got = onefold.rolling(data, 20, min_periods=1).sum(where=taken)
    assert got[100] == onefold.sum(data[81:101], where=taken[81:101])


def test_missing_answers_of_integers_are_masked():
    got = onefold.rolling(np.array([1, 2, 3]), 2).sum()
    assert got.dtype == "int64" and got.mask.tolist() == [True, False, False] and got.tolist() == [None, 3, 5]


@pytest.mark.parametrize("call,message", [
    (lambda: onefold.rolling(data, -1), "window=-1 is not between 0 and 2"),
    (lambda: onefold.rolling(data, 2.5), "window=2.5 is not a number of elements; for a span of time, also pass times="),
    (lambda: onefold.rolling(data, 2, min_periods=3), "min_periods=3 is more than the window's 2 elements"),
    (lambda: onefold.rolling(data, 2, min_periods=-3), "min_periods=-3 is not between 0 and 2"),
    (lambda: onefold.rolling(data, 2, step=0), "step=0 is not between 1 and 2"),
    (lambda: onefold.rolling(data, 2, closed="x"), "closed='x' is not one of right, left, both, neither"),
    (lambda: onefold.rolling(data, "x", times=np.arange(200).astype("M8[h]")), "window='x' is not a span of time"),
    (lambda: onefold.rolling(data, 2.5, times=np.arange(200) % 7), "time 7 is earlier than the one before it"),
    (lambda: onefold.rolling(data, 2.5, times=np.arange(3)), r"times= has shape \(3,\), but the array has 200 elements"),
    (lambda: onefold.rolling(data, 0, times=np.arange(200)), "window=0 is not a span of time; pass a positive span"),
    (lambda: onefold.rolling(data, ([0, 2, 4], [1, 3, 3])).sum(), r"begin\[2\] is 4; it must be 0..3"),
    (lambda: onefold.rolling(data, ([0], [201])).sum(), r"end\[0\] is 201; it must be 0..200"),
    (lambda: onefold.rolling(data, (1,)), "a tuple of length 1, but must be a pair"),
    (lambda: onefold.rolling(data, ([0.5], [1])), "begin is float64, but must be integers"),
    (lambda: onefold.rolling(data, 3, center="no"), "center='no' is neither True nor False"),
    (lambda: onefold.rolling(data, 2**64), "is not between 0 and 2"),
    (lambda: onefold.rolling(data, 2**62, min_periods=1, closed="both"), "is not between 0 and 2"),
    (lambda: onefold.expanding(data, min_periods=-1), "expanding: min_periods=-1 is not between 0 and 2"),
    (lambda: onefold.rolling(data, 2, win_type="triang", times=data), "without closed=, times= or groups"),
    (lambda: onefold.rolling(data, ([0], [1]), times=data), "leave out times="),
    (lambda: onefold.rolling(data, ([0], np.array([2**63], "u8"))), "end holds 9223372036854775808, which is larger than any array"),
    (lambda: onefold.rolling(data, pd.offsets.MonthEnd(3), times=np.arange(200).astype("M8[h]")), "is not a span of time"),
    (lambda: onefold.rolling(pd.Series(data), "7D"), "window='7D' is not a number, but the times, or the index, are int64"),
    (lambda: onefold.rolling(pd.DataFrame({"k": [1], "x": [2]}).groupby("k"), 2, axis=1), "go along axis 0"),
    (lambda: onefold.rolling(data, 3, axis=1), "axis 1 is out of range"),
    (lambda: onefold.rolling(np.float64(1), 3), "x is a single number, which has no axis"),
    (lambda: onefold.rolling(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), 2, axis=1).sum(), "folded along axis 0"),
    (lambda: onefold.rolling(np.array(["2024-01-01"], "M8[D]"), 1).median(), "windows of dates and durations"),
    (lambda: onefold.rolling(["a.npy", "b.npy"], 3).sum(), "rolling: 2 files were given"),
    (lambda: onefold.cumsum(data.reshape(20, 10)), "cumsum: the array has 2 axes; pass axis= for one of them"),
    (lambda: onefold.cumsum(data, 1), "axis 1 is out of range"),
    (lambda: onefold.cumsum(["a.npy", "b.npy"]), "cumsum: 2 files were given"),
])
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(onefold.Error, match=message):
        call()


def test_no_ddof_is_the_default():
    x = [1.0, 2.0, 4.0]
    for windows in (onefold.rolling(x, 3), onefold.expanding(x), onefold.rolling(pd.Series(x), 2)):
        for op in ("var", "std", "sem"):
            assert list(getattr(windows, op)(ddof=None))[-1] == list(getattr(windows, op)())[-1]
        assert list(windows.cov(x, ddof=None))[-1] == list(windows.cov(x))[-1]
        assert list(windows.fold("var,kurtosis", ddof=None).var)[-1] == list(windows.var())[-1]


@pytest.mark.parametrize("op", ["sum", "mean", "min", "max", "var"])
def test_scans_go_backwards_and_leave_the_element_out(op):
    scan, alone = getattr(onefold, "cum" + op), getattr(onefold, op)
    for name, x in kinds():
        if name == "bool" and op in ("min", "max"):
            continue
        back = scan(x, reverse=True)
        for i in (0, 1, 100, 199):
            assert back[i].tobytes() == alone(x[i:]).tobytes(), (name, i)
        if name in ("int64", "bool") and op in ("min", "max"):
            continue  # nothing has no least integer
        before, behind = scan(x, exclusive=True), scan(x, exclusive=True, reverse=True)
        for i in (0, 1, 2, 100, 199):
            with np.errstate(all="ignore"):
                for got, part in ((before[i], x[:i]), (behind[i], x[i + 1:])):
                    if len(part):
                        assert got.tobytes() == alone(part).tobytes(), (name, i)
                    else:
                        assert got == 0 if op == "sum" else np.isnan(got)
    with pytest.raises(onefold.Error, match="empty_input|nothing"):
        onefold.cummax(np.arange(3), exclusive=True)
    with pytest.raises(onefold.Error, match="reverse='yes' is neither True nor False"):
        onefold.cumsum(data, reverse="yes")
    series = pd.Series(data[:9], index=list("abcdefghi"))
    assert onefold.cumsum(series, reverse=True).index.tolist() == list("abcdefghi")
    assert onefold.cumsum([1, 2, 3], reverse=True).tolist() == [6, 5, 3]
    matrix = data.reshape(20, 10)
    assert (onefold.cumsum(matrix, 1, exclusive=True)[:, 1:] == onefold.cumsum(matrix[:, :-1], 1)).all()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "f2"])
def test_scans_begin_anew_at_offsets(dtype):
    x = rng.normal(0, 1e3, 500).astype(dtype) if "f" in dtype else rng.integers(0, 100, 500).astype(dtype)
    offsets = np.sort(np.concatenate([[0, 0, 500], rng.integers(0, 501, 20)]))
    parts = list(zip(offsets[:-1], offsets[1:]))
    for scan in (onefold.cumsum, onefold.cummean, onefold.cummin, onefold.cummax, onefold.cumvar):
        for keywords in ({}, {"reverse": True}, *([{"exclusive": True}] if scan is onefold.cumsum else [])):
            alone = np.concatenate([scan(x[a:b], **keywords) for a, b in parts])
            np.testing.assert_array_equal(scan(x, offsets=offsets, **keywords), alone)
            assert scan(x, offsets=offsets.astype("i4"), **keywords).dtype == alone.dtype
    matrix = x[:480].reshape(60, 8)
    np.testing.assert_array_equal(onefold.cumsum(matrix, 0, offsets=[0, 7, 60]),
                                  np.concatenate([onefold.cumsum(matrix[:7], 0), onefold.cumsum(matrix[7:], 0)]))


def test_bad_offsets_of_scans():
    x = np.arange(5.0)
    for reverse in (False, True):
        for offsets, why in (([1, 5], "offsets= goes from 1 to 5; it must go from 0 to 5"), ([], "offsets= is empty; it must go"),
                             ([-1, 5], "offsets= goes from -1 to 5"),
                             ([0, 3, 2, 5], r"offsets\[2\] is 2, below offsets\[1\], which is 3; offsets must not decrease")):
            with pytest.raises(onefold.OptionError, match=f"cumsum: {why}"):
                onefold.cumsum(x, offsets=offsets, reverse=reverse)
    for offsets in ([0.0, 5.0], [[0, 5]], np.array([0, 5], object)):
        with pytest.raises((onefold.DTypeError, onefold.UnsupportedError)):
            onefold.cumsum(x, offsets=offsets)
    for dtype in ("u1", "u4", "u8", "i2"):
        assert onefold.cumsum(x, offsets=np.array([0, 2, 5], dtype)).tolist() == [0, 1, 2, 5, 9]
    with pytest.raises(onefold.UnsupportedError, match="offsets= is not supported for Dask arrays"):
        onefold.cumsum(pytest.importorskip("dask.array").from_array(x), offsets=[0, 5])


def test_errors_of_scans_name_the_scan_and_the_place():
    with pytest.raises(onefold.NanError, match=r"cumsum\[0\]: a NaN was found"):
        onefold.cumsum([np.nan, 1, 2], nan="raise", reverse=True)
    with pytest.raises(onefold.NanError, match=r"cummean\[1\]: a NaN was found"):
        onefold.cummean([1, np.nan, 2], nan="raise")
    with pytest.raises(onefold.OverflowError, match=r"cumsum\[0\]: the exact value does not fit"):
        onefold.cumsum([1, 2**63 - 1, 5], reverse=True, offsets=[0, 2, 3])


@pytest.mark.parametrize("yes, no", [(np.True_, np.False_), (1, 0), (np.array(True), np.array(False))])
def test_options_are_bools_of_any_library(yes, no):
    x = [1.0, 2.0, 4.0]
    for flag in (yes, no):
        plain = bool(flag)
        assert onefold.rolling(x, 3, center=flag, min_periods=1).sum().tolist() == \
            onefold.rolling(x, 3, center=plain, min_periods=1).sum().tolist()
        assert onefold.cumsum(x, exclusive=flag, reverse=flag).tolist() == onefold.cumsum(x, exclusive=plain, reverse=plain).tolist()
        assert np.shape(onefold.sum(x, keepdims=flag)) == np.shape(onefold.sum(x, keepdims=plain))
        assert onefold.skewness(x, bias=flag) == onefold.skewness(x, bias=plain)
        assert onefold.histogram(x, 2, density=flag)[0].tolist() == onefold.histogram(x, 2, density=plain)[0].tolist()
        assert len(onefold.linear_fit(x, [1, 2, 5], intercept=flag).coef) == 1 + plain
    assert onefold.sum(pd.DataFrame({"a": x, "b": [1, 2, 3]}), keepdims=no).tolist() == [7.0, 6]
    for call in (lambda: onefold.sum(x, keepdims="no"), lambda: onefold.skewness(x, bias="no"), lambda: onefold.kurtosis(x, bias=b"no"),
                 lambda: onefold.histogram(x, 2, density="no"), lambda: onefold.linear_fit(x, [1, 2, 4], intercept="no")):
        with pytest.raises(onefold.Error, match="'no' is neither True nor False"):
            call()


def test_dimensions_of_xarray_name_the_axis_of_windows():
    x = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("a", "b"), coords={"b": [10, 20, 30]})
    right = onefold.rolling(x, 2, axis=1).sum()
    for windows in (onefold.rolling(x, 2, dim="b"), onefold.rolling(x, {"b": 2}), onefold.rolling(x, 2, axis="b")):
        assert windows.sum().identical(right)
    assert onefold.expanding(x, dim="b").sum().identical(onefold.cumsum(x, axis="b")) and right.dims == ("a", "b")
    for call, what in [(lambda: onefold.rolling(x, {"a": 1, "b": 2}), "must name one dimension"),
                       (lambda: onefold.rolling(x, {"b": 2}, dim="a"), "dim= names another"),
                       (lambda: onefold.rolling(x, 2, dim="b", axis=1), "pass only one of them"),
                       (lambda: onefold.rolling(x, 2, dim="b", axis=0), "dim='b' and axis=0 both choose the axis; pass only one"),
                       (lambda: onefold.rolling(x, {"b": 2}, axis=0), "dim='b' and axis=0 both choose the axis; pass only one"),
                       (lambda: onefold.expanding(x, dim="b", axis=0), "dim='b' and axis=0 both choose the axis; pass only one"),
                       (lambda: onefold.rolling(x, 2, dim=("a", "b")), "scans go along one"),
                       (lambda: onefold.rolling(x, 2, dim="c"), "there is no dimension 'c'"),
                       (lambda: onefold.rolling(np.ones(3), 2, dim="b"), "has none")]:
        with pytest.raises(onefold.Error, match=what):
            call()


def test_spans_of_time_take_lists_of_dates():
    days = [datetime.datetime(2024, 1, day) for day in (1, 2, 5)]
    for times in (days, tuple(day.date() for day in days), [np.datetime64(day) for day in days]):
        assert onefold.rolling([1.0, 2.0, 4.0], "2D", times=times).sum().tolist() == [1, 3, 4]

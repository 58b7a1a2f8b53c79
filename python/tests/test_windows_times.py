"""Windows and scans of dates and durations have count, min, max, and of durations sum."""

import datetime

import numpy as np
import pytest

import onefold

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
DAYS = np.array(["2024-01-05", "NaT", "2024-01-03", "2024-01-09", "NaT", "NaT", "2023-12-31"], "M8[us]")
SPANS = DAYS - DAYS[0]


@pytest.mark.parametrize("x", [DAYS, SPANS])
@pytest.mark.parametrize("least", [0, 1, 2, 3])
def test_windows_are_those_of_pandas(x, least):
    for series in (pd.Series(x), pd.Series(x, index=list("abcdefg"), name="n")):
        for op in ("min", "max", "count", "sum") if x is SPANS else ("min", "max", "count"):
            numbers = series.astype("i8").astype("f8").mask(series.isna())
            wanted = getattr(numbers.rolling(3, min_periods=least), op)()
            if op == "sum":
                wanted = wanted.mask(wanted.isna() | (numbers.rolling(3, min_periods=0).count() < max(least, 0)))
            got = getattr(onefold.rolling(series, 3, min_periods=least), op)()
            assert list(got.index) == list(series.index) and got.name == series.name
            if op != "count":
                assert got.dtype == series.dtype
                np.testing.assert_array_equal(got.astype("i8").astype("f8").mask(got.isna()), wanted)


def test_scans_follow_the_policy_of_nat():
    nat = np.datetime64("NaT")
    assert onefold.cummax(DAYS[:4]).tolist() == [DAYS[0].item(), None, None, None]
    np.testing.assert_array_equal(onefold.cummin(DAYS[:4], nan="omit"), DAYS[[0, 0, 2, 2]])
    np.testing.assert_array_equal(onefold.cummax(DAYS[:4], exclusive=True, nan="omit"), np.array([nat, DAYS[0], DAYS[0], DAYS[0]], "M8[us]"))
    with pytest.raises(onefold.NanError, match="cummax: a NaT was found"):
        onefold.cummax(DAYS, nan="raise")
    assert onefold.rolling(DAYS, 2, nan="propagate", min_periods=1).max().tolist()[:4] == [DAYS[0].item(), None, None, DAYS[3].item()]


def test_nulls_stay_null_and_types_stay():
    days = [datetime.date(2024, 1, 5), None, datetime.date(2024, 1, 3)]
    assert onefold.cummax(pl.Series("d", days)).to_list() == [days[0], None, days[0]]
    assert onefold.cummin(pa.array(days)).tolist() == [days[0], None, days[2]]
    assert onefold.cummax(np.ma.array(DAYS[:3], mask=[0, 0, 1]), nan="omit").mask.tolist() == [False, False, True]
    assert onefold.rolling(days[::2], 1).max().tolist() == days[::2]
    zoned = pd.Series(DAYS).dt.tz_localize("Europe/Berlin")
    for x in (zoned, zoned.astype("timestamp[us, Europe/Berlin][pyarrow]"), pl.Series(DAYS).dt.replace_time_zone("Europe/Berlin")):
        got = onefold.rolling(x, 2, min_periods=1).max()
        assert got.dtype == x.dtype and got[3] == x[3] and got[1] == x[0]
    grouped = onefold.rolling(pd.Series(DAYS).groupby([0, 0, 0, 1, 1, 1, 1]), 9, min_periods=1).min()
    assert grouped.tolist()[:4] == [pd.Timestamp(DAYS[k]) for k in (0, 0, 2, 3)]


def test_windows_of_times_in_xarray_keep_their_labels():
    xr = pytest.importorskip("xarray")
    x = xr.DataArray(DAYS.astype("M8[ns]"), dims="t", coords={"t": range(7)})
    got = onefold.rolling(x, 2, min_periods=1).max()
    assert got.dtype == x.dtype and got.t.values.tolist() == list(range(7)) and got.values[3] == x.values[3]


@pytest.mark.parametrize(("call", "message"), [
    (lambda: onefold.rolling(DAYS, 2).sum(), r"windows of datetime64\[us\] support count, min, max, not sum"),
    (lambda: onefold.rolling(DAYS, 2).median(), "support count, min and max, not median"),
    (lambda: onefold.rolling(DAYS, 2).max(result="i8"), "result= is not available for windows of datetime64"),
    (lambda: onefold.rolling(DAYS, 2, nan="Omit").max(), "nan='Omit' is not one of"),
    (lambda: onefold.cummin(DAYS, nan="Omit"), "cummin: nan='Omit' is not one of"),
    (lambda: onefold.cumsum(np.array([2**62, 2**62], "m8[s]")), "does not fit")])
def test_what_windows_of_times_lack_is_said(call, message):
    with pytest.raises(onefold.Error, match=message):
        call()

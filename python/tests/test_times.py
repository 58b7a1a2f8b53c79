"""datetime64 and timedelta64: NumPy's answers in NumPy's types, NaT by the policy; rounded once to the unit."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

import onefold

pd = pytest.importorskip("pandas")
xr = pytest.importorskip("xarray")

RNG = np.random.default_rng(5)


def times(shape, dtype, nats=0.0, wide=2**62):
    numbers = RNG.integers(-wide, wide, shape)
    numbers[RNG.random(shape) < nats] = -2**63
    return numbers.view(dtype)


def exact(values, of):
    """A Fraction, rounded to an integer, ties to even."""
    return round(of([int(v) for v in values]))


@pytest.mark.parametrize("dtype", ["M8[ns]", "m8[ns]", "M8[D]", "m8[s]", ">M8[us]"])
@pytest.mark.parametrize("nats", [0, 0.1, 0.7])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), -1])
def test_answers_are_those_of_numpy(dtype, nats, axis):
    x = times((4, 5, 3), dtype.replace(">", ""), nats, 2**61).astype(dtype)
    for op in ("min", "max", "ptp", "argmin", "argmax"):
        if op.startswith("arg") and isinstance(axis, tuple):
            continue
        got, want = getattr(onefold, op)(x, axis=axis), getattr(np, op)(x, axis=axis)
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype.newbyteorder("=") and type(got) is type(want)
    keep = {"axis": axis, "keepdims": True}
    np.testing.assert_array_equal(onefold.max(x, **keep), np.max(x, **keep))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(onefold.nanmin(x, axis=axis), np.nanmin(x, axis=axis))
        np.testing.assert_array_equal(onefold.fold("max", x, axis=axis, nan="omit").max, np.nanmax(x, axis=axis))
    np.testing.assert_array_equal(onefold.count(x, axis=axis, nan="omit"), np.sum(~np.isnat(x), axis=axis))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("wide", [3, 2**40, 2**62])
def test_means_medians_and_sums_are_exact(n, wide):
    for dtype in ("M8[ns]", "m8[us]"):
        x = times((n, 4), dtype, 0.2, wide)
        for k, column in enumerate(x.T):
            column = column[~np.isnat(column)]
            if not column.size:
                assert np.isnat(onefold.nanmean(x[:, k])) and np.isnat(onefold.median(x[:, k], nan="omit"))
                continue
            numbers = sorted(column.view("i8").tolist())
            mean = exact(numbers, lambda v: Fraction(sum(v), len(v)))
            assert onefold.nanmean(x, axis=0)[k] == np.int64(mean).view(dtype) == onefold.mean(column)
            for q in (0, 0.1, 0.5, 1):
                h = Fraction(str(q)) * (len(numbers) - 1)
                low = numbers[int(h)]
                want = low + (h - int(h)) * (numbers[min(int(h) + 1, len(numbers) - 1)] - low)
                got = onefold.quantile(x, q, axis=0, nan="omit")[k]
                assert got == np.int64(round(want)).view(dtype) and got.dtype == np.dtype(dtype)
            assert onefold.median(column) == onefold.quantile(column, 0.5)
    small = times((n, 3), "m8[s]", 0.1, 1000)
    np.testing.assert_array_equal(onefold.sum(small, axis=0), np.sum(small, axis=0))
    assert onefold.nansum(small) == np.sum(small[~np.isnat(small)])  # np.nansum returns NaT there


def test_slices_without_times():
    x = np.array([["2024-01-01", "NaT"], ["2024-01-04", "NaT"]], "M8[D]")
    assert np.isnat(onefold.min(x, axis=0)[1]) and np.isnat(onefold.nanmax(x, axis=0)[1]) and np.isnat(onefold.min(x))
    assert onefold.argmin(x, axis=0).tolist() == [0, 0] and onefold.argmax(x) == 1
    assert onefold.nanmean(x[:, 0], where=x[:, 0] > np.datetime64("2024-01-02")) == np.datetime64("2024-01-04")
    for call in (lambda: onefold.nanargmin(x, axis=0), lambda: onefold.min(x[:0]), lambda: onefold.mean(x[:0]),
                 lambda: onefold.max(x, where=False)):
        with pytest.raises(onefold.EmptyError):
            call()
    with pytest.raises(onefold.NanError, match="min: a NaT was found"):
        onefold.min(x, nan="raise")
    ma = np.ma.array(x, mask=[[0, 1], [1, 1]])
    assert onefold.min(ma, axis=0).tolist() == np.ma.min(ma, axis=0).tolist() and onefold.min(ma) == x[0, 0]
    assert onefold.min(np.ma.array(x, mask=True)) is np.ma.masked


def test_libraries_get_their_own_times():
    days = np.array(["2024-01-02", "2024-01-01", "2024-01-04"], "M8[ns]")
    for s in (pd.Series(days), pd.Series(days).dt.tz_localize("Europe/Berlin")):
        assert onefold.min(s) == s.min() and onefold.ptp(s) == s.max() - s.min() and onefold.argmax(s) == 2
        assert onefold.mean(s) == s.mean() and onefold.median(s) == s.median() and type(onefold.max(s)) is type(s.max())
    assert onefold.min(pd.Index(days)) == days[1] and onefold.sum(pd.Series(days - days[1])) == pd.Timedelta(days=4)
    assert pd.isna(onefold.min(pd.Series([pd.NaT, days[0]]))) and onefold.nanmin(pd.Series([pd.NaT, days[0]])) == days[0]
    grid = xr.DataArray(np.stack([days, days]), dims=("a", "t"), coords={"a": [1, 2]})
    assert onefold.max(grid, dim="t").identical(grid.max("t"))
    assert onefold.min(days[0]) == days[0] and onefold.fold("min,ptp", days) == (days[1], np.timedelta64(3, "D"))


@pytest.mark.parametrize("call, text", [
    (lambda x: onefold.sum(x), "sum: an array of dtype datetime64[s] has no sum; it has count, min, max,"),
    (lambda x: onefold.var(x - x[0]), "var: an array of dtype timedelta64[s] has no var; it has"),
    (lambda x: onefold.min(x, axis=2), "min: axis 2 is out of range for shape (2,);"),
    (lambda x: onefold.min(x, where=[True] * 3), "min: where= of shape (3,) does not broadcast to (2,)"),
    (lambda x: onefold.mean(x, dtype="f8"), "mean: another result type is not available for datetime64[s]"),
    (lambda x: onefold.gather("min", x), "min: an array of dtype datetime64[s] is not supported here"),
    (lambda x: onefold.dot(x, x), "dot: an array of dtype datetime64[s] is not supported here"),
    (lambda x: onefold.ptp(np.array([-2**63 + 1, 2**63 - 1]).view("M8[s]")), "ptp: the exact value does not fit datetime64[s]"),
    (lambda x: onefold.sum(np.array([2**62, 2**62]).view("m8[s]")), ": the exact value does not fit")])
def test_what_has_no_meaning_is_refused(call, text):
    with pytest.raises(onefold.Error) as caught:
        call(np.array([1, 2], "M8[s]"))
    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_a_sum_with_the_bits_of_nat_overflows():
    low = np.array([-2**62, -2**62], "m8[ns]")
    for axis in (None, 0):
        with pytest.raises(onefold.Error, match="sum: .* does not fit"):
            onefold.sum(low, axis=axis)
    assert np.isnat(onefold.sum(np.append(low, np.timedelta64("NaT", "ns"))))
    assert onefold.sum(low[:1]) == np.timedelta64(-2**62, "ns")


def test_nat_is_the_answer_of_a_slice_that_would_overflow():
    big = np.array([[2**62, 2**62, -2**63], [1, 2, 4]], "i8").view("m8[ns]")
    for x in (big, pd.Series(big[0]), big[:, ::-1]):
        axis = -1 if x.ndim == 2 else None
        for op, rest in (("sum", 7), ("ptp", 3)):
            got = np.atleast_1d(getattr(onefold, op)(x, axis=axis))
            assert np.isnat(got[0].to_numpy() if hasattr(got[0], "to_numpy") else got[0])
            assert len(got) == 1 or got[1] == np.timedelta64(rest, "ns")
    wide = np.array([[-2**63 + 1, 2**63 - 1, -2**63], [1, 2, 4]], "i8").view("M8[ns]")
    assert np.isnat(onefold.ptp(wide, axis=1)).tolist() == [True, False]
    for op, x in (("sum", big), ("ptp", wide)):
        for of in (x[:, :2], x):
            with pytest.raises(onefold.OverflowError):
                onefold.fold(op, of, axis=1, nan="omit" if of is x else None)
    assert np.isnat(onefold.ptp(wide[0]))


def test_arrow_times_of_pandas_are_those_of_arrow():
    days = pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-03"]))
    for kind in ("date32[pyarrow]", "timestamp[us][pyarrow]", "timestamp[us, tz=Europe/Berlin][pyarrow]"):
        column = (days.dt.tz_localize("Europe/Berlin") if "Berlin" in kind else days).astype(kind)
        least, greatest = onefold.fold("min,max", column)
        zone = "Europe/Berlin" if "Berlin" in kind else None
        assert (least, greatest) == (pd.Timestamp("2020-01-01", tz=zone), pd.Timestamp("2020-01-03", tz=zone))
        assert onefold.count(column) == 2 and onefold.median(column) == pd.Timestamp("2020-01-02", tz=zone)


def test_sequences_of_times_are_folded():
    days = [np.datetime64("2020-01-01"), np.datetime64("2020-01-03")]
    spans = (np.timedelta64(1, "s"), np.timedelta64(3, "s"))
    assert onefold.max(days) == days[1] and onefold.mean(days) == np.datetime64("2020-01-02")
    assert onefold.sum(spans) == np.timedelta64(4, "s") and onefold.median(spans) == np.timedelta64(2, "s")
    assert onefold.fold("min,argmax", [days, days[::-1]], axis=1).argmax.tolist() == [1, 0]
    assert onefold.max([np.array(days), np.array(days)], axis=0).tolist() == np.array(days).tolist()
    assert onefold.max([days[0], np.datetime64("2020-01-01T06")]) == np.datetime64("2020-01-01T06")
    assert np.isnat(onefold.max([np.datetime64("NaT"), days[0]])) and onefold.max([days[0], "NaT"][:1]) == days[0]
    assert onefold.count([np.datetime64("NaT"), days[0]], nan="omit") == 1


@pytest.mark.parametrize("x, text", [
    ([np.datetime64("2020-01-01"), 1], "does not hold 1 exactly"),
    ([np.timedelta64(1, "s"), 2], "does not hold 2 exactly"),
    ([np.datetime64("9999-01-01", "Y"), np.datetime64("2020-01-01", "ns")], "does not hold"),
    ([np.datetime64("2020-01-01"), np.timedelta64(1, "D")], "sequence"),
    ([[np.datetime64("2020-01-01")], [np.datetime64("2020-01-01")] * 2], "not a regular array")])
def test_sequences_of_more_than_times_are_refused(x, text):
    for call in (onefold.max, onefold.median, lambda x: onefold.fold("min,max", x)):
        with pytest.raises(onefold.Error, match=text):
            call(x)


def test_sequences_of_times_are_refused_where_times_are():
    x = [np.datetime64("2020-01-01"), np.datetime64("2020-01-03")]
    for call in (lambda: onefold.gather("max", x), lambda: onefold.fold_segments("max", x, [0, 2]),
                 lambda: onefold.mse(x, x), lambda: onefold.sum(x)):
        with pytest.raises(onefold.UnsupportedError):
            call()


def test_errors_of_times_name_the_function():
    for call, name in ((onefold.mean, "mean"), (onefold.average, "average")):
        with pytest.raises(onefold.OptionError, match=f"^{name}: weights= is not available for datetime64"):
            call(np.array(["2020"], "M8[D]"), weights=[1.0])


def test_describe_has_what_times_have():
    d = onefold.describe(np.array(["2020-01-01", "2022-01-01", "NaT"], "M8[D]"), nan="omit")
    assert d.min == np.datetime64("2020-01-01") and d.argmax == 1 and d.count == 2 and not hasattr(d, "sum")
    assert "min" in str(d) and onefold.describe([np.timedelta64(1, "s")] * 2).sum == np.timedelta64(2, "s")
    assert onefold.describe(np.array([], "M8[D]")).min is None
    assert onefold.describe(np.array([["2020", "2022"]] * 2, "M8[Y]"), axis=0).max.tolist() == [
        np.datetime64("2020").item(), np.datetime64("2022").item()]


def test_modes_and_distinct_times():
    days = np.array(["2024-01-05", "NaT", "2024-01-03", "2024-01-05", "NaT", "NaT"], "M8[D]")
    for x in (days, days - days[0]):
        numbers = np.where(np.isnat(x), np.nan, x.astype("i8"))
        for nan in ("propagate", "omit"):
            for axis in (None, 0, 1):
                for keepdims in (False, True):
                    given = {"axis": axis, "nan": nan, "keepdims": keepdims}
                    ours, plain = (onefold.mode(a.reshape(2, 3), **given) for a in (x, numbers))
                    np.testing.assert_array_equal(ours, np.where(np.isnan(plain), np.nan, plain).astype(x.dtype))
                    np.testing.assert_array_equal(*(onefold.nunique(a.reshape(2, 3), **given) for a in (x, numbers)))
    ends = np.array([2**63 - 1, -2**63 + 1, 2**63 - 1]).view("M8[ns]")
    assert onefold.mode(ends) == ends[0] and onefold.nunique(ends) == 2
    zoned = pd.Series(days.astype("M8[us]")).dt.tz_localize("Europe/Berlin")
    assert onefold.mode(zoned, nan="omit") == zoned[0] and onefold.nunique(pytest.importorskip("polars").Series(days)) == 2
    assert onefold.mode(np.ma.array(days, mask=[1, 1, 0, 0, 1, 1])) == days[2] and onefold.nunique(np.ma.array(days, mask=True)) is np.ma.masked
    for x in (days, np.arange(6), np.arange(6.0)):
        assert onefold.mode(np.ma.array(x, mask=True)) is np.ma.masked
        found = onefold.mode(np.ma.array(x.reshape(2, 3), mask=[[1, 1, 1], [0, 1, 1]]), 1)
        assert found.mask.tolist() == [True, False] and found[1] == x[3]
    with pytest.raises(onefold.NanError):
        onefold.mode(days, nan="raise")

"""Slices of arrays by their coordinates: what xarray selects, to the last bit."""

import datetime
import os
import subprocess
from fractions import Fraction

import numpy as np
import pytest

import onefold

xarray = pytest.importorskip("xarray")
netCDF4 = pytest.importorskip("netCDF4")
cftime = pytest.importorskip("cftime")
h5py = pytest.importorskip("h5py")
pytest.importorskip("zarr")
PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "onefold")


def climate():
    rng = np.random.default_rng(5)
    time = np.arange("2000-01-01", "2001-04-01", dtype="M8[D]").astype("M8[ns]")
    lat, lon = np.arange(75, -76, -15.0).astype("f4") + np.float32(0.1), np.arange(0, 360, 30)
    values = rng.standard_normal((len(time), len(lat), len(lon))).astype("f4")
    return xarray.Dataset({"t2m": (("time", "lat", "lon"), values)}, {"time": time, "lat": lat, "lon": lon})


@pytest.fixture(scope="module", params=["nc4", "classic", "zarr2", "zarr3"])
def stored(request, tmp_path_factory):
    data, folder = climate(), tmp_path_factory.mktemp("slices")
    if request.param.startswith("zarr"):
        path = str(folder / "a.zarr")
        data.chunk(time=100, lat=4, lon=5).to_zarr(path, zarr_format=int(request.param[-1]), consolidated=False)
    else:
        path = str(folder / "a.nc")
        options = {"encoding": {"t2m": {"chunksizes": (70, 3, 5)}}} if request.param == "nc4" else {"format": "NETCDF3_64BIT"}
        data.to_netcdf(path, **options)
    return path, data.t2m


@pytest.mark.parametrize("slices, selected", [
    ("lat=30:60", {"lat": slice(60, 30)}), ("lat=-44.9:30.1", {"lat": slice(np.float32(30.1), np.float32(-44.9))}),
    ("lat=:0", {"lat": slice(0, None)}), ("lon=90:", {"lon": slice(90, None)}), ("lon=90:90", {"lon": [90]}),
    ("lon=90,lat=0.1", {"lon": [90], "lat": [np.float32(0.1)]}), ("time=2000-06:2000-08", {"time": slice("2000-06", "2000-08")}),
    ("time=2000", {"time": slice("2000", "2000")}), ("time=2000-02-29", {"time": slice("2000-02-29", "2000-02-29")}),
    ("time=:2000-01-31,lat=30:60,lon=30:200", {"time": slice(None, "2000-01-31"), "lat": slice(60, 30), "lon": slice(30, 200)})])
def test_slices_are_what_xarray_selects(stored, slices, selected):
    path, t2m = stored
    x = t2m.sel(selected).values
    assert x.size
    read = onefold.read(f"{path}:/t2m[{slices}]")
    assert read.tobytes() == np.ascontiguousarray(x).tobytes() and read.shape == x.shape
    for axis in (None, 0, (1, 2)):
        found = onefold.fold("sum,argmax" if axis != (1, 2) else "sum", f"{path}:t2m[{slices}]", axis=axis)
        right = onefold.fold("sum,argmax" if axis != (1, 2) else "sum", x, axis=axis)
        for one, other in zip(found, right, strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize("slices, why", [
    ("height=1:2", "the array has no axis height; its axes are time, lat, lon"),
    ("lat=60:30", "the slice lat=60:30 ends before it begins; write the lower bound first"),
    ("lat=31", "no coordinate of axis lat is 31; the coordinates go from 75.0"), ("lat=31:32", "no coordinate of axis lat is in 31:32"),
    ("lat=x:3", "axis lat: x is not a number"), ("lat=:", "the slice of axis lat has no bound"),
    ("lat=0:20,lat=0:20", "axis lat is named twice"), ("lat=0:20,3", "3 is not a slice such as lat=30:60"),
    ("time=5:6", "no coordinate of axis time is in 5:6; the coordinates go from 2000-01-01 to 2001-03-31"),
    ("time=2001-02-30", "axis time has times, but 2001-02-30 is not a date"),
    ("time=today", "axis time has times, but today is not a date")])
def test_slices_without_a_meaning_are_refused_in_one_line(stored, slices, why):
    with pytest.raises(onefold.OptionError) as caught:
        onefold.fold("sum", f"{stored[0]}:/t2m[{slices}]")
    assert why in str(caught.value)
    ran = subprocess.run([PROGRAM, "sum", f"{stored[0]}:/t2m[{slices}]"], capture_output=True, text=True)
    assert ran.stdout == "" and why in ran.stderr and ran.stderr.count("\n") == 1


CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day"]


@pytest.mark.parametrize("calendar", CALENDARS)
@pytest.mark.parametrize("units", ["days since 1581-12-30 12:00:00", "hours since 1-1-1 00:00:0.0", "days since 0000-02-28",
                                   "seconds since 1970-01-01T00:00:00Z", "minutes since 2000-01-01 06:30",
                                   "hours since 2000-01-01 00:00:00 +02:00", "days since 1999-12-30 12:00 -06:30"])
def test_dates_are_those_of_the_calendar(tmp_path, calendar, units):
    if units.startswith("days since 0000") and calendar in ("standard", "gregorian", "julian"):
        pytest.skip("cftime has no year 0 there")
    dates = [cftime.datetime(y, m, 1, 18, calendar=calendar) for y in (1, 4, 100, 1581, 1582, 1583, 1900, 2000, 2023, 2024)
             for m in range(1, 13)]
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", len(dates))
        time = f.createVariable("time", "f8", ("time",))
        time.units, time.calendar = units, calendar
        if units[-6] in "+-" and units[-3] == ":":  # cftime takes no offsets in all calendars
            offset = int(units[-5:-3]) * 60 + int(units[-2:])
            east = offset if units[-6] == "+" else -offset
            time[:] = cftime.date2num([d + datetime.timedelta(minutes=east) for d in dates], units[:-6], calendar)
        else:
            time[:] = cftime.date2num(dates, units, calendar)
        f.createVariable("x", "i8", ("time",))[:] = np.arange(len(dates))
    for k in range(0, len(dates), 7):
        d = dates[k]
        assert onefold.sum(f"{path}:/x[time={d.year:04}-{d.month:02}]") == k
        assert onefold.sum(f"{path}:/x[time={d.year:04}-{d.month:02}-01]") == k
        first, last = d.year, dates[min(k + 20, len(dates) - 1)].year
        right = [i for i, e in enumerate(dates) if first <= e.year <= last]
        assert onefold.fold("min,max,count", f"{path}:/x[time={first:04}:{last:04}]") == (right[0], right[-1], len(right))


@pytest.mark.parametrize("offset", ["+5", "-6:00", "+5:30", "+530", "+05:5"])
def test_offsets_that_programs_read_in_different_ways_are_refused(tmp_path, offset):
    # By the CF conventions +5 is 5 hours; cftime ignores it.
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", 2)
        time = f.createVariable("time", "f8", ("time",))
        time.units = f"hours since 2000-01-01 {offset}"
        time[:] = 0, 24
        f.createVariable("x", "i8", ("time",))[:] = 1, 2
    with pytest.raises(onefold.Error, match="programs read this offset from UTC in different ways"):
        onefold.sum(f"{path}:/x[time=2000-01-01]")


def test_axes_of_hdf5_have_the_names_of_their_scales(tmp_path):
    path = str(tmp_path / "a.h5")
    x = np.arange(12.0).reshape(3, 4)
    with h5py.File(path, "w") as f:
        f["g/x"] = x
        f["g/depth"] = np.array([10, 20, 40])
        f["g/depth"].make_scale("depth")
        f["g/x"].dims[0].attach_scale(f["g/depth"])
        f["bare"] = x
    assert onefold.sum(f"{path}:/g/x[depth=20:]") == x[1:].sum()
    assert onefold.sum(f"{path}:/g/depth[depth=:20]") == 30
    for name, why in (("g/x", "the array has no axis y; its axes are depth"), ("bare", "no axis y; its axes have no names")):
        with pytest.raises(onefold.OptionError, match=why):
            onefold.sum(f"{path}:/{name}[y=1]")


def test_integers_are_compared_as_they_are(tmp_path):
    path = tmp_path / "ns.h5"
    with h5py.File(path, "w") as f:
        f["t"] = 1_700_000_000_000_000_000 + np.arange(5)
        f["v"] = 10.0 ** np.arange(5)
        f["t"].make_scale("t")
        f["v"].dims[0].attach_scale(f["t"])
    for slices, right in (("t=1700000000000000003", 1000), ("t=1700000000000000003:1700000000000000004", 11_000),
                          ("t=1700000000000000001:1700000000000000002", 110)):
        assert onefold.sum(f"{path}:/v[{slices}]") == right


def test_coordinates_are_found_in_the_groups_around_and_must_be_in_order(tmp_path):
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("y", 3)
        f.createDimension("z", 3)
        f.createDimension("t", 3)
        f.createVariable("y", "i4", ("y",))[:] = [1, 2, 4]
        f.createVariable("z", "i4", ("z",))[:] = [1, 4, 2]
        t = f.createVariable("t", "i4", ("t",))
        t[:], t.units = [1, 2, 4], "months since 2000-01-01"
        v = f.createGroup("g").createVariable("v", "f8", ("y", "z", "t"))
        v[:] = np.arange(27).reshape(3, 3, 3)
        f["g"].createDimension("w", 3)
        f["g"].createVariable("u", "f8", ("w",))[:] = 1
    assert onefold.sum(f"{path}:/g/v[y=2:4]") == np.arange(9, 27).sum()
    for slices, why in (("z=1", "neither increasing nor decreasing"),
                        ("t=2000", "its units are months since 2000-01-01; only days, hours")):
        with pytest.raises(onefold.UnsupportedError, match=why):
            onefold.sum(f"{path}:/g/v[{slices}]")
    with pytest.raises(onefold.OptionError, match="axis w has no coordinates"):
        onefold.sum(f"{path}:/g/u[w=1]")


def test_weights_by_the_cosine_of_latitudes_are_those_of_fractions(stored):
    path, t2m = stored
    t2m = t2m.astype("f8")
    weights = onefold.read(f"{path}:/t2m[cos(lat)]")
    assert weights.shape == (len(t2m.lat), 1)
    right = np.cos(np.deg2rad(t2m.lat.values.astype("f8")))
    assert np.abs(weights[:, 0] - right).max() < 3e-16
    found = onefold.mean(f"{path}:/t2m[time=2000-01]", axis=(1, 2), weights=f"{path}:/t2m[cos(lat)]")
    assert found.shape == (31,) and found.dtype == "f8"
    w = [Fraction(float(v)) for v in weights[:, 0]]
    for day in (0, 30):
        x = t2m.values[day]
        exact = sum(a * Fraction(float(b)) for a, row in zip(w, x, strict=True) for b in row) / (sum(w) * x.shape[1])
        assert found[day] == float(exact)
    # Of slices the weights of the same slice.
    some = onefold.mean(f"{path}:/t2m[lat=30:60]", axis=(1, 2), weights=f"{path}:/t2m[lat=30:60,cos(lat)]")
    weighted = t2m.sel(lat=slice(60, 30))
    assert np.allclose(some, weighted.weighted(np.cos(np.deg2rad(weighted.lat))).mean(("lat", "lon")), rtol=1e-12)
    # xarray's arrays and weights have these answers, too.
    by_names = onefold.mean(t2m, dim=("lat", "lon"), weights=np.cos(np.deg2rad(t2m.lat.astype("f8"))))
    assert np.allclose(by_names[:31], found, rtol=1e-15)


def test_cosines_of_degrees_are_exact_where_a_cosine_is(tmp_path):
    path = str(tmp_path / "a.nc")
    degrees = np.array([-450, -180, -90, -60, 0, 60, 89.99, 90, 120, 180, 270, 360, 420.0])
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("lat", len(degrees))
        f.createVariable("lat", "f8", ("lat",))[:] = degrees
    found = onefold.read(f"{path}:/lat[cos(lat)]")
    assert found.tolist() == [0, -1, 0, 0.5, 1, 0.5, found[6], 0, -0.5, -1, 0, 1, 0.5]
    assert found[6] == 0.0001745329243134261  # by 60 digits
    for wrong, why in (("sin(lat)", "is not a known function of an axis"), ("month(lat)", "axis lat has coordinates that are not times"), ("cos(lon)", "no axis lon"),
                       ("cos(lat),cos(lat)", "is not a slice")):
        with pytest.raises(onefold.OptionError, match=why):
            onefold.read(f"{path}:/lat[{wrong}]")


@pytest.mark.parametrize("calendar", CALENDARS)
def test_years_months_and_days_of_times_are_those_of_cftime(tmp_path, calendar):
    units, times = "hours since 1999-12-30 06:00", np.arange(-5_500_000.5, 3_000_000, 999.25)
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", len(times))
        time = f.createVariable("time", "f8", ("time",))
        time.units, time.calendar = units, calendar
        time[:] = times
        f.createVariable("x", "f8", ("time",))[:] = np.arange(len(times))
    dates = cftime.num2date(times, units, calendar)
    for name in ("year", "month", "day"):
        right = [getattr(d, name) for d in dates]
        keep = [i for i, d in enumerate(dates) if d.year > 0]
        assert onefold.read(f"{path}:/x[{name}(time)]")[keep].tolist() == [right[i] for i in keep]


def test_groups_by_month_are_what_xarray_groups(stored):
    path, t2m = stored
    right = t2m.astype("f8").groupby("time.month").mean()
    keys, answers = onefold.fold_by("mean", onefold.read(f"{path}:/t2m[month(time)]"), onefold.read(f"{path}:/t2m[lon=30]")[:, :, 0])
    assert keys.tolist() == list(range(1, 13))
    assert np.allclose(answers.mean, right.sel(lon=30), rtol=1e-6)
    grouped = t2m.groupby("time.month").map(lambda month: onefold.mean(month, dim="time"))
    assert grouped.dims == ("month", "lat", "lon")
    january = t2m.values[t2m["time.month"].values == 1]
    exact = sum(Fraction(float(v)) for v in january[:, 2, 3]) / len(january)
    assert grouped.values[0, 2, 3] == np.float32(float(exact))


def test_files_are_grouped_by_months_of_their_axis(tmp_path):
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", 60)
        time = f.createVariable("time", "i4", ("time",))
        time.units = "days since 2023-12-15"
        time[:] = np.arange(60)
        f.createVariable("x", "f8", ("time",))[:] = np.arange(60)
    ran = subprocess.run([PROGRAM, "sum,count", "--by", f"{path}:/x[year(time)],{path}:/x[month(time)]", f"{path}:/x"],
                         capture_output=True, text=True)
    assert ran.stdout == ("year(time)\tmonth(time)\tsum\tcount\n2023\t12\t136\t17\n2024\t1\t992\t31\n2024\t2\t642\t12\n"), ran.stderr
    keys, answers = onefold.fold("mean", f"{path}:/x", by=[f"{path}:/x[month(time)]"])
    assert keys["month(time)"].tolist() == [1, 2, 12]


def test_a_dimension_without_values_is_no_variable(tmp_path):
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("w", 3)
        f.createVariable("u", "f8", ("w",))[:] = 1
    with pytest.raises(onefold.OptionError, match="w is a dimension without values, not a variable"):
        onefold.sum(path + ":w")

"""NetCDF variables: what onefold reads is what netCDF4-python gives, to the last bit."""

import os
import subprocess
import warnings

import numpy as np
import pytest

import onefold
from containers import same

h5py = pytest.importorskip("h5py")
netCDF4 = pytest.importorskip("netCDF4")
PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "onefold")


def attribute(rng, dtype, value=None):
    return np.dtype(dtype).type(rng.choice([0.1, 0.01, 2.5e-4, 3, 1, 1e-3]) if value is None else value)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "u1", "u2", "u4", "f4", "f8"])
def test_netcdf_variables_are_what_netcdf4_python_gives(tmp_path, dtype):
    rng = np.random.default_rng(ord(dtype[0]) + int(dtype[1]))
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("y", 30)
        f.createDimension("x", 17)
        for k in range(40):
            x = rng.integers(0, 100, (30, 17)).astype(dtype)
            if dtype[0] == "f":
                x += rng.standard_normal(x.shape).astype(dtype)
            fill = dtype[0] != "f" and 7 or 9.0
            v = f.createVariable(f"v{k}", dtype, ("y", "x"), fill_value=fill if k % 2 else False,
                                 zlib=k % 3 == 0, chunksizes=(7, 5) if k % 5 else None)
            if k % 3 == 1:
                v.missing_value = np.array([3, 4], dtype) if k % 2 else np.dtype(dtype).type(5)
            kind = "f4" if k % 7 < 3 else "f8"
            if k % 4:
                v.scale_factor = attribute(rng, kind)
            if k % 5 > 1:
                v.add_offset = attribute(rng, "f8" if k % 11 == 0 else kind, None if k % 9 else 0)
            v.set_auto_maskandscale(False)
            v[:] = x
        # Onefold applies no default fill values of integers, of variables that name no value.
        f.set_always_mask(False)
    with netCDF4.Dataset(path) as f:
        for name, v in f.variables.items():
            read = v[...]
            masked = np.ma.getmaskarray(read)
            if masked.any() or hasattr(v, "missing_value") or "_FillValue" in v.ncattrs():
                as_float = read.dtype if read.dtype.kind == "f" else np.dtype("f8")
                read = np.ma.filled(np.ma.asarray(read).astype(as_float), np.nan)
            same(f"{path}:{name}", np.asarray(read), axes=((), 0))
            assert onefold.fold("count_nan", f"{path}:{name}")[0] == masked.sum()


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA"])
def test_netcdf_scaled_variables_are_listed_and_need_no_name(tmp_path, form):
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w", format=form) as f:
        f.createDimension("t", None)
        v = f.createVariable("temp", "i2", ("t",), fill_value=-99)
        v.scale_factor, v.add_offset = 0.5, 5.0
        v.set_auto_maskandscale(False)
        v[:] = np.array([1, -99, 4], "i2")
    said = subprocess.run([PROGRAM, "info", path], capture_output=True, text=True, check=True).stdout
    assert said == "name\ttype\tshape\tmissing\n" + ("/" if form == "NETCDF4" else "") + "temp\tf64\t(3,)\t-\n"
    assert onefold.fold("sum,count_nan", path, nan="omit") == (12.5, 1)


def test_netcdf_unsigned_and_wide_integers(tmp_path):
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 4)
        v = f.createVariable("u", "i1", ("x",), fill_value=-1)
        v.setncattr("_Unsigned", "true")
        v.set_auto_maskandscale(False)
        v[:] = np.array([-1, -2, 3, 4], "i1")
        w = f.createVariable("w", "i8", ("x",), fill_value=0)
        w[:] = [2**53, 2**53 + 1, 1, 2]
        r = f.createVariable("raw", "i8", ("x",), fill_value=False)
        r[:] = [2**53, 2**53 + 1, 1, 2]
    same(path + ":u", np.array([np.nan, 254, 3, 4]))
    same(path + ":raw", np.array([2**53, 2**53 + 1, 1, 2]))
    with pytest.raises(Exception, match="cannot hold 9007199254740993"):
        onefold.sum(path + ":w")


def test_netcdf_attributes_that_make_no_sense_are_refused_or_ignored(tmp_path):
    path = str(tmp_path / "a.nc")
    with h5py.File(path, "w") as f:
        for name, key, value in [("a", "scale_factor", "2"), ("b", "scale_factor", [1.0, 2.0]),
                                 ("c", "scale_factor", 2), ("d", "missing_value", np.zeros(5000)),
                                 ("e", "missing_value", 2.5), ("g", "_FillValue", 1e300),
                                 ("h", "missing_value", np.zeros(5000, "i1"))]:
            f[name] = np.arange(4, dtype="i2")
            f[name].attrs[key] = value
    for name in "abcdh":
        with pytest.raises(onefold.Error) as error:
            onefold.sum(f"{path}:{name}")
        assert "\n" not in str(error.value)
    assert onefold.sum(path + ":e") == 6 and onefold.sum(path + ":g") == 6


@pytest.mark.filterwarnings("ignore")
def test_netcdf_attributes_that_change_nothing_and_texts_that_are_numbers(tmp_path):
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as f:
        f.createDimension("x", 3)
        for name, dtype in [("whole", "i2"), ("text", "f4"), ("integers", "i4")]:
            f.createVariable(name, dtype, ("x",))
        f["whole"].scale_factor, f["whole"].add_offset = np.int16(1), np.int16(0)
        f.set_auto_maskandscale(False)
        f["whole"][:] = [1, 2, 3]
        f["text"][:] = f["integers"][:] = [1, -999, 2]
        f["text"].missing_value, f["integers"].missing_value = "-999.", "-999"
    assert onefold.sum(path + ":whole") == 6
    for name in ("text", "integers"):
        assert onefold.sum(f"{path}:{name}", nan="omit") == 3
    with h5py.File(str(tmp_path / "b.nc"), "w") as f:
        f["v"] = np.arange(4, dtype="f4")
        f["v"].attrs["missing_value"] = "none"
    with pytest.raises(onefold.Error, match="no numeric array; /v: variable /v: its missing_value is not a number"):
        onefold.sum(str(tmp_path / "b.nc"))


CLASSIC = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]


def write_classic(path, form, seed):
    """Writes variables in one piece and in records, packed or not. Returns what netCDF4 reads."""
    rng = np.random.default_rng(seed)
    types = ["i1", "i2", "i4", "f4", "f8"] + (["u1", "u2", "u4", "i8", "u8"] if form.endswith("DATA") else [])
    with netCDF4.Dataset(path, "w", format=form) as f:
        f.title = "odd"
        f.createDimension("t", None)
        for name, n in [("y", 5), ("x", int(rng.integers(1, 40))), ("one", 1)]:
            f.createDimension(name, n)
        dims = [("t",), ("t", "y"), ("t", "one", "x"), ("y", "x"), ("x",), (), ("y", "one", "x")]
        if seed % 3 == 2:
            dims = [d for d in dims if "t" not in d or d == ("t", "y")][:3]  # one variable in records has no padding
        for k, d in enumerate(dims):
            dtype = str(rng.choice(types))
            fill = np.dtype(dtype).type(3) if k % 2 else False
            v = f.createVariable(f"v{k}", dtype, d, fill_value=fill)
            v.note = "abcde"[:k % 5 + 1]
            if k % 3 == 1:
                v.scale_factor, v.add_offset = np.float32(0.1), np.float32(rng.choice([0, 2.5]))
            v.set_auto_maskandscale(False)
            n = [7 if name == "t" else len(f.dimensions[name]) for name in d]
            v[...] = rng.integers(0, 100, n).astype(dtype)
        f.createVariable("text", "S1", ("y",))
    expected = {}
    with netCDF4.Dataset(path) as f:
        f.set_always_mask(False)
        for name, v in f.variables.items():
            if v.dtype.kind == "S":
                continue
            if "_FillValue" not in v.ncattrs():
                v.set_auto_mask(False)
            read = v[...]
            if "_FillValue" in v.ncattrs():
                as_float = read.dtype if read.dtype.kind == "f" else np.dtype("f8")
                read = np.ma.filled(np.ma.asarray(read).astype(as_float), np.nan)
            expected[name] = np.asarray(read)
    return expected


@pytest.mark.parametrize("form", CLASSIC)
@pytest.mark.parametrize("seed", range(6))
def test_classic_netcdf_is_what_netcdf4_python_gives(tmp_path, form, seed):
    path = str(tmp_path / "a.nc")
    for name, x in write_classic(path, form, seed).items():
        same(f"{path}:{name}", x, axes=((), 0, -1))
    with pytest.raises(Exception, match="variable text: text"):
        onefold.sum(path + ":text")


def test_classic_netcdf_with_damage_is_an_error_of_one_line_or_right(tmp_path):
    path = tmp_path / "a.nc"
    for form in CLASSIC:
        write_classic(str(path), form, 1)
        whole = path.read_bytes()
        names = [f"v{k}" for k in range(7)]
        right = {name: onefold.fold("sum,count", f"{path}:{name}") for name in names}
        rng = np.random.default_rng(1)
        for k in range(120):
            if k % 2:
                damaged = whole[:int(rng.integers(0, len(whole)))]
            else:
                damaged = bytearray(whole)
                for _ in range(int(rng.integers(1, 4))):
                    damaged[int(rng.integers(4, 400))] = int(rng.choice([0, 1, 255, rng.integers(256)]))
            path.write_bytes(damaged)
            for name in names:
                try:
                    answer = onefold.fold("sum,count", f"{path}:{name}")
                except (onefold.Error, OSError, ValueError) as error:
                    assert "\n" not in str(error)
                else:
                    assert k % 2 == 0 or np.array_equal(answer, right[name], equal_nan=True)


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i4"])
def test_values_outside_of_the_valid_range_and_never_written_floats_are_missing(tmp_path, form, dtype):
    path = str(tmp_path / "a.nc")
    x = np.array([-99, 0, 1, 5, 6, 100], dtype)
    bounds = [{"valid_min": 0}, {"valid_max": 5}, {"valid_range": (1, 5)}, {"valid_min": 1, "valid_max": 99}, {}]
    with netCDF4.Dataset(path, "w", format=form) as f:
        f.createDimension("n", len(x))
        for k, names in enumerate(bounds):
            v = f.createVariable(f"v{k}", dtype, "n")
            for name, value in names.items():
                v.setncattr(name, np.array(value, dtype))
            v.set_auto_maskandscale(False)
            v[:] = x
        v = f.createVariable("never", dtype, "n")
        v[1:3] = [1, 2]
    with netCDF4.Dataset(path) as f:
        for name, v in f.variables.items():
            if name == "never" and dtype[0] == "i":
                continue
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                ours = onefold.fold("sum,count_nan", f"{path}:{name}", nan="omit")
            assert float(ours.sum) == float(v[:].sum()), name
            assert ours.count_nan == np.ma.count_masked(v[:]), name
            bound = {"v0": " below 0", "v1": " above 5", "v2": " below 1 or above 5", "v3": " below 1 or above 99"}.get(name)
            assert [str(w.message) for w in said] == ([] if bound is None else [
                f"read {path}:{name}: elements of {name} whose stored values are{bound} count as missing, "
                "because of its valid_min, valid_max or valid_range"])


def test_a_variable_called_like_a_dimension_is_found(tmp_path):
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("y", 5)
        f.createDimension("x", 2)
        f.createVariable("y", "f4", ("x", "y"))[:] = np.arange(10).reshape(2, 5)
    for name in (path, path + ":y", path + ":/y"):
        assert onefold.fold("sum", name).sum == 45
    said = subprocess.run([PROGRAM, "info", path], capture_output=True, text=True).stdout
    assert "/y" in said and "_nc4_non_coord_" not in said


def test_a_missing_value_of_another_float_type_is_compared_as_stored(tmp_path):
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("n", 3)
        v = f.createVariable("v", "f4", "n")
        v.missing_value = np.float64(1e20)
        v[:] = [1, 2, 1e20]
    assert onefold.fold("max", path, nan="omit").max == 2


def test_quantiles_states_and_windows_say_what_the_valid_range_leaves_out(tmp_path):
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("n", 4)
        v = f.createVariable("v", "f4", "n")
        v.valid_max = np.float32(5)
        v.set_auto_maskandscale(False)
        v[:] = [1, 2, 6, 5]
    said = (f"onefold: read {path}:v: elements of v whose stored values are above 5 count as missing, "
            "because of its valid_min, valid_max or valid_range\n")
    state = str(tmp_path / "a.of")
    for words, answer in ((["median"], "2\n"), (["quantile", "--q", "1"], "5\n"), (["gather", "sum", "--state", state], ""),
                          (["sum", "--rolling", "1"], "1\n2\nnan\n5\n")):
        ran = subprocess.run([PROGRAM, *words, "--nan", "omit", f"{path}:v"], capture_output=True, text=True)
        assert ran.stdout == answer and ran.stderr == said, words
    with pytest.warns(onefold.TableWarning, match="above 5 count as missing"):
        assert onefold.median(f"{path}:v", nan="omit") == 2

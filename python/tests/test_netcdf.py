"""NetCDF-4 variables: what onefold reads is what netCDF4-python gives, to the last bit."""

import numpy as np
import pytest

import onefold
from containers import same

h5py = pytest.importorskip("h5py")
netCDF4 = pytest.importorskip("netCDF4")


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
        # What onefold does not apply: default fill values of variables that name none.
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


def test_classic_netcdf_is_named(tmp_path):
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC") as f:
        f.createDimension("x", 4)
        f.createVariable("x", "f8", ("x",))[:] = 1
    with pytest.raises(Exception, match="classic NetCDF file.*nccopy"):
        onefold.sum(str(tmp_path / "a.nc"))

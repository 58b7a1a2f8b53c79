"""Ten thousand generated arrays in every format: what onefold reads is what the format's own library
reads of the same file, to the last bit."""

import os
import pathlib

import numpy as np
import pytest

import onefold
from containers import TYPES, numbers, same, shapes

PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))


def generated(rng):
    dtype = np.dtype(str(rng.choice(TYPES))).newbyteorder(str(rng.choice(["<", ">"])))
    shape, chunk = shapes(rng)
    return numbers(rng, shape, dtype), chunk


def by_npy(path, rng):
    x, _ = generated(rng)
    path += ".npy"
    np.save(path, np.asfortranarray(x) if rng.random() < 0.3 else x)
    return path, np.load(path)


def by_npz(path, rng):
    path += ".npz"
    save = np.savez_compressed if rng.random() < 0.5 else np.savez
    save(path, x=generated(rng)[0], y=generated(rng)[0])
    name = str(rng.choice(["x", "y"]))
    return f"{path}:{name}", np.load(path)[name]


def by_h5py(path, rng):
    h5py = pytest.importorskip("h5py")
    x, chunk = generated(rng)
    path += ".h5"
    packed = [{}, {"compression": "gzip"}, {"shuffle": True}, {"compression": "lzf", "fletcher32": True},
              {"scaleoffset": 0} if x.dtype.kind in "iu" else {},
              {"compression": "gzip", "shuffle": True, "fletcher32": True}][int(rng.integers(6))]
    with h5py.File(path, "w") as f:
        f.create_dataset("g/x", data=x, **({"chunks": chunk, **packed} if rng.random() < 0.8 else {}))
    with h5py.File(path) as f:
        return path + ":/g/x", f["g/x"][()]


def by_netcdf(path, rng):
    netCDF4 = pytest.importorskip("netCDF4")
    x, chunk = generated(rng)
    x = x.astype(x.dtype.newbyteorder("="))
    kind = x.dtype.kind + str(x.dtype.itemsize)
    form = "NETCDF4" if rng.random() < 0.5 else "NETCDF3_64BIT_DATA"
    if kind in ("f2", "b1"):
        x = x.astype("f4" if kind == "f2" else "i1")
    path += ".nc"
    with netCDF4.Dataset(path, "w", format=form) as f:
        for k, n in enumerate(x.shape):
            f.createDimension(f"d{k}", None if k == 0 and rng.random() < 0.3 else n)
        packed = {"zlib": bool(rng.random() < 0.5), "chunksizes": chunk} if form == "NETCDF4" else {}
        v = f.createVariable("x", x.dtype, [f"d{k}" for k in range(x.ndim)], fill_value=False, **packed)
        v.set_auto_maskandscale(False)
        v[...] = x
    with netCDF4.Dataset(path) as f:
        f.set_auto_maskandscale(False)
        return path + ":x", np.asarray(f["x"][...])


def by_zarr(path, rng, version):
    zarr = pytest.importorskip("zarr")
    numcodecs = pytest.importorskip("numcodecs")
    x, chunk = generated(rng)
    path += ".zarr"
    codecs = zarr.codecs
    if version == 2:
        packers = [None, numcodecs.Zlib(), numcodecs.GZip(), numcodecs.Zstd(), numcodecs.BZ2(), numcodecs.LZMA(),
                   numcodecs.Blosc("lz4", shuffle=1), numcodecs.Blosc("zstd", shuffle=2), numcodecs.Blosc("zlib")]
        options = {"order": str(rng.choice(["C", "F"]))}
    else:
        packers = [None, codecs.GzipCodec(), codecs.ZstdCodec(), codecs.BloscCodec(cname="lz4"), codecs.Crc32cCodec(),
                   (codecs.ZstdCodec(), codecs.Crc32cCodec())]
        options = {"serializer": codecs.BytesCodec(endian="big" if x.dtype.byteorder == ">" else "little")}
        x = x.astype(x.dtype.newbyteorder("="))
        if rng.random() < 0.3:
            options["shards"] = tuple(c * int(rng.integers(1, 4)) for c in chunk)
            options["serializer"] = codecs.BytesCodec()
    a = zarr.create_array(path, shape=x.shape, chunks=chunk, dtype=x.dtype, zarr_format=version, overwrite=True,
                          compressors=packers[int(rng.integers(len(packers)))], **options)
    part = slice(None) if rng.random() < 0.7 else slice(0, max(1, x.shape[0] // 2))
    a[part] = x[part]  # chunks that were never written hold the fill value
    return path, a[...]


def by_pyarrow(path, rng, form):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    if not PLUGIN.exists():
        pytest.skip("onefold_arrow.so is not here")
    n = int(rng.choice([2, 40, 500]))
    dtype = str(rng.choice(TYPES))
    x = numbers(rng, n, dtype)
    if dtype in ("i8", "u8"):
        x = x >> np.array(11, dtype)
    missing = rng.random(n) < rng.choice([0, 0.2])
    missing[0] = missing.any()  # no element missing, or one missing element
    missing[1] = False
    table = pa.table({"k": pa.array(np.arange(n)), "x": pa.array(x, mask=missing)})
    path += form
    if form == ".parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=int(rng.choice([7, 100, 1000])),
                                    use_dictionary=bool(rng.random() < 0.5), data_page_size=200,
                                    compression=str(rng.choice(["zstd", "snappy", "gzip", "lz4", "none"])))
        read = pyarrow.parquet.read_table(path)["x"]
    else:
        pyarrow.feather.write_feather(table, path, chunksize=int(rng.choice([7, 100, 1000])),
                                      compression=str(rng.choice(["lz4", "zstd", "uncompressed"])))
        read = pyarrow.feather.read_table(path)["x"]
    as_float = x.dtype if x.dtype.kind == "f" else np.dtype("f8")
    # A column may have nulls in Arrow; Parquet's statistics say that it has none.
    plain = form == ".parquet" and read.null_count == 0
    values = read.to_numpy() if plain else np.array([np.nan if v is None else v for v in read.to_pylist()], as_float)
    if x.dtype.kind == "f":  # Python's floats lose what a NaN of another width carries
        values = np.where(missing, np.array(np.nan, x.dtype), x)
        assert np.array_equal(values, [np.nan if v is None else v for v in read.to_pylist()], equal_nan=True)
    return f"{path}:x", values


READERS = {  # readers, and the number of arrays for each
    "NumPy .npy": (by_npy, 2000),
    "NumPy .npz": (by_npz, 2000),
    "h5py": (by_h5py, 2000),
    "netCDF4": (by_netcdf, 1000),
    "zarr 2": (lambda path, rng: by_zarr(path, rng, 2), 500),
    "zarr 3": (lambda path, rng: by_zarr(path, rng, 3), 500),
    "pyarrow, Parquet": (lambda path, rng: by_pyarrow(path, rng, ".parquet"), 1000),
    "pyarrow, Arrow": (lambda path, rng: by_pyarrow(path, rng, ".feather"), 1000),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reader", READERS)
def test_generated_arrays_are_what_their_library_reads(tmp_path, reader):
    read, arrays = READERS[reader]
    for seed in range(arrays):
        rng = np.random.default_rng([list(READERS).index(reader), seed])
        path, expected = read(str(tmp_path / "a"), rng)
        axis = [(), None, 0, -1][int(rng.integers(4))]
        try:
            same(path, expected, axes=(axis,))
        except (AssertionError, onefold.Error) as error:
            raise AssertionError(f"{reader}, seed {seed}") from error

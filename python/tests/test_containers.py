"""Arrays in containers: what onefold reads is what their own packages read, to the last bit."""

import itertools
import os
import pathlib

import numpy as np
import pytest

import onefold

h5py = pytest.importorskip("h5py")
OPS = "count,sum,min,argmax,count_nan"
TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?"]


def numbers(rng, shape, dtype):
    """Any bits: of integers all values, of floats NaNs, infinities and subnormals too."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    raw = rng.integers(0, 256, (int(np.prod(shape)), dtype.itemsize), dtype="u1")
    return raw.view(dtype).reshape(shape)


def same(path, expected, axes=((), None, 0, -1)):
    """Each element as it is, and folds along axes, as of the array in memory."""
    expected = np.asarray(expected)
    native = expected.astype(expected.dtype.newbyteorder("="))
    whole = onefold.fold("max", path, axis=())[0]
    wanted = np.asarray(onefold.fold("max", native, axis=())[0])
    if native.ndim == 0:
        whole = np.asarray(whole).astype(wanted.dtype)
    assert whole.dtype == wanted.dtype and whole.shape == wanted.shape
    assert whole.tobytes() == wanted.tobytes()
    for axis in axes:
        if axis in (0, -1) and native.ndim == 0 or native.size == 0:
            continue
        ops = OPS if native.dtype.kind != "f" else OPS + ",var"
        for nan in ("propagate", "omit"):
            if nan == "omit" and native.dtype.kind == "f" and axis == ():
                continue
            try:
                wanted = onefold.fold(ops, native, axis=axis, nan=nan)
            except onefold.Error as error:
                with pytest.raises(type(error)):
                    onefold.fold(ops, path, axis=axis, nan=nan)
                continue
            for a, b in zip(onefold.fold(ops, path, axis=axis, nan=nan), wanted):
                b = np.asarray(b)
                assert np.asarray(a).astype(b.dtype).tobytes() == b.tobytes(), (path, axis, nan)


def shapes(rng):
    rank = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.integers(1, 14, rank))
    chunk = tuple(int(rng.integers(1, n + 1)) for n in shape)
    return shape, chunk


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("dtype", TYPES)
def test_hdf5_of_all_types_chunkings_and_filters(tmp_path, dtype, order):
    rng = np.random.default_rng([TYPES.index(dtype), ord(order)])
    path = str(tmp_path / "a.h5")
    filters = [{}, {"compression": "gzip"}, {"shuffle": True}, {"fletcher32": True},
               {"compression": "gzip", "shuffle": True, "fletcher32": True, "compression_opts": 1}]
    data = {}
    with h5py.File(path, "w") as f:
        for k, packed in enumerate(filters * 3):
            shape, chunk = shapes(rng)
            x = numbers(rng, shape, np.dtype(dtype).newbyteorder(order))
            f.create_dataset(f"g/x{k}", data=x, chunks=chunk, **packed)
            data[f"g/x{k}"] = x
        x = numbers(rng, (5, 3), np.dtype(dtype).newbyteorder(order))
        f["plain"] = data["plain"] = x
        f["scalar"] = data["scalar"] = x[0, 0]
        f["none"] = data["none"] = x[:0]
    for name, x in data.items():
        same(f"{path}:/{name}", x)


def test_hdf5_chunks_that_were_never_written_hold_the_fill_value(tmp_path):
    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w") as f:
        for k, (fill, packed) in enumerate(itertools.product([None, 3.5, np.nan], [None, "gzip"])):
            d = f.create_dataset(f"x{k}", (50, 40), "f8", chunks=(7, 9), fillvalue=fill, compression=packed)
            d[5:9, 3:20] = 1
        read = {name: f[name][()] for name in f}
    for name, x in read.items():
        same(f"{path}:{name}", x)


def test_hdf5_enumerations_are_their_integers(tmp_path):
    path = str(tmp_path / "a.h5")
    x = np.array([1, 2, 1], ">i2")
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=x, dtype=h5py.enum_dtype({"A": 1, "B": 2}, basetype=">i2"))
        f.create_dataset("packed", data=x.astype("i4"), scaleoffset=0, chunks=(3,))
    same(path + ":x", x.astype("i2"))
    same(path + ":packed", x.astype("i4"))


@pytest.mark.parametrize("write, says", [
    (lambda f: f.create_dataset("x", data="hello"), "string type"),
    (lambda f: f.create_dataset("x", data=np.zeros(3, [("a", "f4")])), "compound type"),
    (lambda f: f.create_dataset("x", data=np.zeros(3, "c8")), "compound type"),
    (lambda f: f.create_dataset("x", (3,), h5py.ref_dtype), "reference type"),
    (lambda f: f.create_dataset("x", (3,), h5py.vlen_dtype("i4")), "variable-length type"),
    (lambda f: f.create_dataset("x", data=np.zeros(3, "V5")), "opaque type"),
    (lambda f: f.create_dataset("x", data=np.zeros(3, "g")), "floats that are not"),
    (lambda f: f.create_dataset("x", (3,), "f4", external="x.raw"), "other files"),
    (lambda f: f.__setitem__("x", h5py.ExternalLink("a.h5", "/y")), "x"),
    (lambda f: f.__setitem__("x", h5py.SoftLink("/x")), "too many"),
    (lambda f: f.create_dataset("x", (2**31, 2**31), "f8", chunks=(1, 1)), "more than 2^63"),
    (lambda f: f.create_dataset("x", (4096, 4096), "f8", chunks=(4096, 4096), compression="gzip"), "--memory"),
    (lambda f: f.create_dataset("x", data=np.zeros(30), chunks=(30,), compression="lzf"), "filter 32000 (lzf)"),
])
def test_hdf5_that_cannot_be_folded_is_refused_in_one_line(tmp_path, write, says):
    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w") as f:
        write(f)
    with pytest.raises(Exception) as error:
        onefold.sum(path + ":x")
    assert says in str(error.value) and "\n" not in str(error.value)


def test_hdf5_virtual_datasets_are_refused(tmp_path):
    layout = h5py.VirtualLayout((3,), "f8")
    layout[:] = h5py.VirtualSource("b.h5", "y", (3,))
    with h5py.File(tmp_path / "a.h5", "w") as f:
        f.create_virtual_dataset("x", layout)
    with pytest.raises(Exception, match="other files"):
        onefold.sum(str(tmp_path / "a.h5") + ":x")


def test_hdf5_datasets_are_named_or_alone(tmp_path):
    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w") as f:
        f["g/x"] = [1.0, 2.0]
        f["note"] = "text"
        f["g/loop"] = f["/"]
    assert onefold.sum(path) == 3
    with h5py.File(path, "a") as f:
        f["y"] = [5]
    with pytest.raises(Exception, match="2 arrays: /g/x, /y; name one as .*:/g/x"):
        onefold.sum(path)
    with pytest.raises(Exception, match="no array of that name.*it holds /g/x, /y"):
        onefold.sum(path + ":z")
    with pytest.raises(OSError, match="No such file"):
        onefold.sum(str(tmp_path / "b.h5") + ":x")


def test_hdf5_stands_beside_other_files(tmp_path):
    rng = np.random.default_rng(5)
    x = rng.standard_normal((40, 6))
    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=x, chunks=(7, 5), compression="gzip")
        f["mask"] = x > 0
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "f.npy", np.asfortranarray(x))
    npy, both = str(tmp_path / "x.npy"), np.concatenate([x, x])
    for axis in (None, 0, 1):
        got = onefold.fold("sum,argmin", [path + ":x", npy], axis=axis)
        for a, b in zip(got, onefold.fold("sum,argmin", both, axis=axis)):
            b = np.asarray(b)
            assert np.asarray(a).astype(b.dtype).tobytes() == b.tobytes()
    for one, two in ((path + ":x", npy), (npy, path + ":x"), (path + ":x", str(tmp_path / "f.npy"))):
        assert onefold.fold("dot", [one, two])[0] == onefold.dot(x.ravel(), x.ravel())


def test_hdf5_cut_short_or_changed_is_an_error_or_the_same_answer(tmp_path):
    path = str(tmp_path / "a.h5")
    x = np.arange(3000.0).reshape(30, 100)
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=x, chunks=(7, 30), compression="gzip", fletcher32=True)
    whole = pathlib.Path(path).read_bytes()
    for cut in range(0, len(whole), 97):
        damaged = str(tmp_path / "cut.h5")
        pathlib.Path(damaged).write_bytes(whole[:cut])
        with pytest.raises((onefold.Error, OSError)) as error:
            onefold.sum(damaged + ":x")
        assert "\n" not in str(error.value)


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
                                 ("e", "missing_value", 2.5), ("g", "_FillValue", 1e300)]:
            f[name] = np.arange(4, dtype="i2")
            f[name].attrs[key] = value
    for name in "abcd":
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


zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")


def zarr_arrays(rng, folder, version):
    """Arrays of all types, chunkings, codecs and orders, some with chunks that were never written."""
    if version == 2:
        packers = [None, numcodecs.Zlib(), numcodecs.GZip(), numcodecs.Zstd(), numcodecs.BZ2(), numcodecs.LZMA(),
                   *(numcodecs.Blosc(c, shuffle=s) for c in ("lz4", "zstd", "zlib", "blosclz") for s in (0, 1, 2))]
    else:
        c = zarr.codecs
        packers = [None, c.GzipCodec(), c.ZstdCodec(), c.BloscCodec(cname="lz4"), c.BloscCodec(cname="zstd"),
                   (c.ZstdCodec(), c.Crc32cCodec()), c.Crc32cCodec(), (c.GzipCodec(), c.BloscCodec())]
    group = zarr.open_group(folder, mode="w", zarr_format=version)
    for k, (dtype, order) in enumerate(itertools.product(TYPES, "<>")):
        for packer in (packers[k % len(packers)], packers[(3 * k + 1) % len(packers)]):
            shape, chunk = shapes(rng)
            dtype = np.dtype(dtype).newbyteorder(order)
            options = {"order": "CF"[k % 2]} if version == 2 else {}
            if version == 3:
                if k % 3 == 0:
                    options["filters"] = [zarr.codecs.TransposeCodec(order=tuple(int(d) for d in rng.permutation(len(shape))))]
                if k % 4 == 0:
                    options["chunk_key_encoding"] = {"name": "v2", "separator": "./"[k % 8 // 4]}
                options["serializer"] = zarr.codecs.BytesCodec(endian="big" if order == ">" else "little")
                dtype = dtype.newbyteorder("=")
            elif k % 3 == 0:
                options["chunk_key_encoding"] = {"name": "v2", "separator": "/"}
            fill = numbers(rng, (1,), dtype)[0] if k % 5 else None
            if fill is not None and dtype.kind == "f" and (not np.isfinite(fill) or k % 2):
                fill = dtype.type(rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.1]))
            name = f"g/x{len(list(group.get('g', [])))}_{k}"
            a = group.create_array(name, shape=shape, chunks=chunk, dtype=dtype, compressors=packer, fill_value=fill,
                                   **options)
            x = numbers(rng, shape, dtype)
            if k % 2:
                a[...] = x
            else:
                a[: max(shape[0] // 2, 1)] = x[: max(shape[0] // 2, 1)]
            yield name, a[...]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_zarr_arrays_are_what_zarr_python_reads(tmp_path, version, seed):
    rng = np.random.default_rng([version, seed])
    folder = str(tmp_path / "a.zarr")
    for name, x in list(zarr_arrays(rng, folder, version)):
        same(f"{folder}:/{name}", x, axes=((), 0, -1))


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_arrays_are_named_alone_or_the_folder_itself(tmp_path, version):
    folder = str(tmp_path / "a.zarr")
    group = zarr.open_group(folder, mode="w", zarr_format=version)
    group.create_array("g/x", data=np.array([1.0, 2.0]))
    assert onefold.sum(folder) == 3 and onefold.sum(folder + "/g/x") == 3 and onefold.sum(folder + ":g/x") == 3
    group.create_array("y", data=np.array(5))
    assert onefold.sum(folder + ":y") == 5
    with pytest.raises(Exception, match="2 arrays: /g/x, /y"):
        onefold.sum(folder)
    with pytest.raises(Exception, match="no array of that name"):
        onefold.sum(folder + ":z")


def test_zarr_that_cannot_be_folded_is_refused_in_one_line(tmp_path):
    path = str(tmp_path / "a.zarr")
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("shards", shape=(8,), shards=(4,), chunks=(2,), dtype="f4")
    group.create_array("text", shape=(8,), dtype="U3")
    group.create_array("complex", shape=(8,), dtype="c8")
    group.create_array("large", shape=(1 << 30,), chunks=(1 << 24,), dtype="f8")
    for name, says in [("shards", "sharding_indexed"), ("text", "fixed_length_utf32"), ("complex", "complex64"),
                       ("large", "--memory")]:
        with pytest.raises(Exception) as error:
            onefold.sum(f"{path}:{name}")
        assert says in str(error.value) and "\n" not in str(error.value)
    group.create_array("x", data=np.arange(100.0), chunks=(50,))
    chunk = tmp_path / "a.zarr" / "x" / "c" / "1"
    whole = chunk.read_bytes()
    for damaged in (b"", whole[:-1], whole[:20], bytes(len(whole)), whole + whole, whole[:9] + b"\xff" + whole[10:]):
        chunk.write_bytes(damaged)
        try:
            assert onefold.sum(path + ":x") == 4950  # a byte that says nothing
        except (onefold.Error, OSError) as error:
            assert "\n" not in str(error)
    document = tmp_path / "a.zarr" / "x" / "zarr.json"
    text = document.read_text()
    for old, new in [("100", "-1"), ("100", "1e3"), ("regular", "odd"), ("float64", "f"), ("bytes", "octets"),
                     ('"little"', "7"), ("50", "0"), ("50", "18446744073709551615"), ("{", "["), ("zstd", "lz9")]:
        document.write_text(text.replace(old, new, 1) if old != "bytes" else text.replace(old, new))
        with pytest.raises((onefold.Error, OSError)) as error:
            onefold.sum(path + ":x")
        assert "\n" not in str(error.value)


def test_hdf5_chunks_that_unpack_to_more_than_a_chunk_are_refused(tmp_path):
    import zlib

    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w") as f:
        d = f.create_dataset("x", (1000,), "f8", chunks=(100,), compression="gzip", fletcher32=True)
        d[:] = 1
        for k, bomb in enumerate((zlib.compress(bytes(1 << 24)), b"\x78\x9c", zlib.compress(bytes(799)))):
            g = f.create_dataset(f"y{k}", (100,), "f8", chunks=(100,), compression="gzip")
            g.id.write_direct_chunk((0,), bomb)
    assert onefold.sum(path + ":x") == 1000
    for name in ("y0", "y1", "y2"):
        with pytest.raises(onefold.Error, match="the chunk at"):
            onefold.sum(f"{path}:{name}")
    whole = pathlib.Path(path).read_bytes()
    packed = zlib.compress(np.ones(100).tobytes(), 4)
    at = whole.find(packed)
    assert at > 0
    pathlib.Path(path).write_bytes(whole[: at + 20] + b"\x55" + whole[at + 21 :])
    with pytest.raises(onefold.Error, match="checksum is wrong|cannot|invalid|incorrect"):
        onefold.sum(path + ":x")


pa = pytest.importorskip("pyarrow")
PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
with_plugin = pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")


def write_table(path, table, **how):
    import pyarrow.feather
    import pyarrow.parquet

    if path.endswith(".parquet"):
        pyarrow.parquet.write_table(table, path, **how)
    else:
        pyarrow.feather.write_feather(table, path, chunksize=how.get("row_group_size"),
                                      compression=how.get("compression", "uncompressed"))


@with_plugin
@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
@pytest.mark.parametrize("seed", range(3))
def test_columns_of_parquet_and_arrow_are_what_pyarrow_reads(tmp_path, name, seed):
    rng = np.random.default_rng(seed)
    path, n = str(tmp_path / name), int(rng.choice([1, 1000, 9000]))
    columns, expected = {}, {}
    for dtype in TYPES:
        x = numbers(rng, n, dtype)
        if dtype in ("i8", "u8"):
            x = x >> np.array(11, dtype)
        nulls = rng.random(n) < 0.3
        columns["n_" + dtype] = pa.array(x, mask=nulls)
        as_float = x if x.dtype.kind == "f" else x.astype("f8")
        expected["n_" + dtype] = np.where(nulls, np.array(np.nan, as_float.dtype), as_float)
        columns[dtype] = pa.array(x)
        expected[dtype] = x if name == "a.parquet" or x.dtype.kind == "f" else x.astype("f8")
    fields = [pa.field(k, v.type) for k, v in columns.items()]
    table = pa.table(list(columns.values()), schema=pa.schema(fields))
    write_table(path, table, row_group_size=int(rng.choice([70, 3000, 100000])) if n > 1 else None,
                compression=["zstd", "lz4", "none" if name == "a.parquet" else "uncompressed"][seed])
    for column, x in expected.items():
        if column.startswith("n_") and n == 1 and name == "a.parquet":
            continue  # no nulls at all: the type stays
        same(f"{path}:{column}", x, axes=((), 0))


@with_plugin
def test_parquet_that_cannot_be_folded_is_refused_in_one_line(tmp_path):
    path = str(tmp_path / "a.parquet")
    wide = pa.array([2**53 + 1, None])
    table = pa.table({"s": ["a", "b"], "l": [[1], [2]], "x": [1.5, None], "wide": wide, "y": [1, 2]})
    write_table(path, table)
    assert tuple(onefold.fold("sum,count_nan", path + ":x", nan="omit")) == (1.5, 1)
    assert onefold.sum(path + ":y") == 3
    for column, says in [("s", "type string"), ("l", "type list"), ("wide", "cannot hold 9007199254740993"),
                         ("nope", "it holds x, wide, y")]:
        with pytest.raises(Exception) as error:
            onefold.sum(f"{path}:{column}")
        assert says in str(error.value) and "\n" not in str(error.value)
    whole = pathlib.Path(path).read_bytes()
    for cut in range(0, len(whole), 41):
        pathlib.Path(path).write_bytes(whole[:cut])
        with pytest.raises((onefold.Error, OSError)) as error:
            onefold.sum(path + ":x")
        assert "\n" not in str(error.value)

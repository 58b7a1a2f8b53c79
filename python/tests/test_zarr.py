"""Zarr arrays: what onefold reads is what zarr-python reads, to the last bit."""

import itertools
import json

import numpy as np
import pytest

import onefold
from containers import TYPES, numbers, same, shapes

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
@pytest.mark.parametrize("seed", range(2))
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
    with pytest.raises(onefold.OptionError, match="g is a group, with /g/x; name one as .*a.zarr:/g/x$"):
        onefold.sum(folder + ":g")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_zarr_shards_are_what_zarr_python_reads(tmp_path, seed):
    rng = np.random.default_rng(seed)
    path, c = str(tmp_path / "a.zarr"), zarr.codecs
    for k, inner in enumerate([[c.BytesCodec()], [c.BytesCodec(), c.ZstdCodec()], [c.BytesCodec(endian="big")],
                               [c.BytesCodec(), c.GzipCodec(), c.Crc32cCodec()]]):
        shape, chunk = shapes(rng)
        shard = tuple(int(n * rng.integers(1, 4)) for n in chunk)
        index = [[c.BytesCodec(), c.Crc32cCodec()], [c.BytesCodec()]][k % 2]
        sharding = c.ShardingCodec(chunk_shape=chunk, codecs=inner, index_codecs=index,
                                   index_location=["start", "end"][(k + seed) % 2])
        dtype = TYPES[int(rng.integers(len(TYPES)))]
        a = zarr.create_array(f"{path}{k}", shape=shape, chunks=shard, dtype=dtype, serializer=sharding,
                              compressors=None, fill_value=1)
        x = numbers(rng, shape, dtype)
        if k % 2:
            a[...] = x
        else:
            a[: max(shape[0] // 2, 1)] = x[: max(shape[0] // 2, 1)]
        same(f"{path}{k}", a[...], axes=((), 0, -1))


@pytest.mark.filterwarnings("ignore")
def test_zarr_filters_are_what_numcodecs_undoes(tmp_path):
    rng = np.random.default_rng(3)
    n = numcodecs
    x = np.concatenate([rng.standard_normal(90), [1e300, -1e300, 1e300]])
    for k, (dtype, filters) in enumerate([
            ("i1", [n.Delta("i1")]), ("i4", [n.Delta("i4")]), ("u8", [n.Delta("u8")]), ("f4", [n.Delta("f4")]),
            ("f8", [n.Delta("f8")]), ("i4", [n.Delta("i4"), n.Shuffle(4)]), ("f8", [n.Shuffle(8)]),
            ("f8", [n.FixedScaleOffset(offset=1.5, scale=10, dtype="f8", astype="u1")]),
            ("f4", [n.FixedScaleOffset(offset=-3, scale=7.3, dtype="f4", astype="i2")]),
            ("f8", [n.FixedScaleOffset(offset=0.1, scale=1e3, dtype="f8", astype="i4"), n.Delta("i4")])]):
        path = str(tmp_path / f"{k}.zarr")
        a = zarr.create_array(path, shape=(93,), chunks=(40,), dtype=dtype, filters=filters, zarr_format=2,
                              compressors=n.Zstd() if k % 2 else None)
        a[...] = numbers(rng, (93,), dtype) if "i" in dtype or "u" in dtype else (x % 7).astype(dtype)
        same(path, a[...], axes=((), 0))
    for k, rounds in enumerate([n.BitRound(9), n.Quantize(2, "f4")]):
        path = str(tmp_path / f"r{k}.zarr")
        a = zarr.create_array(path, shape=(93,), chunks=(40,), dtype="f4", filters=[rounds], zarr_format=2)
        a[...] = x.clip(-9, 9).astype("f4")
        same(path, a[...], axes=((), 0))
    for filters, says in [([n.Quantize(2, "f8", "f4")], "a quantize filter that changes the type"),
                          ([n.AsType("f8", "f4")], "unsupported filter: astype"),
                          ([n.Delta("f8", astype="f4")], "a delta filter that changes the type")]:
        path = str(tmp_path / (filters[0].codec_id + "x.zarr"))
        zarr.create_array(path, shape=(8,), dtype="f8", filters=filters, zarr_format=2)[...] = 1
        with pytest.raises(onefold.Error, match=says):
            onefold.sum(path)


@pytest.mark.filterwarnings("ignore")
def test_zarr_filters_of_version_3_are_what_numcodecs_undoes(tmp_path):
    n = pytest.importorskip("numcodecs.zarr3")
    c = zarr.codecs
    x = np.random.default_rng(3).standard_normal((23, 9)).astype("f4")
    scaled = n.FixedScaleOffset(offset=-3, scale=7.3, dtype="<f4", astype="<i2")
    for k, (filters, packers) in enumerate([
            ([n.Delta(dtype="<f4")], [c.ZstdCodec()]), ([scaled], []), ([scaled, n.Delta(dtype="<i2")], [c.GzipCodec()]),
            ([n.Quantize(digits=2, dtype="<f4")], []), ([n.BitRound(keepbits=9)], [n.Zlib()]),
            ([], [n.Shuffle(elementsize=4), c.ZstdCodec()]), ([n.Delta(dtype="<f4")], [n.Shuffle(elementsize=4), c.Crc32cCodec()]),
            ([c.TransposeCodec(order=(1, 0)), scaled], [])]):
        path = str(tmp_path / f"{k}.zarr")
        a = zarr.create_array(path, shape=x.shape, chunks=(10, 9), dtype="f4", filters=filters, compressors=packers)
        a[...] = x
        same(path, a[...], axes=((), 0, 1))
    for filters, packers, says in [
            ([c.TransposeCodec(order=(1, 0)), n.Delta(dtype="<f4")], [], "delta together with transpose"),
            ([], [c.ZstdCodec(), n.Shuffle(elementsize=1)], "codec numcodecs.shuffle|codec shuffle"),
            ([n.AsType(encode_dtype="<f8", decode_dtype="<f4")], [], "unsupported filter: astype"), ([], [n.LZ4()], "codec lz4")]:
        path = str(tmp_path / "refused.zarr")
        zarr.create_array(path, shape=x.shape, chunks=(10, 9), dtype="f4", filters=filters, compressors=packers, overwrite=True)[...] = x
        with pytest.raises(onefold.UnsupportedError, match=says):
            onefold.sum(path)


def test_codecs_of_numcodecs_have_its_name_in_version_3(tmp_path):
    for k, codec in enumerate(["zlib", "bz2", "zstd"]):
        path = str(tmp_path / f"{k}.zarr")
        a = zarr.create_array(path, shape=(8,), chunks=(4,), dtype="f8", compressors=None)
        a[...] = np.arange(8.0)
        document = tmp_path / f"{k}.zarr" / "zarr.json"
        meta = json.loads(document.read_text())
        meta["codecs"].insert(0, {"name": "numcodecs.bitround", "configuration": {"keepbits": 9}})
        meta["codecs"].append({"name": f"numcodecs.{codec}", "configuration": {}})
        document.write_text(json.dumps(meta))
        for chunk in (tmp_path / f"{k}.zarr" / "c").iterdir():
            packer = getattr(numcodecs, {"zlib": "Zlib", "bz2": "BZ2", "zstd": "Zstd"}[codec])()
            chunk.write_bytes(packer.encode(chunk.read_bytes()))
        assert onefold.sum(path) == 28


@pytest.mark.filterwarnings("ignore")
def test_damaged_shards_are_errors_of_one_line(tmp_path):
    path = tmp_path / "a.zarr"
    a = zarr.create_array(str(path), shape=(64,), shards=(32,), chunks=(8,), dtype="f8", compressors=None)
    a[...] = np.arange(64.0)
    assert onefold.sum(str(path)) == 2016
    shard = path / "c" / "1"
    whole = shard.read_bytes()
    for damaged in [b"", whole[:10], whole[1:], whole[:-1], whole[:-3] + b"abc", bytes(len(whole)), b"\xff" * 300]:
        shard.write_bytes(damaged)
        with pytest.raises((onefold.Error, OSError)) as error:
            onefold.sum(str(path))
        assert "\n" not in str(error.value)


def test_zarr_that_cannot_be_folded_is_refused_in_one_line(tmp_path):
    path = str(tmp_path / "a.zarr")
    group = zarr.open_group(path, mode="w", zarr_format=3)
    group.create_array("text", shape=(8,), dtype="U3")
    group.create_array("complex", shape=(8,), dtype="c8")
    group.create_array("large", shape=(1 << 30,), chunks=(1 << 24,), dtype="f8")
    for name, says in [("text", "fixed_length_utf32"), ("complex", "complex64"),
                       ("large", "memory=")]:
        with pytest.raises(Exception) as error:
            onefold.sum(f"{path}:{name}")
        assert says in str(error.value) and "\n" not in str(error.value)
    group.create_array("x", data=np.arange(100.0), chunks=(50,))
    chunk = tmp_path / "a.zarr" / "x" / "c" / "1"
    whole = chunk.read_bytes()
    for damaged in (b"", whole[:-1], whole[:20], bytes(len(whole)), whole + whole, whole[:9] + b"\xff" + whole[10:]):
        chunk.write_bytes(damaged)
        try:
            assert onefold.sum(path + ":x") == 4950  # this byte has no effect
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


def write_packed(folder, version, attributes, fill, values, dtype):
    """An array of one chunk, with these attributes."""
    (folder / "c").mkdir(parents=True)
    data = np.array(values, dtype)
    if version == 2:
        meta = {"zarr_format": 2, "shape": [len(data)], "chunks": [len(data)], "dtype": data.dtype.str, "compressor": None,
                "fill_value": fill, "order": "C", "filters": None}
        (folder / ".zarray").write_text(json.dumps(meta))
        (folder / ".zattrs").write_text(json.dumps(attributes))
        (folder / "0").write_bytes(data.tobytes())
    else:
        meta = {"zarr_format": 3, "node_type": "array", "shape": [len(data)], "data_type": data.dtype.name,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [len(data)]}},
                "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}], "fill_value": fill,
                "attributes": attributes}
        (folder / "zarr.json").write_text(json.dumps(meta))
        (folder / "c" / "0").write_bytes(data.tobytes())


@pytest.mark.parametrize("version", [2, 3])
def test_attributes_of_xarray_are_applied_as_in_netcdf(tmp_path, version):
    base64 = "AAAAAAAA8D8="  # 1.0, as xarray writes a fill value of floats
    for k, (attributes, values, dtype, right) in enumerate([
            ({"scale_factor": 0.5, "_FillValue": 255}, [1, 255, 199], "u1", [0.5, np.nan, 99.5]),
            ({"scale_factor": 2, "add_offset": 1}, [1, 2], "i2", [3.0, 5.0]),
            ({"missing_value": -1}, [1, -1, 3], "i4", [1.0, np.nan, 3.0]),
            ({"_FillValue": "NaN"}, [1, 2], "f4", [1.0, 2.0]),
            ({"_FillValue": base64}, [1, 2], "f8", [np.nan, 2.0]),
            ({"units": "K"}, [1, 2], "u2", [1, 2])]):
        folder = tmp_path / f"{k}.zarr"
        write_packed(folder, version, attributes, 0, values, dtype)
        ours = onefold.fold("sum,count_nan", str(folder), nan="omit")
        assert ours.sum == np.nansum(right) and ours.count_nan == np.isnan(right).sum(), attributes


def test_the_fill_value_of_an_array_that_xarray_wrote_is_missing(tmp_path):
    write_packed(tmp_path / "a.zarr", 2, {"_ARRAY_DIMENSIONS": ["t"]}, 255, [1, 255, 3], "u1")
    write_packed(tmp_path / "b.zarr", 2, {}, 255, [1, 255, 3], "u1")
    assert onefold.fold("sum", str(tmp_path / "a.zarr"), nan="omit").sum == 4
    assert onefold.fold("sum", str(tmp_path / "b.zarr")).sum == 259


def test_attributes_and_chunk_keys_that_are_not_understood_are_refused(tmp_path):
    write_packed(tmp_path / "a.zarr", 3, {"scale_factor": [1.0, 2.0]}, 0, [1], "u1")
    with pytest.raises(onefold.Error, match="scale_factor is not a number"):
        onefold.fold("sum", str(tmp_path / "a.zarr"))
    write_packed(tmp_path / "b.zarr", 3, {}, 0, [1], "u1")
    meta = json.loads((tmp_path / "b.zarr" / "zarr.json").read_text())
    meta["chunk_key_encoding"]["configuration"] = {"separatr": "."}
    (tmp_path / "b.zarr" / "zarr.json").write_text(json.dumps(meta))
    with pytest.raises(onefold.Error, match="separatr, which is not supported"):
        onefold.fold("sum", str(tmp_path / "b.zarr"))

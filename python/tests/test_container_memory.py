"""Folds of containers hold less than 100 MiB (tables of Arrow 160), however long the data are, and so
do bombs: what is promised or unpacked is never taken at its word."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "")
PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
pytestmark = pytest.mark.skipif(not PROGRAM, reason="the program is not here")

# Runs in a small process: a child's peak memory includes the memory of the process that forked it.
MEASURE = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
status, used = os.wait4(pid, 0)[1:]
print(used.ru_maxrss >> 10, status >> 8, file=sys.stderr)
"""


def most_memory(*words):
    done = subprocess.run([sys.executable, "-S", "-c", MEASURE, PROGRAM, *words], capture_output=True, text=True)
    *said, last = done.stderr.splitlines()
    mib, status = map(int, last.split())
    return mib, status, said


def below_100_mib(*words, fails=False, most=100):
    mib, status, said = most_memory(*words)
    assert mib < most, (mib, words)
    assert (status != 0) == fails and len(said) == int(fails), (words, said)
    return said


def rows(n=20_000_000):
    """160 MB, or 8 n bytes."""
    return np.tile(np.arange(1000) / 8, n // 1000).reshape(-1, 1000)


@pytest.mark.parametrize("packing", [{}, {"chunks": (100, 1000), "compression": "gzip", "compression_opts": 1}])
def test_hdf5(tmp_path, packing):
    h5py = pytest.importorskip("h5py")
    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=rows(), **packing)
    below_100_mib("mean,var", path)
    below_100_mib("mean", "--axis", "0", path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("how", [{"chunks": (200, 1000), "zarr_format": 2}, {"chunks": (200, 1000)},
                                 {"chunks": (200, 1000), "shards": (8000, 1000)}])
def test_zarr(tmp_path, how):
    zarr = pytest.importorskip("zarr")
    path = str(tmp_path / "a.zarr")
    zarr.create_array(path, data=rows(), **how)
    below_100_mib("mean,var", path)
    below_100_mib("mean", "--axis", "0", path)


def test_classic_netcdf(tmp_path):
    netCDF4 = pytest.importorskip("netCDF4")
    path = str(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as f:
        f.createDimension("t", None)
        f.createDimension("y", 1000)
        v = f.createVariable("x", "f8", ("t", "y"))
        f.createVariable("z", "i2", ("t",))
        v[:] = rows()
    below_100_mib("mean,var", path + ":x")
    below_100_mib("mean", "--axis", "0", path + ":x")


@pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
@pytest.mark.parametrize("form", ["a.parquet", "a.feather", "a.arrows"])
def test_tables_of_arrow(tmp_path, form):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.ipc
    import pyarrow.parquet

    path, x = str(tmp_path / form), rows(32_000_000).reshape(10, -1)
    table = pa.table({f"c{k}": x[k] for k in range(10)})
    if form == "a.parquet":
        pyarrow.parquet.write_table(table, path, compression="zstd")
    elif form == "a.feather":
        pyarrow.feather.write_feather(table, path, compression="lz4")
    else:
        with pyarrow.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=65536)
    # The memory of Arrow's library, and up to 96 MiB that it unpacks.
    below_100_mib("mean,var", path, most=160)
    below_100_mib("mean", "--by", "c0", "--columns", "c1", path, most=160)


@pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
def test_batches_that_are_too_large_are_refused_and_memory_is_named(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.ipc
    import pyarrow.parquet

    # 160 MB of zeros in a batch or a page, packed in few bytes.
    table = pa.table({"x": np.zeros(20_000_000)})
    path = str(tmp_path / "a.arrow")
    with pyarrow.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    assert "allow more with --memory" in below_100_mib("sum", path, fails=True)[0]
    path = str(tmp_path / "a.parquet")
    pyarrow.parquet.write_table(table, path, compression="zstd", use_dictionary=False, data_page_size=1 << 30,
                                write_batch_size=1 << 30)
    mib, status, said = most_memory("sum", path)
    assert mib < 100 and (status == 0 or "allow more with --memory" in said[0]), (mib, said)


def test_links_that_run_in_circles(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w") as f:
        f["g/x"] = np.arange(3.0)
        f["g/again"] = h5py.SoftLink("/g")
        f["g/hard"] = f["g"]
        f["loop"] = h5py.SoftLink("/loop")
        f["a"], f["b"] = h5py.SoftLink("/b"), h5py.SoftLink("/a")
    mib, status, said = most_memory("info", path)
    assert mib < 100 and status == 0
    below_100_mib("sum", path + ":/g/x")
    below_100_mib("sum", path + ":/loop", fails=True)
    folder = tmp_path / "a.zarr"
    folder.mkdir()
    (folder / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (folder / "again").symlink_to(folder)
    mib, status, said = most_memory("info", str(folder))
    assert mib < 100 and status in (0, 2, 34, 35) and len(said) <= 1

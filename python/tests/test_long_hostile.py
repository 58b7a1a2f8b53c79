"""Files of every container and codec with bytes changed, cut out and put in: an answer or an error of one
line, in bounded memory, and no crash."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "")
PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
pytestmark = pytest.mark.skipif(not PROGRAM, reason="the program is not here")

# A process that is small itself, for the most memory that its child held counts what it was forked from.
MEASURE = """
import os, sys
null = os.open(os.devnull, os.O_RDWR)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
status, used = os.wait4(pid, 0)[1:]
print(used.ru_maxrss >> 10, os.waitstatus_to_exitcode(status), file=sys.stderr)
"""


def hdf5(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=np.arange(4000.0).reshape(40, 100), chunks=(7, 30), compression="gzip", shuffle=True)
        f.create_dataset("y", data=np.arange(900) % 7, chunks=(200,), compression="lzf", fletcher32=True)
        f["g/again"] = h5py.SoftLink("/g")


def netcdf(path):
    netCDF4 = pytest.importorskip("netCDF4")
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as f:
        f.createDimension("t", None)
        f.createVariable("x", "f8", ("t",))[:] = np.arange(100.0)


def table():
    pa = pytest.importorskip("pyarrow")
    if not PLUGIN.exists():
        pytest.skip("onefold_arrow.so is not here")
    return pa.table({"a": np.arange(2000.0), "b": pa.array([None if k % 7 == 0 else k for k in range(2000)]),
                     "s": [f"x{k % 5}" for k in range(2000)]})


def parquet(path):
    t = table()
    import pyarrow.parquet
    pyarrow.parquet.write_table(t, path, compression="zstd")


def feather(path):
    t = table()
    import pyarrow.feather
    pyarrow.feather.write_feather(t, path, compression="lz4")


def stream(path):
    t = table()
    import pyarrow.ipc
    with pyarrow.ipc.new_stream(path, t.schema) as writer:
        writer.write_table(t)


def npz(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, packing in (("x", zipfile.ZIP_DEFLATED), ("y", zipfile.ZIP_STORED)):
            with z.open(zipfile.ZipInfo(name + ".npy"), "w") as f:
                np.save(f, np.arange(1000.0))


def packed(tool):
    def write(path):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not here")
        text = "a,b\n" + "".join(f"{k},{k / 8}\n" for k in range(2000))
        with open(path, "wb") as out:
            subprocess.run([tool, "-c"], input=text.encode(), stdout=out, check=True)
    return write


FILES = {"a.h5": hdf5, "a.nc": netcdf, "a.parquet": parquet, "a.feather": feather, "a.arrows": stream, "a.npz": npz,
         "a.csv.gz": packed("gzip"), "a.csv.zst": packed("zstd"), "a.csv.xz": packed("xz"), "a.csv.bz2": packed("bzip2")}
ARRAYS = {"a.h5": ["x", "y"], "a.npz": ["x", "y"], "a.nc": ["x"]}  # which sums name
NUMBERS = [b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\0" * 8, b"\xff\xff\xff\xff\x07\0\0\0"]


def damaged(rng, whole):
    data = bytearray(whole)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at = rng.randrange(len(data))
        if rng.random() < 0.5:  # headers and footers
            at = rng.choice([at % 300, max(0, len(data) - 1 - at % 700)]) % len(data)
        kind = rng.randrange(10)
        if kind < 4:
            data[at] = rng.randrange(256)
        elif kind < 6:
            n = rng.choice([1, 2, 4, 8])
            data[at:at + n] = rng.choice(NUMBERS)[:n]
        elif kind < 8:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 8:
            data = data[:max(at, 4)]
        else:
            data[at:at] = data[at:at + rng.randrange(64)]
    return data


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_an_answer_or_a_line(tmp_path, name):
    path = tmp_path / name
    FILES[name](str(path))
    whole, rng = path.read_bytes(), random.Random(name)
    for k in range(150):
        path.write_bytes(damaged(rng, whole))
        arrays = [f"{path}:{x}" for x in ARRAYS.get(name, [])]
        words = rng.choice([["info", str(path)], *([["sum", x] for x in arrays * 4] or
                                                   [["sum", str(path)], ["mean", "--by", "1", str(path)]])])
        done = subprocess.run([sys.executable, "-S", "-c", MEASURE, PROGRAM, *words], capture_output=True, text=True,
                              errors="replace", timeout=100, check=False)
        *said, last = done.stderr.splitlines()
        mib, status = map(int, last.split())
        most = 160 if name in ("a.parquet", "a.feather", "a.arrows") else 100  # Arrow's library itself
        assert 0 <= status < 128 and mib < most, (name, k, words, status, mib, said)
        assert status == 0 or len(said) == 1, (name, k, words, status, said)

"""Arrays and tables in containers, compared with Python's libraries that read them: processor time
and memory.

    python bench/containers.py build/release/onefold [FOLDER]

mean and var of 50 million f64 (0.4 GB unpacked) in each container. Theirs reads all into memory and calls
its own mean and var; what importing it takes is left out.
"""

import os
import pathlib
import sys
import tempfile

import numpy as np

N = 50_000_000


def write(folder):
    import h5py
    import netCDF4
    import numcodecs
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet
    import zarr

    x = np.tile(np.arange(1000) / 8.0, N // 1000).reshape(-1, 1000)
    with h5py.File(folder / "a.h5", "w") as f:
        f.create_dataset("x", data=x, chunks=(100, 1000), compression="gzip", compression_opts=1, shuffle=True)
    zarr.create_array(str(folder / "a.zarr"), data=x, chunks=(200, 1000), zarr_format=2, compressors=numcodecs.Blosc())
    zarr.create_array(str(folder / "s.zarr"), data=x, chunks=(200, 1000), shards=(10000, 1000))
    with netCDF4.Dataset(folder / "a.nc", "w", format="NETCDF3_64BIT_OFFSET") as f:
        f.createDimension("t", None)
        f.createDimension("y", 1000)
        v = f.createVariable("x", "f8", ("t", "y"))
        v[:] = x
    columns = x.reshape(10, -1)
    table = pa.table({f"c{k}": columns[k] for k in range(10)})
    pyarrow.parquet.write_table(table, folder / "a.parquet", compression="zstd")
    pyarrow.feather.write_feather(table, folder / "a.feather", compression="lz4")


TABLE = "import pyarrow.compute as c; [(c.mean(x), c.variance(x)) for x in t.columns]"
THEIRS = {  # what is imported, and what is run
    "a.h5": ("import h5py", "x = h5py.File('a.h5')['x'][...]; x.mean(), x.var()"),
    "a.zarr": ("import zarr", "x = zarr.open('a.zarr')[...]; x.mean(), x.var()"),
    "s.zarr": ("import zarr", "x = zarr.open('s.zarr')[...]; x.mean(), x.var()"),
    "a.nc": ("import netCDF4", "x = netCDF4.Dataset('a.nc')['x'][...]; x.mean(), x.var()"),
    "a.parquet": ("import pyarrow.parquet as p", "t = p.read_table('a.parquet'); " + TABLE),
    "a.feather": ("import pyarrow.feather as p", "t = p.read_table('a.feather'); " + TABLE),
}


def cost(*words):
    """Seconds of all processors, and MiB."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=quiet)
    status, used = os.wait4(pid, 0)[1:]
    if status != 0:
        sys.exit(f"{words} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss >> 10


def main():
    program = os.path.abspath(sys.argv[1])
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    if not (folder / "a.feather").exists():
        folder.mkdir(exist_ok=True)
        if os.fork() == 0:  # so that children count from a small process
            write(folder)
            os._exit(0)
        if os.wait()[1] != 0:
            sys.exit("the files cannot be written")
    os.chdir(folder)
    print("| file | onefold s | MiB | theirs s | MiB | theirs over ours |\n|---|---|---|---|---|---|")
    for name, (imports, run) in THEIRS.items():
        ours, most = cost(program, "mean,var", name)
        theirs, their_most = cost(sys.executable, "-c", imports + "; " + run)
        theirs -= cost(sys.executable, "-c", imports)[0]
        print(f"| {name} | {ours:.2f} | {most} | {theirs:.2f} | {their_most} | {theirs / ours:.1f} |", flush=True)


if __name__ == "__main__":
    main()

"""Reductions of Dask arrays along axes, the time of ours over dask's own: python bench/dask_axes.py

All chunks are one block of numbers, so reading and merging are measured, not making data. Medians of
5 interleaved pairs.
"""

import os
import statistics
import time

import dask
import dask.array as da
import numpy as np

import onefold.dask


def seconds(reduction, x, axis):
    begin = time.perf_counter()
    reduction(x, axis).compute(scheduler="threads")
    return time.perf_counter() - begin


def measure(rows, chunks, axis, ops):
    block = np.random.default_rng(1).normal(size=chunks)
    x = da.concatenate([da.from_array(block, chunks, name=f"block-{k}-{chunks}")
                        for k in range(rows // chunks[0])])
    for op in ops:
        ours, theirs = getattr(onefold.dask, op), getattr(da, op)
        pairs = [(seconds(ours, x, axis), seconds(theirs, x, axis)) for _ in range(5)]
        print(f"| {x.shape} | {chunks} | {axis} | `{op}` | {1e3 * statistics.median(a for a, _ in pairs):.0f} | "
              f"{1e3 * statistics.median(b for _, b in pairs):.0f} | "
              f"{statistics.median(a / b for a, b in pairs):.2f} |", flush=True)


print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, NumPy {np.__version__}, Dask {dask.__version__}")
print("| shape, f64 | chunks | axis | op | ours, ms | dask's, ms | ours over dask's |\n|---|---|---|---|---|---|---|")
measure(256, (64, 1_000_000), 0, ["sum", "mean", "var", "min"])
measure(256, (64, 1_000_000), None, ["sum", "mean", "var", "min"])
measure(20_000, (1000, 1000), 0, ["sum", "mean", "var", "min"])
measure(20_000, (1000, 1000), 1, ["sum", "mean"])
measure(20_000, (1000, 1000), None, ["sum", "mean", "var"])

"""Sums of 10 GB of Dask chunks, ours over dask's own: python bench/dask_chunks.py [--gb 10] [--mb 128].

All chunks are views of one block of so many MiB, more than caches hold: what is measured is reading and
merging, not making data. Medians of interleaved pairs; the bits are compared over all chunkings.
"""

import argparse
import os
import platform
import statistics
import time

import dask
import dask.array as da
import numpy as np

import onefold.dask

parser = argparse.ArgumentParser()
parser.add_argument("--gb", type=float, default=10)
parser.add_argument("--mb", type=int, default=128)
parser.add_argument("--pairs", type=int, default=5)
options = parser.parse_args()

columns = options.mb << 17
rows = max(1, round(options.gb * 1e9 / (8 * columns)))
block = np.random.default_rng(1).normal(size=columns) * 10.0 ** (np.arange(columns) % 7)
x = np.broadcast_to(block, (rows, columns))


def lazy(chunks):
    return da.from_array(x, chunks, name=f"block-{chunks}")  # named, so that Dask need not read all
                                                             # of it for a hash


def seconds(answer):
    begin = time.perf_counter()
    value = answer.compute(scheduler="threads")
    return time.perf_counter() - begin, value


print(f"{rows * columns * 8 / 1e9:.1f} GB of f64, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
      f"CPython {platform.python_version()}, NumPy {np.__version__}, Dask {dask.__version__}")
print("| chunk | MB | ours GB/s | dask's GB/s | speed over dask's | ours | dask's |\n|---|---|---|---|---|---|---|")
answers = set()
for chunks in [(1, columns), (1, columns // 2), (1, columns // 8), (1, columns // 32)]:
    a = lazy(chunks)
    times = []
    for _ in range(options.pairs):
        mine, value = seconds(onefold.dask.sum(a))
        other, theirs = seconds(da.sum(a))
        times.append((mine, other))
    size = rows * columns * 8 / 1e9
    answers.add(value.tobytes())
    print(f"| {chunks[0]} x {chunks[1]} | {chunks[1] * 8 / 1e6:.1f} | "
          f"{size / statistics.median(m for m, _ in times):.1f} | "
          f"{size / statistics.median(o for _, o in times):.1f} | "
          f"{statistics.median(o / m for m, o in times):.2f} | {value!r} | {theirs!r} |", flush=True)
assert len(answers) == 1, "the bits depend on the chunking"

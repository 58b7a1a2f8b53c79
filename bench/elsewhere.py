#!/usr/bin/env python3
"""Compares NumPy, SciPy's BLAS and pandas with onefold where they may be faster: one thread, in
alternation.

    PYTHONPATH=build/test/python python3 bench/elsewhere.py [--bytes 33554432] [--turns 7]

Strided input, norms and dot of BLAS, differences of pairs, groups. Prints a table of Markdown: the
processor's time of each, the least of the turns, and theirs over ours. Below 1 they are quicker.
"""
import argparse
import os
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
import onefold
import pandas as pd
from scipy.linalg import blas


def strided(x):
    """(what, ours, theirs) of arrays of which every second element, row or column is folded."""
    table = x[:len(x) // 1024 * 1024].reshape(-1, 1024)
    views = [("every 2nd element", x[::2], None), ("every 16th element", x[::16], None),
             ("reversed", x[::-1], None), ("every 2nd column, rows", table[:, ::2], 1),
             ("every 2nd column, columns", table[:, ::2], 0), ("one column of 1,024", table[:, 7], None),
             ("transposed, whole", table.T, None)]
    for name, view, axis in views:
        for op in ("sum", "max", "var"):
            yield (f"{op}, {name}", lambda op=op, v=view, a=axis: getattr(onefold, op)(v, axis=a),
                   lambda op=op, v=view, a=axis: getattr(np, op)(v, axis=a))


def norms(x, y):
    letter = "s" if x.dtype == np.float32 else "d"
    nrm2, asum, dot = (getattr(blas, letter + name) for name in ("nrm2", "asum", "dot"))
    yield "norm2, BLAS nrm2", lambda: onefold.norm2(x), lambda: nrm2(x)
    yield "norm1, BLAS asum", lambda: onefold.norm1(x), lambda: asum(x)
    yield "dot, BLAS dot", lambda: onefold.dot(x, y), lambda: dot(x, y)
    yield "sumsq, np.dot(x, x)", lambda: onefold.sumsq(x), lambda: np.dot(x, x)


def pairs(x, y):
    for n in (1000, 100_000, len(x)):
        a, b = x[:n], y[:n]
        yield (f"mse of {n:,}, np.mean((x - y)**2)", lambda a=a, b=b: onefold.mse(a, b),
               lambda a=a, b=b: np.mean((a - b) ** 2))
        yield (f"mae of {n:,}, np.mean(abs(x - y))", lambda a=a, b=b: onefold.mae(a, b),
               lambda a=a, b=b: np.mean(np.abs(a - b)))
        yield (f"distance of {n:,}, np.linalg.norm(x - y)", lambda a=a, b=b: onefold.distance(a, b),
               lambda a=a, b=b: np.linalg.norm(a - b))


def groups(x):
    for count in (10, 1000, 100_000):
        keys = np.random.default_rng(2).integers(0, count, len(x))
        frame = pd.DataFrame({"k": keys, "x": x})
        known = frame.groupby("k")["x"]  # keeps what it has looked up
        for op in ("sum", "mean", "var"):
            yield (f"{op} of {count:,} groups, pandas",
                   lambda op=op, k=keys: onefold.fold_by(op, k, x, threads=1),
                   lambda op=op, f=frame: getattr(f.groupby("k")["x"], op)())
            yield (f"{op} of {count:,} groups that are known, pandas",
                   lambda op=op, k=keys, c=count: onefold.fold_by(op, k, x, groups=c, threads=1),
                   lambda op=op, f=known: getattr(f, op)())


def seconds(call, times):
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, default=1 << 25)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    print(f"NumPy {np.__version__}, pandas {pd.__version__}, load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores\n")
    print("| fold | f32 | f64 |\n|---|---|---|")
    found = {}
    for dtype in (np.float32, np.float64):
        n = given.bytes // 8
        x, y = (np.random.default_rng(seed).standard_normal(n).astype(dtype) for seed in (1, 2))
        small = x[:n // 8].copy()  # groups take longer
        for what, ours, theirs in [*strided(x), *norms(x, y), *pairs(x, y), *groups(small)]:
            if given.only not in what:
                continue
            ours(), theirs()
            repeats = max(1, int(2e-3 / max(seconds(ours, 1), 1e-7)))  # short calls many times
            times = [(seconds(ours, repeats), seconds(theirs, repeats)) for _ in range(given.turns)]
            us, them = map(min, zip(*times))
            found.setdefault(what, []).append(f"{them / us:.2f} ({us * 1e3:.3g} ms)")
    for what, cells in found.items():
        print(f"| {what} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

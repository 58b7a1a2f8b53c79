"""Calls that were slower than NumPy, Bottleneck, BLAS or math.fsum once: python bench/slower.py

Medians of interleaved pairs in one process, by the processor's time; ratios are ours over theirs, so 1 and less is
not slower. Run it pinned to one core (`taskset -c 1`), else the package uses more threads than its peers.
"""

import math
import os
import platform
import statistics
import time

import bottleneck as bn
import numpy as np
import pandas as pd
import polars as pl

import onefold


def seconds(call, repeat):
    begin = time.process_time()
    for _ in range(repeat):
        call()
    return (time.process_time() - begin) / repeat


def row(op, case, peer, ours, theirs):
    repeat = 1
    while seconds(ours, repeat) * repeat < 2e-3 and repeat < 1 << 14:
        repeat *= 4
    pairs = [(seconds(ours, repeat), seconds(theirs, repeat)) for _ in range(9)]
    mine, other = (1e6 * statistics.median(times) for times in zip(*pairs))
    print(f"| `{op}` | {case} | {peer} | {mine:.2f} | {other:.2f} | {statistics.median(a / b for a, b in pairs):.2f} |", flush=True)


def along_axes(rng):
    for dtype in ("f4", "f8"):
        for shape in ((8, 1 << 18), (1000, 1000), (64, 64, 64)):
            x = rng.normal(size=shape).astype(dtype)
            for op in ("sum", "mean", "max"):
                row(op, f"{dtype} {shape}, axis 0", "NumPy", lambda: getattr(onefold, op)(x, axis=0),  # noqa: B023
                    lambda: getattr(np, op)(x, axis=0))  # noqa: B023
        for length in (100, 1000):
            x = rng.normal(size=(1000, length)).astype(dtype)
            row("argmax", f"{dtype} (1000, {length}), axis 1", "NumPy", lambda: onefold.argmax(x, axis=1), lambda: np.argmax(x, axis=1))  # noqa: B023
        for length in (3, 8):
            x = rng.normal(size=(1 << 16, length)).astype(dtype)
            for op in ("nansum", "nanmean", "nanmax"):
                row(op, f"{dtype} (65536, {length}), axis 1", "Bottleneck", lambda: getattr(onefold, op)(x, axis=1),  # noqa: B023
                    lambda: getattr(bn, op)(x, axis=1))  # noqa: B023


def others(rng):
    for dtype in ("f4", "f8"):
        x, y = (rng.normal(size=1 << 18).astype(dtype) for _ in range(2))
        row("sum", f"{dtype} `x[::2]` of 2^18", "NumPy", lambda: onefold.sum(x[::2]), lambda: np.sum(x[::2]))  # noqa: B023
        row("mse", f"{dtype} 2^18", "NumPy's `((x-y)**2).mean()`", lambda: onefold.mse(x, y), lambda: ((x - y) ** 2).mean())  # noqa: B023
        row("norm2", f"{dtype} 2^18", "BLAS", lambda: onefold.norm2(x), lambda: np.linalg.norm(x))  # noqa: B023
        row("dot", f"{dtype} 2^18", "BLAS", lambda: onefold.dot(x, y), lambda: np.dot(x, y))  # noqa: B023


def calls(rng):
    x = rng.normal(size=1000)
    three, many, whole = [0.1, 0.2, 0.3], rng.normal(size=10**5).tolist(), rng.integers(-9, 9, 10**5).tolist()
    row("sum", "a list of 3", "`math.fsum`", lambda: onefold.sum(three), lambda: math.fsum(three))
    row("sum", "a list of 10^5 floats", "`math.fsum`", lambda: onefold.sum(many), lambda: math.fsum(many))
    row("sum", "a list of 10^5 integers", "`math.fsum`", lambda: onefold.sum(whole), lambda: math.fsum(whole))
    for name, column in (("Polars", pl.Series(x)), ("pandas", pd.Series(x))):
        row("sum", "1,000 f8", name, lambda: onefold.sum(column), column.sum)  # noqa: B023
        row("var", f"1,000 f8 of {name}, ddof=1", "our `sum` of the array", lambda: onefold.var(column, ddof=1),  # noqa: B023
            lambda: onefold.sum(x))
        row("sum", f"1,000 f8 of {name}", "our `sum` of the array", lambda: onefold.sum(column), lambda: onefold.sum(x))  # noqa: B023
    row("vecdot", "1,000 f8", "our `sum` of the array", lambda: onefold.vecdot(x, x), lambda: onefold.sum(x))


print(f"CPython {platform.python_version()}, NumPy {np.__version__}, Bottleneck {bn.__version__}, "
      f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}\n")
print("| op | case | beside | ours, us | theirs, us | ours over theirs |\n|---|---|---|---|---|---|")
generator = np.random.default_rng(0)
along_axes(generator)
others(generator)
calls(generator)

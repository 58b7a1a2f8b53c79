"""Products of matrices beside NumPy's OpenBLAS, as tables for results/matmul.md.

    python bench/matmul.py [--size 2048]

Times are the least of several calls, the libraries in turn, in ns a product of two elements; one process for each number
of threads. "ratio" is NumPy's time by ours, "wrong" the share of NumPy's entries that are not the exact value rounded
once: ours are, as tests show. "dots" is the time of Onefold's `vecdot` of a row and each column, which reads both each time.
"""

import argparse
import os
import subprocess
import sys
import time

if "--threads" in sys.argv:
    os.environ["OPENBLAS_NUM_THREADS"] = sys.argv[sys.argv.index("--threads") + 1]

import numpy as np

import onefold


def ns(elements, calls, *functions):
    """The least time of each function, divided by elements; three rounds of calls, with pauses in which threads fall asleep."""
    best = [float("inf")] * len(functions)
    for _ in range(3):
        for k, function in enumerate(functions):
            time.sleep(.1)
            for _ in range(calls // 3):
                begin = time.perf_counter()
                function()
                best[k] = min(best[k], time.perf_counter() - begin)
    return [t / elements * 1e9 for t in best]


def data(kind, rows, inner, columns, dtype):
    random = np.random.default_rng(1)
    a, b = random.standard_normal((rows, inner)), random.standard_normal((inner, columns))
    if kind == "lognormal(3)":
        a, b = np.exp(3 * a), np.exp(3 * b)
    elif kind == "rows 2^-50 to 2^50":
        a, b = a * 2.0**random.uniform(-50, 50, (rows, 1)), b * 2.0**random.uniform(-50, 50, (1, columns))
    elif kind == "elements 2^-20 to 2^20":
        a, b = (x * 2.0**random.uniform(-20, 20, x.shape) for x in (a, b))
    elif kind == "1 % not 0":
        a, b = (x * (random.random(x.shape) < .01) for x in (a, b))
    elif kind == "whole numbers to 100":
        a, b = np.rint(a * 30), np.rint(b * 30)
    elif kind == "cancelling by 2^-20":
        half = inner // 2
        a[:, half:], b[half:] = -a[:, :half], b[:half] + 2.0**-20 * random.standard_normal((half, columns))
    return a.astype(dtype), b.astype(dtype)


def calls_of(products):
    return 6 if products > 2**31 else 15 if products > 2**24 else 300


def sizes(size, threads):
    print(f"\n| {threads} thread{'s' * (threads > 1)}: rows, inner, columns | type | Onefold, ns | NumPy, ns | ratio | wrong |")
    print("|" + "---|" * 6)
    shapes = [(n, n, n) for n in (64, 128, 512, size)] + [(size, size, 16), (16, size, size), (size, 16, size)]
    for dtype in ("float32", "float64", "float16"):
        for shape in shapes:
            a, b = data("normal", *shape, dtype)
            products = int(np.prod(shape, dtype=np.int64))
            ours, theirs = onefold.matmul(a, b, threads=threads), a @ b if dtype != "float16" else None
            functions = [lambda: onefold.matmul(a, b, threads=threads)] + ([lambda: a @ b] if theirs is not None else [])
            times = ns(products, calls_of(products), *functions)
            cells = [f"{times[0]:.3f}"]
            cells += ["", "", ""] if theirs is None else [
                f"{times[1]:.3f}", f"{times[1] / times[0]:.2f}", f"{100 * np.mean(ours != theirs):.0f} %"]
            print(f"| {', '.join(f'{n:,}' for n in shape)} | {dtype} | {' | '.join(cells)} |", flush=True)


def kinds(threads):
    n = 512
    print(f"\n| {threads} thread, {n} x {n} x {n} | float32, ns | dots, ns | wrong of NumPy's | float64, ns | dots, ns | wrong |")
    print("|" + "---|" * 7)
    for kind in ("normal", "lognormal(3)", "rows 2^-50 to 2^50", "elements 2^-20 to 2^20", "1 % not 0", "whole numbers to 100",
                 "cancelling by 2^-20"):
        cells = []
        for dtype in ("float32", "float64"):
            a, b = data(kind, n, n, n, dtype)
            columns = np.ascontiguousarray(b.T)
            ours = onefold.matmul(a, b)
            time, = ns(n**3, 6, lambda: onefold.matmul(a, b, threads=threads))
            dots, = ns(n**2, 6, lambda: [onefold.vecdot(row, columns) for row in a[:1]])
            cells += [f"{time:.3f}", f"{dots:.2f}", f"{100 * np.mean(ours != a @ b):.0f} %"]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--threads", type=int)
    given = parser.parse_args()
    if given.threads is None:
        for threads in (1, 2):
            subprocess.run([sys.executable, "-B", __file__, "--size", str(given.size), "--threads", str(threads)], check=True)
        return
    sizes(given.size, given.threads)
    if given.threads == 1:
        kinds(1)


if __name__ == "__main__":
    main()

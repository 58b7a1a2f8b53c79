#!/usr/bin/env python3
"""Compares folds of one array with torch on all cores, or with NumPy on one.

    python3 bench/threads.py build/release/libonefold.so.1 [--peer numpy] [--only "sum f32"] [--scale]

Ratio: the peer's time divided by ours, medians of blocks of calls taken in turns. A pause before each
block lets the threads of the other library fall asleep. Memory for our answers is there already.
`--scale` adds our times with 1, 2, 4 and 8 threads.
"""
import argparse
import ctypes
import statistics
import time

import numpy as np

SHAPES = [((n,), None) for n in (25_000, 250_000, 1_000_000, 3_000_000, 12_000_000)] + [
    ((300, 300), 0), ((2000, 32), 0), ((1000, 3000), 0), ((15000, 200), 0), ((100_000, 10), 0),
    ((5, 200_000), 0), ((13, 60_000), 0), ((3000, 1000), 1), ((200, 15000), 1), ((100_000, 10), 1),
    ((16, 100_000), 1), ((128, 3, 64, 100), 1), ((64, 256, 64), 1), ((2, 4000, 300), 1)]
FLOAT_OPS, INTEGER_OPS = ("sum", "mean", "var", "min", "argmax"), ("sum", "min", "argmax")
DTYPES = {"f32": (12, "f4"), "f64": (13, "f8"), "i32": (4, "i4"), "i64": (5, "i8")}

P, I = ctypes.c_void_p, ctypes.c_int32


def structure(*types):
    return type("S", (ctypes.Structure,), {"_fields_": [(f"f{k}", t) for k, t in enumerate(types)]})


# onefold_array, onefold_output and onefold_options of onefold/onefold.h.
Array, Output = structure(P, I, I, P, P), structure(P, I, I, P, P, P)
Options = structure(ctypes.c_size_t, P, I, I, I, I, P, P, P, P, P, I, I, ctypes.c_uint64, P, P)

parser = argparse.ArgumentParser()
parser.add_argument("library")
parser.add_argument("--peer", default="torch", choices=("torch", "numpy"))
parser.add_argument("--only", default="")
parser.add_argument("--turns", type=int, default=5)
parser.add_argument("--scale", action="store_true")
options = parser.parse_args()
library = ctypes.CDLL(options.library)
if options.peer == "torch":
    import torch


def our_call(op, dtype, x, axis, threads):
    """A function that folds x, and the array that it writes to."""
    kept = () if axis is None else tuple(n for k, n in enumerate(x.shape) if k != axis)
    result = "i64" if op == "argmax" or (op == "sum" and dtype == "i32") else dtype
    out = np.empty(kept, DTYPES[result][1])
    dims = [(ctypes.c_int64 * len(d))(*d) for d in (x.shape, kept, (axis or 0,))]
    shape, answers, axes = map(ctypes.addressof, dims)
    array = Array(x.ctypes.data, DTYPES[dtype][0], x.ndim, shape, None)
    output = Output(out.ctypes.data, DTYPES[result][0], out.ndim, answers, None, None)
    asked = Options(ctypes.sizeof(Options), *((None, 0) if axis is None else (axes, 1)))
    asked.f12 = threads
    words = (ctypes.byref(output), ctypes.c_size_t(1), op.encode(), ctypes.byref(array), None,
             ctypes.byref(asked))

    def call(kept=(x, out, dims, array, output, asked)):
        if library.onefold_fold_into(*words) != 0:
            raise RuntimeError(f"{op} {dtype} {x.shape} axis {axis}")
    call()
    return call, out


def peer_call(op, x, axis):
    if options.peer == "numpy":
        return lambda: getattr(np, op)(x, axis=axis)
    t, f, words = torch.from_numpy(x), getattr(torch, {"min": "amin"}.get(op, op)), {}
    if axis is not None or op in ("min", "var"):
        words["dim"] = axis if axis is not None else tuple(range(x.ndim))
    if op == "var":
        words["correction"] = 0
    return lambda: f(t, **words)


def block(call):
    """The median time of a call in us: of at least 3 calls, and of 4 ms together."""
    time.sleep(0.005)
    call()
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() < begin + 4e-3:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def main():
    threads, ratios = (1 if options.peer == "numpy" else 0), []
    for dtype in ("f32", "f64", "i32"):
        for shape, axis in SHAPES:
            x = np.random.default_rng(1).standard_normal(shape)
            x = (x * 1e4 if dtype == "i32" else x).astype(DTYPES[dtype][1])
            for op in INTEGER_OPS if dtype == "i32" else FLOAT_OPS:
                text = f"{op} {dtype} {str(shape).replace(' ', '')} {axis}"
                if options.only not in text:
                    continue
                peer, (ours, out) = peer_call(op, x, axis), our_call(op, dtype, x, axis, threads)
                if not np.allclose(out, peer(), 1e-3, 1e-3):
                    raise RuntimeError(f"{text}: another answer")
                turns = [(block(peer), block(ours)) for _ in range(options.turns)]
                them, us = map(statistics.median, zip(*turns))
                ratios.append((them / us, text))
                more = [f"{block(our_call(op, dtype, x, axis, n)[0]):.0f}" for n in (1, 2, 4, 8)
                        if options.scale]
                print(f"{text:<32}{them:8.0f}{us:8.0f}{them / us:8.2f}  {' '.join(more)}", flush=True)
    ratios.sort()
    print("worst: " + "; ".join(f"{r:.2f} {text}" for r, text in ratios[:12]))
    print(f"behind {options.peer} in {sum(r < 1 for r, _ in ratios)} of {len(ratios)}, "
          f"below 0.7 in {sum(r < 0.7 for r, _ in ratios)}")


main()

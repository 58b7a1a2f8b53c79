#!/usr/bin/env python3
"""Compares folds of one array with torch on all cores, or with NumPy on one.

    python3 bench/threads.py build/release/libonefold.so.1 [--peer numpy] [--only "sum f32"]

Each library has a process of its own, since threads of torch stay busy after its calls. A process
measures all cases, the median of calls in a row each, after some to warm up; processes take turns,
and a time is the median of the turns. Memory for our answers is there already. Several libraries
can be named; `LIBRARY@4` uses 4 threads.
"""
import argparse
import ctypes
import json
import statistics
import subprocess
import sys
import time

import numpy as np

SHAPES = [((n,), None) for n in (25_000, 250_000, 1_000_000, 3_000_000, 12_000_000)] + [
    ((300, 300), 0), ((2000, 32), 0), ((1000, 3000), 0), ((15000, 200), 0), ((100_000, 10), 0),
    ((5, 200_000), 0), ((13, 60_000), 0), ((3000, 1000), 1), ((200, 15000), 1), ((100_000, 10), 1),
    ((16, 100_000), 1), ((128, 3, 64, 100), 1), ((64, 256, 64), 1), ((2, 4000, 300), 1),
    ((2, 100_000), 0), ((5, 20_000), 0), ((30_000, 100), 0), ((2000, 1500), 1), ((32, 8, 1000), 1),
    ((32, 3, 128, 128), 1)]
FLOAT_OPS, INTEGER_OPS = ("sum", "mean", "var", "min", "argmax"), ("sum", "min", "argmax")
DTYPES = {"f32": (12, "f4"), "f64": (13, "f8"), "i32": (4, "i4"), "i64": (5, "i8")}

P, I = ctypes.c_void_p, ctypes.c_int32


def structure(*types):
    return type("S", (ctypes.Structure,), {"_fields_": [(f"f{k}", t) for k, t in enumerate(types)]})


# onefold_array, onefold_output and onefold_options of onefold/onefold.h.
Array, Output = structure(P, I, I, P, P), structure(P, I, I, P, P, P)
Options = structure(ctypes.c_size_t, P, I, I, I, I, P, P, P, P, P, I, I, ctypes.c_uint64, P, P)

parser = argparse.ArgumentParser()
parser.add_argument("library", nargs="+")
parser.add_argument("--peer", default="torch", choices=("torch", "numpy"))
parser.add_argument("--only", default="", help="a part of the names of the cases")
parser.add_argument("--turns", type=int, default=3)
parser.add_argument("--side", help=argparse.SUPPRESS)  # what this process measures
options = parser.parse_args()


def cases():
    """The name, operation, type, array and axis of each case."""
    for dtype in ("f32", "f64", "i32"):
        for shape, axis in SHAPES:
            x = np.random.default_rng(1).standard_normal(shape, "f8" if dtype == "f64" else "f4")
            x = (x * 1e4 if dtype == "i32" else x).astype(DTYPES[dtype][1])
            for op in INTEGER_OPS if dtype == "i32" else FLOAT_OPS:
                name = f"{op} {dtype} {str(shape).replace(' ', '')} {axis}"
                if options.only in name:
                    yield name, op, dtype, x, axis


def our_call(library, op, dtype, x, axis, threads):
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
    if not np.allclose(out, getattr(np, op)(x, axis=axis), 1e-3, 1e-2):
        raise RuntimeError(f"{op} {dtype} {x.shape} axis {axis}: another answer")
    return call


def peer_call(op, x, axis):
    if options.side == "numpy":
        return lambda: getattr(np, op)(x, axis=axis)
    import torch
    t, f, words = torch.from_numpy(x), getattr(torch, {"min": "amin"}.get(op, op)), {}
    if axis is not None or op in ("min", "var"):
        words["dim"] = axis if axis is not None else tuple(range(x.ndim))
    if op == "var":
        words["correction"] = 0
    return lambda: f(t, **words)


def median_us(call):
    """Of calls in a row: 3, or 6 ms of them, after 2 ms to warm up. One thread: processor time."""
    now = time.perf_counter if options.peer == "torch" else time.thread_time
    times, begin = [], now()
    while now() < begin + 2e-3:
        call()
    begin = now()
    while len(times) < 3 or now() < begin + 6e-3:
        start = now()
        call()
        times.append(now() - start)
    return statistics.median(times) * 1e6


def measure():
    """The time of each case on this process's side."""
    path, _, threads = options.side.partition("@")
    threads = int(threads or (options.peer == "numpy"))
    library = None if options.side == options.peer else ctypes.CDLL(path)
    return {name: median_us(our_call(library, op, dtype, x, axis, threads) if library
                            else peer_call(op, x, axis))
            for name, op, dtype, x, axis in cases()}


def main():
    sides = [options.peer, *options.library]
    turns = {side: [] for side in sides}
    for _ in range(options.turns):
        for side in sides:
            done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--side", side],
                                  stdout=subprocess.PIPE, check=True)
            turns[side].append(json.loads(done.stdout))
    times = {side: {name: statistics.median(turn[name] for turn in turns[side])
                    for name in turns[side][0]} for side in sides}
    for name, them in times[options.peer].items():
        ours = (f"{times[side][name]:10.1f}{them / times[side][name]:8.2f}" for side in sides[1:])
        print(f"{name:<32}{them:10.1f}{''.join(ours)}")
    for side in sides[1:]:
        ratios = sorted((them / times[side][name], name) for name, them in
                        times[options.peer].items())
        print(f"{side}: behind {options.peer} in {sum(r < 1 for r, _ in ratios)} of {len(ratios)}, "
              f"below 0.7 in {sum(r < 0.7 for r, _ in ratios)}; "
              f"worst: {'; '.join(f'{r:.2f} {name}' for r, name in ratios[:12])}")


if options.side:
    print(json.dumps(measure()))
else:
    main()

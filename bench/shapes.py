#!/usr/bin/env python3
"""Compares NumPy with onefold's fold_into along axes, one thread, in alternation.

    python3 bench/shapes.py build/bench/bench/shapes

Both write into memory that is there already; times are of the processor, the least of five turns.
"""
import subprocess
import sys
import time

import numpy as np

BYTES = 1 << 28
TURNS = 5
ROWS, COLUMNS = (4, 16, 64, 256, 1024), (3, 64, 1024, 65536)


def main():
    server = subprocess.Popen([sys.argv[1], "--serve", "1", "--bytes", str(BYTES)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ours(op, dtype, axis, shape):
        server.stdin.write(f"{op} {dtype} {axis} {' '.join(map(str, shape))}\n")
        server.stdin.flush()
        return float(server.stdout.readline())

    def theirs(op, x, axis, out):
        start = time.process_time()
        getattr(x, op)(axis=axis, out=out)
        return time.process_time() - start

    for dtype, np_dtype in (("f32", np.float32), ("f64", np.float64)):
        n = BYTES // np.dtype(np_dtype).itemsize
        data = np.random.default_rng(1).standard_normal(n, dtype=np_dtype)
        shapes = [((n // k, k), 1) for k in ROWS] + [((n // k, k), 0) for k in COLUMNS]
        shapes += [((64, n // 4096, 64), 1), ((4, n // 4), 0)]
        # A few long columns, and a short middle axis: in cache, as users have them.
        shapes += [((k, 1_000_000 // k), 0) for k in (5, 9, 13)] + [((128, 3, 64, 100), 1)]
        for shape, axis in shapes:
            x = data[:int(np.prod(shape))].reshape(shape)
            kept = tuple(e for d, e in enumerate(shape) if d != axis)
            for op in ("sum", "var", "max", "argmax"):
                out = np.zeros(kept, dtype=np.intp if op == "argmax" else np_dtype)
                times = [(theirs(op, x, axis, out), ours(op, dtype, axis, shape))
                         for _ in range(TURNS)]
                them, us = map(min, zip(*times))
                print(f"{op:<7}{dtype} {str(shape):<22} axis {axis}  numpy {them * 1e3:9.2f} ms"
                      f"  onefold {us * 1e3:9.2f} ms  {them / us:6.2f}"
                      f"{'' if us <= them else '  behind'}", flush=True)
    server.stdin.close()


if __name__ == "__main__":
    main()

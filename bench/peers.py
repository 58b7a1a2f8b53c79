#!/usr/bin/env python3
"""Compares NumPy and math.fsum with onefold's C++ call, in alternation, sizes 1 to 2^27.

    python3 bench/peers.py build/bench/bench/peers [RESULT.json]

NumPy's time includes its Python call, as its users pay it; onefold's is the C++ call (a Python
package comes later). NumPy uses one thread; onefold is shown with one and with all. All take turns,
five times, and the least of each counts: a busy host slows one turn or another.
"""
import json
import math
import subprocess
import sys
import time

import numpy as np


TURNS = 5


def nanoseconds(call, n):
    repeats = max(1, 400_000 // (n + 4_000))
    samples = []
    call()
    for _ in range(1 if n > 1 << 24 else 5):
        start = time.perf_counter_ns()
        for _ in range(repeats):
            call()
        samples.append((time.perf_counter_ns() - start) / repeats)
    return sorted(samples)[len(samples) // 2]


def main():
    server = subprocess.Popen([sys.argv[1], "--serve", "1"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)

    def by_turns(*calls):
        return [min(times) for times in zip(*([call() for call in calls] for _ in range(TURNS)))]

    def ours(op, dtype, n, threads):
        server.stdin.write(f"{op} {dtype} {n} {threads}\n")
        server.stdin.flush()
        return float(server.stdout.readline())

    rows = []
    for dtype, np_dtype in (("f32", np.float32), ("f64", np.float64)):
        data = np.random.default_rng(1).standard_normal(1 << 27).astype(np_dtype)
        for k in [*range(0, 20, 2), *range(20, 28)]:
            n = 1 << k
            x = data[:n]
            for op in ("sum", "mean", "var", "min", "argmax"):
                theirs, one, many = by_turns(lambda: nanoseconds(getattr(x, op), n),
                                             lambda: ours(op, dtype, n, 1),
                                             lambda: ours(op, dtype, n, 0))
                rows.append({"op": op, "type": dtype, "log2_n": k, "peer": "numpy",
                             "peer_ns": theirs, "onefold_1_ns": one, "onefold_ns": many})
            if dtype == "f64" and k <= 22:
                theirs, one, many = by_turns(lambda: nanoseconds(lambda: math.fsum(x), n * 20),
                                             lambda: ours("sum", dtype, n, 1),
                                             lambda: ours("sum", dtype, n, 0))
                rows.append({"op": "sum", "type": dtype, "log2_n": k, "peer": "math.fsum",
                             "peer_ns": theirs, "onefold_1_ns": one, "onefold_ns": many})
        for row in rows:
            if row["type"] != dtype:
                continue
            behind = "" if row["onefold_ns"] <= row["peer_ns"] else "  behind"
            print(f"{row['op']:<7}{dtype:<5}2^{row['log2_n']:<3}{row['peer']:<10}"
                  f"{row['peer_ns']:>14.0f} ns  onefold 1 thread {row['onefold_1_ns']:>13.0f} ns"
                  f"  all {row['onefold_ns']:>13.0f} ns{behind}", flush=True)
    server.stdin.close()
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as out:
            json.dump({"numpy": np.__version__, "rows": rows}, out, indent=1)


if __name__ == "__main__":
    main()

"""Engines that call Python beside their own sums: PYTHONPATH=engines python bench/engine_python.py [ROWS]

ms, the least of 5 runs, of exact_sum of f64, whole and in 100 groups; in brackets, of the engine's own sum.
"""

import sys
import time

import datafusion
import numpy as np
import onefold_datafusion
import onefold_polars
import onefold_pyarrow
import polars as pl
import pyarrow as pa

rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
draw = np.random.default_rng(35)
table = pa.table({"k": draw.integers(0, 100, rows), "x": draw.normal(size=rows)})
frame = pl.from_arrow(table)
ctx = datafusion.SessionContext()
onefold_datafusion.register(ctx)
onefold_pyarrow.register()
ctx.register_record_batches("t", [table.to_batches(max_chunksize=8192)])


def sql(name, tail=""):
    return lambda: ctx.sql(f"SELECT {name}(x) FROM t{tail}").collect()


exact = onefold_polars.exact("exact_sum", "x")
engines = {
    "DataFusion": (sql("exact_sum"), sql("sum"), sql("exact_sum", " GROUP BY k"), sql("sum", " GROUP BY k")),
    "Polars": (lambda: frame.select(exact), lambda: frame.select(pl.col("x").sum()),
               lambda: frame.group_by("k").agg(exact), lambda: frame.group_by("k").agg(pl.col("x").sum())),
    "PyArrow": (None, None, lambda: table.group_by("k").aggregate([("x", "exact_sum")]),
                lambda: table.group_by("k").aggregate([("x", "sum")]))}


def least(call):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return min(times)


print(f"{rows} rows\n| engine | whole | 100 groups |\n|---|---|---|")
for engine, calls in engines.items():
    cells = []
    for ours, own in (calls[:2], calls[2:]):
        ms = least(ours) if ours else None
        cells.append(f"{ms:.3g} ({ms / least(own):.2g})" if ours else "")
    print(f"| {engine} | {' | '.join(cells)} |", flush=True)

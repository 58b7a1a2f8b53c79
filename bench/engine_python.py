"""Engines that call Python beside their own sums: PYTHONPATH=engines python bench/engine_python.py [ROWS]

ms, the least of 5 runs, of exact_sum and exact_corr of f64, whole and in groups, where all groups are one call; in brackets,
of the engine's own aggregate.
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

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000


def engines(groups):
    """{"Polars": {"sum": (ours, its own)}}; groups: 0 for the whole column"""
    draw = np.random.default_rng(35)
    table = pa.table({"k": draw.integers(0, max(groups, 1), ROWS), "x": draw.normal(size=ROWS), "y": draw.normal(size=ROWS)})
    frame = pl.from_arrow(table)
    ctx = datafusion.SessionContext()
    onefold_datafusion.register(ctx)
    ctx.register_record_batches("t", [table.to_batches(max_chunksize=8192)])

    def sql(call):
        return lambda: ctx.sql(f"SELECT {call} FROM t{' GROUP BY k' if groups else ''}").collect()

    def polars(expression):
        return lambda: (frame.group_by("k").agg(expression) if groups else frame.select(expression))

    def arrow(columns, name):
        return lambda: onefold_pyarrow.aggregate(table, ["k"], [(columns, name)])

    exact = onefold_polars.exact
    calls = {
        "DataFusion": {
            "sum": (sql("exact_sum_f64_list(array_agg(x))" if groups else "exact_sum_f64(x)"), sql("sum(x)")),
            "corr": (sql("exact_corr_f64_list(array_agg(y), array_agg(x))" if groups else "exact_corr_f64(y, x)"), sql("corr(y, x)"))},
        "Polars": {"sum": (polars(exact("exact_sum", "x")), polars(pl.col("x").sum())),
                   "corr": (polars(exact("exact_corr", "y", "x")), polars(pl.corr("y", "x")))}}
    if groups:
        calls["PyArrow"] = {"sum": (arrow("x", "exact_sum"), lambda: table.group_by("k").aggregate([("x", "sum")])),
                            "corr": (arrow(["y", "x"], "exact_corr"), None)}
    return calls


def least(call):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return min(times)


def cell(calls):
    if calls is None:
        return ""
    ours = least(calls[0])
    return f"{ours:.3g}" + (f" ({ours / least(calls[1]):.1f})" if calls[1] else "")


print(f"{ROWS} rows\n| engine | of | whole | 100 groups | 200,000 groups |\n|---|---|---|---|---|")
measured = [engines(groups) for groups in (0, 100, 200_000)]
for engine in ("DataFusion", "Polars", "PyArrow"):
    for of in ("sum", "corr"):
        print("|", " | ".join([engine, of, *(cell(m.get(engine, {}).get(of)) for m in measured)]), "|", flush=True)

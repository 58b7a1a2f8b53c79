"""Compares fold_by with pandas and Polars: sums of f64 by keys, medians of three runs in ms of the processor's time.

taskset -c 1 python bench/keys.py [ROWS]   # 2,000,000 rows; from 10,000,000 on integers only
"""

import statistics
import sys
import time

import numpy as np
import pandas as pd
import polars as pl

import onefold


def medians(*calls):
    times = [[] for _ in calls]
    for _ in range(3):
        for call, of_call in zip(calls, times):
            start = time.process_time()
            call()
            of_call.append(time.process_time() - start)
    return [f"{statistics.median(of_call) * 1e3:.1f}" for of_call in times]


def main():
    rng, n = np.random.default_rng(0), int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    x = rng.normal(size=n)
    series = pd.Series(x)
    print(f"| keys, {n:,} rows | groups | ours, ms | pandas | Polars |\n|---|---|---|---|---|")
    for groups in (10, 1000, 10**6):
        numbers = rng.integers(0, groups, n)
        kinds = {"i64": pd.Series(numbers)}
        if n < 10_000_000:
            text = pd.Series(np.array([f"key{k}" for k in range(groups)], dtype=object)[numbers], dtype="str")
            kinds |= {"text": text, "categorical": text.astype("category")}
        for name, keys in kinds.items():
            frame = pl.DataFrame({"k": pl.from_pandas(keys), "x": x})
            found = medians(lambda: onefold.fold_by("sum", keys, x),  # noqa: B023
                            lambda: series.groupby(keys, observed=True).sum(),  # noqa: B023
                            lambda: frame.group_by("k").agg(pl.col("x").sum()).sort("k"))  # noqa: B023
            print("|", " | ".join([name, f"{groups:,}", *found]), "|", flush=True)


if __name__ == "__main__":
    main()

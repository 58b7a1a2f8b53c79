"""Compares fold_by with pandas and Polars: sums of 2^21 f64 by keys, one line a case, least of
three runs, in ms.

python bench/keys.py
"""

import time

import numpy as np
import pandas as pd
import polars as pl

import onefold


def least(f):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return f"{min(times) * 1e3:.1f}"


def main():
    rng, n = np.random.default_rng(0), 1 << 21
    x = rng.normal(size=n)
    series = pd.Series(x)
    print("keys\tgroups\tonefold\tpandas\tpolars")
    for groups in (10, 1000, 10**6):
        numbers = rng.integers(0, groups, n)
        text = pd.Series(np.array([f"key{k}" for k in range(groups)], dtype=object)[numbers], dtype="str")
        for name, keys in [("i64", pd.Series(numbers)), ("text", text), ("categorical", text.astype("category"))]:
            frame = pl.DataFrame({"k": pl.from_pandas(keys), "x": x})
            print(name, groups, least(lambda: onefold.fold_by("sum", keys, x)),
                  least(lambda: series.groupby(keys, observed=True).sum()),
                  least(lambda: frame.group_by("k").agg(pl.col("x").sum()).sort("k")), sep="\t", flush=True)


if __name__ == "__main__":
    main()

"""Compares fold_by with pandas and Polars: sums of f64 by keys, medians of three runs in ms of the processor's time. Then
folds with weights and of pairs by labels, with NumPy's and pandas' formulas from sums by labels.

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
    weights(rng, n, series)


def weights(rng, n, x):
    """Prints times of weighted folds by labels. The formulas get sums(a), the sums of a by labels."""
    y, w, counts = pd.Series(rng.normal(size=n)), pd.Series(rng.random(n)), pd.Series(rng.integers(0, 5, n))
    print(f"| by labels, {n:,} rows | groups | ours, ms | np.bincount | pandas |\n|---|---|---|---|---|")
    for groups in (10, 1000, 100_000):
        labels = pd.Series(rng.integers(0, groups, n))
        by_numpy = lambda a: np.bincount(labels, a, groups)  # noqa: B023, E731
        by_pandas = lambda a: a.groupby(labels).sum().reindex(range(groups), fill_value=0).to_numpy()  # noqa: B023, E731

        def deviations(sums, a, w, total):
            return a - (sums(w * a) / total)[labels]  # noqa: B023

        def var(sums, w, ddof):
            total = sums(w)
            return sums(w * deviations(sums, x, w, total) ** 2) / (total - ddof)

        def corr(sums):
            total = sums(w)
            dx, dy = deviations(sums, x, w, total), deviations(sums, y, w, total)
            return sums(w * dx * dy) / np.sqrt(sums(w * dx * dx) * sums(w * dy * dy))

        def ours(op, **given):
            return lambda: onefold.fold_by(op, labels, x, groups=groups, threads=1, **given)  # noqa: B023

        for name, own, formula in (("var, weights", ours("var", weights=w), lambda sums: var(sums, w, 0)),
                                   ("corr, weights", ours("corr", y=y, weights=w), corr),
                                   ("var, fweights 0 to 4", ours("var", fweights=counts, ddof=1),
                                    lambda sums: var(sums, counts, 1))):
            found = medians(own, lambda: formula(by_numpy), lambda: formula(by_pandas))  # noqa: B023
            print("|", " | ".join([name, f"{groups:,}", *found]), "|", flush=True)


if __name__ == "__main__":
    main()

"""Weighted quantiles, modes, numbers of values, trimmed means and histograms beside NumPy, scipy and pandas, one thread, as
a table for results/order.md.

    python bench/order.py [--elements 4194304]

The median of 7 calls, in ns an element, ours and theirs in turn.
"""

import argparse
import statistics
import time

import numpy as np

import onefold


def timed(*functions):
    for function in functions:
        function()
    times = [[] for _ in functions]
    for _ in range(7):
        for function, its in zip(functions, times):
            begin = time.perf_counter()
            function()
            its.append(time.perf_counter() - begin)
    return [statistics.median(its) for its in times]


def lines(x, w, edges):
    import pandas
    from scipy import stats

    name = {"weights": w, "method": "inverted_cdf"}
    yield "`quantile(x, 0.3, weights=w)`", lambda: onefold.quantile(x, 0.3, threads=1, **name), [
        ("NumPy", lambda: np.quantile(x, 0.3, **name))]
    yield "`nunique`", lambda: onefold.nunique(x, threads=1), [
        ("NumPy", lambda: np.unique(x).size), ("pandas", lambda: pandas.Series(x).nunique())]
    yield "`mode`", lambda: onefold.mode(x, threads=1), [("scipy", lambda: stats.mode(x))]
    yield "`trimmed_mean(x, 0.1)`", lambda: onefold.trimmed_mean(x, 0.1, threads=1), [("scipy", lambda: stats.trim_mean(x, 0.1))]
    yield "`histogram(x, 100)`", lambda: onefold.histogram(x, 100, threads=1), [("NumPy", lambda: np.histogram(x, 100))]
    yield "`histogram(x, edges)`", lambda: onefold.histogram(x, edges, threads=1), [("NumPy", lambda: np.histogram(x, edges))]
    yield "`histogram(x, 100, weights=w)`", lambda: onefold.histogram(x, 100, weights=w, threads=1), [
        ("NumPy", lambda: np.histogram(x, 100, weights=w))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--elements", type=int, default=1 << 22)
    n = parser.parse_args().elements
    rng = np.random.default_rng(1)
    numbers, w = rng.normal(size=n) * 1000, rng.random(n)
    print("| numbers | function | Onefold, ns | peers, ns |\n|---|---|---|---|")
    for dtype in ("float64", "float32", "int64", "uint8"):
        x = numbers.astype(dtype) if dtype != "uint8" else np.abs(numbers).astype("int64").astype("uint8")
        for name, ours, peers in lines(x, w, [-500, -10, 0, 1, 50, 100, 500]):
            mine, *theirs = timed(ours, *[peer for _, peer in peers])
            print(f"| {dtype} | {name} | {mine / n * 1e9:.1f} | "
                  + ", ".join(f"{peer} {t / n * 1e9:.1f}" for (peer, _), t in zip(peers, theirs)) + " |")


if __name__ == "__main__":
    main()

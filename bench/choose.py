#!/usr/bin/env python3
"""Compares NumPy, Polars and DuckDB with onefold's masked folds, one thread, in alternation.

    PYTHONPATH=build/bench/python python3 bench/choose.py [--bytes 67108864] [--turns 5] [--only x]

Masks, NaN, segments, groups, pairs and weights. Times are of the processor, the least of the turns.
What others do not do exactly they may do sooner: "behind" says where.
"""
import argparse
import os
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
import onefold


def optional(name):
    try:
        return __import__(name)
    except ImportError:
        return None


polars, duckdb = optional("polars"), optional("duckdb")


def cases_of_elements(x, y, rows):
    """(what, ours, theirs) of masks, NaN, pairs and weights, whole and along rows of 64."""
    mask = np.random.default_rng(3).random(len(x)) < 0.5
    holes = np.where(np.random.default_rng(4).random(len(x)) < 0.01, np.nan, x).astype(x.dtype)
    weights = np.abs(y)
    views = [("whole", None, lambda a: a)]
    if rows:
        views.append(("rows of 64", 1, lambda a: a.reshape(-1, 64)))
        views.append(("rows of 1000", 1, lambda a: a[:len(a) // 1000 * 1000].reshape(-1, 1000)))
        views.append(("columns of 64", 0, lambda a: a.reshape(-1, 64)))
    for name, axis, view in views:
        a, b, m, h, w = map(view, (x, y, mask, holes, weights))
        for op in ("sum", "mean", "var"):
            yield (f"where {op} {name}", lambda op=op: getattr(onefold, op)(a, axis=axis, where=m),
                   lambda op=op: getattr(np, op)(a, axis=axis, where=m))
        yield (f"where max {name}", lambda: onefold.max(a, axis=axis, where=m),
               lambda: np.max(a, axis=axis, where=m, initial=-np.inf))
        for op in ("nansum", "nanmean", "nanmax", "nanvar"):
            yield (f"{op} {name}", lambda op=op: getattr(onefold, op)(h, axis=axis),
                   lambda op=op: getattr(np, op)(h, axis=axis))
        yield (f"pairs mse {name}", lambda: onefold.mse(a, b, axis=axis),
               lambda: np.mean((a - b) ** 2, axis=axis))
        yield (f"pairs mae {name}", lambda: onefold.mae(a, b, axis=axis),
               lambda: np.mean(np.abs(a - b), axis=axis))
        yield (f"pairs distance {name}", lambda: onefold.distance(a, b, axis=axis),
               lambda: np.linalg.norm(a - b, axis=axis))
        yield (f"weights average {name}", lambda: onefold.average(a, weights=w, axis=axis),
               lambda: np.average(a, weights=w, axis=axis))
        if axis is None:
            yield "pairs corr whole", lambda: onefold.corr(a, b), lambda: np.corrcoef(a, b)[0, 1]
            yield "pairs cov whole", lambda: onefold.cov(a, b, ddof=1), lambda: np.cov(a, b)[0, 1]
        else:
            def corr():
                p, q = a - a.mean(axis, keepdims=True), b - b.mean(axis, keepdims=True)
                return (p * q).sum(axis) / np.sqrt((p * p).sum(axis) * (q * q).sum(axis))
            def slope():
                p, q = a - a.mean(axis, keepdims=True), b - b.mean(axis, keepdims=True)
                return (p * q).sum(axis) / (p * p).sum(axis)

            def cov():
                p, q = a - a.mean(axis, keepdims=True), b - b.mean(axis, keepdims=True)
                return (p * q).mean(axis)

            def cosine():
                return (a * b).sum(axis) / np.sqrt((a * a).sum(axis) * (b * b).sum(axis))
            for theirs in (corr, cov, slope, cosine):
                op = getattr(onefold, theirs.__name__)
                yield f"pairs {theirs.__name__} {name}", lambda f=op: f(a, b, axis=axis), theirs


def cases_of_segments(x):
    for mean in (4, 16, 64, 1024):
        offsets = np.append(np.arange(0, len(x), mean), len(x))
        yield (f"segments sum of {mean}", lambda o=offsets: onefold.fold_segments("sum", x, o),
               lambda o=offsets: np.add.reduceat(x, o[:-1]))


def cases_of_groups(x):
    for groups in (10, 1000, 100_000):
        labels = np.random.default_rng(5).integers(0, groups, len(x))
        ours = lambda k=labels, n=groups: onefold.fold_by("sum", k, x, groups=n, threads=1)
        keyed = lambda k=labels: onefold.fold_by("sum", k, x, threads=1)
        yield (f"labels sum of {groups}, bincount", ours,
               lambda k=labels, n=groups: np.bincount(k, weights=x, minlength=n))
        if polars is not None:
            frame = polars.DataFrame({"k": labels, "x": x})
            yield (f"keys sum of {groups}, Polars", keyed,
                   lambda f=frame: f.group_by("k").agg(polars.col("x").sum()))
        if duckdb is not None:
            connection = duckdb.connect(config={"threads": 1})
            columns = {"k": labels, "x": x}
            connection.register("t", columns)
            yield (f"keys sum of {groups}, DuckDB", keyed,
                   lambda c=connection: c.sql("select k, sum(x) from t group by k").fetchnumpy())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, default=1 << 26)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    onefold.set_threads(1)
    load = os.getloadavg()[0]
    print(f"load {load:.1f}, {time.strftime('%F')}, numpy {np.__version__}"
          f"{'' if polars is None else ', polars ' + polars.__version__}"
          f"{'' if duckdb is None else ', duckdb ' + duckdb.__version__}")

    def measure(what, dtype, ours, theirs):
        if given.only not in what:
            return
        best = [float("inf")] * 2
        for _ in range(given.turns):
            for k, f in enumerate((ours, theirs)):
                start = time.process_time()
                f()
                best[k] = min(best[k], time.process_time() - start)
        us, them = best
        print(f"{what:<34}{dtype}  onefold {us * 1e3:9.2f} ms  theirs {them * 1e3:9.2f} ms"
              f"  {them / us:6.2f}{'' if us <= them else '  behind'}", flush=True)

    for dtype in ("f4", "f8"):
        n = given.bytes // np.dtype(dtype).itemsize
        x, y = (np.random.default_rng(s).standard_normal(n).astype(dtype) for s in (1, 2))
        for what, ours, theirs in cases_of_elements(x, y, True):
            measure(what, dtype, ours, theirs)
        for what, ours, theirs in cases_of_segments(x):
            measure(what, dtype, ours, theirs)
    for what, ours, theirs in cases_of_groups(x):
        measure(what, "f8", ours, theirs)


if __name__ == "__main__":
    main()

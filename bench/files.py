#!/usr/bin/env python3
"""A table of 10 columns with a header, 1 GB in the page cache: compares onefold with other
programs.

    python3 bench/files.py build/release/onefold [--gb 1] [--folder /tmp] [--json RESULT.json]

mean,std,min,max of one column, of all, and of one column by 10, 1000 and 10^6 keys. Peers: DuckDB and
Polars (PyPI), Miller and datamash (Debian), those that are there. The first two are timed from the
query on, without their start; Miller and datamash, which take minutes, on a twentieth of the lines.
All take turns; the median of each counts, of processor time (user and system) beside wall time,
since another's load changes the latter more. What they answer is compared with ours.
"""
import argparse
import datetime
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys

COLUMNS = ["k10", "k1000", "k1000000", "a", "b", "c", "d", "e", "f", "g"]
CHILD = r"""
import json, os, resource, sys, time
kind, path, query = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
columns, by = query["columns"], query["by"]
if kind == "duckdb":
    import duckdb
    db = duckdb.connect()
    what = ", ".join(f"avg({c}), stddev_pop({c}), min({c}), max({c})" for c in columns)
    sql = f"SELECT {by + ', ' if by else ''}{what} FROM read_csv('{path}', header=true)"
    sql += f" GROUP BY {by} ORDER BY {by}" if by else ""
    run = lambda: db.execute(sql).fetchall()
else:
    import polars as pl
    what = [f for c in columns for f in (pl.col(c).mean().alias(c + "0"), pl.col(c).std(ddof=0).alias(c + "1"),
                                         pl.col(c).min().alias(c + "2"), pl.col(c).max().alias(c + "3"))]
    lazy = pl.scan_csv(path)
    lazy = lazy.group_by(by).agg(what).sort(by) if by else lazy.select(what)
    run = lambda: lazy.collect(engine="streaming").rows()
before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
rows = run()
wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps({"wall": wall, "cpu": cpu, "n": len(rows), "first": rows[0], "last": rows[-1]}))
"""


def make(path, size):
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    rng = np.random.default_rng(1)
    with open(path, "wb") as out:
        header = True
        while out.tell() < size:
            n = 500_000
            data = {"k10": rng.integers(0, 10, n), "k1000": rng.integers(0, 1000, n),
                    "k1000000": rng.integers(0, 1_000_000, n)}
            for c in "abcd":
                data[c] = np.round(rng.standard_normal(n) * 100, 3)
            data["e"] = rng.integers(-10**6, 10**6, n)
            data["f"] = rng.standard_normal(n)  # 16 digits
            data["g"] = rng.random(n).round(6)
            pa.csv.write_csv(pa.table(data), out, pa.csv.WriteOptions(include_header=header, quoting_style="none"))
            header = False


def measured(words, reads=None):
    """Output, wall and processor seconds of a program."""
    start = datetime.datetime.now()
    source = open(reads, "rb") if reads else subprocess.DEVNULL
    child = subprocess.Popen(words, stdin=source, stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"})
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    wall = (datetime.datetime.now() - start).total_seconds()
    if status != 0:
        sys.exit(f"{words} failed: {status}")
    return out.decode(), wall, used.ru_utime + used.ru_stime


def ours(program, path, columns, by):
    words = [program, "mean,std,min,max", "--columns", ",".join(columns), path]
    if by:
        words[2:2] = ["--by", by]
    out, wall, cpu = measured(words)
    lines = [[float(x) for x in line.split("\t")[-4:]] for line in out.splitlines()[1:]]
    flat = [x for line in lines for x in line] if not by else None
    return {"wall": wall, "cpu": cpu, "n": len(lines), "first": flat or lines[0], "last": flat or lines[-1]}


def in_python(kind, path, columns, by):
    query = json.dumps({"columns": columns, "by": by})
    out, _, _ = measured([sys.executable, "-c", CHILD, kind, path, query])
    got = json.loads(out[out.index("{"):])  # before it there may be a progress bar
    if by:
        got["first"], got["last"] = got["first"][1:], got["last"][1:]
    return got


def miller(path, columns, by):
    words = ["mlr", "--icsv", "--ojson", "stats1", "-a", "mean,stddev,min,max", "-f", ",".join(columns)]
    out, wall, cpu = measured(words + (["-g", by] if by else []) + [path])
    return {"wall": wall, "cpu": cpu, "n": len(json.loads(out))}


def datamash(path, columns, by):
    at = {c: str(k + 1) for k, c in enumerate(COLUMNS)}
    words = ["datamash", "-t,", "--header-in"] + (["-s", "-g", at[by]] if by else [])
    for c in columns:
        for op in ("mean", "pstdev", "min", "max"):
            words += [op, at[c]]
    out, wall, cpu = measured(words, path)
    return {"wall": wall, "cpu": cpu, "n": len(out.splitlines())}


def same(a, b):
    return all(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) for x, y in zip(a, b, strict=True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--gb", type=float, default=1)
    parser.add_argument("--folder", default="/tmp")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", default="", help="questions that begin so")
    parser.add_argument("--json")
    args = parser.parse_args()
    path = f"{args.folder}/onefold_files_{args.gb:g}.csv"
    few = path + ".few"
    if not os.path.exists(path):
        make(path, args.gb * 1e9)
    size = os.path.getsize(path)
    with open(path, "rb") as source, open(few, "wb") as out:
        out.write(source.read(size // 20))
        out.write(source.readline())
    few_size = os.path.getsize(few)
    subprocess.run(["cat", path], stdout=subprocess.DEVNULL, check=True)  # into the page cache
    questions = [("one column", ["a"], None), ("all columns", COLUMNS, None)]
    questions += [(f"by {n} keys", ["a"], f"k{n}") for n in (10, 1000, 1000000)]
    questions = [q for q in questions if q[0].startswith(args.only)]
    result = {"machine": platform.processor() or platform.machine(), "cores": os.cpu_count(),
              "date": datetime.date.today().isoformat(), "bytes": size, "load": [], "rows": []}
    for title, columns, by in questions:
        takes = {"onefold": lambda: ours(args.program, path, columns, by)}
        for kind in ("duckdb", "polars"):
            if subprocess.run([sys.executable, "-c", f"import {kind}"], capture_output=True).returncode == 0:
                takes[kind] = lambda kind=kind: in_python(kind, path, columns, by)
        slow = {"miller": ("mlr", miller), "datamash": ("datamash", datamash)}
        times = {name: [] for name in takes}
        for _ in range(args.turns):
            result["load"].append(round(os.getloadavg()[0], 1))
            for name, take in takes.items():
                times[name].append(take())
        for name, (word, take) in slow.items():
            if shutil.which(word):
                times[name] = [take(few, columns, by)]
        base = times["onefold"][0]
        for name, list_ in times.items():
            bytes_ = few_size if name in slow else size
            cpu = statistics.median(t["cpu"] for t in list_)
            wall = statistics.median(t["wall"] for t in list_)
            if "first" in list_[0]:
                right = all(t["n"] == base["n"] or not by for t in list_)
                right = right and all(same(t[k], base[k]) for t in list_ for k in ("first", "last"))
            else:
                right = None
            if right is False:
                sys.exit(f"{title}: {name} answers otherwise")
            row = {"question": title, "program": name, "cpu_gb_s": bytes_ / cpu / 1e9, "wall_gb_s": bytes_ / wall / 1e9}
            result["rows"].append(row)
            ratio = row["cpu_gb_s"] / next(r for r in result["rows"] if r["question"] == title)["cpu_gb_s"]
            print(f"| {title} | {name} | {row['cpu_gb_s']:.3f} | {row['wall_gb_s']:.3f} | {1 / ratio:.2f} |", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(result, f, indent=1)
    print("load", result["load"])
    os.remove(few)


if __name__ == "__main__":
    main()

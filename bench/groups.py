#!/usr/bin/env python3
"""Groups of tables beside DuckDB, Polars and pandas: mean, min and max of one column by 10, 1,000 and 10^6 keys, of integers
and texts, of CSV and Parquet, with sorted output.

    python3 bench/groups.py build/release/onefold [--rows 1000000] [--turns 3] [--folder /tmp] [--written] [--threads 1]

Each question is a process of its own. With one thread its time is that of the processor (user and system), with more the time
that passes, less what the program takes to start and read a tiny file of that kind, or a peer to import; its memory is the most that was resident. Ours prints
all groups as text; the peers write them as CSV with --written. All take turns; the median of each counts. The first and last groups are
compared with ours. Miller and datamash are in bench/files.py.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

PEERS = {
    "DuckDB": ("import duckdb", """
db = duckdb.connect(); db.execute(f"SET threads={threads}"); db.execute("SET enable_progress_bar=false")
read = f"read_csv('{path}')" if path.endswith("csv") else f"'{path}'"
query = f"SELECT k, avg(x), min(x), max(x) FROM {read} GROUP BY k ORDER BY k"
if written:
    db.execute(f"CREATE TABLE t AS {query}")
    db.execute(f"COPY t TO '{written}' (FORMAT csv)")
rows = db.execute("SELECT k FROM t" if written else query).fetchnumpy()
out = [len(rows["k"]), rows["k"][0], rows["k"][-1]]"""),
    "Polars": ("import polars as pl", """
scan = pl.scan_csv(path) if path.endswith("csv") else pl.scan_parquet(path)
rows = scan.group_by("k").agg(pl.col("x").mean(), pl.col("x").min().alias("l"), pl.col("x").max().alias("m")).sort("k").collect()
if written: rows.write_csv(written)
out = [len(rows), rows["k"][0], rows["k"][-1]]"""),
    "pandas": ("import pandas as pd", """
table = pd.read_csv(path) if path.endswith("csv") else pd.read_parquet(path)
rows = table.groupby("k")["x"].agg(["mean", "min", "max"])
if written: rows.to_csv(written)
out = [len(rows), rows.index[0], rows.index[-1]]"""),
}


def run(words, env=None, threads=1):
    """The output's lines, the seconds, and MiB, of a process. A child begins with the memory of its
    parent, so a long output stays in a file, and of it only the first two lines, the last and their number are read."""
    with tempfile.TemporaryFile() as out:
        begin = time.perf_counter()
        child = subprocess.Popen(words, stdout=out, env=env)
        _, status, used = os.wait4(child.pid, 0)
        passed = time.perf_counter() - begin
        child.returncode = status
        if status:
            sys.exit(f"{words[:3]} failed")
        out.seek(0)
        lines, n = [], 0
        for line in out:
            n += 1
            lines = [*lines[:2], line.decode().rstrip()]
    return [n, *lines], used.ru_utime + used.ru_stime if threads == 1 else passed, used.ru_maxrss / 1024


# In a process of its own, for a child begins with the memory of its parent.
MAKE = """
import sys
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
stem, rows, keys, texts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "text"
rng = np.random.default_rng(1)
k = rng.integers(0, keys, rows)
column = pa.array([f"customer-{v:07d}" for v in k]) if texts else pa.array(k)
table = pa.table({"k": column, "x": np.round(rng.normal(100, 20, rows), 2)})
pyarrow.csv.write_csv(table, stem + ".csv")
pyarrow.parquet.write_table(table, stem + ".parquet")
"""


def make(folder, rows, keys, kind):
    stem = f"{folder}/onefold_groups_{rows}_{keys}_{kind}"
    if not os.path.exists(stem + ".parquet"):
        subprocess.run([sys.executable, "-c", MAKE, stem, str(rows), str(keys), kind], check=True)
    return stem


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--folder", default="/tmp")
    parser.add_argument("--written", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    threads = args.threads
    env = {**os.environ, "POLARS_MAX_THREADS": str(threads), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    start = {name: statistics.median(run([sys.executable, "-c", imports], env, threads)[1] for _ in range(args.turns))
             for name, (imports, _) in PEERS.items()}
    tiny = {}
    for ending in ("csv", "parquet"):
        small = make(args.folder, 10, 2, "integers") + "." + ending
        tiny[ending] = statistics.median(
            run([args.program, "mean", "--by", "k", "--threads", str(threads), small], None, threads)[1] for _ in range(args.turns))
    print("| keys | of | file | onefold, s, MiB | " + " | ".join(f"{p}: s, MiB, theirs / ours" for p in PEERS) + " |")
    print("|---|---|---|---|" + "---|" * len(PEERS), flush=True)
    for kind in ("integers", "text"):
        for keys in (10, 1000, 1_000_000):
            stem = make(args.folder, args.rows, keys, kind)
            for ending in ("csv", "parquet"):
                path = f"{stem}.{ending}"
                taken = {name: [] for name in ("onefold", *PEERS)}
                for _ in range(args.turns):
                    (n, *lines), *used = run([args.program, "mean,min,max", "--by", "k", "--threads", str(threads), path], None, threads)
                    ours = [n - 1, lines[1].split("\t")[0], lines[-1].split("\t")[0]]
                    taken["onefold"].append([used[0] - tiny[ending], used[1]])
                    for name, (imports, query) in PEERS.items():
                        written = f"{args.folder}/onefold_groups.out" if args.written else ""
                        code = f"{imports}\npath, written, threads = {path!r}, {written!r}, {threads}{query}\nprint(*out)"
                        (_, text), *used = run([sys.executable, "-c", code], env, threads)
                        if text.split() != [str(v) for v in ours]:
                            sys.exit(f"{path}: {name} answers {text}, we {ours}")
                        taken[name].append([used[0] - start[name], used[1]])
                middle = {name: [statistics.median(v) for v in zip(*t)] for name, t in taken.items()}
                own, mib = middle.pop("onefold")
                cells = [f"{s:.2f}, {m:.0f}, {s / own:.2f}" for s, m in middle.values()]
                print(f"| {keys} | {kind} | {ending} | {own:.2f}, {mib:.0f} | " + " | ".join(cells) + " |", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

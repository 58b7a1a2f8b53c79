"""Compares `onefold agg` with DuckDB on a CSV: calls of several families, for all rows and by keys. Medians of three
runs of processes, in seconds of the processor's time and of the clock.

python bench/agg.py PROGRAM [PROGRAM ...]   # such as one before a change, and one behind it
"""

import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROWS, KEYS, USERS = 2_000_000, 100, 50_000
CALLS = {
    "sum(price)": "sum(price)",
    "p90(price)": "quantile_cont(price, 0.9)",
    "nunique(user)": 'count(distinct "user")',
    "max(t)": "max(t)",
    "count()": "count(*)",
    "sum(price), p90(price), nunique(user), max(t)":
        'sum(price), quantile_cont(price, 0.9), count(distinct "user"), max(t)',
}


def make(path):
    r = np.random.default_rng(1)
    days = (np.datetime64("2024-01-01") + r.integers(0, 366, ROWS)).astype(str)
    rows = zip(r.integers(0, KEYS, ROWS), days, np.round(r.gamma(2, 20, ROWS), 2), r.integers(1, 20, ROWS),
               r.integers(0, USERS, ROWS))
    with open(path, "w") as file:
        file.write("city,t,price,qty,user\n")
        file.writelines(f"c{k:03d},{t},{price},{qty},u{user}\n" for k, t, price, qty, user in rows)


def run(words):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.perf_counter() - start


def duckdb(path, calls, by):
    keys = "city, " if by else ""
    query = f"select {keys}{calls} from read_csv('{path}')" + (" group by city order by city" if by else "")
    return [sys.executable, "-c", f"import duckdb; duckdb.sql('set threads=2'); duckdb.sql({query!r}).fetchall()"]


def main():
    programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "orders.csv")
        make(path)
        print("| calls | by | " + " | ".join([*programs, "DuckDB", "importing duckdb"]) + " |\n" + "|---" * (len(programs) + 4) + "|")
        for calls, sql in CALLS.items():
            for by in (False, True):
                all_words = [[program, "agg", calls, *(["--by", "city"] if by else []), path] for program in programs]
                all_words += [duckdb(path, sql, by), [sys.executable, "-c", "import duckdb"]]
                times = [[run(words) for _ in range(3)] for words in all_words]
                cells = [" / ".join(f"{statistics.median(t):.2f}" for t in zip(*own)) for own in times]
                print("|", " | ".join([f"`{calls}`", "city" if by else "", *cells]), "|", flush=True)


if __name__ == "__main__":
    main()

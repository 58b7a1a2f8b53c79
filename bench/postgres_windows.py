"""Sliding windows of PostgreSQL beside its own sum, us a row: python bench/postgres_windows.py, after `make test`."""

import os
import pathlib
import sys
import tempfile
import time

root = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(root / "tests/engines"))
os.environ.setdefault("ONEFOLD_ENGINES", str(root / "build/release/engines"))
from test_postgres import Server  # noqa: E402

rows = 20_000
table = (f"create table w as select i, (i * 7919 % 1000003 - 500001) * power(2::float8, i * 31 % 40 - 20) as x, "
         f"(i % 97)::float8 as y from generate_series(1::int8, {rows}) i; analyze w;")
query = "select max(s) from (select {} over (order by i rows between {} preceding and current row) as s from w) v;"
with tempfile.TemporaryDirectory(prefix="of", ignore_cleanup_errors=True) as folder:
    server = Server(pathlib.Path(folder))
    try:
        server.ask("create extension onefold; " + table)
        for frame in (10, 100, 1000):
            for call in ("sum(x)", "exact_sum(x)", "exact_var(x)", "exact_corr(x, y)"):
                times = []
                for _ in range(3):
                    start = time.perf_counter()
                    server.ask(query.format(call, frame))
                    times.append(time.perf_counter() - start)
                print(f"{frame} {call} {min(times) / rows * 1e6:.1f}", flush=True)
    finally:
        server.stop()

"""Compares aggregates of the DuckDB extension with DuckDB's own, in one process: python
bench/engines.py EXTENSION [THREADS [ROWS]]

The least time of seven runs each, in ms, and how many answers each gave in these runs.
"""

import sys
import time

import duckdb

extension = sys.argv[1]
threads = int(sys.argv[2]) if len(sys.argv) > 2 else 2
rows = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000_000
db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
db.execute(f"load '{extension}'")
db.execute(f"set threads = {threads}")
db.execute(f"create table t as select ((hash(i) % 1000003)::double - 500001) * power(2, (hash(i + 1) % 40)::double - 20) x, "
           f"(hash(i + 2) % 1000)::double y, (hash(i + 3) % 1000)::int g from range({rows}) r(i)")
groups = [["sum(x)", "fsum(x)", "exact_sum(x)"], ["avg(x)", "exact_avg(x)"], ["var_samp(x)", "exact_var(x)"],
          ["stddev(x)", "exact_stddev(x)"], ["corr(x, y)", "exact_corr(x, y)"]]
print(f"DuckDB {duckdb.__version__}, {rows} rows, {threads} threads")
print("| aggregate | whole, ms | of its own | answers | 1,000 groups, ms | of its own |\n|---|---|---|---|---|---|")
for names in groups:
    base = None
    for name in names:
        times, seen = [[], []], set()
        for _ in range(7):
            for k, query in enumerate([f"select {name} from t", f"select sum(s) from (select {name} s from t group by g)"]):
                start = time.perf_counter()
                answer = db.execute(query).fetchone()[0]
                times[k].append((time.perf_counter() - start) * 1e3)
                if k == 0:
                    seen.add(answer)
        least = [min(t) for t in times]
        base = base or least
        print(f"| {name} | {least[0]:.0f} | {least[0] / base[0]:.2f} | {len(seen)} | {least[1]:.0f} | {least[1] / base[1]:.2f} |",
              flush=True)

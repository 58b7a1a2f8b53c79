"""Groups of the DuckDB extension beside DuckDB's own aggregates: python bench/engine_groups.py EXTENSION [ROWS [RUNS]]

CPU time of one thread, ns a row, the least of RUNS, of `select sum(s) from (select NAME s from t group by g)`, by number of groups;
in brackets, of DuckDB's own. 250,000 groups have a third of the rows.
"""

import sys
import time

import duckdb

extension = sys.argv[1]
rows = int(sys.argv[2]) if len(sys.argv) > 2 else 3_000_000
runs = int(sys.argv[3]) if len(sys.argv) > 3 else 4
db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
db.execute(f"load '{extension}'")
db.execute("set threads = 1")


def least(name):
    times = []
    for _ in range(runs):
        start = time.process_time()
        db.execute(f"select sum(s) from (select {name} s from t group by g)").fetchone()
        times.append(time.process_time() - start)
    return min(times)


pairs = {"sum(x)": "exact_sum(x)", "avg(x)": "exact_avg(x)", "var_samp(x)": "exact_var(x)", "corr(x, y)": "exact_corr(x, y)"}
table = {name: [] for name in pairs.values()}
sizes = (10, 1000, 250_000)
for groups in sizes:
    n = rows // 3 if groups == 250_000 else rows
    db.execute("create or replace table t as select ((hash(i) % 1000003)::double - 500001) * "
               "power(2, (hash(i + 1) % 40)::double - 20) x, (hash(i + 2) % 1000)::double y, "
               f"(hash(i + 3) % {groups})::int g from range({n}) r(i)")
    for own, name in pairs.items():
        base, ours = least(own), least(name)
        table[name].append(f"{ours / n * 1e9:.3g} ({ours / base:.1f})")
print(f"DuckDB {duckdb.__version__}, {rows} rows")
print("| aggregate |" + "".join(f" {g:,} groups |" for g in sizes) + "\n|---|" + "---|" * len(sizes))
for name, cells in table.items():
    print(f"| {name} | {' | '.join(cells)} |")

"""How many totals has one column of money? python bench/money.py [--json FILE]

Writes a CSV file of a million rows to a temporary folder and adds up Oslo's amounts with each tool that is
installed: the same amounts in six orders, or, for DuckDB, the same query of the same file twelve times.
"""

import argparse
import fractions
import json
import os
import pathlib
import platform
import random
import shutil
import subprocess
import tempfile

import duckdb
import numpy as np
import onefold
import pandas as pd
import polars as pl

CITIES = ("Oslo", "Rome", "Bern", "São Paulo", "New York; NY", "Łódź", "Lima", "Kyoto")
ROWS, ORDERS, RUNS = 1_000_000, 6, 12


def write_sales(path):
    random.seed(1)
    with open(path, "w") as file:
        file.write("time,city,amount,note\n")
        for i in range(ROWS):
            amount = "" if i % 997 == 0 else f"{random.uniform(-50, 5000):.2f}"
            day = f"2024-{1 + i * 12 // ROWS:02d}-{1 + i % 28:02d} {i % 24:02d}:{i % 60:02d}:00"
            file.write(f"{day},{CITIES[i * 7 % 8]},{amount},{'say hi' if i % 5 == 0 else ''}\n")


def in_orders(texts):
    """The amounts in the file's order, then shuffled."""
    yield texts
    for seed in range(1, ORDERS):
        yield random.Random(seed).sample(texts, len(texts))


def printed(*command):
    """Runs a program on amounts, one a line, and returns the number it prints."""
    def total(texts):
        done = subprocess.run(command, input="\n".join(["amount", *texts]) + "\n", capture_output=True, text=True, check=True)
        return float(done.stdout)
    return total


def tools():
    """{name: (version, function from texts of amounts to a total)} of what is installed."""
    def floats(texts):
        return np.array(texts, dtype="f8")

    found = {"Onefold": (None, lambda texts: onefold.sum(floats(texts))),
             "pandas": (pd.__version__, lambda texts: pd.Series(floats(texts)).sum()),
             "NumPy": (np.__version__, lambda texts: np.sum(floats(texts))),
             "Polars": (pl.__version__, lambda texts: pl.Series(floats(texts)).sum())}
    if shutil.which("awk"):
        name = pathlib.Path(shutil.which("awk")).resolve().name
        found["awk"] = (name, printed("awk", 'NR > 1 { s += $1 } END { printf "%.9f\\n", s }'))
    if shutil.which("mlr"):
        version = subprocess.run(["mlr", "--version"], capture_output=True, text=True).stdout.split()[-1]
        found["Miller"] = (version, printed("mlr", "--icsv", "--onidx", "--ofmt", "%.9lf", "stats1", "-a", "sum", "-f", "amount"))
    # From Python 3.12 on, the built-in sum compensates.
    found["Python's sum"] = (platform.python_version(), lambda texts: sum(map(float, texts)))
    return found


def measured(path):
    frame = pd.read_csv(path, dtype=str)
    texts = frame[frame.city == "Oslo"].amount.dropna().tolist()
    exact = sum(map(fractions.Fraction, texts))

    def row(version, how, totals):
        errors = [float((fractions.Fraction(total) - fractions.Fraction(float(exact))) * 10**6) for total in totals]
        return {"version": version, "how": how, "totals": len(set(totals)), "errors (millionths)": errors}

    rows = {name: row(version, f"{ORDERS} orders", [float(total(order)) for order in in_orders(texts)])
            for name, (version, total) in tools().items()}
    query = f"select sum(amount) from '{path}' where city = 'Oslo'"
    rows["DuckDB"] = row(duckdb.__version__, f"{RUNS} runs of one query",
                         [float(duckdb.sql(query).fetchall()[0][0]) for _ in range(RUNS)])
    keys, answers = onefold.fold("sum", os.fspath(path), by="city", columns="amount")
    of_file = dict(zip(keys, answers.sum))["Oslo"]
    assert float(of_file) == float(exact), of_file
    return {"what": "amounts with two decimals", "amounts": len(texts), "exact": f"{float(exact):.2f}",
            "cores": os.cpu_count(), "tools": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sales.csv"
        write_sales(path)
        found = measured(path)
    for name, one in found["tools"].items():
        print(f"{name:13} {one['totals']} totals, {one['how']}: {sorted(set(one['errors (millionths)']))}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

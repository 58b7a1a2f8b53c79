"""The time of rolling folds and scans, beside pandas, Polars, Bottleneck and NumPy: taskset -c 1 python bench/rolling.py

Medians of interleaved turns in one process, one thread, in ns an element, as rows of Markdown. Times are of the
processor, not of the clock. `wrong` says how many of a peer's answers differ from the exact ones by more than an ulp.
"""

import argparse
import statistics
import time

import bottleneck as bn
import numpy as np
import pandas as pd
import polars as pl

import onefold

parser = argparse.ArgumentParser()
parser.add_argument("--elements", type=int, default=1_000_000)
parser.add_argument("--width", type=int, default=50)
parser.add_argument("--turns", type=int, default=7)
parser.add_argument("--expanding", action="store_true", help="windows of all elements up to each")
options = parser.parse_args()
n, width = options.elements, options.width
onefold.set_threads(1)
rng = np.random.default_rng(1)


def data():
    normal = rng.standard_normal(n)
    yield "N(0,1)", normal
    yield "N(0,1) f32", normal.astype("f4")
    decay = 1e6 * np.exp(-(np.arange(n) % 2000) / 50)
    yield "1e6 e^(-i/50), again each 2,000", decay
    spiked = normal.copy()
    spiked[rng.integers(0, n, n // 5000)] = 1e12
    yield "1e12 in each 5,000", spiked
    holes = normal.copy()
    holes[rng.random(n) < .01] = np.nan
    yield "1 % NaN", holes


def calls(op, x):
    other = x[::-1].copy()
    series, column, turned = pd.Series(x), pl.Series(x), pd.Series(other)
    if options.expanding:
        second, turned = ([other], [turned]) if op in ("cov", "corr") else ([], [])
        return {"onefold": lambda: getattr(onefold.expanding(x, min_periods=2), op)(*second),
                "pandas": lambda: getattr(series.expanding(2), op)(*turned)}
    if op in ("cov", "corr"):
        frame = pl.DataFrame({"a": x, "b": other})
        return {"onefold": lambda: getattr(onefold.rolling(x, width), op)(other),
                "pandas": lambda: getattr(series.rolling(width), op)(turned),
                "polars": lambda: frame.select(getattr(pl, "rolling_" + op)("a", "b", window_size=width))}
    if op == "cumsum":
        return {"onefold": lambda: onefold.cumsum(x), "pandas": series.cumsum, "polars": column.cum_sum,
                "numpy": lambda: np.cumsum(x)}
    ddof = {"ddof": 1} if op in ("var", "std") else {}
    both = {"onefold": lambda: getattr(onefold.rolling(x, width), op)(),
            "pandas": lambda: getattr(series.rolling(width), op)()}
    if op in ("skew", "kurt"):
        return both
    return {**both,
            "polars": lambda: getattr(column, "rolling_" + op)(width),
            "bottleneck": lambda: getattr(bn, "move_" + op)(x, width, **ddof)}


def seconds(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def wrong(answer, right):
    a = np.asarray(answer, "f8").ravel()
    with np.errstate(all="ignore"):
        return int(np.sum(~((np.abs(a - right) <= np.spacing(np.abs(right))) | (np.isnan(a) & np.isnan(right)))))


libraries = ("onefold", "pandas", "polars", "bottleneck", "numpy")
print(f"pandas {pd.__version__}, Polars {pl.__version__}, Bottleneck {bn.__version__}, NumPy {np.__version__}; "
      f"{n:,} elements, {'expanding' if options.expanding else f'{width} wide'}\n")
print("| data | op | " + " | ".join(f"{name}, ns" for name in libraries) + " | wrong: " + ", ".join(libraries[1:]) + " |")
print("|---|---|" + "---|" * (len(libraries) + 1))
for name, x in data():
    for op in ("sum", "mean", "var", "std", "min", "max", "cov", "corr", "skew", "kurt", *([] if options.expanding else ["cumsum"])):
        try:
            made = calls(op, x)
            times = {library: [] for library in made}
            for _ in range(options.turns):
                for library, call in made.items():
                    times[library].append(seconds(call))
            right = np.asarray(made["onefold"](), "f8")
            bad = {library: wrong(call(), right) for library, call in made.items()}
        except Exception as error:  # a peer that does not take the data
            print(f"| {name} | {op} | {type(error).__name__}: {error} |")
            continue
        row = [f"{statistics.median(times[k]) / n * 1e9:.1f}" if k in times else "" for k in libraries]
        print(f"| {name} | {op} | " + " | ".join(row) + " | "
              + ", ".join(f"{bad[k]:,}" if k in bad else "-" for k in libraries[1:]) + " |", flush=True)

"""Matrices of columns and least squares beside NumPy, pandas and scipy, one thread, as tables for results/algebra.md.

    python bench/algebra.py [--runs 7]

Each figure is the median of the runs, in which the libraries take turns. Matrices: ns an element and pair of columns, of
which there are p (p + 1) / 2. Fits: ms. "wrong" is the share of numbers that are not the exact ones rounded once: ours are, as
tests show, so others are compared with ours. Digits: how many of NIST's certified digits the worst coefficient has.
"""

import argparse
import math
import os
import pathlib
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import onefold

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python" / "tests"))
from nist_linear import SETS

RNG = np.random.default_rng(59)


def medians(calls, runs):
    """The median time of each call in seconds; all of them take turns."""
    times = [[] for _ in calls]
    for _ in range(runs):
        for call, to in zip(calls, times):
            begin = time.perf_counter()
            call()
            to.append(time.perf_counter() - begin)
    return [sorted(t)[runs // 2] for t in times]


def wrong(found, right):
    return f"{100 * np.mean(np.asarray(found) != np.asarray(right)):.0f} %"


def matrices(runs):
    import pandas

    print("| rows x columns | Onefold `cov_matrix`, C; F order | `corr_matrix` | `gram` | numpy.cov | wrong | pandas `corr` | x.T @ x | "
          "wrong |")
    print("|" + "---|" * 9)
    for dtype in ("float32", "float64"):
        for n, p in ((1_000_000, 2), (1_000_000, 5), (100_000, 20), (10_000, 100), (1_000, 100)):
            x = RNG.standard_normal((n, p)).astype(dtype)
            columns, frame = np.asfortranarray(x), pandas.DataFrame(x)
            times = medians([lambda: onefold.cov_matrix(x, threads=1), lambda: onefold.cov_matrix(columns, threads=1),
                             lambda: onefold.corr_matrix(x, threads=1), lambda: onefold.gram(x, threads=1),
                             lambda: np.cov(x, rowvar=False), lambda: frame.corr(), lambda: x.T @ x], runs)
            t = [f"{1e9 * t / (n * p * (p + 1) / 2):.2f}" for t in times]
            cov = wrong(np.cov(x, rowvar=False, dtype=dtype), onefold.cov_matrix(x, ddof=1))
            print(f"| {dtype}, {n:,} x {p} | {t[0]}; {t[1]} | {t[2]} | {t[3]} | {t[4]} | {cov} | {t[5]} | {t[6]} | "
                  f"{wrong(x.T @ x, onefold.gram(x))} |", flush=True)


def fits(runs):
    from scipy import linalg

    print("\n| rows x columns | Onefold, ms | numpy.linalg.lstsq, ms | wrong | scipy.linalg.lstsq (gelsy), ms | normal equations, "
          "ms |")
    print("|" + "---|" * 6)
    for n, p in ((1_000_000, 1), (1_000_000, 5), (100_000, 20), (1_000, 5), (1_000, 20), (1_000, 30), (1_000, 50), (1_000, 100)):
        x = RNG.standard_normal((n, p))
        y = x.sum(1) + RNG.standard_normal(n)
        with_ones = np.column_stack([np.ones(n), x])

        def solved():
            return np.linalg.solve(with_ones.T @ with_ones, with_ones.T @ y)

        t = [f"{1e3 * t:.3g}" for t in medians([
            lambda: onefold.linear_fit(x, y, threads=1), lambda: np.linalg.lstsq(with_ones, y),
            lambda: linalg.lstsq(with_ones, y, lapack_driver="gelsy"), solved], runs)]
        share = wrong(np.linalg.lstsq(with_ones, y)[0], onefold.linear_fit(x, y).coef)
        print(f"| {n:,} x {p} | {t[0]} | {t[1]} | {share} | {t[2]} | {t[3]} |", flush=True)


def digits(found, certified):
    """The digits of the worst of some numbers."""
    def of(value, right):
        error = abs(value - right) / (abs(right) or 1)
        return 15.0 if error == 0 else min(15.0, -math.log10(error))

    return f"{max(0.0, min(map(of, found, certified))):.1f}"


def certified():
    print("\n| NIST's set | Onefold: coefficients; errors | numpy.linalg.lstsq | wrong | normal equations |")
    print("|" + "---|" * 5)
    for name, (rows, powers, intercept, coef, errors, *_) in SETS.items():
        y = np.array([float(row[0]) for row in rows])
        x = np.array([[float(v) for v in row[1:]] for row in rows])
        x = x if powers is None else x ** np.arange(1, powers + 1)
        fit = onefold.linear_fit(x, y, intercept=intercept)
        m = np.column_stack([np.ones(len(y)), x]) if intercept else x
        other = np.linalg.lstsq(m, y)[0]
        print(f"| {name} | {digits(fit.coef, coef)}; {digits(fit.stderr, errors)} | {digits(other, coef)} | "
              f"{wrong(other, fit.coef)} | {digits(np.linalg.solve(m.T @ m, m.T @ y), coef)} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    matrices(runs)
    fits(runs)
    certified()


if __name__ == "__main__":
    main()

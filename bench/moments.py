"""Moments beside scipy's, one thread, as a table for results/algebra.md.

    python bench/moments.py [--runs 7]

Each figure is ns of processor time an element, the least of the runs, in which the libraries take turns; scipy's is beside it.
"""

import argparse
import os
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import scipy.stats

import onefold

RNG = np.random.default_rng(72)
FOLDS = {
    "sem": (onefold.sem, scipy.stats.sem),
    "skewness": (onefold.skewness, scipy.stats.skew),
    "skewness, ddof 1": (lambda x, axis: onefold.skewness(x, axis, ddof=1),
                         lambda x, axis: scipy.stats.skew(x, axis, bias=False)),
    "kurtosis": (onefold.kurtosis, scipy.stats.kurtosis),
    "kurtosis, ddof 1": (lambda x, axis: onefold.kurtosis(x, axis, ddof=1),
                         lambda x, axis: scipy.stats.kurtosis(x, axis, bias=False)),
    "moment3": (onefold.moment3, lambda x, axis: scipy.stats.moment(x, 3, axis)),
    "moment4": (onefold.moment4, lambda x, axis: scipy.stats.moment(x, 4, axis)),
    "raw_moment3": (onefold.raw_moment3, lambda x, axis: scipy.stats.moment(x, 3, axis, center=0)),
    "raw_moment4": (onefold.raw_moment4, lambda x, axis: scipy.stats.moment(x, 4, axis, center=0))}


def least(calls, runs):
    """The least processor time of each call in seconds; all of them take turns."""
    times = [[] for _ in calls]
    for _ in range(runs):
        for call, to in zip(calls, times):
            begin = time.process_time_ns()
            call()
            to.append(time.process_time_ns() - begin)
    return [min(t) / 1e9 for t in times]


def symmetric(rows, n):
    half = RNG.normal(size=(rows, n // 2))
    return np.concatenate([half, -half], axis=1)


DATA = {
    "rows of 256": lambda: (RNG.normal(size=(2000, 256)), 1),
    "2^20 elements": lambda: (RNG.normal(size=1 << 20), 0),
    "rows of 256, symmetric": lambda: (symmetric(400, 256), 1),
    "rows of 256, all 0.1": lambda: (np.full((400, 256), 0.1), 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    onefold.set_threads(1)
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    cases = [(f"{what}, {t}", made, t) for what, made in DATA.items() for t in ("f64", "f32")]
    print("| op |", " | ".join(what for what, *_ in cases), "|")
    print("|---" * (len(cases) + 1) + "|")
    for op, (ours, theirs) in FOLDS.items():
        row = []
        for _, made, t in cases:
            x, axis = made()
            x = x.astype("f8" if t == "f64" else "f4")
            a, b = least([lambda: ours(x, axis=axis), lambda: theirs(x, axis=axis)], runs)
            row.append(f"{a / x.size * 1e9:.2f}, {b / x.size * 1e9:.1f}")
        print(f"| {op} |", " | ".join(row), "|", flush=True)


main()

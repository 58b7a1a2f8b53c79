"""CPython's statistics, which computes by fractions."""

import platform
import statistics

TYPES = ("f64", "f32", "i64")
VERSION, NEEDS = f"of CPython {platform.python_version()}", "Python"


def mean(x, type):
    return float(statistics.mean(x))


def var(x, type):
    return float(statistics.pvariance(x))

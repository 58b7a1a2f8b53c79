"""Data that floating-point sums get wrong, and the exact answers by fractions."""

import math
import random
from fractions import Fraction


def hard(n, seed):
    """Numbers of many sizes that nearly cancel."""
    draw = random.Random(seed)
    x = [math.ldexp(draw.uniform(-1, 1), draw.randrange(-60, 60)) for _ in range(n)]
    return x + [-v for v in x[: n // 2]]


def _root(q):
    """The root of a fraction, rounded once: of 2^-2k times it, an integer root of 120 bits decides."""
    if q == 0:
        return 0.0
    shift = 240 - 2 * ((q.numerator.bit_length() - q.denominator.bit_length()) // 2)
    scaled = q * Fraction(2) ** shift
    floor = math.isqrt(math.floor(scaled))
    sticky = 0 if floor * floor == scaled else 1
    return float(Fraction(2 * floor + sticky) / Fraction(2) ** (shift // 2 + 1))


def answers(x, y):
    """name -> the exactly rounded answer; x is the first column of SQL, y the second."""
    n, a, b = len(x), [Fraction(v) for v in x], [Fraction(v) for v in y]
    s, q, t, r = sum(a), sum(v * v for v in a), sum(b), sum(v * v for v in b)
    p = sum(v * w for v, w in zip(a, b))
    square, cross, other = n * q - s * s, n * p - s * t, n * r - t * t
    sign = 1 if cross > 0 else -1
    cubes = sum(v**3 for v in a)
    third = n * n * cubes - 3 * n * s * q + 2 * s**3
    fourth = n**3 * sum(v**4 for v in a) - 4 * n * n * s * cubes + 6 * n * s * s * q - 3 * s**4
    lean, skew, excess = 1 if third > 0 else -1, third**2 / square**3, fourth / square**2 - 3
    return {
        "exact_sum(x)": float(s),
        "exact_avg(x)": float(s / n),
        "exact_var(x)": float(square / (n * (n - 1))),
        "exact_var_samp(x)": float(square / (n * (n - 1))),
        "exact_var_pop(x)": float(square / (n * n)),
        "exact_stddev(x)": _root(square / (n * (n - 1))),
        "exact_stddev_samp(x)": _root(square / (n * (n - 1))),
        "exact_stddev_pop(x)": _root(square / (n * n)),
        "exact_rms(x)": _root(q / n),
        "exact_sem(x)": _root(square / (n * n * (n - 1))),
        "exact_skewness(x)": lean * _root(skew * n * (n - 1) / (n - 2) ** 2),
        "exact_skewness_pop(x)": lean * _root(skew),
        "exact_kurtosis(x)": float((n - 1) * ((n + 1) * excess + 6) / ((n - 2) * (n - 3))),
        "exact_kurtosis_pop(x)": float(excess),
        "exact_dot(x, y)": float(p),
        "exact_corr(x, y)": sign * _root(cross * cross / (square * other)),
        "exact_covar_samp(x, y)": float(cross / (n * (n - 1))),
        "exact_covar_pop(x, y)": float(cross / (n * n)),
        # x is the dependent one.
        "exact_regr_slope(x, y)": float(cross / other),
        "exact_regr_intercept(x, y)": float((s * r - t * p) / other),
    }

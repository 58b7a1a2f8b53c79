"""Matrices of columns, and least squares, against fractions and NIST's certified values."""

import math
from fractions import Fraction

import numpy as np
import pytest

import onefold
from nist_linear import SETS

RNG = np.random.default_rng(59)


def root(value):
    """The f64 next to the root of a fraction >= 0, ties to even."""
    if value == 0:
        return 0.0
    shift = max(0, 140 - value.numerator.bit_length() + value.denominator.bit_length())
    shift += shift % 2
    whole = (value.numerator << shift) // value.denominator
    r = math.isqrt(whole)
    exact = Fraction(r * r, 1 << shift) == value
    # A sticky bit below a root of 70 bits decides every tie.
    return float(Fraction(2 * r + (not exact), 1 << (shift // 2 + 1)))


def exact_fit(columns, y):
    """Coefficients, squared standard errors, R^2 and residual variance of columns of fractions; the first may be 1."""
    k, n = len(columns), len(y)
    dot = lambda a, b: sum((p * q for p, q in zip(a, b)), Fraction(0))
    rows = [[dot(a, b) for b in columns] + [dot(a, y)] + [Fraction(i == j) for j in range(k)] for i, a in enumerate(columns)]
    for m in range(k):
        pivot = rows[m][m]
        rows[m] = [v / pivot for v in rows[m]]
        for i in range(k):
            if i != m and rows[i][m]:
                rows[i] = [v - rows[i][m] * w for v, w in zip(rows[i], rows[m])]
    coef = [row[k] for row in rows]
    fitted = [sum((c * column[r] for c, column in zip(coef, columns)), Fraction(0)) for r in range(n)]
    residuals = dot([a - b for a, b in zip(y, fitted)], [a - b for a, b in zip(y, fitted)])
    mean = sum(y) / n if all(v == 1 for v in columns[0]) else Fraction(0)
    total = dot([v - mean for v in y], [v - mean for v in y])
    variance = residuals / (n - k) if n > k else None
    errors = [None if variance is None else variance * rows[m][k + 1 + m] for m in range(k)]
    return coef, errors, None if total == 0 else 1 - residuals / total, variance


def rounded_fit(x, y, intercept=True):
    """What linear_fit() must return, bit for bit."""
    columns = [[Fraction(1)] * len(y)] * intercept + [[Fraction(v) for v in column] for column in x.T.tolist()]
    coef, errors, r2, variance = exact_fit(columns, [Fraction(v) for v in y.tolist()])
    nan = math.nan
    return ([float(c) for c in coef], [nan if e is None else root(e) for e in errors],
            nan if r2 is None else float(r2), nan if variance is None else root(variance))


def check(fit, wanted):
    np.testing.assert_array_equal(fit.coef, wanted[0])
    np.testing.assert_array_equal(fit.stderr, wanted[1])
    np.testing.assert_array_equal([fit.r2, fit.residual_std], wanted[2:])


def arrays_of(name):
    rows, powers, intercept, *certified = SETS[name]
    y = np.array([float(row[0]) for row in rows])
    x = np.array([[float(v) for v in row[1:]] for row in rows])
    if powers is not None:
        x = x ** np.arange(1, powers + 1)
    return x, y, intercept, certified


def digits(value, certified):
    """How many digits agree."""
    if value == certified:
        return 15.0
    return min(15.0, -math.log10(abs(value - certified) / abs(certified))) if certified else -math.log10(abs(value))


@pytest.mark.parametrize("name", SETS)
def test_fits_of_nist_are_rounded_once(name):
    x, y, intercept, _ = arrays_of(name)
    check(onefold.linear_fit(x, y, intercept=intercept), rounded_fit(x, y, intercept))


@pytest.mark.parametrize("name", SETS)
def test_texts_of_nist_have_the_certified_values(name):
    rows, powers, intercept, coef, errors, r2, std = SETS[name]
    x = [[Fraction(v) for v in row[1:]] for row in rows]
    if powers is not None:
        x = [[row[0] ** p for p in range(1, powers + 1)] for row in x]
    columns = [[Fraction(1)] * len(rows)] * intercept + [list(column) for column in zip(*x)]
    found = exact_fit(columns, [Fraction(row[0]) for row in rows])
    for value, certified in zip([*map(float, found[0]), *map(root, found[1]), float(found[2]), root(found[3])],
                                [*coef, *errors, r2, std]):
        assert digits(value, certified) >= 14


# Digits of NIST's that are left since a decimal is no f64, nor are Filip's powers: the exact fit of the f64 has them.
LEFT = {"norris": 13.5, "pontius": 13, "filip": 7, "wampler2": 13}


@pytest.mark.parametrize("name", SETS)
def test_fits_of_nist_agree_with_certified_values(name):
    x, y, intercept, (coef, errors, r2, std) = arrays_of(name)
    fit = onefold.linear_fit(x, y, intercept=intercept)
    left = min(map(digits, fit.coef, coef))
    print(name, left, min(map(digits, fit.stderr, errors)), digits(fit.r2, r2), digits(fit.residual_std, std))
    assert left >= LEFT.get(name, 14)

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
    assert left >= LEFT.get(name, 14)


@pytest.mark.parametrize("seed", range(12))
def test_fits_are_the_exact_ones_rounded_once(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(8, 14)), int(rng.integers(1, 4))
    x, y = rng.standard_normal((n, p)), rng.standard_normal(n)
    if seed % 3 == 1:
        x, y = x * 10.0 ** rng.integers(-200, 200, p), y + 1e9
    elif seed % 3 == 2:
        x, y = x.astype(np.float32), y.astype(np.float32)
    for intercept in (True, False):
        check(onefold.linear_fit(x, y, intercept=intercept), rounded_fit(x, y, intercept))


def test_integers_and_bools_are_exact():
    x = RNG.integers(-2**62, 2**62, (9, 2))
    y = RNG.integers(-2**62, 2**62, 9)
    check(onefold.linear_fit(x, y), rounded_fit(x, y))
    check(onefold.linear_fit(x[:, 0] % 2 == 0, y), rounded_fit((x[:, :1] % 2 == 0).astype(int), y))


def test_a_fit_depends_on_the_rows_alone():
    x, y = RNG.standard_normal((1000, 4)), RNG.standard_normal(1000)
    wanted = onefold.linear_fit(x, y)
    rows, columns = RNG.permutation(1000), np.array([2, 0, 3, 1])
    for found in (onefold.linear_fit(x[rows], y[rows]), onefold.linear_fit(np.asfortranarray(x), y, threads=1),
                  onefold.linear_fit(np.repeat(x, 2, 0)[::2], np.repeat(y, 3)[::3]), onefold.linear_fit(x.tolist(), y.tolist())):
        check(found, wanted[:4])
    found = onefold.linear_fit(x[:, columns], y)
    np.testing.assert_array_equal(found.coef[1:], wanted.coef[1:][columns])
    np.testing.assert_array_equal(found.stderr[1:], wanted.stderr[1:][columns])
    assert (found.r2, found.residual_std, found.n, found.dof) == (wanted.r2, wanted.residual_std, 1000, 995)


def test_scaling_by_powers_of_two_scales_the_bits():
    x, y = RNG.standard_normal((50, 2)), RNG.standard_normal(50)
    wanted, found = onefold.linear_fit(x, y), onefold.linear_fit(x * [2.0**300, 2.0**-5], y * 2.0**100)
    np.testing.assert_array_equal(found.coef, wanted.coef * [2.0**100, 2.0**-200, 2.0**105])
    assert found.r2 == wanted.r2 and found.residual_std == wanted.residual_std * 2.0**100


@pytest.mark.parametrize(("x", "intercept", "words"), [
    ([[1, 2], [2, 4], [5, 10], [6, 12]], True, "column 1 is an exact linear combination of the intercept and the columns"),
    ([[3, 2], [3, 4], [3, 11], [3, 12]], True, "column 0 is an exact linear combination of the intercept;"),
    ([[0, 2], [0, 4], [0, 11], [0, 12]], False, "column 0 is 0 in every row; leave it out"),
    ([[1, 2], [2, 4], [5, 10], [6, 12]], False, "column 1 is an exact linear combination of the columns before it")])
def test_singular_columns_are_named(x, intercept, words):
    with pytest.raises(onefold.OptionError, match="linear_fit: singular: " + words):
        onefold.linear_fit(np.array(x, float), np.arange(4.0), intercept=intercept)


def test_columns_that_differ_in_one_bit_are_not_singular():
    x = np.array([[1, 1], [2, 2], [5, np.nextafter(5, 6)], [6, 6]], float)
    y = np.array([1.0, 2, 5, 7])
    check(onefold.linear_fit(x, y), rounded_fit(x, y))


def test_too_few_rows_are_singular():
    with pytest.raises(onefold.OptionError, match="there are no rows"):
        onefold.linear_fit([], [])
    with pytest.raises(onefold.OptionError, match="column 0"):
        onefold.linear_fit([[1.0, 2.0]], [1.0])
    fit = onefold.linear_fit([1.0, 2.0], [3.0, 5.0])
    assert fit.coef.tolist() == [1, 2] and fit.dof == 0 and math.isnan(fit.residual_std) and np.isnan(fit.stderr).all()


def test_nan_makes_nan_or_is_left_out():
    x, y = RNG.standard_normal((20, 2)), RNG.standard_normal(20)
    bad = x.copy()
    bad[3, 1] = np.nan
    assert np.isnan(onefold.linear_fit(bad, y).coef).all() and math.isnan(onefold.linear_fit(bad, y).r2)
    keep = np.arange(20) != 3
    check(onefold.linear_fit(bad, y, nan="omit"), onefold.linear_fit(x[keep], y[keep])[:4])
    assert onefold.linear_fit(bad, y, nan="omit").n == 19
    with pytest.raises(onefold.NanError):
        onefold.linear_fit(bad, y, nan="raise")
    bad[3, 1] = np.inf
    assert np.isnan(onefold.linear_fit(bad, y, nan="omit").coef).all()


TYPES = ["bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("order", "rows"), [("C", 40), ("F", 40), ("C", 5000), ("F", 5000)])
def test_entries_are_those_of_the_ops(dtype, order, rows):
    low, high = {"b": (0, 2), "u": (0, 10)}.get(dtype[0], (-9, 10))
    x = (RNG.integers(low, high, (rows, 5)) * (0.37 if "float" in dtype else 1)).astype(dtype, order=order)
    for function, op, more in ((onefold.cov_matrix, onefold.cov, {"ddof": 1}), (onefold.cov_matrix, onefold.cov, {}),
                               (onefold.corr_matrix, onefold.corr, {}), (onefold.gram, onefold.dot, {})):
        wanted = np.array([[op(a, b, **more) for b in x.T] for a in x.T])
        found = function(x, **more)
        assert found.dtype == op(x[:, 0], x[:, 0], **more).dtype
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(onefold.gram(x), onefold.matmul(x.T, x))


def test_covariances_are_fractions_rounded_once():
    x = RNG.standard_normal((30, 3)) * [1, 1e-9, 1e120] + [1e8, 0, 0]
    columns = [[Fraction(v) for v in column] for column in x.T.tolist()]
    centred = [[v - sum(column) / 30 for v in column] for column in columns]
    spread = [[sum(a * b for a, b in zip(one, other)) for other in centred] for one in centred]
    np.testing.assert_array_equal(onefold.cov_matrix(x, ddof=1), [[float(v / 29) for v in row] for row in spread])
    np.testing.assert_array_equal(onefold.corr_matrix(x), [
        [math.copysign(root(spread[i][j]**2 / (spread[i][i] * spread[j][j])), spread[i][j]) for j in range(3)] for i in range(3)])


@pytest.mark.parametrize("rows", [20, 5000])
def test_nan_in_a_column_makes_its_entries_nan(rows):
    x = RNG.standard_normal((rows, 3))
    x[4, 1] = np.nan
    for function in (onefold.cov_matrix, onefold.corr_matrix, onefold.gram):
        assert np.isnan(function(x)).tolist() == [[False, True, False], [True] * 3, [False, True, False]]
        with pytest.raises(onefold.NanError):
            function(x, nan="raise")


def test_frames_keep_their_labels_and_nan_is_as_pandas_has_it():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2, np.nan, 4, 7], "b": [3, 1, 4, 1, 5], "c": [1.5, np.nan, 2, 8, 1]})
    for found, wanted in ((onefold.cov_matrix(frame, ddof=1, nan="omit"), frame.cov()),
                          (onefold.corr_matrix(frame, nan="omit"), frame.corr())):
        pandas.testing.assert_frame_equal(found, wanted)
    assert onefold.gram(frame).columns.tolist() == ["a", "b", "c"]
    fit = onefold.linear_fit(frame[["b", "c"]], frame["a"], nan="omit")
    assert fit.coef.index.tolist() == ["intercept", "b", "c"] and fit.n == 3
    with pytest.raises(onefold.OptionError, match="the column b2 is an exact linear combination"):
        onefold.linear_fit(frame[["b"]].assign(b2=frame["b"] * 2), frame["b"])
    with pytest.raises(onefold.UnsupportedError, match="the column s does not hold numbers"):
        onefold.cov_matrix(frame.assign(s="x"))
    with pytest.raises(onefold.DTypeError, match="cannot hold all of these int64 values exactly"):
        onefold.cov_matrix(frame.assign(b=2**53 + 1))


def test_frames_of_polars_and_arrow_are_matrices():
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    columns = {"a": [1.0, 2.0, 4.0], "b": [3, 1, 4]}
    wanted = onefold.cov_matrix(np.array([columns["a"], columns["b"]]).T)
    for frame in (polars.DataFrame(columns), arrow.table(columns)):
        np.testing.assert_array_equal(onefold.cov_matrix(frame), wanted)
    with pytest.raises(onefold.UnsupportedError, match="nulls"):
        onefold.cov_matrix(polars.DataFrame({"a": [1.0, None], "b": [1.0, 2.0]}))


def test_what_is_refused_says_why():
    with pytest.raises(onefold.ShapeError, match=r"corr_matrix: shape \(2, 2, 2\)"):
        onefold.corr_matrix(np.zeros((2, 2, 2)))
    with pytest.raises(onefold.ShapeError, match="one number for each row"):
        onefold.linear_fit(np.zeros((3, 2)), np.zeros(2))
    with pytest.raises(onefold.UnsupportedError, match="files"):
        onefold.gram(["x.npy", "y.npy"])
    with pytest.raises(onefold.OptionError, match="intercept=.* is neither True nor False"):
        onefold.linear_fit([1.0], [1.0], intercept="no")
    with pytest.raises(onefold.UnsupportedError, match="mask"):
        onefold.gram(np.ma.masked_equal([[1.0, 2.0]], 2))


def test_rows_of_pandas_are_paired_by_place_only_if_labels_agree():
    pd = pytest.importorskip("pandas")

    x, y = pd.Series([1.0, 2, 3]), pd.Series([1.0, 2, 4], index=[2, 1, 0])
    for one in (x, x.to_frame("q")):
        with pytest.raises(onefold.ShapeError, match="other labels"):
            onefold.linear_fit(one, y)
    assert onefold.linear_fit(x, y.to_numpy()).coef[1] == 1.5

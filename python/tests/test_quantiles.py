"""Quantiles of arrays and files against their definition in exact fractions, and against NumPy's shapes."""

import decimal
import json
import os
import subprocess
from fractions import Fraction
from math import floor

import numpy as np
import pytest

import onefold

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "")
METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]
# Of Hyndman and Fan: h = q (n + a) - b, between two numbers
TYPES = {"interpolated_inverted_cdf": (0, 1), "hazen": (0, Fraction(1, 2)), "weibull": (1, 1),
         "median_unbiased": (Fraction(1, 3), Fraction(2, 3)), "normal_unbiased": (Fraction(1, 4), Fraction(5, 8))}


def by_definition(numbers, q, method, dtype):
    """The quantile by fractions, rounded once."""
    x = sorted(Fraction(int(v)) if dtype.kind in "iub" else Fraction(float(v)) for v in numbers)
    h = Fraction(q) * (len(x) - 1)
    low, rest = floor(h), h - floor(h)
    high = low + (rest > 0)
    exact = {"linear": x[low] + rest * (x[high] - x[low]), "lower": x[low], "higher": x[high],
             "midpoint": (x[low] + x[high]) / 2,
             "nearest": x[high if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2) else low]}[method]
    return float(exact) if dtype.kind in "iub" or dtype == "f8" else np.dtype(dtype).type(float(exact))


@pytest.mark.parametrize("method", TYPES)
def test_quantiles_of_hyndman_and_fan_are_rounded_once(method):
    rng = np.random.default_rng(9)
    a, b = TYPES[method]
    for n in [1, 2, 3, 10, 101]:
        x = rng.normal(size=n) * 10.0**rng.integers(-9, 9, n)
        order = [Fraction(v) for v in sorted(x)]
        for q in ["0", "1", "0.5", "0.1", "0.333", "0.9999999999", "0." + "3" * 37]:
            h = min(max(Fraction(q) * (n + a) - b, Fraction(0)), Fraction(n - 1))
            low, rest = floor(h), h - floor(h)
            right = float(order[low] + rest * (order[min(low + 1, n - 1)] - order[low]))
            assert onefold.quantile(x, q, method=method) == right, (n, q)


def test_all_methods_are_those_of_numpy():
    rng = np.random.default_rng(10)
    for method in [*METHODS, *TYPES, "inverted_cdf", "averaged_inverted_cdf", "closest_observation"]:
        for _ in range(200):
            # Multiples of 1/64 are f64, so NumPy's h is exact too.
            x, q = rng.integers(-50, 50, rng.integers(1, 30)) * 64.0, rng.integers(0, 65) / 64
            assert np.isclose(onefold.quantile(x, q, method=method), np.quantile(x, q, method=method), rtol=1e-12, atol=1e-9), \
                (method, x, q)


def test_quantiles_of_frames_by_keys():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"k": list("abab"), "x": [1.0, np.nan, 4.0, 2.0], "n": [3, 1, 5, 2]})
    keys, found = onefold.median(frame, columns=["x", "n"], by="k", nan="omit")
    assert keys.tolist() == ["a", "b"] and found["x"].tolist() == [2.5, 2.0] and found["n"].tolist() == [4.0, 1.5]
    keys, found = onefold.median(frame, columns="x", by="k")
    assert found[0] == 2.5 and np.isnan(found[1])
    keys, found = onefold.quantile(pyarrow.table(frame), [0, 1], columns="n", by="k")
    assert np.asarray(found).tolist() == [[3.0, 1.0], [5.0, 2.0]]
    frame["t"] = pandas.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01", None])
    latest = onefold.fold("max", frame, columns=["t"], by="k")[1]["t"].max
    assert np.isnat(latest).tolist() == [False, True]  # as of the group's rows alone
    keys, found = onefold.fold("max,count", frame, columns=["t"], by="k", nan="omit")
    assert found["t"].max.astype("datetime64[D]").astype(str).tolist() == ["2024-03-01", "2024-02-01"]
    try:
        assert onefold.fold("sum", frame, columns=["n"], where="k = 'a' and n > 3")["n"].sum == 5
    except onefold.UnsupportedError as error:
        pytest.skip(str(error))  # no plugin of Arrow


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u8", "i4", "u4", "i2", "u2", "i1", "u1", "?"])
def test_quantiles_are_their_definition(dtype):
    rng = np.random.default_rng(7)
    for n in [1, 2, 3, 10, 101]:
        info = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else None
        x = (rng.integers(info.min, info.max, n, dtype, endpoint=True) if info
             else (rng.normal(size=n) * 100).astype(dtype))
        for q in [0, 0.1, 0.25, 0.5, 0.77, 1]:
            for method in METHODS:
                if dtype == "f2" and method in ("linear", "midpoint"):
                    continue  # the oracle would round twice
                expected = by_definition(x, str(q), method, x.dtype)
                if dtype == "f4" and method == "linear":
                    assert abs(onefold.quantile(x, q, method=method) - expected) <= abs(np.spacing(expected))
                    continue
                assert onefold.quantile(x, q, method=method) == expected, (n, q, method)


def test_shapes_are_numpys():
    x = np.random.default_rng(1).normal(size=(4, 5, 6))
    there = x > -0.5
    for axis in [None, 0, -1, (0, 2), (0, 1, 2)]:
        for q in [0.3, [0.3], [0.1, 0.5, 0.9]]:
            for keepdims in [False, True]:
                ours = onefold.quantile(x, q, axis=axis, keepdims=keepdims)
                theirs = np.quantile(x, q, axis=axis, keepdims=keepdims)
                assert np.shape(ours) == np.shape(theirs) and np.allclose(ours, theirs, rtol=1e-14)
        ours = onefold.median(x, axis, where=there)
        assert np.allclose(ours, np.nanmedian(np.where(there, x, np.nan), axis=axis), equal_nan=True)
        assert np.array_equal(onefold.median(x[:, ::-2].transpose(1, 0, 2), axis=axis, threads=1),
                              onefold.median(np.ascontiguousarray(x[:, ::-2].transpose(1, 0, 2)), axis=axis))
    assert onefold.median(np.ones((3, 0)), axis=0).shape == (0,)
    assert np.isnan(onefold.median(np.ones((3, 0)), axis=1)).all() and np.isnan(onefold.median([]))


def test_nan_and_infinities_follow_the_policy():
    x = np.array([[1, np.nan, 3], [2, np.inf, 5]])
    assert np.array_equal(onefold.median(x, axis=1), [np.nan, 5], equal_nan=True)
    assert np.array_equal(onefold.median(x, axis=1, nan="omit"), [2, 5])
    with pytest.raises(onefold.NanError):
        onefold.median(x, nan="raise")
    assert onefold.median([-np.inf, 1, np.inf, 2]) == 1.5 and str(onefold.median([-0.0, -0.0])) == "-0.0"
    assert onefold.median([1e308, 1.7e308]) == 1.35e308 and onefold.median([5e-324, 1e-323]) == 1e-323
    assert onefold.median(np.array([2**53 + 1, 2**53 + 3])) == 2**53 + 2


def test_arrays_that_are_not_sorted_whole_have_the_same_quantiles():
    n = 2**22 + 5
    x = np.random.default_rng(3).normal(size=n).astype("f4")
    order = np.sort(x)
    assert onefold.quantile(x, 0.25, method="lower") == order[(n - 1) // 4]
    assert onefold.median(x) == order[n // 2]
    same = np.repeat(np.arange(5, dtype="u1"), n // 5 + 1)[:n]
    assert onefold.quantile(same, [0, 0.5, 1]).tolist() == [0, 2, 4]


def test_every_kind_of_array_has_them():
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    for x in [[3, 1, 2, 10], (3., 1, 2, 10), pd.Series([3, 1, 2, 10]), pa.array([3, None, 1, 2, 10]),
              np.ma.array([3, 99, 1, 2, 10], mask=[0, 1, 0, 0, 0]), np.array([3, 1, 2, 10], ">i4")]:
        assert onefold.median(x) == 2.5 and onefold.quantile(x, [0, 1]).tolist() == [1, 10]


def test_files_and_tables_have_them(tmp_path):
    x = np.random.default_rng(5).normal(size=1001)
    np.save(tmp_path / "x.npy", x)
    assert onefold.median(tmp_path / "x.npy") == np.median(x)
    path = tmp_path / "t.csv"
    path.write_text("city,price,qty\nOslo,1,3\nRome,2,1\nBern,4,\n")
    with pytest.warns(onefold.TableWarning, match="1 in column qty"):
        medians = onefold.median(path)
    assert medians == {"price": 2.0, "qty": 2.0}
    assert onefold.quantile(path, [0.25, 1], columns="price").tolist() == [1.5, 4]
    if PROGRAM:
        out = subprocess.run([PROGRAM, "quantile", "--q", "0.123,0.9", "--json", path], capture_output=True, check=True)
        both = onefold.quantile(path, [0.123, 0.9], columns=["price", "qty"])
        theirs = json.loads(out.stdout)
        assert [list(theirs[name].values()) for name in theirs] == np.array([both["price"], both["qty"]]).T.tolist()


def test_a_computed_q_is_its_shortest_decimal():
    assert onefold.quantile([1., 2, 3], [-0.0, 0.0]).tolist() == [1, 1]
    rng = np.random.default_rng(1)
    x = np.sort(np.concatenate([rng.integers(-2**62, 2**62, 500), rng.integers(0, 9, 501)]))
    for q in [1 / 3, 1 / 30000, 1e-20, 1e-37, 1 - 0.9999999, *rng.random(50) / 300, *rng.random(50), *rng.random(50) / 1e15]:
        assert onefold.quantile([0., 1.], q=q) == q
        h = Fraction(repr(float(q))) * (len(x) - 1)
        low = int(x[int(h)])
        exact = low + (h - int(h)) * (int(x[int(h) + 1]) - low)
        assert onefold.quantile(x, q) == float(exact)  # a Fraction is rounded once
        assert onefold.quantile(x.view("M8[s]"), q).view("i8") == round(exact)
        assert onefold.quantile(x, q, method="nearest") == float(x[round(h)])
    assert onefold.quantile([0., 1.], round(5e-324, 37)) == 0


@pytest.mark.parametrize(("call", "text"), [
    (lambda: onefold.quantile([1.], 1.5), "quantile: q=1.5 is not between 0 and 1"),
    (lambda: onefold.quantile([1.], [0.5, 1e-40]), "has 40 decimal places, but at most 37 are supported; pass round(q, 37)"),
    (lambda: onefold.quantile([1.], np.nan), "quantile: q=nan is not between 0 and 1"),
    (lambda: onefold.quantile([1.], -0.1), "quantile: q=-0.1 is not between 0 and 1"),
    (lambda: onefold.quantile([1.], "half"), "q='half' is not a number from 0 to 1"),
    (lambda: onefold.quantile([1.], 0.5, method="best"), 'method="best" is not valid; choose one of linear'),
    (lambda: onefold.quantile([1.], 0.5, axis=1), "axis 1 is out of range for shape (1,); legal axes are -1..0"),
    (lambda: onefold.quantile([1.], 0.5, columns="a"), "columns= applies only to files"),
    (lambda: onefold.median("none.npy", axis=0), "axis= is not available for files"),
    (lambda: onefold.median([None]), "median: ")])
def test_what_is_wrong_is_one_line(call, text):
    with pytest.raises((onefold.Error, TypeError)) as caught:
        call()
    assert text in str(caught.value)


def test_q_is_taken_as_it_is_written():
    x, q = [2.0, 6.8, 1.0, 6.5, -2.6e-175], "0.57705693360082537339"
    for one in (q, decimal.Decimal(q), Fraction(q)):
        assert onefold.quantile(x, one) == 3.387024804814857
    assert onefold.quantile([1.0, 2.0], Fraction(1, 4)) == 1.25
    with pytest.raises(onefold.Error, match="at most 37"):
        onefold.quantile(x, Fraction(1, 3))


def test_several_q_of_masked_slices_are_masked():
    assert onefold.quantile(np.ma.masked_all(3), [0.2, 0.5]).mask.tolist() == [True, True]
    x = np.ma.masked_array([[1.0, 2, 3], [4, 5, 6]], [[0, 0, 0], [1, 1, 1]])
    assert onefold.quantile(x, [0.2, 0.5], axis=1).mask.tolist() == [[False, True], [False, True]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint64", "int8", "bool"])
def test_long_slices_have_the_numbers_of_a_sort(dtype):
    random = np.random.default_rng(3)
    for n in (512, 1000, 5000, 70_001, 600_000):
        some = [random.standard_normal(n) * 50, np.arange(n), np.arange(n)[::-1], random.integers(0, 3, n), np.full(n, 7),
                np.where(np.arange(n) % 512 == 0, 1, 0)]
        if dtype.startswith("float"):
            some.append(np.where(random.random(n) < .5, np.nan, random.random(n)))
        for x in some if n < 100_000 else some[::3]:
            x = np.clip(np.abs(x) if dtype[0] in "ub" else x, -100, 100 if dtype in ("int8", "float16") else None).astype(dtype)
            numbers = np.sort(x[~np.isnan(x)] if dtype.startswith("float") else x)
            for q in (0, 0.001, 0.5, 0.9, 1):
                rank = int(Fraction(str(q)) * (len(numbers) - 1))
                given = onefold.quantile(x, q, method="lower", nan="omit")
                assert given == float(numbers[rank]), (n, q)
            both = np.stack([x, x[::-1]])
            for array, axis in ((both, 1), (both.T, 0), (np.asfortranarray(both), 1)):
                medians = onefold.quantile(array, 0.5, axis, nan="omit")
                assert medians[0] == medians[1] == onefold.median(list(numbers) if n == 512 else numbers)
            if np.isnan(x.astype("float64")).any():
                assert np.isnan(onefold.median(x))


def test_nanquantile_and_nanmedian_are_those_of_numpy():
    x = np.array([[4.0, np.nan, 1.0], [np.nan, np.nan, np.nan], [0.5, -1.0, np.nan]])
    for axis in (None, 0, (0, 1)):
        assert np.array_equal(onefold.nanmedian(x, axis), np.nanmedian(x, axis), equal_nan=True)
        assert np.array_equal(onefold.nanquantile(x, [0.25, 1], axis=axis), np.nanquantile(x, [0.25, 1], axis=axis), equal_nan=True)
    assert np.isnan(onefold.nanmedian(x, axis=1)[1]) and onefold.nanquantile(x, 0.5, where=x < 4) == 0.5
    with pytest.raises(onefold.OptionError, match="nanmedian: nan='raise' cannot be passed, since nanmedian omits NaN"):
        onefold.nanmedian(x, nan="raise")
    with pytest.raises(TypeError, match="whatever"):
        onefold.nanmedian(x, whatever=1)
    with pytest.raises(onefold.OptionError, match="^nanquantile: q=1.5"):
        onefold.nanquantile(x, 1.5)

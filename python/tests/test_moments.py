"""Moments with scipy's options: the exact values rounded once, and what pandas and scipy mean by them."""

import json
import math
import pathlib
import warnings
from fractions import Fraction

import dask.array
import numpy as np
import pandas as pd
import pytest
from test_bits import oracle

import onefold
import onefold.dask

OPS = ("sem", "skewness", "kurtosis", "kurtosis_pearson", "moment3", "moment4", "raw_moment2", "raw_moment3", "raw_moment4")
ESTIMATES = ("skewness", "kurtosis", "kurtosis_pearson")
X = np.random.default_rng(72).normal(size=(6, 40)) + 3
NIST = [json.loads(line) for line in (
    pathlib.Path(__file__).parents[2] / "conformance/vectors/nist.jsonl").read_text().splitlines()]


def exact(op, x, ddof):
    return oracle(op, [Fraction(v) for v in np.asarray(x).tolist()], "float64", ddof)


@pytest.mark.parametrize("op", OPS)
def test_every_way_gives_the_exact_moment_rounded_once(op):
    for ddof in (0, 1) if op in (*ESTIMATES, "sem") else (None,):
        k = {} if ddof is None else {"ddof": ddof}
        rows = [exact(op, row, ddof or 0) for row in X]
        function = getattr(onefold, op)
        np.testing.assert_array_equal(function(X, axis=1, **k), rows)
        np.testing.assert_array_equal(function(X.T.copy(), axis=0, **k), rows)
        np.testing.assert_array_equal(onefold.fold_segments(op, X.ravel(), range(0, 241, 40), **k)[0], rows)
        np.testing.assert_array_equal(onefold.fold_by(op, np.repeat(np.arange(6), 40), X.ravel(), **k)[1][0], rows)
        frame = pd.DataFrame(X.T)
        np.testing.assert_array_equal(function(frame, axis=0, **k), rows)
        lazy = onefold.dask.fold(op, dask.array.from_array(X, chunks=(4, 9)), axis=1, **k)
        np.testing.assert_array_equal(lazy.compute() if hasattr(lazy, "compute") else lazy[0].compute(), rows)
        state = onefold.gather(op, X[0, :9])
        state |= onefold.gather(op, X[0, 9:])
        assert type(state).load(bytes(state)).answer(op, **k) == rows[0]


@pytest.mark.parametrize("data", NIST, ids=lambda d: d["name"].removeprefix("NIST/"))
def test_sets_of_nist_are_rounded_once(data):
    given = data["x"]
    texts = given if isinstance(given, list) else given["head"] + given["body"] * given["times"]
    x = np.array([float.fromhex(v) for v in texts])
    for op in OPS:
        for ddof in (0, 1) if op in (*ESTIMATES, "sem") else (0,):
            k = {"ddof": ddof} if onefold._ops.ops[op].uses_ddof else {}
            want = exact(op, x, ddof)
            assert getattr(onefold, op)(x, **k) == want or math.isnan(want), (op, ddof)


def test_options_have_the_names_of_scipy():
    x = X[0]
    assert onefold.skewness(x, bias=False) == onefold.skewness(x, ddof=1) == onefold.skewness(x.tolist(), bias=False)
    assert onefold.skewness(x, bias=True) == onefold.skewness(x, ddof=0) == onefold.skewness(x)
    assert onefold.kurtosis(x, fisher=False) == onefold.kurtosis_pearson(x) == onefold.kurtosis(x.tolist(), fisher=False)
    assert onefold.kurtosis(x, fisher=False, bias=False) == onefold.kurtosis_pearson(x, ddof=1)
    assert onefold.kurtosis(pd.Series(x), fisher=False, bias=False) == onefold.kurtosis_pearson(x, ddof=1)
    assert onefold.kurtosis(x, fisher=True) == onefold.kurtosis(x)
    for wrong in ({"bias": False, "ddof": 0}, {"bias": True, "correction": 1}, {"ddof": 2}, {"ddof": 0.5}):
        with pytest.raises(onefold.OptionError, match="ddof"):
            onefold.skewness(x, **wrong)
        with pytest.raises(onefold.OptionError, match="ddof"):
            onefold.skewness(x.tolist(), **wrong)
    with pytest.raises(TypeError, match="fisher"):
        onefold.skewness(x, fisher=False)
    with pytest.raises(TypeError, match="bias"):
        onefold.moment3(x, bias=False)


def test_another_ddof_of_an_estimate_is_shown_as_a_number():
    for ddof, shown in ((2, "2"), (0.5, "0.5"), (-1, "-1"), (2**62, str(2**62)), (1 / 8, "0.125")):
        with pytest.raises(onefold.OptionError, match=f"^skewness: ddof {shown} is invalid; pass 0 for the population"):
            onefold.skewness([1, 2, 4], ddof=ddof)


def test_the_error_of_the_mean_has_ddof_1_unless_another_is_given():
    x = X[0]
    assert onefold.sem(x) == onefold.sem(x, ddof=1) == onefold.fold("sum,sem", x).sem != onefold.sem(x, ddof=0)
    assert tuple(onefold.fold("var,sem", x)) == (onefold.var(x), onefold.sem(x))
    assert math.isnan(onefold.sem([3.0])) and onefold.sem([3.0], ddof=0) == 0
    with pytest.raises(onefold.OptionError, match="weights"):
        onefold.fold("sem", x, weights=x)
    assert onefold.fold("sem", x, fweights=np.arange(40)).sem == onefold.sem(np.repeat(x, np.arange(40)))


def test_moment_names_the_ops():
    x = X[1]
    for order, central, raw in ((2, "var", "raw_moment2"), (3, "moment3", "raw_moment3"), (4, "moment4", "raw_moment4")):
        assert onefold.moment(x, order) == getattr(onefold, central)(x)
        assert onefold.moment(x, order, center=0) == getattr(onefold, raw)(x)
    assert onefold.moment(x, 1) == 0 and onefold.moment(x, 1, center=0) == onefold.mean(x)
    assert math.isnan(onefold.moment([1.0, math.inf], 1))
    np.testing.assert_array_equal(onefold.moment(X, 3, 0), onefold.moment3(X, 0))
    for wrong in (0, 5, 2.5):
        with pytest.raises(onefold.OptionError, match="order"):
            onefold.moment(x, wrong)
    with pytest.raises(onefold.OptionError, match="center"):
        onefold.moment(x, 3, center=1)


def test_weights_are_those_of_the_formulas():
    x, w = [1.0, 2.0, 4.0, 8.0], [1.0, 2.0, 0.5, 0.25]
    a, b = [Fraction(v) for v in x], [Fraction(v) for v in w]
    total = sum(b)
    mean = sum(p * q for p, q in zip(a, b)) / total
    m = [sum(q * (p - mean)**k for p, q in zip(a, b)) / total for k in range(5)]
    got = onefold.fold("moment3,moment4,kurtosis_pearson", np.array(x), weights=np.array(w))
    assert tuple(got) == (float(m[3]), float(m[4]), float(m[4] / m[2]**2))
    with pytest.raises(onefold.OptionError, match="weights"):
        onefold.fold("raw_moment3", np.array(x), weights=np.array(w))


def test_windows_mean_what_pandas_means():
    s = pd.Series(X[:3].ravel())
    ours, theirs = onefold.rolling(s, 12), s.rolling(12)
    for got, want in ((ours.sem(), theirs.std() / np.sqrt(12)), (ours.skew(), theirs.skew()), (ours.kurt(), theirs.kurt()),
                      (ours.sem(ddof=0), theirs.std(ddof=0) / np.sqrt(12))):
        np.testing.assert_allclose(got, want, rtol=1e-9)
    assert ours.skew().iloc[20] == onefold.skewness(s[9:21], ddof=1)
    assert ours.sem().iloc[20] == onefold.sem(s[9:21])
    np.testing.assert_allclose([onefold.sem(s), onefold.skewness(s, ddof=1), onefold.kurtosis(s, ddof=1)],
                               [s.sem(), s.skew(), s.kurt()], rtol=1e-12)


def test_tables_have_the_ops(tmp_path):
    pd.DataFrame({"k": ["a", "b"] * 20, "x": X[0]}).to_csv(tmp_path / "t.csv", index=False)
    ops = "sem,skewness,moment4"
    _, answers = onefold.fold(ops, tmp_path / "t.csv", columns="x", by="k", ddof=1)
    for i in (0, 1):
        assert [column[i] for column in answers] == list(onefold.fold(ops, X[0][i::2], ddof=1))


def test_the_first_central_moment_is_zero_where_the_mean_is_beyond_the_type():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert onefold.moment(np.array([1e300]), 1, dtype="f4").tolist() == 0
        assert onefold.moment(np.array([1e6, 2e6]), 1, dtype="f2").dtype == np.float16
        assert math.isnan(onefold.moment(np.array([1, np.inf]), 1))
        assert onefold.moment(np.array([[1, 2], [3, 7]]), 1, 0).tolist() == [0, 0]


@pytest.mark.parametrize("op", ["raw_moment3", "raw_moment4", "moment3", "sem"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2"])
def test_a_part_can_be_taken_away_again(op, dtype):
    rest, part = np.array([1, 2, 4], dtype), np.array([3, 5], dtype)
    state = onefold.gather(op, rest)
    alone = state.answer(op)
    taken = onefold.gather(op, part)
    state |= taken
    state.remove(taken)
    assert state.answer(op) == alone


def test_moments_by_their_order_take_weights():
    x, w = np.array([[1.0, 2.0, 4.0], [0.5, 8.0, 1.0]]), np.array([1.0, 1.0, 2.0])
    for order, op in [(2, onefold.var), (3, onefold.moment3), (4, onefold.moment4)]:
        assert onefold.moment(x, order, 1, weights=w).tolist() == op(x, 1, weights=w).tolist()
    assert onefold.moment(x, 1, 1, weights=w).tolist() == [0, 0]
    assert onefold.moment(x[0], 1, center=0, weights=w) == onefold.mean(x[0], weights=w)
    with pytest.raises(onefold.Error, match="weights= is not supported for the mean of x\\^3"):
        onefold.moment(x, 3, center=0, weights=w)

"""Decimals, fractions and integers of any length in memory, judged by fractions."""

import decimal
import math
import random
from fractions import Fraction

import numpy as np
import pytest

import onefold

D = decimal.Decimal
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
TYPES = {"decimal": D, "int": int, "fraction": Fraction}


def objects(values):
    array = np.empty(len(values), object)
    array[:] = values
    return array


def some(kind, n, r):
    """Numbers of a kind, some of them null."""
    def one():
        if r.random() < 0.2:
            return None
        if kind in ("int", "int128"):
            return r.randrange(-2**r.choice([3, 60, 90]), 2**90)
        if kind == "fraction":
            return Fraction(r.randrange(-99, 99), r.randrange(1, 30))
        return D((r.randrange(2), tuple(r.randrange(10) for _ in range(r.choice([1, 5, 18, 25]))), -r.randrange(6)))

    return [*(one() for _ in range(n - 1)), one() or {"int": 5, "int128": 5, "fraction": Fraction(1, 3)}.get(kind, D("0.5"))]


COLUMNS = {
    "decimal": [objects, lambda v: pd.Series(v, dtype=object)], "int": [objects], "fraction": [objects],
    "arrow": [lambda v: pa.array(v, pa.decimal128(38, 6)), lambda v: pa.array(v, pa.decimal128(38, 6)).dictionary_encode(),
              lambda v: pa.chunked_array([pa.array(v[:2], pa.decimal256(60, 9)), pa.array(v[2:], pa.decimal256(60, 9))]),
              lambda v: pa.array([None, *v], pa.decimal128(38, 6)).slice(1)],
    "polars": [lambda v: pl.Series(v, dtype=pl.Decimal(38, 7))], "int128": [lambda v: pl.Series(v, dtype=pl.Int128)],
    "pandas": [lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.decimal128(38, 6)))]}


def right(values, rows):
    """The exact answers of these rows."""
    q = [Fraction(values[i]) for i in rows]
    total = sum(q, Fraction(0))
    answers = {"count": len(q), "sum": total, "mean": float(total / len(q)) if q else math.nan}
    if q:
        answers |= {"min": min(q), "max": max(q), "ptp": max(q) - min(q),
                    "argmin": rows[q.index(min(q))], "argmax": rows[q.index(max(q))]}
    return answers


def check(kind, op, found, exact):
    python = {"int128": int}.get(kind, TYPES.get(kind))
    if exact != exact:
        assert math.isnan(found)
    elif python and op in ("sum", "min", "max", "ptp"):
        assert type(found) is python and found == exact
    else:
        assert found == (exact if isinstance(exact, int) else float(exact)), op


def test_only_zero_is_false():
    tiny = [decimal.Decimal("1e-400"), decimal.Decimal(0), Fraction(1, 10**400)]
    for x, n in [(tiny[:2], 1), (tiny[1:2], 0), ([tiny[2], 0], 1), ([2**70 + 1, 0], 1), ([[2**70 + 1, 0], [0, 3]], 2)]:
        found = onefold.fold("any,all,count_nonzero,count_nan", x)
        assert tuple(found) == (n > 0, False, n, 0), x
        assert onefold.any(x) == (n > 0) and onefold.count_nonzero(x) == n
    assert onefold.all([tiny[0]]) and not onefold.any([tiny[1]])
    answers = onefold.fold_by("any,var,count_nonzero", [1, 1, 2], tiny[:2] + [decimal.Decimal(0)])[1]
    assert answers.any.tolist() == [True, False] and answers.count_nonzero.tolist() == [1, 0] and answers.var.tolist() == [0, 0]


def test_integers_of_no_common_type_are_exact():
    x = [2**64 - 1, -1, 7]
    found = onefold.fold("sum,mean,min,max,argmin,count", x)
    assert tuple(found) == (2**64 + 5, (2**64 + 5) / 3, -1, 2**64 - 1, 1, 3)
    assert onefold.sum(x) == 2**64 + 5 and onefold.sum([x, [1, 2, 3]]) == 2**64 + 11 and onefold.max([[2**64], [-1]]) == 2**64
    assert onefold.fold_by("sum", [1, 1, 2], x)[1].sum.tolist() == [2**64 - 2, 7]
    with pytest.raises(onefold.UnsupportedError, match="rows differ in length"):
        onefold.sum([x, [1]])
    with pytest.raises(onefold.UnsupportedError, match="do not support axis= and keepdims="):
        onefold.sum([x, x], axis=0)


@pytest.mark.parametrize("kind", COLUMNS)
def test_sums_means_and_extremes_are_those_of_the_numbers(kind):
    r = random.Random(62)
    for make in COLUMNS[kind]:
        for n in (1, 3, 8, 30):
            values = some(kind, n, r)
            where = None if r.random() < 0.5 else np.array([r.random() < 0.7 for _ in range(n)])
            rows = [i for i, v in enumerate(values) if v is not None and (where is None or where[i])]
            x, exact = make(values), right(values, rows)
            for op, found in zip(exact, onefold.fold(list(exact), x, where=where)):
                check(kind, op, found, exact[op])
            keys = [r.choice(["a", "b", None]) for _ in values]
            found, answers = onefold.fold_by("sum,count,mean", keys, x, where=where, null_keys="drop")
            for k, key in enumerate(found):
                exact = right(values, [i for i in rows if keys[i] == key])
                for op in ("sum", "count", "mean"):
                    check(kind, op, getattr(answers, op)[k], exact[op])


@pytest.mark.parametrize("kind", ["decimal", "fraction", "arrow", "polars", "pandas"])
def test_other_ops_take_the_float64_next_to_each_number(kind):
    values = [v for v in some(kind, 20, random.Random(1)) if v is not None]
    floats = np.array([float(v) for v in values])
    for make in COLUMNS[kind]:
        x = make(values)
        assert onefold.fold("var,sum,norm2", x)[::2] == onefold.fold("var,norm2", floats)
        assert onefold.median(x) == onefold.median(floats)
        right = onefold.average(floats, floats**2)
        assert onefold.mean(x, weights=floats**2) == onefold.fold("mean", x, weights=floats**2).mean == right
        assert onefold.quantile(x, 0.3, weights=floats**2, method="inverted_cdf") == onefold.quantile(
            floats, 0.3, weights=floats**2, method="inverted_cdf")
        keys = [k % 3 for k in range(len(values))]
        assert onefold.fold_by("std", keys, x)[1].std.tolist() == onefold.fold_by("std", keys, floats)[1].std.tolist()


def test_columns_of_frames_are_folded_beside_others():
    frame = pd.DataFrame({"k": ["a", "b", "a"], "v": [D("0.1"), D("0.2"), D("0.3")], "n": [1, 2, 3]})
    assert onefold.sum(frame[["v", "n"]]).to_dict() == {"v": D("0.6"), "n": 6}
    assert onefold.fold("sum", frame, by="k", columns="v")[1].sum.tolist() == [D("0.4"), D("0.2")]
    other = pl.DataFrame({"k": ["a", "b", "a"], "v": pl.Series(["0.1", "0.2", "0.3"]).cast(pl.Decimal(9, 1))})
    for of in (other, other.to_arrow()):
        assert onefold.fold("sum,mean", of, columns="v") == (0.6, 0.2)
        assert onefold.fold("sum", of, by="k")[1]["v"].sum.tolist() == [0.4, 0.2]


def test_a_type_is_rounded_to_once():
    tie = objects([Fraction(1), Fraction(1, 2**24), Fraction(1, 10**400)])  # a little above halfway between two float32
    assert onefold.fold("sum", tie, result="f4").sum == np.float32(1 + 2**-23)
    assert onefold.fold("sum", tie[:2], result="f4").sum == 1
    assert onefold.fold("sum", objects([2**70, -2**70, 3]), result="int64").sum == 3
    with pytest.raises(onefold.OverflowError, match="the exact value 1180591620717411303424 does not fit i64"):
        onefold.fold("sum", objects([2**70]), result="int64")
    assert onefold.fold("sum", objects([10**400]), result="float64").sum == math.inf


def test_nan_nulls_and_zeros():
    x = objects([D("NaN"), D(1), None])
    assert math.isnan(onefold.fold("sum", x).sum) and onefold.fold("sum,count", x, nan="omit") == (1, 1)
    with pytest.raises(onefold.NanError):
        onefold.fold("sum", x, nan="raise")
    assert str(onefold.fold("sum", objects([D("-0"), D("-0.0")])).sum) == "-0.0"
    assert onefold.fold("sum,mean", objects([1.5, 2, None])) == (3.5, 1.75)
    assert onefold.fold_by("sum,mean", [0, 2], [D(1), D(2)], groups=3)[0].tolist() == [1, 0, 2]
    assert np.isnan(onefold.fold_by("min", [1, 2], pa.array([D(1), None]))[1].min).tolist() == [False, True]
    assert onefold.sum(pa.array([], pa.decimal128(5, 2))) == 0
    assert onefold.fold("sum", np.ma.array(objects([1, 2**80]), mask=[True, False])).sum == 2**80


def test_counts_and_places_have_the_type_that_was_asked_for():
    for op in ("count", "argmin", "argmax"):
        for x in (objects([1, 2**80]), objects([D(1), D(2)]), np.array([1, 2])):
            assert np.asarray(getattr(onefold, op)(x, dtype="i4")).dtype == "i4"
            keys, found = onefold.fold_by(f"{op},sum", [4, 7], x, result="f4")
            assert [a.dtype for a in found] == ["f4", "f4"] and onefold.fold_by(op, [4, 7], x)[1][0].tolist() == found[0].tolist()
            with pytest.raises(onefold.OptionError, match=f"{op}: a result of type bool was requested"):
                getattr(onefold, op)(x, dtype="?")
    with pytest.raises(onefold.OverflowError):
        onefold.count(objects([1] * 200), dtype="i1")


@pytest.mark.parametrize(("call", "text"), [
    (lambda: onefold.fold("sum", objects([1.5, D(1)])), "decimals and floats are mixed, but the float 0.1 is not exactly 0.1"),
    (lambda: onefold.fold("sum", objects([D("1e99999999")])), "has more than 10000 digits"),
    (lambda: onefold.fold("sum", objects([D("inf")])), "Decimal('Infinity') is not supported among Decimal, Fraction or large int"),
    (lambda: onefold.fold("var", objects([2**70 + 1])), "the integer 1180591620717411303425 is not exact in float64"),
    (lambda: onefold.fold("sum", objects([1, "a"])), "the sequence holds 'a'; only int, float, Decimal and Fraction"),
    (lambda: onefold.fold("sum", objects(["a", 1])), "an array of dtype object cannot be folded"),
    (lambda: onefold.fold("sum", pl.Series([D("0.1")]), fweights=[1]), "fweights= is not available for decimals"),
    (lambda: onefold.nunique(pl.Series([D("0.1")])), "are not supported here; convert them to float64"),
    (lambda: onefold.fold_segments("sum", pl.Series([D("0.1")]), [0, 1]), "are not supported here; convert them to float64"),
    (lambda: onefold.fold("sum", objects([D(1), D(2)]).reshape(2, 1), axis=0), "do not support axis= and keepdims="),
    (lambda: onefold.fold_by("sum", [0, 1, 2], [D(1)]), "there are 3 keys, but x has shape (1,)"),
    (lambda: onefold.min(pa.array([], pa.decimal128(5, 2))), "min: there is nothing to fold"),
    (lambda: onefold.mean([D(1)], nan="Omit"), "mean: nan='Omit' is not one of"),
    (lambda: onefold.max(objects([Fraction(1, 3)]), threads=-1), "max: threads=-1 is"),
    (lambda: onefold.nansum([2**70], threads="all"), "nansum: threads='all' is not an integer"),
    (lambda: onefold.fold_by("sum", [0], [D(1)], nan="Omit"), "sum: nan='Omit' is not one of"),
    (lambda: onefold.fold_by("sum", [0], [D(1)], ddof="x"), "sum: ddof='x' is not a number"),
    (lambda: onefold.fold_by("sum", [0], [D(1)], y=[1.0]), "sum: a second array is not supported beside dates, decimals"),
    (lambda: onefold.fold_by("max", [0], np.array(["2026"], "M8[D]"), nan="Omit"), "max: nan='Omit' is not one of"),
    (lambda: onefold.fold_by("argmin", [0, 2], [D(1), D(2)], groups=3), "argmin[1]: there is nothing to fold")])
def test_what_is_wrong_is_said(call, text):
    with pytest.raises(onefold.Error) as caught:
        call()
    assert text in str(caught.value) and "\n" not in str(caught.value)

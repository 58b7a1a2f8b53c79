"""Rows chosen by where= and columns made by let=, beside SQLite, which has the same nulls."""

import os
import pathlib
import random
import sqlite3

import numpy as np
import pytest

import onefold

PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
NAMES = {"a": "number", "b": "number", "s": "text", "t": "text"}


def number(rng, depth):
    kind = rng.randrange(7 if depth else 3)
    if kind < 2:
        return rng.choice("ab")
    if kind == 2:
        return rng.choice(["0", "1", "2.5", "4", "0.25"])
    if kind == 3:
        return f"coalesce({rng.choice('ab')}, {number(rng, depth - 1)})"
    return f"({number(rng, depth - 1)} {rng.choice('+-*')} {number(rng, depth - 1)})"


def truth(rng, depth):
    kind = rng.randrange(8 if depth else 5)
    if kind == 0:
        return f"{number(rng, depth)} {rng.choice(['==', '!=', '<', '<=', '>', '>='])} {number(rng, depth)}"
    if kind == 1:
        return f"{rng.choice('st')} {rng.choice(['=', '<>', '<', '<=', '>', '>='])} {rng.choice(['s', 't', repr('x'), repr('yy')])}"
    if kind == 2:
        return f"{rng.choice('abst')} is {rng.choice(['', 'not '])}null"
    if kind == 3:
        return f"a {rng.choice(['', 'not '])}in (1, 2.5, -1)"
    if kind == 4:
        return f"s {rng.choice(['', 'not '])}in ('x', 'z')"
    if kind == 5:
        return f"not ({truth(rng, depth - 1)})"
    return f"({truth(rng, depth - 1)} {rng.choice(['and', 'or'])} {truth(rng, depth - 1)})"


# f64 holds the sums and products of these values, so SQLite's arithmetic is exact, too.
def table(rng, rows):
    numbers = [None, 0, 1, 2, -1, 2.5, 4, 0.25]
    texts = [None, "x", "yy", "z", "Z", "x y"]
    return [(rng.choice(numbers), rng.choice(numbers), rng.choice(texts), rng.choice(texts)) for _ in range(rows)]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.filterwarnings("ignore::onefold.TableWarning")
def test_is_sqlites(tmp_path, seed):
    rng = random.Random(seed)
    rows = [(1, 1, "x", "x")] + table(rng, rng.choice([3, 30, 300]))
    path = tmp_path / "t.csv"
    path.write_text("a,b,s,t\n" + "".join(",".join("" if v is None else str(v) for v in row) + "\n" for row in rows))
    db = sqlite3.connect(":memory:")
    db.execute("create table t (a real, b real, s text, t text)")
    db.executemany("insert into t values (?, ?, ?, ?)", rows)
    for _ in range(5):
        where, made = truth(rng, 3), number(rng, 2)
        n, total = db.execute(f"select count({made}), coalesce(sum({made}), 0) from t where {where}").fetchone()
        got = onefold.fold("count,sum", path, columns="y", let={"y": made}, where=where)
        assert tuple(got) == (n, total), (where, made)
        found = {k: (n, total) for k, n, total in db.execute(
            f"select s, count(a), coalesce(sum(a), 0) from t where {where} group by s")}
        keys, got = onefold.fold("count,sum", path, columns="a", by="k", let={"k": "s"}, where=where)
        assert dict(zip(keys.tolist(), zip(got.count.tolist(), got.sum.tolist()))) == found, where


def test_takes_what_the_program_takes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("day,qty,price\n2024-01-05,3,0.10\n2024-02-05,7,0.20\n")
    assert onefold.fold("sum", path, columns="p", let="p = qty * price") == (1.7,)
    assert onefold.median(path, columns="qty", where="price < 0.2") == 3
    assert onefold.quantile(path, 1, columns="p", let={"p": "qty * price"}) == 1.4
    assert onefold.describe(path, columns="qty", where="month(day) == 2").max == 7
    keys, answers = onefold.fold("sum", path, columns="qty", by="month of it", let={"month of it": "month(day)"})
    assert keys.tolist() == ["1", "2"] and answers.sum.tolist() == [3, 7]
    with pytest.raises(onefold.Error, match="no column \"qt\"") as raised:
        onefold.fold("sum", path, where="qt > 1")
    assert raised.value.code == "bad_option"
    with pytest.raises(onefold.Error, match="let="):
        onefold.fold("sum", np.ones(3), let="a = 1")


@pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
def test_reads_parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    import datetime
    import decimal

    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({
        "day": [datetime.date(2024, 1, 5), datetime.date(2024, 2, 5), None], "x": [0.1, 0.2, None], "n": [1, 2, 3],
        "s": ["a", None, "b"], "f": [True, False, None], "p": [decimal.Decimal("0.10"), None, decimal.Decimal("1.25")],
        "id": [2**53 + 1, 2**53, 5]}), path, row_group_size=2)
    with pytest.warns(onefold.TableWarning):
        got = onefold.fold("sum", path, where="n > 1", columns=["x", "n", "f", "p"])
    assert {k: v.sum for k, v in got.items()} == {"x": 0.2, "n": 5, "f": 0, "p": 1.25}
    with pytest.warns(onefold.TableWarning):
        keys, answers = onefold.fold("sum", path, columns=["n", "p"], by="m", let="m = month(day)")
    assert keys.tolist() == ["1", "2", None] and answers["p"].sum.tolist() == [0.1, 0, 1.25]
    # DOUBLE is f64: 0.1 * 3 is f64's product.
    with pytest.warns(onefold.TableWarning):
        assert onefold.fold("max", path, columns="y", let="y = x * 3", where="n == 1 or n == 3").max == 0.1 * 3
    with pytest.warns(onefold.TableWarning):
        assert onefold.fold("count", path, columns="s", where="f or s is null").count == 1
    assert onefold.fold("sum", path, columns="n", where="s == 'b'").sum == 3
    assert onefold.fold("sum", path, columns="n", where=f"id == '{2**53 + 1}'").sum == 1
    assert onefold.fold("sum", path, columns="n", where=f"id > {2**53}").sum == 1
    assert onefold.fold("sum", path, columns="n", where="id > 6").sum == 3


def test_rows_with_long_integers_are_counted(tmp_path):
    pa = pytest.importorskip("pyarrow")
    long = 2**53 + 1
    path = tmp_path / "long.parquet"
    pa.parquet.write_table(pa.table({"a": pa.array([long, 1, None], pa.int64()), "b": [1, 2, 3]}), path)
    for where, rows in (("a is not null", 2), ("a > 9007199254740992", 1), ("a > 9007199254740993", 0), ("a = 9007199254740992", 0)):
        answers = onefold.fold("count", path, where=where)
        assert (answers["a"].count, answers["b"].count) == (rows, rows), where
        assert onefold.fold("count", path, where=where, columns="b").count == rows
    keys, answers = onefold.fold("count", path, where="a > 9007199254740992", by="b")
    assert keys.tolist() == [1]


@pytest.mark.parametrize("number, f64", [("18446744073709551614.25", 2**64), ("9007199254740992.5", 2**53), ("-9007199254740994.75", -2**53 - 2)])
def test_fractions_beyond_f64_are_compared_as_their_f64(number, f64, tmp_path):
    """With integers of any length, exactly, as columns of f64 are."""
    path = tmp_path / "t.csv"
    path.write_text(f"x,k\n{number},1\n")
    for k in range(f64 - 5, f64 + 6):
        for op, right in (("<=", f64 <= k), ("==", f64 == k), (">", f64 > k)):
            assert onefold.fold("count", path, columns="k", where=f"x {op} {k}").count == right, (op, k)


def test_describe_of_an_empty_slice_masks_what_has_no_value():
    x = np.array([[np.nan, np.nan], [1.0, 2.0]])
    full = onefold.describe(x[1])
    for keywords in ({"nan": "omit"}, {"where": np.array([[False], [True]])}, {"nan": "omit", "keepdims": True}):
        found = onefold.describe(x, axis=1, **keywords)
        for name, value in zip(found._fields, found):
            assert np.ravel(value)[1] == getattr(full, name), name
        assert np.ma.getmaskarray(found.argmax).ravel().tolist() == [True, False] and np.ravel(found.count)[0] == 0
    assert np.ma.getmaskarray(onefold.describe(np.zeros((2, 0), int), axis=1).min).all()
    with pytest.raises(onefold.NanError):
        onefold.describe(x, axis=1, nan="raise")


def test_describe_prints_what_is_masked():
    assert "\nmin     --\n" in str(onefold.describe(np.ma.array([1.0, 2.0], mask=True)))

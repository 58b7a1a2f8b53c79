"""Sums of integers beyond 2^53 of tables, with conditions, expressions and NaN policies, beside Python's integers."""
import json
import operator
import pathlib
import random
from fractions import Fraction

import numpy as np
import pytest
from scaled import scaled

import onefold

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

pytestmark = pytest.mark.filterwarnings("ignore::onefold.TableWarning")
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
COLUMNS = ("i", "j", "n")


def written(folder, kind, table, seed):
    path = folder / f"{seed}.{kind}"
    if kind == "parquet":
        parquet.write_table(table, path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        rows = [",".join("" if v is None else str(v) for v in row.values()) for row in table.to_pylist()]
        path.write_text("\n".join([",".join(table.column_names), *rows]) + "\n")
    return str(path)


def random_table(r):
    def number():
        return r.choice([r.randrange(-9, 10), r.randrange(-2**53, 2**53), 2**53 + r.randrange(-3, 4), r.randrange(-2**61, 2**61)])
    n = r.randrange(2, 30)
    rows = [{"k": r.choice("abc"), "i": number(), "j": number(), "n": r.randrange(-9, 10), "f": r.choice([0.5, 1.5, 2.0])} for _ in range(n)]
    return rows, pa.table({name: pa.array([row[name] for row in rows]) for name in rows[0]})


def expression(r, depth):
    """Returns a text, and a function of a row that gives all values on the way, the result last."""
    if depth == 0 or r.random() < 0.2:
        if r.random() < 0.7:
            name = r.choice(COLUMNS)
            return name, lambda row: [row[name]]
        value = r.choice([1, 7, 2**53 + 1, 10**17 + 1])
        return str(value), lambda row: [value]
    sign = r.choice("+-*")
    (a, f), (b, g) = expression(r, depth - 1), expression(r, depth - 1)

    def values(row):
        left, right = f(row), g(row)
        return [*left, *right, OPERATORS[sign](left[-1], right[-1])]
    return f"({a} {sign} {b})", values


def check(found, exact, elements=()):
    """Sums are exact if 64 bits hold the elements and the sum; else the nearest f64."""
    assert set(found) == set(exact)
    held = all(-2**63 <= v < 2**63 for v in elements) or all(0 <= v < 2**64 for v in elements)
    for key, value in exact.items():
        if held and -2**63 <= value < 2**64 and abs(value) >= 2**53:
            assert int(found[key]) == value and not isinstance(found[key], float), (key, found[key], value)
        else:
            assert found[key] == float(value), (key, found[key], value)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_sums_by_keys_are_those_of_pythons_integers(tmp_path, kind):
    r = random.Random(11)
    refused = 0
    for seed in range(scaled(60)):
        rows, table = random_table(r)
        path = written(tmp_path, kind, table, seed)
        text, values = expression(r, r.randrange(3))
        limit, sign = r.choice([2**53 + 1, -2**53 - 1, 2**60 + 1, 3]), r.choice(["<", "<=", ">", "==", "!="])
        holds = {"<": operator.lt, "<=": operator.le, ">": operator.gt, "==": operator.eq, "!=": operator.ne}[sign]
        exact, most, elements = {}, 0, []
        for row in rows:
            if holds(row["i"], limit):
                on_the_way = values(row)
                most = max(most, *map(abs, on_the_way))
                elements.append(on_the_way[-1])
                exact[row["k"]] = exact.get(row["k"], 0) + on_the_way[-1]
        ask = dict(columns="z", by="k", let=f"z = {text}", where=f"i {sign} {limit} and f > 0")
        try:
            keys, answer = onefold.fold("sum", path, **ask)
        except onefold.Error as e:
            assert most >= 2**63 and "integer" in str(e), (text, e)
            refused += 1
            continue
        check(dict(zip(keys, answer.sum.tolist())), exact, elements)
        plain = {}
        for row in rows:
            plain[row["k"]] = plain.get(row["k"], 0) + row["i"]
        keys, answer = onefold.fold("sum", path, columns="i", by="k", where="f > 0")
        check(dict(zip(keys, answer.sum.tolist())), plain)
    assert refused < 30


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_nan_policies_round_no_sum(tmp_path, kind):
    i = [2**53 - 1, 2, 2**53 - 2, 5, None, 5]
    path = written(tmp_path, kind, pa.table({"k": list("aabbbc"), "i": pa.array(i, "int64"), "f": [1.0, 2, 3, 4, 5, 6]}), 0)
    exact = {"a": 2**53 + 1, "b": 2**53 + 3, "c": 5}
    for where in (None, "f > 0"):
        for nan in (None, "omit", "propagate"):
            keys, answer = onefold.fold("sum", path, columns="i", by="k", nan=nan, where=where)
            found = dict(zip(keys, answer.sum.tolist()))
            if nan == "propagate":
                assert np.isnan(found.pop("b"))
            check(found, {key: exact[key] for key in found})
    found = onefold.agg(path, "sum(i)", by="k", nan="omit", where="f > 0", having=f"sum(i) > {2**53 + 1}")
    assert found[0]["k"].tolist() == ["b"] and found[1]["sum(i)"].tolist() == [2**53 + 3]
    with pytest.raises(onefold.Error, match="would round 9007199254740993"):
        onefold.agg(path, "sum(i)", by="k", nan="omit", having="sum(i) / 2 > 1")


# A number with a point or an exponent is no integer of the data: its nearest f64 stands for it, as it does without a condition.
POINTED = ["1e20", "1.2345678901234567e20", "9.007199254740993e15", "9007199254740993.0", "1.234567890123456737e+20", "-1.5e300",
           "12345678901234567890.5", "1.2345678901234567E+40", "2e16", "900719925474099.3e1"]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_numbers_with_a_point_or_an_exponent_are_rounded_with_conditions_and_expressions_too(kind, tmp_path):
    r = random.Random(5)
    for trial in range(scaled(12)):
        texts = r.sample(POINTED, r.randrange(1, 6)) + ["3.5", "7"]
        path = tmp_path / f"{trial}.{kind}"
        path.write_text("x,y\n" + "".join(f"{x},1\n" for x in texts) if kind == "csv" else "".join(f'{{"x": {x}, "y": 1}}\n' for x in texts))
        plain = onefold.fold("max,min", path, columns="x")
        assert plain.max == max(map(float, texts)) and plain.min == min(map(float, texts))
        for more in ({"where": "x > 3 or x < 3"}, {"where": "y == 1"}, {"let": "z = -x"}):
            assert onefold.fold("max,min", path, columns="x", **more) == plain
        assert onefold.fold("max,min", path, where="y > 0")["x"] == plain
        assert onefold.agg(path, "max(x), sum(y)", where="x > 3 or x < 3")["max(x)"] == plain.max
        assert onefold.median(path, columns="x", where="y == 1") == onefold.median(path, columns="x")
        assert onefold.fold("max", path, columns="z", let="z = x").max == plain.max
        exact = max(map(Fraction, texts))
        assert onefold.fold("max", path, columns="z", let="z = x + 1").max == float(exact + 1 if exact < 2**116 else exact)
        assert onefold.fold("max", path, columns="z", let="z = x / 2").max == float(exact / 2)


def test_integers_that_f64_does_not_hold_are_refused_beside_numbers_with_an_exponent(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n9007199254740993,1\n1e20,2\n1.2345678901234567e20,3\n")
    for more in ({"where": "y > 0"}, {"let": "z = 1"}):
        with pytest.raises(onefold.Error, match="9007199254740993"):
            onefold.fold("max", path, columns="x", **more)
    assert onefold.fold("max", path, columns="x", where="y > 1").max == 1.2345678901234567e20
    with pytest.raises(onefold.Error, match="9007199254740993, an integer that f64 cannot hold"):
        onefold.fold("max", path, columns="z", let="z = x / 2")
    assert onefold.fold("count", path, columns="y", where="x > 9007199254740992").count == 3
    assert onefold.fold("count", path, columns="y", where="x == 9007199254740992").count == 0


def nearest(value):
    """An exact integer where f64 lacks it and 64 bits hold it, else the nearest f64."""
    return value if -2**63 <= value < 2**64 else float(value)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "polars", "arrow"])
def test_a_group_beyond_64_bits_rounds_no_other(tmp_path, kind):
    r = random.Random(5)
    ends = [2**63 - 1, 2**62, -2**62, -2**63 + 1, 2**53 + 1, 2**53, 1, -1, 5]
    for seed in range(scaled(25)):
        keys = [r.choice("abc") for _ in range(r.randrange(2, 9))]
        table = pa.table({"k": keys, "i": pa.array([r.choice(ends) for _ in keys])})
        data = table if kind == "arrow" else pytest.importorskip("polars").from_arrow(table) if kind == "polars" else \
            written(tmp_path, kind, table, seed)
        groups = {}
        for row in table.to_pylist():
            groups.setdefault(row["k"], []).append(row["i"])
        exact = {"sum(i)": sum, "norm1(i)": lambda g: sum(map(abs, g)), "sumsq(i)": lambda g: sum(v * v for v in g), "max(i)": max}
        for by in ("k", None):
            of = groups if by else {None: sum(groups.values(), [])}
            found_calls = [*exact, "sum(i) + 1"]
            found = onefold.agg(data, found_calls, by=by)
            if by and kind in ("polars", "arrow"):
                assert list(found["k"]) == sorted(groups) if kind == "polars" else found["k"].to_pylist() == sorted(groups)
                answers = {call: found[call].to_list() if kind == "polars" else found[call].to_pylist() for call in found_calls}
            else:
                answers = found[1] if by else found
            for g, (key, elements) in enumerate(sorted(of.items(), key=lambda item: str(item[0]))):
                at = {call: value[g] if by else value for call, value in answers.items()}
                for call, function in exact.items():
                    assert at[call] == nearest(function(elements)), (call, key, elements, at)
                held = nearest(sum(elements))
                # An operation with what was rounded is one of f64.
                more = held + 1 if isinstance(held, int) else float(held) + 1
                assert at["sum(i) + 1"] == nearest(more) if isinstance(more, int) else at["sum(i) + 1"] == more, (key, at)
        for key, elements in groups.items():
            total = nearest(sum(elements))
            if isinstance(total, int):
                kept = onefold.agg(data, "sum(i)", by="k", having=f"sum(i) == {total}")
                kept = kept[0] if isinstance(kept, tuple) else kept
                kept = kept["k"].to_pylist() if kind == "arrow" else list(kept["k"])
                assert key in kept, (key, total)
        if kind in ("csv", "jsonl", "parquet"):
            columns = onefold.fold("sum,norm1,sumsq,max", data, by="k", columns="i")[1]
            for g, key in enumerate(sorted(groups)):
                for op, call in zip(("sum", "norm1", "sumsq", "max"), exact, strict=True):
                    assert getattr(columns, op)[g] == nearest(exact[call](groups[key])), (op, groups[key])


@pytest.mark.parametrize("sums", [[1, 2**63 + 5], [-1, 2**63 + 5], [2**63 - 1, 2**64 - 1], [-2**63, 2**64 - 1], [0, 3 * 2**62]])
@pytest.mark.parametrize("call", ["sum(i)", "sum(i) + 0"])
def test_integers_beside_longer_ones_stay_exact(sums, call):
    halves = [half for total in sums for half in (total // 2, total - total // 2)]
    i = [half // 2 for half in halves] + [half - half // 2 for half in halves]
    table = pa.table({"k": list("aabb") * 2, "i": pa.array(i, "int64")})
    for data in (table, pytest.importorskip("polars").from_arrow(table), table.to_pandas()):
        frame = onefold.agg(data, call, by="k")
        found = frame[call].to_pylist() if data is table else list(frame[call])
        if "+" not in call or all(type(v) is not float for v in found):
            assert found == sums, data
        assert [float(v) for v in found] == [float(v) for v in sums]

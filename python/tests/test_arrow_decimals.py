"""Decimals, and integers of any length, of Parquet and Arrow: sums are those of the decimals, rounded once, beside
columns of other types, in groups and states; fractions.Fraction is the oracle."""

import decimal
import json
from fractions import Fraction

import pytest

import onefold
from test_arrow_tables import FORMS, answers, pa, pytestmark, run, write  # noqa: F401

import numpy as np

TYPES = [(4, 2), (12, 2), (18, 6), (38, 10), (38, 0), (20, 20), (50, 12)]


def numbers_of(rng, n, precision, scale):
    whole = ["".join(map(str, rng.integers(0, 10, int(rng.integers(1, precision + 1))))) for _ in range(n)]
    return [None if rng.random() < 0.1 else decimal.Decimal(int(w) * (-1) ** int(rng.integers(2))).scaleb(-scale)
            for w in whole]


def table_of(rng, n):
    columns = {"k": pa.array([str(k) for k in rng.choice(["a", "b", "c"], n)]), "x": pa.array(rng.random(n))}
    exact = {}
    with decimal.localcontext(prec=80):
        for k, (precision, scale) in enumerate(TYPES):
            exact[f"d{k}"] = numbers_of(rng, n, precision, scale)
            kind = pa.decimal128 if precision <= 38 else pa.decimal256
            columns[f"d{k}"] = pa.array(exact[f"d{k}"], kind(precision, scale))
    return pa.table(columns), exact


def total(values):
    with decimal.localcontext(prec=200) as context:  # quicker than fractions, and as exact
        context.traps[decimal.Inexact] = True
        return Fraction(sum(v for v in values if v is not None))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_sums_and_means_of_decimals_are_exact(tmp_path, form, seed):
    rng = np.random.default_rng(seed)
    table, exact = table_of(rng, int(rng.integers(1, 3000)))
    names = ",".join(exact)
    path, data = write(tmp_path, form, table, rng)
    [of_columns] = answers("sum,mean,count", path, "--columns", names, "--json", stdin=data)
    groups = answers("sum", path, "--columns", names, "--by", "k", "--json", stdin=data)
    keys = table["k"].to_pylist()
    for name, values in exact.items():
        there = [v for v in values if v is not None]
        assert of_columns["count"][name] == len(there)
        whole = total(values)
        assert of_columns["sum"][name] == float(whole)
        if there:
            assert of_columns["mean"][name] == float(whole / len(there))
        for group in groups:
            own = [v for k, v in zip(keys, values) if k == group["by"]["k"]]
            assert group[name]["sum"] == float(total(own))


@pytest.mark.parametrize("form", ["a.parquet", "a.arrow"])
def test_decimals_stand_beside_columns_of_other_types(tmp_path, form):
    rng = np.random.default_rng(5)
    table, exact = table_of(rng, 1000)
    path, _ = write(tmp_path, form, table, rng)
    names = ["d1", "x", "d3", "d2"]
    [found] = answers("sum,min", path, "--columns", ",".join(names), "--json")
    assert list(found["sum"]) == names
    x = table["x"].to_pylist()
    assert found["sum"]["x"] == float(sum(map(Fraction, x))) and found["min"]["x"] == min(x)
    for name in ("d1", "d3", "d2"):
        assert found["sum"][name] == float(total(exact[name]))
        assert found["min"][name] == float(min(v for v in exact[name] if v is not None))
    by_default = onefold.fold("sum", path)
    assert list(by_default) == ["x", *exact] and by_default["d5"].sum == float(total(exact["d5"]))
    keys, groups = onefold.fold("sum,count", path, by="k")
    for k, key in enumerate(keys):
        own = [v for v, there in zip(exact["d4"], table["k"].to_pylist()) if there == key]
        assert groups["d4"].sum[k] == float(total(own))
        assert groups["x"].count[k] == len(own)


def test_states_of_decimals_are_those_of_texts(tmp_path):
    rng = np.random.default_rng(6)
    table, exact = table_of(rng, 500)
    path, _ = write(tmp_path, "a.parquet", table, rng)
    text = tmp_path / "t.txt"
    text.write_text("\n".join(format(v, "f") for v in exact["d3"] if v is not None))
    for source, state in ((path, "p.of"), (str(text), "t.of")):
        chosen = ["--columns", "d3"] if source == path else []
        assert run("gather", "sum,mean", source, *chosen, "--state", str(tmp_path / state)).returncode == 0
    digests = run("digest", str(tmp_path / "p.of"), str(tmp_path / "t.of")).stdout.decode().split()
    assert digests[0] == digests[2]


@pytest.mark.parametrize("form", ["a.parquet", "a.arrow"])
def test_long_integers_are_summed_and_left_out_of_other_ops(tmp_path, form):
    rng = np.random.default_rng(7)
    ids = [2**60 + 1, -2**60, None, 2**53 + 1]
    table = pa.table({"id": pa.array(ids, pa.int64()), "u": pa.array([2**64 - 1, 1, 0, None], pa.uint64()),
                      "x": [1.0, 2.0, 3.0, 4.0]})
    path, _ = write(tmp_path, form, table, rng)
    [found] = answers("sum", path, "--json")
    assert found["sum"] == {"id": float(2**53 + 2), "u": 2.0**64, "x": 10.0}
    done = run("max", path, "--json")
    assert json.loads(done.stdout)["max"] == {"x": 4.0}
    assert b"id (integers beyond f64; see --dtype i64)" in done.stderr
    assert run("max", path, "--columns", "id").stdout == b"1152921504606846977\n"
    assert run("max", path, "--columns", "u").stdout == b"18446744073709551615\n"
    refused = run("max", path, "--columns", "id,x")
    assert refused.returncode != 0 and b"--dtype i64" in refused.stderr


def test_what_decimals_cannot_do_is_refused_in_one_line(tmp_path):
    rng = np.random.default_rng(8)
    table, _ = table_of(rng, 50)
    stream, data = write(tmp_path, "pipe", table, rng)
    path, _ = write(tmp_path, "a.parquet", table, rng)
    for words, said in ((["sum", stream, "--columns", "d1,x"], b"a stream, which can be read only once"),
                        (["sum", path, "--columns", "d1,x", "--axis", "1"], b"cannot be reduced together along rows"),
                        (["sum", path, "--columns", "d1", "--dtype", "i64"], b"holds decimal128(12, 2)")):
        done = run(*words, stdin=data)
        assert done.returncode != 0 and done.stdout == b"" and said in done.stderr
        assert done.stderr.count(b"\n") == 1
    [found] = answers("sum", stream, "--json", stdin=data)
    assert list(found["sum"]) == ["x"]  # beside other columns, decimals of a stream are named in a note and not folded

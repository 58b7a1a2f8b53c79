"""JSON Lines, times and folders of tables, beside Python's json, pyarrow and pandas."""

import json
import os
import pathlib
import random
import warnings
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import onefold

PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
needs_plugin = pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
pytestmark = pytest.mark.filterwarnings("ignore::onefold.TableWarning")

NUMBERS = ["0", "-0", "1", "-7", "0.1", "-2.50", "1e3", "1E-2", "12345678901234567890", "0.30000000000000004", "3.14159e+2"]
TEXTS = ["", "Oslo", "a, b", 'say "x"', "tab\tand\nline", "é", "\U0001f600", " blank ", "back\\slash", "NA", "\u2028", "true"]


def line(rng):
    members = []
    for name in rng.sample(["x", "k", "u", "skip"], 4):
        if name == "x" and rng.random() < 0.8:
            members.append(f'"x":{rng.choice(["", " "])}{rng.choice(NUMBERS + ["null"])}')
        elif name == "k":
            members.append(f'"k": {json.dumps(rng.choice(TEXTS), ensure_ascii=rng.random() < 0.5)}')
        elif name == "u" and rng.random() < 0.5:
            members.append(f'"u" : {{"y": {rng.choice(NUMBERS)}, "z": [1, {{"a": "]}}"}}]}}')
        elif name == "skip":
            members.append(f'"skip": {json.dumps(rng.choice(TEXTS + [[], [[1]], {"a": [None]}, True]))}')
    return rng.choice(["", " "]) + "{" + rng.choice([",", " , "]).join(members) + "}" + rng.choice(["", " ", "\r"])


@pytest.mark.parametrize("seed", range(60))
def test_lines_have_the_sums_of_what_json_reads(seed, tmp_path):
    rng = random.Random(seed)
    lines = ['{"x": 1, "k": "Oslo", "u": {"y": 2}}'] + [line(rng) for _ in range(rng.choice([1, 5, 200, 3000]))]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines) + rng.choice(["", "\n", "\n\n"]), encoding="utf-8", newline="")
    rows = [json.loads(each, parse_float=Fraction, parse_int=Fraction) for each in lines]
    for name, values in (("x", [r.get("x") for r in rows]), ("u.y", [r.get("u", {}).get("y") for r in rows])):
        there = [v for v in values if v is not None]
        answers = onefold.fold("sum,count", path, columns=name)
        assert answers.count == len(there)
        assert answers.sum == float(sum(there))
    keys, answers = onefold.fold("sum,count", path, columns="x", by="k")
    expected = {}
    for r in rows:
        expected.setdefault(r["k"], []).append(r.get("x"))
    found = dict(zip(keys.tolist(), zip(answers.sum.tolist(), answers.count.tolist())))
    assert found.keys() == expected.keys()
    for k, values in expected.items():
        total, count = found[k]
        exact = sum(v for v in values if v is not None)
        assert total == (exact if isinstance(total, int) else float(exact)) and count == sum(v is not None for v in values)


@pytest.mark.parametrize("seed", range(300))
def test_a_damaged_line_is_bad_where_json_says_so(seed, tmp_path):
    rng = random.Random(seed)
    good = '{"x":1.5,"k":"a \\u00e9","u":{"y":[1,true,null,"b"]},"n":-2e5}'
    text = list(good)
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(text))
        text[at:at + rng.choice([0, 1])] = rng.choice(['"', "{", "}", "[", "]", ",", ":", "0", "-", ".", "e", " ", "\\", "t", "\x01"])
    damaged = "".join(text)
    path = tmp_path / "t.jsonl"
    path.write_text(good + "\n" + damaged + "\n", encoding="utf-8")

    def refuse(word):
        raise ValueError(word)

    try:
        row = json.loads(damaged, parse_constant=refuse)
        ok = isinstance(row, dict) and not isinstance(row.get("x"), (str, bool, list, dict))
    except ValueError:
        ok = False
    # All members are columns, so none is skipped.
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = onefold.fold("count", path, columns="x,k,u.y,n", bad_lines="skip")
        except onefold.Error:
            assert not ok
            return
    bad = any("bad line" in str(w.message) for w in said)
    if ok:
        assert not bad, damaged
    elif isinstance(found, dict):
        assert bad or '"x":' in damaged, damaged


@needs_plugin
def test_times_of_parquet_are_those_of_pandas(tmp_path):
    rng = np.random.default_rng(3)
    at = rng.integers(-10**18, 2 * 10**18, 500)
    table = pa.table({
        "k": pa.array(["a", "b"] * 250),
        "at": pa.array(at, pa.timestamp("ns")),
        "us": pa.array(at // 1000, pa.timestamp("us", tz="UTC")),
        "day": pa.array((at // 86_400_000_000_000).astype("int32"), pa.date32()),
        "clock": pa.array(at % 86_400_000_000_000, pa.time64("ns")),
        "took": pa.array(at, pa.duration("ns"))})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    frame = table.select(["k", "at", "us", "day"]).to_pandas()
    found = onefold.fold("min,max,count", path, columns=["at", "us", "day"])
    assert found["at"].min == frame["at"].min().to_datetime64()
    assert found["at"].max == frame["at"].max().to_datetime64()
    assert found["us"].max == frame["us"].max().to_datetime64()  # in UTC
    assert found["at"].min.dtype == found["us"].min.dtype == "M8[ns]" and found["at"].count == 500
    assert found["day"].min == np.datetime64(frame["day"].min()) and found["day"].min.dtype == "M8[D]"
    mean = Fraction(sum(map(int, at)), 500)
    assert onefold.fold("mean", path, columns="at").mean.astype("int64") == round(mean)
    total = sum(map(int, at))
    assert onefold.fold("sum", path, columns="took").sum == text_of(total)  # beyond 64 bits of nanoseconds
    assert onefold.fold("max", path, columns="took").max == np.timedelta64(int(at.max()), "ns")
    keys, answers = onefold.fold("max", path, columns="at", by="k")
    assert answers.max.dtype == "M8[ns]" and list(answers.max) == list(frame.groupby("k")["at"].max().to_numpy())
    clock = int((at % 86_400_000_000_000).max())
    assert onefold.fold("max", path, columns="clock").max == np.timedelta64(clock, "ns")


def test_times_of_texts_are_numpys_and_nat_where_a_group_has_none(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("k,day,took\na,2024-01-03,0:10:00\nb,,0:30:00.5\na,2024-01-01,0:20:00\n")
    assert onefold.fold("min,ptp", path, columns="day") == (np.datetime64("2024-01-01"), np.timedelta64(2, "D"))
    total = onefold.fold("sum,mean,count", path, columns="took")
    assert total.sum == np.timedelta64(3600500, "ms") and total.mean.dtype == "m8[ns]" and total.count == 3
    keys, answers = onefold.fold("max,count", path, columns="day", by="k", empty_nan=True)
    assert answers.max.dtype == "M8[D]" and str(answers.max[0]) == "2024-01-03" and np.isnat(answers.max[1])
    assert answers.count.tolist() == [2, 0]
    path.write_text("n,at\n1,9000-01-01 10:00:00\n2,0001-01-01 00:00:00\n")
    assert onefold.fold("max", path, columns="at").max == np.datetime64("9000-01-01T10:00:00")


def text_of(ns):
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    days, ns = divmod(ns, 86_400_000_000_000)
    seconds, ns = divmod(ns, 10**9)
    text = f"{sign}{days} days {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return text + f".{ns:09}".rstrip("0") if ns else text


@needs_plugin
def test_partitions_of_parquet_are_columns(tmp_path):
    table = pa.table({"year": [2023, 2024, 2024], "city": ["N W", "S", "N W"], "x": [1.5, 2.0, 4.0], "n": [1, 2, 3]})
    pq.write_to_dataset(table, tmp_path / "d", partition_cols=["year", "city"])
    assert onefold.fold("sum", tmp_path / "d", columns="x").sum == 7.5
    keys, answers = onefold.fold("sum,argmax", str(tmp_path / "d"), columns="x", by=["year", "city"])
    assert keys["year"].tolist() == ["2023", "2024", "2024"] and keys["city"].tolist() == ["N W", "N W", "S"]
    assert answers.sum.tolist() == [1.5, 4.0, 2.0]
    assert onefold.fold("sum", tmp_path / "d", columns="n", where="year == 2024 and city == 'S'").sum == 2
    assert onefold.describe(tmp_path / "d", columns="x").max == 4.0

"""Parquet and Arrow files as tables: what the program answers of their columns, and of groups, is what
pyarrow and pandas read, to the last bit."""

import json
import math
import os
import pathlib
import subprocess

import numpy as np
import pytest

import onefold
from containers import numbers

pa = pytest.importorskip("pyarrow")
PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "onefold")
PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
FORMS = ["a.parquet", "a.arrow", "a.arrows", "a.arrows.gz", "pipe"]


def write(folder, form, table, rng):
    """Writes the table to a file. Returns the path and the bytes for standard input."""
    import pyarrow.feather
    import pyarrow.ipc
    import pyarrow.parquet

    path, rows = str(folder / form), int(rng.choice([7, 100, 100000]))
    if form == "a.parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=rows, data_page_size=200,
                                    use_dictionary=bool(rng.random() < 0.5),
                                    compression=str(rng.choice(["zstd", "snappy", "gzip", "none"])))
        return path, None
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=str(rng.choice(["lz4", "zstd", "none"])).replace("none", "") or None)
    new = pa.ipc.new_file if form == "a.arrow" else pa.ipc.new_stream
    with new(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    data = sink.getvalue().to_pybytes()
    if form == "pipe":
        return "-", data
    if form.endswith(".gz"):
        import gzip
        data = gzip.compress(data)
    pathlib.Path(path).write_bytes(data)
    return path, None


def run(*words, stdin=None):
    return subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, timeout=100)


def answers(*words, stdin=None):
    done = run(*words, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def generated(rng):
    n = int(rng.choice([1, 50, 3000]))
    columns = {}
    for dtype in ["i1", "i2", "i4", "i8", "u1", "u4", "u8", "f2", "f4", "f8", "?"]:
        x = numbers(rng, n, dtype)
        if dtype in ("i8", "u8"):
            x = x >> np.array(11, dtype)
        columns[dtype] = pa.array(x, mask=rng.random(n) < rng.choice([0, 0.2]))
    words = np.array(["Oslo", "Zürich", "東京", "", "a,b", "10", "9", "-1.5"])
    columns["word"] = pa.array(words[rng.integers(0, 8, n)], mask=rng.random(n) < 0.2)
    columns["kind"] = pa.array(words[rng.integers(0, 4, n)]).dictionary_encode()
    columns["size"] = pa.array(rng.integers(-3, 12, n), mask=rng.random(n) < rng.choice([0, 0.2]))
    columns["day"] = pa.array(rng.integers(-3, 30000, n).astype("i4"), type=pa.int32()).cast(pa.date32())
    columns["list"] = pa.array([[1]] * n)
    names = list(columns)
    rng.shuffle(names)
    return pa.table({name: columns[name] for name in names})


def as_float(column):
    """A column as f64, nulls as NaN, as pandas reads it."""
    x = column.to_pandas().to_numpy()
    return np.array([math.nan if v is None else float(v) for v in x])


def spelled(column):
    """Keys as the program spells them; null is None."""
    def one(v):
        return v if v is None else str(v).lower() if isinstance(v, bool) else str(v)
    return [one(v) for v in column.to_pylist()]


def as_float(column):
    return np.array([math.nan if v is None else float(v) for v in column.to_pylist()])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_columns_of_a_table_are_what_pyarrow_reads(tmp_path, form, seed):
    rng = np.random.default_rng(seed)
    table = generated(rng)
    path, stdin = write(tmp_path, form, table, rng)
    text = {"word", "kind", "day", "list"}
    ops = "count,count_nan,sum,mean,min,argmax"
    (got,) = answers(ops, "--json", path, stdin=stdin)
    assert set(got["sum"]) == set(table.column_names) - text
    for name in got["sum"]:
        present = np.array([v is not None for v in table[name].to_pylist()])
        wanted = onefold.fold(ops, as_float(table[name]), where=present)
        for op, value in zip(ops.split(","), wanted):
            assert same(got[op][name], np.asarray(value)[()]), (name, op)


def same(text, value):
    number = math.nan if text is None else float(text)
    return number == value or math.isnan(number) and math.isnan(value)


KEYS = [["word"], ["kind"], ["size"], ["day"], ["?"], ["i8"], ["size", "word"], ["kind", "?", "day"]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_groups_of_a_table_are_those_of_its_keys(tmp_path, form, seed):
    rng = np.random.default_rng(100 + seed)
    table = generated(rng)
    x = rng.standard_cauchy(table.num_rows)
    table = table.append_column("x", pa.array(x))
    path, stdin = write(tmp_path, form, table, rng)
    for by in KEYS[(seed + FORMS.index(form)) % 3::3]:  # each form meets each, and each key three sizes
        wanted = {}
        for key, value in zip(zip(*(spelled(table[name]) for name in by)), x):
            wanted.setdefault(key, []).append(value)
        got = answers("sum,count,max", "--by", ",".join(by), "--columns", "x", "--json", path, stdin=stdin)
        assert len(got) == len(wanted)
        for line in got:
            assert list(line["by"]) == by
            key = tuple(v if v is None else json.dumps(v) if isinstance(v, bool) else str(v)
                        for v in line["by"].values())
            values = wanted[key]
            assert line["x"] == {"sum": math.fsum(values), "count": len(values), "max": max(values)}


def test_groups_are_those_of_pandas(tmp_path):
    import pandas as pd

    rng = np.random.default_rng(1)
    city = pd.Categorical.from_codes(rng.integers(-1, 40, 5000), [f"c{k}" for k in range(40)])
    frame = pd.DataFrame({"city": city, "temp": rng.integers(-500, 500, 5000) / 8})
    path = str(tmp_path / "a.parquet")
    frame.to_parquet(path, row_group_size=700)
    theirs = frame.groupby("city", dropna=False, observed=True)["temp"].agg(["sum", "min", "size"])
    ours = answers("sum,min,count", "--by", "city", "--json", path)
    assert len(ours) == len(theirs) == 41
    for line in ours:
        key = line["by"]["city"]
        row = theirs.loc[np.nan if key is None else key]
        assert tuple(line["temp"].values()) == tuple(row)


def test_keys_are_spelled_nulls_are_last_and_numbers_in_order(tmp_path):
    table = pa.table({"year": [2024.0, math.nan, None, 1.5, -0.0, 2024.0], "s": ["", "null", None, "b", "a", ""],
                      "x": [1, 2, 3, 4, 5, 6]})
    path, _ = write(tmp_path, "a.parquet", table, np.random.default_rng(0))
    lines = run("sum", "--by", "year", "--columns", "x", path).stdout.decode().splitlines()
    assert lines == ["year\tsum", "0\t5", "1.5\t4", "2024\t7", "NaN\t2", "null\t3"]
    lines = run("sum", "--by", "s", "--columns", "x", path).stdout.decode().splitlines()
    assert lines == ["s\tsum", "\t7", "a\t5", "b\t4", '"null"\t2', "null\t3"]
    keys = [line["by"]["s"] for line in answers("sum", "--by", "s", "--columns", "x", "--json", path)]
    assert keys == ["", "a", "b", "null", None]
    out = str(tmp_path / "groups.npy")
    assert run("sum", "--by", "x", "--columns", "year", path, "--output", out).returncode == 0
    assert np.load(out)["x"].tolist() == [1, 2, 3, 4, 5, 6] and np.load(out)["x"].dtype == "i8"


@pytest.mark.parametrize("form", FORMS)
def test_tables_answer_under_names_and_name_what_they_leave_out(tmp_path, form):
    table = pa.table({"city": ["Oslo", "Rome"], "temp": [1.5, None], "sold": [10, 20], "l": [[1], [2]]})
    path, stdin = write(tmp_path, form, table, np.random.default_rng(0))
    done = run("describe", "--nan", "omit", path, stdin=stdin)
    lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assert [line[0] for line in lines] == ["column", "temp", "sold"]
    assert lines[2][lines[0].index("mean")] == "15"
    assert done.stderr.decode() == "onefold: columns without numbers are left out: city, l\n"
    assert run("sum", "--columns", "3", path, stdin=stdin).stdout == b"30\n"
    assert run("mean", "--columns", "sold,2", "--nan", "omit", path, stdin=stdin).stdout == \
        b"sold\t15\ntemp\t1.5\n"
    info = run("info", "--json", path, stdin=stdin)
    (got,) = [json.loads(info.stdout)]
    assert [c["name"] for c in got["contents"]] == table.column_names
    assert got["contents"][0]["type"] == "string" and got["format"] in ("parquet", "arrow")
    if form != "a.parquet" and form != "a.arrow":
        assert [c["missing"] for c in got["contents"]] == [None, 1, 0, None]


def test_what_cannot_be_read_is_refused_in_one_line(tmp_path):
    table = pa.table({"s": ["a", "b"], "l": [[1], [2]], "x": [1.5, None], "wide": [2**53 + 1, 1], "n": [1, None]})
    path, _ = write(tmp_path, "a.parquet", table, np.random.default_rng(0))
    arrow, _ = write(tmp_path, "a.arrow", table, np.random.default_rng(0))
    for words, says in [
            (["sum", "--columns", "s", path], "column s has type string, which cannot be folded"),
            (["sum", "--by", "l", path], "column l has type list"),
            (["sum", "--columns", "y", path], 'it has no column "y"'),
            (["max", "--columns", "wide,x", path], "row 1, column wide: f64 cannot hold 9007199254740993"),
            (["max", "--columns", "wide,x", arrow], "row 1, column wide: f64 cannot hold 9007199254740993; leave it out with"),
            (["sum", "--columns", "x", "--dtype", "i64", path], "column x holds f64, but --dtype asks for i64"),
            (["sum", "--columns", "n", "--dtype", "i64", "--nan", "propagate", path],
             "row 2, column n: the value is missing, but i64 has no NaN"),
            (["sum", "--columns", "wide", "--dtype", "i32", path], "i32 cannot hold 9007199254740993"),
            (["sum", "--delimiter", ";", path], "--delimiter applies only to text tables"),
            (["sum", "--axis", "2", path], "axis 2 is out of range"),
            (["dot", path, path], "dot needs two arrays, but this is a table"),
            (["gather", "sum", path, "--state", "x.of"], "columns of numbers; choose one with --columns")]:
        done = run(*words)
        assert done.returncode != 0 and says in done.stderr.decode(), (words, done.stderr)
        assert done.stdout == b"" and done.stderr.count(b"\n") == 1
    assert run("sum", "--columns", "wide", "--dtype", "i64", path).stdout == b"9007199254740994\n"
    assert run("max", "--columns", "wide", path).stdout == b"9007199254740993\n"
    gap = run("sum", "--columns", "n", "--dtype", "i64", path)
    assert gap.stdout == b"1\n" and gap.stderr == b"onefold: a value is missing and left out: 1 in column n\n"
    assert b"wide (integers beyond f64; see --dtype i64)" in run("max", "--nan", "omit", path).stderr


@pytest.mark.parametrize("form", FORMS)
def test_damaged_tables_are_errors_of_one_line_or_what_they_were(tmp_path, form):
    rng = np.random.default_rng(5)
    table = pa.table({"city": ["Oslo", "Rome"] * 200, "temp": rng.standard_normal(400)})
    path, stdin = write(tmp_path, form, table, rng)
    whole = stdin if stdin is not None else pathlib.Path(path).read_bytes()
    right = run("sum", "--by", "city", path, stdin=stdin).stdout
    for k in range(24):
        damaged = bytearray(whole)
        if k % 2:
            damaged = damaged[:int(rng.integers(0, len(whole)))]
        else:
            damaged[int(rng.integers(0, len(whole)))] ^= int(rng.integers(1, 256))
        if stdin is None:
            pathlib.Path(path).write_bytes(damaged)
        done = run("sum", "--by", "city", path, stdin=bytes(damaged) if stdin is not None else None)
        assert 0 <= done.returncode < 100, done
        if done.returncode == 0 and k % 2:
            assert done.stdout == right  # the file lacks only the last bytes of an envelope
        elif done.returncode != 0:
            assert done.stderr.count(b"\n") == 1 and done.stdout == b"", done


@pytest.mark.parametrize("form", FORMS)
def test_dictionaries_of_numbers_are_their_numbers(tmp_path, form):
    rng = np.random.default_rng(5)
    columns = {"i": pa.array([3, None, 5, 3, -7]), "f": pa.array([0.5, 1.5, None, 0.5, math.nan]),
               "b": pa.array([True, False, None, True, True]), "u": pa.array([1, 2, 3, 2**64 - 1, 1], pa.uint64())}
    table = pa.table({name: column.dictionary_encode() for name, column in columns.items()} | {"k": list("abaab")})
    plain = pa.table(columns | {"k": list("abaab")})
    path, piped = write(tmp_path, form, table, rng)
    (tmp_path / "plain").mkdir()
    other, its = write(tmp_path / "plain", form, plain, rng)

    def out(words, path, piped):
        return subprocess.run([PROGRAM, *words, path], input=piped, capture_output=True, check=False)

    for words in (["sum", "--columns", "i"], ["count,max", "--columns", "b"], ["sum", "--columns", "f", "--nan", "omit"],
                  ["max", "--columns", "u", "--dtype", "u64"], ["sum", "--by", "k", "--columns", "i"], ["count", "--by", "i", "--columns", "i"]):
        mine, right = out(words, path, piped), out(words, other, its)
        assert (mine.returncode, mine.stdout) == (right.returncode, right.stdout), (words, mine.stderr, right.stderr)
    assert out(["sum", "--columns", "i"], path, piped).stdout == b"4\n"

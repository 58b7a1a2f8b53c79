"""Files of --output: other readers find in them the answers that a fold gives in Python."""

import csv
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import onefold

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "")
PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
pytestmark = [pytest.mark.filterwarnings("ignore::onefold.TableWarning"),
              pytest.mark.skipif(not PROGRAM, reason="the program is not here")]
ARROW = ["a.parquet", "a.arrow"] if PLUGIN.exists() else []


def write(tmp_path, name, *words):
    path = str(tmp_path / name)
    ran = subprocess.run([PROGRAM, *map(str, words), "--output", path], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, b""), ran.stderr
    return path


def columns_of(path):
    """The columns of a file of answers, as lists by name."""
    if path.endswith(".csv"):
        with open(path, newline="") as file:
            head, *lines = csv.reader(file)
        return {name: list(column) for name, column in zip(head, zip(*lines))}
    if path.endswith(".npy"):
        records = np.load(path)
        return {name: records[name].tolist() for name in records.dtype.names}
    import pyarrow.feather
    import pyarrow.parquet

    read = pyarrow.parquet.read_table if path.endswith(".parquet") else pyarrow.feather.read_table
    return read(path).to_pydict()


@pytest.mark.parametrize("name", ["a.csv", "a.npy", *ARROW])
def test_groups_are_those_of_python(tmp_path, name):
    rng = np.random.default_rng(5)
    words = ["Oslo", "a,b", 'say "x"', "Zürich", " c "]
    rows = [(words[rng.integers(5)], rng.integers(3), repr(rng.normal())) for _ in range(500)]
    table = tmp_path / "t.csv"
    with open(table, "w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_NONNUMERIC).writerows([("city", "day", "x"), *rows])
    found = columns_of(write(tmp_path, name, "sum,max,count", "--by", "city,day", "--columns", "x", table))
    keys, answers = onefold.fold("sum,max,count", table, by="city,day", columns="x")
    assert list(found) == ["city", "day", "sum", "max", "count"]
    assert found["city"] == keys["city"].tolist()
    assert list(map(int, found["day"])) == list(map(int, keys["day"]))
    for op in ("sum", "max", "count"):
        assert list(map(float, found[op])) == getattr(answers, op).tolist()


@pytest.mark.parametrize("name", ["a.csv", *ARROW])
def test_what_has_no_value_is_null(tmp_path, name):
    table = tmp_path / "t.csv"
    table.write_text("k,x\na,NA\nb,2\n")
    found = columns_of(write(tmp_path, name, "describe", "--by", "k", "--columns", "x", table))
    assert found["k"] == ["a", "b"]
    assert found["min"] == (["", "2"] if name == "a.csv" else [None, 2.0])
    assert list(map(int, found["count"])) == [0, 1]


@pytest.mark.skipif(not ARROW, reason="onefold_arrow.so is not here")
@pytest.mark.parametrize("name", ARROW)
def test_keys_keep_their_types_nulls_and_bytes(tmp_path, name):
    import pyarrow as pa
    import pyarrow.parquet

    table = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({
        "flag": pa.array([True, False, True]), "id": pa.array([7, -2, 7], pa.int16()),
        "text": pa.array(["x", None, "x"]), "v": pa.array([1, 2, 3], pa.int32())}), table)
    found = columns_of(write(tmp_path, name, "sum", "--by", "flag,id,text", "--columns", "v", table))
    assert found == {"flag": [False, True], "id": [-2, 7], "text": [None, "x"], "sum": [2.0, 4.0]}
    raw = tmp_path / "raw.csv"
    raw.write_bytes(b"k,v\n\xff,1\nb,2\n")
    found = columns_of(write(tmp_path, name, "sum", "--by", "k", raw))
    assert found == {"k": [b"b", b"\xff"], "sum": [2.0, 1.0]}


def test_columns_and_axes_have_their_names(tmp_path):
    x = np.arange(12.0).reshape(3, 4)
    np.save(tmp_path / "x.npy", x)
    for name in ["a.csv", "a.npy", *ARROW]:
        found = columns_of(write(tmp_path, name, "sum,max", "--axis", "0", tmp_path / "x.npy"))
        assert list(found) == ["index", "sum", "max"]
        assert list(map(int, found["index"])) == [0, 1, 2, 3]
        assert list(map(float, found["sum"])) == x.sum(0).tolist()
    with open(write(tmp_path, "a.json", "sum,max", "--axis", "0", tmp_path / "x.npy")) as file:
        assert json.load(file) == {"sum": x.sum(0).tolist(), "max": x.max(0).tolist()}
    assert np.load(write(tmp_path, "b.npy", "sum", "--axis", "0", tmp_path / "x.npy")).tolist() == x.sum(0).tolist()

"""Tables whose columns differ in order or set are one table, by the names of columns; and tables with a log."""

import gzip
import pathlib
import shutil

import numpy as np
import pytest

import onefold

pandas = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FRAMES = [pandas.DataFrame({"a": [1, 2], "b": [0.5, 4], "k": ["p", "q"]}),
          pandas.DataFrame({"k": ["q", "p"], "a": [10, 20]}),
          pandas.DataFrame({"c": [7.0], "b": [200.25], "a": [100], "k": ["p"]})]
ALL = pandas.concat(FRAMES)


def write(folder, kind):
    paths = []
    for k, frame in enumerate(FRAMES):
        paths.append(str(folder / f"{k}.{kind}"))
        if kind == "csv":
            frame.to_csv(paths[-1], index=False)
        elif kind == "jsonl":
            frame.to_json(paths[-1], orient="records", lines=True)
        else:
            frame.to_parquet(paths[-1], index=False)
    return paths


@pytest.mark.filterwarnings("ignore::onefold.TableWarning")
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_union_has_what_pandas_concatenates(tmp_path, kind):
    paths = write(tmp_path, kind)
    for files in (paths, paths[::-1], str(tmp_path)):
        found = onefold.fold("sum,max,count", files, union=True)
        assert sorted(found) == ["a", "b", "c"]
        for name, answers in found.items():
            assert answers == (ALL[name].sum(), ALL[name].max(), ALL[name].count())
        assert onefold.fold("sum", files, columns="b", where="a > 1", union=True).sum == ALL["b"][ALL.a > 1].sum()
        assert onefold.median(files, columns="c", union=True) == 7
        assert onefold.agg(files, "sum(b), max(a)", union=True) == {"sum(b)": ALL.b.sum(), "max(a)": 100}
        keys, answers = onefold.fold("sum,count", files, columns="b", by="k", union=True)
        assert keys.tolist() == ["p", "q"]
        assert answers.sum.tolist() == ALL.groupby("k").b.sum().tolist()
        assert answers.count.tolist() == ALL.groupby("k").b.count().tolist()
        keys, answers = onefold.fold("sum", files, columns="a", by="c", union=True)
        assert answers.sum.tolist() == [100, 33]  # the key of files without c is null
        assert keys.tolist()[1] is None
    # Places and patterns mean the columns of all files, in the order in which they are met.
    assert list(onefold.fold("sum", paths, columns=["*"] if kind == "none" else "2,4", union=True)) == ["b", "c"]
    assert onefold.fold("sum", paths, columns="b2", let="b2 = b * 2", union=True).sum == 2 * ALL.b.sum()
    assert onefold.describe(paths, columns="b", union=True).count == 3


@pytest.mark.filterwarnings("ignore::onefold.TableWarning")
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_in_another_order_need_no_option(tmp_path, kind):
    paths = write(tmp_path, kind)
    frame = FRAMES[0][["k", "b", "a"]]
    other = str(tmp_path / f"other.{kind}")
    {"csv": lambda: frame.to_csv(other, index=False), "jsonl": lambda: frame.to_json(other, orient="records", lines=True),
     "parquet": lambda: frame.to_parquet(other, index=False)}[kind]()
    found = onefold.fold("sum,max", [paths[0], other])
    assert found == {"a": (6, 2), "b": (9, 4)}
    with pytest.raises(onefold.ShapeError, match="its columns differ from those of the first file; .* or pass union=True"):
        onefold.fold("sum", paths)


def test_a_union_is_of_tables_with_names(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "b.csv").write_text("1,2\n")
    (tmp_path / "c.csv").write_text("a,b\n1,x\n")
    np.save(tmp_path / "d.npy", np.ones(3))
    a = tmp_path / "a.csv"
    with pytest.raises(onefold.OptionError, match="b.csv: union=True joins tables by column names, but this file has none"):
        onefold.fold("sum", [a, tmp_path / "b.csv"], union=True)
    with pytest.raises(onefold.OptionError, match="d.npy: union=True applies only to text tables"):
        onefold.fold("sum", [a, tmp_path / "d.npy"], union=True)
    with pytest.raises(onefold.OptionError, match='it has no column "7"; its 2 columns are a, b'):
        onefold.fold("sum", [a, a], columns="7", union=True)
    with pytest.raises(onefold.FileError, match=r'c.csv: line 2, column 2 \(b\): "x" is not a number'):
        onefold.fold("sum", [a, tmp_path / "c.csv"], union=True)
    with pytest.raises(onefold.DTypeError):
        onefold.fold("sum", a, union=1)


def test_parts_of_type_null_are_parts_of_numbers(tmp_path):
    pq.write_table(pa.table({"v": pa.nulls(2), "w": [1, 2]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"v": [0.5], "w": [4]}), tmp_path / "2.parquet")
    with pytest.warns(onefold.TableWarning, match="2 values are missing and left out: 2 in column v"):
        found = onefold.fold("sum", [tmp_path / "1.parquet", tmp_path / "2.parquet"], union=True)
    assert found == {"v": (0.5,), "w": (7,)}


def test_delta_tables_are_read_by_their_log(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    path = str(tmp_path / "t")
    deltalake.write_deltalake(path, pa.table({"a": [1, 2], "k": ["x", "y z"]}), partition_by=["k"])
    deltalake.write_deltalake(path, pa.table({"a": [10], "k": ["x"]}), mode="append")
    deltalake.DeltaTable(path).delete("a = 2")
    deltalake.write_deltalake(path, pa.table({"a": [100], "k": ["y z"], "b": [0.5]}), mode="append", schema_mode="merge")
    assert onefold.fold("sum", path, columns="a").sum == 111
    with pytest.warns(onefold.TableWarning, match="2 values are missing"):
        assert onefold.fold("sum", path, columns="b").sum == 0.5
    keys, answers = onefold.fold("sum", path, columns="a", by="k")
    assert (keys.tolist(), answers.sum.tolist()) == (["x", "y z"], [11, 100])
    assert onefold.agg(path, "max(a)", where="k == 'x'") == {"max(a)": 10}
    assert onefold.fold("sum", [pathlib.Path(f).as_uri() for f in deltalake.DeltaTable(path).file_uris()],
                        columns="a").sum == 111
    # A folder of its files alone has no log.
    with pytest.raises(onefold.UnsupportedError, match="it is a Delta table, and its _delta_log says which files belong to it"):
        onefold.fold("sum", next(pathlib.Path(path).glob("k=*")), columns="a")
    shutil.rmtree(path + "/_delta_log")
    (tmp_path / "t" / "_delta_log").mkdir()
    with pytest.raises(onefold.FileError, match="deltalake cannot read the table's log"):
        onefold.fold("sum", path, columns="a")


def test_folders_of_iceberg_are_refused(tmp_path):
    data = tmp_path / "t" / "data"
    (tmp_path / "t" / "metadata").mkdir(parents=True)
    data.mkdir()
    (tmp_path / "t" / "metadata" / "00000-1.metadata.json").write_text("{}")
    pq.write_table(pa.table({"a": [1]}), data / "1.parquet")
    for folder in (tmp_path, tmp_path / "t", data):
        with pytest.raises(onefold.UnsupportedError, match=r"t: it is an Iceberg table, .*; or in Python pass pyiceberg's table.scan\(\)"):
            onefold.fold("sum", folder, columns="a")


def test_integers_are_long_in_all_files_if_they_are_in_one(tmp_path):
    long = [2**53 + 1, -2**53 - 3, 1]

    def table(name, values, kind):
        path = tmp_path / name
        pq.write_table(pa.table({"k": ["x"] * len(values), "b": pa.array(values, kind)}), path)
        return str(path)

    first = table("long.parquet", long, pa.int64())
    for kind in (pa.int64(), pa.uint64(), pa.int32(), pa.int8(), pa.uint8(), pa.uint16()):
        short = table("short.parquet", [1, 2], kind)
        for files in ([first, short], [short, first], [short, first, short]):
            values = long + [1, 2] * (len(files) - 1)
            assert onefold.fold("sum", files, columns="b")[0] == sum(values), (kind, files)
            assert onefold.fold("mean", files, columns="b")[0] == sum(values) / len(values)
    for values, kind in (([.5, .25], pa.float64()), ([.5], pa.float32()), ([True], pa.bool_())):
        short = table("short.parquet", values, kind)
        with pytest.raises(TypeError, match="in .*long.parquet it holds numbers that f64 cannot hold"):
            onefold.fold("sum", [first, short], columns="b")
        assert onefold.fold("sum", [first, short], columns="b", dtype="f64")[0] == float(sum(map(float, long)) + sum(values))


def test_columns_that_files_lack_may_be_long_or_compressed(tmp_path):
    (tmp_path / "long.csv").write_text("a,b\n9007199254740993,2\n")
    (tmp_path / "other.csv.gz").write_bytes(gzip.compress(b"b,c\n5,6\n"))
    (tmp_path / "array.json").write_text('[{"c": 1, "a": 3}]')
    files = [str(tmp_path / name) for name in ("long.csv", "other.csv.gz", "array.json")]
    for some in (files, files[::-1]):
        answers = onefold.fold("sum,max", some, union=True, nan="omit")
        assert (answers["a"].sum, answers["a"].max) == (9007199254740996, 9007199254740993)
        assert (answers["b"].sum, answers["b"].max, answers["c"].sum) == (7, 5, 7)
    # Of Parquet files such a column is folded alone; beside others it is left out, and never in silence.
    pq.write_table(pa.table({"a": [2**53 + 1, 1], "b": [1, 2]}), tmp_path / "long.parquet")
    pq.write_table(pa.table({"b": [5], "c": [1.5]}), tmp_path / "other.parquet")
    files = [str(tmp_path / name) for name in ("long.parquet", "other.parquet")]
    assert onefold.fold("sum,max", files, union=True, columns="a")[:2] == (2**53 + 2, 2**53 + 1)
    for some in (files, files[::-1]):
        with pytest.warns(onefold.TableWarning, match="a column without numbers is left out: a .integers beyond f64"):
            assert onefold.fold("sum,max", some, union=True) == {"b": (8, 5), "c": (1.5, 1.5)}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_long_integers_that_are_not_chosen_do_not_matter(tmp_path, kind):
    long = [pa.table({"id": pa.array([2**53 + 1, 2]), "x": [1.5, 2.5]}), pa.table({"id": pa.array([5, 6]), "y": [1.5, 2.5], "x": [4.0, 5.0]})]
    for order in (long, long[::-1]):
        paths = []
        for k, table in enumerate(order):
            paths.append(str(tmp_path / f"{k}.{kind}"))
            pq.write_table(table, paths[-1]) if kind == "parquet" else table.to_pandas().to_csv(paths[-1], index=False)
        for more in ({}, {"where": "x > 0"}, {"columns": ["x", "y"]}):
            found = onefold.fold("max", paths, union=True, **more)
            assert found["x"].max == 5 and found["y"].max == 2.5
            if kind == "csv" and not more:
                assert found["id"].max == 2**53 + 1
        assert onefold.fold("sum", paths, union=True)["id"].sum == 2**53 + 14
        assert onefold.fold("max", paths, union=True, columns="id").max == 2**53 + 1


def test_decimals_stay_decimals_beside_other_files(tmp_path):
    """Integers, nulls and lacking columns of containers are read as numbers of a text are; floats are refused by sums."""
    from decimal import Decimal
    tables = {"i": pa.array([0, 7]), "n": pa.nulls(1), "e": pa.nulls(0), "d": pa.array([Decimal("0.1"), Decimal("0.2")]),
              "long": pa.array([2**53 + 1, 1]), "f": pa.array([0.5])}
    files = {name: str(tmp_path / f"{name}.parquet") for name in tables}
    for name, values in tables.items():
        pq.write_table(pa.table({"x": values}), files[name])
    files["y"] = str(tmp_path / "y.parquet")
    pq.write_table(pa.table({"y": [1]}), files["y"])
    for name, text in {"csv": "x\n0.1\n0.2\n", "json": '{"x":0.1}\n{"x":0.2}\n'}.items():
        files[name] = str(tmp_path / f"t.{name}")
        (tmp_path / f"t.{name}").write_text(text)
    for a, b, total in (("csv", "i", 7.3), ("json", "i", 7.3), ("csv", "n", .3), ("csv", "e", .3), ("d", "n", .3), ("d", "i", 7.3), ("csv", "d", .6),
                        ("long", "n", 2**53 + 2), ("long", "e", 2**53 + 2), ("long", "i", 2**53 + 9)):
        for pair in ((a, b), (b, a)):
            paths = [files[name] for name in pair]
            assert onefold.fold("sum", paths, columns="x", nan="omit").sum == total, pair
            assert onefold.agg(paths, "sum(x)")["sum(x)"] == total, pair
    for name, total in (("csv", .3), ("d", .3), ("long", 2**53 + 2)):
        for pair in ((name, "y"), ("y", name)):
            assert onefold.fold("sum", [files[f] for f in pair], columns="x", union=True, nan="omit").sum == total, pair
            assert onefold.fold("sum", [files[f] for f in pair], union=True, nan="omit")["x"].sum == total, pair
    for name in ("csv", "d"):
        for pair in ((name, "f"), ("f", name)):
            with pytest.raises(onefold.Error, match="column x holds f64, but in .* it holds .*; to round them to f64, pass dtype=.f64"):
                onefold.fold("sum", [files[f] for f in pair], columns="x")
            assert onefold.fold("max", [files[f] for f in pair], columns="x").max == .5


def test_the_same_file_twice_keeps_its_long_integers(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,x\n9007199254740993,1\n")
    found = onefold.fold("max,sum", [str(path)] * 2, union=True)
    assert found["id"] == (2**53 + 1, 2.0**54) and found["x"] == (1, 2)
    assert onefold.fold("max", [str(path)] * 2, union=True, columns="id").max == 2**53 + 1

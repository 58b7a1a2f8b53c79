"""Tables from Python: the answers, the bits and the errors of the program, in Python's objects."""

import json
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scaled import scaled

import onefold

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "")
PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
TEXT = 'city,year,temp,"rain, mm"\nOslo,2024,1.5,3\nRome,2024,11,0\nOslo,2023,0.5,NA\n'
pytestmark = pytest.mark.filterwarnings("ignore::onefold.TableWarning")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TEXT)
    return path


def program(*words):
    ran = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    return ran.stdout, ran.stderr.removeprefix("onefold: ").rstrip("\n")


def test_columns_have_names_and_one_that_is_named_stands_alone(table):
    all_columns = onefold.fold("mean,max", table)
    assert list(all_columns) == ["year", "temp", "rain, mm"]
    assert all_columns["temp"] == (13 / 3, 11.0) and all_columns["temp"].max == 11.0
    assert onefold.fold("mean,max", table, columns="temp") == all_columns["temp"]
    assert onefold.fold("mean,max", table, columns=["temp"]) == {"temp": all_columns["temp"]}
    assert onefold.fold("sum", table, columns="2-3") == {"year": (6071.0,), "temp": (13.0,)}
    assert onefold.fold("sum", table, columns=["rain, mm"]) == {"rain, mm": (3.0,)}
    assert onefold.mean(table) == {name: a.mean for name, a in all_columns.items()}
    assert onefold.fold("sum", table, columns="temp", nan="omit").sum == 13
    assert onefold.fold("corr", table, columns=["temp", "year"]).corr == onefold.corr([1.5, 11, .5], [2024, 2024, 2023.])
    assert onefold.fold("average", table, columns=["temp"], weights="year").average == onefold.average(
        [1.5, 11, .5], [2024., 2024, 2023])


def test_keys_are_arrays_beside_arrays_of_answers(table):
    keys, answers = onefold.fold("sum,count", table, columns="temp", by="city")
    assert keys.tolist() == ["Oslo", "Rome"] and answers.sum.tolist() == [2.0, 11.0]
    assert answers.count.dtype == np.int64
    keys, answers = onefold.fold("sum", table, columns=["temp"], by=["city", "year"])
    assert [k.tolist() for k in keys.values()] == [["Oslo", "Oslo", "Rome"], ["2023", "2024", "2024"]]
    assert list(keys) == ["city", "year"] and answers["temp"].sum.tolist() == [0.5, 1.5, 11.0]


@pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
def test_keys_of_parquet_have_its_types(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({
        "k": [1, 2, None, 1], "f": [.5, .5, -1., np.nan], "s": ["a", None, "b", "a"], "b": [True, False, True, True],
        "i": pa.array([7, 2**31, 2**32 - 1, 7], pa.uint32()),
        "d": pa.array([1, 0, None, 1], pa.date32()), "n": pa.array([1, 2, 1, 3]).cast(pa.decimal128(21, 2)), "x": [1, 2, 3, 4]}), path)

    def keys(name):
        return onefold.fold("sum", path, columns="x", by=name)[0]

    assert keys("k").tolist() == [1, 2, None] and keys("s").tolist() == ["a", "b", None]
    assert keys("b").dtype == bool and keys("i").dtype == np.uint32 and keys("i").tolist() == [7, 2**31, 2**32 - 1]
    assert keys("k").dtype == object and keys("d").tolist() == ["1970-01-01", "1970-01-02", None]
    assert keys("n").tolist() == ["1.00", "2.00", "3.00"]
    with pytest.raises(onefold.UnsupportedError, match="needs the data in an array file"):
        onefold.fold("sum", path, columns="x", where=[True] * 4)
    assert np.array_equal(keys("f"), [-1, .5, np.nan], equal_nan=True) and keys("f").dtype == np.float64


@pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
def test_the_plugin_takes_the_pyarrow_that_is_installed(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(pa.table({"x": [1.5, 2.5]}), tmp_path / "t.parquet")
    folder = str(pathlib.Path(pa.__file__).parent).encode()
    built = PLUGIN.read_bytes()
    if folder not in built:
        pytest.skip("the plugin was linked elsewhere")
    moved = tmp_path / "onefold_arrow.so"  # a plugin that does not find its libraries here
    moved.write_bytes(built.replace(folder, b"/" + b"x" * (len(folder) - 1)))
    code = f"import onefold; print(onefold.sum({str(tmp_path / 't.parquet')!r}))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                         env={**os.environ, "ONEFOLD_ARROW_PLUGIN": str(moved)})
    assert ran.stdout == "{'x': 4.0}\n", ran.stderr


def test_text_in_a_table_without_a_header_says_what_header_takes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("k,v\na,1\n")
    with pytest.raises(onefold.FileError, match='line 1, column 2: "v" is not a number$'):
        onefold.fold("sum", path, header=False)
    with pytest.raises(onefold.FileError, match="column k holds text; leave it out with columns=$"):
        onefold.fold("sum", path, header=True, axis=1)


def test_two_files_of_an_op_of_one_array_are_one_array(tmp_path):
    one, other = tmp_path / "a.npy", tmp_path / "b.npy"
    np.save(one, [1., 2.])
    np.save(other, [6.])
    assert onefold.fold("mean", one, other) == onefold.fold("mean", [one, other]) == (3.0,)
    assert "of other ops the path of a file that continues x" in onefold.fold.__doc__


def test_members_of_archives_are_keys_and_values(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, k=np.array([3, 1, 3]), x=np.arange(6.0).reshape(3, 2))
    keys, answers = onefold.fold("sum", f"{path}:x", by=f"{path}:k")
    assert keys["k"].tolist() == [1, 3] if isinstance(keys, dict) else keys.tolist() == [1, 3]
    assert {name: a.sum.tolist() for name, a in answers.items()} == {"0": [2.0, 4.0], "1": [3.0, 6.0]}


def test_a_mask_and_weights_stand_beside_a_file(tmp_path):
    x, there = np.arange(12.0).reshape(3, 4), np.arange(12).reshape(3, 4) % 3 == 0
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "there.npy", there)
    np.save(tmp_path / "w.npy", x + 1)
    for where in (there, tmp_path / "there.npy"):
        assert onefold.fold("sum", tmp_path / "x.npy", where=where).sum == x[there].sum()
        assert onefold.sum(tmp_path / "x.npy", where=where) == x[there].sum()
    assert onefold.fold("average", tmp_path / "x.npy", weights=tmp_path / "w.npy").average == onefold.average(x, x + 1)


def test_what_is_left_out_is_a_warning(table):
    with pytest.warns(onefold.TableWarning) as said:
        onefold.fold("mean", table)
    assert [str(w.message) for w in said] == [
        "a column without numbers is left out: city", "a value is missing and left out: 1 in column rain, mm"]
    assert {w.filename for w in said} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert onefold.fold("mean", table, columns="temp").mean == 13 / 3


def test_describe_has_a_description_for_each_column(table):
    described = onefold.describe(table, missing=["11"])
    assert described["temp"].count == 2 and described["temp"].sum == 2.0 and described["rain, mm"].mean == 1.5
    table.write_text("a,b\n1,NA\n")
    nothing = onefold.describe(table)["b"]
    assert nothing.min is None and "min     empty_input" in str(nothing)


def test_info_says_what_is_in_a_file_and_what_can_be_read_here(table, tmp_path):
    found = onefold.info(table)
    assert found["format"] == "table" and [c["name"] for c in found["contents"]] == ["city", "year", "temp", "rain, mm"]
    assert found["contents"][3] == {"name": "rain, mm", "type": "f64", "shape": (3,), "missing": 1}
    np.savez(tmp_path / "a.npz", x=np.ones((2, 3), "f4"))
    assert onefold.info(tmp_path / "a.npz")["contents"] == [{"name": "x", "type": "f32", "shape": (2, 3), "missing": None}]
    here = onefold.info()
    assert {"npy", "text", "raw"} <= set(here["formats"]) and "gzip" in {*here["codecs"], *here["unreadable"]}
    if PROGRAM:
        theirs = json.loads(program("info", "--json")[0])
        plugin = set() if PLUGIN.exists() else {"arrow", "parquet"}  # the program has one beside it, a wheel has none
        assert set(here["formats"]) | plugin == set(theirs["formats"]) | plugin and here["codecs"] == theirs["codecs"]
        assert here["unreadable"].keys() | plugin == theirs["unreadable"].keys() | plugin
        assert json.loads(program("info", "--json", table)[0])["contents"] == [
            {**c, "shape": list(c["shape"])} for c in found["contents"]]
    for wrong in (lambda: onefold.info([1.0]), lambda: onefold.info(columns="a")):
        with pytest.raises(onefold.Error, match="info: "):
            wrong()


@pytest.mark.parametrize(("keywords", "options", "text"), [
    ({"columns": "tempp"}, ["--columns", "tempp"], 'it has no column "tempp" (did you mean temp?)'),
    ({"header": "maybe"}, ["--header", "maybe"], 'header="maybe" is not valid; choose one of auto, yes, no'),
    ({"columns": "4", "by": "city", "nan": "raise"}, ["--columns", "4", "--by", "city", "--nan", "raise"],
     'sum of column rain, mm, group Oslo: the data contain NaN, and nan="raise" was given'),
    ({"columns": "city"}, ["--columns", "city"], '"Oslo" is not a number'),
    ({"by": "city", "axis": 0}, ["--by", "city", "--axis", "0"], "so axis= does not apply"),
    ({"memory": "3"}, ["--memory", "3"], 'memory="3" is not valid; write 32MiB or more'),
    ({"decimal": ",", "delimiter": ","}, ["--decimal", ",", "--delimiter", ","], "delimiter= and decimal= are the same"),
])
def test_errors_are_those_of_the_program_with_keywords_for_options(table, keywords, options, text):
    with pytest.raises(onefold.Error) as caught:
        onefold.fold("sum", table, **keywords)
    assert text in str(caught.value) and "--" not in str(caught.value)
    if PROGRAM:
        said = program("sum", *options, table)[1]
        plain = said.replace("--", "").replace('"', "").replace(" ", "").replace("=", "")
        assert plain == str(caught.value).replace('"', "").replace(" ", "").replace("=", "")


def test_hints_name_keywords_with_their_values(table):
    table.write_text('a;b\n"1.234,5";2\n"2,5";3\n')
    with pytest.raises(onefold.FileError, match=r'decimal=","'):
        onefold.fold("sum", table, columns="a")
    with pytest.warns(match=r'a \("1.234,5"; .* pass thousands="." decimal=","\)'):
        assert onefold.fold("sum", table) == {"b": (5.0,)}
    assert onefold.fold("sum", table, decimal=",", thousands=".") == {"a": (1237.0,), "b": (5.0,)}
    with pytest.raises(onefold.DTypeError, match=r"columns\[0\] is a builtins.int"):
        onefold.fold("sum", table, columns=[1])


@pytest.mark.skipif(not PROGRAM, reason="the program is not here")
def test_all_bits_are_those_of_the_program(tmp_path):
    generated_tables = pytest.importorskip("generated_tables")
    ops = ["sum", "mean", "std", "max", "count"]
    for seed in range(scaled(60)):
        told = generated_tables.Table(seed)
        path = tmp_path / "t.csv"
        path.write_bytes(told.bytes)
        keywords = {"decimal": told.decimal, "missing": told.extra or None, "empty_nan": True}
        out, said = program(",".join(ops), "--json", "--empty-nan", *told.options(), path)
        if not out:
            with pytest.raises(onefold.Error):
                onefold.fold(ops, path, **keywords)
            assert said
            continue
        theirs = json.loads(out.encode(errors="surrogateescape"))
        ours = onefold.fold(ops, path, **keywords)
        for op in ops:
            for k, column in enumerate(ours.values()):
                value = list(theirs[op].values())[k]
                assert getattr(column, op) == value or (value is None and np.isnan(getattr(column, op))), (seed, op)


def test_groups_are_sorted_and_the_first_are_kept(table):
    keys, answers = onefold.fold("sum,mean", table, by="city", columns="temp", sort="-sum")
    assert (keys.tolist(), answers.sum.tolist()) == (["Rome", "Oslo"], [11.0, 2.0])
    keys, answers = onefold.fold("sum", table, by=["city", "year"], columns=["temp"], sort=["year", "-sum"], top=2)
    assert (keys["city"].tolist(), answers["temp"].sum.tolist()) == (["Oslo", "Rome"], [0.5, 11.0])
    assert onefold.fold("sum", table, by="city", columns="temp", top=1)[0].tolist() == ["Rome"]
    with pytest.raises(onefold.Error, match="no column of the result is called"):
        onefold.fold("sum", table, by="city", columns="temp", sort="mean")
    with pytest.raises(onefold.Error, match="pass the columns to group by with by="):
        onefold.fold("sum", table, columns="temp", top=1)
    with pytest.raises(onefold.Error, match="top"):
        onefold.fold("sum", table, by="city", columns="temp", top=-1)


def test_describe_of_groups_has_none_where_there_is_no_value(table):
    keys, found = onefold.describe(table, by="city", columns=["rain, mm"], sort="-count")
    assert keys.tolist() == ["Oslo", "Rome"]
    oslo = found["rain, mm"]
    assert (oslo.count.tolist(), oslo.min.tolist()) == ([1, 1], [3.0, 0.0])
    assert "argmin" not in oslo._fields and oslo._fields[:3] == ("count", "nan", "inf")
    keys, found = onefold.describe(table, by="year", columns="4")
    assert (keys.tolist(), found.min.tolist()) == (["2023", "2024"], [None, 0.0])


def test_texts_have_min_max_mode_nunique_and_count(tmp_path):
    table = tmp_path / "staff.csv"
    table.write_text("city,name\nOslo,ann\nBern,bob\nOslo,ann\nRome,\nBern,cy\n")
    found = onefold.fold("min,max,mode,nunique,count", table, columns="name", text=True)
    assert found == ("ann", "cy", "ann", 3, 4) and found.mode == "ann"
    assert onefold.fold("nunique", table, columns=["city"], text=True) == {"city": (3,)}
    keys, answers = onefold.fold("mode,nunique", table, columns="name", by="city", text=True, empty_nan=True)
    assert keys.tolist() == ["Bern", "Oslo", "Rome"]
    assert (answers.mode.tolist(), answers.nunique.tolist()) == (["bob", "ann", None], [2, 1, 0])
    with pytest.raises(onefold.Error, match="is not an op for text"):
        onefold.fold("sum", table, columns="name", text=True)
    with pytest.raises(onefold.Error, match="text= applies only to files"):
        onefold.fold("min", [1.0], text=True)


@pytest.mark.skipif(not PLUGIN.exists(), reason="onefold_arrow.so is not here")
def test_texts_of_parquet_leave_out_nulls_and_keep_the_word_na(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"s": pa.array(["NA", None, "b", "NA"]), "k": [1, 1, 2, 2]}), path)
    assert onefold.fold("count,mode,nunique", path, columns="s", text=True) == (3, "NA", 2)
    keys, answers = onefold.fold("min,count", path, columns="s", by="k", text=True)
    assert (keys.tolist(), answers.min.tolist(), answers.count.tolist()) == ([1, 2], ["NA", "NA"], [1, 2])


def test_columns_are_chosen_by_patterns(tmp_path):
    table = tmp_path / "rain.csv"
    table.write_text("city,rain_1,rain_2\nOslo,1,2\nRome,3,4\n")
    assert onefold.fold("sum", table, columns="rain_*") == {"rain_1": (4.0,), "rain_2": (6.0,)}
    assert onefold.fold("sum", table, columns="*_2") == {"rain_2": (6.0,)}
    with pytest.raises(onefold.Error, match="it has no column"):
        onefold.fold("sum", table, columns=["rain_*"])


def test_durations_of_many_hours_are_read_as_numbers(tmp_path):
    path = tmp_path / "u.csv"
    path.write_text("k,u\na,999999:00:00\na,999999:00:00\nb,-0:00:01\n")
    total = onefold.fold("sum,ptp,mean", path, columns="u")
    assert total.sum == np.timedelta64(1999998 * 3600 - 1, "s") and total.sum.dtype.kind == "m"
    assert total.ptp == np.timedelta64(999999 * 3600 + 1, "s")
    assert total.mean == np.timedelta64(2399997599666666667, "ns")
    _, by = onefold.fold("sum", path, columns="u", by="k")
    assert by.sum.astype("m8[s]").astype(int).tolist() == [1999998 * 3600, -1]
    path.write_text("u\n99999999999:59:59.5\n-99999999999:59:59.5\n1234567:00\n")
    assert onefold.fold("sum", path, columns="u").sum == np.timedelta64(1234567, "h")
    assert onefold.fold("max", path, columns="u").max == "99999999999:59:59.5"  # neither ns nor s fit
    path.write_text("d,x\n" + "999999999 days 00:00:00,1\n" * 2)
    assert onefold.fold("sum", path, columns="d").sum == np.timedelta64(1999999998, "D")
    path.write_text("d,x\n" + "999999999 days,1\n" * 110000)  # beyond 64 bits of seconds
    assert onefold.fold("sum", path, columns="d").sum == "109999999890000 days 00:00:00"


def test_texts_of_no_weight_do_not_count(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("k,s,w\np,10,0\np,9,3\np,x,0\nq,z,1\nq,10,2\nq,,5\n")
    def found(ops, **more):
        return onefold.fold(ops, path, columns="s", text=True, fweights="w", **more)
    with pytest.warns(onefold.TableWarning):
        assert found("min,max,mode,nunique,count") == ("10", "z", "9", 3, 6)
    with pytest.warns(onefold.TableWarning):
        keys, by = found("min,max,nunique,count", by="k")
    assert keys.tolist() == ["p", "q"] and by.min.tolist() == ["9", "10"] and by.max.tolist() == ["9", "z"]
    assert by.nunique.tolist() == [1, 2] and by.count.tolist() == [3, 3]
    path.write_text("s,w\n10,1\n9,1\nx,0\n")  # by number, as if x were not there
    assert found("min,max") == ("9", "10")
    path.write_text("s,w\n10,0\n")
    assert found("nunique,count") == (0, 0)
    with pytest.raises(onefold.EmptyError):
        found("min")


def test_options_of_tables_have_the_names_of_the_program(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("made by us\na,b,c\nm,s,kg\n1,$2,x\n# 5,6,7\n3,4%,5\n")
    with pytest.warns(onefold.TableWarning, match="a value is missing"):
        answers = onefold.fold("sum", table, skip=1, units=True, comment="#", numbers="loose", non_numbers="missing")
    assert answers == {"a": (4.0,), "b": (6.0,), "c": (5.0,)}
    assert onefold.fold("sum", table, skip=1, units=True, comment="#", columns="#1").sum == 4
    with pytest.raises(onefold.Error, match="numbers='loose'|numbers=loose|numbers="):
        onefold.fold("sum", table, skip=1, units=True, comment="#", columns=["b"])


def test_a_word_in_a_column_of_numbers_leaves_the_column_out(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,2\n3,Unknown\n5,6\n")
    with pytest.warns(onefold.TableWarning, match="some fields that are not numbers"):
        assert onefold.fold("sum", table) == {"a": (9.0,)}
    with pytest.warns(onefold.TableWarning, match="some fields that are not numbers"):
        assert set(onefold.describe(table, columns=["a", "b"])) == {"a"}
    column = onefold.info(table)["contents"][1]
    assert (column["type"], column["numbers"], column["first_other"]) == ("text", 2, (3, "Unknown"))


def test_extremes_of_long_integers_are_integers(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("id\n9007199254740993\n9007199254740995\n")
    low, high, total = onefold.fold("min,max,sum", table)["id"]
    assert (low, high) == (9007199254740993, 9007199254740995)
    assert isinstance(total, float)
    assert total == float(9007199254740993 + 9007199254740995)

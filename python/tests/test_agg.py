"""onefold.agg: ops by column, on files and frames, against the calls of one op and pandas."""

import os
import pathlib
import random
import subprocess
import warnings

import numpy as np
import pytest
from scaled import scaled

import onefold

PLUGIN = pathlib.Path(os.environ.get("ONEFOLD_ARROW_PLUGIN", "/nowhere"))
CALLS = "sum(price), mean(price), median(qty), p90(price), nunique(user), max(t), n = count(), corr(price, qty)"


@pytest.fixture
def sales(tmp_path):
    r = random.Random(7)
    path = tmp_path / "sales.csv"
    rows = [f"{r.choice('abc')},2024-0{r.randrange(1, 4)}-1{r.randrange(9)},{r.random()},{r.randrange(9)},u{r.randrange(20)}"
            for _ in range(500)]
    path.write_text("city,t,price,qty,user\n" + "\n".join(rows) + "\n")
    return path


def test_files_answer_as_one_op_does(sales):
    keys, found = onefold.agg(sales, CALLS, by="city")
    assert list(keys) == ["city"] and keys["city"].tolist() == ["a", "b", "c"]
    assert list(found) == ["sum(price)", "mean(price)", "median(qty)", "p90(price)", "nunique(user)", "max(t)", "n",
                           "corr(price,qty)"]
    for call, op, columns in [("sum(price)", "sum", "price"), ("mean(price)", "mean", "price"), ("max(t)", "max", "t"),
                              ("corr(price,qty)", "corr", "price,qty")]:
        one = onefold.fold(op, sales, by="city", columns=columns)[1]
        one = next(iter(one.values())) if isinstance(one, dict) else one
        one = getattr(one, op, one)
        assert found[call].tolist() == np.asarray(one).tolist(), call
        assert found[call].dtype == np.asarray(one).dtype, call
    assert found["median(qty)"].tolist() == onefold.median(sales, columns="qty", by="city")[1].tolist()
    assert found["p90(price)"].tolist() == onefold.quantile(sales, 0.9, columns="price", by="city")[1].tolist()


def test_whole_tables_have_a_dict_of_answers(sales):
    found = onefold.agg(sales, CALLS)
    assert found["sum(price)"] == onefold.fold("sum", sales, columns="price").sum
    assert found["n"] == 500 and found["nunique(user)"] == 20
    assert found["max(t)"].dtype.kind == "M"
    assert onefold.agg(sales, "sum(price)", having="count() > 1000") == {}


@pytest.mark.skipif(not PLUGIN.exists(), reason="needs the plugin for Arrow")
def test_integer_keys_stay_integers_beside_null(tmp_path):
    import json
    import subprocess

    import pyarrow
    import pyarrow.parquet

    path, program = str(tmp_path / "keys.parquet"), os.environ.get("ONEFOLD_PROGRAM")
    pyarrow.parquet.write_table(pyarrow.table({"k": pyarrow.array([2, None, 2, 10], "int64"), "x": [1.0, 2, 3, 4]}), path)
    keys, _ = onefold.agg(path, "sum(x), median(x), first(x)", by="k")
    assert keys["k"].tolist() == [2, 10, None]
    with pytest.raises(onefold.Error, match="by= names k twice"):
        onefold.agg(path, "sum(x)", by=["k", "k"])
    if program is None:
        pytest.skip("needs the program")
    for words in (["agg", "sum(x), first(x)", path], ["sum", path, "--columns", "x"], ["median", path, "--columns", "x"]):
        out = subprocess.run([program, *words, "--by", "k", "--json"], capture_output=True, check=True, text=True).stdout
        lines = [json.loads(line) for line in out.splitlines()]
        assert [line.get("by", line)["k"] for line in lines] == [2, 10, None]
    npy = str(tmp_path / "keys.npy")
    subprocess.run([program, "sum", path, "--columns", "x", "--by", "k", "--output", npy], check=True)
    assert np.load(npy)["k"].tolist() == ["2", "10", "null"]  # NumPy's integers have no null


LONG = 2**53 + 1
INTEGER_CALLS = {
    "sum(i)": "int64", "max(i)": "int64", "first(i)": "int64", "mean(i)": "float64", "median(i)": "float64", "sum(u)": "uint64",
    "max(u)": "uint64", "sum(small)": "uint64", "max(small)": "uint64", "sum(f)": "float64", "max(f)": "float64", "last(f)": "float64",
    "sum(f * 2)": "float64", "count(i)": "int64"}


@pytest.mark.skipif(not PLUGIN.exists(), reason="needs the plugin for Arrow")
@pytest.mark.parametrize("by", [None, "k"])
def test_calls_of_frames_do_not_depend_on_other_calls(by):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"k": ["a", "b", "a"], "i": [LONG, 2**62, -3], "u": np.array([2**63 + 1, 1, 2], "u8"),
                              "small": np.array([1, 2, 3], "u8"), "f": [1.5, 2, 3]})
    r = random.Random(5)
    for trial in range(scaled(12)):
        some = r.sample(list(INTEGER_CALLS), 3) if trial else list(INTEGER_CALLS)
        together = onefold.agg(frame, ", ".join(some), by=by)
        for call in some:
            found, alone = together[call], onefold.agg(frame, call, by=by)[call]
            assert found.dtype == alone.dtype == INTEGER_CALLS[call], call
            assert np.array_equal(found, alone), call
    sums = frame.groupby("k").sum()
    if by:
        assert onefold.agg(frame, "sum(i)", by="k")["sum(i)"].tolist() == sums["i"].tolist()
        assert onefold.agg(frame, "max(i)", by="k")["max(i)"].tolist() == [LONG, 2**62]


@pytest.mark.skipif(not PLUGIN.exists(), reason="needs the plugin for Arrow")
@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv", "jsonl"])
def test_long_integers_of_files_are_integers(tmp_path, kind):
    import json

    import pyarrow
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    table = pyarrow.table({"k": ["a", "b", "a", "c"], "i": pyarrow.array([LONG, 1, 2, None], "int64"), "f": [1.5, 2, 3, 4]})
    path = str(tmp_path / f"t.{kind}")
    if kind == "jsonl":
        pathlib.Path(path).write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        {"parquet": pyarrow.parquet.write_table, "csv": pyarrow.csv.write_csv,
         "arrow": lambda t, p: pyarrow.feather.write_feather(t, p, compression="uncompressed")}[kind](table, path)
    _, found = onefold.agg(path, "sum(i), first(i), last(i), max(i), sum(f)", by="k", empty_nan=True)
    assert found["sum(i)"].tolist() == [LONG + 2, 1, 0] and found["sum(f)"].tolist() == [4.5, 2, 4]
    for call, right in [("first(i)", [LONG, 1]), ("last(i)", [2, 1]), ("max(i)", [LONG, 1])]:
        assert found[call].tolist()[:2] == right and np.isnan(found[call].tolist()[2]), call
    assert onefold.fold("sum", path, columns="i", by="k")[1].sum.tolist() == [LONG + 2, 1, 0]
    assert onefold.agg(path, "first(i), last(f)")["first(i)"] == LONG
    assert onefold.agg(path, "max(i)", by="k")[1]["max(i)"].tolist() == [LONG, 1, None]


def test_calls_may_be_lists_and_dicts(sales):
    want = onefold.agg(sales, "total = sum(price), mean(price), std(price), max(qty)")
    assert onefold.agg(sales, ["total = sum(price)", "mean(price)", "std(price)", "max(qty)"]) == want
    assert onefold.agg(sales, {"total": "sum(price)", "price": ["mean", "std"], "qty": "max"}) == want
    keys, found = onefold.agg(sales, {"n": "count()"}, by=["city", "month(t)"], having="n > 30", sort="-n", top=2,
                              where="qty > 1")
    assert list(keys) == ["city", "month(t)"] and len(found["n"]) == 2 and found["n"][0] >= found["n"][1]


def test_answers_are_computed_with(sales):
    keys, found = onefold.agg(sales, {"unit": "sum(price) / sum(qty)", "part": "fraction(sum(price))", "all": "total(sum(price))",
                                      "m": "mean(price, weights = qty)"}, by="city")
    sums, amounts = (onefold.fold("sum", sales, columns=name, by="city")[1] for name in ("price", "qty"))
    sums, amounts = (np.asarray(getattr(one, "sum", one)) for one in (sums, amounts))
    assert found["unit"].tolist() == (sums / amounts).tolist()
    total = onefold.fold("sum", sales, columns="price").sum
    assert found["part"].tolist() == (sums / total).tolist() and found["all"].tolist() == [total] * len(keys["city"])
    assert found["m"].tolist() == np.asarray(onefold.agg(sales, "average(price, qty)", by="city")[1]["average(price,qty)"]).tolist()
    with pytest.raises(onefold.Error, match="foo is not a call"):
        onefold.agg(sales, "sum(price) / foo")


def test_what_is_wrong_is_said(sales):
    for calls, says in [("sum(foo)", "it has no column"), ("summ(price)", "did you mean sum"), ("sum(price", "it ends too early"),
                        (7, "is not a str"), ({"price": 7}, "is neither a call"), ([1], "is not a str")]:
        with pytest.raises(onefold.Error, match=says):
            onefold.agg(sales, calls)
    with pytest.raises(onefold.Error, match="both called city; give the call another name"):
        onefold.agg(sales, "city = count()", by="city")
    with pytest.raises(onefold.Error, match="having=7 is not a str"):
        onefold.agg(sales, "sum(price)", having=7)
    with pytest.raises(onefold.UnsupportedError, match="ops by column need a table"):
        onefold.agg(np.arange(3.0), "sum(x)")


@pytest.mark.skipif(not PLUGIN.exists(), reason="needs the plugin for Arrow")
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_have_the_bits_of_files(sales, library):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    module = pytest.importorskip(library)
    frame = pandas.read_csv(sales, parse_dates=["t"])
    x = {"pandas": lambda: frame, "polars": lambda: module.read_csv(sales, try_parse_dates=True),
         "pyarrow": lambda: module.Table.from_pandas(frame)}[library]()
    keys, want = onefold.agg(sales, CALLS, by="city")
    found = onefold.agg(x, CALLS, by="city")
    assert type(found) is type(x)
    columns = found.to_pydict() if library == "pyarrow" else found.reset_index() if library == "pandas" else found
    assert list(columns["city"]) == keys["city"].tolist()
    for call in ("median(qty)", "p90(price)", "nunique(user)", "n", "corr(price,qty)"):
        assert list(columns[call]) == want[call].tolist(), call
    assert list(columns["sum(price)"]) == [onefold.sum(frame.price[frame.city == k].to_numpy()) for k in "abc"]
    assert [str(t)[:10] for t in columns["max(t)"]] == [str(t)[:10] for t in want["max(t)"]]
    whole = onefold.agg(x, "mean(price), last(user)")
    assert whole["mean(price)"] == onefold.mean(frame.price.to_numpy()) and whole["last(user)"] == frame.user.iloc[-1]


@pytest.mark.skipif(not PLUGIN.exists(), reason="needs the plugin for Arrow")
def test_categories_and_missing_values_of_frames():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"k": pandas.Categorical(["a", "b", "a", None]), "x": [1.5, None, 2.0, 4.0], "a b": [1, 2, 3, 4]})
    found = onefold.agg(frame, {"x": ["sum", "count"], "a b": "max"}, by="k", nan="omit")
    assert found["sum(x)"].tolist() == [3.5, 0, 4] and found["count(x)"].tolist() == [2, 0, 1]
    assert found["max(`a b`)"].tolist() == [3, 2, 4]


@pytest.mark.skipif(not PLUGIN.exists(), reason="needs the plugin for Arrow")
@pytest.mark.parametrize("type", [np.float16, np.float32, np.float64])
def test_first_values_of_narrow_floats_are_those_of_min(type):
    pyarrow = pytest.importorskip("pyarrow")
    x = np.array([0.1, 0.3, 1 / 3], type)
    table = pyarrow.table({"k": [1, 2, 3], "x": x})
    found = onefold.agg(table, "first(x), last(x), min(x)", by="k").to_pydict()
    assert found["first(x)"] == found["last(x)"] == found["min(x)"] == x.astype(float).tolist()


@pytest.mark.skipif(not PLUGIN.exists(), reason="needs the plugin for Arrow")
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_columns_of_text_in_files_of_arrow_have_formats_of_dates(tmp_path, kind):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"k": ["a", "a", "b"], "d": ["31/05/2024", "01/06/2024", None], "n": [1, 2, 3]})
    path = tmp_path / f"t.{kind}"
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    else:
        pytest.importorskip("pyarrow.feather").write_feather(table, path, compression="uncompressed")
    with pytest.warns(onefold.TableWarning, match="1 in column d"):
        found = onefold.agg(path, "max(d), first(d)", date_format="d=%d/%m/%Y")
    assert str(found["max(d)"]) == "2024-06-01" and found["first(d)"] == "2024-05-31"
    keys, found = onefold.agg(path, "sum(n)", by="month(d)", where="d is not null", date_format={"d": "%d/%m/%Y"})
    assert keys["month(d)"].tolist() == ["5", "6"] and found["sum(n)"].tolist() == [1, 2]
    for call, dates, says in [("max(d)", "%d/%m/%Y", "must name a column"), ("max(n)", "n=epoch", "column n holds i64"),
                              ("max(d)", "d=%Y-%m-%d", 'row 1, column d: "31/05/2024" is not a date by date_format=')]:
        with pytest.raises(onefold.Error, match=says):
            onefold.agg(path, call, date_format=dates)


@pytest.mark.skipif(not PLUGIN.exists(), reason="needs the plugin for Arrow")
def test_categories_of_polars_are_keys_and_names_are_of_one_column():
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    frame = polars.DataFrame({"k": ["a", "b", "a"], "x": [1.5, 2, 3]}, schema_overrides={"k": polars.Categorical})
    assert onefold.agg(frame, "sum(x)", by="k").to_dict(as_series=False) == {"k": ["a", "b"], "sum(x)": [4.5, 2.0]}
    with pytest.raises(onefold.OptionError, match="two columns are called 'a'"):
        onefold.agg(pandas.DataFrame([[1, 2]], columns=["a", "a"]), "sum(a)")


def test_what_is_no_frame_is_named():
    polars = pytest.importorskip("polars")
    with pytest.raises(onefold.UnsupportedError, match=r"polars.*LazyFrame; call collect\(\) first"):
        onefold.agg(polars.LazyFrame({"x": [1.0]}), "sum(x)")


@pytest.mark.skipif(not PLUGIN.exists(), reason="needs the plugin for Arrow")
def test_times_of_a_zone_are_utc_and_a_warning_says_so():
    pandas = pytest.importorskip("pandas")
    times = pandas.to_datetime(["2024-01-01 00:30", "2024-07-01 12:00"]).tz_localize("UTC")
    frame = pandas.DataFrame({"k": ["a", "b"], "t": times.tz_convert("Europe/Oslo"), "u": times})
    for call, words in [("max(t)", {}), ("count()", {"by": "hour(t)"}), ("count()", {"where": "hour(t) > 3"})]:
        with pytest.warns(onefold.TableWarning, match="column t has the time zone Europe/Oslo, but it is read as UTC"):
            found = onefold.agg(frame, call, **words)
    assert found["count()"] == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(onefold.agg(frame, "max(u), count()")["max(u)"]).startswith("2024-07-01T12:00")
        assert onefold.agg(frame, "count()", by='hour(to_zone(t, "Europe/Oslo"))').index.tolist() == ["1", "14"]


def test_items_of_long_integers_are_exact(tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("k,id\na,9007199254740993\nb,9007199254740995\nb,2\n")
    keys, found = onefold.agg(str(path), "sum(id) + 1, sum(id) - 9007199254740992, sum(id) / 2, -sum(id) % 10, max(id) * 3", by="k")
    assert [found[name].tolist() for name in found] == [
        [2**53 + 2, 2**53 + 6], [1, 5], [2.0**52, 2.0**52 + 2], [-3.0, -7.0], [3 * (2**53 + 1), 3 * (2**53 + 3)]]
    assert [str(array.dtype) for array in found.values()] == ["float64"] * 4 + ["int64"]
    assert onefold.agg(str(path), "sum(id) * 1000, sum(id) * 10000")["sum(id) * 1000"] == (2**54 + 6) * 1000  # of unsigned 64 bits
    assert onefold.agg(str(path), "sum(id) * 10000")["sum(id) * 10000"] == float((2**54 + 6) * 10000)


def test_types_are_those_of_all_files(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"i": pa.array([1, 7]), "d": pa.array([0.5, 2.5]), "f": pa.array([0.25, 8], pa.float32()), "s": pa.array(["a", "b"]),
               "u": pa.array([3, 2**64 - 1], pa.uint64()), "n": pa.nulls(2), "j": pa.array([2, 3], pa.int32())}
    for name, values in columns.items():
        pq.write_table(pa.table({"x": values}), tmp_path / f"{name}.parquet")
    for a, b in (("i", "d"), ("i", "f"), ("d", "f"), ("i", "n"), ("i", "j"), ("d", "j"), ("n", "f")):
        values = [v for v in (columns[a].to_pylist() + columns[b].to_pylist()) if v is not None]
        for pair in ((a, b), (b, a)):
            paths = [str(tmp_path / f"{name}.parquet") for name in pair]
            found = onefold.agg(paths, "max(x), sum(x), mean(x), median(x), count(x)")
            assert found["max(x)"] == max(values) and found["sum(x)"] == sum(values), pair
            assert found["mean(x)"] == sum(values) / len(values) and found["median(x)"] == np.median(values)
            assert found["count(x)"] == len(values)
            if "n" not in pair:  # a column of nulls alone is no key
                assert onefold.agg(paths, "nunique(x)")["nunique(x)"] == len(set(values))
                assert onefold.agg(paths, "last(x)")["last(x)"] == columns[pair[1]].to_pylist()[-1]
    for pair in (("i", "s"), ("s", "i")):
        paths = [str(tmp_path / f"{name}.parquet") for name in pair]
        with pytest.raises(onefold.Error, match=f"{pair[1]}.parquet: column x holds .* in .*{pair[0]}.parquet"):
            onefold.agg(paths, "max(x)")
        assert onefold.agg(paths, "count(x)")["count(x)"] == 4


def test_calls_in_the_place_of_the_table_are_named():
    with pytest.raises(onefold.OptionError, match=r"x='mean\(a\)' is not a file; the table comes first, then the calls"):
        onefold.agg("mean(a)", "t.csv")


@pytest.mark.skipif(not PLUGIN.exists(), reason="frames are written as Arrow files")
def test_a_batch_of_arrow_is_a_frame():
    import pyarrow

    (batch,) = pyarrow.table({"k": [1, 2, 1], "x": [1, 2, 2**53 + 1]}).to_batches()
    assert onefold.agg(batch, "sum(x)") == {"sum(x)": 2**53 + 4}
    assert onefold.agg(batch, "sum(x)", by="k").column("sum(x)").to_pylist() == [2**53 + 2, 2]


def test_the_index_of_a_pandas_frame_is_no_column():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"k": [1, 2, 2], "x": [1.0, 2.0, 4.0]})
    texts, dates = ["a", "b", "c"], pd.to_datetime(["2024-01-01"] * 3)
    for index in ([5, 7, 9], texts, dates, pd.Index(texts, name="k"), pd.MultiIndex.from_arrays([texts, dates])):
        other = frame.set_axis(index, axis=0)
        assert onefold.agg(other, "sum(x)", by="k")["sum(x)"].to_dict() == {1: 1.0, 2: 6.0}
        assert onefold.fold("sum", other, where="x > 1")["x"].sum == 6.0
        assert onefold.quantile(other, 0.5, by="k", where="x > 1", columns="x")[1].tolist() == [3.0]
    assert onefold.agg(frame[frame.x > 1], "sum(x)", by="k")["sum(x)"].to_dict() == {2: 6.0}


@pytest.mark.skipif(not PLUGIN.exists(), reason="frames are written as Arrow files")
@pytest.mark.parametrize("library", ["polars", "pandas", "nullable", "pyarrow"])
def test_a_group_without_values_is_null(library):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"k": ["a", "b"], "x": [None, 2.0], "i": pa.array([None, 2**53 + 1], "int64"), "t": [None, "x"]})
    frame = table
    if library == "polars":
        frame = pytest.importorskip("polars").from_arrow(table)
    elif library != "pyarrow":
        pandas = pytest.importorskip("pandas")
        frame = table.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get)
        frame = frame.assign(x=frame.x.astype("Float64")) if library == "nullable" else frame
    omit = "omit" if library == "pandas" else None  # its floats have NaN, which are numbers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = onefold.agg(frame, "max(x), max(i), min(t), argmin(i), m = max(x) + 1, sum(x)", by="k", nan=omit)
    rows = found.to_pylist() if library == "pyarrow" else found.to_dicts() if library == "polars" else \
        found.reset_index().to_dict("records")
    first = [None if value is None or value != value or str(value) == "<NA>" else value for value in rows[0].values()]
    assert first == ["a", None, None, None, None, None, 0.0]
    assert list(rows[1].values()) == ["b", 2.0, 2**53 + 1, "x", 1, 3.0, 2.0]
    with pytest.raises(onefold.Error, match="nothing to fold"):
        onefold.agg(frame, "max(x)", where="x > 5")


def test_files_of_answers_have_no_value_that_nobody_computed(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("k,x\nb,-3.5\na,\n")
    with pytest.warns(onefold.TableWarning):
        found = onefold.agg(path, "max(x), argmax(x)", by="k")[1]
    assert found["max(x)"].tolist() == [None, -3.5] and found["argmax(x)"].tolist() == [None, 0]
    program = os.environ.get("ONEFOLD_PROGRAM")
    if program is None:
        pytest.skip("the program is not built")

    def run(name, *words):
        return subprocess.run([program, *words, "--by", "k", "--output", tmp_path / name, path], capture_output=True, text=True)
    for name, words in [("a.npy", ["agg", "m = max(x)"]), ("d.npy", ["describe", "--columns", "x"])]:
        assert run(name, *words).returncode == 0
        records = np.load(tmp_path / name)
        assert np.isnan(records["m" if name == "a.npy" else "min"]).tolist() == [True, False]
    refused = run("i.npy", "agg", "argmax(x)")
    assert refused.returncode != 0 and "has no value" in refused.stderr
    assert run("a.csv", "agg", "max(x), argmax(x)").returncode == 0
    assert (tmp_path / "a.csv").read_text() == "k,max(x),argmax(x)\na,,\nb,-3.5,0\n"
    assert run("a.jsonl", "agg", "max(x)").returncode == 0
    assert (tmp_path / "a.jsonl").read_text().startswith('{"k": "a", "max(x)": null}')


def test_keys_may_have_any_name(tmp_path):
    frame = pytest.importorskip("pandas").DataFrame({"Gender (M/F)": ["M", "F", "M"], "a,b": [1, 2, 1], "x": [1, 2, 3]})
    path = tmp_path / "keys.csv"
    frame.to_csv(path, index=False)
    for by in ("Gender (M/F)", ["Gender (M/F)"], ["Gender (M/F)", "a,b"], ["Gender (M/F)", "lower(`Gender (M/F)`)"]):
        assert onefold.agg(str(path), "sum(x)", by=by)[1]["sum(x)"].tolist() == [2, 4]
        found = onefold.agg(frame, "sum(x)", by=by, having="`Gender (M/F)` != 'F'")
        assert found["sum(x)"].tolist() == [4] and found.index.names[0] == "Gender (M/F)"

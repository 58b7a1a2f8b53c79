"""Groups by keys of any type: those of pandas, with exact answers."""

import collections
import datetime

import numpy as np
import pytest

import onefold

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

X = np.array([1.0, 2.0, 4.0, 8.0])
TEXT = ["b", "a", "b", "c"]
FRAME = pd.DataFrame({"t": TEXT, "x": X, "i": [3, 1, 2, 4]})
TWICE = pd.DataFrame([[1, 2, "b"]], columns=["a", "a", "t"])


@pytest.mark.parametrize("keys", [
    TEXT, np.array(TEXT), np.array(TEXT, dtype=object), pd.Series(TEXT), pd.Series(TEXT, dtype="string"), pd.Index(TEXT),
    pd.Categorical(TEXT), pd.Series(TEXT, dtype=pd.CategoricalDtype(["a", "b", "c", "d"])), pl.Series(TEXT),
    pl.Series(TEXT, dtype=pl.Categorical), pa.array(TEXT), pa.chunked_array([TEXT[:1], TEXT[1:]]),
    pa.array(TEXT).dictionary_encode()], ids=lambda keys: f"{type(keys).__module__}.{type(keys).__name__}")
def test_text_and_categories_are_keys(keys):
    for found, answers in [onefold.fold_by("sum,count", keys, X), onefold.fold_by("sum,count", keys=keys, x=X)]:
        assert list(found) == ["a", "b", "c"]
        assert answers.sum.tolist() == [2, 5, 8] and answers.count.tolist() == [1, 2, 1]


def test_dates_times_and_floats_are_keys():
    days = np.array(["2024-01-02", "2024-01-01", "2024-01-02", "NaT"], "M8[D]")
    for keys in [days, pd.Series(days), pl.Series(days.astype(datetime.date).tolist()), pa.array(days)]:
        found, answers = onefold.fold_by("sum", keys, X, null_keys="drop")
        assert found.astype("M8[D]").tolist() == days[[1, 0]].tolist() and answers.sum.tolist() == [2, 5]
        found, answers = onefold.fold_by("sum", keys, X, null_keys="keep")
        assert np.isnat(found[2]) and answers.sum.tolist() == [2, 5, 8]
    found, answers = onefold.fold_by("sum", keys=np.array([1.5, np.nan, 1.5, -1]), x=X, null_keys="keep")
    assert np.array_equal(found, [-1, 1.5, np.nan], equal_nan=True) and answers.sum.tolist() == [8, 5, 2]


def test_floats_are_taken_for_keys_by_name_only():
    with pytest.raises(onefold.OptionError, match="keys are float64; did you swap keys and values"):
        onefold.fold_by("sum", X, np.array([0, 1, 0, 1]))
    assert onefold.fold_by("sum", keys=X, x=np.array([0, 1, 0, 1]))[0].tolist() == X.tolist()
    for wrong in [lambda: onefold.fold_by("sum", X), lambda: onefold.fold_by("sum", TEXT, X, X),
                  lambda: onefold.fold_by("sum", TEXT, X, keys=TEXT)]:
        with pytest.raises(TypeError, match=r"fold_by\(\)"):
            wrong()


FLOATS = [0.0, -0.0, float("nan"), None, float("nan"), 1.5]


def float_keys(values):
    """The same floats as keys of every library; None is NaN where there are no nulls."""
    plain = [float("nan") if v is None else v for v in values]
    for width, arrow, polars in (("f8", pa.float64(), pl.Float64), ("f4", pa.float32(), pl.Float32), ("f2", pa.float16(), None)):
        column = pa.array(values, arrow)
        yield np.array(plain, width)
        yield pd.Series(plain, dtype=width)
        yield column
        yield pa.chunked_array([column[:2], column[2:]])
        yield pd.Series(pd.arrays.ArrowExtensionArray(column))
        if polars is not None:
            yield pl.Series(values, dtype=polars)
            yield column.dictionary_encode()
            yield pa.DictionaryArray.from_arrays(pa.array(range(len(values))), column)
            yield pd.Series(column.to_pandas(), dtype={"f8": "Float64", "f4": "Float32"}[width])
    yield pd.Index(plain)
    yield pd.Series(pd.arrays.SparseArray(plain))
    yield values


def test_float_keys_of_every_library_are_those_of_numpy():
    x = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    for keys in float_keys(FLOATS):
        kind = f"{type(keys)} {getattr(keys, 'dtype', '')}"
        with pytest.raises(onefold.UnsupportedError, match="some keys are null"):
            onefold.fold_by("sum", keys=keys, x=x)
        if not isinstance(keys, pa.DictionaryArray):
            with pytest.raises(onefold.OptionError, match="did you swap keys and values"):
                onefold.fold_by("sum", keys, x)
        found, answers = onefold.fold_by("sum", keys=keys, x=x, null_keys="drop")
        assert found.tolist() == [0, 1.5] and answers.sum.tolist() == [3, 32], kind
        assert keys is FLOATS or not np.signbit(found.astype("f8")).any(), kind
        found, answers = onefold.fold_by("sum", keys=keys, x=x, null_keys="keep")
        assert found[:2].tolist() == [0, 1.5] and (found[2] is None or np.isnan(found[2])), kind
        assert answers.sum.tolist() == [3, 32, 28], kind
        found, answers = onefold.fold_by("sum", keys={"a": keys, "b": [0, 0, 0, 0, 0, 1]}, x=x, null_keys="drop")
        assert found["a"].tolist() == [0, 1.5] and answers.sum.tolist() == [3, 32], kind
    for keys in float_keys([1.5, -0.0, 0.0, -0.0, 1.5, -3.0]):
        found, answers = onefold.fold_by("sum", keys=keys, x=x)
        assert found.tolist() == [-3, 0, 1.5] and answers.sum.tolist() == [32, 14, 17]


def test_a_table_has_the_same_groups_by_every_door(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"k": [0.0, -0.0, 1.0, None], "v": [1.0, 2.0, 4.0, 8.0]})
    parquet.write_table(table, tmp_path / "t.parquet")
    for of in (tmp_path / "t.parquet", table, pl.from_arrow(table), table.to_pandas(), table.to_pandas(types_mapper=pd.ArrowDtype),
               table.to_batches()[0]):
        keys, answers = onefold.fold("sum", of, by="k", columns="v")
        assert [0.0 if k == 0 else k for k in keys[:2].tolist()] == [0, 1] and answers.sum.tolist() == [3, 4, 8]


def test_nulls_go_by_the_policy():
    for keys in [["a", None, "a", "b"], pd.Series(["a", None, "a", "b"]), pl.Series(["a", None, "a", "b"]),
                 pa.array(["a", None, "a", "b"])]:
        with pytest.raises(onefold.UnsupportedError, match="some keys are null"):
            onefold.fold_by("sum", keys, X)
        found, answers = onefold.fold_by("sum", keys, X, null_keys="drop")
        assert list(found) == ["a", "b"] and answers.sum.tolist() == [5, 8]
        found, answers = onefold.fold_by("sum", keys, X, null_keys="keep")
        assert list(found) == ["a", "b", None] and answers.sum.tolist() == [5, 8, 2]
    for values in ([1, 7, 1, 2], [1., 7, 1, 2], [1, 7, 1, 2**63], ["a", "z", "a", "b"], [1, 3, 1, "NaT"]):
        values = np.array(values, "M8[D]") if "NaT" in values else np.array(values)
        keys = np.ma.array(values, mask=[0, 1, 0, 0])
        with pytest.raises(onefold.UnsupportedError, match="some keys are null"):
            onefold.fold_by("sum", keys=keys, x=X)
        found, answers = onefold.fold_by("sum", keys=keys, x=X, null_keys="drop")
        rest = values[[0, 3]]
        assert found.dtype == values.dtype and found.tolist() == rest[rest == rest].tolist()
        assert answers.sum.tolist() == ([5, 8] if len(found) == 2 else [5])
        found, answers = onefold.fold_by("sum", keys=keys, x=X, null_keys="keep")
        assert answers.sum.tolist() == ([5, 8, 2] if len(found) == 3 else [5, 10])
        assert found[-1] is None or found[-1] != found[-1]
    masked = np.ma.array(X, mask=[0, 0, 0, 1])
    found, answers = onefold.fold_by("sum", ["a", "b", "a", "c"], masked)
    assert list(found) == ["a", "b", "c"] and answers.sum.tolist() == [5, 2, None]
    for keys in (["a", None, "a", "c"], np.ma.array([1, 5, 1, 2], mask=[0, 1, 0, 0]), (["a", None, "a", "c"], [1] * 4)):
        for x in (masked, pl.Series([1, 2, 4, None]), pd.Series([1, 2, 4, None], dtype="Int64")):
            found, answers = onefold.fold_by("sum,count", keys=keys, x=x, null_keys="drop")  # nulls in both columns
            nothing = None if x is masked else 0
            assert answers.sum.tolist() == [5, nothing] and answers.count.tolist() == [2, 0]
            assert onefold.fold_by("sum", keys=keys, x=x, null_keys="keep")[1].sum.tolist() == [5, nothing, 2]
    for keys in (["a", "b", "a"], ["a", None, "a"], ["a", "b", "a", "b", "c"]):
        with pytest.raises(onefold.ShapeError, match="keys, but x has shape"):
            onefold.fold_by("sum", keys, masked, null_keys="drop")


@pytest.mark.parametrize("numbers", [[-1, 2**63, 2**63 + 1, 1], [1.5, 2**53, 2**53 + 1, 1]])
def test_integers_that_floats_do_not_hold_are_refused(numbers):
    for keys in (numbers, tuple(numbers), collections.deque(numbers), {"k": numbers}, (numbers, [1] * 4)):
        with pytest.raises(onefold.UnsupportedError, match="the keys: an integer of the sequence (cannot be represented exactly in|is not exact in|does not fit)"):
            onefold.fold_by("count", keys=keys, x=X)
    found, answers = onefold.fold_by("count", keys=[1.5, 2**53, 2**53 + 2, 1], x=X)
    assert found.tolist() == [1, 1.5, 2**53, 2**53 + 2] and answers.count.tolist() == [1] * 4
    found, answers = onefold.fold_by("count", keys=[None, 2**53, 2**53 + 1, 1.5], x=X, null_keys="drop")  # objects
    assert found.tolist() == [1.5, 2**53, 2**53 + 1] and answers.count.tolist() == [1] * 3
    assert onefold.fold_by("count", keys=[b"a", b"a\0", b"b", b"a"], x=X)[1].count.tolist() == [2, 1, 1]


def test_what_arrow_does_not_encode_or_sort():
    for values, kind in [(["b", "a", "b", None], pa.string_view()), ([b"b", b"a", b"b", None], pa.binary_view())]:
        for keys in (pa.array(values, kind), pa.chunked_array([pa.array(values[:1], kind), pa.array(values[1:], kind)])):
            found, answers = onefold.fold_by("sum", keys=keys, x=X, null_keys="keep")
            assert found.tolist() == [values[1], values[0], None] and answers.sum.tolist() == [2, 5, 8]
    twice = pa.DictionaryArray.from_arrays([0, 1, 2, 3], ["a", "a", "b", None])
    found, answers = onefold.fold_by("sum", keys=twice, x=X, null_keys="keep")
    assert found.tolist() == ["a", "b", None] and answers.sum.tolist() == [3, 4, 8]
    with pytest.raises(onefold.UnsupportedError, match="some keys are null"):
        onefold.fold_by("sum", keys=twice, x=X)


def test_categories_keep_their_order():
    sizes = pd.Categorical(["L", "S", None, "L"], categories=["S", "M", "L"], ordered=True)
    for keys in (sizes, pd.Series(sizes), pd.Index(sizes)):
        found, answers = onefold.fold_by("sum", keys, X, null_keys="keep")
        assert list(found) == ["S", "L", None] and answers.sum.tolist() == [2, 9, 4]


def test_several_keys_and_columns():
    frame = pd.DataFrame({"t": TEXT, "i": [1, 1, 2, 1], "x": X, "y": 2 * X})
    for library in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        columns = library.select if hasattr(library, "select") else library.__getitem__
        keys, answers = onefold.fold_by("sum,max", columns(["t", "i"]), columns(["x", "y"]))
        assert {name: k.tolist() for name, k in keys.items()} == {"t": ["a", "b", "b", "c"], "i": [1, 1, 2, 1]}
        assert answers["y"].sum.tolist() == [4, 2, 8, 16] and answers["x"].max.tolist() == [2, 1, 4, 8]
    keys, answers = onefold.fold_by("sum", (TEXT, [1, 1, 2, 1]), np.stack([X, 2 * X], axis=1))
    assert [k.tolist() for k in keys] == [["a", "b", "b", "c"], [1, 1, 2, 1]]
    assert answers.sum.tolist() == [[2, 4], [1, 2], [4, 8], [8, 16]]
    keys, answers = onefold.fold_by("sum", (["a", None, "a", "b"], [1, 1, 1, 2]), X, null_keys="drop")
    assert [list(k) for k in keys] == [["a", "b"], [1, 2]] and answers.sum.tolist() == [5, 8]


def test_many_integers_are_numbered_as_few_are():
    rng = np.random.default_rng(0)
    for keys in [rng.integers(-50, 50, 10000), rng.integers(-2**63, 2**63 - 1, 10000), rng.integers(0, 2**64, 10000, "u8"),
                 rng.integers(0, 2, 10000).astype(bool), rng.integers(-128, 128, 10000, "i1"),
                 rng.integers(2**63, 2**63 + 9, 10000, "u8"), np.array([-2**63, 2**63 - 1] * 5000)]:
        x = rng.normal(size=len(keys))
        for given in (keys, pd.Series(keys), pl.Series(keys)):
            found, answers = onefold.fold_by("sum,min", given, x)
            assert np.array_equal(found, np.unique(keys)) and found.dtype == keys.dtype
        some = slice(None, None, 97)
        for key, total, least in list(zip(found, *answers))[some]:
            assert total == onefold.sum(x[keys == key]) and least == x[keys == key].min()


def test_places_are_those_of_rows():
    rng = np.random.default_rng(4)
    for n, k in [(1, 1), (50, 3), (5000, 700)]:
        keys, x = rng.integers(0, k, n), rng.integers(-9, 9, n)
        series = pd.Series(x.astype("f8")).groupby(keys)
        for given in (keys, keys.astype(str), pd.Categorical(keys), (keys, keys)):
            for values in (x, x.astype("f4"), x.tolist(), pl.Series(x), pd.Series(x)):
                found, answers = onefold.fold_by("argmax,sum,argmin", given, values)
                order = np.argsort([int(v) for v in (found[0] if isinstance(given, tuple) else found)])
                assert answers.argmax[order].tolist() == series.idxmax().tolist()
                assert answers.argmin[order].tolist() == series.idxmin().tolist()
                assert answers.sum[order].tolist() == series.sum().tolist()
        there, named = rng.random(n) < 0.8, rng.random(n) < 0.8
        named[0] = there[0] = True
        masked, some = np.ma.array(x, mask=~there), np.ma.array(keys, mask=~named)
        left = pd.Series(np.where(there, x, np.nan))[named & there].groupby(keys[named & there])
        for given in (some, [str(v) if is_named else None for v, is_named in zip(keys, named)]):
            found, answers = onefold.fold_by("argmax", given, masked, null_keys="drop")
            places = dict(zip(map(int, found), answers.argmax.tolist()))
            assert set(places) == set(keys[named])
            assert {k: place for k, place in places.items() if place is not None} == left.idxmax().to_dict()
        _, numbers = np.unique(keys[named & there], return_inverse=True)
        whole = np.zeros(n, int)
        whole[named & there] = numbers
        answers = onefold.fold_by("argmin", np.ma.array(whole, mask=~named), masked, groups=len(left), null_keys="drop")
        assert answers.argmin.tolist() == left.idxmin().tolist()


def test_columns_of_x():
    rows = [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert onefold.fold_by("sum", [0, 1, 0, 1], rows, groups=2).sum.tolist() == [[6, 8], [10, 12]]
    assert onefold.fold_by("argmax", TEXT, rows)[1].argmax.tolist() == [[1, 1], [2, 2], [3, 3]]
    assert onefold.fold_by("sum", [0, 1, 0, 1], {"a": X, "b": X}, groups=2)["b"].sum.tolist() == [5, 10]
    for frame in (FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)):
        with pytest.warns(onefold.TableWarning, match="a column without numbers is left out: t"):
            keys, answers = onefold.fold_by("sum,argmax", TEXT, frame)
        assert list(keys) == ["a", "b", "c"] and answers["i"].sum.tolist() == [1, 5, 4]
        assert list(answers) == ["x", "i"] and answers["i"].argmax.tolist() == [1, 0, 3]


def test_null_keys_beside_groups_are_dropped():
    for keys in (pl.Series([0, None, 2, 0]), pd.array([0, None, 2, 0]), np.ma.array([0, 9, 2, 0], mask=[0, 1, 0, 0])):
        for x, total in ((X, [9, 0, 4]), (np.ma.array(X, mask=[0, 0, 0, 1]), [1, 0, 4]), (pl.Series(X), [9, 0, 4])):
            assert onefold.fold_by("sum", keys, x, groups=3, null_keys="drop").sum.tolist() == total


@pytest.mark.parametrize(("call", "text"), [
    (lambda: onefold.fold_by("sum", TEXT[1:], X), "the keys have shape"),
    (lambda: onefold.fold_by("sum", [1j] * 4, X), "the keys are complex128"),
    (lambda: onefold.fold_by("sum", (TEXT, [1]), X), "the columns of keys have 1 and 4 rows"),
    (lambda: onefold.fold_by("sum", keys=pd.Series(TEXT, dtype=pd.ArrowDtype(pa.string_view())), x=X), "which Arrow cannot sort"),
    (lambda: onefold.fold_by("sum", keys=pd.MultiIndex.from_arrays([TEXT, TEXT]), x=X), "MultiIndex keys are not supported; pass keys.to_frame"),
    (lambda: onefold.fold_by("sum", keys=TWICE, x=X[:1]), "two columns are called 'a'; rename one"),
    (lambda: onefold.fold_by("sum", keys=[1], x=TWICE), "two columns are called 'a'; rename one"),
    (lambda: onefold.fold_by("sum", keys=[1], x=pa.Table.from_arrays([[1], [2]], ["a", "a"])), "two columns are called 'a'"),
    (lambda: onefold.fold("sum", TWICE), "two columns are called 'a'; rename one"),
    (lambda: onefold.fold("sum", TWICE, columns="a"), "two columns are called 'a'; rename one"),
    (lambda: onefold.fold_by("sum", TEXT, X, null_keys="omit"), "null_keys='omit' is not one of"),
    (lambda: onefold.fold_by("sum", TEXT, X, groups=3), "group numbers, integers below groups, but these are builtins.list; leave out groups="),
    (lambda: onefold.fold_by("sum", pd.Series(TEXT), X, groups=3), "integers below groups, but these are str; leave out groups="),
    (lambda: onefold.fold_by("sum", keys=X, x=X, groups=3), "integers below groups, but these are float64; leave out groups="),
    (lambda: onefold.fold_by("sum", ([0] * 4, [1] * 4), X, groups=3), "one array of group numbers, but several arrays were given; leave out groups="),
    (lambda: onefold.fold_by("sum", np.array([0, 1, 3, 0]), X, groups=3), "label 2 is 3; labels of 3 groups are 0..2"),
    (lambda: onefold.fold_by("sum", pl.Series([0, None, 1, 0]), X, groups=2), "drop\" to leave those rows out; \"keep\" is not available"),
    (lambda: onefold.fold_by("argmin", [0, 2, 0, 2], X, groups=3), "argmin[1]: there is nothing to fold"),
    (lambda: onefold.fold_by("sum,argmin", [0, 3, 0, 2], X, groups=3), "sum,argmin: label 1 is 3"),
    (lambda: onefold.fold_by("argmin", [0, 3], X), "argmin: the keys have shape (2,) and the elements have shape (4,)"),
    (lambda: onefold.fold_by("sum", TEXT, FRAME.assign(u=TEXT)[["t", "u"]]), "sum: no column holds numbers"),
    (lambda: onefold.fold_by("mse", TEXT, X), "takes two arrays, but one was given")])
def test_what_is_wrong_names_the_keys(call, text):
    with pytest.raises(onefold.Error) as caught:
        call()
    assert text in str(caught.value)

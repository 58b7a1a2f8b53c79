"""Calls that once gave a wrong number, or an exception that was not ours: each is right now, or refused."""

from decimal import Decimal

import numpy as np
import pytest

import onefold

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
MASKED = np.ma.array([1.0, 100, 3], mask=[0, 1, 0])


def test_reverse_scans_leave_nulls_out_in_any_library():
    assert onefold.cumsum(pa.array([1, None, 3]), reverse=True).tolist() == [4, None, 3]
    assert onefold.cumsum(pa.array([None, 2**53 + 1, 0]), reverse=True).tolist() == [None, 2**53 + 1, 0]
    assert onefold.cumsum(pa.chunked_array([[True, None], [True]]), reverse=True).tolist() == [2, None, 1]
    assert onefold.cumsum(pl.Series("a", [1, 2]), reverse=True).to_list() == [3, 2]
    frame = onefold.cumsum(pl.DataFrame({"a": [1.0, 2.0], "b": [1, 2]}), axis=0, reverse=True)
    assert frame.to_dict(as_series=False) == {"a": [3.0, 2.0], "b": [3, 2]}
    assert onefold.cumsum(memoryview(np.ones(2)), reverse=True).tolist() == [2, 1]


def test_scans_of_dask_arrays_with_empty_chunks():
    da, xr = pytest.importorskip("dask.array"), pytest.importorskip("xarray")
    whole = da.from_array(np.arange(6.0), chunks=2)
    some, last = whole[(whole < 1) | (whole > 4)], whole[whole > 3]
    for x in (some, last):
        x.compute_chunk_sizes()
    assert onefold.cumsum(some, reverse=True).compute().tolist() == [5, 5]
    assert onefold.cumsum(xr.DataArray(some, dims="t"), reverse=True).values.tolist() == [5, 5]
    assert onefold.cumsum(last).compute().tolist() == [4, 9]
    assert onefold.rolling(last, 2).sum()[-1].compute() == 9


def test_masks_are_not_lost():
    for call in (lambda: onefold.einsum("i->", MASKED), lambda: onefold.einsum("i,i->", MASKED, np.ones(3)),
                 lambda: onefold.rolling(np.ones(5), 3, win_type=MASKED).sum()):
        with pytest.raises(onefold.UnsupportedError, match="mask"):
            call()


def test_histograms_pair_by_labels():
    xr = pytest.importorskip("xarray")
    x = xr.DataArray([[1.0, 2], [3, 4]], dims=("a", "b"))
    w = xr.DataArray([[1.0, 10], [100, 1000]], dims=("b", "a"))
    assert onefold.histogram(x, [1, 1.5, 2.5, 3.5, 4], weights=w)[0].tolist() == [1, 100, 10, 1000]
    assert onefold.histogram2d(x, w.T, 2)[0].tolist() == onefold.histogram2d(x, w, 2)[0].tolist()
    s, r = pd.Series([1.0, 2, 3], index=list("abc")), pd.Series([1.0, 10, 100], index=list("cba"))
    for call in (lambda: onefold.histogram(s, [1, 1.5, 3], weights=r), lambda: onefold.histogram2d(s, r, 2),
                 lambda: onefold.rolling(s, 1.5, times=r).sum()):
        with pytest.raises(onefold.ShapeError, match="other labels"):
            call()


def test_windows_with_weights_of_any_shape():
    assert onefold.rolling(np.zeros(0), 2, win_type=[1.0, 2.0]).sum().shape == (0,)
    x = np.ma.array(np.arange(12.0).reshape(4, 3), mask=np.eye(4, 3))
    got = onefold.rolling(x, 2, axis=0, win_type=[1.0, 2.0]).sum()
    assert np.array_equal(got, onefold.rolling(x.T, 2, axis=1, win_type=[1.0, 2.0]).sum().T, equal_nan=True)


def test_arrays_of_pandas_and_tables_of_arrow_have_windows():
    assert onefold.cumsum(pd.array([1.0, 2.0])).tolist() == [1, 3]
    assert onefold.softmax(pd.array([1.0, 1.0])).tolist() == [0.5, 0.5]
    table = onefold.rolling(pa.table({"a": [1.0, 2.0], "b": [1, 2]}), 2, min_periods=1).sum()
    assert table.to_pydict() == {"a": [1.0, 3.0], "b": [1, 3]}
    keys, answers = onefold.fold_by("sum", keys=pd.array([True, False, True], dtype="boolean"), x=[1.0, 2.0, 4.0])
    assert keys.tolist() == [False, True] and answers.sum.tolist() == [2, 5]


def test_objects_and_integers_of_any_length():
    assert onefold.sum(np.array([Decimal("0.1"), Decimal("0.2")], dtype=object)) == Decimal("0.3")
    assert onefold.sum([2**70, 1]) == 2**70 + 1 and onefold.max([2**70, 1]) == 2**70
    assert np.isnan(float(onefold.sum([Decimal("sNaN"), 1])))
    assert onefold.sum([[2**70], [1]]) == 2**70 + 1 and onefold.sum([2**63, -1]) == 2**63 - 1
    for x in (2**70, np.array(["a"], object)):
        with pytest.raises(onefold.UnsupportedError):
            onefold.sum(x)


def test_nothing_has_an_answer_where_it_says_so():
    assert onefold.cummax(pa.array([None, 1.0])).tolist() == [None, 1.0]


def test_agg_of_frames_heeds_the_policy_of_nan():
    frame = pd.DataFrame({"x": [1.5, float("nan")]})
    for x in (frame, pl.from_pandas(frame, nan_to_null=False)):
        assert np.isnan(onefold.agg(x, "sum(x)")["sum(x)"]) and onefold.agg(x, "sum(x)", nan="omit")["sum(x)"] == 1.5
    for values in ([2**70, 1], [1 + 2j]):
        with pytest.raises(onefold.UnsupportedError, match="agg: a column has no Arrow type"):
            onefold.agg(pd.DataFrame({"x": values}), "sum(x)")


def test_ptp_of_floats_beside_fractions_is_rounded_once():
    from fractions import Fraction

    assert onefold.ptp([2**70 + 1, float(2**70)]) == 1
    assert onefold.ptp([Fraction(1, 3), 0.5]) == float(Fraction(1, 2) - Fraction(1, 3))


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_a_name_of_several_columns_means_none_of_them(kind, tmp_path):
    path = tmp_path / f"t.{kind}"
    if kind == "parquet":
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_arrays([pa.array(v) for v in ([1, 2], [2**53 + 1, 21], [5, 6])], names=["x", "x", "y"]), path)
    else:
        path.write_text("x,x,y\n1,9007199254740993,5\n2,21,6\n".replace(",", "," if kind == "csv" else "\t"))
    for call in (lambda: onefold.fold("sum", path, columns="x"), lambda: onefold.fold("sum", path, columns="y,x"),
                 lambda: onefold.fold("sum", path, columns=["x"]), lambda: onefold.fold("sum", path, columns="y", where="x > 1"),
                 lambda: onefold.fold("sum", path, columns="z", let="z = x"), lambda: onefold.fold("count", path, columns="y", by="x"),
                 lambda: onefold.median(path, columns="x"), lambda: onefold.agg(path, "sum(x)"), lambda: onefold.agg(path, "sum(y)", by="x"),
                 lambda: onefold.fold("max", path, columns="x", where="y > 0")):
        with pytest.raises(onefold.Error, match='"x" is the name of 2 columns; choose one by its position: #1, #2$'):
            call()
    assert onefold.fold("sum", path, columns="#1").sum == 3 and onefold.fold("sum", path, columns="x.2").sum == 2**53 + 22
    assert onefold.fold("max", path, columns="#2", where="y > 0").max == 2**53 + 1
    assert onefold.fold("sum", path, columns="y", where="`x.2` > 21").sum == 5
    assert onefold.agg(path, "sum(y), max(`x.2`)") == {"sum(y)": 11, "max(`x.2`)": 2**53 + 1}
    found = onefold.fold("sum", path)
    assert [found[name].sum for name in ("x", "x.2", "y")] == [3, 2**53 + 22, 11]

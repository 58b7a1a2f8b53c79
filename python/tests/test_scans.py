"""Scans of masked arrays, and the axes of scans and of softmax: by number, and by the name of a dimension."""

import itertools

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr

import onefold

rng = np.random.default_rng(4)
SCANS = [onefold.cumsum, onefold.cummean, onefold.cummin, onefold.cummax, onefold.cumvar]


def masked(dtype, shape):
    x = rng.normal(0, 20, shape)
    return np.ma.array(abs(x).astype(dtype) if dtype == "u1" else x.astype(dtype), mask=rng.random(shape) < .3)


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i8", "u1"])
def test_masked_elements_do_not_count_and_stay_masked(scan, dtype):
    fold, extreme = getattr(onefold, scan.__name__[3:]), scan.__name__ in ("cummin", "cummax")
    for shape, exclusive, reverse in itertools.product([(30,), (6, 5)], (False, True), (False, True)):
        x = masked(dtype, shape)
        for axis in range(len(shape)):
            found = scan(x, axis, exclusive=exclusive, reverse=reverse)
            assert isinstance(found, np.ma.MaskedArray) and found.shape == shape
            for place in np.ndindex(shape):
                line, i = list(place), place[axis]
                line[axis] = slice(i + exclusive, None) if reverse else slice(0, i + 1 - exclusive)
                elements = x[tuple(line)].compressed()
                if extreme and not len(elements):  # integers have no NaN
                    assert found.mask[place] if x.mask[place] or dtype[0] in "iu" else np.isnan(found.data[place])
                    continue
                assert found.mask[place] == x.mask[place]
                assert x.mask[place] or found.data[place].tobytes() == fold(elements).tobytes()


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_chunks_of_masked_arrays_are_scanned_as_the_whole(scan, dtype):
    x = masked(dtype, (9, 8))
    x[2:4] = np.ma.masked
    for chunks, axis, exclusive, reverse in itertools.product([(3, 4), (2, 1), (9, 8)], (0, 1), (False, True), (False, True)):
        if chunks != (3, 4) and exclusive != reverse:
            continue
        whole = scan(x, axis, exclusive=exclusive, reverse=reverse)
        lazy = scan(da.from_array(x, chunks), axis, exclusive=exclusive, reverse=reverse)
        found = lazy.compute(scheduler="sync")
        assert isinstance(lazy._meta, np.ma.MaskedArray) and lazy.dtype == found.dtype == whole.dtype
        assert (np.ma.getmaskarray(found) == np.ma.getmaskarray(whole)).all()
        np.testing.assert_array_equal(found.compressed(), whole.compressed())


NULLABLE = {
    "polars": lambda v, t: pl.Series(v, dtype={"f4": pl.Float32, "f8": pl.Float64, "i8": pl.Int64, "u1": pl.UInt8}[t]),
    "arrow": lambda v, t: pa.array(v, pa.from_numpy_dtype(np.dtype(t))),
    "chunks": lambda v, t: pa.chunked_array([v[:3], v[3:]], pa.from_numpy_dtype(np.dtype(t))),
    "pandas": lambda v, t: pd.Series(v, dtype={"f4": "Float32", "f8": "Float64", "i8": "Int64", "u1": "UInt8"}[t]),
    "pandas of arrow": lambda v, t: pd.Series(v, dtype=pd.ArrowDtype(pa.from_numpy_dtype(np.dtype(t)))),
}


def listed(answers):
    """The answers, None for nulls."""
    values = answers.to_list() if hasattr(answers, "to_list") else answers.tolist()
    return [None if v is None or v is pd.NA else v for v in values]


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1"])
@pytest.mark.parametrize("make", NULLABLE.values(), ids=NULLABLE)
def test_nulls_do_not_count_and_stay_null_as_masked_elements_do(scan, dtype, make):
    x = masked(dtype, (30,))
    x[0] = x[-1] = np.ma.masked
    for exclusive, reverse, offsets in itertools.product((False, True), (False, True), (None, [0, 4, 4, 21, 30])):
        options = {"exclusive": exclusive, "reverse": reverse, "offsets": offsets}
        found, right = scan(make(x.tolist(), dtype), **options), scan(x, **options)
        assert repr(listed(found)) == repr(right.tolist())


def test_scans_of_nullable_columns_keep_a_nullable_type_whether_or_not_there_are_nulls():
    for values in ([1, 2], [1, None], [None, None]):
        for dtype in ("Int64", "Float64", "int64[pyarrow]", "double[pyarrow]"):
            assert onefold.cumsum(pd.Series(values, dtype=dtype)).dtype == dtype
            assert onefold.cummax(pd.Series(values, dtype=dtype), exclusive=True).dtype == dtype


@pytest.mark.parametrize("scan", SCANS)
def test_columns_of_frames_keep_their_nulls_in_scans(scan):
    columns = {"a": [None, 1, 3], "b": [.5, None, 2.]}
    alone = {name: listed(scan(pl.Series(v))) for name, v in columns.items()}
    assert scan(pl.DataFrame(columns), axis=0).to_dict(as_series=False) == alone
    assert scan(pa.table(columns), axis=0).to_pydict() == alone
    frame = scan(pd.DataFrame({"a": pd.array(columns["a"], "Int64"), "b": pd.array(columns["b"], "Float64")}), axis=0)
    assert {name: listed(frame[name]) for name in frame} == alone


def test_masked_scans_are_those_of_numpy():
    x = np.ma.array([1, 2, 3, 4], mask=[1, 0, 1, 0])
    assert onefold.cumsum(x).tolist() == np.ma.cumsum(x).tolist() == [None, 2, None, 6]
    assert onefold.cummax(x).tolist() == [None, 2, None, 4] and onefold.cummax(x).dtype == x.dtype
    assert onefold.cumsum(x, offsets=[0, 2, 4]).tolist() == [None, 2, None, 4]
    assert onefold.cumsum(np.ma.array([1.0, 2])).tolist() == [1, 3] and isinstance(onefold.cumsum(x[:0]), np.ma.MaskedArray)
    assert onefold.expanding(x).sum().tolist() == [None, 2, 2, 6]  # windows: only those without an element


@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_integers_without_masks_have_no_extreme_before_their_first_element(name):
    with pytest.raises(onefold.EmptyError, match=f"{name}: there is nothing to fold up to the first element.*; pass floats"):
        getattr(onefold, name)(np.array([1, 3]), exclusive=True)


@pytest.mark.parametrize("call", [*SCANS, onefold.softmax, onefold.log_softmax])
def test_an_axis_has_a_number_or_a_name(call):
    x = xr.DataArray(rng.normal(size=(4, 3)), dims=("p", "q"), coords={"q": [1, 2, 4]})
    assert call(x, dim="q").equals(call(x, 1)) and call(x, dim=["p"]).equals(call(x, axis=0))
    if call in SCANS:
        assert call(x.chunk(1), dim="q").compute().equals(call(x, 1))
        with pytest.raises(onefold.AxisError, match=r"dim=\['p', 'q'\] names 2 axes, but windows and scans go along one"):
            call(x, dim=["p", "q"])
        assert call(x, axis="q").equals(call(x, 1))
    name = call.__name__
    for keywords, error, message in (
            ({"dim": "z"}, onefold.AxisError, "there is no dimension 'z'; there are p, q"),
            ({"dim": "p", "axis": 0}, onefold.OptionError, "dim='p' and axis=0 both choose the axis; pass only one of them"),
            ({"axis": 5}, onefold.AxisError, "axis 5 is out of range for shape (4, 3); legal axes are -2..1"),
            *([] if call in SCANS else [({"axis": "q"}, onefold.DTypeError, "axis='q' is not an integer")])):
        with pytest.raises(error) as caught:
            call(x, **keywords)
        assert str(caught.value) == f"{name}: {message}"
    with pytest.raises(onefold.OptionError, match="dim=1 names dimensions of xarray, but a numpy.ndarray has none; pass axis=1$"):
        call(x.values, dim=1)
    with pytest.raises(TypeError, match="axes"):
        call(x, axes=0)

"""gather_logsumexp of Dask arrays, by names of dimensions, and of frames: the states of the whole array."""

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import onefold

rng = np.random.default_rng(5)
X = rng.normal(0, 5, (7, 9, 5))
X[0, 0, 0], X[1, :, 1] = np.nan, -np.inf


@pytest.mark.parametrize("chunks", [(3, 4, 2), (7, 1, 5), (7, 9, 5)])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (0, 1, 2)])
def test_states_of_chunks_are_those_of_the_whole_array(axis, chunks):
    there = X > 0
    for dtype, keywords in (("f4", {"keepdims": True, "nan": "omit"}), ("f8", {})):
        whole = X.astype(dtype)
        masked, lazy = np.ma.array(whole, mask=~there), da.from_array(whole, chunks)
        for array, where, right, all_where in (
                (lazy, None, whole, None), (lazy, da.from_array(there, 4), whole, there), (lazy, there[0], whole, there[0]),
                (da.from_array(masked, chunks), None, masked, None)):
            states = onefold.gather_logsumexp(array, axis, where=where, **keywords)
            right = onefold.gather_logsumexp(right, axis, where=all_where, **keywords)
            assert bytes(states) == bytes(right) and states.shape == right.shape


def test_states_of_empty_chunks():
    for shape, axis in (((0, 3), 0), ((0, 3), 1), ((), None)):
        assert onefold.gather_logsumexp(da.ones(shape), axis) == onefold.gather_logsumexp(np.ones(shape), axis)


def test_dimensions_have_names():
    x = xr.DataArray(X, dims=("a", "b", "c"))
    there = xr.DataArray(X[0] > 0, dims=("b", "c"))
    for array in (x, x.chunk(3)):
        assert onefold.gather_logsumexp(array, dim="b") == onefold.gather_logsumexp(X, 1)
        assert onefold.gather_logsumexp(array, dim=["b", "a"], where=there) == onefold.gather_logsumexp(X, (0, 1), where=X[0] > 0)


@pytest.mark.parametrize("call, message", [
    (lambda x: onefold.gather_logsumexp(x, dim=1), "names dimensions of xarray, but a dask.array.core.Array has none; pass axis=1"),
    (lambda x: onefold.gather_logsumexp(x, 3), "axis 3 is out of range for shape (7, 9, 5); legal axes are -3..2"),
    (lambda x: onefold.gather_logsumexp(x, where=np.ones(2, bool)), "the shape (2,) of where= does not broadcast to the array's (7, 9, 5)"),
    (lambda x: onefold.gather_logsumexp(x[x > 0]), "the chunk sizes are unknown; call compute_chunk_sizes() first"),
    (lambda x: onefold.gather_logsumexp(pd.DataFrame({"a": [1], "b": ["x"]})), "a pandas.DataFrame has several columns; pass one column, or an array"),
    (lambda x: onefold.gather_logsumexp(pl.DataFrame({"a": [1.0]})), "DataFrame has several columns; pass one column, or an array of all"),
    (lambda x: onefold.softmax(x), "Dask arrays are not supported; use x.map_blocks, with chunks that hold")])
def test_what_is_refused(call, message):
    with pytest.raises(onefold.Error) as caught:
        call(da.from_array(X, (3, 4, 2)))
    assert message in str(caught.value) and "\n" not in str(caught.value)

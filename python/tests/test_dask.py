"""Dask arrays: identical bits for every chunking, split_every and scheduler."""

import dask.array as da
import numpy as np
import pytest
import xarray as xr

import onefold
import onefold.dask

X = (np.random.default_rng(8).normal(size=(60, 35)) * 10.0 ** np.arange(35)).astype("f8")
CHUNKS = [(60, 35), (7, 35), (60, 4), (13, 11), (1, 35)]


@pytest.mark.parametrize("op", ["sum", "mean", "var", "min", "argmax", "count_nonzero"])
def test_all_axes_give_the_same_bits_for_every_chunking(op):
    want = getattr(onefold, op)(X)
    for chunks in CHUNKS:
        for split_every in [2, 16]:
            got = getattr(onefold.dask, op)(da.from_array(X, chunks), split_every=split_every)
            assert got.dtype == want.dtype and got.shape == ()
            assert got.compute(scheduler="sync") == want
    assert getattr(onefold.dask, op)(da.from_array(X, (20, 20))).compute(scheduler="threads") == want


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_some_axes_do_too(axis, keepdims):
    for op in ["mean", "std", "argmin"]:
        want = getattr(onefold, op)(X, axis=axis, keepdims=keepdims)
        for chunks in CHUNKS:
            got = getattr(onefold.dask, op)(da.from_array(X, chunks), axis, keepdims=keepdims)
            assert got.shape == want.shape and got.dtype == want.dtype
            np.testing.assert_array_equal(got.compute(scheduler="sync"), want)


def test_xarray_2902_sums_do_not_depend_on_chunks():
    x = np.float32([16777216] + [1.0] * 64)
    for chunks in [1, 5, 65]:
        assert onefold.dask.sum(da.from_array(x, chunks)).compute(scheduler="sync") == 16777280


def test_several_answers_share_their_chunks_states():
    answers = onefold.dask.fold("mean,var", da.from_array(X, (9, 9)), ddof=1)
    mean, var = da.compute(*answers, scheduler="sync")
    assert (mean, var) == onefold.fold("mean,var", X, ddof=1)


def test_ours_finds_dask_arrays_and_xarray_with_dask_inside():
    x = da.from_array(X, (9, 9))
    assert isinstance(onefold.sum(x), da.Array) and onefold.sum(x).compute() == onefold.sum(X)
    labelled = xr.DataArray(x, dims=("t", "x"))
    reduced = labelled.reduce(onefold.mean, dim="t")
    np.testing.assert_array_equal(reduced.values, onefold.mean(X, axis=0))


def test_wrong_requests_are_refused():
    x = da.from_array(X, (9, 9))
    with pytest.raises(onefold.AxisError):
        onefold.dask.sum(x, axis=2)
    with pytest.raises(onefold.DTypeError):
        onefold.dask.sum(X)
    with pytest.raises(onefold.OptionError):
        onefold.dask.sum(x, split_every=1)

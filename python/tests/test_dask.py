"""Dask arrays: identical bits for every chunking, split_every and scheduler."""

import pickle

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


def test_long_slices_merge_as_states_and_short_ones_are_rechunked():
    x = np.random.default_rng(9).normal(size=(700, 6)) * 10.0 ** np.arange(6)
    x[5, 2] = np.nan
    for nan in ["propagate", "omit"]:
        want = onefold.fold("mean,var,ptp,argmax", x, axis=0, ddof=1, nan=nan)
        for chunks in [(300, 6), (300, 4), (100, 6), (699, 1), (50, 6)]:  # 50: rechunked
            lazy = onefold.dask.fold("mean,var,ptp,argmax", da.from_array(x, chunks), axis=0,
                                     ddof=1, nan=nan)
            got = da.compute(*lazy, scheduler="sync")
            for a, b in zip(got, want):
                assert a.dtype == b.dtype and a.tobytes() == b.tobytes()


def test_places_count_in_the_whole_array_for_every_chunking():
    x = np.array([[[3, -0.0], [0.0, 5]], [[-0.0, 3], [5, np.nan]], [[5, 5], [5, 5]]])
    for axis in [None, 0, 1, 2, (0, 2), (1, 2)]:
        for op in ["argmin", "argmax", "min", "max", "nanargmin", "nanargmax"]:
            want = getattr(onefold, op)(x, axis)
            for chunks in [1, 2, (3, 1, 2), (1, 2, 1)]:
                got = getattr(onefold.dask, op)(da.from_array(x, chunks), axis, split_every=2)
                np.testing.assert_array_equal(got.compute(scheduler="sync"), want)
                assert np.array_equal(np.signbit(got.compute(scheduler="sync")), np.signbit(want))


def test_slices_without_numbers():
    x = da.from_array(np.array([[np.nan, 1], [np.nan, 2]]), (1, 1))
    np.testing.assert_array_equal(onefold.dask.nanmin(x, 0).compute(scheduler="sync"), [np.nan, 1])
    with pytest.raises(onefold.EmptyError):
        onefold.dask.nanargmin(x, 0).compute(scheduler="sync")
    with pytest.raises(onefold.EmptyError):
        onefold.dask.min(da.zeros((0, 0))).compute(scheduler="sync")
    with pytest.raises(onefold.OverflowError):
        onefold.dask.sum(da.full(4, 2**62, dtype="i8", chunks=1)).compute(scheduler="sync")
    assert onefold.dask.sum(da.zeros(0)).compute(scheduler="sync") == 0


def test_states_of_slices_travel_between_processes():
    x = np.random.default_rng(10).normal(size=(600, 2))
    states = onefold.gather("mean,var", x, axis=0)
    again = pickle.loads(pickle.dumps(states))
    assert again == states and len(again) == 2
    np.testing.assert_array_equal(again.answer("var", ddof=1), onefold.var(x, axis=0, ddof=1))
    got = onefold.dask.var(da.from_array(x, (300, 2)), 0).compute(
        scheduler="processes", num_workers=2)
    np.testing.assert_array_equal(got, onefold.var(x, axis=0))


def test_big_endian_chunks_and_other_types():
    x = np.arange(12, dtype=">i4").reshape(6, 2)
    for op in ["sum", "mean", "argmax", "max"]:
        got = getattr(onefold.dask, op)(da.from_array(x, 4)).compute(scheduler="sync")
        assert got == getattr(onefold, op)(x)
    assert onefold.dask.mean(da.from_array(x, 4), dtype="f4").dtype == "f4"
    with pytest.raises(onefold.UnsupportedError):
        onefold.dask.sum(da.zeros(3, dtype="c16"))


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


@pytest.mark.parametrize("chunks", [(60, 35), (30, 5), (1, 35), (7, 4)])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_masks_of_chunks_are_honoured(chunks, axis):
    x = np.ma.masked_greater(np.random.default_rng(4).normal(size=(60, 35)), 0.5)
    x[:30, 3] = x[11] = np.ma.masked
    lazy = da.from_array(x, chunks)
    ops = "sum,mean,var,min,max,count,count_nonzero,any,norminf"
    for got, want in zip(da.compute(*onefold.dask.fold(ops, lazy, axis=axis), scheduler="sync"),
                         onefold.fold(ops, x, axis=axis)):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(onefold.UnsupportedError, match="masked Dask array"):
        onefold.dask.argmax(lazy, axis)


@pytest.mark.parametrize("dtype", ["f8", "i4", "?"])
@pytest.mark.parametrize("op", ["sum", "mean", "var", "sem", "min", "max", "ptp", "norm2", "any", "skewness", "count", "nunique",
                                "median", "logsumexp", "logmeanexp"])
@pytest.mark.parametrize("chunks", [1, 2, -1])
def test_slices_with_only_masked_elements_have_masked_answers_as_masked_arrays_have(chunks, op, dtype):
    fold = getattr(onefold, op)
    rows = np.ma.array(np.arange(12).reshape(3, 4), mask=[[1] * 4, [0, 1, 0, 0], [0] * 4]).astype(dtype)
    long = np.ma.array(np.arange(80).reshape(2, 40), mask=[[1] * 40, [0] * 40]).astype(dtype)
    calls = [(rows[0], {}), (rows, {"axis": 1}), (rows, {"axis": 0}), (rows, {"axis": -1, "keepdims": True}), (long, {"axis": 1})]
    calls += [(rows, {"axis": 1, "ddof": 3})] if op in ("var", "sem") else []
    for x, keywords in calls:
        want, got = fold(x, **keywords), fold(da.from_array(x, chunks), **keywords).compute(scheduler="sync")
        lacking = np.ma.getmaskarray(want)
        np.testing.assert_array_equal(np.ma.getmaskarray(got), lacking)
        np.testing.assert_array_equal(np.ma.getdata(got)[~lacking], np.ma.getdata(want)[~lacking])
        assert want is np.ma.masked or np.asarray(got).dtype == np.asarray(want).dtype


@pytest.mark.parametrize("nan", ["propagate", "omit"])
@pytest.mark.parametrize("chunks", CHUNKS)
def test_groups_give_the_bits_of_one_pass_for_every_chunking(chunks, nan):
    x, keys = X.copy(), np.random.default_rng(3).integers(0, 7, 60)
    keys[keys == 4] = 5  # a group without elements
    x[3, 2] = np.nan
    want = onefold.fold_by("sum,mean,var,count", keys, x, groups=7, ddof=1, nan=nan)
    lazy = onefold.dask.fold_by("sum,mean,var,count", keys, da.from_array(x, chunks), groups=7, ddof=1, nan=nan,
                                split_every=2)
    for a, b, w in zip(lazy, da.compute(*lazy, scheduler="sync"), want):
        assert a.shape == b.shape == w.shape and a.dtype == b.dtype == w.dtype and b.tobytes() == w.tobytes()


def test_groups_stand_where_the_rows_stood():
    x = np.random.default_rng(4).normal(size=(4, 60, 3)).astype("f4")
    keys = np.arange(60) % 5
    lazy, = onefold.dask.fold_by("max", keys, da.from_array(x, (2, 7, 2)), groups=5, axis=1)
    want = np.stack([x[:, k::5].max(1) for k in range(5)], 1)
    np.testing.assert_array_equal(lazy.compute(scheduler="threads"), want)
    short, = onefold.dask.fold_by("sum", keys[:0], da.zeros(0), groups=3)
    assert short.compute(scheduler="sync").tolist() == [0, 0, 0]
    none, = onefold.dask.fold_by("sum", keys[:0], da.zeros(0), groups=0)
    assert none.compute(scheduler="sync").shape == (0,)
    one, = onefold.dask.fold_by("sum", keys, da.from_array(x[0, :, 0], 9), groups=5)
    assert one.compute(scheduler="sync").tolist() == [onefold.sum(x[0, k::5, 0]) for k in range(5)]


def test_groups_that_cannot_be_are_one_error():
    x = da.from_array(X, (7, 35))
    for keys, groups, why in [(np.zeros(59, "i8"), 2, "59"), (np.full(60, 2), 2, r"0\.\.1"), (np.full(60, -1), 2, r"0\.\.1"),
                              (np.zeros(60), 2, "factorize"), (np.zeros(60, "i8"), 1.5, "groups")]:
        with pytest.raises(onefold.Error, match=why):
            onefold.dask.fold_by("sum", keys, x, groups=groups)
    with pytest.raises(onefold.Error, match="argmax"):
        onefold.dask.fold_by("argmax", np.zeros(60, "i8"), x, groups=1)
    with pytest.raises(onefold.Error, match="nothing to fold"):
        onefold.dask.fold_by("max", np.zeros(60, "i8"), x, groups=2)[0].compute(scheduler="sync")


def test_xarray_maps_blocks_by_what_has_no_chunks():
    x = da.from_array(X, (7, 9))
    labelled = xr.DataArray(x, dims=("t", "x"))
    # Each block is folded alone, so the folded axis must not be cut.
    whole = labelled.chunk({"t": -1})
    lazy = xr.map_blocks(lambda b: b.reduce(onefold.mean, "t"), whole, template=whole.isel(t=0, drop=True))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), onefold.mean(X, axis=0))
    # If it is cut, Dask merges our answers to the blocks.
    lazy = xr.apply_ufunc(onefold.dask.mean, labelled, input_core_dims=[["t"]], kwargs={"axis": -1}, dask="allowed")
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), onefold.mean(X, axis=0))


def test_places_over_no_axis_are_0():
    x = da.from_array(np.array([[1.0, 2], [3, 7]]), chunks=1)
    for op in ("argmin", "argmax"):
        assert getattr(onefold, op)(x, axis=()).compute().tolist() == [[0, 0], [0, 0]]


def test_dtype_is_the_type_of_every_answer():
    x = da.from_array(np.array([[100, -7, 27], [5, 0, 9]]), chunks=(1, 2))
    for op in ("sum", "mean", "count", "max", "argmax", "ptp", "any", "norminf"):
        for dtype in ("f4", np.float16, "f64"):
            answer, right = getattr(onefold, op)(x, dtype=dtype), getattr(onefold, op)(x.compute(), dtype=dtype)
            assert answer.dtype == answer.compute().dtype == right.dtype and answer.compute() == right, (op, dtype)
            answer = getattr(onefold, op)(x, axis=1, dtype=dtype).compute()
            assert answer.tolist() == getattr(onefold, op)(x.compute(), axis=1, dtype=dtype).tolist()
    assert onefold.max(x, dtype="int8").compute() == 100
    with pytest.raises(onefold.OverflowError):
        onefold.max(10 * x, dtype=np.int8).compute()
    for op, dtype in (("mean", "int8"), ("any", "int8"), ("max", "bool"), ("sum", "nonsense")):
        with pytest.raises(onefold.Error):
            getattr(onefold, op)(x, dtype=dtype)

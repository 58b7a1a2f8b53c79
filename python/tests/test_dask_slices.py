"""Medians, quantiles, weights and where= of Dask arrays: the bits of the whole array, for every chunking."""

import pickle

import numpy as np
import pytest

import onefold

da = pytest.importorskip("dask.array")
RNG = np.random.default_rng(62)
X, W, M = RNG.normal(size=(20, 13)), RNG.random((20, 13)), RNG.random((20, 13)) > 0.4
CHUNKS = [(20, 13), (7, 4), (1, 13)]
CALLS = [
    lambda x, w, m, **k: onefold.median(x, **k), lambda x, w, m, **k: onefold.quantile(x, [0.1, 0.9], **k),
    lambda x, w, m, **k: onefold.median(x, weights=w, **k), lambda x, w, m, **k: onefold.mean(x, weights=w, **k),
    lambda x, w, m, **k: onefold.sum(x, where=m, **k), lambda x, w, m, **k: onefold.trimmed_mean(x, 0.1, **k),
    lambda x, w, m, **k: onefold.nunique(x, **k), lambda x, w, m, **k: onefold.fold("mean,argmax", x, **k).argmax]


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("call", CALLS)
def test_answers_are_those_of_the_whole_array(call, axis, chunks):
    for keepdims in (False, True):
        lazy = call(*(da.from_array(a, chunks) for a in (X, W, M)), axis=axis, keepdims=keepdims)
        whole = np.asarray(call(X, W, M, axis=axis, keepdims=keepdims))
        found = np.asarray(lazy.compute(scheduler="sync"))
        assert isinstance(lazy, da.Array) and (lazy.shape, lazy.dtype) == (whole.shape, whole.dtype)
        assert found.shape == whole.shape and found.tobytes() == whole.tobytes()


@pytest.mark.parametrize("chunks", CHUNKS)
def test_arrays_of_xarray_keep_their_labels(chunks):
    xr = pytest.importorskip("xarray")
    x = xr.DataArray(X, dims=("t", "x"), coords={"t": np.arange(20)})
    weights, lazy = xr.DataArray(W[:, 0], dims="t"), x.chunk({"t": chunks[0], "x": chunks[1]})
    for call in (lambda a: onefold.median(a, dim="t"), lambda a: onefold.quantile(a, [0.1, 0.5], dim="t"),
                 lambda a: onefold.mean(a, dim="t", weights=weights), lambda a: onefold.sum(a, where=x > 0),
                 lambda a: onefold.fold("mean,max", a, dim="x").mean):
        assert call(lazy).chunks is not None
        xr.testing.assert_identical(call(lazy).compute(), call(x))
    with pytest.raises(onefold.UnsupportedError, match="describe: a Dask array is not supported here"):
        onefold.describe(lazy)


def test_tasks_are_pickled_and_errors_come_before_work():
    x = da.from_array(X, (7, 4))
    pickle.dumps(onefold.median(x, axis=0))
    assert np.array_equal(onefold.mean(x, axis=0, weights=W[:, 0]).compute(), onefold.mean(X, axis=0, weights=W[:, 0]))
    for call, text in (
            (lambda: onefold.median(x, axis=5), "axis 5 is out of range"), (lambda: onefold.median(x, nan="bad"), "nan='bad'"),
            (lambda: onefold.sum(x, where=[True] * 4), "the shape (4,) of where= does not broadcast to the array's (20, 13)"),
            (lambda: onefold.mean(x, weights=W[:5]), "the shape (5, 13) of weights= does not broadcast to the array's (20, 13)"),
            (lambda: onefold.median(x[x > 0]), "call compute_chunk_sizes() first"),
            (lambda: onefold.describe(x), "a Dask array is not supported here; see onefold.dask"),
            (lambda: onefold.corr(x, x), "a Dask array is not supported here; see onefold.dask")):
        with pytest.raises(onefold.Error) as caught:
            call()
        assert text in str(caught.value)

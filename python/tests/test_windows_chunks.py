"""Windows and scans of Dask arrays have the bits of the whole array; windows with weights are exact dot products."""

import pickle
from fractions import Fraction

import dask.array as da
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import onefold

rng = np.random.default_rng(5)
X = rng.standard_normal((60, 3)) * 10.0 ** rng.integers(-9, 9, (60, 3))
CHUNKS = [(60, 3), (7, 2), (1, 3), ((20, 0, 35, 5), 1)]


def same(lazy, want):
    assert isinstance(lazy, da.Array) and lazy.dtype == want.dtype and lazy.shape == want.shape
    got = lazy.compute(scheduler="sync")
    assert type(got) is type(want)
    np.testing.assert_array_equal(np.ma.getmaskarray(got), np.ma.getmaskarray(want))
    assert np.ma.getdata(got)[~np.ma.getmaskarray(got)].tobytes() == np.ma.getdata(want)[~np.ma.getmaskarray(want)].tobytes()


@pytest.mark.parametrize("chunks", [c for c in CHUNKS if c != (1, 3)])  # which scans have
@pytest.mark.parametrize("axis", [0, 1])
def test_windows_do_not_depend_on_chunks(chunks, axis):
    x = da.from_array(X, chunks)
    for rule in ({"window": 5}, {"window": 5, "center": True, "min_periods": 1}, {"window": 4, "closed": "left", "min_periods": 1},
                 {"window": 7, "step": 3, "min_periods": 2}, {"window": 100, "min_periods": 1}):
        rule, window = dict(rule), rule["window"]
        del rule["window"]
        got, want = (onefold.rolling(a, window, axis=axis, **rule) for a in (x, X))
        for lazy, whole in zip(got.fold("mean,var,argmax"), want.fold("mean,var,argmax")):
            same(lazy, whole)
        same(got.sum(), want.sum())
        same(got.median(), want.median())
        same(got.corr(x[::-1]), want.corr(X[::-1]))
        same(got.max(where=x > 0), want.max(where=X > 0))


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("dtype", ["f8", "f2", "i4", "?"])
def test_scans_do_not_depend_on_chunks(chunks, dtype):
    whole = (np.abs(X) if dtype == "?" else X.clip(-1e4, 1e4))[:30 if isinstance(chunks[0], int) and dtype != "f8" else 60].astype(dtype)
    x = da.from_array(whole, chunks)
    for scan in (onefold.cumsum, onefold.cummin, onefold.cummax, onefold.cummean, onefold.cumvar):
        for axis in (0, 1):
            same(scan(x, axis), scan(whole, axis))
    same(onefold.cumsum(x, 0, dtype="f8"), onefold.cumsum(whole, 0, dtype="f8"))
    same(onefold.expanding(x, min_periods=2).mean(), onefold.expanding(whole, min_periods=2).mean())


def test_carried_sums_are_exact_at_the_edges():
    top = np.finfo("f8").max
    lines = np.array([[top, top, -top, -top, 1.0], [-0.0] * 5, [-0.0, 0.0, -0.0, -0.0, -0.0], [1e300, 1e-300, -1e300, 5e-324, 1.0],
                      [np.inf, 1.0, -np.inf, 2.0, 3.0], [1.0, np.nan, 2.0, 3.0, 4.0], [1.0, -1.0, 0.0, -0.0, 5e-324]])
    for nan in ("propagate", "omit"):
        want = onefold.cumsum(lines, 1, nan=nan)
        for row in range(len(lines)):  # alone, and beside others
            same(onefold.cumsum(da.from_array(lines[row], 1), nan=nan), want[row])
        same(onefold.cumsum(da.from_array(lines, (7, 1)), 1, nan=nan), want)
    small = np.float32([3e38, 3e38, -3e38, -3e38, 1e-45])
    same(onefold.cumsum(da.from_array(small, 1)), onefold.cumsum(small))


def test_chunks_keep_labels_masks_and_pairs():
    series = xr.DataArray(da.from_array(X[:, 0], 7), dims="t", coords={"t": np.arange(60)})
    got = onefold.rolling(series, 5, step=2).mean()
    assert isinstance(got.data, da.Array) and (got.t == np.arange(0, 60, 2)).all()
    same(got.data, onefold.rolling(X[:, 0], 5, step=2).mean())
    masked = np.ma.array(X[:, 0], mask=X[:, 0] < 0)
    same(onefold.rolling(da.from_array(masked, 7), 5, min_periods=1).sum(), onefold.rolling(masked, 5, min_periods=1).sum())
    integers = np.arange(9)
    same(onefold.rolling(da.from_array(integers, 2), 3).sum(), onefold.rolling(integers, 3).sum())
    begin, end = np.array([0, 3, 2, 9]), np.array([9, 3, 5, 9])
    same(onefold.rolling(da.from_array(integers, 2), (begin, end), min_periods=0).sum(),
         onefold.rolling(integers, (begin, end), min_periods=0).sum())
    times = pd.date_range("2024-01-01", periods=60, freq="36h")
    same(onefold.rolling(da.from_array(X, (9, 3)), "7D", times=times).var(), onefold.rolling(X, "7D", times=times).var())
    same(onefold.rolling(da.zeros((0, 2)), 3).sum(), onefold.rolling(np.zeros((0, 2)), 3).sum())
    assert pickle.loads(pickle.dumps(onefold.rolling(da.from_array(X, (9, 3)), 3).sum())).compute().shape == X.shape


def test_chunks_refuse_before_any_work():
    x = da.from_array(X, (9, 3))
    with pytest.raises(onefold.Error, match="compute_chunk_sizes"):
        onefold.cumsum(x[x > 0])
    with pytest.raises(onefold.Error, match=r"window 1 is 4\.\.3 of 60 elements"):
        onefold.rolling(x, (np.array([0, 4]), np.array([1, 3]))).sum()
    with pytest.raises(onefold.Error, match=r"y has shape \(3, 60\), but x has shape \(60, 3\); they must be equal"):
        onefold.rolling(x, 3).cov(x.T)
    with pytest.raises(onefold.Error, match="windows with weights are not supported for Dask arrays"):
        onefold.rolling(x, 3, win_type=[1, 2, 1]).sum()
    with pytest.raises(onefold.Error, match="mode cannot be folded"):
        onefold.rolling(x, 3).fold("mode")


def exact(x, weights, mean):
    pairs = [(Fraction(float(v)), Fraction(float(w))) for v, w in zip(x, weights) if not np.isnan(v)]
    total = sum(v * w for v, w in pairs)
    return float(total / sum(w for _, w in pairs)) if mean else float(total)


@pytest.mark.parametrize("least", [1, 2, 4])
@pytest.mark.parametrize("center", [False, True])
def test_windows_with_weights_are_exact(least, center):
    x, weights = X[:, 1].copy(), np.array([0.1, 3.0, 2.5, 0.7])
    x[[4, 20, 21, 22, 23]] = np.nan
    got = onefold.rolling(x, 4, min_periods=least, center=center, win_type=weights)
    for mean in (False, True):
        answers = got.mean() if mean else got.sum()
        for i in range(60):
            end = i + 1 + (1 if center else 0)  # of the window
            places = [k for k in range(end - 4, end) if 0 <= k < 60]
            inside, w = x[places], [weights[k - end + 4] for k in places]
            if np.count_nonzero(~np.isnan(inside)) < least:
                assert np.isnan(answers[i])
            else:
                assert answers[i] == exact(inside, w, mean), (i, mean)


def test_windows_with_weights_agree_with_pandas():
    values = pd.Series(rng.standard_normal(50), index=list(range(50, 100)), name="v")
    for name in ("triang", ("gaussian", 2.0)):
        theirs = values.rolling(7, win_type=name if isinstance(name, str) else name[0], center=True)
        extra = {} if isinstance(name, str) else {"std": name[1]}
        for op in ("sum", "mean"):
            ours = getattr(onefold.rolling(values, 7, win_type=name, center=True), op)()
            pd.testing.assert_series_equal(ours, getattr(theirs, op)(**extra), rtol=1e-12)
    frame = pd.DataFrame({"a": values, "b": range(50)})
    got = onefold.rolling(frame, 3, win_type=[1, 2, 1], step=5).fold("mean,sum")
    assert got.mean.b.tolist()[1:] == [4.0 + 5 * k for k in range(9)] and got.sum.index[1] == 55
    matrix = rng.standard_normal((4, 9)).astype("f4")
    rows = onefold.rolling(matrix, 3, axis=1, win_type=np.float32([1, 2, 1])).sum()
    assert rows.dtype == np.float32 and rows[2, 5] == onefold.dot(matrix[2, 3:6], np.float32([1, 2, 1]))


def test_weights_are_refused_in_one_line():
    x = np.arange(9.0)
    for keywords, words in [({"win_type": "boxy"}, "boxy"), ({"win_type": [1, 2]}, r"has shape \(2,\), but a window has 3 elements"),
                            ({"win_type": ["a", "b", "c"]}, "weights must be numbers"),
                            ({"win_type": [1, 2, 1], "closed": "both"}, "without closed=")]:
        with pytest.raises(onefold.Error, match=words):
            onefold.rolling(x, 3, **keywords)
    with pytest.raises(onefold.Error, match="sum and mean, not var"):
        onefold.rolling(x, 3, win_type=[1, 2, 1]).var()
    with pytest.raises(onefold.Error, match="sum and mean, not median"):
        onefold.rolling(x, 3, win_type=[1, 2, 1]).median()
    with pytest.raises(onefold.Error, match="no common type holds both"):
        onefold.rolling(np.array([2**53 + 1, 0, 0]), 3, win_type=[1, 2, 1]).sum()
    with pytest.raises(onefold.Error, match="complex"):
        onefold.rolling(x + 1j, 3, win_type=[1, 2, 1]).sum()


@pytest.mark.parametrize("name", ["sum", "min", "max"])
def test_lazy_labelled_windows_round_no_integers_to_make_room_for_missing_answers(name):
    long = xr.DataArray(np.array([2**53 + 1, 5, -2**53 - 1]), dims="t")
    for x in (long, long.chunk(t=1)):
        for windows in (onefold.rolling(x, 1), onefold.expanding(x)):
            with pytest.raises(onefold.Error, match="of floats cannot hold these integers and also mark windows with too few elements"):
                getattr(windows, name)().compute()
    small = long // 2
    lazy = getattr(onefold.rolling(small.chunk(t=1), 2), name)()
    assert lazy.dtype == "f8"
    xr.testing.assert_identical(lazy.compute(), getattr(onefold.rolling(small, 2), name)())

"""Modes, means of the middle, bins and places of quantiles on the simulated driver's device: the CPU's answers."""

import functools
import itertools
import operator
import re
import sys

import numpy as np
import pytest
from test_device import asarray, cupy, ndarray  # noqa: F401

import onefold


def bare(a):
    return tuple(map(bare, a)) if isinstance(a, tuple) else a.array if isinstance(a, ndarray) else a


def order_of_bits(a, axis):
    """A stable order as a device sorts: NaN with a sign come before all numbers, other NaN behind them."""
    if a.dtype.kind != "f":
        return np.argsort(a, axis, kind="stable")
    first = np.isnan(a) & np.signbit(a)
    return np.lexsort((np.where(first, 0, a), ~first), axis=axis)


@pytest.fixture(autouse=True)
def more_of_cupy(cupy, monkeypatch):  # noqa: F811
    def method(name, call):
        monkeypatch.setattr(ndarray, name, functools.partialmethod(lambda a, *b, **k: asarray(call(a.array, *map(bare, b), **k))),
                            raising=False)

    for name in ("eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "floordiv", "mod", "neg", "abs", "invert", "getitem"):
        method(f"__{name}__", getattr(operator, name))
    for name in ("and", "or"):
        method(f"__{name}__", getattr(operator, name + "_"))
    for name in ("sum", "any", "all", "reshape"):
        method(name, getattr(np.ndarray, name))
    monkeypatch.setattr(ndarray, "item", lambda a: a.array.item(), raising=False)
    module = sys.modules["cupy"]
    for name in ("sort", "argsort", "take_along_axis", "concatenate", "stack", "flatnonzero", "minimum", "signbit", "unique", "where", "searchsorted", "bincount", "arange",
                 "asarray", "transpose", "ascontiguousarray"):
        setattr(module, name, functools.partial(lambda call, *a, **k: asarray(call(*map(bare, [tuple(x) if isinstance(x, list) and any(
            isinstance(y, ndarray) for y in x) else x for x in a]), **k)), getattr(np, name)))
    for name in ("fold", "fold_by", "fold_segments"):  # of which the simulated device has some kernels only
        def on_host(call, *a, **k):
            found = call(*map(bare, a), **{n: bare(v) for n, v in k.items()})
            return type(found)(*map(asarray, found)) if any(isinstance(b, ndarray) for b in a) else found

        monkeypatch.setattr(onefold.reduce.fold, name, functools.partial(on_host, getattr(onefold.reduce.fold, name)))
    module.argsort = lambda a, axis=-1, **k: asarray(order_of_bits(a.array, axis))
    module.sort = lambda a, axis: asarray(np.take_along_axis(a.array, order_of_bits(a.array, axis), axis))
    module.unique = lambda a: asarray(np.unique(np.take_along_axis(a.array, order_of_bits(a.array, 0), 0), equal_nan=False))
    module.broadcast_arrays = lambda *a: [asarray(np.ascontiguousarray(b)) for b in np.broadcast_arrays(*map(bare, a))]


rng = np.random.default_rng(5)
ARRAYS = [rng.integers(-3, 3, (4, 5, 30)).astype("f4"), rng.integers(0, 9, (4, 5, 30)), rng.random((4, 5, 30)) < 0.3,
          rng.normal(size=(4, 5, 30)).round(1)]
ARRAYS[0][0, 1, 7] = ARRAYS[0][2, :3] = np.nan
ARRAYS[0][1, 1, 3:9] = -0.0


def there(**keywords):
    return {name: asarray(v) if isinstance(v, np.ndarray) else v for name, v in keywords.items()}


class OfNoLibrary:
    """An array in host memory that only DLPack reads, as it reads a tensor."""

    def __init__(self, x):
        self.x, self.shape, self.dtype = x, x.shape, x.dtype

    def __dlpack__(self, **keywords):
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        return 1, 0


def same(call, x, *arguments, **keywords):
    try:
        cpu = call(x, *arguments, **keywords)
    except onefold.Error as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            call(asarray(x), *arguments, **there(**keywords))
        return
    ours = call(asarray(x), *arguments, **there(**keywords))
    for a, b in zip(ours, cpu) if isinstance(cpu, tuple) else [(ours, cpu)]:
        b = np.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_array_equal(a.array, b)
        assert (np.signbit(a.array) == np.signbit(b)).all() or np.isnan(b).any()


@pytest.mark.parametrize("x", ARRAYS)
@pytest.mark.parametrize("axis", [-1, 1, (0, 2), None])
def test_statistics_of_order_are_answered_there(x, axis):
    for where in (None, rng.random(x.shape) < 0.5, rng.random(30) < 0.5):
        for nan in ("propagate", "omit"):
            for keepdims in (False, True):
                for call in (onefold.mode, onefold.nunique):
                    same(call, x, axis, nan=nan, where=where, keepdims=keepdims)
            for share in ("0", 0.1, "0.4999"):
                for call in (onefold.trimmed_mean, onefold.winsorized_mean):
                    same(call, x, share, axis, nan=nan, where=where)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_nan_of_either_sign_are_one_value(dtype):
    x = rng.integers(-2, 3, (40, 9)).astype(dtype)
    x[rng.random(x.shape) < .3] = np.nan
    x = np.where(np.isnan(x), np.copysign(x, rng.normal(size=x.shape)), x)
    x[0] = np.copysign(np.full(9, np.nan, dtype), -1)
    for where, nan, axis in itertools.product((None, rng.random(x.shape) < .5), ("propagate", "omit"), (None, 0, 1)):
        for call in (onefold.nunique, onefold.mode):
            same(call, x, axis, nan=nan, where=where)
        for call in (onefold.trimmed_mean, onefold.winsorized_mean):
            same(call, x, .2, axis, nan=nan, where=where)
    few = np.array([0x7fc00000, 0xffc00000, 0x3f800000], "u4").view("f4")
    assert onefold.nunique(asarray(few)).array == onefold.nunique(few) == 2
    with pytest.raises(onefold.NanError, match="nunique: a NaN was found"):
        onefold.nunique(asarray(few[1:]), nan="raise")


def test_nothing_and_nan():
    same(onefold.trimmed_mean, np.zeros((0, 5000)), 0.1, 1)
    same(onefold.mode, np.array([[3, 3, 1]], "u2"), 1)
    assert onefold.argquantile(np.ones((2, 3)), [], 1).shape == (0, 2)
    nothing = np.zeros((4, 5, 30), bool)
    same(onefold.nunique, ARRAYS[0], where=nothing)
    same(onefold.trimmed_mean, ARRAYS[0], 0.1, 1, where=nothing)
    with pytest.raises(onefold.EmptyError, match="mode: there is nothing to fold"):
        onefold.mode(asarray(ARRAYS[0]), where=asarray(nothing))
    with pytest.raises(onefold.NanError, match="mode: a NaN was found"):
        onefold.mode(asarray(ARRAYS[0]), nan="raise")


TENTHS = np.arange(12) / 10


@pytest.mark.parametrize("x", [*ARRAYS, TENTHS, np.array([-np.inf, 0, 1, np.inf, np.nan]), np.zeros(0)])
def test_bins_are_decided_there(x):
    for bins, limits in ((11, (0, 1.1)), ([0, 0.1, 0.5, 0.5, 1.1], None), (3, (-2, 7)), (1, (0.3, 0.3)), (7, (1e-300, 1e300))):
        same(onefold.histogram, x, bins, limits)
        same(onefold.histogram, x, bins, limits, weights=rng.random(x.shape))
    same(onefold.histogram, x, 5, (0, 1), density=True)
    if np.isfinite(x[~np.isnan(x)]).all():
        same(onefold.histogram, x, 6)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u8", "i4", "i1", "?"])
def test_bins_of_any_number_are_those_of_the_cpu(dtype):
    x = (rng.random(9_001) * 120).round(1).astype(dtype)
    for bins, limits in ((1, None), (2048, (0, 100)), (2049, (0.1, 90.3)), (100_000, (-1, 121)), (50, (3, 3.0001)),
                         (np.sort(rng.random(3000) * 130), None), ([300, 400], None), ([-5, -3], None)):
        same(onefold.histogram, x, bins, limits)
        same(onefold.histogram, x[1:], bins, limits, weights=np.ones(9_000))  # not aligned to 16 bytes
    if dtype == "i8":
        far = np.array([2**60 + 1, 2**60, 2**60 - 1, 2**53 + 1, -2**63])
        same(onefold.histogram, far, [2**53 + 1, 2**60, 2**60 + 1])


def test_bins_of_pairs_are_decided_there():
    x, y, w = rng.random(600), rng.normal(size=600), rng.random(600)
    for keywords in ({}, {"weights": asarray(w)}):
        ours = onefold.histogram2d(asarray(x), asarray(y), [3, 4], **keywords)
        cpu = onefold.histogram2d(x, y, [3, 4], **({"weights": w} if keywords else {}))
        for a, b in zip(ours, cpu):
            np.testing.assert_array_equal(a.array, b)


def test_what_is_wrong_is_said():
    for call, error, words in (
            (lambda x: onefold.histogram(x, "auto"), onefold.UnsupportedError, "pass a number, or edges"),
            (lambda x: onefold.histogram(x, 3, weights=np.ones(3)), onefold.OptionError, "weights= is not"),
            (lambda x: onefold.histogram(x, 3, weights=asarray(np.ones(7))), onefold.ShapeError, "do not broadcast"),
            (lambda x: onefold.histogram2d(x, np.ones(600)), onefold.OptionError, "one array is on a device"),
            (lambda x: onefold.mode(x, where=asarray(np.ones(7, bool))), onefold.ShapeError, "where= has shape"),
            (lambda x: onefold.nunique(x, where=np.ones(x.shape, bool)), onefold.OptionError, "where= is a numpy.ndarray; it must be an array on the same device"),
            (lambda x: onefold.trimmed_mean(x, 0.1, where=False), onefold.OptionError, "where= is a builtins.bool"),
            (lambda x: onefold.mode(x, where=asarray(np.ones(x.shape, int))), onefold.DTypeError, "must be bool"),
            (lambda x: onefold.mode(x, nan="x"), onefold.OptionError, "nan='x' is not one of"),
            (lambda x: onefold.mode(asarray(np.ones(3, "u8"))), onefold.UnsupportedError, "uint64 is not supported on a device"),
            (lambda x: onefold.argquantile(x, 0.5, where=asarray(np.zeros(x.shape, bool))), onefold.EmptyError, "argquantile"),
            (lambda x: onefold.argquantile(x, 0.5, 7), onefold.AxisError, "argquantile"),
            (lambda x: onefold.argquantile([np.nan], 0, nan="omit"), onefold.EmptyError, "argquantile")):
        with pytest.raises(error, match=words):
            call(asarray(ARRAYS[3]))


@pytest.mark.parametrize("x", ARRAYS)
@pytest.mark.parametrize("axis", [-1, 1, None])
def test_places_of_quantiles(x, axis):
    for nan, where in (("propagate", None), ("omit", rng.random(x.shape) < 0.8)):
        for method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation"):
            for q in (0.5, [0, 0.1, 1]):
                same(onefold.argquantile, x, q, axis, nan=nan, where=where, method=method)


def test_places_within_segments_and_by_keys():
    for x in (rng.integers(-20, 20, 997).astype("f4") / 3, rng.standard_normal(997), rng.integers(0, 9, 997)):
        keys, offsets, where = rng.integers(0, 5, 997), np.array([3, 40, 41, 900, 990]), np.arange(997) % 7 != 0
        for method in ("lower", "higher", "nearest", "inverted_cdf"):
            for some in (None, where):
                slices = [slice(a, b) for a, b in zip(offsets, offsets[1:])]
                groups = [np.flatnonzero(keys == k) for k in range(5)]
                for q in (0.5, [0, 0.3, 1]):
                    def of(rows):
                        there = {} if some is None else {"where": some[rows]}
                        return onefold.argquantile(x[rows], q, method=method, **there)
                    same(onefold.argquantile, x, q, offsets=offsets, method=method, where=some)
                    found = onefold.argquantile(x, q, offsets=offsets, method=method, where=some)
                    assert np.array_equal(found, np.stack([of(rows) for rows in slices], -1))
                    values, rows = onefold.argquantile(x, q, by=keys, method=method, where=some)
                    assert values.tolist() == [0, 1, 2, 3, 4]
                    assert np.array_equal(rows, np.stack([rows[of(rows)] for rows in groups], -1))
                    there = {} if some is None else {"where": asarray(some)}
                    of_device = onefold.argquantile(asarray(x), q, by=asarray(keys), method=method, **there)
                    assert all(np.array_equal(np.asarray(a), b) for a, b in zip(of_device, (values, rows)))
    pandas = pytest.importorskip("pandas")
    x, kept = np.array([3.0, 1, 2, 5, 4, 0]), np.array([False, True, True, True, True, True])
    for offsets in ([0, 3, 6], np.array([6, 3, 0], ">i8")[::-1], pandas.Series([0, 3, 6], index=[5, 6, 7])):
        for make in (np.array, lambda a: pytest.importorskip("jax").numpy.asarray(a)):
            for where in (kept.tolist(), kept, pandas.Series(kept)):
                assert np.asarray(onefold.argquantile(make(x), 1, offsets=offsets, where=where, nan="omit")).tolist() == [2, 0]
    mask = OfNoLibrary(kept)
    assert onefold.argquantile(x, 1, where=mask) == 3
    assert onefold.argquantile(x, 1, offsets=[0, 3, 6], where=mask).tolist() == [2, 0]
    assert onefold.argquantile(x, 1, by=[1, 1, 2, 2, 2, 1], where=mask)[1].tolist() == [1, 3]
    s, other = pandas.Series([30.0, 10, 20], index=list("abc")), pandas.Series([False, True, True], index=list("cba"))
    for keywords in ({}, {"offsets": [0, 3]}):
        with pytest.raises(onefold.ShapeError, match="where= has other labels"):
            onefold.argquantile(s, 1, where=other, **keywords)
    assert onefold.quantile(x, [], by=kept)[1].shape == (0, 2)
    with pytest.raises(onefold.DTypeError, match="by= groups one column, but x is a pandas.DataFrame; pass"):
        onefold.argquantile(pandas.DataFrame({"x": x}), 0.5, by=kept)
    with pytest.raises(onefold.OptionError, match="argquantile: q=2"):
        onefold.argquantile(x, 2)
    assert onefold.argquantile([1, 2, 3.], 1, by=["a", None, "a"], null_keys="drop")[1].tolist() == [2]
    assert onefold.argquantile([1, 2, 3.], 1, by=[1, 1, 1], where=[True, True, False])[1].tolist() == [1]
    for keywords, words in (({"offsets": [0, 0, 3]}, "nothing to fold"), ({"by": [1, 2]}, "there are 2 keys, but x has shape"),
                            ({"offsets": [0, 3], "axis": 0}, "axis= cannot be combined with offsets="),
                            ({"by": [1, 1, 1], "offsets": [0, 3]}, "offsets= cannot be combined with by="),
                            ({"null_keys": "drop"}, "null_keys= applies to keys, but by= was not given")):
        with pytest.raises(onefold.Error, match=f"argquantile.*{words}"):
            onefold.argquantile([1, 2, 3.], 0.5, **keywords)

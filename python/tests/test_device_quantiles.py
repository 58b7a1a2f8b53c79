"""Quantiles of some elements on the simulated driver's device: under masks, of segments, by keys."""

import functools
import operator
import sys

import numpy as np
import pytest
from test_device import asarray, cupy, ndarray, stream  # noqa: F401

import onefold

LEVELS = [0, 0.1, 0.5, 1]


@pytest.fixture(autouse=True)
def more_of_cupy(cupy, monkeypatch):  # noqa: F811
    monkeypatch.setattr(ndarray, "reshape", lambda a, shape: asarray(a.array.reshape(shape)))  # copies stay there
    for name in ("eq", "and", "mul", "add", "floordiv", "mod"):
        monkeypatch.setattr(ndarray, f"__{name}__", functools.partialmethod(operated, getattr(operator, name + "_" * (name == "and"))),
                            raising=False)
    module = sys.modules["cupy"]
    module.transpose = lambda a, axes: ndarray(a.array.transpose(axes))
    module.ascontiguousarray = lambda a: asarray(np.ascontiguousarray(a.array))
    module.argsort = lambda a, kind: asarray(np.argsort(a.array, kind=kind))
    module.searchsorted = lambda a, v: asarray(np.searchsorted(a.array, v.array))
    module.arange = lambda n: asarray(np.arange(n))


def operated(a, operation, b):
    return asarray(operation(a.array, b.array if isinstance(b, ndarray) else b))


def there(**keywords):
    return {name: asarray(v) if isinstance(v, np.ndarray) else v for name, v in keywords.items()}


def same(x, q=LEVELS, **keywords):
    ours, cpu = onefold.quantile(asarray(x), q, **there(**keywords)), onefold.quantile(x, q, **keywords)
    if "by" in keywords:
        np.testing.assert_array_equal(ours[0].tolist(), cpu[0].tolist())
        ours, cpu = ours[1], cpu[1]
    assert ours.dtype == cpu.dtype and ours.shape == cpu.shape
    np.testing.assert_array_equal(ours.array, cpu)


rng = np.random.default_rng(3)
x = rng.normal(size=(4, 5, 30)).astype("f4")
x[0, 1, 7] = np.nan
MASKS = [rng.random(x.shape) < 0.5, np.zeros(x.shape, bool), np.ones(x.shape, bool), rng.random(30) < 0.5,
         rng.random((4, 1, 1)) < 0.5]


@pytest.mark.parametrize("where", MASKS)
@pytest.mark.parametrize("axis", [-1, 1, (0, 2), (0, 1), None])
def test_masked_elements_are_left_out(where, axis):
    for nan in ("propagate", "omit"):
        same(x, where=where, axis=axis, nan=nan)
    same(x, 0.5, where=where, axis=axis, keepdims=True)


def test_segments_are_answered_there():
    offsets = np.array([1, 4, 4, 5, 90, 600])
    for where in (None, rng.random(600) < 0.3):
        for nan in ("propagate", "omit"):
            same(x.reshape(-1), offsets=offsets, where=where, nan=nan)
            same(x.reshape(-1), 0.5, offsets=offsets.astype("i4"), where=where, nan=nan)
    same(x.reshape(200, 3), offsets=np.array([0, 50, 200]))
    same(x.reshape(-1), offsets=np.array([0]))


def test_groups_are_answered_there():
    flat = x.reshape(-1)
    for keys in (rng.integers(-2, 3, 600), rng.random(600) < 0.5, rng.integers(0, 3, 600).astype("f4")):
        for where in (None, rng.random(600) < 0.3):
            same(flat, by=keys, where=where, nan="omit")
            same(flat, 0.5, by=keys, where=where)


def test_groups_of_nan_are_left_out_or_kept_there():
    flat = x.reshape(-1)
    for keys in (np.where(rng.random(600) < 0.2, np.nan, rng.integers(0, 3, 600)), np.full(600, np.nan), np.arange(600.0)):
        for null_keys in ("drop", "keep"):
            for where in (None, rng.random(600) < 0.3):
                same(flat, by=keys, where=where, null_keys=null_keys, nan="omit")
                same(flat, 0.5, by=keys, where=where, null_keys=null_keys)
    with pytest.raises(onefold.OptionError, match="null_keys='x' is not one of"):
        onefold.median(asarray(flat), by=asarray(keys), null_keys="x")


@pytest.mark.parametrize("keywords, error, words", [
    ({"where": np.ones(7, bool), "axis": 1}, onefold.ShapeError, r"median: the shape \(7,\) of the mask"),
    ({"where": np.ones(7, bool), "axis": (0, 1)}, onefold.ShapeError, r"median: where= has shape \(7,\)"),
    ({"where": np.ones(x.shape)}, onefold.DTypeError, "must be bool"),
    ({"offsets": np.array([0, 3, 2])}, onefold.OptionError, "median: the offsets of segment 1 decrease"),
    ({"offsets": np.array([0, 9])}, onefold.OptionError, "the offsets of segment 0 decrease, or lie outside"),
    ({"offsets": np.array([0.5])}, onefold.DTypeError, "offsets are f64"),
    ({"offsets": np.array(3)}, onefold.ShapeError, "offsets have shape"),
    ({"offsets": np.array([0, 2]), "weights": np.ones(7)}, onefold.ShapeError, "weights"),
    ({"axis": 1, "weights": np.ones(7)}, onefold.ShapeError, r"weights have shape \(7,\)"),
    ({"axis": None, "weights": np.ones((4, 5, 2))}, onefold.ShapeError, r"weights= has shape \(4, 5, 2\)"),
    ({"axis": 1, "weights": -np.ones(x.shape)}, onefold.OptionError, "a weight is negative or not finite"),
    ({"axis": 1, "fweights": np.ones(x.shape)}, onefold.OptionError, "fweights are of type f64"),
    ({"axis": 1, "weights": np.ones(x.shape), "fweights": np.ones(x.shape, int)}, onefold.OptionError, "leave one of them out"),
    ({"offsets": np.array([0, 2]), "axis": 1}, onefold.OptionError, "axis= is not available"),
    ({"by": np.ones(4)}, onefold.ShapeError, r"median: by= has shape \(4,\)")])
def test_what_is_wrong_is_said(keywords, error, words):
    with pytest.raises(error, match=words):
        onefold.median(asarray(x), **there(**keywords))


WEIGHTS = [rng.random(x.shape).astype("f4"), rng.integers(0, 3, x.shape), rng.random((4, 5, 1)), np.exp(rng.normal(0, 99, (2, 5, 6)))]


@pytest.mark.parametrize("method", ["inverted_cdf", "averaged_inverted_cdf"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_weighted_quantiles_are_answered_there(weights, method):
    part = np.s_[:2, :, 3:9] if weights.shape == (2, 5, 6) else ...  # few, since sums of far apart weights take steps of 53 bits
    some, there_too = x[part].copy(), MASKS[0][part].copy()
    for axis in (-1, 1, (0, 2), None):
        for nan, where in (("propagate", None), ("omit", there_too)):
            same(some, axis=axis, nan=nan, where=where, weights=weights, method=method)
    ours = onefold.median(asarray(some), 1, weights=asarray(rng.permutation(weights)), keepdims=True)
    assert ours.shape == (len(some), 1, some.shape[2])


def test_elements_are_repeated_there():
    for method in ("linear", "hazen", "closest_observation"):
        same(x, axis=(0, 2), fweights=WEIGHTS[1], method=method, nan="omit")
        same(x, axis=1, fweights=np.array([1, 2, 0, 9, 1], "u1"), method=method)


def test_weighted_segments_and_groups_are_answered_there():
    flat, weights = x.reshape(-1), rng.random(600).round(2)
    keys = [rng.integers(0, 3, 600), rng.random(600) < 0.5, np.where(rng.random(600) < 0.1, np.nan, rng.integers(0, 2, 600))]
    for some in ({"weights": weights, "method": "inverted_cdf"}, {"fweights": (9 * weights).astype("i4")}, {}):
        same(flat, offsets=np.array([1, 4, 4, 5, 90, 600]), nan="omit", **some)
        some_rows = {n: v[:20] if isinstance(v, np.ndarray) else v for n, v in some.items()}
        same(flat.reshape(20, 30)[:, :20].copy(), offsets=np.array([0, 7, 20]), nan="omit", **some_rows)
        same(flat, by=keys[0], nan="omit", where=rng.random(600) < 0.5, **some)


def test_several_keys_are_numbered_there():
    flat, clean = x.reshape(-1), rng.normal(size=600)
    keys = {"a": rng.integers(0, 3, 600), "b": rng.random(600) < 0.5,
            "c": np.where(rng.random(600) < 0.1, np.nan, rng.integers(0, 2, 600))}
    moved = {name: asarray(k) for name, k in keys.items()}
    for null_keys in ("drop", "keep"):
        (ours, found), (names, cpu) = (onefold.quantile(a, LEVELS, by=k, nan="omit", null_keys=null_keys)
                                       for a, k in ((asarray(flat), moved), (flat, keys)))
        assert list(ours) == list(names)
        for name in ours:
            np.testing.assert_array_equal(ours[name].array, names[name])
        np.testing.assert_array_equal(found.array, cpu)
    (ours, sums), (names, cpu) = (onefold.fold_by("sum", [k["a"], k["b"]], a) for k, a in ((moved, asarray(clean)), (keys, clean)))
    np.testing.assert_array_equal(sums.sum.array, cpu.sum)
    for a, b in zip(ours, names):
        np.testing.assert_array_equal(a.array, b)
    with pytest.raises(onefold.OptionError, match="some keys are NaN"):
        onefold.median(asarray(flat), by=moved)
    with pytest.raises(onefold.ShapeError, match="by= has shape"):
        onefold.median(asarray(flat), by=[moved["a"], asarray(np.ones(3))])
    with pytest.raises(onefold.OptionError, match="on a device"):
        onefold.fold_by("sum", [moved["a"], keys["b"]], asarray(flat))


def test_arrays_of_two_places_are_refused():
    for keywords in ({"where": np.ones(x.shape, bool)}, {"offsets": np.array([0, 2])}, {"by": np.ones(4)}):
        with pytest.raises(onefold.OptionError):
            onefold.median(asarray(x), **keywords)
    with pytest.raises(onefold.OptionError):
        onefold.median(x.reshape(-1), by=asarray(np.ones(600)))


def test_a_graph_waits_for_no_status(monkeypatch):
    monkeypatch.setattr(stream, "is_capturing", lambda: True)
    answer = onefold.median(asarray(x.reshape(-1)), offsets=asarray(np.array([0, 5, 2])))
    assert not np.isnan(answer.array[0]) and np.isnan(answer.array[1])

"""States of many slices: what gather() makes of an array along axes."""

import copy
import pickle

import numpy as np
import pytest

import onefold


X = np.random.default_rng(7).normal(size=(40, 6, 5)) * 10.0 ** np.arange(5)


def test_states_are_those_of_each_slice():
    states = onefold.gather("mean,var,argmin", X, axis=(0, 2))
    assert states.shape == (6,) and len(states) == 6 and states.dtype == "f64"
    for i in range(6):
        assert states[i] == onefold.gather("mean,var,argmin", X[:, i])
    assert states[-1] == states[5]
    with pytest.raises(IndexError):
        states[6]
    np.testing.assert_array_equal(states.answer("var", ddof=1), onefold.var(X, (0, 2), ddof=1))
    np.testing.assert_array_equal(states.mean, onefold.mean(X, (0, 2)))
    np.testing.assert_array_equal(states.argmin, onefold.argmin(X, (0, 2)))
    assert onefold.gather("sum", X, axis=1, keepdims=True).shape == (40, 1, 5)


def test_parts_merge_in_any_order_to_the_whole():
    whole = onefold.gather("mean,var,argmax", X, axis=0)
    parts = [onefold.gather("mean,var,argmax", X[a:b], axis=0, first=a)
             for a, b in [(30, 40), (0, 7), (7, 30)]]
    merged = onefold.States()
    for part in parts:
        merged |= part
    assert merged == whole and bytes(merged) == bytes(whole)
    assert parts[2] | parts[1] | parts[0] == whole
    with pytest.raises(onefold.StateError):
        merged |= parts[0]
    assert merged == whole
    with pytest.raises(onefold.ShapeError):
        merged |= onefold.gather("mean,var,argmax", X[:, :2], axis=0, first=40)


def test_they_are_small_saved_and_copied():
    states = onefold.gather("mean,var", np.random.default_rng(1).normal(size=(500, 1000)), axis=0)
    assert states.nbytes <= 120 * 1000 and len(bytes(states)) <= 120 * 1000 + 500
    for again in [pickle.loads(pickle.dumps(states)), onefold.States.load(states.save()),
                  copy.copy(states), copy.deepcopy(states)]:
        assert again == states
    damaged = bytearray(bytes(states))
    damaged[500] ^= 1
    with pytest.raises(onefold.StateError):
        onefold.States.load(bytes(damaged))
    with pytest.raises(onefold.StateError):
        onefold.States.load(b"")


def test_masks_nan_and_pairs():
    x, y = X[..., 0].copy(), X[..., 1]
    x[3, 2] = np.nan
    where = x > 0
    for nan in ["propagate", "omit"]:
        np.testing.assert_array_equal(
            onefold.gather("mean", x, axis=0, nan=nan).mean, onefold.mean(x, 0, nan=nan))
    np.testing.assert_array_equal(
        onefold.gather("mean", x, axis=0, where=where).mean, onefold.mean(x, 0, where=where))
    np.testing.assert_array_equal(
        onefold.gather("corr", y, y[::-1], axis=0).corr, onefold.corr(y, y[::-1], 0))
    omitted = np.full((3, 2), np.nan)
    assert np.isnan(onefold.gather("min", omitted, axis=0, nan="omit").min).all() == \
        np.isnan(onefold.min(omitted, 0, nan="omit")).all()
    for nothing in [np.zeros((2, 0)), np.zeros((2, 0), "i4")]:
        with pytest.raises(onefold.EmptyError):
            onefold.gather("max", nothing, axis=1, nan="omit").max
    with pytest.raises(onefold.OptionError):  # within a row
        onefold.gather("argmin", X, axis=(0, 1), first=3)
    with pytest.raises(onefold.AxisError):
        onefold.gather("sum", X, axis=3)

"""States of many slices: gather() of an array along axes."""

import copy
import pickle
import struct
import threading
import zlib

import array
import ctypes

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
    with pytest.raises(onefold.OptionError):  # the offset is within a row
        onefold.gather("argmin", X, axis=(0, 1), first=3)
    with pytest.raises(onefold.AxisError):
        onefold.gather("sum", X, axis=3)


@pytest.mark.parametrize("nan", ["propagate", "omit"])
@pytest.mark.parametrize("op", ["min", "max", "ptp", "mean", "var", "sum", "norminf", "argmin"])
def test_slices_of_nan_alone_are_what_a_fold_makes_of_them(op, nan):
    x = np.full((3, 2), np.nan)
    calls = [lambda: getattr(onefold, op)(x[0], nan=nan),
             lambda: onefold.gather(op, x[0], nan=nan).answer(op),
             lambda: getattr(onefold.gather(op, x[0], nan=nan), op),
             lambda: getattr(onefold.gather(op, x[:1], nan=nan) | onefold.gather(op, x[2:], nan=nan),
                             op) if op != "argmin" else getattr(onefold, op)(x, nan=nan),
             lambda: onefold.gather(op, x, axis=1, nan=nan)[1].answer(op),
             lambda: onefold.gather(op, x, axis=1, nan=nan).answer(op)[1],
             lambda: getattr(onefold, op)(x, 1, nan=nan)[1]]
    got = []
    for call in calls:
        try:
            got.append(float(call()))
        except onefold.EmptyError:
            got.append("empty")
    assert len({repr(value) for value in got}) == 1, got
    with pytest.raises(onefold.EmptyError):  # an array without elements has no least element
        onefold.gather("min", x[:0], nan=nan).min


def test_every_changed_byte_of_saved_states_is_found():
    x = np.arange(12.0).reshape(4, 3)
    good = bytes(onefold.gather("mean,argmax", x, axis=0))
    text = pickle.dumps(onefold.gather("mean,argmax", x, axis=0))
    for i in range(len(good)):
        bad = bytearray(good)
        bad[i] ^= 1 << i % 8
        with pytest.raises(onefold.StateError):
            onefold.States.load(bytes(bad))
        with pytest.raises(onefold.StateError):
            onefold.States.load(good[:i])
        with pytest.raises(onefold.StateError):
            pickle.loads(text.replace(good, bytes(bad)))
    for wrong in [good + b"\0", b"\0" * 4096, bytes(onefold.gather("mean", x))]:
        with pytest.raises(onefold.StateError):
            onefold.States.load(wrong)
    for wrong in [None, 3, "text", [good]]:
        with pytest.raises(TypeError):
            onefold.state.load_states(wrong)


def share_of(state, elements, name):
    """The state of a share with these elements, as `onefold gather --share` writes it."""
    body = bytearray(state.save()[:-4])
    body[7] = 3
    body[8:8] = struct.pack("<3Q", elements, 0, name)
    return onefold.State.load(bytes(body) + struct.pack("<I", zlib.crc32(body)))


def test_shares_of_different_files_do_not_merge():
    state = onefold.gather("sum", np.arange(5.0))
    mine, other = share_of(state, 10, 1), share_of(state, 20, 2)
    assert (mine | mine).answer("sum") == 20
    assert pickle.loads(pickle.dumps(mine)) == mine != state
    with pytest.raises(onefold.Error, match="different files .one of 10 elements, the other of 20 elements"):
        mine |= other


def test_states_are_shared_by_threads():
    parts = [onefold.gather("mean,var", X[k:k + 1], axis=0) for k in range(40)]
    one = [onefold.gather("mean,var", X[k:k + 1]) for k in range(40)]
    total, single, wrong = onefold.States(), onefold.State(), []

    def work(k):
        total.merge(parts[k])
        single.merge(one[k])
        for _ in range(20):  # while others merge, a reader sees all of a merge or nothing of it
            if total.shape != (6, 5) or onefold.States.load(bytes(total)).shape != (6, 5):
                wrong.append(k)
            if not 30 <= len(single | one[0]) <= 41 * 30 or np.isnan(single.mean):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(40)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []
    assert total == onefold.gather("mean,var", X, axis=0)
    assert single == onefold.gather("mean,var", X)
    total |= total
    assert total.shape == (6, 5)


def test_parts_of_any_kind_say_how_long_they_are():
    pa = pytest.importorskip("pyarrow")

    class Tensor:  # offers only DLPack
        def __init__(self, values):
            self.values = np.asarray(values, "f8")

        def __dlpack__(self, **_):
            return self.values.__dlpack__()

        def __dlpack_device__(self):
            return self.values.__dlpack_device__()

    kinds = [lambda v: pa.array(v, pa.float64()), lambda v: pa.chunked_array([v], pa.float64()), Tensor,
             np.asarray, lambda v: array.array("d", v), lambda v: memoryview(array.array("d", v)), list,
             lambda v: (ctypes.c_double * len(v))(*v), lambda v: np.ma.masked_array(v, dtype="f8")]
    for kind in kinds:
        for cut in (0, 1, 3):
            values = [5.0, 9.0, 1.0, 7.0]
            parts = [kind(values[:cut]), kind(values[cut:])]
            if kind is list and cut == 0:
                parts[0] = np.array([])
            assert onefold.gather_parts("argmin", parts).answer("argmin") == 2, (kind, cut)
    assert onefold.gather_parts("argmin", [bytearray(b""), bytearray(b"\5\1")]).answer("argmin") == 1
    x = np.arange(12.0).reshape(4, 3)
    whole = onefold.gather("mean,argmax", x, axis=0)
    for axis in (0, np.int64(0), -2, (0,), [np.int32(-2)]):
        assert onefold.gather_parts("mean,argmax", [x[:1], x[1:].tolist()], axis=axis) == whole
    for axis in (2, "0", 0.0, (0, 0)):
        with pytest.raises((onefold.AxisError, TypeError)):
            onefold.gather_parts("sum", [x], axis=axis)
    with pytest.raises(onefold.Error, match="part 1: "):
        onefold.gather_parts("sum", [x, x.astype("f4")])
    with pytest.raises(onefold.Error, match="part 1: "):
        onefold.gather_parts("sum", [x, "nowhere.npy"])


def test_parts_are_one_array():
    x = np.random.default_rng(3).standard_normal(1000)
    parts = [x[:100], x[100:100], x[100:700].reshape(2, 300).tolist(), x[700:].reshape(3, 100)]
    assert onefold.gather_parts("mean,argmin", parts) == onefold.gather("mean,argmin", x)
    grid = x.reshape(20, 10, 5)
    for axis in (0, (0, 2), (-3, 1)):
        rows = [grid[:7], grid[7:7], grid[7:]]
        assert (onefold.gather_parts("mean,argmin", rows, axis=axis)
                == onefold.gather("mean,argmin", grid, axis=axis))
    with pytest.raises(onefold.OptionError, match="does not include axis 0, along which the parts are joined"):
        onefold.gather_parts("sum", [grid], axis=1)
    with pytest.raises(onefold.OptionError, match="parts is empty"):
        onefold.gather_parts("sum", [])
    with pytest.raises(onefold.Error):
        onefold.gather_parts("sum", [x, "nowhere.npy"])


@pytest.mark.parametrize("op", ["count", "count_nan", "count_nonzero", "any", "norm1", "norm2"])
def test_what_has_no_sign_is_removed_whatever_zeros_remain(op):
    x = np.array([0.0, -0.0, 5.0])
    state = onefold.gather(op, x)
    state.remove(onefold.gather(op, x[2:]))
    assert state.answer(op) == onefold.fold(op, x[:2])[0]
    with pytest.raises(onefold.StateError, match="the sign of this 0"):
        onefold.gather("sum", x).remove(onefold.gather("sum", x[2:]))

"""Folds on a device that the simulated driver has, of arrays that stand in for CuPy's.

Answers, shapes, types and errors are those of the same calls on the CPU.
"""

import contextlib
import ctypes
import os
import sys
import types

import numpy as np
import pytest

folder = os.environ.get("ONEFOLD_SIMULATED_DRIVER")
if not folder:
    pytest.skip("ONEFOLD_SIMULATED_DRIVER names no driver", allow_module_level=True)
driver = ctypes.CDLL(os.path.join(folder, "libcuda.so.1"))
os.environ["ONEFOLD_NVRTC"] = os.path.join(folder, "libnvrtc.so.13")

import onefold  # noqa: E402

context = ctypes.c_void_p()
assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert driver.cuCtxSetCurrent(context) == 0


class Device(contextlib.nullcontext):
    id = 0

    def __eq__(self, other):
        return isinstance(other, Device)


class ndarray:
    """What Onefold asks of a cupy.ndarray, over a NumPy array in memory of the device."""

    device = Device()

    def __init__(self, array):
        self.array = array
        self.data = types.SimpleNamespace(ptr=array.ctypes.data)
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "version": 3,
                                         "data": (array.ctypes.data, False), "strides": array.strides}

    shape, strides, dtype, flags, ndim = (
        property(lambda self, name=name: getattr(self.array, name))
        for name in ("shape", "strides", "dtype", "flags", "ndim"))

    def __getitem__(self, key):
        return ndarray(self.array[key])

    def __setitem__(self, key, value):
        key, value = (v.array if isinstance(v, ndarray) else v for v in (key, value))
        self.array[key] = value

    def __eq__(self, other):
        return ndarray(np.asarray(self.array == other))

    def __ne__(self, other):
        return ndarray(np.asarray(self.array != other))

    def __mul__(self, other):
        return ndarray(self.array * other.array)

    def __int__(self):
        return int(self.array)

    def max(self):
        return self.array.max()


ndarray.__module__ = "cupy"


def empty(shape, dtype):
    dtype = np.dtype(dtype)
    address = ctypes.c_uint64()
    count = int(np.prod(shape, dtype="i8"))
    assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(max(count, 1) * dtype.itemsize)) == 0
    memory = (ctypes.c_byte * (max(count, 1) * dtype.itemsize)).from_address(address.value)
    return ndarray(np.frombuffer(memory, dtype, count).reshape(shape))


def asarray(value, dtype=None):
    value = np.asarray(value, dtype)
    made = empty(value.shape, value.dtype)
    made.array[...] = value
    return made


stream = types.SimpleNamespace(ptr=0, is_capturing=lambda: False)


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(
        ndarray=ndarray, empty=empty, asarray=asarray,
        cuda=types.SimpleNamespace(get_current_stream=lambda: stream)))


def same(ops, x, **keywords):
    """Folds x on the device and on the CPU: the answers are alike, or the errors, which are given back."""
    there = {k: asarray(v) if isinstance(v, np.ndarray) else v for k, v in keywords.items()}
    try:
        cpu = onefold.fold(ops, x, **keywords)
    except onefold.Error as e:
        with pytest.raises(type(e)) as found:
            onefold.fold(ops, asarray(x), **there)
        return found.value
    for ours, theirs in zip(onefold.fold(ops, asarray(x), **there), cpu):
        assert ours.dtype == np.asarray(theirs).dtype and ours.shape == np.shape(theirs)
        np.testing.assert_array_equal(ours.array, theirs)


# Requests whose kernels the simulated driver has.
x = np.random.default_rng(1).normal(0, 30, (6, 5, 4))
some = np.random.default_rng(2).random(x.shape) < 0.6
requests = [("sum", "f8"), ("sum,mean,max", "f4"), ("sum,min,count", "i8")]


@pytest.mark.parametrize("ops, dtype", requests)
@pytest.mark.parametrize("keepdims", [False, True])
def test_shapes_and_types_are_those_of_the_cpu(ops, dtype, keepdims):
    for axis in (0, -1, (0, 2), [1]):
        same(ops, x.astype(dtype), axis=axis, keepdims=keepdims)
        same(ops, x.astype(dtype), axis=axis, keepdims=keepdims, where=some)
    same("sum", x)
    same("sum", x[2, 3])


@pytest.mark.parametrize("axis", [3, (0, 0), (0, -3), "1", 1.5])
def test_wrong_axes_are_told_in_the_words_of_the_cpu(axis):
    error = same("sum", x, axis=axis)
    with pytest.raises(onefold.Error) as cpu:
        onefold.fold("sum", x, axis=axis)
    assert str(error) == str(cpu.value)


def test_what_may_fail_is_looked_at():
    big = np.full((3, 2), 2**62)
    ints, floats = "sum,min,count", "sum,mean,max"
    assert isinstance(same(ints, big, axis=0), onefold.OverflowError)
    for ops, axis, array in ((ints, 1, big[:, :0]), (floats, 1, x.astype("f4")[:, :0])):
        assert isinstance(same(ops, array, axis=axis), onefold.EmptyError)
    nan = x.astype("f4")
    nan[0, 0] = np.nan
    assert isinstance(same(floats, nan, axis=2, nan="raise"), onefold.NanError)
    for policy in ("omit", "propagate"):
        same(floats, nan, axis=2, nan=policy)
    same(floats, x.astype("f4"), axis=2, nan="raise")
    assert isinstance(same(ints, x.astype("i8"), axis=1, where=np.zeros_like(some)), onefold.EmptyError)
    same("sum", x[:0], axis=0)
    same("sum", x[:0])


def test_statuses_are_given_to_those_who_defer():
    value, status = onefold.sum(asarray(x), axis=0, errors="defer")
    assert not status.array.any() and value.shape == (5, 4)


def test_two_arrays():
    f = x.astype("f4")
    for axis in (0, (0, 2)):
        np.testing.assert_array_equal(onefold.dot(asarray(f), asarray(f), axis=axis).array,
                                      onefold.dot(f, f, axis=axis))
    with pytest.raises(onefold.ShapeError):
        onefold.dot(asarray(f), asarray(f[0]))


def test_groups_of_labels():
    keys, f = np.arange(20) % 3, x[0].ravel().astype("f4")
    ours = onefold.fold_by("sum,mean,count", asarray(keys), asarray(f), groups=3)
    for a, b in zip(ours, onefold.fold_by("sum,mean,count", keys, f, groups=3)):
        np.testing.assert_array_equal(a.array, b)

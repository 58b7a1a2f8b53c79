"""Folds on the simulated driver's device, of arrays that imitate CuPy's.

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
    """The members of cupy.ndarray that Onefold uses, for a NumPy array in memory of the device."""

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
        return asarray(self.array[key.array]) if isinstance(key, ndarray) else ndarray(self.array[key])

    def __setitem__(self, key, value):
        key, value = (v.array if isinstance(v, ndarray) else v for v in (key, value))
        self.array[key] = value

    def __eq__(self, other):
        return ndarray(np.asarray(self.array == other))

    def __ne__(self, other):
        return ndarray(np.asarray(self.array != (other.array if isinstance(other, ndarray) else other)))

    def __mul__(self, other):
        return ndarray(self.array * other.array)

    def __add__(self, other):
        return asarray(self.array + other)

    def __bool__(self):
        return bool(self.array)

    def any(self):
        return ndarray(np.asarray(self.array.any()))

    def __int__(self):
        return int(self.array)

    def __len__(self):
        return len(self.array)

    def astype(self, dtype):
        return asarray(self.array, dtype)

    def transpose(self, axes):
        return ndarray(self.array.transpose(axes))

    def reshape(self, shape):
        return ndarray(self.array.reshape(shape))

    def tolist(self):
        return self.array.tolist()

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
        moveaxis=lambda a, *to: ndarray(np.moveaxis(a.array, *to)),
        broadcast_arrays=lambda *all: [ndarray(a) for a in np.broadcast_arrays(*(a.array for a in all))],
        stack=lambda all, axis: asarray(np.stack([a.array for a in all], axis)),
        cuda=types.SimpleNamespace(get_current_stream=lambda: stream)))


def same(ops, x, **keywords):
    """Folds x on the device and on the CPU. Both must give equal answers or equal errors, which
    returned."""
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


def test_products_along_an_axis_of_arrays_that_broadcast():
    f = x
    for a, b, axis in ((f, f, -1), (f, f[:, :1], 0), (f[:, :1], f, -3), (f, f[0, 0], -1)):
        ours, cpu = onefold.vecdot(asarray(a), asarray(b), axis=axis), onefold.vecdot(a, b, axis=axis)
        assert ours.dtype == cpu.dtype and ours.shape == cpu.shape
        np.testing.assert_array_equal(ours.array, cpu)
    wide = onefold.vecdot(asarray(f.astype("f4")), asarray(f), axis=0)  # in the wider of both types
    np.testing.assert_array_equal(wide.array, onefold.vecdot(f.astype("f4"), f, axis=0))
    for wrong in ((f, f[:, :3], -1), (f, f.astype("i4"), -1), (f, f, 3), (f, f[0, 0, 0], -1), (f, f[:, :, :2], -1)):
        with pytest.raises(onefold.Error) as cpu:
            onefold.vecdot(*wrong[:2], axis=wrong[2])
        with pytest.raises(type(cpu.value)) as ours:
            onefold.vecdot(*map(asarray, wrong[:2]), axis=wrong[2])
        assert str(ours.value) == str(cpu.value)
    with pytest.raises(onefold.OptionError, match="the other is not"):
        onefold.vecdot(asarray(f), f)


def test_weights_stand_beside_the_elements_or_along_axes():
    w = np.abs(x) + 0.5
    cases = [(x, w, None), (x, w, (0, 2)), (x, w[:1], 0), (x, w[:, 0, 0], 0), (x, w[0, :, 0], (1,)),
             (x, w[:, 0].T, (2, 0)), (x.astype("f4"), w, 1), (x.astype("i4"), w, 1), (x, w.astype("i4"), 1)]
    for a, b, axis in cases:
        ours = onefold.average(asarray(a), axis=axis, weights=asarray(b))
        cpu = onefold.average(a, axis=axis, weights=b)
        assert ours.dtype == cpu.dtype and ours.shape == np.shape(cpu)
        np.testing.assert_array_equal(ours.array, cpu)
    for b, axis, why in ((asarray(w[0, 0, :3]), 2, "shape"), (w, None, "it must be an array on the same device"),
                         (asarray(x.astype("i8")), None, "no common type holds")):
        with pytest.raises(onefold.Error, match=why):
            onefold.average(asarray(x), axis=axis, weights=b)


def test_segments():
    f, ops = x.astype("f4").ravel(), "sum,mean,max"
    for offsets in ([0, 7, 8, 20], [3], [0, 30]):
        offsets = np.array(offsets)
        for request, array in ((ops, f), ("sum", x.ravel()), ("sum", x.reshape(-1, 4))):
            ours = onefold.fold_segments(request, asarray(array), asarray(offsets))
            for a, b in zip(ours, onefold.fold_segments(request, array, offsets)):
                assert a.dtype == b.dtype and a.shape == b.shape
                np.testing.assert_array_equal(a.array, b)
    wrong = asarray(np.array([0, 9, 4]))
    value, status = onefold.fold_segments(ops, asarray(f), wrong, errors="defer").sum
    assert value.shape == (2,) and status.array.tolist() == [0, 4]
    with pytest.raises(onefold.OptionError, match="offsets of segment 1 decrease, or lie outside the first axis, which has 120"):
        onefold.fold_segments(ops, asarray(f), wrong)
    empty = np.array([0, 0, 120])
    for array, offsets in ((f, empty), (asarray(f), asarray(empty))):
        with pytest.raises(onefold.EmptyError):
            onefold.fold_segments(ops, array, offsets)
    with pytest.raises(onefold.OptionError, match="it must be an array on the same device"):
        onefold.fold_segments("sum", asarray(f), [0, 3])


def test_groups_of_labels():
    keys, f = np.arange(20) % 3, x[0].ravel().astype("f4")
    ours = onefold.fold_by("sum,mean,count", asarray(keys), asarray(f), groups=3)
    for a, b in zip(ours, onefold.fold_by("sum,mean,count", keys, f, groups=3)):
        np.testing.assert_array_equal(a.array, b)
    strange = np.array([70, -3, 5])[keys]
    ours, cpu = (onefold.fold_by("sum,mean,count", *a) for a in ((asarray(strange), asarray(f)), (strange, f)))
    for a, b in zip([ours[0], *ours[1]], [cpu[0], *cpu[1]]):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.array, b)
    with pytest.raises(onefold.OptionError, match="did you swap keys and values"):
        onefold.fold_by("sum", asarray(f), asarray(f))


def test_keys_of_floats_and_several_columns_on_a_device():
    keys, f = np.array([0.5, -0.0, 0.0, -7.25])[np.arange(20) % 4], x[0].ravel().astype("f4")
    columns = np.stack([f, f[::-1]], axis=1)
    for values, there in ((f, asarray(f)), (columns, asarray(columns))):
        names, ours = onefold.fold_by("sum,mean,count", keys=asarray(keys), x=there)
        cpu = onefold.fold_by("sum,mean,count", keys=keys, x=values)
        for a, b in zip([names, *ours], [cpu[0], *cpu[1]]):
            np.testing.assert_array_equal(a.array, b)
    names, ours = onefold.fold_by("sum,mean,count", keys=asarray(keys), x={"a": asarray(f), "b": asarray(f * 2)})
    assert list(ours) == ["a", "b"]
    np.testing.assert_array_equal(ours["b"].sum.array, onefold.fold_by("sum", keys=keys, x=f * 2)[1].sum)
    keys[[3, 9]] = np.nan
    with pytest.raises(onefold.OptionError, match="some keys are NaN"):
        onefold.fold_by("sum,mean,count", keys=asarray(keys), x=asarray(f))
    for null_keys in ("keep", "drop"):
        names, ours = onefold.fold_by("sum,mean,count", keys=asarray(keys), x=asarray(f), null_keys=null_keys)
        cpu = onefold.fold_by("sum,mean,count", keys=keys, x=f, null_keys=null_keys)
        for a, b in zip([names, *ours], [cpu[0], *cpu[1]]):
            np.testing.assert_array_equal(a.array, b)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
def test_keys_of_every_type_are_numbered_in_their_order(dtype):
    keys = np.random.default_rng(1).integers(-3, 4, 20).astype("i8").astype(dtype)
    f = x[0].ravel().astype("f4")
    names, ours = onefold.fold_by("sum,mean,count", keys=asarray(keys), x=asarray(f))
    cpu = onefold.fold_by("sum,mean,count", keys=keys, x=f)
    for a, b in zip([names, *ours], [cpu[0], *cpu[1]]):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.array, b)
    with pytest.raises(onefold.ShapeError, match="shape"):
        onefold.fold_by("sum,mean,count", keys=asarray(keys.reshape(4, 5)), x=asarray(f))


def test_segments_of_two_arrays():
    f, offsets = x.astype("f4"), np.array([0, 1, 1, len(x)])
    other = (f * 3)[::-1]
    for a, b in ((f, other), (f[:, 0, 0], other[:, 0, 0])):
        ours = onefold.fold_segments("mse", asarray(a), asarray(offsets), y=asarray(b)).mse
        np.testing.assert_array_equal(ours.array, onefold.fold_segments("mse", a, offsets, y=b).mse)
    line, weights = x[:, 0, 0], np.arange(1.0, len(x) + 1)
    ours = onefold.fold_segments("average", asarray(line), asarray(offsets), weights=asarray(weights)).average
    np.testing.assert_array_equal(ours.array, onefold.fold_segments("average", line, offsets, weights=weights).average)


class there:
    """An array of an unknown library: Onefold knows only its address."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape
        self.__cuda_array_interface__ = asarray(array).__cuda_array_interface__


def test_answers_to_what_cannot_be_written_are_waited_for():
    f, keys = x.astype("f4"), np.arange(120) % 3
    for ops, array, keywords in (("sum", x, {}), ("sum,mean,max", f, {"axis": 0}),
                                 ("sum,mean,max", f, {"axis": (0, 2), "keepdims": True})):
        for a, b in zip(onefold.fold(ops, there(array), **keywords), onefold.fold(ops, array, **keywords)):
            assert a.dtype == b.dtype and np.shape(a) == np.shape(b)
            np.testing.assert_array_equal(a, b)
    ops, line, offsets = "sum,mean,count", f.ravel(), np.array([0, 7, 120])
    for ours, cpu in ((onefold.fold_segments("sum", there(x.ravel()), there(offsets)),
                       onefold.fold_segments("sum", x.ravel(), offsets)),
                      (onefold.fold_by(ops, there(keys), there(line), groups=3),
                       onefold.fold_by(ops, keys, line, groups=3))):
        for a, b in zip(ours, cpu):
            np.testing.assert_array_equal(a, b)
    for beside in ({"weights": there(line)}, {"y": line}, {"where": there(line > 0)}):
        with pytest.raises(onefold.OptionError, match=f"{next(iter(beside))}= with groups needs arrays on the CPU"):
            onefold.fold_by("cov", there(keys), there(line), groups=3, **beside)
    with pytest.raises(onefold.OptionError, match="for torch and CuPy only"):
        onefold.fold("sum", there(f), errors="defer")
    with pytest.raises(onefold.OptionError, match="segment 1 decrease"):
        onefold.fold_segments("sum", there(x.ravel()), there(np.array([0, 7, 3])))
    with pytest.raises(onefold.UnsupportedError, match="torch, CuPy or JAX"):
        onefold.fold_by(ops, there(keys), there(line))

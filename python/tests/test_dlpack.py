"""DLPack capsules made by hand: each deleter is called once, however the call ends."""

import ctypes
import gc

import numpy as np
import pytest

import onefold

CPU, CUDA, VULKAN = 1, 2, 7
api = ctypes.PyDLL(None)  # its functions are this file's: other modules declare those of ctypes.pythonapi


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.c_void_p]


class Producer:
    """An array that counts how often its memory is released.

    A consumer that takes a capsule's tensor renames the capsule and calls the deleter; a capsule
    that keeps its name calls it itself.
    """

    def __init__(self, array, versioned=True, device=CPU, **facts):
        self.array, self.device, self.freed = array, device, []
        self.name = b"dltensor_versioned" if versioned else b"dltensor"
        self.shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        self.made = (Versioned if versioned else Managed)()
        self.deleter = Destructor(self.freed.append)
        self.destructor = Destructor(self.destroy)
        self.made.deleter = ctypes.cast(self.deleter, ctypes.c_void_p)
        self.made.tensor = Tensor(array.ctypes.data, device, 0, array.ndim, facts.get("code", 2),
                                  facts.get("bits", 8 * array.itemsize), facts.get("lanes", 1),
                                  self.shape, None, 0)
        if versioned:
            self.made.major, self.made.minor = facts.get("version", (1, 1))

    def destroy(self, capsule):
        if api.PyCapsule_GetName(capsule) == self.name:
            self.deleter(ctypes.addressof(self.made))

    def __dlpack__(self, **_):
        return api.PyCapsule_New(ctypes.addressof(self.made), self.name, ctypes.cast(self.destructor, ctypes.c_void_p))

    def __dlpack_device__(self):
        return self.device, 0


def freed(producer):
    gc.collect()
    return len(producer.freed)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("fold", [
    onefold.sum, lambda p: onefold.mean(p, axis=0), onefold.describe,
    lambda p: onefold.fold("min,max", p), lambda p: onefold.gather("sum", p, axis=1),
    lambda p: onefold.sum(p, where=np.ones((2, 3), bool)), lambda p: onefold.fold("dot", p, np.ones((2, 3)))])
def test_a_deleter_is_called_once_after_a_fold(versioned, fold):
    producer = Producer(np.arange(6.0).reshape(2, 3), versioned)
    fold(producer)
    assert freed(producer) == 1


@pytest.mark.parametrize("versioned", [True, False])
def test_a_mask_is_given_back_too(versioned):
    x = np.arange(6.0)
    mask = Producer(x > 3, versioned, code=6, bits=8)
    assert onefold.sum(x, where=mask) == 9
    assert freed(mask) == 1


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("call, error", [
    (lambda p: onefold.sum(p, axis=5), onefold.AxisError),
    (lambda p: onefold.sum(p, ddof=1), TypeError),
    (lambda p: onefold.sum(p, dtype="c16"), onefold.Error),
    (lambda p: onefold.fold("nonsense", p), onefold.Error),
    (lambda p: onefold.dot(p, np.ones(7)), onefold.ShapeError),
    (lambda p: onefold.sum(p, where=np.ones(7, bool)), onefold.ShapeError),
    (lambda p: onefold.sum(p, out=np.zeros(3)), onefold.Error)])
def test_and_after_a_call_that_fails(versioned, call, error):
    producer = Producer(np.arange(6.0), versioned)
    with pytest.raises(error):
        call(producer)
    assert freed(producer) <= 1  # 0: nobody took the capsule


@pytest.mark.parametrize("facts", [
    {"code": 5}, {"bits": 24}, {"lanes": 2}, {"code": 2, "bits": 8}, {"device": VULKAN},
    {"version": (2, 0)}, {"version": (0, 9)}])
def test_what_is_not_known_is_given_back(facts):
    producer = Producer(np.arange(6.0), True, **facts)
    with pytest.raises(onefold.UnsupportedError):
        onefold.sum(producer)
    assert freed(producer) == 1


def test_a_tensor_of_a_device_that_is_not_here_is_left_alone():
    if len(onefold.info()["devices"]) > 1:
        pytest.skip("a device is here, and these tensors are not on it")
    producer = Producer(np.arange(6.0), True, CUDA)
    for call in [lambda: onefold.sum(producer), lambda: onefold.dot(np.ones(6), producer),
                 lambda: onefold.sum(np.ones(6), where=producer),
                 lambda: onefold.gather("sum", producer), lambda: onefold.describe(producer)]:
        with pytest.raises(onefold.Error):
            call()
        assert freed(producer) <= 1
        producer.freed.clear()
    out = Producer(np.zeros(3), True, CUDA)
    with pytest.raises(onefold.DTypeError, match="it must be an ndarray"):
        onefold.sum(np.ones((2, 3)), axis=0, out=out)
    assert freed(out) == 0 and not out.array.any()


def test_a_tensor_that_requires_grad_is_refused_with_advice():
    producer = Producer(np.arange(6.0))
    producer.requires_grad = True
    for call in [onefold.sum, lambda p: onefold.fold("mean,var", p), lambda p: onefold.dot(p, p)]:
        with pytest.raises(onefold.UnsupportedError, match=r"x\.detach\(\)"):
            call(producer)
    assert freed(producer) == 0


def test_an_error_of_the_producer_is_told_to_the_caller():
    class Broken(Producer):
        def __dlpack__(self, **_):
            raise KeyError("mine")

    with pytest.raises(onefold.UnsupportedError, match="sum: a .*Broken cannot be folded.* KeyError: 'mine'") as error:
        onefold.sum(Broken(np.ones(3)))
    assert isinstance(error.value.__cause__, KeyError)
    for nonsense in [None, 3, object()]:
        broken = Producer(np.ones(3))
        broken.__class__ = type("Odd", (Producer,), {"__dlpack__": lambda self, **_: nonsense})
        with pytest.raises(onefold.UnsupportedError):
            onefold.sum(broken)
